/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Periods of a value over time, by its autocorrelation.
 *
 * A period is a lag at which the autocorrelation has a maximum, as it has at
 * twice the lag, and both are larger than chance explains. The variance of the
 * autocorrelation of a value that does not repeat itself follows Bartlett: it
 * grows with the autocorrelation at shorter lags.
 */
#include "config.h"

#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "HDTraceTools/base/fourier.h"
#include "HDTraceTools/model/regions/period.h"
#include "HDTraceTools/model/regions/periodgrid.h"
#include "HDTraceTools/model/regions/sequence.h"

/** Samples of a period, and periods, at least. */
#define PERIOD_SHORTEST 4
#define PERIOD_LEAST 5
/** False alarms of series without a period. */
#define PERIOD_CHANCE 0.0005
/** The autocorrelation has maxima at so many multiples of the period. */
#define PERIOD_MULTIPLES 3
/** Longer lags are no multiples of a period below the shortest one, which would
 *  be a lag, too. */
#define PERIOD_MULTIPLE 64
/** Less of the variance is no period. */
#define PERIOD_STRENGTH 0.25
/** Where entries that were taken together vary by so much more than the means
 *  of these, what the means tell is an alias. */
#define PERIOD_LOST 4

struct sample {
	int64_t start;
	int64_t end;
	double value;
};

struct period {
	GArray *samples;    /**< struct sample */
	guint merged;       /**< So many entries are in each. */
	struct sample last; /**< Those that are not enough for one. */
	guint count;
	double lost; /**< Squares of what means differ from entries, by time. */
};

struct period *periodNew(void)
{
	struct period *self = g_new0(struct period, 1);

	self->samples = g_array_new(FALSE, FALSE, sizeof(struct sample));
	self->merged = 1;
	return self;
}

void periodFree(struct period *self)
{
	if (!self)
		return;
	g_array_unref(self->samples);
	g_free(self);
}

/* ---- Samples ------------------------------------------------------------ */

/** The mean of both, by their time. */
static struct sample periodMerge(struct period *self, const struct sample *a,
				 const struct sample *b)
{
	double x = (double)(a->end - a->start), y = (double)(b->end - b->start);
	double difference = a->value - b->value;
	struct sample both = { a->start, b->end, a->value };

	if (isnan(a->value)) {
		both.value = b->value;
	} else if (!isnan(b->value) && x + y > 0) {
		both.value = (a->value * x + b->value * y) / (x + y);
		self->lost += difference * difference * x * y / (x + y);
	}
	return both;
}

/** Take two of them together each. */
static void periodHalve(struct period *self)
{
	guint count = self->samples->len / 2;

	for (guint i = 0; i < count; i++) {
		const struct sample *pair =
			&g_array_index(self->samples, struct sample, 2 * i);
		struct sample both = periodMerge(self, &pair[0], &pair[1]);

		g_array_index(self->samples, struct sample, i) = both;
	}
	g_array_set_size(self->samples, count);
	self->merged *= 2;
}

void periodNote(struct period *self, int64_t start, int64_t end, double value)
{
	const struct sample sample = { start, end,
				       isfinite(value) ? value : NAN };

	if (start >= end)
		return;
	self->last =
		self->count ? periodMerge(self, &self->last, &sample) : sample;
	if (++self->count < self->merged)
		return;
	self->count = 0;
	g_array_append_val(self->samples, self->last);
	if (self->samples->len == PERIOD_SAMPLES)
		periodHalve(self);
}

/* ---- Even times --------------------------------------------------------- */

static int periodCompareLengths(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/** The median length of a sample. */
static double periodStep(const GArray *samples)
{
	double *lengths = g_new(double, samples->len);
	double median;

	for (guint i = 0; i < samples->len; i++) {
		const struct sample *sample =
			&g_array_index(samples, struct sample, i);

		lengths[i] = (double)(sample->end - sample->start);
	}
	qsort(lengths, samples->len, sizeof(double), periodCompareLengths);
	median = lengths[samples->len / 2];
	g_free(lengths);
	return median;
}

/** Add a sample to the times that it covers. */
static void periodSpread(struct periodGrid *grid, const struct sample *sample,
			 double *squares)
{
	double from = (double)(sample->start - grid->start) / grid->step;
	double to = (double)(sample->end - grid->start) / grid->step;

	if (isnan(sample->value) || from < 0)
		return;
	for (size_t i = (size_t)from; i < grid->count && (double)i < to; i++) {
		double part = fmin(to, (double)i + 1) - fmax(from, (double)i);

		if (part <= 0)
			continue;
		grid->values[i] += sample->value * part;
		grid->known[i] += part;
		*squares += sample->value * sample->value * part;
	}
}

void periodGridClear(struct periodGrid *self)
{
	g_free(self->values);
	g_free(self->known);
}

/** Means of what is known, for half of a step at least; the sum of squares of
 *  the means. */
static double periodGridDivide(struct periodGrid *grid)
{
	double squares = 0;

	for (size_t i = 0; i < grid->count; i++) {
		bool isKnown = grid->known[i] >= 0.5;

		if (grid->known[i] > 0)
			squares += grid->values[i] * grid->values[i] /
				   grid->known[i];
		grid->values[i] =
			isKnown ? grid->values[i] / grid->known[i] : 0;
		grid->known[i] = isKnown;
	}
	return squares;
}

struct periodGrid periodGridCoarse(const struct periodGrid *self, size_t by)
{
	struct periodGrid grid = {
		.start = self->start,
		.step = self->step * (double)by,
		.count = self->count / by,
		.variance = self->variance,
	};

	grid.values = g_new0(double, grid.count + 1);
	grid.known = g_new0(double, grid.count + 1);
	for (size_t i = 0; i < grid.count * by; i++) {
		grid.values[i / by] += self->values[i] / (double)by;
		grid.known[i / by] += self->known[i] / (double)by;
	}
	periodGridDivide(&grid);
	return grid;
}

/** Subtract the line of least squares; the variance of what is left. */
static double periodFlatten(struct periodGrid *grid)
{
	double sum = 0, places = 0, values = 0, squares = 0, both = 0;
	double slope, mean, middle, left = 0;

	for (size_t i = 0; i < grid->count; i++) {
		sum += grid->known[i];
		places += grid->known[i] * (double)i;
		values += grid->values[i];
	}
	mean = values / sum;
	middle = places / sum;
	grid->mean = mean;
	for (size_t i = 0; i < grid->count; i++) {
		double place = (double)i - middle;

		squares += grid->known[i] * place * place;
		both += grid->known[i] * place * (grid->values[i] - mean);
	}
	slope = squares > 0 ? both / squares : 0;
	for (size_t i = 0; i < grid->count; i++) {
		double line = mean + slope * ((double)i - middle);

		grid->values[i] = grid->known[i] * (grid->values[i] - line);
		left += grid->values[i] * grid->values[i];
	}
	left /= sum;
	/* Only rounding is left of a constant. */
	return left > 1e-18 * (mean * mean + fabs(both)) ? left : 0;
}

/** Make one; false: there are too few samples, all are the same, or what varies
 *  most is faster than they are. */
static bool periodGridMake(const struct period *self, struct periodGrid *grid)
{
	const GArray *samples = self->samples;
	const struct sample *first, *last;
	double length, lost, known = 0, squares = 0;

	*grid = (struct periodGrid){ .count = 0 };
	if (samples->len < PERIOD_LEAST * PERIOD_SHORTEST)
		return false;
	first = &g_array_index(samples, struct sample, 0);
	last = &g_array_index(samples, struct sample, samples->len - 1);
	grid->start = first->start;
	length = (double)last->end - (double)first->start;
	grid->step = fmax(periodStep(samples), length / PERIOD_SAMPLES);
	if (!(length > 0))
		return false;
	grid->count = (size_t)(length / grid->step + 0.5);
	grid->values = g_new0(double, grid->count + 1);
	grid->known = g_new0(double, grid->count + 1);
	for (guint i = 0; i < samples->len; i++)
		periodSpread(grid, &g_array_index(samples, struct sample, i),
			     &squares);
	lost = squares - periodGridDivide(grid) + self->lost / grid->step;
	for (size_t i = 0; i < grid->count; i++)
		known += grid->known[i];
	if (known < PERIOD_LEAST * PERIOD_SHORTEST ||
	    2 * known < (double)grid->count)
		return false;
	grid->variance = periodFlatten(grid);
	return grid->variance > 0 &&
	       lost <= PERIOD_LOST * grid->variance * known;
}

/* ---- Autocorrelation ---------------------------------------------------- */

/** Sums of products of two series, at each lag. */
static void periodCorrelate(const double complex *a, const double complex *b,
			    double complex *sums, size_t size)
{
	for (size_t i = 0; i < size; i++)
		sums[i] = conj(a[i]) * b[i] / (double)size;
	fourierTransform(sums, size, true);
}

/** The autocorrelation, and the number of pairs, of lags below half of the
 *  samples and more; only what is known of both counts. */
static double *periodAutocorrelation(const struct periodGrid *grid, size_t lags,
				     double *pairs)
{
	double *result = g_new0(double, lags + 1);
	size_t size = 1;
	double complex *values, *squares, *known, *sums;

	while (size < grid->count + lags + 1)
		size *= 2;
	values = g_new0(double complex, size);
	squares = g_new0(double complex, size);
	known = g_new0(double complex, size);
	sums = g_new0(double complex, size);
	for (size_t i = 0; i < grid->count; i++) {
		values[i] = grid->values[i];
		squares[i] = grid->values[i] * grid->values[i];
		known[i] = grid->known[i];
	}
	fourierTransform(values, size, false);
	fourierTransform(squares, size, false);
	fourierTransform(known, size, false);
	periodCorrelate(known, known, sums, size);
	for (size_t i = 0; i <= lags; i++)
		pairs[i] = creal(sums[i]);
	/* First the product of what the earlier and the later ones vary. */
	periodCorrelate(squares, known, sums, size);
	for (size_t i = 0; i <= lags; i++)
		result[i] = creal(sums[i]);
	periodCorrelate(known, squares, sums, size);
	for (size_t i = 0; i <= lags; i++)
		result[i] *= creal(sums[i]);
	periodCorrelate(values, values, sums, size);
	for (size_t i = 0; i <= lags; i++) {
		bool isAny = result[i] > 0 && pairs[i] >= 1;

		result[i] = isAny ? creal(sums[i]) / sqrt(result[i]) : 0;
	}
	g_free(values);
	g_free(squares);
	g_free(known);
	g_free(sums);
	return result;
}

/* ---- Periods ------------------------------------------------------------ */

/** What the search for a lag needs. */
struct search {
	size_t longest;      /**< The longest lag that may be a period. */
	size_t lags;         /**< The longest one that is known. */
	const double *r;     /**< By lag. */
	const double *pairs; /**< By lag. */
	double *variance;    /**< Of r, by lag, if there was no period. */
	double *least;       /**< Of r at shorter lags, by lag. */
};

/** The deviation that a normal variable exceeds with a chance. */
static double periodQuantile(double chance)
{
	double low = 0, high = 40;

	for (int i = 0; i < 60; i++) {
		double middle = (low + high) / 2;

		if (erfc(middle / M_SQRT2) / 2 > chance)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/** After Bartlett, by the autocorrelation until it is least. */
static void periodFindVariances(struct search *search)
{
	double sum = 0, atLeast = 0, least = 1;

	for (size_t i = 1; i <= search->longest; i++) {
		search->variance[i] = 1 + 2 * atLeast;
		search->least[i] = least;
		sum += search->r[i] * search->r[i];
		if (search->r[i] < least) {
			least = search->r[i];
			atLeast = sum;
		}
	}
}

/** Whether a lag has the largest value of those near it. */
static bool periodIsPeak(const struct search *search, size_t lag)
{
	size_t near = lag / 8 + 1;

	for (size_t i = lag - near; i <= MIN(lag + near, search->lags); i++) {
		if (search->r[i] > search->r[lag])
			return false;
	}
	return search->r[lag] > 0;
}

/** The largest value near a lag. */
static size_t periodLargest(const struct search *search, size_t lag,
			    size_t near)
{
	size_t best = lag;

	for (size_t i = lag - MIN(near, lag);
	     i <= MIN(lag + near, search->lags); i++) {
		if (search->r[i] > search->r[best])
			best = i;
	}
	return best;
}

/** Whether neither a lag nor its multiples are by chance. */
static bool periodIsReal(const struct search *search, size_t lag,
			 double quantile)
{
	double r = search->r[lag];

	if (r < PERIOD_STRENGTH || search->least[lag] > r / 2)
		return false;
	for (size_t i = 1; i <= PERIOD_MULTIPLES; i++) {
		size_t at = periodLargest(search, i * lag, i > 1 ? i : 0);
		double deviation =
			sqrt(search->variance[lag] / search->pairs[at]);

		if (!(search->r[at] > quantile * deviation) ||
		    search->r[at] < r / 2)
			return false;
	}
	return true;
}

/** The autocorrelation at a maximum, which may be between two lags: of a value
 * with steps, lines meet there. */
static double periodHeight(const struct search *search, size_t lag)
{
	const double *r = &search->r[lag];

	return r[0] + fabs(r[1] - r[-1]) / 2;
}

/** The lag of the period; 0: there is none. */
static size_t periodFindLag(const struct search *search)
{
	GArray *peaks = g_array_new(FALSE, FALSE, sizeof(size_t));
	double quantile, most = 0;
	size_t best = 0;

	/* Multiples of a period that is too short are none. */
	for (size_t i = 2; i <= search->longest; i++) {
		if (periodIsPeak(search, i))
			g_array_append_val(peaks, i);
	}
	/* Two of them by chance, at any of the peaks; the second one is the
	 * largest of some. */
	quantile = periodQuantile(
		sqrt(PERIOD_CHANCE / (5.0 * MAX(peaks->len, 1))));
	for (guint i = 0; i < peaks->len; i++) {
		size_t lag = g_array_index(peaks, size_t, i);

		if (periodIsReal(search, lag, quantile))
			most = fmax(most, periodHeight(search, lag));
	}
	/* Multiples of the period are as good. */
	for (guint i = 0; i < peaks->len && best == 0 && most > 0; i++) {
		size_t lag = g_array_index(peaks, size_t, i);

		if (periodHeight(search, lag) >= 0.75 * most &&
		    periodIsReal(search, lag, quantile))
			best = lag;
	}
	g_array_unref(peaks);
	return best >= PERIOD_SHORTEST ? best : 0;
}

/** Whether a lag is a multiple of a period that is too short and lies between
 * samples: then the largest of its harmonics is that period. */
static bool periodIsMultiple(const struct search *search, size_t lag)
{
	size_t strongest = 1;
	double most = -INFINITY;

	for (size_t h = 1; lag <= PERIOD_MULTIPLE && h <= lag / 2; h++) {
		double sum = 0;

		for (size_t k = lag; k < 2 * lag; k++)
			sum += search->r[k] *
			       cos(2 * M_PI * (double)(h * k) / (double)lag);
		if (sum > most) {
			most = sum;
			strongest = h;
		}
	}
	return lag < PERIOD_SHORTEST * strongest;
}

/** The period in samples, by multiples of it as long as they are seen. */
static double periodRefine(const struct search *search, size_t lag)
{
	double period = (double)lag;

	for (size_t k = 2;; k++) {
		double next = period * (double)k;
		size_t near = (size_t)(period / 8) + 1;
		size_t at;

		if (next + (double)near >= (double)search->lags)
			return period;
		at = periodLargest(search, (size_t)(next + 0.5), near);
		if (search->r[at] < 0.5 * search->r[lag])
			return period;
		period = (double)at / (double)k;
	}
}

/** Find it, in samples; 0: there is none. */
static double periodOf(const struct periodGrid *grid, double *strength)
{
	struct search search = {
		.longest = grid->count / PERIOD_LEAST,
		.lags = grid->count * 3 / 4,
	};
	double *pairs = g_new0(double, search.lags + 1);
	double *r = periodAutocorrelation(grid, search.lags, pairs);
	double period = 0;
	size_t lag;

	search.r = r;
	search.pairs = pairs;
	search.variance = g_new0(double, search.longest + 1);
	search.least = g_new0(double, search.longest + 1);
	periodFindVariances(&search);
	lag = periodFindLag(&search);
	if (lag && !periodIsMultiple(&search, lag)) {
		*strength = MIN(r[lag], 1);
		period = periodRefine(&search, lag);
	}
	g_free(pairs);
	g_free(r);
	g_free(search.variance);
	g_free(search.least);
	return period;
}

GArray *periodFind(const struct period *self, double *strength, double *part)
{
	GArray *iterations = NULL;
	struct periodGrid grid;
	double period = 0;
	int64_t sum = 0;

	*strength = *part = 0;
	if (periodGridMake(self, &grid))
		period = periodOf(&grid, strength);
	if (period > 0)
		*part = sqrt(grid.variance * *strength) /
			(sqrt(grid.variance * *strength) + fabs(grid.mean));
	if (period > 0)
		iterations = periodFollow(&grid, period, *strength);
	else
		iterations =
			g_array_new(FALSE, FALSE, sizeof(struct iteration));
	for (guint i = 0; i < iterations->len; i++) {
		const struct iteration *iteration =
			&g_array_index(iterations, struct iteration, i);

		sum += iteration->end - iteration->start;
	}
	if (iterations->len < PERIOD_LEAST ||
	    2 * (double)sum < grid.step * (double)grid.count) {
		g_array_set_size(iterations, 0);
		*strength = 0;
	}
	periodGridClear(&grid);
	return iterations;
}
