/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The fit of a power model; see powermodel.h.
 *
 * The columns of a component are the parts of its load in each segment, so that
 * coefficients are slopes. A knot and the exponent of the clock are found by
 * steps of Gauss and Newton: their derivatives are columns, too. So intervals
 * of slopes take into account that they were found from the same data.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "HDTraceTools/powermodel/design.h"

/* Windows at least. */
#define FIT_WINDOWS 20
/* A knot, a trend and a clock must improve n ln(squares) by this. */
#define FIT_GAIN 25
/* A knot changes the slope by this fraction of the larger slope at least. */
#define FIT_BEND 0.1
/* Knots are looked for between these loads, in percent. */
#define FIT_FIRST 8
#define FIT_LAST 92
#define FIT_STEP 4
/* Smallest segment, in percent. */
#define FIT_SEGMENT 8
#define FIT_ROUNDS 12

static double fitTry(const struct modelFit *fit, double *rows)
{
	struct leastSquares squares;
	double result = INFINITY;

	designBuild(fit, DESIGN_SLOPES, &squares);
	if (leastSquaresFit(&squares)) {
		result = squares.squares;
		if (rows)
			*rows = leastSquaresRows(&squares);
	}
	leastSquaresFree(&squares);
	return result;
}

/* Store the slopes of a fit. */
static void fitTake(struct modelFit *fit, const struct leastSquares *squares)
{
	size_t column = 1;

	fit->model.idle = squares->coefficients[0];
	for (int i = 0; i < MODEL_PARTS; i++) {
		struct modelShape *shape = &fit->shapes[i];

		if (!designHas(shape))
			continue;
		for (size_t k = 0; k <= shape->knotCount; k++)
			shape->slopes[k] = squares->coefficients[column++];
	}
}

static bool fitSlopes(struct modelFit *fit)
{
	struct leastSquares squares;
	bool isGood;

	designBuild(fit, DESIGN_SLOPES, &squares);
	isGood = leastSquaresFit(&squares);
	if (isGood)
		fitTake(fit, &squares);
	leastSquaresFree(&squares);
	return isGood;
}

/* ---- Steady windows ---------------------------------------------------- */

/* A change of load inside a window makes its mean load something that power was
 * never measured at, and a wrong delay makes it worse. */
static void fitMarkSteady(struct modelFit *fit)
{
	size_t steady = 0, all = 0;

	for (guint r = 0; r < fit->runs->len; r++) {
		struct modelRun *run = fit->runs->pdata[r];

		all += run->count;
		for (size_t k = 0; k < run->count; k++) {
			run->windows[k].isSteady = designIsSteady(fit, run, k);
			steady += run->windows[k].isSteady;
		}
	}
	fit->isSteadyOnly = steady >= FIT_WINDOWS * 2 && steady >= all / 2 &&
			    designKeepsLoads(fit);
}

/* ---- Trends ------------------------------------------------------------ */

static void fitDrift(struct modelFit *fit)
{
	double without = fitTry(fit, NULL);

	for (guint r = 0; r < fit->runs->len; r++) {
		struct modelRun *run = fit->runs->pdata[r];
		double with, rows = 0;

		if (!designCanDrift(fit, run))
			continue;
		run->hasDrift = true;
		with = fitTry(fit, &rows);
		/* Neighbours that depend on each other look like a trend; so
		 * the rows count that are worth independent ones. */
		if (rows * log(without / with) > FIT_GAIN)
			without = with;
		else
			run->hasDrift = false;
	}
}

/* ---- Knots ------------------------------------------------------------- */

static void fitSortKnots(struct modelShape *shape)
{
	if (shape->knotCount == 2 && shape->knots[0] > shape->knots[1]) {
		double knot = shape->knots[0];

		shape->knots[0] = shape->knots[1];
		shape->knots[1] = knot;
	}
}

/* Whether knots are apart, and inside. */
static bool fitIsValid(const struct modelShape *shape)
{
	double before = 0;

	for (size_t k = 0; k < shape->knotCount; k++) {
		if (shape->knots[k] - before < FIT_SEGMENT)
			return false;
		before = shape->knots[k];
	}
	return shape->knotCount == 0 || before <= 100 - FIT_SEGMENT;
}

/* Move the knots of a component to the nearest minimum. */
static void fitRefineKnots(struct modelFit *fit, int part)
{
	struct modelShape *shape = &fit->shapes[part];
	double least = fitTry(fit, NULL);

	for (int round = 0; round < FIT_ROUNDS; round++) {
		struct modelShape before = *shape;
		struct leastSquares squares;
		double now = INFINITY, largest = 0;

		if (!fitSlopes(fit))
			return;
		before = *shape;
		designBuild(fit, DESIGN_ALL, &squares);
		if (leastSquaresFit(&squares)) {
			size_t column = designColumnOfKnot(fit, part);

			for (size_t k = 0; k < shape->knotCount; k++) {
				double step =
					CLAMP(squares.coefficients[column + k],
					      -4, 4);

				shape->knots[k] += step;
				largest = fmax(largest, fabs(step));
			}
			now = fitIsValid(shape) ? fitTry(fit, NULL) : INFINITY;
		}
		leastSquaresFree(&squares);
		if (!(now < least)) {
			*shape = before;
			return;
		}
		least = now;
		if (largest < 0.01)
			return;
	}
}

/* Put one more knot where it helps most; whether it helps enough. */
static bool fitAddKnot(struct modelFit *fit, int part)
{
	struct modelShape *shape = &fit->shapes[part];
	struct modelShape before = *shape, best = *shape;
	double rows = 0, least = INFINITY, largest = 0, bend = 0;
	double without = fitTry(fit, NULL);

	for (double knot = FIT_FIRST; knot <= FIT_LAST; knot += FIT_STEP) {
		double squares;

		*shape = before;
		shape->knots[shape->knotCount++] = knot;
		fitSortKnots(shape);
		if (!fitIsValid(shape) || !designHasLoads(fit, part))
			continue;
		squares = fitTry(fit, NULL);
		if (squares < least) {
			least = squares;
			best = *shape;
		}
	}
	*shape = best;
	if (best.knotCount == before.knotCount)
		return false;
	fitRefineKnots(fit, part);
	fitSortKnots(shape);
	least = fitTry(fit, &rows);
	fitSlopes(fit);
	for (size_t k = 0; k <= shape->knotCount; k++) {
		largest = fmax(largest, fabs(shape->slopes[k]));
		if (k > 0)
			bend = fmax(bend, fabs(shape->slopes[k] -
					       shape->slopes[k - 1]));
	}
	if (rows * log(without / least) > FIT_GAIN &&
	    bend > FIT_BEND * largest && designHasLoads(fit, part))
		return true;
	*shape = before;
	return false;
}

static void fitKnots(struct modelFit *fit)
{
	for (int i = 0; i < MODEL_PARTS; i++) {
		if (fit->shapes[i].verdict != MODEL_FITTED)
			continue;
		while (fit->shapes[i].knotCount < MODEL_KNOTS_MAX &&
		       fitAddKnot(fit, i))
			;
	}
}

/* ---- Clock ------------------------------------------------------------- */

/* Find the exponent at which the clock explains power best. */
static void fitClock(struct modelFit *fit)
{
	double rows = 0, without = fitTry(fit, NULL);
	double least = without, best = 0;

	fit->clockMhz = designClock(fit);
	if (fit->clockMhz <= 0)
		return;
	for (double exponent = 0.25; exponent <= 4; exponent += 0.25) {
		double squares;

		fit->clockExponent = exponent;
		squares = fitTry(fit, NULL);
		if (squares < least) {
			least = squares;
			best = exponent;
		}
	}
	for (double step = 0.125; best > 0 && step > 1e-3; step /= 2) {
		for (int sign = -1; sign <= 1; sign += 2) {
			double squares;

			fit->clockExponent = best + sign * step;
			squares = fitTry(fit, NULL);
			if (squares < least) {
				least = squares;
				best = fit->clockExponent;
			}
		}
	}
	fit->clockExponent = best;
	fitTry(fit, &rows);
	if (rows * log(without / least) <= FIT_GAIN) {
		fit->clockMhz = 0;
		fit->clockExponent = 0;
	}
}

/* ---- The whole --------------------------------------------------------- */

static void fitAddComponent(struct modelFit *fit, int part,
			    const struct leastSquares *squares, size_t column,
			    double factor)
{
	const struct modelShape *shape = &fit->shapes[part];
	struct hdPowerComponent *to = &fit->model.components[fit->model.count];

	if (shape->verdict != MODEL_FITTED)
		return;
	*to = (struct hdPowerComponent){ .segments = shape->knotCount + 1,
					 .max = shape->max };
	g_strlcpy(to->name, modelPartNames[part], sizeof(to->name));
	for (size_t k = 0; k < to->segments; k++) {
		double error = factor * squares->errors[column + k];

		to->slope[k] = squares->coefficients[column + k];
		to->low[k] = to->slope[k] - error;
		to->high[k] = to->slope[k] + error;
		if (k < shape->knotCount)
			to->knots[k] = shape->knots[k];
	}
	if (fit->clockMhz > 0 && part <= MODEL_CPU_VECTOR) {
		to->clockMhz = fit->clockMhz;
		to->clockExponent = fit->clockExponent;
	}
	fit->model.count++;
}

/* Store coefficients with intervals that hold together. */
static void fitFinish(struct modelFit *fit, const struct leastSquares *squares)
{
	size_t count = 1, column = 1;
	double factor;

	for (int i = 0; i < MODEL_PARTS; i++) {
		if (fit->shapes[i].verdict == MODEL_FITTED)
			count += fit->shapes[i].knotCount + 1;
	}
	factor = leastSquaresFactor(count,
				    fmax(1, (double)squares->rows -
						    (double)squares->columns -
						    (double)squares->lost));
	fit->model.idle = squares->coefficients[0];
	fit->model.idleLow = fit->model.idle - factor * squares->errors[0];
	fit->model.idleHigh = fit->model.idle + factor * squares->errors[0];
	fit->model.count = 0;
	for (int i = 0; i < MODEL_PARTS; i++) {
		if (!designHas(&fit->shapes[i]))
			continue;
		fitAddComponent(fit, i, squares, column, factor);
		column += fit->shapes[i].knotCount + 1;
	}
}

bool modelFitAll(struct modelFit *fit)
{
	struct leastSquares squares;
	bool isGood;

	fitMarkSteady(fit);
	designBuild(fit, DESIGN_SLOPES, &squares);
	fit->windows = squares.rows;
	isGood = squares.rows >= FIT_WINDOWS && leastSquaresFit(&squares);
	leastSquaresFree(&squares);
	if (!isGood)
		return false;
	modelSelect(fit);
	fitDrift(fit);
	fitKnots(fit);
	fitClock(fit);
	if (!fitSlopes(fit))
		return false;
	designBuild(fit, DESIGN_ALL, &squares);
	isGood = leastSquaresFit(&squares);
	if (!isGood) {
		/* A knot that nothing holds. */
		leastSquaresFree(&squares);
		designBuild(fit, DESIGN_SLOPES, &squares);
		isGood = leastSquaresFit(&squares);
	}
	if (isGood) {
		leastSquaresErrors(&squares);
		fitFinish(fit, &squares);
	}
	leastSquaresFree(&squares);
	return isGood;
}
