/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* States of CPUs: channels by name; see cpustates.h. */
#include "config.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "PowerTracingLibrary/src/machine/cpustates.h"

/* CPUs whose states are listed by pt -l; the others are alike. */
#define LISTED_CPUS 2

int ptCpuPresent(const char *root, struct ptCpuSet *set)
{
	return ptCpuSetRead(root, "present", set);
}

/* A walk through all channels, in their order. */
struct walk {
	const struct ptCpuKind *kind;
	const struct ptSetup *setup;
	struct ptCpuSet present;
	unsigned int cpu; /* PT_CPU_ALL at last. */
	unsigned int place;
	bool isListed; /* What follows is this CPU's. */
	size_t count;
	char (*labels)[PT_CPU_LABEL_MAX];
	bool hasAny;
	/* The channel. */
	unsigned int number;
	char label[PT_CHANNEL_MAX];
};

static int walkBegin(struct walk *walk, const struct ptCpuKind *kind,
		     const struct ptSetup *setup)
{
	memset(walk, 0, sizeof(*walk));
	walk->kind = kind;
	walk->setup = setup;
	return ptCpuPresent(setup->root, &walk->present);
}

static void walkEnd(struct walk *walk)
{
	free(walk->labels);
	walk->labels = NULL;
}

/* Get the states of the CPU the walk is at; all have those of the first. */
static int walkList(struct walk *walk)
{
	ssize_t count = -ENOENT;

	walkEnd(walk);
	walk->count = 0;
	walk->isListed = true;
	walk->place = 0;
	if (walk->cpu < PT_CPU_ALL)
		count = walk->kind->list(walk->setup, walk->cpu, &walk->labels);
	for (unsigned int cpu = 0;
	     walk->cpu == PT_CPU_ALL && count < 0 && cpu < walk->present.end;
	     cpu++)
		if (ptCpuSetHas(&walk->present, cpu))
			count = walk->kind->list(walk->setup, cpu,
						 &walk->labels);
	if (count == -ENOMEM)
		return -ENOMEM;
	if (count > 0)
		walk->count = (size_t)count;
	return 0;
}

/* The name of a place of the CPU the walk is at, or NULL. */
static const char *walkName(const struct walk *walk, unsigned int place)
{
	if (place == PT_CPU_REST)
		return walk->count > 0 ? walk->kind->rest : NULL;
	return walk->labels[place - PT_CPU_STATE];
}

/* Whether the clock of the CPU can be read. */
static bool walkHasClock(const struct walk *walk)
{
	double hertz;

	return walk->kind->readClock && walk->cpu < PT_CPU_ALL &&
	       walk->kind->readClock(walk->setup, walk->cpu, &hertz) == 0;
}

static void walkSet(struct walk *walk, unsigned int place, const char *name)
{
	walk->hasAny = true;
	walk->number = ptCpuChannel(walk->cpu, place);
	if (!name)
		snprintf(walk->label, sizeof(walk->label), "cpu%u", walk->cpu);
	else if (walk->cpu == PT_CPU_ALL)
		snprintf(walk->label, sizeof(walk->label), "all-%s", name);
	else
		snprintf(walk->label, sizeof(walk->label), "cpu%u-%s",
			 walk->cpu, name);
}

/* Go on to the next channel; -ENOENT: there is none, -ENOMEM. */
static int walkNext(struct walk *walk)
{
	for (;;) {
		while (walk->cpu < PT_CPU_ALL &&
		       !ptCpuSetHas(&walk->present, walk->cpu))
			walk->cpu = walk->cpu < walk->present.end
					    ? walk->cpu + 1
					    : PT_CPU_ALL;
		if (!walk->isListed && walkList(walk) < 0)
			return -ENOMEM;
		while (walk->place < walk->count + PT_CPU_STATE) {
			unsigned int place = walk->place++;
			const char *name = walkName(walk, place);

			if (!name)
				continue;
			walkSet(walk, place, name);
			return 0;
		}
		if (walk->place++ == walk->count + PT_CPU_STATE &&
		    walkHasClock(walk)) {
			walkSet(walk, PT_CPU_CLOCK_PLACE, NULL);
			return 0;
		}
		if (walk->cpu == PT_CPU_ALL)
			return -ENOENT;
		walk->cpu++;
		walk->isListed = false;
	}
}

/* Whether a pattern stands for a channel; "*" is those of single CPUs. With
 * states it is these, and where there are none the clocks. */
static bool cpuChannelsMatches(const struct walk *walk, const char *pattern)
{
	if (walk->cpu == PT_CPU_ALL && strncmp(pattern, "all-", 4) != 0)
		return false;
	if (strcmp(pattern, "*") == 0 && walk->count > 0 &&
	    ptCpuPlaceOf(walk->number) == PT_CPU_CLOCK_PLACE)
		return false;
	return fnmatch(pattern, walk->label, 0) == 0;
}

/* Where the last walk of this thread was: the next channel is mostly the one
 * that is asked for next, and to begin anew for each would take as long as
 * there are channels. */
static __thread struct {
	struct walk *walk;
	char pattern[PT_CHANNEL_MAX];
	size_t index;
} memory;

static void memoryForget(void)
{
	if (memory.walk)
		walkEnd(memory.walk);
	free(memory.walk);
	memory.walk = NULL;
}

/* Get a walk that is before the match of this number, or begin one. */
static int memoryTake(const struct ptCpuKind *kind, const struct ptSetup *setup,
		      const char *pattern, size_t index, struct walk **walk,
		      size_t *done)
{
	int ret;

	if (memory.walk && index > 0 && memory.index + 1 == index &&
	    memory.walk->kind == kind && memory.walk->setup == setup &&
	    strcmp(memory.pattern, pattern) == 0) {
		*walk = memory.walk;
		*done = index;
		return 0;
	}
	memoryForget();
	*done = 0;
	*walk = malloc(sizeof(**walk));
	if (!*walk)
		return -ENOMEM;
	ret = walkBegin(*walk, kind, setup);
	memory.walk = *walk;
	snprintf(memory.pattern, sizeof(memory.pattern), "%s", pattern);
	if (ret < 0)
		memoryForget();
	return ret;
}

int ptCpuResolve(const struct ptCpuKind *kind, const struct ptSetup *setup,
		 const char *channel, size_t index, unsigned int *number,
		 char label[PT_CHANNEL_MAX], char *why, size_t whySize)
{
	const char *pattern = channel ? channel : "";
	struct walk *walk;
	size_t done;
	int ret;

	snprintf(why, whySize, "%s", kind->nothing);
	if (strlen(pattern) >= PT_CHANNEL_MAX)
		return -EINVAL;
	ret = memoryTake(kind, setup, pattern, index, &walk, &done);
	if (ret < 0)
		return ret == -ENOMEM ? ret : -ENOENT;
	do
		ret = walkNext(walk);
	while (ret == 0 &&
	       (!cpuChannelsMatches(walk, pattern) || done++ < index));
	if (ret < 0) {
		if (walk->hasAny)
			snprintf(
				why, whySize,
				"unknown input; expected cpuN-STATE, all-STATE "
				"(see pt -l) or a pattern: *, cpu0-*, all-*");
		memoryForget();
		return ret;
	}
	memory.index = index;
	*number = walk->number;
	memcpy(label, walk->label, PT_CHANNEL_MAX);
	/* Nobody asks for a second one of a name. */
	if (!strchr(pattern, '*'))
		memoryForget();
	return 0;
}

void ptCpuList(const struct ptCpuKind *kind, const struct ptSetup *setup,
	       ptDriverPrint *print, void *context)
{
	unsigned int seen = 0, last = PT_CPU_ALL;
	struct walk walk;
	int ret = walkBegin(&walk, kind, setup);

	while (ret == 0) {
		ret = walkNext(&walk);
		if (ret < 0)
			break;
		seen += walk.cpu != last;
		last = walk.cpu;
		if (seen <= LISTED_CPUS || walk.cpu == PT_CPU_ALL)
			print(context, walk.label, kind->where, true);
		else if (walk.place == PT_CPU_STATE)
			print(context, "...", "and so on", true);
	}
	walkEnd(&walk);
	if (seen == 0)
		print(context, "-",
		      ret == -ENOMEM ? strerror(ENOMEM) : kind->nothing, false);
}
