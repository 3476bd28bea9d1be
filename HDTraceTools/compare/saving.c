/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Decisions of hdpower and what they saved; see core/saving.h.
 *
 * The interval of the ratio of two means is that of the difference of their
 * logarithms: their variances are those of the means, relative to them, and the
 * degrees of freedom are those of Welch.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "HDTraceTools/base/student.h"
#include "HDTraceTools/compare/core/compare.h"
#include "HDTraceTools/model/units.h"

/* ---- Reading ----------------------------------------------------------- */

static void savingFreeDecision(void *data)
{
	struct savingDecision *decision = data;

	g_free(decision->policy);
	g_free(decision->path);
	g_free(decision->old);
	g_free(decision->now);
}

static GArray *savingNewList(void)
{
	GArray *list = g_array_new(FALSE, FALSE, sizeof(struct savingDecision));

	g_array_set_clear_func(list, savingFreeDecision);
	return list;
}

void savingFree(struct savingRun *run)
{
	if (run->decisions)
		g_array_unref(run->decisions);
	run->decisions = NULL;
}

static bool savingIsEqual(const struct savingDecision *one,
			  const struct savingDecision *other)
{
	return one->isApplied == other->isApplied &&
	       strcmp(one->policy, other->policy) == 0 &&
	       strcmp(one->path, other->path) == 0 &&
	       strcmp(one->old, other->old) == 0 &&
	       strcmp(one->now, other->now) == 0;
}

static void savingAdd(GArray *list, const struct savingDecision *decision)
{
	struct savingDecision copy = *decision;

	for (guint i = 0; i < list->len; i++) {
		struct savingDecision *known =
			&g_array_index(list, struct savingDecision, i);

		if (!savingIsEqual(known, decision))
			continue;
		known->count += decision->count;
		known->timeNs += decision->timeNs;
		return;
	}
	copy.policy = g_strdup(decision->policy);
	copy.path = g_strdup(decision->path);
	copy.old = g_strdup(decision->old);
	copy.now = g_strdup(decision->now);
	g_array_append_val(list, copy);
}

static const char *savingAttribute(const hdIRecord *record, const char *name)
{
	return attributeFind(record->attributes, record->attributeCount, name);
}

/* A time or an energy; NaN: it is not known. */
static double savingNumber(const hdIRecord *record, const char *name)
{
	const char *text = savingAttribute(record, name);
	double number = text ? g_ascii_strtod(text, NULL) : 0;

	return number > 0 && isfinite(number) ? number : NAN;
}

static void savingTakeDecision(struct savingRun *run, const hdIRecord *record)
{
	const struct savingDecision decision = {
		.policy = (char *)savingAttribute(record, "policy"),
		.path = (char *)savingAttribute(record, "path"),
		.old = (char *)savingAttribute(record, "old"),
		.now = (char *)savingAttribute(record, "new"),
		.isApplied = g_strcmp0(savingAttribute(record, "applied"),
				       "no") != 0,
		.count = 1,
		.timeNs = record->end - record->start,
	};

	if (!decision.policy || !decision.path || !decision.old ||
	    !decision.now)
		return;
	if (!run->decisions)
		run->decisions = savingNewList();
	savingAdd(run->decisions, &decision);
}

static bool savingTakeState(const hdIRecord *record, void *data)
{
	struct savingRun *run = data;

	if (record->kind != HDI_STATE)
		return true;
	if (strcmp(record->name, "Decision") == 0)
		savingTakeDecision(run, record);
	else if (strcmp(record->name, "Plan") == 0)
		run->plan = (struct savingPlan){
			.isThere = true,
			.isApplied =
				g_strcmp0(savingAttribute(record, "applied"),
					  "yes") == 0,
			.time = savingNumber(record, "expected_s"),
			.energy = savingNumber(record, "expected_j"),
			.baseTime = savingNumber(record, "base_s"),
			.baseEnergy = savingNumber(record, "base_j"),
		};
	return true;
}

void savingRead(const struct scan *scan, struct savingRun *run)
{
	for (size_t i = 0; i < scan->project->traceCount; i++) {
		const hdITraceFile *trace = scan->project->traces[i];

		/* hdpower has the trace of the host, ranks are below it. */
		if (trace->node->level > 1)
			continue;
		scanTrace(scan, trace, savingTakeState, run);
	}
}

/* ---- Savings ----------------------------------------------------------- */

/* A setting of all CPUs: each number becomes "*". To be freed. */
static char *savingMerge(const char *path)
{
	GString *text = g_string_new(NULL);

	for (; *path; path++) {
		if (!g_ascii_isdigit(*path))
			g_string_append_c(text, *path);
		else if (!g_ascii_isdigit(path[1]))
			g_string_append_c(text, '*');
	}
	return g_string_free(text, FALSE);
}

/* Make one decision of those of all CPUs, which hold at the same time. */
static GArray *savingMergeAll(const GArray *list)
{
	GArray *merged = savingNewList();

	for (guint i = 0; i < list->len; i++) {
		struct savingDecision one =
			g_array_index(list, struct savingDecision, i);
		struct savingDecision *known = NULL;

		one.path = savingMerge(one.path);
		for (guint k = 0; k < merged->len && !known; k++) {
			known = &g_array_index(merged, struct savingDecision,
					       k);
			known = savingIsEqual(known, &one) ? known : NULL;
		}
		if (known) {
			known->count = MAX(known->count, one.count);
			known->timeNs = MAX(known->timeNs, one.timeNs);
		} else {
			savingAdd(merged, &one);
		}
		g_free(one.path);
	}
	return merged;
}

/* Decisions of all runs of a set. */
static GArray *savingOfSet(const struct compare *self, int set)
{
	GArray *list = savingNewList();
	size_t first = compareFirst(self, set);

	for (size_t i = 0; i < self->counts[set]; i++) {
		const GArray *own = self->runs[first + i].saving.decisions;

		for (guint k = 0; own && k < own->len; k++)
			savingAdd(list, &g_array_index(
						own, struct savingDecision, k));
	}
	return list;
}

/* Mean and variance of the mean of a measure of the whole run, the latter
 * relative to the square of the mean. */
struct savingMean {
	double count, mean, variance;
};

/* Whether energy is not known for the whole time of a run: then it is the mean
 * power times the time. */
static bool savingIsPartial(const struct compare *self)
{
	const struct compareRow *whole = compareWhole(self);

	return whole->isPartial[COMPARE_A] || whole->isPartial[COMPARE_B];
}

static double savingValue(const struct compare *self, size_t run, int measure)
{
	const double *values = compareWhole(self)->costs[run].values;

	return measure == COMPARE_ENERGY && savingIsPartial(self)
		       ? values[COMPARE_POWER] * values[COMPARE_TIME]
		       : values[measure];
}

static struct savingMean savingMeanOf(const struct compare *self, int set,
				      int measure)
{
	size_t first = compareFirst(self, set);
	struct savingMean result = { 0 };
	double squares = 0;

	for (size_t i = 0; i < self->counts[set]; i++) {
		double value = savingValue(self, first + i, measure);
		double before = value - result.mean;

		result.count++;
		result.mean += before / result.count;
		squares += before * (value - result.mean);
	}
	result.variance = squares / (result.count - 1) / result.count /
			  (result.mean * result.mean);
	return result;
}

static struct savingRatio savingReached(const struct compare *self, int measure)
{
	struct savingMean a = savingMeanOf(self, COMPARE_A, measure);
	struct savingMean b = savingMeanOf(self, COMPARE_B, measure);
	struct savingRatio ratio = { b.mean / a.mean, NAN, NAN };
	double variance = a.variance + b.variance, freedom, half;

	if (!(a.mean > 0) || !(b.mean > 0))
		return (struct savingRatio){ NAN, NAN, NAN };
	if (a.count < 2 || b.count < 2)
		return ratio;
	freedom = variance > 0
			  ? variance * variance /
				    (a.variance * a.variance / (a.count - 1) +
				     b.variance * b.variance / (b.count - 1))
			  : a.count + b.count - 2;
	half = studentFactor(freedom) * sqrt(variance);
	ratio.low = ratio.value * exp(-half);
	ratio.high = ratio.value * exp(half);
	return ratio;
}

/* The mean of what the plans of a set expect, relative to their bases. */
static double savingExpected(const struct compare *self, int set, bool isEnergy)
{
	size_t first = compareFirst(self, set);
	double sum = 0;
	size_t count = 0;

	for (size_t i = 0; i < self->counts[set]; i++) {
		const struct savingPlan *plan =
			&self->runs[first + i].saving.plan;
		double ratio = isEnergy ? plan->energy / plan->baseEnergy
					: plan->time / plan->baseTime;

		if (!plan->isThere || !plan->isApplied || isnan(ratio))
			continue;
		sum += ratio;
		count++;
	}
	return count ? sum / (double)count : NAN;
}

static bool savingIsKnown(const struct compare *self)
{
	for (size_t i = 0; i < compareRuns(self); i++) {
		if (self->runs[i].saving.decisions ||
		    self->runs[i].saving.plan.isThere)
			return true;
	}
	return false;
}

/* ---- Text -------------------------------------------------------------- */

static void savingPrintDecisions(const struct compare *self)
{
	static const char *const headings[] = {
		"<Set",   "<Policy", "<Setting", ">Before", ">Value",
		">Times", ">Time",   "<Applied", NULL
	};
	struct outTable *table = outTableNew(headings);
	char text[OUT_NUMBER_SIZE];

	for (int set = 0; set < COMPARE_SETS; set++) {
		GArray *all = savingOfSet(self, set);
		GArray *list = savingMergeAll(all);

		for (guint i = 0; i < list->len; i++) {
			const struct savingDecision *one =
				&g_array_index(list, struct savingDecision, i);

			outTableAdd(table, set == COMPARE_A ? "A" : "B");
			outTableAdd(table, one->policy);
			outTableAdd(table, one->path);
			outTableAdd(table, one->old);
			outTableAdd(table, one->now);
			snprintf(text, sizeof(text), "%" PRIu64, one->count);
			outTableAdd(table, text);
			outTableAdd(table, outDuration(text, one->timeNs));
			outTableAdd(table, one->isApplied ? "yes" : "no");
		}
		g_array_unref(list);
		g_array_unref(all);
	}
	outTablePrint(table, "  ", self->tool->isColored);
}

static void savingPrintRatio(const char *name, struct savingRatio ratio,
			     double expected)
{
	printf("  %s: ", name);
	if (isnan(ratio.value))
		printf("reached change unknown");
	else
		printf("%+.1f %%", 100 * (ratio.value - 1));
	if (!isnan(ratio.low))
		printf(" (95 %%: %+.1f to %+.1f %%)", 100 * (ratio.low - 1),
		       100 * (ratio.high - 1));
	if (!isnan(expected))
		printf(", expected %+.1f %%", 100 * (expected - 1));
	putchar('\n');
}

void savingPrint(const struct compare *self)
{
	struct savingRatio energy, time;

	if (!savingIsKnown(self))
		return;
	printf("\n%sPower saving%s\n", self->tool->isColored ? "\033[1m" : "",
	       self->tool->isColored ? "\033[0m" : "");
	energy = savingReached(self, COMPARE_ENERGY);
	time = savingReached(self, COMPARE_TIME);
	savingPrintRatio("Energy", energy,
			 savingExpected(self, COMPARE_B, true));
	savingPrintRatio("Time", time, savingExpected(self, COMPARE_B, false));
	if (savingIsPartial(self) && !isnan(energy.value))
		puts("  Energy is mean power times time: power is known for a "
		     "part of the time.");
	if (isnan(energy.low) && isnan(time.low))
		puts("  One run has no spread; compare several on each side.");
	savingPrintDecisions(self);
}

/* ---- JSON -------------------------------------------------------------- */

static void savingPutRatio(struct outJson *json, const char *name,
			   struct savingRatio ratio, double expected)
{
	outJsonObject(json, name, true);
	outJsonDouble(json, "reached_percent", 100 * (ratio.value - 1));
	outJsonDouble(json, "low_percent", 100 * (ratio.low - 1));
	outJsonDouble(json, "high_percent", 100 * (ratio.high - 1));
	outJsonDouble(json, "expected_percent", 100 * (expected - 1));
	outJsonEnd(json);
}

void savingPut(const struct compare *self, struct outJson *json)
{
	if (!savingIsKnown(self))
		return;
	outJsonObject(json, "saving", false);
	savingPutRatio(json, "energy", savingReached(self, COMPARE_ENERGY),
		       savingExpected(self, COMPARE_B, true));
	outJsonBool(json, "from_power", savingIsPartial(self));
	savingPutRatio(json, "time", savingReached(self, COMPARE_TIME),
		       savingExpected(self, COMPARE_B, false));
	outJsonArray(json, "decisions", false);
	for (int set = 0; set < COMPARE_SETS; set++) {
		GArray *list = savingOfSet(self, set);

		for (guint i = 0; i < list->len; i++) {
			const struct savingDecision *one =
				&g_array_index(list, struct savingDecision, i);

			outJsonObject(json, NULL, true);
			outJsonText(json, "set", set == COMPARE_A ? "a" : "b");
			outJsonText(json, "policy", one->policy);
			outJsonText(json, "path", one->path);
			outJsonText(json, "old", one->old);
			outJsonText(json, "new", one->now);
			outJsonBool(json, "applied", one->isApplied);
			outJsonInteger(json, "count", (int64_t)one->count);
			outJsonSeconds(json, "time_s", one->timeNs);
			outJsonEnd(json);
		}
		g_array_unref(list);
	}
	outJsonEnd(json);
	outJsonEnd(json);
}
