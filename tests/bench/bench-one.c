/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One work of writing, once, in a process of its own: what bench-writing.py
 * runs.
 *
 *     bench-one [OPTION...] hdtrace|otf2|floor WORK COUNT
 *
 * prints CPU time of the calling thread, that of the process, and time passed,
 * in ns for each operation, and the bytes of an operation in the file. So each
 * run finds memory that it has not touched yet, as a program does; what a run
 * before it has left in the allocator is not there.
 *
 *     --directory=PATH  where files go
 *     --chunk=KIB       OTF2: its chunks of events
 *     --pool=CHUNKS     OTF2: memory from outside, touched before, used again
 *     --bytes=N         floor: what an operation has in the file
 *     --cores=A,B       the calling thread is on A, all others are on B
 *     --no-thread       there are no other threads
 *     --own-memory      other threads write as many bytes of their own, so that
 *                       they read nothing that the calling thread has written
 *
 * The floor is what no writer can do without that has such a file: it makes the
 * values, reads the clock as often, copies the bytes to memory in the caches,
 * and hands all of them to the system, 128 KiB each time. The last is in the
 * time of the process only. It finds no digits, checks nothing and wakes
 * nobody.
 */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <hdStats.h>
#include "tests/bench/bench-peer.h"
#include "tests/bench/bench-write.h"

#define ONE_RING (256 * 1024)

static struct {
	size_t chunk; /* Bytes; 0: as OTF2 recommends. */
	size_t pool;  /* Chunks; 0: none. */
	size_t bytes; /* Of the floor. */
	int otherCore;
	bool isAlone;
	bool hasOwnMemory;
	pthread_t main;
} one = { .otherCore = -1 };

/* ---- Threads of the library -------------------------------------------- */

typedef int (*oneCreate)(pthread_t *, const pthread_attr_t *, void *(*)(void *),
			 void *);

/* It stands in front of the C library's, so that threads are where they are
 * wanted; without one the library writes when its buffer is full. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
		   void *(*run)(void *), void *argument)
{
	oneCreate create = (oneCreate)dlsym(RTLD_NEXT, "pthread_create");
	cpu_set_t cores;
	int ret;

	if (one.isAlone || !create)
		return EAGAIN;
	ret = create(thread, attributes, run, argument);
	if (ret != 0 || one.otherCore < 0)
		return ret;
	CPU_ZERO(&cores);
	CPU_SET((size_t)one.otherCore, &cores);
	benchCheck(pthread_setaffinity_np(*thread, sizeof(cores), &cores) == 0,
		   "pthread_setaffinity_np");
	return 0;
}

typedef ssize_t (*oneWrite)(int, const void *, size_t);

/* Likewise. */
ssize_t write(int fd, const void *bytes, size_t count)
{
	static char own[ONE_RING / 2] = "touched";
	static _Atomic(oneWrite) next;
	oneWrite function = atomic_load_explicit(&next, memory_order_relaxed);

	if (!function) {
		function = (oneWrite)dlsym(RTLD_NEXT, "write");
		benchCheck(function, "write");
		atomic_store_explicit(&next, function, memory_order_relaxed);
	}
	if (one.hasOwnMemory && !pthread_equal(pthread_self(), one.main)) {
		bytes = own;
		count = count < sizeof(own) ? count : sizeof(own);
	}
	return function(fd, bytes, count);
}

static void onePin(const char *text)
{
	cpu_set_t cores;
	int core;

	benchCheck(sscanf(text, "%d,%d", &core, &one.otherCore) == 2 &&
			   core >= 0 && one.otherCore >= 0,
		   "--cores");
	CPU_ZERO(&cores);
	CPU_SET((size_t)core, &cores);
	benchCheck(sched_setaffinity(0, sizeof(cores), &cores) == 0, "--cores");
}

/* ---- The floor --------------------------------------------------------- */

/* What an entry has in memory before it is copied. */
static void oneMakeEntry(char *record, size_t number)
{
	double entry[BENCH_COLUMNS];

	for (size_t k = 0; k < BENCH_COLUMNS; k++) {
		entry[k] = benchValue(number, k);
		order_bytes64fp(&entry[k]);
	}
	memcpy(record + BENCH_ENTRY_SIZE - sizeof(entry), entry, sizeof(entry));
}

static void oneCopy(const struct benchWriting *writing, size_t count,
		    char *ring)
{
	char record[1024] = { 0 };
	size_t at = 0;

	for (size_t i = 0; i < count; i++) {
		struct timespec now;

		for (int k = 0; k < writing->clocks; k++)
			clock_gettime(CLOCK_REALTIME, &now);
		memcpy(record, &now.tv_nsec, sizeof(now.tv_nsec));
		if (writing->isEntry)
			oneMakeEntry(record, i);
		if (at + one.bytes > ONE_RING)
			at = 0;
		memcpy(ring + at, record, one.bytes);
		at += one.bytes;
		__asm__ volatile("" : : "r"(ring) : "memory");
	}
}

static void oneHandOver(const char *path, const char *ring, size_t bytes)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);

	benchCheck(fd >= 0, path);
	while (bytes > 0) {
		ssize_t done = write(
			fd, ring, bytes < ONE_RING / 2 ? bytes : ONE_RING / 2);

		benchCheck(done > 0, path);
		bytes -= (size_t)done;
	}
	close(fd);
}

static void oneFloor(const struct benchWriting *writing, struct benchRun *run)
{
	struct benchRun system = { 0 };
	char *ring = malloc(ONE_RING);
	char *path = benchPath("floor");

	benchCheck(ring && one.bytes >= sizeof(long) && one.bytes <= 1024,
		   "--bytes");
	benchCheck(!writing->isEntry || one.bytes >= BENCH_ENTRY_SIZE,
		   "--bytes");
	memset(ring, 0, ONE_RING);
	benchStart(run);
	oneCopy(writing, run->count, ring);
	benchStop(run);
	benchStart(&system);
	oneHandOver(path, ring, one.bytes * run->count);
	benchStop(&system);
	run->process += system.process;
	run->bytes = benchFileSize("floor");
	benchRemove("floor");
	free(path);
	free(ring);
}

/* ---- The run ----------------------------------------------------------- */

static void oneUsage(void)
{
	fputs("Usage: bench-one [--directory=PATH] [--chunk=KIB] "
	      "[--pool=CHUNKS] [--bytes=N] [--cores=A,B] [--no-thread] "
	      "[--own-memory] hdtrace|otf2|floor WORK COUNT\n",
	      stderr);
	exit(2);
}

static char **oneParse(int argc, char **argv)
{
	static const struct option options[] = {
		{ "directory", required_argument, NULL, 'd' },
		{ "chunk", required_argument, NULL, 'c' },
		{ "pool", required_argument, NULL, 'p' },
		{ "bytes", required_argument, NULL, 'b' },
		{ "cores", required_argument, NULL, 'k' },
		{ "no-thread", no_argument, NULL, 'n' },
		{ "own-memory", no_argument, NULL, 'o' },
		{ 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 'd':
			benchDirectory = optarg;
			break;
		case 'c':
			one.chunk = strtoul(optarg, NULL, 10) * 1024;
			break;
		case 'p':
			one.pool = strtoul(optarg, NULL, 10);
			break;
		case 'b':
			one.bytes = strtoul(optarg, NULL, 10);
			break;
		case 'k':
			onePin(optarg);
			break;
		case 'n':
			one.isAlone = true;
			break;
		case 'o':
			one.hasOwnMemory = true;
			one.main = pthread_self();
			break;
		default:
			oneUsage();
		}
	}
	if (argc - optind != 3)
		oneUsage();
	return argv + optind;
}

int main(int argc, char **argv)
{
	char **names = oneParse(argc, argv);
	const struct benchWriting *writing = benchWritingFind(names[1]);
	struct benchRun run = { .count = strtoul(names[2], NULL, 10) };

	if (!benchDirectory)
		benchDirectory = ".";
	if (!writing || run.count == 0)
		oneUsage();
	if (strcmp(names[0], "floor") == 0) {
		oneFloor(writing, &run);
	} else if (strcmp(names[0], "hdtrace") == 0) {
		writing->ours(&run);
	} else if (strcmp(names[0], "otf2") == 0 && *writing->peer) {
		benchPeer.useMemory(one.chunk, one.pool);
		(*writing->peer)(&run);
	} else {
		fprintf(stderr, "bench-one: %s is not built\n", names[0]);
		return 1;
	}
	printf("%.3f %.3f %.3f %.3f\n", run.thread / (double)run.count,
	       run.process / (double)run.count, run.wall / (double)run.count,
	       run.bytes / (double)run.count);
	return 0;
}
