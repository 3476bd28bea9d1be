/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What reading costs, with every value delivered and looked at. */
#include "config.h"

#include <stdlib.h>

#include <hdReading.h>
#include "tests/bench/bench-peer.h"
#include "tests/bench/bench-project.h"

#define READ_COUNT 1000000

/* No problem is expected in what was just written. */
static void readMessage(const hdIMessage *message, void *data)
{
	(void)data;
	benchCheck(false, message->text);
}

static hdIProject *readOpen(const char *name)
{
	char *path = benchPath(name);
	hdIProject *project = hdI_openProject(path, readMessage, NULL);

	benchCheck(project, path);
	free(path);
	return project;
}

static void readEntries(struct benchRun *run)
{
	const hdIBlock *block;
	hdIProject *project;
	hdIStatReader *reader;
	size_t count = 0;

	benchStart(run);
	project = readOpen("entries_node_Utilization.stat");
	reader = hdI_openStat(project, project->groups[0]);
	benchCheck(reader, "hdI_openStat");
	while (hdI_readStat(reader, &block) > 0) {
		for (size_t k = 0; k < BENCH_COLUMNS; k++)
			for (size_t i = 0; i < block->count; i++)
				run->sum += block->columns[k].float64[i];
		count += block->count;
	}
	hdI_closeStat(reader);
	hdI_closeProject(project);
	benchStop(run);
	benchCheck(count == run->count, "all entries");
	run->bytes = benchFileSize("entries_node_Utilization.stat");
}

/* To look at every value, as OTF2 delivers numbers. */
static double readNumber(const char *text)
{
	int64_t number = 0;

	for (; *text; text++)
		number = 10 * number + (*text - '0');
	return (double)number;
}

static void readTrace(struct benchRun *run, const char *name)
{
	const hdIRecord *record;
	hdIProject *project;
	hdITraceReader *reader;
	size_t count = 0;

	benchStart(run);
	project = readOpen(name);
	reader = hdI_openTrace(project, project->traces[0]);
	benchCheck(reader, "hdI_openTrace");
	while (hdI_readTrace(reader, &record) > 0) {
		for (size_t i = 0; i < record->attributeCount; i++)
			run->sum += readNumber(record->attributes[i].value);
		count++;
	}
	hdI_closeTrace(reader);
	hdI_closeProject(project);
	benchStop(run);
	benchCheck(count == run->count, "all states");
	run->bytes = benchFileSize(name);
}

static void readStates(struct benchRun *run)
{
	readTrace(run, "states_node.trc");
}

static void readIntegers(struct benchRun *run)
{
	readTrace(run, "integers_node.trc");
}

static struct benchWork works[] = {
	{ ".stat, 15 columns of doubles", READ_COUNT, readEntries,
	  .ratioMax = 1.0, .mbPerSMin = 500 },
	{ ".trc, states with 6 integers", READ_COUNT, readIntegers,
	  .mbPerSMin = 100 },
	{ ".trc, bare states", READ_COUNT, readStates, .mbPerSMin = 100 },
};

static void readPrepare(void)
{
	size_t count = benchScaled(READ_COUNT);
	hdStatsGroup *group = benchCreateGroup("entries");
	hdTrace *states = benchCreateTrace("states");
	hdTrace *integers = benchCreateTrace("integers");

	benchRead.peerName = benchPeer.name;
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < BENCH_COLUMNS; k++)
			hdS_writeDoubleValue(group, benchValue(i, k));
	benchLogStates(states, count);
	benchLogIntegers(integers, count);
	benchFinalizeGroup(group);
	benchFinalizeTrace(states);
	benchFinalizeTrace(integers);
	if (benchPeer.create)
		benchPeer.create(count);
	works[0].peer = benchPeer.readEntries;
	works[1].peer = benchPeer.readIntegers;
	works[2].peer = benchPeer.readStates;
}

static void readDestroy(void)
{
	benchRemove("entries_node_Utilization.stat");
	benchRemove("states_node.trc");
	benchRemove("integers_node.trc");
	if (benchPeer.destroy)
		benchPeer.destroy();
}

struct benchSubject benchRead = {
	.name = "read",
	.title = "Reading",
	.operation = "entry or state",
	.works = works,
	.count = BENCH_COUNT(works),
	.prepare = readPrepare,
	.destroy = readDestroy,
};
