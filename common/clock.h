/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Clocks in nanoseconds, and the seam where tests set that of files.
 */
#ifndef HD_CLOCK_H
#define HD_CLOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/** Nanoseconds of a second. */
#define HD_NS_PER_S INT64_C(1000000000)

/** Largest time that fits a file: 32 bit of seconds. */
#define HD_TIME_MAX (INT64_C(0xffffffff) * HD_NS_PER_S + 999999999)

/**
 * What reads the clock of files: hdClockSteady(), the time stamp counter
 * (tscclock.h), which follows it, or what a test uses. It gives a whole time,
 * with less than a second in nanoseconds. Set by hdClockUse() only.
 */
extern int (*_Atomic hdClockRead)(clockid_t clock, struct timespec *now)
	__attribute__((__visibility__("hidden")));

/** What hdClockSteady() adds to CLOCK_BOOTTIME, so that its callers need not
 *  call it: in nanoseconds, and as a number whose upper half are seconds and
 *  whose lower half nanoseconds. 0: hdClockRead has to be asked. */
extern _Atomic int64_t hdClockAddedNs __attribute__((__visibility__("hidden")));
extern _Atomic uint64_t hdClockAddedStamp
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

/** Get CLOCK_BOOTTIME, which goes on while the machine sleeps, in nanoseconds.
 */
static inline int64_t hdBootNow(void)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (int64_t)now.tv_sec * HD_NS_PER_S + now.tv_nsec;
}

/** Get for how long the machine has slept since it was booted. */
static inline int64_t hdClockSlept(void)
{
	return hdBootNow() - hdMonotonicNow();
}

/** Get the wall clock as it is set now, in nanoseconds since the epoch, or -1:
 *  for who says what time it is. Files have hdClockNow(). */
static inline int64_t hdWallNow(void)
{
	struct timespec now;

	return clock_gettime(CLOCK_REALTIME, &now) == 0 ? hdClockToNs(&now)
							: -1;
}

/**
 * Read the clock of files: it begins with the wall clock when this process
 * first asks, and goes on by CLOCK_BOOTTIME whoever sets the wall clock. Other
 * clocks than CLOCK_REALTIME are read as they are.
 */
int hdClockSteady(clockid_t clock, struct timespec *now);

/** Read the clock of files by @p read from now on. */
void hdClockUse(int (*read)(clockid_t clock, struct timespec *now));

/** Get what hdClockSteady() adds to CLOCK_BOOTTIME, in nanoseconds: the wall
 * clock at the time of the boot, as this process has it. */
int64_t hdClockBase(void);

/** Whether times are from hdClockSteady(), be it by the counter: not those of a
 *  test. */
bool hdClockIsSteady(void);

/** Get by how much the wall clock is ahead of the clock of files now, in ns:
 * what it was set by since this process began; 0 where a test has another
 * clock. */
int64_t hdClockAhead(void);

/** The same to add to a time of files, or to take off a time of the wall clock:
 *  0 for less than a millisecond, which is no step. */
int64_t hdClockStep(void);

/** Ask hdClockRead. @return false if it fails, or no file can hold its time. */
static inline bool hdClockAsk(struct timespec *now)
{
	int (*read)(clockid_t clock, struct timespec * now) =
		atomic_load_explicit(&hdClockRead, memory_order_relaxed);

	return __builtin_expect(read(CLOCK_REALTIME, now) == 0 &&
					(uint64_t)now->tv_sec <=
						UINT64_C(0xffffffff),
				1);
}

/** Get the time of files in nanoseconds since the epoch, or -1. */
static inline int64_t hdClockNow(void)
{
	int64_t added =
		atomic_load_explicit(&hdClockAddedNs, memory_order_relaxed);
	int64_t ns;
	struct timespec now;

	if (__builtin_expect(added != 0, 1)) {
		clock_gettime(CLOCK_BOOTTIME, &now);
	} else {
		if (!hdClockAsk(&now))
			return -1;
	}
	ns = (int64_t)now.tv_sec * HD_NS_PER_S + now.tv_nsec + added;
	/* Let compilers know that callers see no other -1. */
	if (ns < 0)
		__builtin_unreachable();
	return ns;
}

#endif
