/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the writing library is measured by; see bench-write.h. */
#include "config.h"

#include <string.h>

#include <hdStats.h>
#include <hdTrace.h>
#include "tests/bench/bench-peer.h"
#include "tests/bench/bench-project.h"
#include "tests/bench/bench-write.h"

/* ---- Recording, until everything is with the system --------------------- */

static void writeTakeBytes(struct benchRun *run, const char *file)
{
	run->bytes = benchFileSize(file);
	benchRemove(file);
}

static void writeFinishGroup(struct benchRun *run, hdStatsGroup *group)
{
	benchFinalizeGroup(group);
	writeTakeBytes(run, "write_node_Utilization.stat");
}

static void writeFinishTrace(struct benchRun *run, hdTrace *trace)
{
	benchFinalizeTrace(trace);
	writeTakeBytes(run, "write_node.trc");
}

static void writeValues(struct benchRun *run)
{
	hdStatsGroup *group = benchCreateGroup("write");

	benchStart(run);
	for (size_t i = 0; i < run->count; i++)
		for (size_t k = 0; k < BENCH_COLUMNS; k++)
			hdS_writeDoubleValue(group, benchValue(i, k));
	hdS_flush(group);
	benchStop(run);
	writeFinishGroup(run, group);
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
	writeFinishGroup(run, group);
}

static void writeStates(struct benchRun *run)
{
	hdTrace *trace = benchCreateTrace("write");

	benchStart(run);
	benchLogStates(trace, run->count);
	hdT_flush(trace);
	benchStop(run);
	writeFinishTrace(run, trace);
}

static void writeIntegers(struct benchRun *run)
{
	hdTrace *trace = benchCreateTrace("write");

	benchStart(run);
	benchLogIntegers(trace, run->count);
	hdT_flush(trace);
	benchStop(run);
	writeFinishTrace(run, trace);
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
	writeFinishTrace(run, trace);
}

static const struct benchWriting writings[] = {
	{ "values", writeValues, &benchPeer.writeEntries, 1, true },
	{ "entry", writeEntries, &benchPeer.writeEntries, 1, true },
	{ "bare", writeStates, &benchPeer.writeStates, 2, false },
	{ "integers", writeIntegers, &benchPeer.writeIntegers, 2, false },
	{ "mixture", writeMixture, &benchPeer.writeMixture, 2, false },
};

const struct benchWriting *benchWritingFind(const char *name)
{
	for (size_t i = 0; i < BENCH_COUNT(writings); i++)
		if (strcmp(writings[i].name, name) == 0)
			return &writings[i];
	return NULL;
}
