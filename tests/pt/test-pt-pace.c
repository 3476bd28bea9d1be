/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The times of a meter's cycles, from messages that are late by chance. */
#include "config.h"

#include <glib.h>

#include "PowerTracingLibrary/src/meter/pace.h"

#define MS INT64_C(1000000)
#define CYCLE (100 * MS)
#define COUNT 5000

/* The same numbers every time. */
static uint64_t state;

static int64_t chance(int64_t below)
{
	state = state * UINT64_C(6364136223846793005) +
		UINT64_C(1442695040888963407);
	return (int64_t)((state >> 33) % (uint64_t)below);
}

struct track {
	const char *name;
	int64_t ppm;      /* The meter's cycle is longer by this. */
	int64_t jitterNs; /* Messages are late by up to this. */
	int64_t errorNs;  /* Then times are wrong by so much at the most. */
};

/* Late messages move nothing; a clock that drifts is followed. */
static void testTrack(gconstpointer data)
{
	const struct track *track = data;
	int64_t trueNs = 1000000 * MS, last = 0;
	struct ptPace pace;

	state = 1;
	ptPaceStart(&pace, CYCLE);
	for (int i = 0; i < COUNT; i++) {
		int64_t late = track->jitterNs ? chance(track->jitterNs) : 0;
		int64_t endNs;

		/* Now and then the host does something else. */
		if (track->jitterNs && i % 50 == 7)
			late += 3 * CYCLE;
		trueNs += CYCLE + CYCLE * track->ppm / 1000000;
		endNs = ptPaceEnd(&pace, trueNs + late, 1);
		g_assert_cmpint(endNs, <=, trueNs + late);
		if (i >= PT_PACE_WINDOW) {
			g_assert_cmpint(ABS(endNs - trueNs), <=,
					track->errorNs);
			g_assert_cmpint(endNs, >=, last);
		}
		last = endNs;
	}
}

static const struct track tracks[] = {
	{ "exact", 0, 0, 0 },
	{ "late", 0, 4 * MS, 2 * MS },
	{ "very-late", 0, 50 * MS, 25 * MS },
	{ "slow", 100, 0, 400000 },
	{ "fast", -100, 0, 0 },
	{ "slow-and-late", 100, 4 * MS, 2 * MS },
	{ "fast-and-late", -100, 4 * MS, 2 * MS },
};

/* Cycles without a message keep their place. */
static void testLost(void)
{
	struct ptPace pace;

	ptPaceStart(&pace, CYCLE);
	g_assert_cmpint(ptPaceEnd(&pace, 1000 * MS, 1), ==, 1000 * MS);
	g_assert_cmpint(ptPaceEnd(&pace, 1305 * MS, 3), ==, 1300 * MS);
	g_assert_cmpint(ptPaceEnd(&pace, 1399 * MS, 1), ==, 1399 * MS);
	g_assert_cmpint(ptPaceEnd(&pace, 1500 * MS, 1), ==, 1499 * MS);
}

/* Where the meter paused, that is taken for what it is after a few messages. */
static void testPause(void)
{
	int64_t trueNs = 1000 * MS;
	struct ptPace pace;

	ptPaceStart(&pace, CYCLE);
	for (int i = 0; i < 2 * PT_PACE_WINDOW; i++) {
		trueNs += CYCLE;
		g_assert_cmpint(ptPaceEnd(&pace, trueNs, 1), ==, trueNs);
	}
	trueNs += 10 * CYCLE;
	for (int i = 0; i < 2 * PT_PACE_WINDOW; i++) {
		int64_t endNs = ptPaceEnd(&pace, trueNs, 1);

		g_assert_cmpint(endNs, ==,
				i < PT_PACE_SOON - 1 ? trueNs - 9 * CYCLE
						     : trueNs);
		trueNs += CYCLE;
	}
}

/* A meter that is faster than it should be gives the arrivals. */
static void testFastest(void)
{
	struct ptPace pace;

	ptPaceStart(&pace, CYCLE);
	for (int i = 0; i < COUNT; i++)
		g_assert_cmpint(ptPaceEnd(&pace, i, 1), ==, i);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	for (size_t i = 0; i < G_N_ELEMENTS(tracks); i++) {
		char *path = g_strdup_printf("/pace/%s", tracks[i].name);

		g_test_add_data_func(path, &tracks[i], testTrack);
		g_free(path);
	}
	g_test_add_func("/pace/lost", testLost);
	g_test_add_func("/pace/pause", testPause);
	g_test_add_func("/pace/fastest", testFastest);
	return g_test_run();
}
