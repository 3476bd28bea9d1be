/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * `hdtrace stat` on groups of growing length: the time per entry must stay, and
 * the memory must not grow. `hdtrace report`, against the reader of the thesis
 * that defined the format.
 *
 * What the kernel reports as the memory of a child is at least what its parent
 * had at that time, so this subject runs first.
 */
#include "config.h"

#include <stdlib.h>

#include "tests/bench/bench-project.h"
#include "tests/bench/bench.h"

#define STAT_COUNT 10000000

static void statCommand(struct benchRun *run, const char *command,
			const char *file)
{
	char *path = benchPath(file);
	const char *arguments[] = { benchOptions.hdtrace, command, path, NULL };

	benchCommand(run, arguments);
	run->bytes = benchFileSize(file);
	free(path);
}

static void statRun(struct benchRun *run, const char *file)
{
	statCommand(run, "stat", file);
}

static void statQuarter(struct benchRun *run)
{
	statRun(run, "stat4_node_Utilization.stat");
}

static void statHalf(struct benchRun *run)
{
	statRun(run, "stat2_node_Utilization.stat");
}

static void statWhole(struct benchRun *run)
{
	statRun(run, "stat1_node_Utilization.stat");
}

static void statReport(struct benchRun *run)
{
	statCommand(run, "report", "stat4_node_Utilization.stat");
}

/* The reader of 2009 took 150 us for an entry of 15 values. */
#define STAT_READER_NS 150000

static struct benchWork works[] = {
	{ "10 million entries, 15 columns", STAT_COUNT, statWhole, statQuarter,
	  STAT_COUNT / 4, .ratioMax = 1.1, .peakMbMax = 64 },
	{ "5 million entries, beside 2.5", STAT_COUNT / 2, statHalf,
	  statQuarter, STAT_COUNT / 4, .ratioMax = 1.1, .peakMbMax = 64 },
	{ "hdtrace report, 2.5 million entries", STAT_COUNT / 4, statReport,
	  .isAlone = true, .nsMax = STAT_READER_NS, .peakMbMax = 64 },
};

static void statCreate(const char *name, size_t count)
{
	hdStatsGroup *group = benchCreateGroup(name);

	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < BENCH_COLUMNS; k++)
			hdS_writeDoubleValue(group, benchValue(i, k));
	benchFinalizeGroup(group);
}

static void statPrepare(void)
{
	statCreate("stat1", benchScaled(STAT_COUNT));
	statCreate("stat2", benchScaled(STAT_COUNT / 2));
	statCreate("stat4", benchScaled(STAT_COUNT / 4));
}

static void statDestroy(void)
{
	benchRemove("stat1_node_Utilization.stat");
	benchRemove("stat2_node_Utilization.stat");
	benchRemove("stat4_node_Utilization.stat");
}

struct benchSubject benchStat = {
	.name = "stat",
	.title = "hdtrace stat and report",
	.operation = "entry",
	.peerName = "a quarter",
	.works = works,
	.count = BENCH_COUNT(works),
	.repetitions = 5,
	.prepare = statPrepare,
	.destroy = statDestroy,
};
