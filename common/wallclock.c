/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The clock of files; see clock.h. */
#include "config.h"

#include "common/clock.h"
#include "common/tscclock.h"

/* Tries to read both clocks at one moment, and what may lie between. */
#define CLOCK_TRIES 5
#define CLOCK_WIDTH_NS 2000

/* Less is no step. */
#define CLOCK_STEP_NS (HD_NS_PER_S / 1000)

/* No process runs longer: ten years. */
#define CLOCK_SPARE_NS (HD_NS_PER_S * 315576000)

/* Bits of nanoseconds in a stamp. */
#define STAMP_HALF 32

/* The base, once it is known: 0 before. */
static _Atomic int64_t clockBase;

_Atomic int64_t hdClockAddedNs;
_Atomic uint64_t hdClockAddedStamp;

int (*_Atomic hdClockRead)(clockid_t clock,
			   struct timespec *now) = hdClockSteady;

/* The wall clock minus CLOCK_BOOTTIME: where both were read at nearly one
 * moment. */
static int64_t clockDifference(void)
{
	int64_t width = INT64_MAX, difference = 0;

	for (int i = 0; i < CLOCK_TRIES && width > CLOCK_WIDTH_NS; i++) {
		int64_t before = hdBootNow(), wall = hdWallNow();
		int64_t after = hdBootNow();

		if (after - before < width) {
			width = after - before;
			difference = wall - before - width / 2;
		}
	}
	return difference;
}

static void clockPublish(int64_t base)
{
	struct timespec added = hdClockToTimespec(base);

	atomic_store(&hdClockAddedStamp, (uint64_t)added.tv_sec << STAMP_HALF |
						 (uint64_t)added.tv_nsec);
	atomic_store(&hdClockAddedNs, base);
}

/* Say what is to be added where hdClockSteady() is the clock, and every time
 * that it gives fits a file: others have to ask. */
static void clockFollow(void)
{
	int64_t base = atomic_load(&clockBase);

	if (base > 0 && base < HD_TIME_MAX - CLOCK_SPARE_NS &&
	    atomic_load(&hdClockRead) == hdClockSteady)
		clockPublish(base);
	/* It may have been changed meanwhile. */
	if (atomic_load(&hdClockRead) != hdClockSteady)
		clockPublish(0);
}

void hdClockUse(int (*read)(clockid_t clock, struct timespec *now))
{
	atomic_store(&hdClockRead, read);
	clockFollow();
}

/* The first who asks says what it is. */
static __attribute__((__noinline__)) int64_t clockBegin(void)
{
	int64_t unknown = 0, base = clockDifference();

	base += base == 0;
	if (!atomic_compare_exchange_strong(&clockBase, &unknown, base))
		base = unknown;
	clockFollow();
	return base;
}

static int64_t clockGet(void)
{
	int64_t base = atomic_load_explicit(&clockBase, memory_order_relaxed);

	return __builtin_expect(base == 0, 0) ? clockBegin() : base;
}

int hdClockSteady(clockid_t clock, struct timespec *now)
{
	int64_t ns, rest;

	if (__builtin_expect(clock != CLOCK_REALTIME, 0))
		return clock_gettime(clock, now);
	ns = clockGet();
	if (__builtin_expect(clock_gettime(CLOCK_BOOTTIME, now) != 0, 0))
		return -1;
	ns += (int64_t)now->tv_sec * HD_NS_PER_S + now->tv_nsec;
	rest = ns % HD_NS_PER_S;
	rest += rest < 0 ? HD_NS_PER_S : 0;
	now->tv_sec = (time_t)((ns - rest) / HD_NS_PER_S);
	now->tv_nsec = (long)rest;
	return 0;
}

int64_t hdClockBase(void)
{
	return clockGet();
}

bool hdClockIsSteady(void)
{
	return atomic_load(&hdClockRead) == hdClockSteady || hdTscClockUsed();
}

int64_t hdClockAhead(void)
{
	return hdClockIsSteady() ? clockDifference() - hdClockBase() : 0;
}

int64_t hdClockStep(void)
{
	int64_t about;

	if (!hdClockIsSteady())
		return 0;
	about = hdWallNow() - hdBootNow() - hdClockBase();
	return about >= -CLOCK_STEP_NS && about <= CLOCK_STEP_NS
		       ? 0
		       : hdClockAhead();
}
