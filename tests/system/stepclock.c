/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A clock that is set, or a machine that sleeps, for one process: loaded before
 * the C library, it adds HD_STEP_BY seconds to CLOCK_REALTIME once the program
 * has run for HD_STEP_AT seconds, or once there is the file HD_STEP_FILE, and
 * HD_SLEEP_BY seconds to that and CLOCK_BOOTTIME.
 */
#include "config.h"

#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000LL

static long long began, at, by, sleepBy;
static const char *file;

static long long nanoseconds(const char *name)
{
	const char *text = getenv(name);

	return text ? (long long)(atof(text) * 1e9) : 0;
}

static long long monotonic(void)
{
	struct timespec now;

	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
	return now.tv_sec * SECOND + now.tv_nsec;
}

static __attribute__((__constructor__)) void begin(void)
{
	began = monotonic();
	at = nanoseconds("HD_STEP_AT");
	by = nanoseconds("HD_STEP_BY");
	sleepBy = nanoseconds("HD_SLEEP_BY");
	file = getenv("HD_STEP_FILE");
}

static long long ahead(clockid_t id)
{
	if (file ? access(file, F_OK) != 0 : monotonic() - began < at)
		return 0;
	if (id == CLOCK_BOOTTIME)
		return sleepBy;
	return id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE ||
			       id == CLOCK_TAI
		       ? by + sleepBy
		       : 0;
}

int clock_gettime(clockid_t id, struct timespec *now)
{
	int ret = (int)syscall(SYS_clock_gettime, id, now);
	long long ns;

	if (ret != 0)
		return ret;
	ns = now->tv_sec * SECOND + now->tv_nsec + ahead(id);
	now->tv_sec = ns / SECOND;
	now->tv_nsec = ns % SECOND;
	return 0;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
	struct timespec is;

	(void)zone;
	clock_gettime(CLOCK_REALTIME, &is);
	now->tv_sec = is.tv_sec;
	now->tv_usec = is.tv_nsec / 1000;
	return 0;
}

time_t time(time_t *now)
{
	struct timespec is;

	clock_gettime(CLOCK_REALTIME, &is);
	if (now)
		*now = is.tv_sec;
	return is.tv_sec;
}
