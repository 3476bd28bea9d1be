/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What no writer can go below: the clock, the copy, the system call. */
#include "config.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/bench/bench.h"

#define FLOORS_RING (256 * 1024)

static void floorsClock(struct benchRun *run)
{
	struct timespec now;

	benchStart(run);
	for (size_t i = 0; i < run->count; i++)
		clock_gettime(CLOCK_REALTIME, &now);
	benchStop(run);
}

/* Copy an entry into a buffer as large as the writing library's. */
static void floorsCopy(struct benchRun *run)
{
	char *ring = malloc(FLOORS_RING);
	char entry[BENCH_ENTRY_SIZE] = { 0 };

	benchCheck(ring, "memory");
	memset(ring, 0, FLOORS_RING);
	benchStart(run);
	for (size_t i = 0; i < run->count; i++) {
		memcpy(entry, &i, sizeof(i));
		memcpy(ring + i * sizeof(entry) % FLOORS_RING, entry,
		       sizeof(entry));
		__asm__ volatile("" : : "r"(ring) : "memory");
	}
	benchStop(run);
	free(ring);
}

static void floorsWrite(struct benchRun *run)
{
	char *path = benchPath("floor");
	char entry[BENCH_ENTRY_SIZE] = { 0 };
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);

	benchCheck(fd >= 0, path);
	benchStart(run);
	for (size_t i = 0; i < run->count; i++)
		benchCheck(write(fd, entry, sizeof(entry)) ==
				   (ssize_t)sizeof(entry),
			   path);
	benchStop(run);
	close(fd);
	free(path);
	benchRemove("floor");
}

static struct benchWork works[] = {
	{ "clock_gettime(CLOCK_REALTIME)", 2000000, floorsClock },
	{ "memcpy of an entry of 15 doubles", 2000000, floorsCopy },
	{ "write(2) of an entry of 15 doubles", 500000, floorsWrite },
};

struct benchSubject benchFloors = {
	.name = "floors",
	.title = "Floors",
	.operation = "call",
	.works = works,
	.count = BENCH_COUNT(works),
};
