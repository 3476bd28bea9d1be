/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Parts of a run: its regions, iterations and phases, and how efficient they
 * are.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "HDTraceTools/findings/findings.h"
#include "HDTraceTools/model/mpi/messages.h"
#include "HDTraceTools/model/power/node.h"

/** So many iterations are kept. */
#define ITERATIONS_MAX 10000
/** A region is an iteration if it occurs so often. */
#define ITERATIONS_LEAST 3

/* ---- Starting ----------------------------------------------------------- */

/** The first trace of the lowest rank; or the first one. */
static uint32_t partsFirstTrace(const hdIProject *project)
{
	int64_t lowest = INT64_MAX;
	uint32_t first = 0;

	for (size_t i = 0; i < project->traceCount; i++) {
		int64_t rank =
			messagesRankOf(project, project->traces[i]->node);

		if (rank < 0 || rank >= lowest)
			continue;
		lowest = rank;
		first = (uint32_t)i;
	}
	return first;
}

void findingsStartParts(struct findings *findings)
{
	findings->regions = regionsNew(findings->project->traceCount);
	findings->regionTimes =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	findings->regionList =
		g_array_new(FALSE, FALSE, sizeof(struct findingsRegion));
	findings->sequence = sequenceNew();
	findings->sequenceTrace = partsFirstTrace(findings->project);
	findings->iterations =
		g_array_new(FALSE, FALSE, sizeof(struct findingsIteration));
	findings->evenness.outliers = g_array_new(FALSE, FALSE, sizeof(guint));
}

void findingsFreeParts(struct findings *findings)
{
	efficiencyPartsFree(findings->parts);
	regionsFree(findings->regions);
	g_hash_table_destroy(findings->regionTimes);
	g_array_unref(findings->regionList);
	sequenceFree(findings->sequence);
	g_array_unref(findings->iterations);
	g_array_unref(findings->evenness.outliers);
}

/* ---- Iterations ---------------------------------------------------------- */

/** What a region has in the trace where iterations are looked for. */
struct regionUse {
	uint64_t count;
	int64_t start; /**< Of the one that is open. */
	int64_t time;
};

static void partsAddIteration(struct findings *findings, int64_t start,
			      int64_t end)
{
	const struct findingsIteration iteration = {
		.time = { start, end },
		.efficiency = efficiencyUnknown(),
	};

	if (start < end && end <= findings->selection.start)
		findings->evenness.first++;
	if (start < end && start < findings->selection.end &&
	    end > findings->selection.start &&
	    findings->iterations->len < ITERATIONS_MAX)
		g_array_append_val(findings->iterations, iteration);
}

/** Go through the regions of the trace: add them up, or list one of them. */
static int partsUseRegions(struct findings *findings, struct regionUse *uses,
			   uint32_t listed)
{
	struct regionsCursor *cursor =
		regionsCursorNew(findings->regions, findings->sequenceTrace);
	struct regionMark mark;
	int ret;

	while ((ret = regionsCursorNext(cursor, &mark)) == 1) {
		struct regionUse *use = &uses[mark.region];

		if (!mark.isEnd) {
			use->start = mark.time;
			continue;
		}
		use->count++;
		use->time += mark.time - use->start;
		if (mark.region == listed)
			partsAddIteration(findings, use->start, mark.time);
	}
	regionsCursorFree(cursor);
	return ret;
}

/** The region that takes at least half of the time, and most, in several
 *  occurrences; 0: there is none. */
static uint32_t partsIterationRegion(const struct findings *findings,
				     const struct regionUse *uses)
{
	int64_t least = sequenceTime(findings->sequence) / 2;
	uint32_t best = 0;

	for (uint32_t i = 1; i <= regionsCount(findings->regions); i++) {
		if (uses[i].count >= ITERATIONS_LEAST &&
		    uses[i].time >= least &&
		    (!best || uses[i].time > uses[best].time))
			best = i;
	}
	return best;
}

static int partsCompareLengths(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a;
	int64_t y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/** Those that take half as long again as the median, and much longer than most
 *  differ from it. */
static void partsFindOutliers(struct findings *findings, const int64_t *lengths)
{
	guint count = findings->iterations->len;
	int64_t *sorted = g_memdup2(lengths, count * sizeof(*lengths));
	int64_t median, deviation;

	qsort(sorted, count, sizeof(*sorted), partsCompareLengths);
	median = sorted[count / 2];
	for (guint i = 0; i < count; i++)
		sorted[i] = llabs(lengths[i] - median);
	qsort(sorted, count, sizeof(*sorted), partsCompareLengths);
	deviation = sorted[count / 2];
	for (guint i = 0; i < count; i++) {
		if (lengths[i] > median + median / 2 &&
		    lengths[i] > median + 5 * deviation)
			g_array_append_val(findings->evenness.outliers, i);
	}
	g_free(sorted);
}

/** Mean, spread and trend of the lengths. */
static void partsJudgeIterations(struct findings *findings)
{
	struct findingsIterations *is = &findings->evenness;
	guint count = findings->iterations->len;
	int64_t *lengths = g_new(int64_t, count + 1);
	double sum = 0, squares = 0, slope = 0, places = 0;
	double mean;

	for (guint i = 0; i < count; i++) {
		const struct iteration *time =
			&g_array_index(findings->iterations,
				       struct findingsIteration, i)
				 .time;

		lengths[i] = time->end - time->start;
		sum += (double)lengths[i];
		if (lengths[i] > is->longest) {
			is->longest = lengths[i];
			is->longestPlace = i;
		}
	}
	mean = sum / count;
	for (guint i = 0; i < count; i++) {
		double place = i - (count - 1) / 2.0;
		double length = (double)lengths[i] - mean;

		squares += length * length;
		slope += place * length;
		places += place * place;
	}
	is->mean = (int64_t)mean;
	is->spread = sqrt(squares / count) / mean;
	is->trend = slope / places * (count - 1) / mean;
	partsFindOutliers(findings, lengths);
	g_free(lengths);
}

/** Add all of a list, or NULL, and free it. */
static void partsAddIterations(struct findings *findings, GArray *list)
{
	for (guint i = 0; list && i < list->len; i++) {
		const struct iteration *time =
			&g_array_index(list, struct iteration, i);

		partsAddIteration(findings, time->start, time->end);
	}
	if (list)
		g_array_unref(list);
}

int findingsFindIterations(struct findings *findings)
{
	int ret = regionsEnd(findings->regions);
	struct regionUse *uses =
		g_new0(struct regionUse, regionsCount(findings->regions) + 1);
	uint32_t region = 0;

	if (ret == 0 && findings->project->traceCount)
		ret = partsUseRegions(findings, uses, 0);
	if (ret == 0)
		region = partsIterationRegion(findings, uses);
	if (region) {
		findings->iterationRegion =
			regionsName(findings->regions, region);
		ret = partsUseRegions(findings, uses, region);
	} else if (ret == 0) {
		GArray *found = sequenceFind(findings->sequence);

		if (found->len == 0) {
			g_array_unref(found);
			found = findingsFindPeriod(findings);
		}
		partsAddIterations(findings, found);
	}
	if (findings->iterations->len)
		partsJudgeIterations(findings);
	g_free(uses);
	return ret;
}

/** Add the energy of a group to that of all iterations. */
static int partsChargeSeries(struct findings *findings,
			     const struct powerSeries *series, bool isFirst)
{
	struct powerCursor *cursor = powerCursorNew(series);
	int ret;

	for (guint i = 0; i < findings->iterations->len; i++) {
		struct findingsIteration *iteration = &g_array_index(
			findings->iterations, struct findingsIteration, i);
		int64_t before, until;
		powerPico energy = -powerCursorUntil(
			cursor, iteration->time.start, &before);

		energy += powerCursorUntil(cursor, iteration->time.end, &until);
		iteration->energy.pico += energy;
		iteration->energy.measured =
			isFirst ? until - before
				: MIN(iteration->energy.measured,
				      until - before);
	}
	ret = powerCursorError(cursor);
	powerCursorFree(cursor);
	return ret;
}

/** Likewise, of a group whose power was not kept: it is read again. */
static int partsChargeGroup(struct findings *findings,
			    const struct findingsGroup *group, bool isFirst)
{
	struct powerSeries *series =
		powerSeriesOfNode(group->group, group->isPower);
	int ret = nodePowerReadGroup(findings->project, group->group, series);

	if (ret == 0)
		ret = partsChargeSeries(findings, series, isFirst);
	powerSeriesFree(series);
	return ret;
}

int findingsChargeIterations(struct findings *findings)
{
	bool hasTraces = findings->project->traceCount > 0;
	bool isFirst = true;
	int ret = 0;

	if (findings->iterations->len == 0)
		return 0;

	for (size_t i = 0; ret == 0 && i < findings->project->groupCount; i++) {
		const struct findingsGroup *group = &findings->groups[i];

		if (!group->countsForTotal || !group->powerCount ||
		    (!group->series && hasTraces))
			continue;
		ret = group->series
			      ? partsChargeSeries(findings, group->series,
						  isFirst)
			      : partsChargeGroup(findings, group, isFirst);
		isFirst = false;
	}
	return ret;
}

/* ---- Iterations of findings ---------------------------------------------- */

/** The first iteration that ends after a time. */
static guint partsIterationAt(const GArray *iterations, int64_t time)
{
	guint low = 0, high = iterations->len;

	while (low < high) {
		guint middle = (low + high) / 2;

		if (g_array_index(iterations, struct findingsIteration, middle)
			    .time.end <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void findingsAddToIterations(const struct findings *findings, int64_t start,
			     int64_t end, int64_t *times)
{
	const GArray *iterations = findings->iterations;

	for (guint i = partsIterationAt(iterations, start); i < iterations->len;
	     i++) {
		const struct iteration *time =
			&g_array_index(iterations, struct findingsIteration, i)
				 .time;

		if (time->start >= end)
			break;
		times[i] += MIN(end, time->end) - MAX(start, time->start);
	}
}

GArray *findingsMainIterations(const struct findings *findings,
			       const int64_t *times, int64_t time)
{
	guint count = findings->iterations->len;
	GArray *places = g_array_new(FALSE, FALSE, sizeof(guint));
	int64_t sum = 0, most = 0;

	for (guint i = 0; i < count; i++)
		sum += times[i];
	for (guint i = 0; i < count; i++) {
		if (times[i] <= 2 * (sum / count))
			continue;
		g_array_append_val(places, i);
		most += times[i];
	}
	if (places->len && 2 * most >= time)
		return places;
	g_array_unref(places);
	return NULL;
}

/* ---- Efficiencies -------------------------------------------------------- */

int findingsStartEfficiencies(struct findings *findings, int64_t from,
			      int64_t to)
{
	findings->parts = efficiencyPartsNew(findings->regions, findings->calls,
					     findings->project->traceCount);
	for (guint i = 0; i < findings->iterations->len; i++) {
		const struct iteration *time =
			&g_array_index(findings->iterations,
				       struct findingsIteration, i)
				 .time;

		efficiencyPartsAddTime(
			findings->parts,
			efficiencyPartsAddWindow(findings->parts), time->start,
			time->end);
	}
	for (guint i = 0; i < findings->phases->len; i++)
		efficiencyPartsAddWindow(findings->parts);
	for (size_t i = 0; i < findings->phaseList.count; i++) {
		const struct phase *phase = &findings->phaseList.list[i];
		size_t place =
			findings->phaseOptions.isByName ? phase->name : i;

		efficiencyPartsAddTime(findings->parts,
				       findings->iterations->len + place,
				       phase->start, phase->end);
	}
	return efficiencyPartsFind(findings->parts, from, to);
}

void findingsTakeEfficiencies(struct findings *findings)
{
	guint count = findings->iterations->len;

	for (guint i = 0; i < count; i++)
		g_array_index(findings->iterations, struct findingsIteration, i)
			.efficiency = efficiencyOfWindow(findings->parts, i);
	for (guint i = 0; i < findings->phases->len; i++)
		g_array_index(findings->phases, struct findingsPhase, i)
			.efficiency =
			efficiencyOfWindow(findings->parts, count + i);
}

/* ---- Regions ------------------------------------------------------------- */

void findingsNoteRegions(struct findings *findings,
			 const struct profile *profile)
{
	for (guint i = 0; i < profile->states->len; i++) {
		const struct profileState *state = profile->states->pdata[i];
		struct efficiencySums *sums;

		if (!regionsIsRegion(state->name))
			continue;
		sums = g_hash_table_lookup(findings->regionTimes, state->name);
		if (!sums) {
			sums = g_new0(struct efficiencySums, 1);
			g_hash_table_insert(findings->regionTimes,
					    g_strdup(state->name), sums);
		}
		sums->useful += (double)state->total.time;
		sums->largest = MAX(sums->largest, state->total.time);
	}
}

/** Regions without any calls are computation only. */
static struct efficiency partsOfPlain(const struct findings *findings,
				      const char *name)
{
	const struct efficiencySums *of =
		g_hash_table_lookup(findings->regionTimes, name);
	struct efficiencySums sums;

	if (!of || isnan(findings->efficiency.parallel))
		return efficiencyUnknown();
	sums = *of;
	for (size_t i = 0; i < findings->project->traceCount; i++) {
		const struct callsTrace *trace = callsOf(findings->calls, i);

		sums.ranks += trace->start < trace->end && trace->count > 0;
	}
	sums.time = sums.ideal = sums.largest;
	return efficiencyOf(&sums);
}

/** The number of a region that has calls in it; 0: it has none. */
static uint32_t partsNumberOf(const struct findings *findings, const char *name)
{
	for (uint32_t i = 1; i <= regionsCount(findings->regions); i++) {
		if (strcmp(regionsName(findings->regions, i), name) == 0)
			return i;
	}
	return 0;
}

static gint partsCompareRegions(gconstpointer a, gconstpointer b)
{
	const struct profileState *x =
		((const struct findingsRegion *)a)->state;
	const struct profileState *y =
		((const struct findingsRegion *)b)->state;

	if (x->total.time != y->total.time)
		return x->total.time > y->total.time ? -1 : 1;
	return strcmp(x->name, y->name);
}

void findingsListRegions(struct findings *findings)
{
	for (guint i = 0; i < findings->byTime->len; i++) {
		struct findingsRegion region = {
			.state = findings->byTime->pdata[i],
		};
		uint32_t number;

		if (!regionsIsRegion(region.state->name))
			continue;
		number = partsNumberOf(findings, region.state->name);
		region.efficiency =
			number && findings->parts
				? efficiencyOfRegion(findings->parts, number)
				: partsOfPlain(findings, region.state->name);
		g_array_append_val(findings->regionList, region);
	}
	g_array_sort(findings->regionList, partsCompareRegions);
}
