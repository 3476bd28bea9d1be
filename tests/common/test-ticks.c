/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Times between two readings of a clock, by counter and clock of the test. */
#include "config.h"

#include <glib.h>

#include "common/clock.h"
#include "common/ticks.h"
#include "common/tsc.h"

/* A counter of 2 GHz. */
#define TICK_NS 0.5

static uint64_t ticksNow;
static int64_t clockOff;   /* To what a clock of that counter would say. */
static int64_t clockFails; /* -1: it does. */
static int clockTakes;     /* Ticks, the next times; then 10. */
static int clockSlow;      /* How often. */
static int clockReads;
static int clockLeast = -1; /* The reading that takes 500 ticks only. */

static uint64_t readTicks(void)
{
	return ticksNow;
}

static int64_t readClock(void)
{
	int64_t ns = (int64_t)((double)ticksNow * TICK_NS) + clockOff;

	if (clockReads++ == clockLeast)
		ticksNow += 500;
	else
		ticksNow += clockSlow > 0 ? (uint64_t)clockTakes : 10;
	clockSlow -= clockSlow > 0;
	return clockFails ? -1 : ns;
}

static const struct hdTickSource source = { readTicks, readClock };

static struct hdTickPoint take(uint64_t at)
{
	struct hdTickPoint point;

	ticksNow = at;
	g_assert_true(hdTickPointTake(&source, 100, &point));
	return point;
}

/* A point is where the clock was read in little time. */
static void testPoint(void)
{
	struct hdTickPoint point;

	clockReads = 0;
	point = take(1000);
	g_assert_cmpuint(point.ticks, ==, 1005);
	g_assert_cmpint(point.ns, ==, 500);
	g_assert_cmpint(clockReads, ==, 1);
	/* Somebody else had the processor. */
	clockSlow = 3;
	clockTakes = 1000000;
	clockReads = 0;
	point = take(1000);
	g_assert_cmpint(clockReads, ==, 4);
	g_assert_cmpuint(point.ticks, ==, 3001005);
	g_assert_cmpint(point.ns, ==, 1500500);
	/* Always. */
	clockSlow = 1000;
	clockReads = 0;
	g_assert_false(hdTickPointTake(&source, 100, &point));
	g_assert_cmpint(clockReads, <, 100);
	g_assert_cmpint(point.ns, >=, 0);
	/* The least of them, whichever it is, is what there is. */
	for (int best = 0; best < 4; best++) {
		clockSlow = 1000;
		clockLeast = clockReads + best;
		ticksNow = 1000;
		g_assert_false(hdTickPointTake(&source, 100, &point));
		g_assert_cmpuint(point.ticks, ==,
				 1000 + (uint64_t)best * 1000000 + 250);
		g_assert_cmpint(point.ns, ==, 500 + (int64_t)best * 500000);
	}
	clockLeast = -1;
	clockSlow = 0;
	clockFails = 1;
	g_assert_false(hdTickPointTake(&source, 100, &point));
	g_assert_cmpint(point.ns, <, 0);
	clockFails = 0;
}

/* Parts of nanoseconds are cut off. */
static void isNear(int64_t ns, int64_t expected)
{
	g_assert_cmpint(ns, <=, expected);
	g_assert_cmpint(ns, >=, expected - 1);
}

/* What is between two points is on the line, whatever the rate that is thought
 * to be right. */
static void testBetween(void)
{
	struct hdTickPoint from, to;
	double ratio;

	from = take(1000000);
	clockOff = 3000; /* Slewed. */
	to = take(3000000);
	ratio = hdTicksRatio(&from, &to, TICK_NS * 1.001);
	g_assert_cmpfloat(ratio, ==, (1000000. + 3000) / 2000000);
	g_assert_cmpint(hdTicksAt(&from, ratio, from.ticks), ==, from.ns);
	isNear(hdTicksAt(&from, ratio, 2000005), from.ns + 501500);
	isNear(hdTicksAt(&from, ratio, to.ticks), to.ns);
	isNear(hdTicksAt(&from, ratio, from.ticks - 200), from.ns - 100);
	clockOff = 0;
}

/* By the usual rate, which is wrong by some, a time may lie behind what was
 * read of the clock later: it is that then, unless the clock was set back. */
static void testBefore(void)
{
	struct hdTickPoint from = take(1000000), to = take(3000000);
	double fast = TICK_NS * 1.01, slow = TICK_NS * 0.99;

	g_assert_cmpint(hdTicksAt(&from, fast, to.ticks), >, to.ns);
	g_assert_cmpint(hdTicksBefore(&from, &to, fast, to.ticks), ==, to.ns);
	g_assert_cmpint(hdTicksBefore(&from, &to, fast, 2000000), ==,
			hdTicksAt(&from, fast, 2000000));
	g_assert_cmpint(hdTicksBefore(&from, &to, slow, to.ticks), ==,
			hdTicksAt(&from, slow, to.ticks));
	to.ns = from.ns - 1;
	g_assert_cmpint(hdTicksBefore(&from, &to, fast, to.ticks), ==,
			hdTicksAt(&from, fast, to.ticks));
	to.ns = -1;
	g_assert_cmpint(hdTicksBefore(&from, &to, fast, to.ticks), ==,
			hdTicksAt(&from, fast, to.ticks));
}

/* Where the clock was set there is no line: times are those of before. */
static void testSet(void)
{
	static const int64_t steps[] = { -HD_NS_PER_S, -50000, 50000,
					 HD_NS_PER_S };

	for (size_t i = 0; i < G_N_ELEMENTS(steps); i++) {
		struct hdTickPoint from, to;
		double ratio;

		from = take(UINT64_C(10000000000));
		clockOff = steps[i];
		to = take(UINT64_C(10002000000));
		ratio = hdTicksRatio(&from, &to, TICK_NS);
		g_assert_cmpfloat(ratio, ==, TICK_NS);
		g_assert_cmpint(hdTicksAt(&from, ratio, from.ticks + 1000000),
				==, from.ns + 500000);
		clockOff = 0;
	}
}

/* Points that are no two. */
static void testNone(void)
{
	struct hdTickPoint from = take(1000000), to = from;

	g_assert_cmpfloat(hdTicksRatio(&from, &to, TICK_NS), ==, TICK_NS);
	to.ticks--;
	g_assert_cmpfloat(hdTicksRatio(&from, &to, TICK_NS), ==, TICK_NS);
}

/* This machine's: readings of the clock and of ticks in turns are in order. */
static void testMachine(void)
{
	struct hdTickPoint from, to;
	struct hdTscFacts facts;
	uint64_t ticks[100];
	double ratio;

	hdTscFind(&facts);
	if (hdTscRefusal(&facts)) {
		g_test_skip(hdTscRefusal(&facts));
		return;
	}
	if (!hdTickPointTake(&hdTicksOfMonotonic, 10000, &from)) {
		g_test_skip("the machine is too busy");
		return;
	}
	for (size_t i = 0; i < G_N_ELEMENTS(ticks); i++)
		ticks[i] = hdTscReadEarly();
	if (!hdTickPointTake(&hdTicksOfMonotonic, 10000, &to)) {
		g_test_skip("the machine is too busy");
		return;
	}
	ratio = hdTicksRatio(&from, &to, hdTscCalibrate(HD_NS_PER_S / 500));
	for (size_t i = 0; i < G_N_ELEMENTS(ticks); i++) {
		int64_t ns = hdTicksAt(&from, ratio, ticks[i]);

		g_assert_cmpint(ns, >=, from.ns);
		g_assert_cmpint(ns, <=, to.ns);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/ticks/point", testPoint);
	g_test_add_func("/ticks/between", testBetween);
	g_test_add_func("/ticks/beforebefore", testBefore);
	g_test_add_func("/ticks/set", testSet);
	g_test_add_func("/ticks/none", testNone);
	g_test_add_func("/ticks/machine", testMachine);
	return g_test_run();
}
