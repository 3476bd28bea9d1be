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

/* The base: seconds, and nanoseconds in the low bits; CLOCK_UNKNOWN before. */
#define CLOCK_BITS 30
#define CLOCK_UNKNOWN INT64_MIN

static _Atomic int64_t clockBase = CLOCK_UNKNOWN;

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

/* Seconds are rounded down. */
static int64_t clockPack(int64_t ns)
{
	int64_t rest = ns % HD_NS_PER_S;

	rest += rest < 0 ? HD_NS_PER_S : 0;
	return (ns - rest) / HD_NS_PER_S * (INT64_C(1) << CLOCK_BITS) + rest;
}

static int64_t clockSeconds(int64_t packed)
{
	return packed >> CLOCK_BITS;
}

static int64_t clockRest(int64_t packed)
{
	return packed & ((INT64_C(1) << CLOCK_BITS) - 1);
}

/* The first who asks says what it is. */
static __attribute__((__noinline__)) int64_t clockBegin(void)
{
	int64_t unknown = CLOCK_UNKNOWN, base = clockPack(clockDifference());

	return atomic_compare_exchange_strong(&clockBase, &unknown, base)
		       ? base
		       : unknown;
}

static inline int64_t clockGet(void)
{
	int64_t base = atomic_load_explicit(&clockBase, memory_order_relaxed);

	return __builtin_expect(base == CLOCK_UNKNOWN, 0) ? clockBegin() : base;
}

int hdClockSteady(clockid_t clock, struct timespec *now)
{
	int64_t base;

	if (__builtin_expect(clock != CLOCK_REALTIME, 0))
		return clock_gettime(clock, now);
	base = clockGet();
	if (__builtin_expect(clock_gettime(CLOCK_BOOTTIME, now) != 0, 0))
		return -1;
	now->tv_sec += (time_t)clockSeconds(base);
	now->tv_nsec += (long)clockRest(base);
	if (now->tv_nsec >= HD_NS_PER_S) {
		now->tv_nsec -= HD_NS_PER_S;
		now->tv_sec++;
	}
	return 0;
}

int64_t hdClockBase(void)
{
	int64_t base = clockGet();

	return clockSeconds(base) * HD_NS_PER_S + clockRest(base);
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
