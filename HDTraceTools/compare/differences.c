/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What differs between two sets of runs, which of it is more than chance, and
 * what cannot be compared.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "HDTraceTools/base/ranktest.h"
#include "HDTraceTools/compare/core/compare.h"

const char *const compareKindNames[COMPARE_KINDS] = {
	[COMPARE_RUN] = "run",       [COMPARE_FUNCTION] = "function",
	[COMPARE_REGION] = "region", [COMPARE_RANK] = "rank",
	[COMPARE_TRACE] = "trace",   [COMPARE_NODE] = "node",
};

const char *const compareMeasureNames[COMPARE_MEASURES] = {
	[COMPARE_COUNT] = "count",        [COMPARE_TIME] = "time",
	[COMPARE_ENERGY] = "energy",      [COMPARE_POWER] = "power",
	[COMPARE_PATH] = "critical path",
};

/** With so many runs of each there are more ways than are gone through. */
#define NEEDED_MAX 9

static struct compareRow *differenceRowAt(const struct compare *self, guint i)
{
	return self->rows->pdata[i];
}

static bool differenceIsState(const struct compareRow *row)
{
	return row->kind == COMPARE_FUNCTION || row->kind == COMPARE_REGION;
}

const struct compareRow *compareWhole(const struct compare *self)
{
	/* It is what is taken first of each run. */
	return differenceRowAt(self, 0);
}

double compareChange(const struct compareResult *result)
{
	double from = result->medians[COMPARE_A];

	return from > 0 ? result->difference / from : NAN;
}

size_t compareNeeded(const struct compare *self)
{
	/* From some number on ways are drawn, and p does not get smaller. */
	for (size_t count = 1; count <= NEEDED_MAX; count++) {
		if (rankTestLeast(count, count) <= self->level)
			return count;
	}
	return 0;
}

/* ---- Numbers of each run ------------------------------------------------ */

/** A state that did not occur took nothing: that is known. */
static void setAbsent(const struct compare *self, struct compareRow *row)
{
	for (size_t i = 0; i < compareRuns(self); i++) {
		struct compareCost *cost = &row->costs[i];

		if (cost->isThere)
			continue;
		for (int k = 0; k < COMPARE_MEASURES; k++)
			cost->values[k] = NAN;
		if (!differenceIsState(row))
			continue;
		cost->values[COMPARE_COUNT] = 0;
		cost->values[COMPARE_TIME] = 0;
		if (self->runs[i].hasEnergy)
			cost->values[COMPARE_ENERGY] = 0;
		if (self->runs[i].hasEnergy && self->runs[i].hasOther)
			cost->values[COMPARE_OTHER] = 0;
		if (self->runs[i].hasPath)
			cost->values[COMPARE_PATH] = 0;
	}
}

/** The median of a measure in a set of runs, of those in which it is known. */
static double medianOf(const struct compare *self, const struct compareRow *row,
		       int measure, int set)
{
	double *values = g_new(double, self->counts[set]);
	size_t first = compareFirst(self, set);
	size_t count = 0;
	double median = NAN;

	for (size_t i = 0; i < self->counts[set]; i++) {
		double value = row->costs[first + i].values[measure];

		if (!isnan(value))
			values[count++] = value;
	}
	qsort(values, count, sizeof(*values), rankTestCompare);
	if (count % 2 == 1)
		median = values[count / 2];
	else if (count > 0)
		median = (values[count / 2 - 1] + values[count / 2]) / 2;
	g_free(values);
	return median;
}

static void setKnown(const struct compare *self, struct compareRow *row,
		     int set)
{
	size_t first = compareFirst(self, set);

	for (size_t i = 0; i < self->counts[set]; i++) {
		const struct compareCost *cost = &row->costs[first + i];

		row->known[set].knownNs += cost->known.knownNs;
		row->known[set].durationNs += cost->known.durationNs;
		row->isPartial[set] |= !isnan(cost->values[COMPARE_ENERGY]) &&
				       !knownIsWhole(cost->known);
	}
}

/** The median over the runs of a set of the part of all time that a row takes;
 * NaN if it is no state. */
static double compareTimeShareOf(const struct compare *self,
				 const struct compareRow *row, int set)
{
	struct compareRow part = { .costs = g_new0(struct compareCost,
						   compareRuns(self)) };
	double share;

	for (size_t i = 0; i < compareRuns(self); i++)
		part.costs[i].values[COMPARE_TIME] =
			differenceIsState(row)
				? row->costs[i].values[COMPARE_TIME] * 1e9 /
					  (double)self->runs[i].rankTime
				: NAN;
	share = medianOf(self, &part, COMPARE_TIME, set);
	g_free(part.costs);
	return share;
}

/** Make numbers of functions and regions those of a rank. */
static void compareDividePerRank(const struct compare *self,
				 struct compareRow *row)
{
	static const int measures[] = { COMPARE_COUNT, COMPARE_TIME,
					COMPARE_ENERGY, COMPARE_OTHER };

	for (size_t i = 0; differenceIsState(row) && i < compareRuns(self); i++)
		for (size_t k = 0; k < G_N_ELEMENTS(measures); k++)
			row->costs[i].values[measures[k]] /=
				(double)self->runs[i].ranks;
}

static void setResults(const struct compare *self, struct compareRow *row)
{
	setAbsent(self, row);
	for (int set = 0; set < COMPARE_SETS; set++)
		row->shares[set] = compareTimeShareOf(self, row, set);
	if (self->isPerRank)
		compareDividePerRank(self, row);
	for (int set = 0; set < COMPARE_SETS; set++)
		setKnown(self, row, set);
	for (int i = 0; i < COMPARE_MEASURES; i++) {
		struct compareResult *result = &row->results[i];

		for (int set = 0; set < COMPARE_SETS; set++)
			result->medians[set] = medianOf(self, row, i, set);
		result->difference =
			result->medians[COMPARE_B] - result->medians[COMPARE_A];
		/* What is known of the least only has no difference. */
		if ((i == COMPARE_ENERGY || i == COMPARE_OTHER) &&
		    (row->isPartial[COMPARE_A] || row->isPartial[COMPARE_B]))
			result->difference = NAN;
		result->alone = NAN;
		result->family = NAN;
	}
}

/* ---- What is more than chance ------------------------------------------- */

/** The share of a row in all runs, of the time or the energy of all. */
static double differenceShareOf(const struct compare *self,
				const struct compareRow *row, int measure)
{
	const struct compareRow *whole = compareWhole(self);
	double part = 0;
	double all = 0;

	for (size_t i = 0; i < compareRuns(self); i++) {
		double value =
			row->costs[i].values[measure] *
			(self->isPerRank ? (double)self->runs[i].ranks : 1);

		if (measure == COMPARE_TIME)
			all += (double)self->runs[i].rankTime / 1e9;
		else if (!isnan(whole->costs[i].values[measure]))
			all += whole->costs[i].values[measure];
		part += isnan(value) ? 0 : value;
	}
	return all > 0 ? part / all : 0;
}

static bool differenceIsSmall(const struct compare *self,
			      const struct compareRow *row)
{
	return differenceIsState(row) &&
	       differenceShareOf(self, row, COMPARE_TIME) < COMPARE_SMALL &&
	       differenceShareOf(self, row, COMPARE_ENERGY) < COMPARE_SMALL;
}

/** The values of a measure in all runs; false if one is not known. */
static bool differenceValuesOf(const struct compare *self,
			       const struct compareRow *row, int measure,
			       double *values)
{
	if (isnan(row->results[measure].difference))
		return false;
	for (size_t i = 0; i < compareRuns(self); i++) {
		values[i] = row->costs[i].values[measure];
		if (isnan(values[i]))
			return false;
	}
	return true;
}

/** Add all that can be tested, and is not too small, to a test; @p tested gets
 *  the results that it will have, by its numbers. */
static void addTested(const struct compare *self, struct rankTest *test,
		      GPtrArray *tested)
{
	double *values = g_new(double, compareRuns(self));

	for (guint i = 0; i < self->rows->len; i++) {
		struct compareRow *row = differenceRowAt(self, i);
		bool small = differenceIsSmall(self, row);

		for (int k = 0; k < COMPARE_TESTED; k++) {
			struct compareResult *result = &row->results[k];

			if (!differenceValuesOf(self, row, k, values))
				continue;
			if (small) {
				result->verdict = COMPARE_TOO_SMALL;
				continue;
			}
			rankTestAdd(test, values);
			g_ptr_array_add(tested, result);
		}
	}
	g_free(values);
}

static void takeTested(const struct compare *self, const struct rankTest *test,
		       const GPtrArray *tested)
{
	for (guint i = 0; i < tested->len; i++) {
		struct compareResult *result = tested->pdata[i];

		result->alone = rankTestAlone(test, i);
		result->family = rankTestFamily(test, i);
		result->verdict = result->family <= self->level
					  ? COMPARE_DIFFERS
					  : COMPARE_NOISE;
	}
}

static void testAll(struct compare *self)
{
	struct rankTest *test;
	GPtrArray *tested;

	self->isTested = rankTestLeast(self->counts[COMPARE_A],
				       self->counts[COMPARE_B]) <= self->level;
	if (!self->isTested)
		return;
	test = rankTestNew(self->counts[COMPARE_A], self->counts[COMPARE_B]);
	tested = g_ptr_array_new();
	addTested(self, test, tested);
	rankTestRun(test);
	takeTested(self, test, tested);
	g_ptr_array_unref(tested);
	self->ways = rankTestWays(test, &self->isExact);
	rankTestFree(test);
}

/* ---- Order ------------------------------------------------------------- */

static bool differs(const struct compareRow *row)
{
	for (int i = 0; i < COMPARE_MEASURES; i++) {
		if (row->results[i].verdict == COMPARE_DIFFERS)
			return true;
	}
	return false;
}

/** What a difference costs, in joules or seconds; -1: that is not known. */
static double differenceCostOf(const struct compareRow *row, bool isByEnergy)
{
	double difference =
		row->results[isByEnergy ? COMPARE_ENERGY : COMPARE_TIME]
			.difference;

	return isnan(difference) ? -1 : fabs(difference);
}

/** The order of kinds: functions and regions stand together. */
static int orderOf(const struct compareRow *row)
{
	return row->kind == COMPARE_REGION ? COMPARE_FUNCTION : (int)row->kind;
}

/** By kind, and of one kind the largest difference first. */
static gint compareRows(gconstpointer a, gconstpointer b, gpointer data)
{
	const struct compareRow *x = *(const struct compareRow *const *)a;
	const struct compareRow *y = *(const struct compareRow *const *)b;
	const struct compare *self = data;

	if (orderOf(x) != orderOf(y))
		return orderOf(x) < orderOf(y) ? -1 : 1;
	if (x->kind == COMPARE_RUN)
		return 0;
	for (int i = self->isByEnergy; i >= 0; i--) {
		double of[2] = { differenceCostOf(x, i),
				 differenceCostOf(y, i) };

		if (of[0] != of[1])
			return of[0] > of[1] ? -1 : 1;
	}
	return strcmp(x->name, y->name);
}

static void sortAll(struct compare *self)
{
	self->isByEnergy =
		!isnan(compareWhole(self)->results[COMPARE_ENERGY].difference);
	g_ptr_array_sort_with_data(self->rows, compareRows, self);
	for (guint i = 0; i < self->rows->len; i++) {
		if (differenceRowAt(self, i)->kind != COMPARE_RUN &&
		    differs(differenceRowAt(self, i)))
			g_ptr_array_add(self->named, differenceRowAt(self, i));
	}
}

/* ---- What cannot be compared -------------------------------------------- */

static void cannot(struct compare *self, const char *format, ...)
	G_GNUC_PRINTF(2, 3);

static void cannot(struct compare *self, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	g_ptr_array_add(self->cannot, g_strdup_vprintf(format, arguments));
	va_end(arguments);
}

/** In how many runs of a set something is there. */
static size_t countIn(const struct compare *self, const struct compareRow *row,
		      int set)
{
	size_t first = compareFirst(self, set);
	size_t count = 0;

	for (size_t i = 0; i < self->counts[set]; i++)
		count += row->costs[first + i].isThere;
	return count;
}

/** Where something is missing. */
enum missing { MISSING_NOT, MISSING_IN_B, MISSING_IN_A, MISSING_IN_SOME };

static enum missing missingOf(const struct compare *self,
			      const struct compareRow *row)
{
	size_t a = countIn(self, row, COMPARE_A);
	size_t b = countIn(self, row, COMPARE_B);

	if (b == 0)
		return MISSING_IN_B;
	if (a == 0)
		return MISSING_IN_A;
	return a + b < compareRuns(self) ? MISSING_IN_SOME : MISSING_NOT;
}

/** Names that are listed. */
#define LISTED 8

/** Say which rows of a kind not all runs have. */
static void sayMissing(struct compare *self, enum compareKind kind,
		       const char *what)
{
	static const char *const where[] = {
		[MISSING_IN_B] = "in A only",
		[MISSING_IN_A] = "in B only",
		[MISSING_IN_SOME] = "not in all runs",
	};

	for (int missing = MISSING_IN_B; missing <= MISSING_IN_SOME;
	     missing++) {
		GString *names = g_string_new(NULL);
		size_t count = 0;

		for (guint i = 0; i < self->rows->len; i++) {
			const struct compareRow *row = differenceRowAt(self, i);

			if (row->kind != kind ||
			    (int)missingOf(self, row) != missing)
				continue;
			if (count++ < LISTED)
				g_string_append_printf(
					names, "%s%s", names->len ? ", " : "",
					*row->name ? row->name : "all");
		}
		if (count > LISTED)
			g_string_append_printf(names, " and %zu more",
					       count - LISTED);
		if (count)
			cannot(self, "%s %s: %s", what, where[missing],
			       names->str);
		g_string_free(names, TRUE);
	}
}

/** In how many runs of a set an energy, or a path, is known. */
static size_t knownIn(const struct compare *self, int set, bool isPath)
{
	size_t first = compareFirst(self, set);
	size_t count = 0;

	for (size_t i = 0; i < self->counts[set]; i++) {
		const struct compareRun *run = &self->runs[first + i];

		count += isPath ? run->hasPath : run->hasEnergy;
	}
	return count;
}

/** Say of what is not known in all runs where it is. */
static void sayUnknown(struct compare *self, const char *what, bool isPath)
{
	size_t in[COMPARE_SETS];

	for (int set = 0; set < COMPARE_SETS; set++)
		in[set] = knownIn(self, set, isPath);
	if (in[COMPARE_A] == self->counts[COMPARE_A] &&
	    in[COMPARE_B] == self->counts[COMPARE_B])
		return;
	if (in[COMPARE_A] + in[COMPARE_B] == 0) {
		if (!isPath)
			cannot(self, "%s: unknown in all runs", what);
	} else if (in[COMPARE_A] == 0 || in[COMPARE_B] == 0) {
		cannot(self, "%s: known in %s only", what,
		       in[COMPARE_A] ? "A" : "B");
	} else {
		cannot(self,
		       "%s: known in %zu of %zu runs of A and %zu of %zu of B",
		       what, in[COMPARE_A], self->counts[COMPARE_A],
		       in[COMPARE_B], self->counts[COMPARE_B]);
	}
}

/** Say in how many runs power is known for a part only, and the worst. */
static void sayPartial(struct compare *self)
{
	const struct compareRow *whole = compareWhole(self);
	const struct known none = { 1, 1 };
	struct known worst = none;
	const char *path = NULL;
	char buffers[2][OUT_NUMBER_SIZE];
	size_t count = 0;

	for (size_t i = 0; i < compareRuns(self); i++) {
		const struct known known = whole->costs[i].known;

		if (!self->runs[i].hasEnergy || knownIsWhole(known))
			continue;
		count++;
		if (path && (__int128)known.knownNs * worst.durationNs >=
				    (__int128)worst.knownNs * known.durationNs)
			continue;
		worst = known;
		path = self->runs[i].path;
	}
	if (path)
		cannot(self,
		       "energy: %zu of %zu runs have power for a part of the "
		       "time only, %s for %s of %s; values with >= are "
		       "compared by power",
		       count, compareRuns(self), path,
		       outDuration(buffers[0], worst.knownNs),
		       outDuration(buffers[1], worst.durationNs));
}

static void findCannot(struct compare *self)
{
	sayUnknown(self, "energy", false);
	sayPartial(self);
	sayUnknown(self, "critical path", true);
	sayMissing(self, COMPARE_RANK, "ranks");
	sayMissing(self, COMPARE_TRACE, "traces (by their nodes)");
	sayMissing(self, COMPARE_NODE, "nodes (by their names)");
}

/** Whether the numbers of ranks differ, and all are known. */
static bool compareHasOtherRanks(const struct compare *self)
{
	bool differs = false;

	for (size_t i = 0; i < compareRuns(self); i++) {
		if (!self->runs[i].ranks)
			return false;
		differs |= self->runs[i].ranks != self->runs[0].ranks;
	}
	return differs;
}

void compareFind(struct compare *self)
{
	self->isPerRank = compareHasOtherRanks(self);
	for (guint i = 0; i < self->rows->len; i++)
		setResults(self, differenceRowAt(self, i));
	testAll(self);
	sortAll(self);
	findCannot(self);
}
