/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * By how much the power of a run is later than its loads; see powermodel.h.
 *
 * The delay is the one at which all loads together explain power best. Power
 * and loads are compared over the same windows at each delay.
 */
#include "config.h"

#include <math.h>

#include "HDTraceTools/powermodel/leastsquares.h"
#include "HDTraceTools/powermodel/powermodel.h"

/* Delays that are tried, in s, and parts of an entry between them. */
#define LAG_LEAST (-1.0)
#define LAG_MOST 5.0
#define LAG_PARTS 4
/* Entries of power for the search; more are thinned out. */
#define LAG_ENTRIES 3000
/* Least entries, and improvement of n ln(squares). */
#define LAG_ENTRIES_LEAST 20
#define LAG_GAIN 25
#define LAG_ROUNDS 24
/* A fraction of an entry for which loads are known. */
#define LAG_KNOWN 0.995

struct lagSearch {
	const struct modelRun *run;
	struct modelStep *power; /**< Entries that are compared. */
	size_t count;
	int parts[MODEL_PARTS];
	size_t partCount;
};

/* Squared residuals at a delay, of entries whose loads are known there. Power
 * is compared as it was recorded: means of two entries have less noise, and
 * would make delays between two entries look better.
 *
 * @param[out] rows Number of entries.
 * @param[out] worth Independent entries that they are worth; or NULL.
 */
static double lagTry(const struct lagSearch *self, double delay, size_t *rows,
		     double *worth)
{
	int64_t shift = (int64_t)llround(delay * 1e9);
	size_t n = self->partCount + 2;
	struct leastSquares fit;
	double squares;

	leastSquaresInit(&fit, self->count, n);
	fit.rows = 0;
	for (size_t k = 0; k < self->count; k++) {
		const struct modelStep *step = &self->power[k];
		double *row = &fit.x[fit.rows * n];
		double known = 1;

		row[0] = 1;
		row[1] = (double)k / (double)self->count - 0.5;
		for (size_t i = 0; i < self->partCount && known >= LAG_KNOWN;
		     i++)
			row[i + 2] = modelMean(self->run->loads[self->parts[i]],
					       step->start - shift,
					       step->end - shift, 0, INFINITY,
					       &known);
		if (known >= LAG_KNOWN)
			fit.y[fit.rows++] = step->value;
	}
	*rows = fit.rows;
	squares = leastSquaresFit(&fit) ? fit.squares / (double)fit.rows
					: INFINITY;
	if (worth)
		*worth = leastSquaresRows(&fit);
	leastSquaresFree(&fit);
	return squares;
}

static double lagRefine(const struct lagSearch *self, double low, double high)
{
	const double ratio = (sqrt(5) - 1) / 2;
	double a = high - ratio * (high - low);
	double b = low + ratio * (high - low);
	size_t rows;
	double atA = lagTry(self, a, &rows, NULL),
	       atB = lagTry(self, b, &rows, NULL);

	for (int i = 0; i < LAG_ROUNDS && high - low > 1e-4; i++) {
		if (atA < atB) {
			high = b;
			b = a;
			atB = atA;
			a = high - ratio * (high - low);
			atA = lagTry(self, a, &rows, NULL);
		} else {
			low = a;
			a = b;
			atA = atB;
			b = low + ratio * (high - low);
			atB = lagTry(self, b, &rows, NULL);
		}
	}
	return (low + high) / 2;
}

/* Entries for the search: pieces of the run, evenly spread. */
static void lagThin(struct lagSearch *self)
{
	const GArray *power = self->run->power;
	size_t pieces = power->len / LAG_ENTRIES + 1;

	self->power = g_new(struct modelStep, power->len + 1);
	for (guint k = 0; k < power->len; k++) {
		if (k / 100 % pieces == 0)
			self->power[self->count++] =
				g_array_index(power, struct modelStep, k);
	}
}

static double lagBest(const struct lagSearch *self, double step, double *best,
		      size_t *rows)
{
	double least = INFINITY;

	for (double delay = LAG_LEAST; delay <= LAG_MOST; delay += step) {
		size_t count;
		double squares = lagTry(self, delay, &count, NULL);

		if (squares < least && count >= LAG_ENTRIES_LEAST &&
		    count > self->count / 2) {
			least = squares;
			*best = delay;
			*rows = count;
		}
	}
	return least;
}

void modelFindDelay(const struct modelFit *fit, struct modelRun *run)
{
	struct lagSearch self = { .run = run };
	double step, best = 0, gain, none, worth;
	size_t rows = 0, all;

	for (int i = 0; i < MODEL_PARTS; i++) {
		if (fit->shapes[i].verdict == MODEL_FITTED && run->loads[i])
			self.parts[self.partCount++] = i;
	}
	if (run->delaySource != MODEL_DELAY_NONE || self.partCount == 0 ||
	    run->power->len < LAG_ENTRIES_LEAST)
		return;
	lagThin(&self);
	step = (double)(self.power[0].end - self.power[0].start) / 1e9 /
	       LAG_PARTS;
	step = fmax(step, 0.02);
	none = lagTry(&self, 0, &all, NULL);
	gain = lagBest(&self, step, &best, &rows);
	/* At a border the search saw no minimum. */
	if (gain < none && best > LAG_LEAST + step && best < LAG_MOST - step) {
		best = lagRefine(&self, best - step, best + step);
		gain = lagTry(&self, best, &rows, &worth);
		if (worth * log(none / gain) > LAG_GAIN) {
			run->delayNs = (int64_t)llround(best * 1e9);
			run->delaySource = MODEL_DELAY_FOUND;
			modelRunDivide(fit, run);
		}
	}
	g_free(self.power);
}
