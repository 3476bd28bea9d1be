/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Statistics groups of the nodes; see writer.h. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <PT.h>
#include "PowerTracingLibrary/src/message.h"
#include "PowerTracingLibrary/src/meter/writer.h"
#include "common/clock.h"
#include "common/format/level.h"

/* The group of a node. */
struct writerGroup {
	const struct ptNode *node;
	hdStatsGroup *group;
	unsigned char *entry;
	size_t length;
};

struct ptWriter {
	struct ptSink sink; /* First: it is what the meter knows. */
	const struct ptConfig *config;
	struct writerGroup *groups; /* One for each node. */
	bool isEnabled;
	bool hasGap;
	bool hasFailed;
	int64_t lastNs;
	pthread_mutex_t mutex; /* Protects what follows. */
	double *sums;          /* Of value times seconds. */
	double seconds;
};

static size_t writerSize(const struct ptColumn *column)
{
	return column->quantity->type == FLOAT ? sizeof(float) : sizeof(double);
}

static const char *writerError(int error)
{
	const char *text = hdT_strerror(error);

	return text ? text : strerror(error);
}

static int writerAddValue(struct writerGroup *group,
			  const struct ptColumn *column, const char *name)
{
	int ret = hdS_addValue(group->group, name, column->quantity->type,
			       column->quantity->unit,
			       column->quantity->grouping);

	if (ret == 0 && column->source)
		ret = hdS_addAttribute(group->group, "source", column->source);
	if (ret == 0 && column->resolution)
		ret = hdS_addAttribute(group->group, "resolution",
				       column->resolution);
	if (ret == 0 && column->isSimulated)
		ret = hdS_addAttribute(group->group, "simulated", "yes");
	return ret;
}

/* Which level of the nodes is the host: Host, or the first (format.md). */
static size_t writerHostLevel(const struct ptConfig *config)
{
	size_t level =
		hdLevelFind(config->levels, config->levelCount, HD_LEVEL_HOST);

	return level > 0 ? level - 1 : 0;
}

/* Say whose clock the times are of, if it is not that of the node's host. */
static int writerAddClock(const struct ptConfig *config,
			  const struct writerGroup *group)
{
	const struct ptNode *node = group->node;
	size_t level = writerHostLevel(config);
	char path[1024], *at = path, *end = path + sizeof(path);
	char host[256] = "";

	gethostname(host, sizeof(host) - 1);
	if (level >= node->depth ||
	    ptConfigIsSameHost(node->labels[level], host))
		return 0;
	for (size_t i = 0; i < level && at < end; i++)
		at += snprintf(at, (size_t)(end - at), "%s_", node->labels[i]);
	if (at < end)
		at += snprintf(at, (size_t)(end - at), "%s", host);
	return at < end ? hdS_addAttribute(group->group, "clockNode", path) : 0;
}

static int writerCreateGroup(struct ptWriter *writer, hdTopology *topology,
			     struct writerGroup *group)
{
	const struct ptConfig *config = writer->config;
	const struct ptNode *node = group->node;
	hdTopoNode *topoNode = hdT_createTopoNode(
		topology, (const char **)node->labels, (int)node->depth);
	int ret = 0;

	if (!topoNode)
		return PT_EHDLIB;
	group->group = hdS_createGroup("Energy", topoNode, (int)node->depth);
	hdT_destroyTopoNode(topoNode);
	if (!group->group)
		return PT_EHDLIB;
	ret = hdS_addAttribute(group->group, "device", config->driver->name);
	if (ret == 0)
		ret = writerAddClock(config, group);
	for (size_t i = node->first; ret == 0 && i < node->first + node->count;
	     i++) {
		ret = writerAddValue(group, &config->columns[i],
				     config->names[i]);
		group->length += writerSize(&config->columns[i]);
	}
	return ret == 0 ? 0 : PT_EHDLIB;
}

static int writerCommitGroup(struct writerGroup *group)
{
	group->entry = malloc(group->length);
	if (!group->entry)
		return PT_EMEMORY;
	return hdS_commitGroup(group->group) == 0 ? 0 : PT_EHDLIB;
}

/* A group that is not committed leaves no file. */
static int writerCreateGroups(struct ptWriter *writer, hdTopology *topology,
			      const struct ptNode **culprit)
{
	const struct ptConfig *config = writer->config;
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < config->nodeCount; i++) {
		*culprit = writer->groups[i].node = &config->nodes[i];
		ret = writerCreateGroup(writer, topology, &writer->groups[i]);
	}
	for (size_t i = 0; ret == 0 && i < config->nodeCount; i++) {
		*culprit = &config->nodes[i];
		ret = writerCommitGroup(&writer->groups[i]);
	}
	return ret;
}

static void writerEnable(struct ptWriter *writer, int64_t ns)
{
	struct timespec when = hdClockToTimespec(ns);

	for (size_t i = 0; i < writer->config->nodeCount; i++) {
		hdS_disableGroup(writer->groups[i].group);
		hdS_enableGroupAt(writer->groups[i].group, &when);
	}
	writer->isEnabled = true;
}

static void writerEntry(struct ptWriter *writer, struct writerGroup *group,
			const union ptCell *cells, const struct timespec *when)
{
	const struct ptNode *node = group->node;
	unsigned char *at = group->entry;

	for (size_t i = node->first; i < node->first + node->count; i++) {
		size_t size = writerSize(&writer->config->columns[i]);

		/* All members of a cell begin where it does. */
		memcpy(at, &cells[i], size);
		if (size == sizeof(float))
			order_bytes32ip(at);
		else
			order_bytes64ip(at);
		at += size;
	}
	if (hdS_writeEntryAt(group->group, group->entry, group->length, when) ==
		    0 ||
	    writer->hasFailed)
		return;
	writer->hasFailed = true;
	ptMessage(HD_LOG_ERROR, "node %s: cannot write: %s", node->path,
		  writerError(errno));
}

static double writerNumber(const struct ptColumn *column, union ptCell cell)
{
	switch (column->quantity->type) {
	case FLOAT:
		return (double)cell.f;
	case INT64:
		return (double)cell.i;
	default:
		return cell.d;
	}
}

static void writerAddUp(struct ptWriter *writer, const union ptCell *cells,
			double seconds)
{
	pthread_mutex_lock(&writer->mutex);
	writer->seconds += seconds;
	for (size_t i = 0; i < writer->config->columnCount; i++) {
		double value =
			writerNumber(&writer->config->columns[i], cells[i]);

		if (isfinite(value))
			writer->sums[i] += value * seconds;
	}
	pthread_mutex_unlock(&writer->mutex);
}

static struct ptWriter *writerOf(struct ptSink *sink)
{
	return (struct ptWriter *)(void *)sink;
}

static void writerAdd(struct ptSink *sink, const union ptCell *cells,
		      const struct ptReading *reading)
{
	struct ptWriter *writer = writerOf(sink);
	int64_t end = reading->endNs - writer->config->delayNs;
	int64_t start = end - reading->lengthNs;
	struct timespec when = hdClockToTimespec(end);

	if (!writer->isEnabled)
		writerEnable(writer,
			     start > writer->lastNs ? start : writer->lastNs);
	else if ((writer->hasGap || reading->lost > 0) &&
		 start > writer->lastNs)
		writerEnable(writer, start);
	for (size_t i = 0; i < writer->config->nodeCount; i++)
		writerEntry(writer, &writer->groups[i], cells, &when);
	writerAddUp(writer, cells, (double)reading->lengthNs / 1e9);
	writer->hasGap = false;
	if (end > writer->lastNs)
		writer->lastNs = end;
}

static void writerGap(struct ptSink *sink)
{
	writerOf(sink)->hasGap = true;
}

static void writerStop(struct ptSink *sink)
{
	struct ptWriter *writer = writerOf(sink);

	for (size_t i = 0; i < writer->config->nodeCount; i++)
		hdS_disableGroup(writer->groups[i].group);
	writer->isEnabled = false;
}

static const struct ptSinkCalls writerCalls = {
	.add = writerAdd,
	.gap = writerGap,
	.stop = writerStop,
};

struct ptSink *ptWriterSink(struct ptWriter *writer)
{
	return &writer->sink;
}

static int writerCreate(const struct ptConfig *config, hdTopology *topology,
			struct ptWriter **result)
{
	struct ptWriter *writer = calloc(1, sizeof(*writer));
	const struct ptNode *culprit = NULL;
	int ret, saved;

	if (!writer)
		return PT_EMEMORY;
	writer->sink.calls = &writerCalls;
	writer->config = config;
	pthread_mutex_init(&writer->mutex, NULL);
	writer->sums = calloc(config->columnCount, sizeof(*writer->sums));
	writer->groups = calloc(config->nodeCount, sizeof(*writer->groups));
	if (writer->sums && writer->groups)
		ret = writerCreateGroups(writer, topology, &culprit);
	else
		ret = PT_EMEMORY;
	if (ret == 0) {
		*result = writer;
		return 0;
	}
	saved = errno;
	if (ret == PT_EHDLIB)
		ptMessage(HD_LOG_ERROR, "node %s: cannot create the trace: %s",
			  culprit->path, writerError(saved));
	ptWriterDestroy(writer);
	errno = saved;
	return ret;
}

int ptWriterCreate(const struct ptConfig *config, hdTopology *topology,
		   struct ptWriter **result)
{
	hdTopology *own = NULL;
	int ret, saved;

	if (!topology) {
		own = hdT_createTopology(config->project,
					 (const char **)config->levels,
					 (int)config->levelCount);
		if (!own) {
			ptMessage(HD_LOG_ERROR, "project %s: %s",
				  config->project, writerError(errno));
			return PT_EHDLIB;
		}
		topology = own;
	}
	ret = writerCreate(config, topology, result);
	saved = errno;
	if (own)
		hdT_destroyTopology(own);
	errno = saved;
	return ret;
}

double ptWriterResult(struct ptWriter *writer, size_t column, double *seconds)
{
	double sum;

	pthread_mutex_lock(&writer->mutex);
	*seconds = writer->seconds;
	sum = writer->sums[column];
	pthread_mutex_unlock(&writer->mutex);
	return *seconds > 0 ? sum / *seconds : 0;
}

uint64_t ptWriterSteps(struct ptWriter *writer)
{
	hdLosses losses;
	uint64_t times = 0;

	for (size_t i = 0; i < writer->config->nodeCount; i++)
		if (hdS_getLosses(writer->groups[i].group, &losses) == 0 &&
		    losses.times > times)
			times = losses.times;
	return times;
}

int ptWriterDestroy(struct ptWriter *writer)
{
	int ret = 0;

	if (!writer)
		return 0;
	for (size_t i = 0; writer->groups && i < writer->config->nodeCount;
	     i++) {
		if (writer->groups[i].group &&
		    hdS_finalize(writer->groups[i].group) != 0)
			ret = -1;
		free(writer->groups[i].entry);
	}
	pthread_mutex_destroy(&writer->mutex);
	free(writer->groups);
	free(writer->sums);
	free(writer);
	return ret;
}
