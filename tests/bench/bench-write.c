/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the writing library costs, recording and disabled. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include <hdStats.h>
#include <hdTrace.h>
#include "tests/bench/bench-peer.h"
#include "tests/bench/bench-project.h"

/* ---- Recording, until everything is with the system --------------------- */

static void writeValues(struct benchRun *run)
{
	hdStatsGroup *group = benchCreateGroup("write");

	benchStart(run);
	for (size_t i = 0; i < run->count; i++)
		for (size_t k = 0; k < BENCH_COLUMNS; k++)
			hdS_writeDoubleValue(group, benchValue(i, k));
	hdS_flush(group);
	benchStop(run);
	benchFinishGroup(group, "write");
}

static void writeEntries(struct benchRun *run)
{
	hdStatsGroup *group = benchCreateGroup("write");

	benchStart(run);
	for (size_t i = 0; i < run->count; i++) {
		double entry[BENCH_COLUMNS];

		for (size_t k = 0; k < BENCH_COLUMNS; k++) {
			entry[k] = benchValue(i, k);
			order_bytes64fp(&entry[k]);
		}
		hdS_writeEntry(group, entry, sizeof(entry));
	}
	hdS_flush(group);
	benchStop(run);
	benchFinishGroup(group, "write");
}

static void writeStates(struct benchRun *run)
{
	hdTrace *trace = benchCreateTrace("write");

	benchStart(run);
	benchLogStates(trace, run->count);
	hdT_flush(trace);
	benchStop(run);
	benchFinishTrace(trace, "write");
}

static void writeIntegers(struct benchRun *run)
{
	hdTrace *trace = benchCreateTrace("write");

	benchStart(run);
	benchLogIntegers(trace, run->count);
	hdT_flush(trace);
	benchStop(run);
	benchFinishTrace(trace, "write");
}

static void writeMixture(struct benchRun *run)
{
	hdTrace *trace = benchCreateTrace("write");

	benchStart(run);
	for (size_t i = 0; i < run->count; i++) {
		hdT_logStateStart(trace, "Compute");
		hdT_logAttributeInt64(trace, "size", (int64_t)i * 8);
		hdT_logAttributeInt64(trace, "toRank", (int64_t)i & 63);
		hdT_logAttributeInt64(trace, "toTag", 1313);
		hdT_logAttributeInt64(trace, "cid", 1);
		hdT_logAttributeDouble(trace, "residuum",
				       1.0 / (double)(i + 3));
		hdT_logAttributeString(trace, "file", "visualization.dat");
		hdT_logStateEnd(trace);
	}
	hdT_flush(trace);
	benchStop(run);
	benchFinishTrace(trace, "write");
}

static struct benchWork writeWorks[] = {
	{ "hdS entry, 15 doubles, value by value", 1000000, writeValues,
	  .ratioMax = 0.35 },
	{ "hdS entry, 15 doubles, hdS_writeEntry", 1000000, writeEntries,
	  .ratioMax = 0.2 },
	{ "hdT bare state", 1000000, writeStates, .ratioMax = 0.9 },
	{ "hdT state, 6 integers of an MPI Send", 1000000, writeIntegers,
	  .ratioMax = 1.0 },
	{ "hdT state, 4 integers, double, string", 1000000, writeMixture },
};

static void writeFindPeers(struct benchSubject *subject, bool usesPool)
{
	struct benchWork *works = subject->works;

	subject->peerName = benchPeer.name;
	works[0].peer = benchPeer.writeEntries;
	works[1].peer = benchPeer.writeEntries;
	works[2].peer = benchPeer.writeStates;
	works[3].peer = benchPeer.writeIntegers;
	works[4].peer = benchPeer.writeMixture;
	if (benchPeer.usePool)
		benchPeer.usePool(usesPool);
}

static void writePrepare(void)
{
	writeFindPeers(&benchWrite, false);
}

struct benchSubject benchWrite = {
	.name = "write",
	.title = "Writing",
	.operation = "entry or state",
	.works = writeWorks,
	.count = BENCH_COUNT(writeWorks),
	.prepare = writePrepare,
};

/* The same beside an OTF2 that is given memory to use again. */
static struct benchWork poolWorks[] = {
	{ "hdS entry, 15 doubles, value by value", 1000000, writeValues },
	{ "hdS entry, 15 doubles, hdS_writeEntry", 1000000, writeEntries },
	{ "hdT bare state", 1000000, writeStates },
	{ "hdT state, 6 integers of an MPI Send", 1000000, writeIntegers },
	{ "hdT state, 4 integers, double, string", 1000000, writeMixture },
};

static void poolPrepare(void)
{
	writeFindPeers(&benchPool, true);
}

struct benchSubject benchPool = {
	.name = "pool",
	.title = "Writing, OTF2 with a pool of 16 MiB",
	.operation = "entry or state",
	.works = poolWorks,
	.count = BENCH_COUNT(poolWorks),
	.prepare = poolPrepare,
};

/* ---- Disabled ---------------------------------------------------------- */

static void disabledStates(struct benchRun *run)
{
	hdTrace *trace = benchCreateTrace("disabled");

	hdT_disableTrace(trace);
	benchStart(run);
	benchLogStates(trace, run->count / 2);
	benchStop(run);
	benchFinishTrace(trace, "disabled");
}

static void disabledIntegers(struct benchRun *run)
{
	hdTrace *trace = benchCreateTrace("disabled");

	hdT_disableTrace(trace);
	benchStart(run);
	benchLogIntegers(trace, run->count / 8);
	benchStop(run);
	benchFinishTrace(trace, "disabled");
}

static void disabledEvents(struct benchRun *run)
{
	hdTrace *trace = benchCreateTrace("disabled");

	hdT_disableTrace(trace);
	benchStart(run);
	for (size_t i = 0; i < run->count; i++)
		hdT_logEvent(trace, "Iteration");
	benchStop(run);
	benchFinishTrace(trace, "disabled");
}

static void disabledValues(struct benchRun *run)
{
	hdStatsGroup *group = benchCreateGroup("disabled");

	hdS_disableGroup(group);
	benchStart(run);
	for (size_t i = 0; i < run->count; i++)
		hdS_writeDoubleValue(group, 1);
	benchStop(run);
	benchFinishGroup(group, "disabled");
}

static void disabledEntries(struct benchRun *run)
{
	hdStatsGroup *group = benchCreateGroup("disabled");
	double entry[BENCH_COLUMNS] = { 0 };

	hdS_disableGroup(group);
	benchStart(run);
	for (size_t i = 0; i < run->count; i++)
		hdS_writeEntry(group, entry, sizeof(entry));
	benchStop(run);
	benchFinishGroup(group, "disabled");
}

static struct benchWork disabledWorks[] = {
	{ "hdT_logStateStart, hdT_logStateEnd", 8000000, disabledStates,
	  .nsMax = 3 },
	{ "the same with 6 x hdT_logAttributeInt64", 8000000, disabledIntegers,
	  .nsMax = 3 },
	{ "hdT_logEvent", 8000000, disabledEvents, .nsMax = 3 },
	{ "hdS_writeDoubleValue", 8000000, disabledValues, .nsMax = 3 },
	{ "hdS_writeEntry", 8000000, disabledEntries, .nsMax = 3 },
};

struct benchSubject benchDisabled = {
	.name = "disabled",
	.title = "Disabled trace or group",
	.operation = "call",
	.works = disabledWorks,
	.count = BENCH_COUNT(disabledWorks),
};
