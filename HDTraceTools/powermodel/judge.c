/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which components the data can tell apart; see powermodel.h.
 *
 * The variance inflation of a component is 1 / (1 - R^2), where R^2 is the part
 * of its load that the loads of others explain (Belsley, Kuh, Welsch,
 * Regression Diagnostics, 1980). A large one means that very different
 * coefficients fit nearly as well. The others that explain it are refused with
 * it.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "HDTraceTools/powermodel/leastsquares.h"
#include "HDTraceTools/powermodel/powermodel.h"

/* Variance inflation above which components are refused: a correlation of
 * 0.98 between two of them. */
#define JUDGE_INFLATION 25
/* Less load than this has no effect: in points, and in bytes per second. */
#define JUDGE_POINTS 2
#define JUDGE_RATE 1e5
/* Constant load above this, in percent, is refused. */
#define JUDGE_CONSTANT 5

static bool judgeIsRate(int part)
{
	return part == MODEL_NETWORK || part == MODEL_READ ||
	       part == MODEL_WRITE;
}

/* ---- Range ------------------------------------------------------------- */

struct judgeRange {
	double least, most;
	bool isMissing; /**< Not recorded in a run. */
	bool isTold;    /**< Recorded in a run. */
};

static struct judgeRange judgeRangeOf(const struct modelFit *fit, int part)
{
	struct judgeRange range = { .least = INFINITY, .most = -INFINITY };

	for (guint i = 0; i < fit->runs->len; i++) {
		const struct modelRun *run = fit->runs->pdata[i];

		range.isMissing |= !run->loads[part];
		range.isTold |= run->loads[part] != NULL;
		for (size_t k = 0; k < run->count; k++) {
			double load = run->windows[k].load[part];

			range.least = fmin(range.least, load);
			range.most = fmax(range.most, load);
		}
	}
	return range;
}

static void judgeRefuseConstant(struct modelFit *fit, int part)
{
	struct modelRefusal refusal = { .isConstant = true };

	refusal.parts[part] = true;
	fit->shapes[part].verdict = MODEL_REFUSED;
	g_array_append_val(fit->refused, refusal);
}

/* Loads of rates are not percent yet. */
static void judgeRanges(struct modelFit *fit)
{
	for (int i = 0; i < MODEL_PARTS; i++) {
		struct modelShape *shape = &fit->shapes[i];
		struct judgeRange range = judgeRangeOf(fit, i);
		bool isRate = judgeIsRate(i) ||
			      (i == MODEL_BANDWIDTH && range.most > 1000);

		shape->verdict = MODEL_ABSENT;
		if (!range.isTold || range.most < range.least)
			continue;
		shape->verdict = MODEL_UNUSED;
		if (isRate) {
			shape->max = range.most;
			if (range.most - range.least >= JUDGE_RATE &&
			    !range.isMissing)
				shape->verdict = MODEL_FITTED;
		} else if (range.most - range.least >= JUDGE_POINTS) {
			shape->verdict = MODEL_FITTED;
		} else if (range.least >= JUDGE_CONSTANT && i < MODEL_MEMORY) {
			judgeRefuseConstant(fit, i);
		}
	}
}

/* ---- Dependence -------------------------------------------------------- */

/* Correlations of the loads of parts, over all windows. */
static void judgeCorrelate(const struct modelFit *fit, const int *parts,
			   size_t count, double *matrix)
{
	double mean[MODEL_PARTS] = { 0 };
	double windows = 0;

	memset(matrix, 0, count * count * sizeof(*matrix));
	for (guint r = 0; r < fit->runs->len; r++) {
		const struct modelRun *run = fit->runs->pdata[r];

		/* One pass, as Welford does. */
		for (size_t k = 0; k < run->count; k++) {
			const double *load = run->windows[k].load;
			double before[MODEL_PARTS];

			windows++;
			for (size_t i = 0; i < count; i++) {
				before[i] = load[parts[i]] - mean[i];
				mean[i] += before[i] / windows;
			}
			for (size_t i = 0; i < count * count; i++)
				matrix[i] += before[i / count] *
					     (load[parts[i % count]] -
					      mean[i % count]);
		}
	}
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < count; j++) {
			if (i != j)
				matrix[i * count + j] /=
					sqrt(matrix[i * count + i]) *
					sqrt(matrix[j * count + j]);
		}
	}
	for (size_t i = 0; i < count; i++)
		matrix[i * count + i] = 1;
}

/* Find the component with the largest inflation among those that are left;
 * -1: none is too large. Fully dependent ones have an infinite one. */
static int judgeWorst(const double *correlations, const bool *isLeft,
		      size_t count)
{
	double worst = JUDGE_INFLATION;
	int found = -1;

	for (size_t i = 0; i < count; i++) {
		double sub[MODEL_PARTS * MODEL_PARTS];
		double inflation = 1;
		size_t order[MODEL_PARTS], n = 0;

		if (!isLeft[i])
			continue;
		order[n++] = i;
		for (size_t j = 0; j < count; j++) {
			if (isLeft[j] && j != i)
				order[n++] = j;
		}
		for (size_t k = 0; k < n * n; k++)
			sub[k] = correlations[order[k / n] * count +
					      order[k % n]];
		inflation = leastSquaresInvert(sub, n) ? sub[0] : INFINITY;
		if (inflation > worst) {
			worst = inflation;
			found = (int)i;
		}
	}
	return found;
}

/* Whether the inflation of i falls to half or less without j. */
static bool judgeExplains(const double *correlations, const bool *isLeft,
			  size_t count, int i, size_t j)
{
	bool without[MODEL_PARTS];
	double sub[MODEL_PARTS * MODEL_PARTS];
	size_t order[MODEL_PARTS], n = 0;
	double left;

	if (!isLeft[j] || (int)j == i)
		return false;
	memcpy(without, isLeft, sizeof(without));
	without[j] = false;
	order[n++] = (size_t)i;
	for (size_t k = 0; k < count; k++) {
		if (without[k] && (int)k != i)
			order[n++] = k;
	}
	for (size_t k = 0; k < n * n; k++)
		sub[k] = correlations[order[k / n] * count + order[k % n]];
	left = leastSquaresInvert(sub, n) ? sub[0] : INFINITY;
	if (left <= JUDGE_INFLATION)
		return true;
	/* Several others explain it, each alone. */
	return fabs(correlations[(size_t)i * count + j]) > 0.98;
}

/* The staircases that tell all but one of the components apart. */
static char *judgeCommand(const bool *parts)
{
	GString *text = g_string_new(NULL);
	size_t count = 0, done = 0;

	for (int i = 0; i < MODEL_PARTS; i++)
		count += parts[i];
	for (int i = 0; i < MODEL_PARTS && done < MAX(count, 2) - 1; i++) {
		const char *name =
			modelPartNames[i == MODEL_CPU ? MODEL_CPU_INT : i];

		if (!parts[i])
			continue;
		g_string_append_printf(text,
				       "%shdload --staircase=%s "
				       "--level-time=60s -c pt.cfg -p %s",
				       done ? " && " : "", name, name);
		done++;
	}
	return g_string_free(text, FALSE);
}

static void judgeDependence(struct modelFit *fit)
{
	int parts[MODEL_PARTS];
	bool isLeft[MODEL_PARTS];
	double correlations[MODEL_PARTS * MODEL_PARTS];
	size_t count = 0;
	int worst;

	for (int i = 0; i < MODEL_PARTS; i++) {
		if (fit->shapes[i].verdict == MODEL_FITTED) {
			isLeft[count] = true;
			parts[count++] = i;
		}
	}
	judgeCorrelate(fit, parts, count, correlations);
	while ((worst = judgeWorst(correlations, isLeft, count)) >= 0) {
		struct modelRefusal refusal = { .isConstant = false };
		bool joins[MODEL_PARTS] = { false };

		for (size_t j = 0; j < count; j++)
			joins[j] = (int)j == worst ||
				   judgeExplains(correlations, isLeft, count,
						 worst, j);
		for (size_t j = 0; j < count; j++) {
			struct modelShape *shape = &fit->shapes[parts[j]];

			if (!joins[j])
				continue;
			isLeft[j] = false;
			refusal.parts[parts[j]] = true;
			shape->verdict = MODEL_REFUSED;
			/* The first one stands for all. */
			shape->isHidden = false;
		}
		isLeft[worst] = false;
		fit->shapes[parts[worst]].isHidden = true;
		g_array_append_val(fit->refused, refusal);
	}
}

void modelJudge(struct modelFit *fit)
{
	judgeRanges(fit);
	for (guint i = 0; i < fit->runs->len; i++)
		modelRunDivide(fit, fit->runs->pdata[i]);
	judgeDependence(fit);
	for (guint i = 0; i < fit->refused->len; i++) {
		struct modelRefusal *refusal =
			&g_array_index(fit->refused, struct modelRefusal, i);

		refusal->command = judgeCommand(refusal->parts);
	}
}

bool modelHasParts(const struct modelFit *fit)
{
	for (int i = 0; i < MODEL_PARTS; i++) {
		if (fit->shapes[i].verdict == MODEL_FITTED)
			return true;
	}
	return false;
}
