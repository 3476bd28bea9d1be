/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What no writer can go below: the clock, the copy, the system call. */
#include "config.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "tests/bench/bench.h"

#define FLOORS_RING (256 * 1024)
#define FLOORS_PAGE 4096

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

/* What fresh memory costs is a matter of the machine; see
 * doc/measurements/performance.md.
 */
static void floorsTouch(struct benchRun *run)
{
	size_t size = run->count * FLOORS_PAGE;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	benchCheck(memory != MAP_FAILED, "mmap");
	benchStart(run);
	for (size_t i = 0; i < run->count; i++)
		*(volatile char *)(memory + i * FLOORS_PAGE) = 1;
	benchStop(run);
	munmap(memory, size);
}

/* As the background thread writes. */
static void floorsWriteMuch(struct benchRun *run)
{
	char *path = benchPath("floor");
	char *ring = malloc(FLOORS_RING);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);

	benchCheck(fd >= 0 && ring, path);
	memset(ring, 0, FLOORS_RING);
	benchStart(run);
	for (size_t i = 0; i < run->count; i++)
		benchCheck(write(fd, ring, FLOORS_RING / 2) == FLOORS_RING / 2,
			   path);
	benchStop(run);
	close(fd);
	free(ring);
	free(path);
	benchRemove("floor");
}

bool benchAsk(const struct benchFlag *flag, const char *name)
{
	return !flag->isOff && *name;
}

static struct benchWork works[] = {
	{ "clock_gettime(CLOCK_REALTIME)", 2000000, floorsClock },
	{ "memcpy of an entry of 15 doubles", 2000000, floorsCopy },
	{ "write(2) of an entry of 15 doubles", 500000, floorsWrite },
	{ "write(2) of 128 KiB", 2000, floorsWriteMuch },
	{ "first touch of 4 KiB", 100000, floorsTouch },
};

struct benchSubject benchFloors = {
	.name = "floors",
	.title = "Floors",
	.operation = "call",
	.works = works,
	.count = BENCH_COUNT(works),
};
