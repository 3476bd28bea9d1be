/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Counters of a machine: gains, wraps, resets, and what is not known.
 */
#include "config.h"

#include <glib.h>

#include "common/counter.h"

#define SECOND G_GINT64_CONSTANT(1000000000)
#define LAST32 UINT32_MAX
#define SPAN32 (G_GUINT64_CONSTANT(1) << 32)

/* Gains from one reading to the next; -1: not known. */
static void testGain(void)
{
	static const struct {
		struct hdCounterLaw law;
		uint64_t old, now;
		int64_t ns, gain;
	} cases[] = {
		{ { 0, 0, 0 }, 5, 9, SECOND, 4 },
		{ { SPAN32, 0, 0 }, LAST32, 0, SECOND, 1 },
		{ { SPAN32, 0, 0 }, LAST32 - 9, 10, SECOND, 20 },
		{ { 0, 0, 0 }, UINT64_MAX, 4, SECOND, 5 },
		/* Back by most of the range: a reset. */
		{ { SPAN32, 0, 0 }, 1000, 10, SECOND, -1 },
		{ { 0, 0, 0 }, 1000, 10, SECOND, -1 },
		/* Beyond the range that it is said to have. */
		{ { 1000, 0, 0 }, 2000, 10, SECOND, -1 },
		/* A known rate tells a wrap from a reset. */
		{ { 1000, 500, 0 }, 900, 100, SECOND, 200 },
		{ { 1000, 500, 0 }, 900, 899, SECOND, -1 },
		/* Two wraps are possible: 200, or 1200. */
		{ { 1000, 500, 0 }, 900, 100, 4 * SECOND, -1 },
		{ { 1000, 500, 0 }, 100, 300, 4 * SECOND, -1 },
		/* ... unless it is known that it wraps once at most. */
		{ { 1000, 500, 4 * SECOND }, 900, 100, 4 * SECOND, 200 },
		/* 900, and 1900 would be too much. */
		{ { 1000, 500, 0 }, 0, 900, 3 * SECOND, 900 },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		uint64_t gain;
		bool isKnown = hdCounterGain(&cases[i].law, cases[i].old,
					     cases[i].now, cases[i].ns, &gain);

		g_test_message("case %zu", i);
		g_assert_cmpint(isKnown, ==, cases[i].gain >= 0);
		if (isKnown)
			g_assert_cmpuint(gain, ==, (guint64)cases[i].gain);
	}
}

/* A jump that no hardware makes is not a gain, and what follows counts. */
static void testJump(void)
{
	const struct hdCounterLaw law = { .rate = 1000 };
	struct hdCounter counter = { 0 };
	uint64_t amount;

	hdCounterBegin(&counter, 5, 0);
	hdCounterFollow(&counter, &law, 1005, SECOND);
	g_assert_true(hdCounterTake(&counter, &amount));
	g_assert_cmpuint(amount, ==, 1000);
	hdCounterFollow(&counter, &law, 100000, 2 * SECOND);
	g_assert_false(hdCounterTake(&counter, &amount));
	hdCounterFollow(&counter, &law, 100300, 3 * SECOND);
	g_assert_true(hdCounterTake(&counter, &amount));
	g_assert_cmpuint(amount, ==, 300);
	/* What it gains in a long time is more. */
	hdCounterFollow(&counter, &law, 105300, 10 * SECOND);
	g_assert_true(hdCounterTake(&counter, &amount));
	g_assert_cmpuint(amount, ==, 5000);
}

/* Until it has been read twice nothing is known. */
static void testLost(void)
{
	const struct hdCounterLaw law = { 0 };
	struct hdCounter counter = { 0 };
	uint64_t amount;

	hdCounterFollow(&counter, &law, 100, 0);
	g_assert_false(hdCounterTake(&counter, &amount));
	hdCounterFollow(&counter, &law, 110, SECOND);
	g_assert_true(hdCounterTake(&counter, &amount));
	g_assert_cmpuint(amount, ==, 10);
	hdCounterLose(&counter);
	hdCounterFollow(&counter, &law, 500, 2 * SECOND);
	g_assert_false(hdCounterTake(&counter, &amount));
	hdCounterLose(&counter);
	g_assert_false(hdCounterTake(&counter, &amount));
	g_assert_false(hdCounterTake(&counter, &amount));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/counter/gain", testGain);
	g_test_add_func("/counter/jump", testJump);
	g_test_add_func("/counter/lost", testLost);
	return g_test_run();
}
