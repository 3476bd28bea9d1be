/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * `hdtrace stat` on groups of growing length: the time per entry must stay, and
 * the memory must not grow.
 *
 * What the kernel reports as the memory of a child is at least what its parent
 * had at that time, so this subject runs first.
 */
#include <config.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench-project.h"
#include "bench.h"

#define STAT_COUNT 10000000

static double statNs(const struct timeval *time)
{
	return (double)time->tv_sec * 1e9 + (double)time->tv_usec * 1e3;
}

static void statRun(struct benchRun *run, const char *file)
{
	char *path = benchPath(file);
	struct rusage usage;
	int status;
	pid_t pid = fork();

	benchCheck(pid >= 0, "fork");
	if (pid == 0) {
		int null = open("/dev/null", O_WRONLY);

		if (null >= 0 && dup2(null, STDOUT_FILENO) >= 0)
			execl(benchOptions.hdtrace, "hdtrace", "stat", path,
			      (char *)NULL);
		_exit(127);
	}
	benchCheck(wait4(pid, &status, 0, &usage) == pid && WIFEXITED(status) &&
			   WEXITSTATUS(status) == 0,
		   "hdtrace stat");
	run->process = statNs(&usage.ru_utime) + statNs(&usage.ru_stime);
	run->thread = run->process;
	run->peakMb = (double)usage.ru_maxrss / 1024;
	run->bytes = benchFileSize(file);
	free(path);
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

static struct benchWork works[] = {
	{ "10 million entries, 15 columns", STAT_COUNT, statWhole, statQuarter,
	  STAT_COUNT / 4, .ratioMax = 1.1, .peakMbMax = 64 },
	{ "5 million entries, beside 2.5", STAT_COUNT / 2, statHalf,
	  statQuarter, STAT_COUNT / 4, .ratioMax = 1.1, .peakMbMax = 64 },
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
	.title = "hdtrace stat",
	.operation = "entry",
	.peerName = "a quarter",
	.works = works,
	.count = BENCH_COUNT(works),
	.repetitions = 5,
	.prepare = statPrepare,
	.destroy = statDestroy,
};
