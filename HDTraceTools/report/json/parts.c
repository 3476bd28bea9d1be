/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Efficiencies of the run, and of its regions and iterations, for programs.
 */
#include "config.h"

#include <math.h>

#include "HDTraceTools/report/json/json.h"

void reportJsonPutEfficiencies(struct outJson *json,
			       const struct findingsEfficiencies *of)
{
	outJsonObject(json, "efficiencies", false);
	for (int i = 0; i < FINDINGS_EFFICIENCIES; i++)
		outJsonDouble(json, findingsEfficiencyName(i), of->values[i]);
	outJsonEnd(json);
}

void reportJsonPutPartEfficiencies(struct outJson *json,
				   const struct findings *findings,
				   const struct efficiency *of)
{
	struct findingsEfficiencies all = findingsEfficienciesOf(of);

	/* Threads that are not ranks are not part of it. */
	if (!findingsIsHybrid(findings))
		findingsEfficienciesOfAll(&all, of);
	reportJsonPutEfficiencies(json, &all);
}

static void reportJsonPutPartEnergy(struct outJson *json,
				    const struct attributionAmount *amount,
				    int64_t time)
{
	outJsonDouble(json, "energy_j",
		      amount->measured ? attributionEnergy(amount) : NAN);
	outJsonSeconds(json, "known_s", amount->measured);
	outJsonSeconds(json, "duration_s", time);
}

static void reportJsonPutRegions(struct outJson *json,
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
		reportJsonPutPartEnergy(
			json,
			findings->profile->sources
				? &state->total.amounts[FINDINGS_RULE]
				: &unknown,
			state->total.time);
		reportJsonPutPartEfficiencies(json, findings,
					      &region->efficiency);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

static void reportJsonPutIterations(struct outJson *json,
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
		reportJsonPutPartEnergy(json, &iteration->energy,
					iteration->time.end -
						iteration->time.start);
		reportJsonPutPartEfficiencies(json, findings,
					      &iteration->efficiency);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

/** By which value iterations were found. */
static void reportJsonPutSeries(struct outJson *json,
				const struct findingsSeries *series)
{
	if (!series->node) {
		outJsonPlain(json, "series", "null");
		return;
	}
	outJsonObject(json, "series", true);
	outJsonText(json, "node", series->node->path);
	outJsonText(json, "value", series->name);
	outJsonDouble(json, "autocorrelation_ratio", series->strength);
	outJsonEnd(json);
}

static void reportJsonPutEvenness(struct outJson *json,
				  const struct findings *findings)
{
	const struct findingsIterations *is = &findings->evenness;

	if (!findings->iterations->len) {
		outJsonPlain(json, "iteration_summary", "null");
		return;
	}
	outJsonObject(json, "iteration_summary", true);
	outJsonText(json, "region", findings->iterationRegion);
	reportJsonPutSeries(json, &findings->iterationSeries);
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

void reportJsonPutParts(const struct findings *findings, struct outJson *json)
{
	reportJsonPutRegions(json, findings);
	reportJsonPutEvenness(json, findings);
	reportJsonPutIterations(json, findings);
}
