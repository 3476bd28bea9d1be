/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * How far a power lags behind the load that causes it.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <glib.h>

#include "HDTraceTools/model/power/delayestimate.h"

/** Constant, line and parabola. */
#define TRENDS 3
/** So many entries are enough to find the maximum roughly, and so many looks at
 *  entries are made for it, if that leaves so many entries. */
#define ROUGH_ENTRIES 20000
#define ROUGH_LOOKS 20000000
#define ROUGH_LEAST 2000
/** Steps of the rough search in a cycle of the meter, and at most. */
#define ROUGH_STEPS 4
#define ROUGH_MOST 20000
/** A power that follows load explains that much of the changes at least, and
 *  does so more clearly than chance would: so many standard deviations. */
#define LEAST_CORRELATION 0.1
#define LEAST_DEVIATIONS 6
/** Another delay fits as well if the fit is worse by that little: what chance
 *  would do to a hundredth of cases. */
#define AS_GOOD 6.6
/** Of edges that have a time of their own: that of a thread that had to be
 * woken, in s. */
#define STAMP_ERROR 1e-3
/** Rounds of the refinement; each leaves 0.62 of the interval. */
#define ROUNDS 48

/** An entry of power. */
struct entry {
	int64_t start;
	int64_t end;
	double power;
	double load; /**< At the delay that is tried. */
};

struct work {
	const struct delayInput *input;
	struct powerCursor *cursor; /**< Of load. */
	struct entry *entries;
	size_t count;
	size_t stride;          /**< Every so manieth is looked at. */
	double *trends[TRENDS]; /**< Orthonormal, over those looked at. */
	double *power;          /**< Without trends. */
	double *load;           /**< Likewise, at the delay that is tried. */
	size_t used;
	double powerSquares;
	double loadSquares;
	double product;
};

const char *delayReasonText(enum delayReason reason)
{
	static const char *const texts[] = {
		[DELAY_FOUND] = "found",
		[DELAY_ALONE] = "the node has no load to compare with",
		[DELAY_FEW] = "too few power entries with a known load",
		[DELAY_STEADY] = "load or power is constant",
		[DELAY_UNRELATED] = "power does not follow load",
		[DELAY_BORDER] = "the best fit is at an end of the range",
		[DELAY_REPEATED] =
			"the load is periodic, so other delays fit as well",
		[DELAY_FAILED] = "cannot read a temporary file",
	};

	return texts[reason];
}

/* ---- Entries ----------------------------------------------------------- */

/** Whether load is known for an interval at all delays that are tried. */
static bool isLoadKnown(const struct work *self, int64_t start, int64_t end)
{
	const struct delayInput *input = self->input;
	int64_t first, last;
	struct powerAmount amount;

	start -= input->mostNs - input->loadLateNs;
	end -= input->leastNs - input->loadLateNs;
	if (!powerSeriesRange(input->load, &first, &last) || start < first ||
	    end > last)
		return false;
	amount = powerCursorGet(self->cursor, start, end);
	return amount.measured == end - start;
}

static bool takeEntries(struct work *self)
{
	const struct delayInput *input = self->input;
	struct powerCursor *cursor = powerCursorNew(input->power);
	GArray *entries = g_array_new(FALSE, FALSE, sizeof(struct entry));
	struct powerStep step;

	for (uint64_t i = 0; powerCursorStep(cursor, i, &step); i++) {
		int64_t length = step.end - step.start;
		struct entry entry = { .start = step.start, .end = step.end };

		if (length <= 0 || step.amount.measured != length ||
		    step.start < input->start || step.end > input->end ||
		    !isLoadKnown(self, step.start, step.end))
			continue;
		entry.power = step.amount.energy / ((double)length / 1e9);
		g_array_append_val(entries, entry);
	}
	self->count = entries->len;
	self->entries = (void *)g_array_free(entries, FALSE);
	bool isRead = powerCursorError(cursor) == 0;

	powerCursorFree(cursor);
	return isRead;
}

static int estimateCompareLengths(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/** The usual length of an entry, in s. */
static double usualLength(const struct work *self)
{
	int64_t *lengths = g_new(int64_t, self->count);
	double usual;

	for (size_t i = 0; i < self->count; i++)
		lengths[i] = self->entries[i].end - self->entries[i].start;
	qsort(lengths, self->count, sizeof(*lengths), estimateCompareLengths);
	usual = (double)lengths[self->count / 2] / 1e9;
	g_free(lengths);
	return usual;
}

/* ---- Trends ------------------------------------------------------------ */

static double estimateDot(const double *a, const double *b, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += a[i] * b[i];
	return sum;
}

/** Take out of a vector what lies along those first trends. Twice, since once
 *  leaves what rounding does. */
static void withoutTrends(const struct work *self, double *vector, int trends)
{
	for (int round = 0; round < 2; round++) {
		for (int t = 0; t < trends; t++) {
			double part = estimateDot(vector, self->trends[t],
						  self->used);

			for (size_t i = 0; i < self->used; i++)
				vector[i] -= part * self->trends[t][i];
		}
	}
}

/** Look at every so manieth entry from now on. */
static void estimateSampleEntries(struct work *self, size_t stride)
{
	const struct entry *first = &self->entries[0];
	const struct entry *last = &self->entries[self->count - 1];
	double middle = (double)(last->end - first->end) / 2;

	self->stride = stride;
	self->used = (self->count + stride - 1) / stride;
	for (size_t i = 0; i < self->used; i++) {
		const struct entry *entry = &self->entries[i * stride];
		double t =
			middle > 0
				? (double)(entry->end - first->end) / middle - 1
				: 0;

		self->trends[0][i] = 1;
		self->trends[1][i] = t;
		self->trends[2][i] = t * t;
		self->power[i] = entry->power;
	}
	for (int t = 0; t < TRENDS; t++) {
		double length;

		withoutTrends(self, self->trends[t], t);
		length = sqrt(estimateDot(self->trends[t], self->trends[t],
					  self->used));
		for (size_t i = 0; length > 0 && i < self->used; i++)
			self->trends[t][i] /= length;
	}
	withoutTrends(self, self->power, TRENDS);
	self->powerSquares = estimateDot(self->power, self->power, self->used);
}

/* ---- Correlation ------------------------------------------------------- */

/** The mean load of an interval, so much earlier. */
static double estimateLoadOf(const struct work *self, int64_t start,
			     int64_t end, int64_t delayNs)
{
	int64_t earlier = delayNs - self->input->loadLateNs;
	struct powerAmount amount =
		powerCursorGet(self->cursor, start - earlier, end - earlier);

	return amount.energy / ((double)(end - start) / 1e9);
}

/** The correlation of power and load at a delay; 0 if load does not change. */
static double tryDelay(struct work *self, int64_t delayNs)
{
	double whole = 0;

	for (size_t i = 0; i < self->used; i++) {
		struct entry *entry = &self->entries[i * self->stride];

		entry->load =
			estimateLoadOf(self, entry->start, entry->end, delayNs);
		self->load[i] = entry->load;
		whole += entry->load * entry->load;
	}
	withoutTrends(self, self->load, TRENDS);
	self->loadSquares = estimateDot(self->load, self->load, self->used);
	self->product = estimateDot(self->load, self->power, self->used);
	/* What rounding leaves of a load that is always the same. */
	if (self->loadSquares <= 1e-12 * whole || self->powerSquares <= 0)
		return 0;
	return self->product / sqrt(self->loadSquares * self->powerSquares);
}

/** Refine a maximum between two delays (golden section). */
static int64_t refine(struct work *self, int64_t low, int64_t high)
{
	const double ratio = (sqrt(5) - 1) / 2;
	int64_t a = high - (int64_t)(ratio * (double)(high - low));
	int64_t b = low + (int64_t)(ratio * (double)(high - low));
	double atA = tryDelay(self, a);
	double atB = tryDelay(self, b);

	for (int i = 0; i < ROUNDS && high - low > 1000; i++) {
		if (atA > atB) {
			high = b;
			b = a;
			atB = atA;
			a = high - (int64_t)(ratio * (double)(high - low));
			atA = tryDelay(self, a);
		} else {
			low = a;
			a = b;
			atA = atB;
			b = low + (int64_t)(ratio * (double)(high - low));
			atB = tryDelay(self, b);
		}
	}
	return low + (high - low) / 2;
}

/* ---- Uncertainty ------------------------------------------------------- */

/** How much the mean load of each entry changes with the delay, per s, without
 *  trends and without load itself. */
static double *slopes(struct work *self, int64_t delayNs, double cycle)
{
	double *slope = g_new(double, self->used);
	int64_t step = MAX((int64_t)(cycle * 1e9 / 50), 1000);
	double part;

	for (size_t i = 0; i < self->used; i++) {
		const struct entry *entry = &self->entries[i * self->stride];

		slope[i] = (estimateLoadOf(self, entry->start, entry->end,
					   delayNs + step) -
			    estimateLoadOf(self, entry->start, entry->end,
					   delayNs - step)) /
			   (2 * (double)step / 1e9);
	}
	withoutTrends(self, slope, TRENDS);
	part = estimateDot(slope, self->load, self->used) / self->loadSquares;
	for (size_t i = 0; i < self->used; i++)
		slope[i] -= part * self->load[i];
	return slope;
}

/** The variance of a delay that was fitted; residuals of neighbours may depend
 *  on each other. */
static double fitVariance(struct work *self, const double *slope)
{
	double perLoad = self->product / self->loadSquares;
	double squares =
		estimateDot(slope, slope, self->used) * perLoad * perLoad;
	size_t reach = (size_t)(4 * pow((double)self->used / 100, 2.0 / 9));
	double middle = 0;
	double *moved = g_new(double, self->used);

	for (size_t i = 0; i < self->used; i++)
		moved[i] = perLoad * slope[i] *
			   (self->power[i] - perLoad * self->load[i]);
	for (size_t k = 0; k <= reach && k < self->used; k++) {
		double weight = 1 - (double)k / (double)(reach + 1);

		middle += (k ? 2 : 1) * weight *
			  estimateDot(moved, moved + k, self->used - k);
	}
	g_free(moved);
	middle *= (double)self->used / (double)(self->used - TRENDS - 2);
	return squares > 0 ? MAX(middle, 0) / (squares * squares) : INFINITY;
}

/** The variance from edges of load, each somewhere in an entry of load, if they
 * have no time of their own. */
static double edgeVariance(const struct work *self)
{
	struct powerCursor *cursor = powerCursorNew(self->input->load);
	int64_t first = self->entries[0].start - self->input->mostNs;
	int64_t last = self->entries[self->count - 1].end;
	double before = NAN, changes = 0, most = 0, lengths = 0;
	uint64_t count = 0;
	struct powerStep step;

	if (self->input->isLoadExact) {
		powerCursorFree(cursor);
		return STAMP_ERROR * STAMP_ERROR;
	}
	for (uint64_t i = 0; powerCursorStep(cursor, i, &step); i++) {
		int64_t length = step.end - step.start;
		double load;

		if (length <= 0 || step.end < first || step.start > last)
			continue;
		load = step.amount.energy / ((double)length / 1e9);
		if (!isnan(before))
			changes += fabs(load - before);
		before = load;
		most = MAX(most, load);
		lengths += (double)length / 1e9;
		count++;
	}
	powerCursorFree(cursor);
	if (count == 0 || most <= 0 || changes <= 0)
		return INFINITY;
	lengths /= (double)count;
	return lengths * lengths / 12 / MAX(changes / most, 1);
}

/* ---- The whole --------------------------------------------------------- */

/** What the rough search found. */
struct rough {
	int64_t best;
	double correlation;
	int64_t second; /**< A maximum that is apart from it; = best: none. */
	double secondCorrelation;
	int64_t step;
};

static void searchRoughly(struct work *self, double cycle, struct rough *rough)
{
	const struct delayInput *input = self->input;
	int64_t range = input->mostNs - input->leastNs;
	int64_t step = MAX((int64_t)(cycle * 1e9 / ROUGH_STEPS),
			   range / ROUGH_MOST + 1);
	size_t count = (size_t)(range / step) + 1;
	double *all = g_new(double, count);
	size_t best = 0;

	for (size_t i = 0; i < count; i++) {
		all[i] = tryDelay(self, input->leastNs + (int64_t)i * step);
		if (all[i] > all[best])
			best = i;
	}
	rough->step = step;
	rough->best = input->leastNs + (int64_t)best * step;
	rough->correlation = all[best];
	rough->second = rough->best;
	rough->secondCorrelation = 0;
	for (size_t i = 1; i + 1 < count; i++) {
		bool isApart = i > best + ROUGH_STEPS || i + ROUGH_STEPS < best;

		if (isApart && all[i] >= all[i - 1] && all[i] >= all[i + 1] &&
		    all[i] > rough->secondCorrelation) {
			rough->second = input->leastNs + (int64_t)i * step;
			rough->secondCorrelation = all[i];
		}
	}
	g_free(all);
}

/** Whether another delay fits as well as the best one. */
static bool estimateIsRepeated(const struct work *self, double best,
			       double other)
{
	double left = 1 - best * best;
	double worse = 1 - other * other - left;

	return other > 0 &&
	       worse * (double)self->used < AS_GOOD * MAX(left, 1e-12);
}

static void estimateFinish(struct work *self, struct delayEstimate *estimate,
			   int64_t delayNs)
{
	double *slope;

	estimate->correlation = tryDelay(self, delayNs);
	estimate->perLoad = self->product / self->loadSquares;
	estimate->delay = (double)delayNs / 1e9;
	slope = slopes(self, delayNs, estimate->cycle);
	estimate->error =
		1.96 * sqrt(fitVariance(self, slope) + edgeVariance(self));
	g_free(slope);
	estimate->idle = 0;
	for (size_t i = 0; i < self->used; i++)
		estimate->idle +=
			(self->entries[i * self->stride].power -
			 estimate->perLoad *
				 self->entries[i * self->stride].load) /
			(double)self->used;
}

/** Refine what was found roughly, and compare it with the second. */
static void searchFinely(struct work *self, struct delayEstimate *estimate,
			 const struct rough *rough)
{
	const struct delayInput *input = self->input;
	int64_t best =
		refine(self, MAX(rough->best - rough->step, input->leastNs),
		       MIN(rough->best + rough->step, input->mostNs));
	double correlation = tryDelay(self, best);
	bool isAtBorder = best - input->leastNs < rough->step / 2 ||
			  input->mostNs - best < rough->step / 2;

	estimate->without = tryDelay(self, 0);
	estimate->correlation = correlation;
	if (correlation < LEAST_CORRELATION ||
	    correlation * sqrt((double)self->used) < LEAST_DEVIATIONS) {
		estimate->reason = DELAY_UNRELATED;
		return;
	}
	if (isAtBorder) {
		estimate->reason = DELAY_BORDER;
		return;
	}
	if (rough->second != rough->best) {
		int64_t other = refine(self, rough->second - rough->step,
				       rough->second + rough->step);
		double otherCorrelation = tryDelay(self, other);

		if (otherCorrelation > correlation) {
			int64_t swap = best;

			best = other;
			other = swap;
		}
		if (estimateIsRepeated(self, MAX(correlation, otherCorrelation),
				       MIN(correlation, otherCorrelation))) {
			estimate->reason = DELAY_REPEATED;
			estimate->other = (double)other / 1e9;
		}
	}
	estimateFinish(self, estimate, best);
}

static void estimateSearch(struct work *self, struct delayEstimate *estimate)
{
	struct rough rough;
	double steps;
	size_t entries;

	estimate->cycle = usualLength(self);
	steps = (double)(self->input->mostNs - self->input->leastNs) / 1e9 /
		estimate->cycle * ROUGH_STEPS;
	entries = (size_t)CLAMP(ROUGH_LOOKS / MAX(steps, 1), ROUGH_LEAST,
				ROUGH_ENTRIES);
	estimateSampleEntries(self, (self->count + entries - 1) / entries);
	searchRoughly(self, estimate->cycle, &rough);
	estimateSampleEntries(self, 1);
	if (self->powerSquares <= 0 || rough.correlation == 0)
		estimate->reason = DELAY_STEADY;
	else
		searchFinely(self, estimate, &rough);
}

struct delayEstimate delayFind(const struct delayInput *input)
{
	struct delayEstimate estimate = { .reason = DELAY_FOUND };
	struct work self = { .input = input,
			     .cursor = powerCursorNew(input->load) };

	if (!takeEntries(&self)) {
		estimate.reason = DELAY_FAILED;
	} else if (self.count < DELAY_ENTRIES) {
		estimate.reason = DELAY_FEW;
	} else {
		double *room = g_new(double, (TRENDS + 2) * self.count);

		for (int t = 0; t < TRENDS; t++)
			self.trends[t] = room + (size_t)t * self.count;
		self.power = room + TRENDS * self.count;
		self.load = room + (TRENDS + 1) * self.count;
		estimateSearch(&self, &estimate);
		g_free(room);
	}
	estimate.entries = self.count;
	if (powerCursorError(self.cursor) < 0)
		estimate.reason = DELAY_FAILED;
	powerCursorFree(self.cursor);
	g_free(self.entries);
	return estimate;
}
