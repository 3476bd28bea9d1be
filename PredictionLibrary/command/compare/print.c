/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Text and JSON of a comparison; see trial.h. */
#include "config.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "PredictionLibrary/command/compare/trial.h"
#include "cli/known.h"

static const struct {
	const char *key, *title;
} kinds[TRIAL_KINDS] = {
	[TRIAL_KERNEL] = { "kernels", "Kernel" },
	[TRIAL_PE] = { "pes", "PE" },
	[TRIAL_NODE] = { "nodes", "Node" },
	[TRIAL_LINK] = { "links", "Link" },
};

/* Values of rows, and of which kinds. */
static const struct {
	const char *key;
	size_t place;
	unsigned int kinds;
} values[] = {
#define OF(kind) (1u << TRIAL_##kind)
	{ "count", offsetof(struct trialUse, count), ~0u },
	{ "busy_s", offsetof(struct trialUse, busy), ~0u },
	{ "waiting_s", offsetof(struct trialUse, waiting), OF(PE) | OF(NODE) },
	{ "bytes", offsetof(struct trialUse, bytes), OF(LINK) },
	{ "energy_j", offsetof(struct trialUse, energy), ~0u },
	{ "energy_dynamic_j", offsetof(struct trialUse, dynamic), OF(NODE) },
	{ "memory_peak_bytes", offsetof(struct trialUse, memoryPeak),
	  OF(NODE) },
	{ "memory_mean_bytes", offsetof(struct trialUse, memoryMean),
	  OF(NODE) },
	{ "pending_max", offsetof(struct trialUse, pendingMost), OF(NODE) },
	{ "pending_mean", offsetof(struct trialUse, pendingMean), OF(NODE) },
};

/* The cause that differs most, or NULL. */
static const struct trialCause *largest(const struct trialCause *causes)
{
	const struct trialCause *most = NULL;

	for (int i = 0; i < TRIAL_CAUSES; i++) {
		if (isnan(causes[i].difference))
			return NULL;
		if (causes[i].difference != 0 &&
		    (!most ||
		     fabs(causes[i].difference) > fabs(most->difference)))
			most = &causes[i];
	}
	return most;
}

/* ---- JSON -------------------------------------------------------------- */

static void jsonPair(struct outJson *json, const char *key, const double *pair)
{
	outJsonObject(json, key, true);
	outJsonDouble(json, "predicted", pair[0]);
	outJsonDouble(json, "measured", pair[1]);
	outJsonDouble(json, "error", trialError(pair[0], pair[1]));
	outJsonEnd(json);
}

static void jsonInside(struct outJson *json, const char *key,
		       const struct trialResult *result)
{
	if (result->inside < 0 || isnan(result->measured))
		outJsonPlain(json, key, "null");
	else
		outJsonBool(json, key, result->isInside);
}

static void jsonMeasure(const struct trial *self, struct outJson *json,
			int measure)
{
	const struct trialResult *result = &self->results[measure];

	outJsonObject(json, trialMeasureKeys[measure], true);
	outJsonDouble(json, "predicted", result->predicted);
	outJsonDouble(json, "measured", result->measured);
	outJsonDouble(json, "error", result->error);
	outJsonDouble(json, "spread", result->spread);
	outJsonDouble(json, "least", result->least);
	outJsonDouble(json, "most", result->most);
	outJsonDouble(json, "low", self->runs[0].low[measure]);
	outJsonDouble(json, "high", self->runs[0].high[measure]);
	jsonInside(json, "inside", result);
	if (result->inside < 0)
		outJsonPlain(json, "runs_inside", "null");
	else
		outJsonInteger(json, "runs_inside", result->inside);
	outJsonEnd(json);
}

static void jsonRuns(const struct trial *self, struct outJson *json)
{
	outJsonArray(json, "runs", false);
	for (size_t i = 0; i < self->count; i++) {
		const struct trialRun *run = &self->runs[i];

		outJsonObject(json, NULL, true);
		outJsonText(json, "project", run->path);
		outJsonBool(json, "predicted", i == 0);
		outJsonDouble(json, "time_s", run->values[TRIAL_TIME]);
		outJsonDouble(json, "energy_dynamic_j",
			      run->values[TRIAL_DYNAMIC]);
		outJsonDouble(json, "energy_total_j", run->values[TRIAL_TOTAL]);
		outJsonDouble(json, "idle_w", run->idle);
		outJsonDouble(json, "known_s", run->known);
		outJsonDouble(json, "duration_s", run->values[TRIAL_TIME]);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

static void jsonCauses(const struct trial *self, struct outJson *json)
{
	static const char *const keys[] = { "time_causes", "energy_causes" };

	for (int k = 0; k < 2; k++) {
		const struct trialCause *most = largest(self->causes[k]);

		outJsonObject(json, keys[k], true);
		for (int i = 0; i < TRIAL_CAUSES; i++)
			outJsonDouble(json, self->causes[k][i].key,
				      self->causes[k][i].difference);
		outJsonText(json, "largest", most ? most->name : NULL);
		outJsonEnd(json);
	}
}

static void jsonRows(const struct trial *self, struct outJson *json,
		     enum trialKind kind)
{
	outJsonArray(json, kinds[kind].key, false);
	for (guint i = 0; i < self->rows->len; i++) {
		const struct trialRow *row = self->rows->pdata[i];

		if (row->kind != kind)
			continue;
		outJsonObject(json, NULL, false);
		outJsonText(json, "name", row->name);
		for (size_t k = 0; k < G_N_ELEMENTS(values); k++) {
			double pair[2];

			if (!(values[k].kinds & (1u << kind)))
				continue;
			trialPair(self, row, values[k].place, pair);
			jsonPair(json, values[k].key, pair);
		}
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

static void trialPrintPutTasks(const struct trial *self, struct outJson *json)
{
	size_t predicted, measured;

	trialUnmatched(self, &predicted, &measured);
	outJsonInteger(json, "tasks", self->tasks->len);
	outJsonInteger(json, "tasks_not_measured", (int64_t)predicted);
	outJsonInteger(json, "tasks_not_predicted", (int64_t)measured);
	outJsonArray(json, "largest_tasks", false);
	for (guint i = 0; i < self->tasks->len && (int)i < self->top; i++) {
		const struct trialTask *task = self->tasks->pdata[i];

		outJsonObject(json, NULL, true);
		outJsonText(json, "id", task->id);
		outJsonText(json, "kernel", task->kernel);
		outJsonDouble(json, "predicted_s", task->durations[0]);
		outJsonDouble(json, "measured_s", task->measured);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

void trialJson(const struct trial *self)
{
	struct outJson *json = g_new0(struct outJson, 1);

	outJsonDocument(json, "hdpredict-compare");
	outJsonDouble(json, "time_error", self->results[TRIAL_TIME].error);
	outJsonDouble(json, "energy_dynamic_error",
		      self->results[TRIAL_DYNAMIC].error);
	outJsonDouble(json, "energy_total_error",
		      self->results[TRIAL_TOTAL].error);
	outJsonDouble(json, "measured_spread",
		      self->results[TRIAL_TIME].spread);
	jsonInside(json, "inside_interval", &self->results[TRIAL_TIME]);
	for (int k = 0; k < TRIAL_MEASURES; k++)
		jsonMeasure(self, json, k);
	jsonCauses(self, json);
	jsonRuns(self, json);
	for (int k = 0; k < TRIAL_KINDS; k++)
		jsonRows(self, json, (enum trialKind)k);
	trialPrintPutTasks(self, json);
	outJsonEnd(json);
	printf("\n");
	g_free(json);
}

/* ---- Text -------------------------------------------------------------- */

static void trialPrintAddCell(struct outTable *table, double value)
{
	char text[OUT_NUMBER_SIZE];

	outTableAdd(table, isnan(value) ? "-" : outRounded(text, value));
}

/* Power is known for some of a measured run, but not for all of it. */
static bool isPartial(const struct trial *self, size_t run)
{
	const struct trialRun *it = &self->runs[run];
	struct known known = { llround(it->known * 1e9), it->end - it->start };

	return run > 0 && it->known > 0 && !knownIsWhole(known);
}

/* An energy that was measured, with what stands before it then. */
static void energy(const struct trial *self, struct outTable *table,
		   double value)
{
	char number[OUT_NUMBER_SIZE], text[OUT_NUMBER_SIZE + 4];
	bool isMarked = false;

	for (size_t i = 0; i < self->count; i++)
		isMarked |= isPartial(self, i);
	g_snprintf(text, sizeof(text), "%s%s", isMarked ? "~ " : "",
		   outRounded(number, value));
	outTableAdd(table, isnan(value) ? "-" : text);
}

static void measured(const struct trial *self, struct outTable *table,
		     bool isEnergy, double value)
{
	if (isEnergy)
		energy(self, table, value);
	else
		trialPrintAddCell(table, value);
}

static void textKnown(const struct trial *self)
{
	for (size_t i = 1; i < self->count; i++) {
		const struct trialRun *run = &self->runs[i];

		if (isPartial(self, i))
			outSay(stdout,
			       "~ power of %s is known for %.1f %% of its time",
			       run->path,
			       100 * run->known / run->values[TRIAL_TIME]);
	}
}

static void percent(struct outTable *table, double part, bool hasSign)
{
	char text[OUT_NUMBER_SIZE];

	g_snprintf(text, sizeof(text), hasSign ? "%+.2f %%" : "%.2f %%",
		   100 * part);
	outTableAdd(table, isnan(part) ? "-" : text);
}

static void textMeasures(const struct trial *self)
{
	static const char *const headings[] = {
		"<",       ".predicted", ".measured", ".error",
		".spread", ".least",     ".most",     ".5 %",
		".95 %",   ">inside",    NULL
	};
	static const char *const titles[] = { "Time s", "Dynamic energy J",
					      "Energy J" };
	struct outTable *table = outTableNew(headings);

	for (int k = 0; k < TRIAL_MEASURES; k++) {
		const struct trialResult *result = &self->results[k];
		char text[48];

		outTableAdd(table, titles[k]);
		trialPrintAddCell(table, result->predicted);
		measured(self, table, k != TRIAL_TIME, result->measured);
		percent(table, result->error, true);
		percent(table, result->spread, false);
		measured(self, table, k != TRIAL_TIME, result->least);
		measured(self, table, k != TRIAL_TIME, result->most);
		trialPrintAddCell(table, self->runs[0].low[k]);
		trialPrintAddCell(table, self->runs[0].high[k]);
		g_snprintf(text, sizeof(text), "%d of %zu", result->inside,
			   result->known);
		outTableAdd(table, result->inside < 0 ? "-" : text);
	}
	outTablePrint(table, "", false);
}

static void textCauses(const struct trial *self)
{
	static const char *const titles[] = {
		"Sources of the time difference",
		"Sources of the energy difference"
	};
	static const char *const units[] = { "s", "J" };

	for (int k = 0; k < 2; k++) {
		const struct trialCause *most = largest(self->causes[k]);

		if (!most)
			continue;
		printf("\n%s\n", titles[k]);
		for (int i = 0; i < TRIAL_CAUSES; i++) {
			const struct trialCause *cause = &self->causes[k][i];
			char text[OUT_NUMBER_SIZE];

			printf("  %-32s %s %s%s\n", cause->title,
			       outRounded(text, cause->difference), units[k],
			       cause == most ? "  (most)" : "");
		}
	}
}

static void textRow(const struct trial *self, struct outTable *table,
		    const struct trialRow *row)
{
	static const size_t places[] = { offsetof(struct trialUse, busy),
					 offsetof(struct trialUse, waiting),
					 offsetof(struct trialUse, energy) };
	double pair[2];

	outTableAdd(table, row->name);
	trialPair(self, row, offsetof(struct trialUse, count), pair);
	trialPrintAddCell(table, pair[0]);
	trialPrintAddCell(table, pair[1]);
	for (size_t i = 0; i < G_N_ELEMENTS(places); i++) {
		trialPair(self, row, places[i], pair);
		trialPrintAddCell(table, pair[0]);
		measured(self, table,
			 places[i] == offsetof(struct trialUse, energy),
			 pair[1]);
		percent(table, trialError(pair[0], pair[1]), true);
	}
}

static void textRows(const struct trial *self, enum trialKind kind)
{
	static const char *const headings[] = {
		"<",         ">count",   ">measured", ".busy s", ".measured",
		".error",    ".waits s", ".measured", ".error",  ".energy J",
		".measured", ".error",   NULL
	};
	struct outTable *table = outTableNew(headings);
	size_t count = 0;

	if (kind == TRIAL_KERNEL || kind == TRIAL_LINK) {
		for (size_t i = 6; i < 9; i++)
			outTableHide(table, i);
	}
	for (guint i = 0; i < self->rows->len; i++) {
		const struct trialRow *row = self->rows->pdata[i];

		if (row->kind != kind)
			continue;
		textRow(self, table, row);
		count++;
	}
	if (!count) {
		outTableFree(table);
		return;
	}
	printf("\n%s\n", kinds[kind].title);
	outTablePrint(table, "  ", false);
}

/* Memory of nodes, and messages that they have to send. */
static void trialPrintGauges(const struct trial *self)
{
	static const char *const headings[] = {
		"<",         ".memory peak B", ".measured", ".error",
		".mean B",   ".measured",      ".error",    ".pending most",
		".measured", ".mean",          ".measured", NULL
	};
	static const size_t places[] = { offsetof(struct trialUse, memoryPeak),
					 offsetof(struct trialUse, memoryMean),
					 offsetof(struct trialUse, pendingMost),
					 offsetof(struct trialUse,
						  pendingMean) };
	struct outTable *table = outTableNew(headings);
	bool isKnown = false;

	for (guint i = 0; i < self->rows->len; i++) {
		const struct trialRow *row = self->rows->pdata[i];

		if (row->kind != TRIAL_NODE)
			continue;
		outTableAdd(table, row->name);
		for (size_t k = 0; k < G_N_ELEMENTS(places); k++) {
			double pair[2];

			trialPair(self, row, places[k], pair);
			trialPrintAddCell(table, pair[0]);
			trialPrintAddCell(table, pair[1]);
			if (k < 2)
				percent(table, trialError(pair[0], pair[1]),
					true);
			isKnown |= !isnan(pair[1]);
		}
	}
	if (!isKnown) {
		outTableFree(table);
		return;
	}
	printf("\nMemory and pending transfers\n");
	outTablePrint(table, "  ", false);
}

static void trialPrintPrintTasks(const struct trial *self)
{
	static const char *const headings[] = { "<Task",        "<kernel",
						".predicted s", ".measured s",
						".error",       NULL };
	struct outTable *table = outTableNew(headings);
	size_t predicted, measured;

	for (guint i = 0; i < self->tasks->len && (int)i < self->top; i++) {
		const struct trialTask *task = self->tasks->pdata[i];
		double median = task->measured;

		outTableAdd(table, task->id);
		outTableAdd(table, task->kernel);
		trialPrintAddCell(table, task->durations[0]);
		trialPrintAddCell(table, median);
		percent(table, trialError(task->durations[0], median), true);
	}
	printf("\nTasks with the largest differences\n");
	outTablePrint(table, "  ", false);
	trialUnmatched(self, &predicted, &measured);
	if (predicted || measured)
		printf("\nTasks only in the prediction: %zu; only in a "
		       "measurement: %zu\n",
		       predicted, measured);
}

void trialText(const struct trial *self)
{
	outSay(stdout, "%s against %zu measured %s", self->runs[0].path,
	       self->count - 1, self->count == 2 ? "run" : "runs");
	printf("\n");
	textMeasures(self);
	textKnown(self);
	textCauses(self);
	for (int k = 0; k < TRIAL_KINDS; k++)
		textRows(self, (enum trialKind)k);
	trialPrintGauges(self);
	trialPrintPrintTasks(self);
}
