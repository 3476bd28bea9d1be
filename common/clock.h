/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Clocks in nanoseconds, and the seam where tests set the wall clock.
 */
#ifndef HD_CLOCK_H
#define HD_CLOCK_H

#include <stdint.h>
#include <time.h>

/** Nanoseconds of a second. */
#define HD_NS_PER_S INT64_C(1000000000)

/** Largest time that fits a file: 32 bit of seconds. */
#define HD_TIME_MAX (INT64_C(0xffffffff) * HD_NS_PER_S + 999999999)

/** What tests read instead of the wall clock; NULL is the wall clock. */
extern int (*hdClockFake)(struct timespec *now);

/** Slow part of hdClockNow(): the fake clock, or none. */
int64_t hdClockNowSlowly(void);

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
	struct timespec now;

	if (__builtin_expect(hdClockFake ||
				     clock_gettime(CLOCK_REALTIME, &now) != 0 ||
				     now.tv_sec < 0 ||
				     (int64_t)now.tv_sec > INT64_C(0xffffffff),
			     0))
		return hdClockNowSlowly();
	return (int64_t)now.tv_sec * HD_NS_PER_S + now.tv_nsec;
}

#endif
