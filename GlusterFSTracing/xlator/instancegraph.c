/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * An instance and the graph around it; the names that it gets from there.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "GlusterFSTracing/xlator/instanceparts.h"
#include "GlusterFSTracing/xlator/fops.h"
#include "GlusterFSTracing/xlator/label.h"
#include "GlusterFSTracing/xlator/instance.h"
#include "common/format/projectname.h"

/* ---- The graph --------------------------------------------------------- */

const struct xlator_fops *instanceFops;

bool instanceIs(const xlator_t *xlator)
{
	return xlator->fops == instanceFops;
}

bool graphHasInstanceAbove(const xlator_t *xlator)
{
	for (xlator_list_t *at = xlator->parents; at; at = at->next) {
		if (instanceIs(at->xlator) || graphHasInstanceAbove(at->xlator))
			return true;
	}
	return false;
}

bool graphHasTakerBelow(const xlator_t *xlator)
{
	for (xlator_list_t *at = xlator->children; at; at = at->next) {
		if (instanceIs(at->xlator) ||
		    strcmp(at->xlator->type, "protocol/client") == 0 ||
		    graphHasTakerBelow(at->xlator))
			return true;
	}
	return false;
}

#define BIT(fop) (UINT64_C(1) << GF_FOP_##fop)

/* What distribution does with files that are open. */
#define ON_OPEN                                                          \
	(BIT(READ) | BIT(WRITE) | BIT(FSTAT) | BIT(FLUSH) | BIT(FSYNC) | \
	 BIT(FXATTROP))

/* Translators that hand on some operations in the frames in which they came;
 * tests/gluster/frames.sh tries them. Nothing is below storage/posix. */
static const struct {
	const char *type;
	uint64_t fops;
} keepers[] = {
	{ "cluster/distribute", ON_OPEN },
	{ "debug/delay-gen", ALL_FOPS },
	{ "debug/error-gen", ALL_FOPS },
	{ "debug/io-stats", ALL_FOPS },
	{ "features/access-control", ALL_FOPS },
	{ "features/locks", ALL_FOPS },
	{ "features/shard", ON_OPEN },
	{ "performance/io-threads", ALL_FOPS },
	{ "storage/posix", ALL_FOPS },
};

/* Whether operations only go through an instance of ours, and their causes are
 * further up. */
static bool isQueue(const xlator_t *xlator)
{
	data_t *side = dict_get_sizen(xlator->options, "side");

	return side && strcmp(side->data, "whole") != 0;
}

uint64_t graphLosesFrames(const xlator_t *xlator)
{
	uint64_t lost = 0;

	for (xlator_list_t *at = xlator->children; at; at = at->next) {
		uint64_t kept = 0;

		if (instanceIs(at->xlator)) {
			if (isQueue(at->xlator))
				lost |= graphLosesFrames(at->xlator);
			continue;
		}
		for (size_t i = 0; i < sizeof(keepers) / sizeof(*keepers); i++)
			if (strcmp(at->xlator->type, keepers[i].type) == 0)
				kept = keepers[i].fops;
		lost |= ~kept | graphLosesFrames(at->xlator);
	}
	return lost;
}

bool graphMayUseCookies(const xlator_t *xlator)
{
	for (xlator_list_t *at = xlator->children; at; at = at->next) {
		bool isKnown = instanceIs(at->xlator) ||
			       strcmp(at->xlator->type, "protocol/client") == 0;

		for (size_t i = 0; i < sizeof(keepers) / sizeof(*keepers); i++)
			isKnown |=
				strcmp(at->xlator->type, keepers[i].type) == 0;
		if (!isKnown || graphMayUseCookies(at->xlator))
			return true;
	}
	return false;
}

static int countLeaves(const xlator_t *xlator)
{
	int count = 0;

	for (xlator_list_t *at = xlator->children; at; at = at->next)
		count += countLeaves(at->xlator);
	return xlator->children ? count : 1;
}

/* Of the translators below, the lowest one that has all the others below it: a
 * leaf, if there is one leaf only. */
static const xlator_t *lowestVolume(const xlator_t *xlator)
{
	while (xlator->children && !xlator->children->next)
		xlator = xlator->children->xlator;
	return xlator;
}

/* The first leaf: all are of a kind. */
static const xlator_t *firstLeaf(const xlator_t *xlator)
{
	while (xlator->children)
		xlator = xlator->children->xlator;
	return xlator;
}

static const xlator_t *highestVolume(const xlator_t *xlator)
{
	while (xlator->parents)
		xlator = xlator->parents->xlator;
	return xlator;
}

/* ---- Names ------------------------------------------------------------- */

/* Append to a label what is left of room. */
static void labelAdd(char *label, const char *text)
{
	size_t used = strlen(label);

	snprintf(label + used, INSTANCE_LABEL_MAX - used, "%s%s",
		 used > 0 ? "-" : "", text);
}

/* A process that has a network of its own is like a host: what libRUT says of
 * the network is about that one. */
static void hostAddNetwork(char *host)
{
	struct stat own, first;
	char number[32];

	if (stat("/proc/self/ns/net", &own) != 0 ||
	    stat("/proc/1/ns/net", &first) != 0 || own.st_ino == first.st_ino)
		return;
	snprintf(number, sizeof(number), "net%llu",
		 (unsigned long long)own.st_ino);
	labelAdd(host, number);
}

void instanceSetHost(struct instance *instance, const char *given)
{
	char host[HD_PROJECT_PATH_MAX];

	hdProjectHost(given, host, sizeof(host));
	snprintf(instance->host, sizeof(instance->host), "%.64s", host);
	if (!given)
		hostAddNetwork(instance->host);
	hdProjectMakePlain(instance->host);
}

void instanceSetNode(struct instance *instance, const char *given)
{
	const xlator_t *lowest = lowestVolume(instance->this);
	const xlator_t *top = highestVolume(instance->this);
	char number[32];

	instance->isClient =
		strcmp(firstLeaf(instance->this)->type, "protocol/client") == 0;
	if (given) {
		labelAdd(instance->node, given);
	} else {
		labelAdd(instance->node, instance->host);
		labelAdd(instance->node, lowest->name);
	}
	if (instance->isClient) {
		if (given && !lowest->children && countLeaves(top) > 1 &&
		    !strstr(given, lowest->name))
			labelAdd(instance->node, lowest->name);
		snprintf(number, sizeof(number), "%d", (int)getpid());
		labelAdd(instance->node, number);
	}
	hdProjectMakePlain(instance->node);
}
