/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hdpredict simulate --mc: samples; see samples.h. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "PredictionLibrary/command/samples.h"
#include "cli/quantity.h"

static double makespan(const hdPTotals *totals)
{
	return totals->makespan;
}

static double dynamicEnergy(const hdPTotals *totals)
{
	return totals->computation + totals->communication;
}

static double totalEnergy(const hdPTotals *totals)
{
	return dynamicEnergy(totals) + totals->idle;
}

/* What is looked at of each sample; of some, which model has less. */
static const struct {
	const char *key, *title, *chanceKey, *chanceTitle;
	double (*of)(const hdPTotals *totals);
} looks[] = {
	{ "makespan_s", "Time s", "p_faster", "is faster", makespan },
	{ "energy_dynamic_j", "Dynamic energy J", NULL, NULL, dynamicEnergy },
	{ "energy_total_j", "Energy J", "p_less_energy", "needs less energy",
	  totalEnergy },
};

static const double parts[] = { 0.05, 0.25, 0.5, 0.75, 0.95 };

static double *samplesValuesOf(const struct samples *samples,
			       const hdPTotals *totals, size_t look)
{
	double *values = g_new(double, samples->count);

	for (size_t i = 0; i < samples->count; i++)
		values[i] = looks[look].of(&totals[i]);
	return values;
}

static void samplesSpreadOf(const struct samples *samples,
			    const hdPTotals *totals, size_t look,
			    hdPSpread *spread, double *quantiles)
{
	double *values = samplesValuesOf(samples, totals, look);

	if (hdP_spread(values, samples->count, parts, G_N_ELEMENTS(parts),
		       spread, quantiles) < 0)
		abort();
	g_free(values);
}

static void chanceOf(const struct samples *samples, size_t look,
		     hdPChance *chance)
{
	double *own = samplesValuesOf(samples, samples->own, look);
	double *other = samplesValuesOf(samples, samples->other, look);

	hdP_chance(own, other, samples->count, chance);
	g_free(own);
	g_free(other);
}

int samplesTake(struct predict *predict, struct samples *samples,
		const hdPOptions *options, const struct predictModels *models,
		const struct predictModels *other)
{
	hdPOptions sampled = *options;
	int ret;

	sampled.seed = samples->seed;
	cliProgressStart(&predict->progress,
			 (int64_t)samples->count * (other ? 2 : 1));
	samples->own = g_new(hdPTotals, samples->count);
	ret = hdP_sample(models->graph, models->platform, models->resources,
			 &sampled, samples->count, g_get_num_processors(),
			 samples->own, predictTake, predict);
	if (ret < 0 || !other)
		return predictStatus(predict, ret, "sampling");
	cliProgressAdd(&predict->progress, (int64_t)samples->count);
	samples->other = g_new(hdPTotals, samples->count);
	ret = hdP_sample(other->graph, other->platform, other->resources,
			 &sampled, samples->count, g_get_num_processors(),
			 samples->other, predictTake, predict);
	return predictStatus(predict, ret, samples->against);
}

void samplesFree(struct samples *samples)
{
	g_free(samples->own);
	g_free(samples->other);
}

/* ---- JSON -------------------------------------------------------------- */

static void jsonSpreads(const struct samples *samples, const hdPTotals *totals,
			struct outJson *json)
{
	for (size_t i = 0; i < G_N_ELEMENTS(looks); i++) {
		double quantiles[G_N_ELEMENTS(parts)];
		hdPSpread spread;

		samplesSpreadOf(samples, totals, i, &spread, quantiles);
		outJsonObject(json, looks[i].key, true);
		outJsonDouble(json, "mean", spread.mean);
		outJsonDouble(json, "mean_error", spread.meanError);
		outJsonDouble(json, "deviation", spread.deviation);
		outJsonDouble(json, "minimum", spread.minimum);
		for (size_t k = 0; k < G_N_ELEMENTS(parts); k++) {
			char key[16];

			g_snprintf(key, sizeof(key), "q%02d",
				   (int)(parts[k] * 100 + 0.5));
			outJsonDouble(json, key, quantiles[k]);
		}
		outJsonDouble(json, "maximum", spread.maximum);
		outJsonEnd(json);
	}
}

void samplesJson(const struct samples *samples, struct outJson *json)
{
	if (!samples->own)
		return;
	outJsonObject(json, "samples", false);
	outJsonInteger(json, "count", (int64_t)samples->count);
	outJsonInteger(json, "seed", (int64_t)samples->seed);
	jsonSpreads(samples, samples->own, json);
	outJsonEnd(json);
	if (!samples->other)
		return;
	outJsonObject(json, "against", false);
	outJsonText(json, "graph", samples->against);
	jsonSpreads(samples, samples->other, json);
	for (size_t i = 0; i < G_N_ELEMENTS(looks); i++) {
		hdPChance chance;

		if (!looks[i].chanceKey)
			continue;
		chanceOf(samples, i, &chance);
		outJsonObject(json, looks[i].chanceKey, true);
		outJsonDouble(json, "probability", chance.less);
		outJsonDouble(json, "low", chance.low);
		outJsonDouble(json, "high", chance.high);
		outJsonDouble(json, "equal", chance.equal);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

/* ---- Text -------------------------------------------------------------- */

static void samplesAddCell(struct outTable *table, double value)
{
	char text[OUT_NUMBER_SIZE];

	outTableAdd(table, outRounded(text, value));
}

static void textSpreads(const struct samples *samples, const hdPTotals *totals)
{
	static const char *const headings[] = {
		"<",     ".mean", ".+- 95 %", ".deviation", ".5 %",
		".25 %", ".50 %", ".75 %",    ".95 %",      NULL
	};
	struct outTable *table = outTableNew(headings);

	for (size_t i = 0; i < G_N_ELEMENTS(looks); i++) {
		double quantiles[G_N_ELEMENTS(parts)];
		hdPSpread spread;

		samplesSpreadOf(samples, totals, i, &spread, quantiles);
		outTableAdd(table, looks[i].title);
		samplesAddCell(table, spread.mean);
		samplesAddCell(table, spread.meanError);
		samplesAddCell(table, spread.deviation);
		for (size_t k = 0; k < G_N_ELEMENTS(parts); k++)
			samplesAddCell(table, quantiles[k]);
	}
	outTablePrint(table, "  ", false);
}

void samplesText(const struct samples *samples)
{
	if (!samples->own)
		return;
	printf("\n%zu samples, seed %" PRIu64 "\n", samples->count,
	       samples->seed);
	textSpreads(samples, samples->own);
	if (!samples->other)
		return;
	outSay(stdout, "\nAgainst %s", samples->against);
	textSpreads(samples, samples->other);
	for (size_t i = 0; i < G_N_ELEMENTS(looks); i++) {
		hdPChance chance;

		if (!looks[i].chanceKey)
			continue;
		chanceOf(samples, i, &chance);
		outSay(stdout,
		       "The first %s with probability %.3f (95 %%: %.3f to "
		       "%.3f; equal: %.3f)",
		       looks[i].chanceTitle, chance.less, chance.low,
		       chance.high, chance.equal);
	}
}
