/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Loads whose size is known, for verifyRUT.sh. Prints what it really did.
 *
 *     load idle                        exit 0 if this machine has nothing to do
 *     load duty CPU PERCENT SECONDS [LOG]
 *                                      compute for a share of the time; LOG:
 *                                      when it had used how much CPU time
 *     load memory MIB SECONDS          have so much memory in use
 *     load disk FILE MIB               write it and read it, past the cache
 *     load serve PORT-FILE MIB         receive, then send, by TCP
 *     load call ADDRESS PORT MIB       send, then receive
 */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MIB (1024 * 1024)
/* Of a load, and of the time in which a CPU computes and rests. */
#define PERIOD_NS 1000000

static int64_t now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void sleepUntil(int64_t ns)
{
	const struct timespec time = { .tv_sec = ns / 1000000000,
				       .tv_nsec = ns % 1000000000 };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) ==
	       EINTR)
		;
}

static int fail(const char *what)
{
	fprintf(stderr, "load: %s: %s\n", what, strerror(errno));
	return 1;
}

/* Idle ticks of all CPUs, and all ticks. */
static bool getTicks(long long *idle, long long *all)
{
	FILE *file = fopen("/proc/stat", "r");
	long long t[8] = { 0 };
	int got = 0;

	if (file) {
		got = fscanf(
			file, "cpu %lld %lld %lld %lld %lld %lld %lld %lld",
			&t[0], &t[1], &t[2], &t[3], &t[4], &t[5], &t[6], &t[7]);
		fclose(file);
	}
	*idle = t[3] + t[4];
	*all = 0;
	for (int i = 0; i < 8; i++)
		*all += t[i];
	return got == 8;
}

static int idle(void)
{
	long long idle0, all0, idle1, all1;

	if (!getTicks(&idle0, &all0))
		return 1;
	sleepUntil(now(CLOCK_MONOTONIC) + 500000000);
	if (!getTicks(&idle1, &all1))
		return 1;
	printf("%.1f\n",
	       100.0 - 100.0 * (double)(idle1 - idle0) / (double)(all1 - all0));
	return (all1 - all0) - (idle1 - idle0) <= (all1 - all0) / 100 ? 0 : 1;
}

/* What a load did: its CPU time at some times of day, in seconds. */
struct log {
	double (*list)[2];
	size_t count;
	size_t size;
};

static void logAdd(struct log *log)
{
	if (log->count == log->size)
		return;
	log->list[log->count][0] = (double)now(CLOCK_REALTIME) / 1e9;
	log->list[log->count++][1] =
		(double)now(CLOCK_PROCESS_CPUTIME_ID) / 1e9;
}

static int logWrite(const struct log *log, const char *name)
{
	FILE *file = fopen(name, "w");

	if (!file)
		return fail(name);
	for (size_t i = 0; i < log->count; i++)
		fprintf(file, "%.7f %.7f\n", log->list[i][0], log->list[i][1]);
	return fclose(file) == 0 ? 0 : fail(name);
}

static int duty(int cpu, double percent, double seconds, const char *name)
{
	struct log log = { 0 };
	int64_t began, end, at;
	cpu_set_t set;
	int result = 0;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) != 0)
		return fail("sched_setaffinity");
	if (name) {
		log.size = 2 * (size_t)(seconds * 1e9 / PERIOD_NS) + 2;
		log.list = calloc(log.size, sizeof(*log.list));
		if (!log.list)
			return fail("calloc");
	}
	began = at = now(CLOCK_MONOTONIC);
	end = began + (int64_t)(seconds * 1e9);
	while (at < end) {
		int64_t busy = at + (int64_t)(PERIOD_NS * percent / 100);

		logAdd(&log);
		while (now(CLOCK_MONOTONIC) < busy)
			;
		logAdd(&log);
		at += PERIOD_NS;
		if (percent < 100)
			sleepUntil(at);
	}
	printf("%.3f\n", 100.0 * (double)now(CLOCK_PROCESS_CPUTIME_ID) /
				 (double)(now(CLOCK_MONOTONIC) - began));
	if (name)
		result = logWrite(&log, name);
	free(log.list);
	return result;
}

static int memory(size_t mib, double seconds)
{
	char *bytes = malloc(mib * MIB);

	if (!bytes)
		return fail("malloc");
	/* Not zero: zero pages may be shared. */
	for (size_t i = 0; i < mib * MIB; i += 4096)
		bytes[i] = (char)(1 + i);
	sleepUntil(now(CLOCK_MONOTONIC) + (int64_t)(seconds * 1e9));
	printf("%d\n", bytes[4096]);
	free(bytes);
	return 0;
}

static int disk(const char *name, size_t mib)
{
	int fd = open(name, O_RDWR | O_CREAT | O_TRUNC | O_DIRECT, 0600);
	char *bytes;
	int result = 0;

	if (fd < 0)
		return fail(name);
	if (posix_memalign((void **)&bytes, 4096, MIB) != 0)
		return fail("posix_memalign");
	memset(bytes, 7, MIB);
	for (size_t i = 0; result == 0 && i < mib; i++) {
		if (write(fd, bytes, MIB) != MIB)
			result = fail("write");
	}
	for (size_t i = 0; result == 0 && i < mib; i++) {
		if (pread(fd, bytes, MIB, (off_t)(i * MIB)) != MIB)
			result = fail("read");
	}
	close(fd);
	unlink(name);
	free(bytes);
	return result;
}

/* Move bytes over a connection. */
static int move(int fd, size_t mib, bool isSender)
{
	static char bytes[65536];
	size_t left = mib * MIB;

	while (left > 0) {
		size_t part = left < sizeof(bytes) ? left : sizeof(bytes);
		ssize_t moved = isSender ? send(fd, bytes, part, MSG_NOSIGNAL)
					 : recv(fd, bytes, part, 0);

		if (moved <= 0)
			return fail("connection");
		left -= (size_t)moved;
	}
	return 0;
}

static int serve(const char *portFile, size_t mib)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	socklen_t length = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0), fd;
	FILE *file;

	if (listener < 0 ||
	    bind(listener, (struct sockaddr *)&address, length) != 0 ||
	    listen(listener, 1) != 0 ||
	    getsockname(listener, (struct sockaddr *)&address, &length) != 0)
		return fail("listen");
	file = fopen(portFile, "w");
	if (!file)
		return fail(portFile);
	fprintf(file, "%d\n", ntohs(address.sin_port));
	fclose(file);
	fd = accept(listener, NULL, NULL);
	if (fd < 0)
		return fail("accept");
	return move(fd, mib, false) || move(fd, mib, true);
}

static int call(const char *host, int port, size_t mib)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons((uint16_t)port) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	inet_pton(AF_INET, host, &address.sin_addr);
	if (fd < 0 ||
	    connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0)
		return fail("connect");
	return move(fd, mib, true) || move(fd, mib, false);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (strcmp(what, "idle") == 0)
		return idle();
	if (strcmp(what, "duty") == 0 && (argc == 5 || argc == 6))
		return duty(atoi(argv[2]), atof(argv[3]), atof(argv[4]),
			    argv[5]);
	if (strcmp(what, "memory") == 0 && argc == 4)
		return memory((size_t)atol(argv[2]), atof(argv[3]));
	if (strcmp(what, "disk") == 0 && argc == 4)
		return disk(argv[2], (size_t)atol(argv[3]));
	if (strcmp(what, "serve") == 0 && argc == 4)
		return serve(argv[2], (size_t)atol(argv[3]));
	if (strcmp(what, "call") == 0 && argc == 5)
		return call(argv[2], atoi(argv[3]), (size_t)atol(argv[4]));
	fprintf(stderr, "load: wrong arguments\n");
	return 2;
}
