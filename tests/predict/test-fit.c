/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Segments of times of messages, of hdpredict calibrate. */
#include "config.h"

#include <math.h>
#include <stdbool.h>
#include <glib.h>

#include "PredictionLibrary/command/calibrate/fit.h"

#define POINTS 40

static bool isNear(double number, double expected)
{
	return fabs(number - expected) <= 1e-6 * fabs(expected);
}

/* Sizes 1, 1.5, 2.25, ... with the times of two protocols. */
static void makePoints(struct fitPoint points[POINTS], double border)
{
	double size = 1;

	for (int i = 0; i < POINTS; i++) {
		points[i].size = size;
		points[i].time = size < border ? 1e-6 + 2e-9 * size
					       : 9e-6 + 1e-10 * size;
		size *= 1.5;
	}
}

static void testBorder(void)
{
	struct fitPoint points[POINTS];
	const struct fitSegment *segment;
	GArray *segments;

	makePoints(points, 5000);
	segments = fitSegments(points, POINTS, 4);
	g_assert_cmpuint(segments->len, ==, 2);
	segment = &g_array_index(segments, struct fitSegment, 0);
	g_assert_true(isNear(segment->start, 1e-6));
	g_assert_true(isNear(segment->perByte, 2e-9));
	g_assert_cmpfloat(segment->until, <, 5000);
	g_assert_cmpfloat(segment->error, <, 1e-3);
	segment = &g_array_index(segments, struct fitSegment, 1);
	g_assert_true(isNear(segment->start, 9e-6));
	g_assert_true(isNear(segment->perByte, 1e-10));
	g_assert_cmpfloat(segment->from, >=, 5000);
	g_assert_true(isNear(fitTime(segments, 100), 1e-6 + 2e-7));
	g_assert_true(isNear(fitTime(segments, 1e6), 9e-6 + 1e-4));
	g_assert_true(isNear(fitTime(segments, 0), 1e-6));
	g_array_unref(segments);
}

/* One line needs one segment, however many there may be. */
static void testLine(void)
{
	struct fitPoint points[POINTS];
	GArray *segments;

	makePoints(points, INFINITY);
	segments = fitSegments(points, POINTS, 6);
	g_assert_cmpuint(segments->len, ==, 1);
	g_array_unref(segments);
}

/* Times that fall with the size have no negative parameters. */
static void testNegative(void)
{
	struct fitPoint points[10];
	const struct fitSegment *segment;
	GArray *segments;

	for (int i = 0; i < 10; i++)
		points[i] = (struct fitPoint){ i + 1, 1e-3 - i * 1e-5 };
	segments = fitSegments(points, 10, 1);
	segment = &g_array_index(segments, struct fitSegment, 0);
	g_assert_cmpfloat(segment->perByte, ==, 0);
	g_assert_cmpfloat(segment->start, >, 9e-4);
	g_assert_cmpfloat(segment->start, <, 1e-3);
	g_assert_cmpfloat(segment->error, >, 0.01);
	g_assert_cmpfloat(segment->error, <, 0.05);
	g_array_unref(segments);
}

static void testFew(void)
{
	const struct fitPoint point = { 10, 2e-6 };
	GArray *segments = fitSegments(NULL, 0, 3);

	g_assert_cmpuint(segments->len, ==, 0);
	g_assert_cmpfloat(fitTime(segments, 5), ==, 0);
	g_assert_null(fitSegmentOf(segments, 5));
	g_array_unref(segments);
	segments = fitSegments(&point, 1, 3);
	g_assert_cmpuint(segments->len, ==, 1);
	g_assert_true(isNear(fitTime(segments, 10), 2e-6));
	g_array_unref(segments);
}

static void testQuartile(void)
{
	const double numbers[] = { 9, 1, 5, 3, 7 };
	GArray *times = g_array_new(FALSE, FALSE, sizeof(double));

	g_assert_true(isnan(fitQuartile(times)));
	g_array_append_vals(times, numbers, G_N_ELEMENTS(numbers));
	g_assert_cmpfloat(fitQuartile(times), ==, 3);
	g_array_unref(times);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/fit/two protocols", testBorder);
	g_test_add_func("/fit/one line", testLine);
	g_test_add_func("/fit/no negative parameters", testNegative);
	g_test_add_func("/fit/few points", testFew);
	g_test_add_func("/fit/lower quartile", testQuartile);
	return g_test_run();
}
