/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prediction of runs that were not fitted; see powermodel.h.
 *
 * Projects are left out one by one; a single one is divided into parts of its
 * time. Knots stay where the whole fit has them. Next to it, power = a + b cpu
 * is fitted to the same data. Errors are those of the written model: it does
 * not have the components that are refused, although the fit has a column for
 * them.
 */
#include "config.h"

#include <math.h>

#include "HDTraceTools/powermodel/design.h"

/* Parts of a single project. */
#define VALIDATE_PARTS 5

struct validation {
	const struct modelFit *fit;
	size_t fold;
	bool isInside;  /**< Windows of the fold, or all others. */
	bool isWritten; /**< Predict by the written model; else by the fit. */
};

static size_t validateFoldOf(const struct modelFit *fit,
			     const struct modelRun *run, size_t window)
{
	return fit->isByProject ? run->number
				: window * VALIDATE_PARTS / run->count;
}

static bool validateUses(const struct modelRun *run, size_t window, void *data)
{
	const struct validation *self = data;

	return (validateFoldOf(self->fit, run, window) == self->fold) ==
	       self->isInside;
}

/* Use of CPUs of any kind. */
static double validateCpu(const struct modelWindow *window)
{
	double cpu = 0;

	for (int i = 0; i <= MODEL_CPU_VECTOR; i++)
		cpu += window->load[i];
	return cpu;
}

/* Fit a straight line to all windows but those of a fold. */
static bool validateLine(struct validation *self, double *idle, double *slope)
{
	double count = 0, x = 0, y = 0, xx = 0, xy = 0;

	self->isInside = false;
	for (guint r = 0; r < self->fit->runs->len; r++) {
		const struct modelRun *run = self->fit->runs->pdata[r];

		for (size_t k = 0; k < run->count; k++) {
			double cpu = validateCpu(&run->windows[k]);
			double power = run->windows[k].power;
			double before = cpu - x;

			if (!validateUses(run, k, self))
				continue;
			count++;
			x += before / count;
			y += (power - y) / count;
			xy += before * (power - y);
			xx += before * (cpu - x);
		}
	}
	*slope = xx > 0 ? xy / xx : 0;
	*idle = y - *slope * x;
	return count > 0;
}

/* Errors of one run, as sums. */
struct validateSums {
	double squares, linear, relative;
	double count, powered;
};

static void validateAdd(struct validateSums *to,
			const struct validateSums *from)
{
	to->squares += from->squares;
	to->linear += from->linear;
	to->relative += from->relative;
	to->count += from->count;
	to->powered += from->powered;
}

static void validateRunFold(struct validation *self, const struct modelRun *run,
			    const struct leastSquares *squares, double idle,
			    double slope, struct validateSums *sums)
{
	double *row = g_new(double, squares->columns + 1);
	bool *isWritten = g_new(bool, squares->columns + 1);

	designMarkWritten(self->fit, isWritten);
	self->isInside = true;
	for (size_t k = 0; k < run->count; k++) {
		const struct modelWindow *window = &run->windows[k];
		double error = window->power;

		if (!validateUses(run, k, self))
			continue;
		designRow(self->fit, run, window, row);
		for (size_t i = 0; i < squares->columns; i++) {
			if (isWritten[i] || !self->isWritten)
				error -= squares->coefficients[i] * row[i];
		}
		sums->squares += error * error;
		sums->count++;
		if (window->power > 0) {
			sums->relative += 100 * fabs(error) / window->power;
			sums->powered++;
		}
		error = window->power - idle - slope * validateCpu(window);
		sums->linear += error * error;
	}
	g_free(isWritten);
	g_free(row);
}

static void validateFold(struct validation *self, struct validateSums *sums)
{
	const struct modelFit *fit = self->fit;
	struct leastSquares squares;
	double idle, slope;

	self->isInside = false;
	designBuildSome(fit, DESIGN_SLOPES, validateUses, self, &squares);
	if (leastSquaresFit(&squares) && validateLine(self, &idle, &slope)) {
		for (guint r = 0; r < fit->runs->len; r++)
			validateRunFold(self, fit->runs->pdata[r], &squares,
					idle, slope, &sums[r]);
	}
	leastSquaresFree(&squares);
}

static double validateRoot(double squares, double count)
{
	return count > 0 ? sqrt(squares / count) : NAN;
}

/* Predict everything; sums of each run, to be freed. */
static struct validateSums *validateAll(struct modelFit *fit, bool isByProject,
					bool isWritten)
{
	struct validateSums *sums = g_new0(struct validateSums, fit->runs->len);

	fit->isByProject = isByProject;
	fit->folds = fit->isByProject ? fit->projects : VALIDATE_PARTS;
	for (size_t fold = 0; fold < fit->folds; fold++) {
		struct validation self = { .fit = fit,
					   .fold = fold,
					   .isWritten = isWritten };

		validateFold(&self, sums);
	}
	return sums;
}

/* Squared errors of all runs; INFINITY if any run cannot be predicted. */
static double validateSquares(struct modelFit *fit)
{
	struct validateSums *sums = validateAll(fit, false, false);
	double squares = 0;

	for (guint r = 0; r < fit->runs->len; r++)
		squares += sums[r].count > 0 ? sums[r].squares : INFINITY;
	g_free(sums);
	return squares;
}

void modelSelect(struct modelFit *fit)
{
	double least = validateSquares(fit);

	for (;;) {
		int dropped = -1;

		for (int i = MODEL_CPU_VECTOR + 1; i < MODEL_PARTS; i++) {
			struct modelShape *shape = &fit->shapes[i];
			double squares;

			if (shape->verdict != MODEL_FITTED)
				continue;
			shape->verdict = MODEL_UNUSED;
			squares = modelHasParts(fit) ? validateSquares(fit)
						     : INFINITY;
			shape->verdict = MODEL_FITTED;
			if (squares <= least && isfinite(squares)) {
				least = squares;
				dropped = i;
			}
		}
		if (dropped < 0)
			return;
		fit->shapes[dropped].verdict = MODEL_UNUSED;
	}
}

void modelValidate(struct modelFit *fit)
{
	struct validateSums *sums = validateAll(fit, fit->projects > 1, true);
	struct validateSums all = { .count = 0 };

	/* Without a project, the others may not tell components apart. */
	for (guint r = 0; r < fit->runs->len && fit->isByProject; r++) {
		if (sums[r].count == 0) {
			g_free(sums);
			sums = validateAll(fit, false, true);
		}
	}
	for (guint r = 0; r < fit->runs->len; r++) {
		struct modelRun *run = fit->runs->pdata[r];
		double bias = 0;

		for (size_t k = 0; k < run->count; k++)
			bias += run->windows[k].power -
				modelPredict(fit, run, &run->windows[k]);
		run->bias = run->count ? bias / (double)run->count : NAN;
		run->error = validateRoot(sums[r].squares, sums[r].count);
		run->linear = validateRoot(sums[r].linear, sums[r].count);
		run->percent = sums[r].powered > 0
				       ? sums[r].relative / sums[r].powered
				       : NAN;
		validateAdd(&all, &sums[r]);
	}
	fit->error = validateRoot(all.squares, all.count);
	fit->linear = validateRoot(all.linear, all.count);
	fit->percent = all.powered > 0 ? all.relative / all.powered : NAN;
	fit->model.error = isnan(fit->error) ? 0 : fit->error;
	g_free(sums);
}

double modelPredict(const struct modelFit *fit, const struct modelRun *run,
		    const struct modelWindow *window)
{
	size_t count = designCount(fit, DESIGN_SLOPES), column = 1;
	double *row = g_new(double, count + 1);
	double power = fit->model.idle;

	designRow(fit, run, window, row);
	for (int i = 0; i < MODEL_PARTS; i++) {
		const struct modelShape *shape = &fit->shapes[i];

		if (!designHas(shape))
			continue;
		for (size_t k = 0; k <= shape->knotCount; k++, column++) {
			if (shape->verdict == MODEL_FITTED)
				power += shape->slopes[k] * row[column];
		}
	}
	g_free(row);
	return power;
}
