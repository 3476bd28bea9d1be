/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What all programs that measure works share: clocks and files; see bench.h. */
#include "config.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "tests/bench/bench.h"

const double benchValues[BENCH_COLUMNS] = {
	1.5, 2.25, 3, 4, 5, 6, 7.125, 8, 9, 10, 11.75, 12, 13, 14, 15.5,
};

const char *benchDirectory;

/* ---- Files ------------------------------------------------------------- */

static int baseRemoveOne(const char *path, const struct stat *status, int type,
			 struct FTW *walk)
{
	(void)status;
	(void)type;
	(void)walk;
	return remove(path);
}

void benchCheck(bool isGood, const char *what)
{
	if (isGood)
		return;
	fprintf(stderr, "bench: %s: failed (%s)\n", what, strerror(errno));
	exit(EXIT_FAILURE);
}

char *benchPath(const char *name)
{
	char *path = NULL;

	benchCheck(asprintf(&path, "%s/%s", benchDirectory, name) > 0,
		   "memory");
	return path;
}

void benchRemoveTree(const char *path)
{
	nftw(path, baseRemoveOne, 8, FTW_DEPTH | FTW_PHYS);
}

void benchRemove(const char *name)
{
	char *path = benchPath(name);

	benchRemoveTree(path);
	free(path);
}

double benchFileSize(const char *name)
{
	char *path = benchPath(name);
	struct stat status;

	benchCheck(stat(path, &status) == 0, path);
	free(path);
	return (double)status.st_size;
}

/* ---- Clocks ------------------------------------------------------------ */

static double baseClock(clockid_t clock)
{
	struct timespec now;

	benchCheck(clock_gettime(clock, &now) == 0, "clock_gettime");
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

void benchStart(struct benchRun *run)
{
	run->wall = -baseClock(CLOCK_MONOTONIC);
	run->process = -baseClock(CLOCK_PROCESS_CPUTIME_ID);
	run->thread = -baseClock(CLOCK_THREAD_CPUTIME_ID);
}

void benchStop(struct benchRun *run)
{
	run->thread += baseClock(CLOCK_THREAD_CPUTIME_ID);
	run->process += baseClock(CLOCK_PROCESS_CPUTIME_ID);
	run->wall += baseClock(CLOCK_MONOTONIC);
}
