/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace report: efficiencies, of the run and of its regions and iterations.
 */
#include "config.h"

#include <math.h>

#include "HDTraceTools/report/report.h"
#include "HDTraceTools/report/text.h"

/* ---- For programs ------------------------------------------------------- */

void reportPutEfficiencies(struct outJson *json,
			   const struct findingsEfficiencies *of)
{
	outJsonObject(json, "efficiencies", false);
	for (int i = 0; i < FINDINGS_EFFICIENCIES; i++)
		outJsonDouble(json, findingsEfficiencyName(i), of->values[i]);
	outJsonEnd(json);
}

void reportPutPartEfficiencies(struct outJson *json,
			       const struct findings *findings,
			       const struct efficiency *of)
{
	struct findingsEfficiencies all = findingsEfficienciesOf(of);

	/* Threads that are not ranks are not part of it. */
	if (!findingsIsHybrid(findings))
		findingsEfficienciesOfAll(&all, of);
	reportPutEfficiencies(json, &all);
}

static void partsPutEnergy(struct outJson *json,
			   const struct attributionAmount *amount, int64_t time)
{
	outJsonDouble(json, "energy_j",
		      amount->measured ? attributionEnergy(amount) : NAN);
	outJsonSeconds(json, "known_s", amount->measured);
	outJsonSeconds(json, "duration_s", time);
}

static void partsPutRegions(struct outJson *json,
			    const struct findings *findings)
{
	const struct attributionAmount unknown = { 0, 0 };

	outJsonArray(json, "regions", false);
	for (guint i = 0; i < findings->regionList->len; i++) {
		const struct findingsRegion *region = &g_array_index(
			findings->regionList, struct findingsRegion, i);
		const struct profileState *state = region->state;

		outJsonObject(json, NULL, false);
		outJsonText(json, "name", state->name);
		outJsonInteger(json, "count", (int64_t)state->outer);
		partsPutEnergy(json,
			       findings->profile->sources
				       ? &state->total.amounts[FINDINGS_RULE]
				       : &unknown,
			       state->total.time);
		reportPutPartEfficiencies(json, findings, &region->efficiency);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

static void partsPutIterations(struct outJson *json,
			       const struct findings *findings)
{
	outJsonArray(json, "iterations", false);
	for (guint i = 0; i < findings->iterations->len; i++) {
		const struct findingsIteration *iteration = &g_array_index(
			findings->iterations, struct findingsIteration, i);

		outJsonObject(json, NULL, false);
		outJsonInteger(json, "index", findings->evenness.first + i);
		outJsonSeconds(json, "from_s", iteration->time.start);
		outJsonSeconds(json, "to_s", iteration->time.end);
		partsPutEnergy(json, &iteration->energy,
			       iteration->time.end - iteration->time.start);
		reportPutPartEfficiencies(json, findings,
					  &iteration->efficiency);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

static void partsPutEvenness(struct outJson *json,
			     const struct findings *findings)
{
	const struct findingsIterations *is = &findings->evenness;

	if (!findings->iterations->len) {
		outJsonPlain(json, "iteration_summary", "null");
		return;
	}
	outJsonObject(json, "iteration_summary", true);
	outJsonText(json, "region", findings->iterationRegion);
	outJsonInteger(json, "count", findings->iterations->len);
	outJsonSeconds(json, "period_s", is->mean);
	outJsonDouble(json, "spread", is->spread);
	outJsonDouble(json, "trend_ratio", is->trend);
	outJsonInteger(json, "longest", is->first + is->longestPlace);
	outJsonArray(json, "outliers", true);
	for (guint i = 0; i < is->outliers->len; i++)
		outJsonInteger(json, NULL,
			       is->first +
				       g_array_index(is->outliers, guint, i));
	outJsonEnd(json);
	outJsonEnd(json);
}

void reportPutParts(const struct findings *findings, struct outJson *json)
{
	partsPutRegions(json, findings);
	partsPutEvenness(json, findings);
	partsPutIterations(json, findings);
}

/* ---- For people ---------------------------------------------------------- */

/** Columns below that are not always shown. */
enum { PARTS_ENERGY = 3, PARTS_ENERGY_UNIT };

static void partsAddPercent(struct outTable *table, double ratio)
{
	char buffer[OUT_NUMBER_SIZE], text[OUT_NUMBER_SIZE + 2] = "-";

	if (!isnan(ratio))
		g_snprintf(text, sizeof(text), "%s %%",
			   outRounded(buffer, 100 * ratio));
	outTableAdd(table, text);
}

static void partsAddRegion(struct outTable *table,
			   const struct findingsRegion *region, bool hasEnergy)
{
	const struct profileState *state = region->state;
	const struct attributionAmount *amount =
		&state->total.amounts[FINDINGS_RULE];
	struct known known = { amount->measured, state->total.time };
	char buffer[OUT_NUMBER_SIZE];

	outTableAdd(table, state->name);
	outTableAdd(table, outInteger(buffer, (outInt128)state->outer));
	outTableAdd(table, outDuration(buffer, state->total.time));
	reportAddEnergy(table, known,
			hasEnergy && amount->measured
				? attributionEnergy(amount)
				: NAN);
	partsAddPercent(table, region->efficiency.parallel);
	partsAddPercent(table, region->efficiency.loadBalance);
	partsAddPercent(table, region->efficiency.serialisation);
	partsAddPercent(table, region->efficiency.transfer);
}

static void partsPrintRegions(const struct report *report)
{
	static const char *const headings[] = {
		"<Region",   ">Count",   ">Time",          ".Energy",   "<",
		">Parallel", ">Balance", ">Serialisation", ">Transfer", NULL,
	};
	const struct findings *findings = &report->findings;
	bool hasEnergy =
		findings->profile->sources > 0 && findings->energy.isKnown;
	guint count = findings->regionList->len;
	struct outTable *table;

	if (!count || isnan(findings->efficiency.parallel))
		return;
	if (!report->isAll)
		count = MIN(count, (guint)report->top);
	table = outTableNew(headings);
	for (guint i = 0; i < count; i++)
		partsAddRegion(table,
			       &g_array_index(findings->regionList,
					      struct findingsRegion, i),
			       hasEnergy);
	if (!hasEnergy) {
		outTableHide(table, PARTS_ENERGY);
		outTableHide(table, PARTS_ENERGY_UNIT);
	}
	reportTitle(report, "Regions, with efficiencies");
	outTablePrint(table, "  ", findings->tool->isColored);
}

void reportPrintRegions(const struct report *report)
{
	partsPrintRegions(report);
}

void reportPrintIterations(const struct findings *findings)
{
	const struct findingsIterations *is = &findings->evenness;
	char buffer[OUT_NUMBER_SIZE];

	if (!findings->iterations->len)
		return;
	printf("  Iterations: %u", findings->iterations->len);
	if (findings->iterationRegion) {
		printf(" of ");
		outPrintable(findings->iterationRegion);
	}
	printf(", %s on average", outDuration(buffer, is->mean));
	printf(", spread %s %%", outRounded(buffer, 100 * is->spread));
	printf(", trend %s%s %%", is->trend < 0 ? "" : "+",
	       outRounded(buffer, 100 * is->trend));
	printf(", longest %u (%s)\n", is->first + is->longestPlace,
	       outDuration(buffer, is->longest));
}
