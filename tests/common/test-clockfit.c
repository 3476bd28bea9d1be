/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is made of round trips between two clocks: simulated clocks, whose
 * difference is known. */
#include "config.h"

#include <errno.h>
#include <glib.h>

#include "common/clock.h"
#include "common/clockfit.h"

#define START (INT64_C(1700000000) * HD_NS_PER_S)
#define MS INT64_C(1000000)

/* A clock that is ahead, and goes wrong. */
struct sim {
	int64_t ahead;
	double ppm;
	GRand *rand;
};

/* What it shows at a true time; the reference shows the true time. */
static int64_t simRead(const struct sim *sim, int64_t now)
{
	return now + sim->ahead +
	       (int64_t)((double)(now - START) * sim->ppm / 1e6);
}

/* The way of a message: never shorter than a minimum, sometimes very long. */
static int64_t simDelay(struct sim *sim, int64_t least)
{
	double jitter = g_rand_double(sim->rand);

	if (g_rand_int_range(sim->rand, 0, 8) == 0)
		jitter *= 200;
	return least + (int64_t)(jitter * 20000);
}

/* Round trips that begin at a true time; the way back is three times as long.
 */
static struct hdClockPoint simMeasure(struct sim *sim, int64_t now)
{
	struct hdClockTrip trips[32];
	struct hdClockPoint point;

	for (size_t i = 0; i < G_N_ELEMENTS(trips); i++) {
		trips[i].sent = simRead(sim, now);
		now += simDelay(sim, 5000);
		trips[i].reference = now;
		now += simDelay(sim, 15000);
		trips[i].received = simRead(sim, now);
	}
	g_assert_cmpint(hdClockEstimate(trips, 32, &point), ==, 0);
	return point;
}

static void testSimulated(void)
{
	for (guint32 seed = 1; seed <= 200; seed++) {
		struct sim sim = {
			.ahead = seed % 2 ? 250 * MS : -250 * MS,
			.ppm = seed % 4 < 2 ? 50 : -50,
			.rand = g_rand_new_with_seed(seed),
		};
		struct hdClockPoint points[7];
		size_t count = 2 + seed % 6;
		int64_t length = 10 * HD_NS_PER_S;
		int64_t error;
		int64_t last = 0;

		for (size_t i = 0; i < count; i++)
			points[i] = simMeasure(
				&sim, START + (int64_t)i * length /
						      (int64_t)(count - 1));
		g_assert_cmpuint(hdClockFit(points, count), ==, count);
		error = hdClockError(points, count);
		/* Half of the shortest round trip, and some jitter. */
		g_assert_cmpint(error, >=, 10000);
		g_assert_cmpint(error, <, 100000);
		for (int64_t now = START; now <= START + length;
		     now += 7 * MS) {
			int64_t found = hdClockCorrect(points, count,
						       simRead(&sim, now));

			g_assert_cmpint(ABS(found - now), <=, error);
			g_assert_cmpint(found, >=, last);
			last = found;
		}
		/* Beyond the points the error of the drift grows. */
		for (int64_t away = 0; away <= length; away += HD_NS_PER_S) {
			int64_t bound = error + 2 * error * away / length + 1;
			int64_t early = START - away;
			int64_t late = START + length + away;

			g_assert_cmpint(
				ABS(hdClockCorrect(points, count,
						   simRead(&sim, early)) -
				    early),
				<=, bound);
			g_assert_cmpint(
				ABS(hdClockCorrect(points, count,
						   simRead(&sim, late)) -
				    late),
				<=, bound);
		}
		g_rand_free(sim.rand);
	}
}

static void testEstimate(void)
{
	const struct hdClockTrip trips[] = {
		{ 1000, 5000, 2000 },
		{ 3000, 9000, 2999 }, /* The clock was set back. */
		{ 4000, 8100, 4101 },
		{ 5000, 9100, 5200 },
	};
	struct hdClockPoint point = { 1, 2, 3 };

	g_assert_cmpint(hdClockEstimate(trips, 0, &point), ==, -ENODATA);
	g_assert_cmpint(hdClockEstimate(trips + 1, 1, &point), ==, -ENODATA);
	g_assert_cmpint(point.time, ==, 1);
	g_assert_cmpint(hdClockEstimate(trips, 4, &point), ==, 0);
	g_assert_cmpint(point.time, ==, 4050);
	g_assert_cmpint(point.offset, ==, 4050);
	g_assert_cmpint(point.error, ==, 51);
}

static void testLinear(void)
{
	struct hdClockPoint points[] = {
		{ 3000000, 300, 10 },
		{ 1000000, 100, 20 },
		{ 2000000, -100, 5 },
	};

	g_assert_cmpuint(hdClockFit(points, 3), ==, 3);
	g_assert_cmpint(hdClockError(points, 3), ==, 20);
	g_assert_cmpint(hdClockCorrect(points, 3, 1000000), ==, 1000100);
	g_assert_cmpint(hdClockCorrect(points, 3, 1500000), ==, 1500000);
	g_assert_cmpint(hdClockCorrect(points, 3, 2000000), ==, 1999900);
	g_assert_cmpint(hdClockCorrect(points, 3, 2500000), ==, 2500100);
	g_assert_cmpint(hdClockCorrect(points, 3, 3000000), ==, 3000300);
	/* 200 in 2,000,000 from the first to the last. */
	g_assert_cmpint(hdClockCorrect(points, 3, 5000000), ==, 5000500);
	g_assert_cmpint(hdClockCorrect(points, 3, 0), ==, 0);
	g_assert_cmpint(hdClockCorrect(points, 3, 500000), ==, 500050);
}

static void testLimits(void)
{
	struct hdClockPoint fast[] = { { START, 0, 1 },
				       { START + 1000, 100, 1 } };
	struct hdClockPoint one[] = { { START, -7, 1 } };

	/* 10 % is no drift but noise: 500 ppm are left beyond the points. */
	g_assert_cmpuint(hdClockFit(fast, 2), ==, 2);
	g_assert_cmpint(hdClockCorrect(fast, 2, START + HD_NS_PER_S), ==,
			START + HD_NS_PER_S + 100 +
				(HD_NS_PER_S - 1000) / 2000);
	g_assert_cmpint(hdClockCorrect(fast, 2, START - HD_NS_PER_S), ==,
			START - HD_NS_PER_S - HD_NS_PER_S / 2000);
	g_assert_cmpint(hdClockCorrect(one, 1, START - HD_NS_PER_S), ==,
			START - HD_NS_PER_S - 7);
	g_assert_cmpint(hdClockCorrect(one, 1, 3), ==, 0);
	one[0].offset = INT64_MAX;
	g_assert_cmpint(hdClockCorrect(one, 1, START), ==, HD_TIME_MAX);
	g_assert_cmpint(hdClockCorrect(NULL, 0, START), ==, START);
	g_assert_cmpuint(hdClockFit(NULL, 0), ==, 0);
	g_assert_cmpint(hdClockError(NULL, 0), ==, 0);
}

/* Whatever the points say, time never runs backwards. */
static void testForward(void)
{
	struct hdClockPoint set[] = {
		{ 1000, 500, 9 },
		{ 1000, 0, 3 },
		{ 1100, -300, 5 },
		{ 1200, 0, 5 },
	};
	struct hdClockPoint worse[] = {
		{ 1000, 500, 9 },
		{ 1100, 0, 5 },
		{ 1200, -300, 1 },
	};

	g_assert_cmpuint(hdClockFit(set, 4), ==, 2);
	g_assert_cmpint(set[0].offset, ==, 0);
	g_assert_cmpint(set[1].time, ==, 1200);
	g_assert_cmpuint(hdClockFit(worse, 3), ==, 1);
	g_assert_cmpint(worse[0].time, ==, 1200);

	for (guint32 seed = 1; seed <= 200; seed++) {
		GRand *rand = g_rand_new_with_seed(seed);
		struct hdClockPoint points[8];
		size_t count;
		int64_t last = 0;

		for (size_t i = 0; i < 8; i++)
			points[i] = (struct hdClockPoint){
				.time = START + g_rand_int_range(rand, 0, 4000),
				.offset = g_rand_int_range(rand, -2000, 2000),
				.error = g_rand_int_range(rand, 0, 100),
			};
		count = hdClockFit(points, 8);
		g_assert_cmpuint(count, >, 0);
		for (int64_t now = START - 2000; now < START + 6000; now++) {
			int64_t found = hdClockCorrect(points, count, now);

			g_assert_cmpint(found, >=, last);
			last = found;
		}
		g_rand_free(rand);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/clockfit/simulated", testSimulated);
	g_test_add_func("/clockfit/estimate", testEstimate);
	g_test_add_func("/clockfit/linear", testLinear);
	g_test_add_func("/clockfit/limits", testLimits);
	g_test_add_func("/clockfit/forward", testForward);
	return g_test_run();
}
