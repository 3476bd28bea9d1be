/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Follows a period through a value over time: each iteration begins where the
 * samples after it resemble those of the iterations before it most.
 */
#include "config.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "HDTraceTools/model/regions/periodgrid.h"
#include "HDTraceTools/model/regions/sequence.h"

/** Samples of a period are taken together until there are so few. */
#define FOLLOW_SAMPLES 128
/** So many iterations are what others are compared with. */
#define FOLLOW_MEMORY 8
/** An iteration may be so much longer. */
#define FOLLOW_LONGEST 3
/** A part of the usual correlation is enough where an iteration is expected;
 * more is needed where a longer one ends. Noise makes both easier and harder.
 */
#define FOLLOW_ENOUGH 0.25
#define FOLLOW_CLEAR 0.75

/** What an iteration looks like. */
struct follow {
	const struct periodGrid *grid;
	size_t length;  /**< Of the period, in samples. */
	double *shape;  /**< The mean of some iterations. */
	double period;  /**< The same, and what is between samples. */
	double noise;   /**< By so much correlations differ by chance. */
	double usual;   /**< Correlation of an iteration. */
	guint poor;     /**< Iterations with too little of it. */
	GArray *begins; /**< double: samples at which iterations begin. */
};

/** The correlation of the samples from one on with those from another one on;
 * less if they vary less than most. NaN: too few are known. */
static double followCompare(const struct periodGrid *grid, size_t a, size_t b,
			    size_t length)
{
	double n = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;

	if (a + length > grid->count || b + length > grid->count)
		return NAN;
	for (size_t i = 0; i < length; i++) {
		double known = grid->known[a + i] * grid->known[b + i];
		double p = grid->values[a + i], q = grid->values[b + i];

		n += known;
		x += known * p;
		y += known * q;
		xx += known * p * p;
		yy += known * q * q;
		xy += known * p * q;
	}
	if (2 * n < (double)length)
		return NAN;
	xx -= x * x / n;
	yy -= y * y / n;
	return (xy - x * y / n) / fmax(fmax(xx, yy), n * grid->variance / 2);
}

/** Likewise, with the shape; what varies less than it resembles it less. */
static double followMatch(const struct follow *self, size_t at)
{
	const struct periodGrid *grid = self->grid;
	double n = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;

	if (at + self->length > grid->count)
		return NAN;
	for (size_t i = 0; i < self->length; i++) {
		double known = grid->known[at + i];
		double p = grid->values[at + i], q = self->shape[i];

		n += known;
		x += known * p;
		y += known * q;
		xx += known * p * p;
		yy += known * q * q;
		xy += known * p * q;
	}
	if (2 * n < (double)self->length)
		return NAN;
	xx -= x * x / n;
	yy -= y * y / n;
	return yy > 0 ? (xy - x * y / n) / sqrt(yy * fmax(xx, yy)) : NAN;
}

/** Take the samples from one on into the shape. */
static void followLearn(struct follow *self, size_t at, size_t learnt)
{
	double part = 1.0 / (double)MIN(learnt, FOLLOW_MEMORY);

	for (size_t i = 0; i < self->length; i++) {
		double known = self->grid->known[at + i];

		self->shape[i] += known * part *
				  (self->grid->values[at + i] - self->shape[i]);
	}
}

/** Where two iterations that follow each other are most alike. */
static size_t followFirst(const struct periodGrid *grid, size_t length)
{
	size_t step = MAX(length / 16, 1), best = 0;
	double most = -2;

	for (size_t i = 0; i + 2 * length <= grid->count; i += step) {
		double match = followCompare(grid, i, i + length, length);

		if (match > most) {
			most = match;
			best = i;
		}
	}
	return best;
}

/** Where in the shape the value rises most, by means of some samples: there an
 *  iteration begins. */
static size_t followRise(const struct follow *self)
{
	size_t near = self->length / 16 + 1, best = 0;
	double most = -INFINITY;

	for (size_t i = 0; i < self->length; i++) {
		double rise = 0;

		for (size_t k = 0; k < near; k++)
			rise += self->shape[(i + k) % self->length] -
				self->shape[(i + self->length - 1 - k) %
					    self->length];
		if (rise > most) {
			most = rise;
			best = i;
		}
	}
	return best;
}

/** The place between samples at which a match is best, by a parabola. */
static double followBetween(const struct follow *self, size_t at)
{
	double before = at ? followMatch(self, at - 1) : NAN;
	double match = followMatch(self, at);
	double after = followMatch(self, at + 1);
	double bend = before - 2 * match + after;

	if (!(bend < 0) || before > match || after > match)
		return (double)at;
	return (double)at + (before - after) / (2 * bend);
}

/** The best match of some places; SIZE_MAX: none is good enough. */
static size_t followBest(const struct follow *self, double place, double near,
			 double enough)
{
	size_t best = SIZE_MAX;
	double most = -INFINITY;

	for (size_t i = (size_t)fmax(place - near + 0.5, 0);
	     (double)i <= place + near; i++) {
		double match = followMatch(self, i);
		double off = ((double)i - place) / near;
		/* Of what noise makes alike, the nearest one. */
		double score = match - self->noise * off * off;

		if (match > enough && score > most) {
			most = score;
			best = i;
		}
	}
	return best;
}

/** The place near one at which an iteration begins; NaN: there is none. */
static double followNear(const struct follow *self, double place, double enough)
{
	double near = (double)self->length / 4;
	size_t best = followBest(self, place, near, enough);

	return best == SIZE_MAX ? NAN : followBetween(self, best);
}

/** Likewise, if the iteration from or until a place takes longer. */
static double followFar(const struct follow *self, double at, bool isForward)
{
	double enough = FOLLOW_CLEAR * self->usual + self->noise;
	double next = NAN;

	for (double longer = 1.25; longer <= FOLLOW_LONGEST && isnan(next);
	     longer += 0.25) {
		double place = isForward ? at + longer * self->period
					 : at - longer * self->period;

		if (place < 0)
			break;
		next = followNear(self, place, enough);
	}
	return next;
}

/** Whether samples around a place are not known, so that an iteration that
 *  begins there is not recognized. */
static bool followIsUnknown(const struct follow *self, double place)
{
	size_t near = self->length / 4;
	size_t at = (size_t)place;
	size_t end = MIN(at + self->length + near, self->grid->count);
	double known = 0;

	at -= MIN(near, at);
	for (size_t i = at; i < end; i++)
		known += self->grid->known[i];
	return known < 0.9 * (double)(end - at);
}

static void followGo(struct follow *self, double at, bool isForward)
{
	double least = FOLLOW_ENOUGH * self->usual;
	double length = (double)self->length;
	size_t learnt = 2;

	for (;;) {
		double expected =
			isForward ? at + self->period : at - self->period;
		double next;

		/* A part of a sample may be missing. */
		if (expected < -0.5 ||
		    expected + length > (double)self->grid->count + 0.5)
			return;
		expected = fmax(expected, 0);
		next = followNear(self, expected, fmax(least - self->noise, 0));
		if (isnan(next) && followIsUnknown(self, expected))
			next = expected;
		else if (isnan(next))
			next = followFar(self, at, isForward);
		if (isnan(next))
			return;
		if (followMatch(self, (size_t)(next + 0.5)) >= least)
			followLearn(self, (size_t)(next + 0.5), ++learnt);
		else if (!followIsUnknown(self, next))
			self->poor++;
		g_array_append_val(self->begins, next);
		at = next;
	}
}

static gint followCompareBegins(gconstpointer a, gconstpointer b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/** Iterations, of which the last one is as long as a period. */
static GArray *followList(const struct follow *self)
{
	const struct periodGrid *grid = self->grid;
	GArray *list = g_array_new(FALSE, FALSE, sizeof(struct iteration));

	for (guint i = 0; i < self->begins->len; i++) {
		double from = g_array_index(self->begins, double, i);
		double to = i + 1 < self->begins->len
				    ? g_array_index(self->begins, double, i + 1)
				    : from + (double)self->length;
		struct iteration iteration = {
			grid->start + (int64_t)(from * grid->step),
			grid->start + (int64_t)(to * grid->step),
		};

		if (iteration.start < iteration.end)
			g_array_append_val(list, iteration);
	}
	return list;
}

static GArray *followGrid(const struct periodGrid *grid, double period,
			  double strength)
{
	struct follow self = {
		.grid = grid,
		.length = MAX((size_t)(period + 0.5), 1),
		.period = period,
		/* Two standard deviations, of so many samples. */
		.noise = 2 * sqrt((1 - strength) / period),
		.usual = sqrt(strength),
		.begins = g_array_new(FALSE, FALSE, sizeof(double)),
	};
	size_t first = followFirst(grid, self.length);
	GArray *list;
	double *shape;
	double begin;

	self.shape = g_new0(double, self.length + 1);
	followLearn(&self, first, 1);
	followLearn(&self, first + self.length, 2);
	first += followRise(&self);
	if (first + 2 * self.length > grid->count)
		first -= MIN(self.length, first);
	memset(self.shape, 0, self.length * sizeof(double));
	followLearn(&self, first, 1);
	followLearn(&self, first + self.length, 2);
	shape = g_memdup2(self.shape, self.length * sizeof(double));
	begin = (double)first;
	g_array_append_val(self.begins, begin);
	followGo(&self, begin, true);
	memcpy(self.shape, shape, self.length * sizeof(double));
	followGo(&self, begin, false);
	g_array_sort(self.begins, followCompareBegins);
	/* Others are by chance. */
	if (4 * self.poor > self.begins->len)
		g_array_set_size(self.begins, 0);
	list = followList(&self);
	g_array_unref(self.begins);
	g_free(self.shape);
	g_free(shape);
	return list;
}

GArray *periodFollow(const struct periodGrid *grid, double period,
		     double strength)
{
	size_t by = (size_t)(period / FOLLOW_SAMPLES);
	struct periodGrid coarse;
	GArray *list;

	if (by < 2)
		return followGrid(grid, period, strength);
	coarse = periodGridCoarse(grid, by);
	list = followGrid(&coarse, period / (double)by, strength);
	periodGridClear(&coarse);
	return list;
}
