/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows and columns of a fit; see design.h. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "HDTraceTools/powermodel/design.h"

/* Change of load, in points, up to which a window is steady. */
#define DESIGN_STEADY 4
/* Powers of the time in a trend. */
#define DESIGN_TRENDS 3
/* R^2 of a load on a trend above which they are not told apart. */
#define DESIGN_TREND 0.7
#define DESIGN_TREND_WINDOWS 30
/* Windows of a segment, and how far their loads must be apart, in points. */
#define DESIGN_SEGMENT 5
#define DESIGN_SPREAD 3
/* A clock that changes by less is constant. */
#define DESIGN_CLOCK 0.05

size_t designCount(const struct modelFit *fit, enum designColumns columns)
{
	size_t count = 1;

	for (int i = 0; i < MODEL_PARTS; i++) {
		const struct modelShape *shape = &fit->shapes[i];

		if (designHas(shape))
			count += shape->knotCount + 1 +
				 (columns == DESIGN_ALL ? shape->knotCount : 0);
	}
	return count + (columns == DESIGN_ALL && fit->clockMhz > 0);
}

size_t designColumnOfKnot(const struct modelFit *fit, int part)
{
	size_t column = designCount(fit, DESIGN_SLOPES);

	for (int i = 0; i < part; i++) {
		if (designHas(&fit->shapes[i]))
			column += fit->shapes[i].knotCount;
	}
	return column;
}

/* What the clock multiplies the power of CPUs with. */
static double designFactor(const struct modelFit *fit, int part, double clock)
{
	if (fit->clockMhz <= 0 || part > MODEL_CPU_VECTOR || isnan(clock))
		return 1;
	return pow(clock / fit->clockMhz, fit->clockExponent);
}

void designRow(const struct modelFit *fit, const struct modelRun *run,
	       const struct modelWindow *window, double *row)
{
	*row++ = 1;
	for (int i = 0; i < MODEL_PARTS; i++) {
		const struct modelShape *shape = &fit->shapes[i];
		double scale = shape->max > 0 ? shape->max / 100 : 1;
		double factor, known, from = 0;

		if (!designHas(shape))
			continue;
		factor = designFactor(fit, i, window->clock);
		if (shape->knotCount == 0 || !run->loads[i]) {
			*row++ = factor * window->load[i];
			for (size_t k = 0; k < shape->knotCount; k++)
				*row++ = 0;
			continue;
		}
		for (size_t k = 0; k <= shape->knotCount; k++) {
			double to = k < shape->knotCount ? shape->knots[k]
							 : INFINITY;

			*row++ = factor *
				 modelMean(run->loads[i], window->start,
					   window->end, from * scale,
					   to * scale, &known) /
				 scale;
			from = to;
		}
	}
}

void designMarkWritten(const struct modelFit *fit, bool *isWritten)
{
	*isWritten++ = true;
	for (int i = 0; i < MODEL_PARTS; i++) {
		const struct modelShape *shape = &fit->shapes[i];

		if (!designHas(shape))
			continue;
		for (size_t k = 0; k <= shape->knotCount; k++)
			*isWritten++ = shape->verdict == MODEL_FITTED;
	}
}

/* Part of a window in which a load is above a knot. */
static double designAbove(const struct modelFit *fit,
			  const struct modelRun *run,
			  const struct modelWindow *window, int part,
			  double knot)
{
	const struct modelShape *shape = &fit->shapes[part];
	double scale = shape->max > 0 ? shape->max / 100 : 1;
	double known;

	if (!run->loads[part])
		return 0;
	/* A narrow ramp around the knot: noise of load is no step. */
	return modelMean(run->loads[part], window->start, window->end,
			 (knot - 0.05) * scale, (knot + 0.05) * scale, &known) /
	       (0.1 * scale);
}

/* Derivatives by knots, and by the exponent of the clock. */
static void designDerive(const struct modelFit *fit, const struct modelRun *run,
			 const struct modelWindow *window, const double *slopes,
			 double *row)
{
	double byClock = 0;
	size_t column = 1;

	for (int i = 0; i < MODEL_PARTS; i++) {
		const struct modelShape *shape = &fit->shapes[i];
		double factor = designFactor(fit, i, window->clock);

		if (!designHas(shape))
			continue;
		for (size_t k = 0; k < shape->knotCount; k++)
			*row++ = factor *
				 (shape->slopes[k] - shape->slopes[k + 1]) *
				 designAbove(fit, run, window, i,
					     shape->knots[k]);
		for (size_t k = 0; k <= shape->knotCount; k++, column++) {
			if (i <= MODEL_CPU_VECTOR && fit->clockMhz > 0 &&
			    !isnan(window->clock))
				byClock += shape->slopes[k] * slopes[column] *
					   log(window->clock / fit->clockMhz);
		}
	}
	if (fit->clockMhz > 0)
		*row = byClock;
}

/* ---- Trends ------------------------------------------------------------ */

static double designDot(const double *a, const double *b, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += a[i] * b[i];
	return sum;
}

/* A power of the time of a run, from -1 to 1. */
static double designPower(const struct modelRun *run, size_t window, int power)
{
	double first = (double)run->windows[0].start;
	double length = (double)run->windows[run->count - 1].start - first;
	double at = (double)run->windows[window].start - first;

	return pow(length > 0 ? 2 * at / length - 1 : 0, power);
}

/* Powers of the time at some windows, orthonormal to each other. Over the whole
 * run, the mean of each is 0, so that idle power is that of the whole run. */
static void designTrends(const struct modelRun *run, const size_t *windows,
			 size_t count, double **trends)
{
	for (int t = 0; t < DESIGN_TRENDS; t++) {
		double mean = 0, length;

		for (size_t k = 0; k < run->count; k++)
			mean += designPower(run, k, t + 1) / (double)run->count;
		for (size_t i = 0; i < count; i++)
			trends[t][i] =
				designPower(run, windows[i], t + 1) - mean;
		for (int k = 0; k < t; k++) {
			double part = designDot(trends[t], trends[k], count);

			for (size_t i = 0; i < count; i++)
				trends[t][i] -= part * trends[k][i];
		}
		length = sqrt(designDot(trends[t], trends[t], count));
		for (size_t i = 0; i < count; i++)
			trends[t][i] /= length > 0 ? length : 1;
	}
}

static void designNewTrends(size_t count, double **trends)
{
	for (int t = 0; t < DESIGN_TRENDS; t++)
		trends[t] = g_new(double, count + 1);
}

static void designFreeTrends(double **trends)
{
	for (int t = 0; t < DESIGN_TRENDS; t++)
		g_free(trends[t]);
}

/* Take trends out of a vector whose elements are a stride apart. */
static void designRemove(double *vector, size_t stride, const double *trend,
			 size_t count)
{
	double part = 0;

	for (size_t i = 0; i < count; i++)
		part += vector[i * stride] * trend[i];
	for (size_t i = 0; i < count; i++)
		vector[i * stride] -= part * trend[i];
}

static void designDetrend(struct leastSquares *squares,
			  const struct modelRun *run, const size_t *windows,
			  size_t first, size_t count)
{
	double *trends[DESIGN_TRENDS];
	size_t n = squares->columns;

	designNewTrends(count, trends);
	designTrends(run, windows, count, trends);
	for (int t = 0; t < DESIGN_TRENDS; t++) {
		for (size_t c = 0; c < n; c++)
			designRemove(&squares->x[first * n + c], n, trends[t],
				     count);
		designRemove(&squares->y[first], 1, trends[t], count);
	}
	squares->lost += DESIGN_TRENDS;
	designFreeTrends(trends);
}

/* ---- The whole --------------------------------------------------------- */

static bool designUsesAll(const struct modelRun *run, size_t window, void *data)
{
	const struct modelFit *fit = data;

	return !fit->isSteadyOnly || run->windows[window].isSteady;
}

static size_t designAddRun(const struct modelFit *fit,
			   const struct modelRun *run, guint number,
			   enum designColumns columns, designUses *uses,
			   void *data, struct leastSquares *squares)
{
	size_t *windows = g_new(size_t, run->count + 1);
	size_t slopes = designCount(fit, DESIGN_SLOPES);
	size_t count = 0, first = squares->rows;

	for (size_t k = 0; k < run->count; k++) {
		size_t at = squares->rows;
		double *row = &squares->x[at * squares->columns];

		if (!uses(run, k, data))
			continue;
		designRow(fit, run, &run->windows[k], row);
		if (columns == DESIGN_ALL)
			designDerive(fit, run, &run->windows[k], row,
				     row + slopes);
		squares->y[at] = run->windows[k].power;
		squares->run[at] = number;
		squares->rows++;
		windows[count++] = k;
	}
	if (run->hasDrift && count > DESIGN_TRENDS + 1)
		designDetrend(squares, run, windows, first, count);
	g_free(windows);
	return count;
}

void designBuildSome(const struct modelFit *fit, enum designColumns columns,
		     designUses *uses, void *data, struct leastSquares *squares)
{
	size_t rows = 0;

	for (guint r = 0; r < fit->runs->len; r++)
		rows += ((const struct modelRun *)fit->runs->pdata[r])->count;
	leastSquaresInit(squares, rows, designCount(fit, columns));
	squares->rows = 0;
	for (guint r = 0; r < fit->runs->len; r++)
		designAddRun(fit, fit->runs->pdata[r], r, columns, uses, data,
			     squares);
}

void designBuild(const struct modelFit *fit, enum designColumns columns,
		 struct leastSquares *squares)
{
	designBuildSome(fit, columns, designUsesAll, (void *)fit, squares);
}

/* ---- Properties of the data -------------------------------------------- */

bool designIsSteady(const struct modelFit *fit, const struct modelRun *run,
		    size_t window)
{
	const struct modelWindow *here = &run->windows[window];

	for (int i = 0; i < MODEL_PARTS; i++) {
		if (!designHas(&fit->shapes[i]))
			continue;
		for (size_t k = window > 0 ? window - 1 : 0;
		     k <= window + 1 && k < run->count; k++) {
			if (fabs(run->windows[k].load[i] - here->load[i]) >
			    DESIGN_STEADY)
				return false;
		}
	}
	return true;
}

bool designKeepsLoads(const struct modelFit *fit)
{
	for (int i = 0; i < MODEL_PARTS; i++) {
		double counts[2] = { 0 }, means[2] = { 0 }, squares[2] = { 0 };

		if (!designHas(&fit->shapes[i]))
			continue;
		for (guint r = 0; r < fit->runs->len; r++) {
			const struct modelRun *run = fit->runs->pdata[r];

			for (size_t k = 0; k < run->count; k++) {
				double load = run->windows[k].load[i];

				for (int s = 0; s <= run->windows[k].isSteady;
				     s++) {
					double before = load - means[s];

					counts[s]++;
					means[s] += before / counts[s];
					squares[s] +=
						before * (load - means[s]);
				}
			}
		}
		if (squares[1] < squares[0] / 4)
			return false;
	}
	return true;
}

bool designCanDrift(const struct modelFit *fit, const struct modelRun *run)
{
	double *trends[DESIGN_TRENDS], *load;
	size_t *windows;
	bool isGood = true;

	if (run->count < DESIGN_TREND_WINDOWS)
		return false;
	designNewTrends(run->count, trends);
	load = g_new(double, run->count);
	windows = g_new(size_t, run->count);
	for (size_t k = 0; k < run->count; k++)
		windows[k] = k;
	designTrends(run, windows, run->count, trends);
	for (int i = 0; i < MODEL_PARTS && isGood; i++) {
		double mean = 0, all, trend = 0;

		if (!designHas(&fit->shapes[i]))
			continue;
		for (size_t k = 0; k < run->count; k++)
			mean += run->windows[k].load[i] / (double)run->count;
		for (size_t k = 0; k < run->count; k++)
			load[k] = run->windows[k].load[i] - mean;
		all = designDot(load, load, run->count);
		for (int t = 0; t < DESIGN_TRENDS; t++)
			trend += pow(designDot(load, trends[t], run->count), 2);
		isGood = all <= 0 || trend < DESIGN_TREND * all;
	}
	designFreeTrends(trends);
	g_free(load);
	g_free(windows);
	return isGood;
}

bool designHasLoads(const struct modelFit *fit, int part)
{
	const struct modelShape *shape = &fit->shapes[part];
	size_t counts[MODEL_KNOTS_MAX + 1] = { 0 };
	double least[MODEL_KNOTS_MAX + 1], most[MODEL_KNOTS_MAX + 1];

	for (guint r = 0; r < fit->runs->len; r++) {
		const struct modelRun *run = fit->runs->pdata[r];

		for (size_t k = 0; k < run->count; k++) {
			double load = run->windows[k].load[part];
			size_t s = 0;

			if (fit->isSteadyOnly && !run->windows[k].isSteady)
				continue;
			while (s < shape->knotCount && load > shape->knots[s])
				s++;
			least[s] = counts[s] ? fmin(least[s], load) : load;
			most[s] = counts[s] ? fmax(most[s], load) : load;
			counts[s]++;
		}
	}
	for (size_t s = 0; s <= shape->knotCount; s++) {
		if (counts[s] < DESIGN_SEGMENT ||
		    most[s] - least[s] < DESIGN_SPREAD)
			return false;
	}
	return true;
}

double designClock(const struct modelFit *fit)
{
	double least = INFINITY, most = 0;
	bool hasCpu = false;

	for (int i = 0; i <= MODEL_CPU_VECTOR; i++)
		hasCpu |= fit->shapes[i].verdict == MODEL_FITTED;
	for (guint r = 0; r < fit->runs->len; r++) {
		const struct modelRun *run = fit->runs->pdata[r];

		for (size_t k = 0; k < run->count; k++) {
			if (!(run->windows[k].clock > 0))
				return 0;
			least = fmin(least, run->windows[k].clock);
			most = fmax(most, run->windows[k].clock);
		}
	}
	return hasCpu && most - least > DESIGN_CLOCK * most ? most : 0;
}
