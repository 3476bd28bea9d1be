/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Segments of a function, by dynamic programming; see fit.h. */
#include "config.h"

#include <math.h>

#include "PredictionLibrary/command/calibrate/fit.h"

/* Points of a segment at least: two parameters, and as many that test them. */
#define FIT_LEAST 4

/* Errors below this are noise of clocks. */
#define FIT_FLOOR 1e-4

/* Sums over the points of a segment, weighted by 1 / time^2. */
struct fitSums {
	double weight, x, xx, y, xy, count;
};

static void fitAdd(struct fitSums *sums, const struct fitPoint *point)
{
	double weight = 1 / (point->time * point->time);

	sums->count++;
	sums->weight += weight;
	sums->x += weight * point->size;
	sums->xx += weight * point->size * point->size;
	sums->y += weight * point->time;
	sums->xy += weight * point->size * point->time;
}

/* Sum of squared relative errors; the weighted sum of y^2 is the count. */
static double fitCost(const struct fitSums *sums, double start, double perByte)
{
	double cost = sums->count - 2 * start * sums->y -
		      2 * perByte * sums->xy + start * start * sums->weight +
		      2 * start * perByte * sums->x +
		      perByte * perByte * sums->xx;

	return fmax(cost, sums->count * FIT_FLOOR * FIT_FLOOR);
}

/* The best parameters that are 0 or more; returns the cost. */
static double fitSolve(const struct fitSums *sums, double *start,
		       double *perByte)
{
	double determinant = sums->weight * sums->xx - sums->x * sums->x;
	double flat, steep;

	if (determinant > 1e-12 * sums->weight * sums->xx) {
		*start =
			(sums->xx * sums->y - sums->x * sums->xy) / determinant;
		*perByte = (sums->weight * sums->xy - sums->x * sums->y) /
			   determinant;
		if (*start >= 0 && *perByte >= 0)
			return fitCost(sums, *start, *perByte);
	}
	flat = fitCost(sums, sums->y / sums->weight, 0);
	steep = sums->xx > 0 ? fitCost(sums, 0, sums->xy / sums->xx) : INFINITY;
	*start = flat <= steep ? sums->y / sums->weight : 0;
	*perByte = flat <= steep ? 0 : sums->xy / sums->xx;
	return fmin(flat, steep);
}

/* Costs of all segments: that of points [i, k] is at i * count + k. */
static double *fitCosts(const struct fitPoint *points, size_t count)
{
	double *costs = g_new(double, count *count);

	for (size_t i = 0; i < count; i++) {
		struct fitSums sums = { .count = 0 };
		double start, perByte;

		for (size_t k = i; k < count; k++) {
			fitAdd(&sums, &points[k]);
			costs[i * count + k] =
				k - i + 1 < FIT_LEAST
					? INFINITY
					: fitSolve(&sums, &start, &perByte);
		}
	}
	return costs;
}

/* The smallest costs of points [0, k] in n + 1 segments, and where the last one
 * begins, at n * count + k. */
static void fitDivide(const double *costs, size_t count, size_t most,
		      double *best, size_t *begins)
{
	for (size_t k = 0; k < count; k++) {
		best[k] = costs[k];
		begins[k] = 0;
	}
	for (size_t n = 1; n < most; n++) {
		for (size_t k = 0; k < count; k++) {
			double *cost = &best[n * count + k];

			*cost = INFINITY;
			for (size_t i = 1; i <= k; i++) {
				double sum = best[(n - 1) * count + i - 1] +
					     costs[i * count + k];

				if (sum >= *cost)
					continue;
				*cost = sum;
				begins[n * count + k] = i;
			}
		}
	}
}

static size_t fitChoose(const double *best, size_t count, size_t most)
{
	double least = INFINITY;
	size_t chosen = 0;

	for (size_t n = 0; n < most; n++) {
		double cost = best[n * count + count - 1];
		/* Two parameters and a border each. */
		double criterion = (double)count * log(cost / (double)count) +
				   3 * (double)(n + 1) * log((double)count);

		if (isfinite(cost) && criterion < least) {
			least = criterion;
			chosen = n;
		}
	}
	return chosen;
}

static void fitPutSegment(GArray *segments, const struct fitPoint *points,
			  size_t from, size_t until)
{
	struct fitSegment segment = { .from = points[from].size,
				      .until = points[until].size,
				      .count = until - from + 1 };
	struct fitSums sums = { .count = 0 };
	double cost;

	for (size_t i = from; i <= until; i++)
		fitAdd(&sums, &points[i]);
	cost = fitSolve(&sums, &segment.start, &segment.perByte);
	segment.error = sqrt(cost / sums.count);
	g_array_prepend_val(segments, segment);
}

GArray *fitSegments(const struct fitPoint *points, size_t count, size_t most)
{
	GArray *segments = g_array_new(FALSE, FALSE, sizeof(struct fitSegment));
	double *costs, *best;
	size_t *begins;
	size_t n, until = count;

	if (count == 0)
		return segments;
	if (count < 2 * FIT_LEAST || most < 2) {
		fitPutSegment(segments, points, 0, count - 1);
		return segments;
	}
	costs = fitCosts(points, count);
	best = g_new(double, most *count);
	begins = g_new0(size_t, most * count);
	fitDivide(costs, count, most, best, begins);
	n = fitChoose(best, count, most) + 1;
	while (n-- > 0) {
		size_t from = begins[n * count + until - 1];

		fitPutSegment(segments, points, from, until - 1);
		until = from;
	}
	g_free(costs);
	g_free(best);
	g_free(begins);
	return segments;
}

const struct fitSegment *fitSegmentOf(const GArray *segments, double size)
{
	const struct fitSegment *found = NULL;

	for (guint i = 0; i < segments->len; i++) {
		const struct fitSegment *segment =
			&g_array_index(segments, struct fitSegment, i);

		if (!found || segment->from <= size)
			found = segment;
	}
	return found;
}

double fitTime(const GArray *segments, double size)
{
	const struct fitSegment *segment = fitSegmentOf(segments, size);

	return segment ? segment->start + segment->perByte * size : 0;
}

int fitCompareNumbers(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double fitQuartile(GArray *times)
{
	if (times->len == 0)
		return NAN;
	g_array_sort(times, fitCompareNumbers);
	return g_array_index(times, double, (times->len - 1) / 4);
}
