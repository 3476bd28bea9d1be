/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Results of levels, and the limits of SPEC; see levels.h.
 *
 * Limits: SPECpower_ssj2008, Design Overview and Run and Reporting Rules: three
 * calibrations, whose last two make 100 %; eleven levels of 240 s from 100 % to
 * active idle, with 10 s between them; operations per second within +2/-2.5
 * points of the targets 100 % and 90 %, and within 2 points of the others.
 *
 * Energy proportionality: F. Ryckbosch, S. Polfliet, L. Eeckhout, Trends in
 * Server Energy Proportionality, IEEE Computer 44(9), 2011.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "HDTraceTools/loads/levels.h"

#define SPEC_CALIBRATIONS 3
#define SPEC_LEVEL_NS INT64_C(240000000000)
#define SPEC_PAUSE_NS INT64_C(10000000000)
/* In percent. */
#define SPEC_ABOVE 2.0
#define SPEC_BELOW 2.0
#define SPEC_BELOW_HIGH 2.5
#define SPEC_HIGH 90.0
/* Rounding of differences. */
#define SPEC_ROUNDING 1e-9

/* ---- Order and runs ---------------------------------------------------- */

static int levelsCompare(const void *a, const void *b)
{
	const struct level *x = a, *y = b;

	if (x->node != y->node)
		return strcmp(x->node->path, y->node->path);
	if (x->start != y->start)
		return (x->start > y->start) - (x->start < y->start);
	return g_strcmp0(x->component, y->component);
}

/* A level without a component belongs to any run. */
static bool levelsAreSameRun(const struct levelRun *run,
			     const struct level *level)
{
	return run->node == level->node &&
	       (!run->component || !level->component ||
		strcmp(run->component, level->component) == 0);
}

static size_t levelsFindRun(struct levels *levels, const struct level *level)
{
	struct levelRun run = { .node = level->node,
				.component = level->component,
				.sumOperationsPerJ = NAN,
				.dynamicRange = NAN,
				.idleToPeak = NAN,
				.proportionality = NAN };

	for (guint i = levels->runs->len; i > 0; i--) {
		struct levelRun *old = levelsRunAt(levels, i - 1);

		if (!levelsAreSameRun(old, level))
			continue;
		if (!old->component)
			old->component = level->component;
		return i - 1;
	}
	run.reasons = g_ptr_array_new_with_free_func(g_free);
	g_array_append_val(levels->runs, run);
	return levels->runs->len - 1;
}

/* Whether a level counts in a run. */
static bool levelsIsIn(const struct level *level, size_t run)
{
	return level->run == run && !level->isCalibration;
}

/* ---- Scaled load ------------------------------------------------------- */

/* The mean at a target; NaN: no level has it, or one is unknown. */
static double levelsMeanAt(const struct levels *levels, size_t run,
			   double target, double (*get)(const struct level *))
{
	double sum = 0;
	int count = 0;

	for (guint i = 0; i < levels->list->len; i++) {
		const struct level *level = levelsAt(levels, i);

		if (!levelsIsIn(level, run) || level->target != target)
			continue;
		sum += get(level);
		count++;
	}
	return count ? sum / count : NAN;
}

static double levelsReached(const struct level *level)
{
	return level->reached;
}

/* The highest load of a run. */
static double levelsHighest(const struct levels *levels, size_t run,
			    double (*get)(const struct level *))
{
	double highest = NAN;

	for (guint i = 0; i < levels->list->len; i++) {
		if (levelsIsIn(levelsAt(levels, i), run))
			highest = fmax(highest, get(levelsAt(levels, i)));
	}
	return highest;
}

/* Whether targets have to be guessed: no level of the run has one. */
static bool levelsAreGuessed(const struct levels *levels, size_t run)
{
	for (guint i = 0; i < levels->list->len; i++) {
		const struct level *level = levelsAt(levels, i);

		if (levelsIsIn(level, run) && !isnan(level->target))
			return false;
	}
	return true;
}

static void levelsScale(struct levels *levels, size_t run)
{
	double (*get)(const struct level *) = levelsReached;
	bool isGuessed = levelsAreGuessed(levels, run);
	double full;

	if (isnan(levelsHighest(levels, run, get)))
		get = levelRate;
	full = isGuessed ? levelsHighest(levels, run, get)
			 : levelsMeanAt(levels, run, 100, get);
	for (guint i = 0; i < levels->list->len; i++) {
		struct level *level = levelsAt(levels, i);

		if (!levelsIsIn(level, run) || !(full > 0))
			continue;
		level->scaled = 100 * (get(level) / full);
		if (isGuessed && level->isTargetGuessed)
			level->target = 10 * round(level->scaled / 10);
	}
}

/* ---- Ratios ------------------------------------------------------------ */

static int levelsCompareNumbers(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The integral of P over the target from 0 to 1, by trapezoid. */
static double levelsIntegrate(const struct levels *levels, size_t run)
{
	double *targets = g_new(double, levels->list->len + 1);
	double area = 0, before = NAN, beforeW = NAN;
	size_t count = 0;

	for (guint i = 0; i < levels->list->len; i++) {
		const struct level *level = levelsAt(levels, i);

		if (levelsIsIn(level, run) && !isnan(level->target))
			targets[count++] = level->target;
	}
	qsort(targets, count, sizeof(*targets), levelsCompareNumbers);
	if (count == 0 || targets[0] != 0 || targets[count - 1] != 100)
		area = NAN;
	for (size_t i = 0; i < count; i++) {
		double power;

		if (targets[i] == before)
			continue;
		power = levelsMeanAt(levels, run, targets[i], levelPower);
		if (i > 0)
			area += (power + beforeW) / 2 * (targets[i] - before) /
				100;
		before = targets[i];
		beforeW = power;
	}
	g_free(targets);
	return area;
}

static void levelsCompareWithPeak(struct levels *levels, size_t number)
{
	struct levelRun *run = levelsRunAt(levels, (guint)number);
	double peak = levelsMeanAt(levels, number, 100, levelPower);
	double idle = levelsMeanAt(levels, number, 0, levelPower);

	if (!(peak > 0))
		return;
	run->dynamicRange = (peak - idle) / peak;
	run->idleToPeak = idle / peak;
	run->proportionality =
		1 - (levelsIntegrate(levels, number) / peak - 0.5) / 0.5;
}

/* Idle levels have no operations, whether or not they say so. */
static void levelsSum(struct levels *levels, size_t number)
{
	struct levelRun *run = levelsRunAt(levels, (guint)number);
	double rate = 0, power = 0;
	bool isCounted = false;

	for (guint i = 0; i < levels->list->len; i++) {
		const struct level *level = levelsAt(levels, i);

		if (!levelsIsIn(level, number))
			continue;
		isCounted |= !isnan(level->operations);
		if (level->target != 0 || !isnan(level->operations))
			rate += levelRate(level);
		power += levelPower(level);
	}
	if (isCounted && power > 0)
		run->sumOperationsPerJ = rate / power;
}

/* ---- The limits of SPEC ------------------------------------------------ */

static void levelsRefuse(struct levels *levels, size_t run, char *reason)
{
	g_ptr_array_add(levelsRunAt(levels, (guint)run)->reasons, reason);
}

/* The mean rate of calibrations without the first; NaN: too few. */
static double levelsCalibrated(const struct levels *levels, size_t run,
			       int *count)
{
	double sum = 0;

	*count = 0;
	for (guint i = 0; i < levels->list->len; i++) {
		const struct level *level = levelsAt(levels, i);

		if (level->run != run || !level->isCalibration)
			continue;
		if ((*count)++ > 0)
			sum += levelRate(level);
	}
	return *count < SPEC_CALIBRATIONS ? NAN : sum / (*count - 1);
}

static bool levelsIsLong(const struct level *level)
{
	return level->end - level->start >= SPEC_LEVEL_NS;
}

/* Why a level misses the limits, to be freed; NULL: it does not. */
static char *levelsMiss(const struct level *level, double calibrated)
{
	double below =
		level->target >= SPEC_HIGH ? SPEC_BELOW_HIGH : SPEC_BELOW;
	double part = 100 * levelRate(level) / calibrated;
	double difference = part - level->target;

	if (!levelsIsLong(level))
		return g_strdup_printf("%.1f s long; expected 240 s",
				       (double)(level->end - level->start) /
					       1e9);
	if (level->target == 0 || isnan(difference))
		return NULL;
	if (difference <= SPEC_ABOVE + SPEC_ROUNDING &&
	    difference >= -below - SPEC_ROUNDING)
		return NULL;
	return g_strdup_printf("%.1f %% of the calibrated rate; expected "
			       "%.1f to %.1f",
			       part, level->target - below,
			       level->target + SPEC_ABOVE);
}

static void levelsJudge(struct levels *levels, struct level *level,
			double calibrated)
{
	bool isKnown = level->target == 0 ||
		       !isnan(level->target + levelRate(level) + calibrated);

	level->reason = levelsMiss(level, calibrated);
	level->valid = level->reason ? LEVEL_INVALID
		       : isKnown     ? LEVEL_VALID
				     : LEVEL_UNKNOWN;
	if (level->reason && levelsIsLong(level))
		levelsRefuse(levels, level->run,
			     g_strdup_printf("%g %%: %s", level->target,
					     level->reason));
}

/* Count levels, or calibrations, that are too short. */
static void levelsJudgeLengths(struct levels *levels, size_t run,
			       bool isCalibration)
{
	int count = 0, shorts = 0;

	for (guint i = 0; i < levels->list->len; i++) {
		const struct level *level = levelsAt(levels, i);

		if (level->run != run || level->isCalibration != isCalibration)
			continue;
		count++;
		shorts += !levelsIsLong(level);
	}
	if (shorts)
		levelsRefuse(levels, run,
			     g_strdup_printf("%d of %d %s shorter than 240 s",
					     shorts, count,
					     isCalibration ? "calibrations"
							   : "levels"));
}

static void levelsJudgeCalibrations(struct levels *levels, size_t run,
				    int count)
{
	if (count < SPEC_CALIBRATIONS)
		levelsRefuse(levels, run,
			     g_strdup_printf("%d calibrations; expected %d",
					     count, SPEC_CALIBRATIONS));
	for (guint i = 0; i < levels->list->len; i++) {
		struct level *level = levelsAt(levels, i);

		if (level->run == run && level->isCalibration)
			level->valid = levelsIsLong(level) ? LEVEL_VALID
							   : LEVEL_INVALID;
	}
}

/* Levels whose rate, or whose target, is unknown. */
static void levelsJudgeUnknown(struct levels *levels, size_t run)
{
	int count = 0;

	for (guint i = 0; i < levels->list->len; i++) {
		const struct level *level = levelsAt(levels, i);

		count +=
			levelsIsIn(level, run) &&
			(level->valid == LEVEL_UNKNOWN || isnan(level->target));
	}
	if (count)
		levelsRefuse(levels, run,
			     g_strdup_printf("%d levels without a known rate",
					     count));
}

static void levelsJudgePauses(struct levels *levels, size_t run)
{
	const struct level *before = NULL;

	for (guint i = 0; i < levels->list->len; i++) {
		const struct level *level = levelsAt(levels, i);

		if (level->run != run)
			continue;
		if (before && level->start - before->end < SPEC_PAUSE_NS) {
			levelsRefuse(
				levels, run,
				g_strdup_printf(
					"pause of %.1f s; expected 10 s",
					(double)(level->start - before->end) /
						1e9));
			return;
		}
		before = level;
	}
}

static bool levelsHasTarget(const struct levels *levels, size_t run, int target)
{
	for (guint i = 0; i < levels->list->len; i++) {
		const struct level *level = levelsAt(levels, i);

		if (levelsIsIn(level, run) && level->target == target)
			return true;
	}
	return false;
}

static void levelsJudgeTargets(struct levels *levels, size_t run)
{
	GString *missing = g_string_new(NULL);

	for (int target = 100; target > 0; target -= 10) {
		if (!levelsHasTarget(levels, run, target))
			g_string_append_printf(missing, "%s%d",
					       missing->len ? ", " : "",
					       target);
	}
	if (missing->len)
		levelsRefuse(
			levels, run,
			g_strdup_printf("no level at %s %%", missing->str));
	if (!levelsHasTarget(levels, run, 0))
		levelsRefuse(levels, run, g_strdup("no active idle"));
	g_string_free(missing, TRUE);
}

static void levelsJudgeRun(struct levels *levels, size_t run)
{
	int count;
	double calibrated = levelsCalibrated(levels, run, &count);

	levelsJudgeCalibrations(levels, run, count);
	levelsJudgeTargets(levels, run);
	levelsJudgeLengths(levels, run, true);
	levelsJudgeLengths(levels, run, false);
	for (guint i = 0; i < levels->list->len; i++) {
		if (levelsIsIn(levelsAt(levels, i), run))
			levelsJudge(levels, levelsAt(levels, i), calibrated);
	}
	levelsJudgeUnknown(levels, run);
	levelsJudgePauses(levels, run);
}

void levelsRate(struct levels *levels)
{
	qsort(levels->list->data, levels->list->len, sizeof(struct level),
	      levelsCompare);
	for (guint i = 0; i < levels->list->len; i++)
		levelsAt(levels, i)->run =
			levelsFindRun(levels, levelsAt(levels, i));
	for (size_t run = 0; run < levels->runs->len; run++) {
		levelsScale(levels, run);
		levelsSum(levels, run);
		levelsCompareWithPeak(levels, run);
		levelsJudgeRun(levels, run);
	}
	for (guint i = 0; i < levels->list->len; i++) {
		struct level *level = levelsAt(levels, i);
		const struct levelRun *run =
			levelsRunAt(levels, (guint)level->run);

		if (!level->component && run->component)
			level->component = g_strdup(run->component);
	}
}
