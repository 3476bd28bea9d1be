/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Levels in the utilization of a node; see levels.h.
 *
 * The utilization in windows of 1 s is divided into segments of constant mean,
 * by optimal partitioning (Jackson et al., An algorithm for optimal
 * partitioning of data on an interval, 2005) with the penalty 3 s^2 ln n per
 * segment. The standard deviation s of the noise comes from the median of the
 * differences between neighbours. Short segments are transitions; short idle
 * segments are pauses between levels.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "HDTraceTools/loads/levels.h"
#include "HDTraceTools/loads/utilization.h"

/* Windows at most, because time grows with their square. */
#define FIND_WINDOWS_MAX 3000
/* Windows of a segment at least. */
#define FIND_SEGMENT_MIN 3
/* Smallest noise and smallest step between levels: half a point, two points. */
#define FIND_NOISE_MIN 0.005
#define FIND_STEP_MIN 0.02
/* A fraction of the highest level that counts as idle. */
#define FIND_IDLE 0.05

struct findSegment {
	size_t first;
	size_t last; /* Exclusive. */
	double mean;
};

struct levelSearch {
	int64_t start;
	int64_t window;
	size_t count;
	double *values;
	double *sums;
	double *squares;
	GArray *segments; /* struct findSegment */
};

static int findCompare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double findMedian(double *values, size_t count)
{
	if (count == 0)
		return 0;
	qsort(values, count, sizeof(*values), findCompare);
	return values[count / 2];
}

/* Standard deviation of the noise, from differences of neighbours. */
static double findNoise(const struct levelSearch *self)
{
	double *differences = g_new(double, self->count + 1);
	double noise;

	for (size_t i = 1; i < self->count; i++)
		differences[i - 1] =
			fabs(self->values[i] - self->values[i - 1]);
	/* The median of |x| of a normal distribution is 0.6745 s. */
	noise = findMedian(differences, self->count ? self->count - 1 : 0) /
		(0.6745 * sqrt(2));
	g_free(differences);
	return fmax(noise, FIND_NOISE_MIN);
}

static void findSum(struct levelSearch *self)
{
	self->sums = g_new0(double, self->count + 1);
	self->squares = g_new0(double, self->count + 1);
	for (size_t i = 0; i < self->count; i++) {
		double value = self->values[i];

		self->sums[i + 1] = self->sums[i] + value;
		self->squares[i + 1] = self->squares[i] + value * value;
	}
}

/* Squared deviation from the mean in [first, last[. */
static double findCost(const struct levelSearch *self, size_t first,
		       size_t last)
{
	double sum = self->sums[last] - self->sums[first];

	return self->squares[last] - self->squares[first] -
	       sum * sum / (double)(last - first);
}

/* The best start of the last segment that ends at each window. */
static size_t *findPartition(const struct levelSearch *self)
{
	double noise = findNoise(self);
	double penalty = 3 * noise * noise * log((double)self->count + 1);
	double *best = g_new(double, self->count + 1);
	size_t *from = g_new0(size_t, self->count + 1);

	best[0] = -penalty;
	for (size_t end = 1; end <= self->count; end++) {
		best[end] = INFINITY;
		for (size_t i = 0; i + FIND_SEGMENT_MIN <= end; i++) {
			double cost =
				best[i] + penalty + findCost(self, i, end);

			if (cost < best[end]) {
				best[end] = cost;
				from[end] = i;
			}
		}
	}
	g_free(best);
	return from;
}

static void findMerge(struct levelSearch *self, struct findSegment next)
{
	GArray *segments = self->segments;
	struct findSegment *last =
		segments->len ? &g_array_index(segments, struct findSegment,
					       segments->len - 1)
			      : NULL;

	next.mean = (self->sums[next.last] - self->sums[next.first]) /
		    (double)(next.last - next.first);
	if (!last || fabs(last->mean - next.mean) >= FIND_STEP_MIN) {
		g_array_append_val(segments, next);
		return;
	}
	last->last = next.last;
	last->mean = (self->sums[last->last] - self->sums[last->first]) /
		     (double)(last->last - last->first);
}

static void findSegments(struct levelSearch *self)
{
	size_t *from, *starts;
	size_t count = 0;

	if (self->count < FIND_SEGMENT_MIN)
		return;
	findSum(self);
	from = findPartition(self);
	starts = g_new(size_t, self->count + 1);
	for (size_t end = self->count; end > 0; end = from[end])
		starts[count++] = end;
	for (size_t i = count; i > 0; i--)
		findMerge(self, (struct findSegment){ from[starts[i - 1]],
						      starts[i - 1], 0 });
	g_free(starts);
	g_free(from);
}

/* ---- From segments to levels ------------------------------------------- */

/* The median length of segments with load, and the highest mean. */
static double findUsual(const struct levelSearch *self, double *highest)
{
	const GArray *segments = self->segments;
	double *lengths = g_new(double, segments->len + 1);
	double usual;
	size_t count = 0;

	*highest = 0;
	for (guint i = 0; i < segments->len; i++)
		*highest = fmax(
			*highest,
			g_array_index(segments, struct findSegment, i).mean);
	for (guint i = 0; i < segments->len; i++) {
		const struct findSegment *segment =
			&g_array_index(segments, struct findSegment, i);

		if (segment->mean >= FIND_IDLE * *highest)
			lengths[count++] =
				(double)(segment->last - segment->first);
	}
	usual = findMedian(lengths, count);
	g_free(lengths);
	return usual;
}

static void findAdd(const struct levelSearch *self, struct levels *levels,
		    const hdINode *node)
{
	double highest;
	double usual = findUsual(self, &highest);

	for (guint i = 0; i < self->segments->len; i++) {
		const struct findSegment *segment =
			&g_array_index(self->segments, struct findSegment, i);
		struct level level = levelNew(
			node,
			self->start + (int64_t)segment->first * self->window,
			self->start + (int64_t)segment->last * self->window);

		level.isTargetGuessed = true;
		if (highest < FIND_STEP_MIN ||
		    (double)(segment->last - segment->first) < usual / 2)
			continue;
		level.component = g_strdup("cpu");
		g_array_append_val(levels->list, level);
	}
}

static void findInSeries(struct levels *levels, const struct scan *scan,
			 const hdINode *node, struct powerSeries *series)
{
	struct levelSearch self = { .window = UTILIZATION_WINDOW_NS };
	struct powerCursor *cursor;
	int64_t end;

	if (!powerSeriesRange(series, &self.start, &end))
		return;
	self.start = MAX(self.start, scan->selection->start);
	end = MIN(end, scan->selection->end);
	while ((end - self.start) / self.window > FIND_WINDOWS_MAX)
		self.window *= 2;
	self.count = end > self.start
			     ? (size_t)((end - self.start) / self.window)
			     : 0;
	self.values = g_new0(double, self.count + 1);
	self.segments = g_array_new(FALSE, FALSE, sizeof(struct findSegment));
	cursor = powerCursorNew(series);
	for (size_t i = 0; i < self.count; i++) {
		int64_t at = self.start + (int64_t)i * self.window;
		double value = utilizationMean(cursor, at, at + self.window);

		/* Unknown time belongs to the level before it. */
		self.values[i] = !isnan(value) ? value
				 : i           ? self.values[i - 1]
					       : 0;
	}
	powerCursorFree(cursor);
	findSegments(&self);
	findAdd(&self, levels, node);
	g_array_unref(self.segments);
	g_free(self.values);
	g_free(self.sums);
	g_free(self.squares);
}

int levelsFind(struct levels *levels, const struct scan *scan)
{
	for (size_t i = 0; i < scan->project->nodeCount; i++) {
		const hdINode *node = scan->project->nodes[i];
		struct powerSeries *series;
		int ret;

		if (!selectionHasNode(scan->selection, node) ||
		    !utilizationIsAt(node))
			continue;
		ret = utilizationRead(scan, node, &series);
		if (ret < 0)
			return ret;
		if (series)
			findInSeries(levels, scan, node, series);
		powerSeriesFree(series);
	}
	return 0;
}
