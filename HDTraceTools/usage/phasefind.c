/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Phases in the utilization of a run; see usage.h.
 *
 * The utilization of all components, in percent of their highest rates, is
 * divided into segments of constant mean by optimal partitioning (Jackson et
 * al., An algorithm for optimal partitioning of data on an interval, 2005).
 * A border inside a window follows from the mixture of both loads in it.
 * Segments of equal load are the same phase.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "HDTraceTools/usage/usage.h"

/* Windows at most, because time grows with their square. */
#define FIND_MOST 3000
/* Windows of a segment at least. */
#define FIND_LEAST 3
/* Smallest noise, in points. */
#define FIND_NOISE 0.5
/* Loads that differ by less are equal, in points; across runs, whose clocks may
 * differ, by less than the second. */
#define FIND_EQUAL 8
#define FIND_EQUAL_RUNS 25

static const enum modelPart findParts[USAGE_LOADS] = {
	[USAGE_CPU] = MODEL_CPU,         [USAGE_BANDWIDTH] = MODEL_BANDWIDTH,
	[USAGE_NETWORK] = MODEL_NETWORK, [USAGE_READ] = MODEL_READ,
	[USAGE_WRITE] = MODEL_WRITE,
};

struct phaseVector {
	double load[USAGE_LOADS];
};

struct phaseSegment {
	size_t first, last; /* Windows; the last one is outside. */
	int64_t start, end;
	struct phaseVector mean;
	size_t phase;
};

struct phaseSearch {
	int64_t start, window;
	size_t count;
	struct phaseVector *values;
	double *sums[USAGE_LOADS], *squares[USAGE_LOADS];
	double noise[USAGE_LOADS];
	GArray *segments; /* struct phaseSegment */
};

static int phaseCompareNumbers(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* ---- Windows ----------------------------------------------------------- */

/* The usual length of entries. */
static int64_t phaseWindowOf(const GArray *steps)
{
	double *lengths = g_new(double, steps->len + 1);
	int64_t usual = 0;

	for (guint i = 0; i < steps->len; i++) {
		const struct modelStep *step =
			&g_array_index(steps, struct modelStep, i);

		lengths[i] = (double)(step->end - step->start);
	}
	qsort(lengths, steps->len, sizeof(*lengths), phaseCompareNumbers);
	if (steps->len)
		usual = (int64_t)lengths[steps->len / 2];
	g_free(lengths);
	return usual;
}

static bool phaseRange(struct phaseSearch *self, const struct modelRun *run)
{
	int64_t end = INT64_MIN;

	self->start = INT64_MAX;
	for (int i = 0; i < USAGE_LOADS; i++) {
		const GArray *steps = run->loads[findParts[i]];
		const struct modelStep *list;

		if (!steps || steps->len == 0)
			continue;
		list = (const void *)steps->data;
		self->start = MIN(self->start, list[0].start);
		end = MAX(end, list[steps->len - 1].end);
		self->window = MAX(self->window, phaseWindowOf(steps));
	}
	if (self->window <= 0 || end <= self->start)
		return false;
	while ((end - self->start) / self->window > FIND_MOST)
		self->window *= 2;
	self->count = (size_t)((end - self->start) / self->window);
	return self->count >= FIND_LEAST;
}

/* The mean of a load in each window, in percent of the largest rate. */
static void phaseFill(struct phaseSearch *self, const struct modelRun *run,
		      int load)
{
	const GArray *steps = run->loads[findParts[load]];
	double most = 0, before = 0, known;

	for (size_t k = 0; k < self->count && steps; k++) {
		int64_t at = self->start + (int64_t)k * self->window;
		double value = modelMean(steps, at, at + self->window, 0,
					 INFINITY, &known);

		/* What is not known belongs to the phase before. */
		before = isnan(value) ? before : value;
		self->values[k].load[load] = before;
		most = fmax(most, before);
	}
	for (size_t k = 0; k < self->count && load != USAGE_CPU && most > 0;
	     k++)
		self->values[k].load[load] *= 100 / most;
}

/* Standard deviation of the noise, from differences of neighbours, whose
 * median is 0.6745 * sqrt(2) of it. */
static double phaseNoise(const struct phaseSearch *self, int load)
{
	double *differences = g_new(double, self->count + 1);
	double noise;

	for (size_t k = 1; k < self->count; k++)
		differences[k - 1] = fabs(self->values[k].load[load] -
					  self->values[k - 1].load[load]);
	qsort(differences, self->count - 1, sizeof(*differences),
	      phaseCompareNumbers);
	noise = differences[(self->count - 1) / 2] / (0.6745 * sqrt(2));
	g_free(differences);
	return fmax(noise, FIND_NOISE);
}

static void phaseSum(struct phaseSearch *self, int load)
{
	double *sums = g_new0(double, self->count + 1);
	double *squares = g_new0(double, self->count + 1);

	for (size_t k = 0; k < self->count; k++) {
		double value = self->values[k].load[load];

		sums[k + 1] = sums[k] + value;
		squares[k + 1] = squares[k] + value * value;
	}
	self->sums[load] = sums;
	self->squares[load] = squares;
	self->noise[load] = phaseNoise(self, load);
}

/* ---- Segments ---------------------------------------------------------- */

/* Squared deviations from the means in [first, last[, by the noise. */
static double phaseCost(const struct phaseSearch *self, size_t first,
			size_t last)
{
	double cost = 0;

	for (int i = 0; i < USAGE_LOADS; i++) {
		double sum = self->sums[i][last] - self->sums[i][first];
		double squares =
			self->squares[i][last] - self->squares[i][first];

		cost += (squares - sum * sum / (double)(last - first)) /
			(self->noise[i] * self->noise[i]);
	}
	return cost;
}

/* The best start of the last segment that ends at each window. */
static size_t *phasePartition(const struct phaseSearch *self)
{
	double penalty = 3 * USAGE_LOADS * log((double)self->count + 1);
	double *best = g_new(double, self->count + 1);
	size_t *from = g_new0(size_t, self->count + 1);

	best[0] = -penalty;
	for (size_t end = 1; end <= self->count; end++) {
		best[end] = INFINITY;
		for (size_t i = 0; i + FIND_LEAST <= end; i++) {
			double cost =
				best[i] + penalty + phaseCost(self, i, end);

			if (cost < best[end]) {
				best[end] = cost;
				from[end] = i;
			}
		}
	}
	g_free(best);
	return from;
}

/* The mean of a segment, without its first and last window, which may have a
 * part of its neighbours. */
static struct phaseVector phaseMean(const struct phaseSearch *self,
				    size_t first, size_t last)
{
	struct phaseVector mean;

	first++;
	last--;
	for (int i = 0; i < USAGE_LOADS; i++)
		mean.load[i] = (self->sums[i][last] - self->sums[i][first]) /
			       (double)(last - first);
	return mean;
}

static double phaseDistance(const struct phaseVector *a,
			    const struct phaseVector *b)
{
	double most = 0;

	for (int i = 0; i < USAGE_LOADS; i++)
		most = fmax(most, fabs(a->load[i] - b->load[i]));
	return most;
}

static void phaseAddSegment(struct phaseSearch *self, size_t first, size_t last)
{
	GArray *segments = self->segments;
	struct phaseSegment next = { .first = first, .last = last };
	struct phaseSegment *before =
		segments->len ? &g_array_index(segments, struct phaseSegment,
					       segments->len - 1)
			      : NULL;

	next.mean = phaseMean(self, first, last);
	if (!before || phaseDistance(&before->mean, &next.mean) >= FIND_EQUAL) {
		g_array_append_val(segments, next);
		return;
	}
	before->last = last;
	before->mean = phaseMean(self, before->first, last);
}

static void phaseSegments(struct phaseSearch *self)
{
	size_t *from = phasePartition(self);
	size_t *ends = g_new(size_t, self->count + 1);
	size_t count = 0;

	for (size_t end = self->count; end > 0; end = from[end])
		ends[count++] = end;
	for (size_t i = count; i > 0; i--)
		phaseAddSegment(self, from[ends[i - 1]], ends[i - 1]);
	g_free(ends);
	g_free(from);
}

/* How much of a window belongs to the phase before the border. */
static double phasePartBefore(const struct phaseVector *value,
			      const struct phaseVector *before,
			      const struct phaseVector *after)
{
	double along = 0, length = 0;

	for (int i = 0; i < USAGE_LOADS; i++) {
		double difference = before->load[i] - after->load[i];

		along += difference * (value->load[i] - after->load[i]);
		length += difference * difference;
	}
	return length > 0 ? CLAMP(along / length, 0, 1) : 0;
}

/* Borders in the middle of windows. */
static void phaseBorders(struct phaseSearch *self)
{
	struct phaseSegment *list = (void *)self->segments->data;
	guint count = self->segments->len;

	for (guint i = 0; i < count; i++) {
		list[i].start =
			self->start + (int64_t)list[i].first * self->window;
		list[i].end =
			self->start + (int64_t)list[i].last * self->window;
	}
	for (guint i = 1; i < count; i++) {
		size_t k = list[i].first - 1;
		double part = 0;

		for (size_t w = k; w < k + 2; w++)
			part += phasePartBefore(&self->values[w],
						&list[i - 1].mean,
						&list[i].mean);
		list[i].start = self->start + (int64_t)k * self->window +
				(int64_t)(part * (double)self->window);
		list[i - 1].end = list[i].start;
	}
}

/* ---- Phases ------------------------------------------------------------ */

/* Find an equal phase; the count: there is none. */
static size_t phaseNearest(const GArray *known, const struct phaseVector *mean,
			   double limit)
{
	size_t found = known->len;

	for (guint i = 0; i < known->len; i++) {
		double distance = phaseDistance(
			&g_array_index(known, struct phaseVector, i), mean);

		if (distance < limit) {
			limit = distance;
			found = i;
		}
	}
	return found;
}

/* Number phases in the order in which they begin. */
static GArray *phaseCluster(struct phaseSearch *self)
{
	GArray *own = g_array_new(FALSE, FALSE, sizeof(struct phaseVector));

	for (guint i = 0; i < self->segments->len; i++) {
		struct phaseSegment *segment =
			&g_array_index(self->segments, struct phaseSegment, i);

		segment->phase = phaseNearest(own, &segment->mean, FIND_EQUAL);
		if (segment->phase == own->len)
			g_array_append_val(own, segment->mean);
	}
	return own;
}

/* Find the phases of earlier runs. As many as before are the same ones in the
 * same order, although their load may depend on the clock. */
static size_t *phaseMatch(struct usage *usage, const GArray *own)
{
	bool isEqual = usage->found->len == own->len;
	size_t *numbers = g_new(size_t, own->len + 1);

	for (guint i = 0; i < own->len; i++) {
		const struct phaseVector *mean =
			&g_array_index(own, struct phaseVector, i);

		numbers[i] = isEqual ? i
				     : phaseNearest(usage->found, mean,
						    FIND_EQUAL_RUNS);
		if (numbers[i] == usage->found->len)
			g_array_append_vals(usage->found, mean, 1);
	}
	return numbers;
}

static void phaseName(struct usage *usage, struct phaseSearch *self,
		      struct phases *phases)
{
	GArray *own = phaseCluster(self);
	size_t *numbers = phaseMatch(usage, own);

	for (guint i = 0; i < self->segments->len; i++) {
		const struct phaseSegment *segment =
			&g_array_index(self->segments, struct phaseSegment, i);
		char name[32];

		snprintf(name, sizeof(name), "phase-%zu",
			 numbers[segment->phase] + 1);
		phasesAdd(phases, segment->start, segment->end, name);
	}
	g_free(numbers);
	g_array_unref(own);
}

void usageFind(struct usage *self, const struct modelRun *run,
	       struct phases *phases)
{
	struct phaseSearch search = { .window = 0 };

	if (!phaseRange(&search, run))
		return;
	search.values = g_new0(struct phaseVector, search.count + 1);
	search.segments =
		g_array_new(FALSE, FALSE, sizeof(struct phaseSegment));
	for (int i = 0; i < USAGE_LOADS; i++) {
		phaseFill(&search, run, i);
		phaseSum(&search, i);
	}
	phaseSegments(&search);
	phaseBorders(&search);
	phaseName(self, &search, phases);
	for (int i = 0; i < USAGE_LOADS; i++) {
		g_free(search.sums[i]);
		g_free(search.squares[i]);
	}
	g_array_unref(search.segments);
	g_free(search.values);
}
