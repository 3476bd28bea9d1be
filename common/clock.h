/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Clocks in nanoseconds, and the seam where tests set the wall clock.
 */
#ifndef HD_CLOCK_H
#define HD_CLOCK_H

#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

/** Nanoseconds of a second. */
#define HD_NS_PER_S INT64_C(1000000000)

/** Largest time that fits a file: 32 bit of seconds. */
#define HD_TIME_MAX (INT64_C(0xffffffff) * HD_NS_PER_S + 999999999)

/**
 * What reads the wall clock: clock_gettime(), the time stamp counter
 * (tscclock.h), or what a test has put here. It gives a whole time, with less
 * than a second in nanoseconds: hdClockNow() is not the only one that reads it.
 */
extern int (*_Atomic hdClockRead)(clockid_t clock, struct timespec *now)
	__attribute__((__visibility__("hidden")));

/**
 * Convert a time to nanoseconds.
 *
 * @return Nanoseconds since the epoch, or -1 if @p time is NULL or does not
 *         lie between 1970 and 2106.
 */
static inline int64_t hdClockToNs(const struct timespec *time)
{
	if (!time || time->tv_sec < 0 ||
	    (int64_t)time->tv_sec > INT64_C(0xffffffff) || time->tv_nsec < 0 ||
	    time->tv_nsec >= HD_NS_PER_S)
		return -1;
	return (int64_t)time->tv_sec * HD_NS_PER_S + time->tv_nsec;
}

/** Convert nanoseconds, 0 or more: a time since the epoch, or how long. */
static inline struct timespec hdClockToTimespec(int64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / HD_NS_PER_S),
				  .tv_nsec = (long)(ns % HD_NS_PER_S) };
}

/** Get CLOCK_MONOTONIC in nanoseconds. */
static inline int64_t hdMonotonicNow(void)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * HD_NS_PER_S + now.tv_nsec;
}

/** Get CLOCK_MONOTONIC_RAW, whose rate nobody adjusts, in nanoseconds. */
static inline int64_t hdMonotonicRawNow(void)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (int64_t)now.tv_sec * HD_NS_PER_S + now.tv_nsec;
}

/** Get the wall clock in nanoseconds since the epoch, or -1. */
static inline int64_t hdClockNow(void)
{
	int (*read)(clockid_t clock, struct timespec * now) =
		atomic_load_explicit(&hdClockRead, memory_order_relaxed);
	struct timespec now;

	if (__builtin_expect(read(CLOCK_REALTIME, &now) != 0 ||
				     (uint64_t)now.tv_sec >
					     UINT64_C(0xffffffff),
			     0))
		return -1;
	/* Let compilers know that callers see no other -1. */
	if (now.tv_nsec < 0)
		__builtin_unreachable();
	return (int64_t)now.tv_sec * HD_NS_PER_S + now.tv_nsec;
}

#endif
