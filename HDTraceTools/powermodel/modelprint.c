/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Output of hdtrace power-model; see powermodel.h. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "HDTraceTools/powermodel/powermodel.h"
#include "cli/rows.h"

/* Parts of a run of which the mean residual is told. */
#define MODEL_PRINT_PARTS 10

enum modelColumn {
	MODEL_NAME,
	MODEL_FROM,
	MODEL_TO,
	MODEL_SLOPE,
	MODEL_LOW,
	MODEL_HIGH,
	MODEL_MAX,
};

static const struct rowColumn modelColumns[] = {
	[MODEL_NAME] = { "<Component", "component", ROW_TEXT, 0 },
	[MODEL_FROM] = { ">From", "from_percent", ROW_NUMBER, 0 },
	[MODEL_TO] = { ">To", "to_percent", ROW_NUMBER, 0 },
	[MODEL_SLOPE] = { ">W per %", "w_per_percent", ROW_NUMBER, 0 },
	[MODEL_LOW] = { ">Low", "low_w_per_percent", ROW_NUMBER, 0 },
	[MODEL_HIGH] = { ">High", "high_w_per_percent", ROW_NUMBER, 0 },
	[MODEL_MAX] = { ">Bytes/s at 100 %", "max_bytes_per_s", ROW_NUMBER,
			ROW_DASH },
	{ NULL, NULL, ROW_TEXT, 0 },
};

static const char *modelDelayName(enum modelDelay source)
{
	return source == MODEL_DELAY_RECORDED ? "recorded"
	       : source == MODEL_DELAY_FOUND  ? "found"
					      : "none";
}

static void modelPutComponents(const struct modelFit *fit, struct rows *rows)
{
	rowsHeader(rows);
	for (size_t i = 0; i < fit->model.count; i++) {
		const struct hdPowerComponent *part = &fit->model.components[i];

		for (size_t k = 0; k < part->segments; k++) {
			rowsText(rows, MODEL_NAME, part->name);
			rowsNumber(rows, MODEL_FROM,
				   k ? part->knots[k - 1] : 0);
			rowsNumber(rows, MODEL_TO,
				   k + 1 < part->segments ? part->knots[k]
							  : 100);
			rowsNumber(rows, MODEL_SLOPE, part->slope[k]);
			rowsNumber(rows, MODEL_LOW, part->low[k]);
			rowsNumber(rows, MODEL_HIGH, part->high[k]);
			if (part->max > 0)
				rowsNumber(rows, MODEL_MAX, part->max);
			rowsEnd(rows);
		}
	}
}

/* "cpu, network" */
static char *modelRefusedNames(const struct modelRefusal *refusal)
{
	GString *names = g_string_new(NULL);

	for (int i = 0; i < MODEL_PARTS; i++) {
		if (refusal->parts[i])
			g_string_append_printf(names, "%s%s",
					       names->len ? ", " : "",
					       modelPartNames[i]);
	}
	return g_string_free(names, FALSE);
}

/* ---- Text -------------------------------------------------------------- */

static void modelPrintRefused(const struct modelFit *fit)
{
	for (guint i = 0; i < fit->refused->len; i++) {
		const struct modelRefusal *refusal =
			&g_array_index(fit->refused, struct modelRefusal, i);
		char *names = modelRefusedNames(refusal);

		outSay(stdout,
		       "%s: refused; %s. This run would show it:", names,
		       refusal->isConstant
			       ? "its load is constant, so its power looks "
				 "like "
				 "idle power"
			       : "their loads change together, so their powers "
				 "cannot be told apart");
		outSay(stdout, "  %s", refusal->command);
		g_free(names);
	}
}

static void modelPrintRuns(const struct modelFit *fit)
{
	static const char *const headings[] = { "<Project", "<Node", ">Windows",
						">Delay",   ">Bias", ">Error",
						">Linear",  NULL };
	struct outTable *table = outTableNew(headings);
	char text[64], number[OUT_NUMBER_SIZE];

	for (guint r = 0; r < fit->runs->len; r++) {
		const struct modelRun *run = fit->runs->pdata[r];

		outTableAdd(table, run->project);
		outTableAdd(table, run->node);
		snprintf(text, sizeof(text), "%zu", run->count);
		outTableAdd(table, text);
		snprintf(text, sizeof(text), "%.0f ms",
			 (double)run->delayNs / 1e6);
		outTableAdd(table, run->delaySource == MODEL_DELAY_FOUND
					   ? text
					   : modelDelayName(run->delaySource));
		snprintf(text, sizeof(text), "%s W",
			 outRounded(number, run->bias));
		outTableAdd(table, text);
		snprintf(text, sizeof(text), "%s W",
			 outRounded(number, run->error));
		outTableAdd(table, text);
		snprintf(text, sizeof(text), "%s W",
			 outRounded(number, run->linear));
		outTableAdd(table, text);
	}
	outTablePrint(table, "", fit->tool->isColored);
}

static void modelPrintText(const struct modelFit *fit, const char *path)
{
	char a[OUT_NUMBER_SIZE], b[OUT_NUMBER_SIZE], c[OUT_NUMBER_SIZE];
	struct rows *rows;

	if (fit->model.count > 0) {
		printf("Idle power: %s W (95 %%: %s to %s W)\n\n",
		       outRounded(a, fit->model.idle),
		       outRounded(b, fit->model.idleLow),
		       outRounded(c, fit->model.idleHigh));
		rows = rowsNew(modelColumns, OUT_TEXT, NULL);
		modelPutComponents(fit, rows);
		rowsPrint(rows, "", fit->tool->isColored);
		rowsFree(rows);
		if (fit->clockMhz > 0)
			printf("\nCPU power by clock: (clock / %s MHz) ^ %s\n",
			       outRounded(a, fit->clockMhz),
			       outRounded(b, fit->clockExponent));
		printf("\nPrediction of %s that were not fitted: error %s W "
		       "(%s %%); linear in CPU use: %s W\n\n",
		       fit->isByProject ? "runs" : "parts of the run",
		       outRounded(a, fit->error), outRounded(b, fit->percent),
		       outRounded(c, fit->linear));
		modelPrintRuns(fit);
	}
	if (fit->refused->len && fit->model.count)
		puts("");
	modelPrintRefused(fit);
	if (fit->model.count && !fit->tool->isQuiet)
		outSay(stderr, "hdtrace power-model: wrote %s", path);
}

/* ---- JSON -------------------------------------------------------------- */

/* Mean residuals of equal parts of a run. */
static void modelPutResiduals(struct outJson *json, const struct modelFit *fit,
			      const struct modelRun *run)
{
	outJsonArray(json, "residuals", false);
	for (size_t p = 0; p < MODEL_PRINT_PARTS; p++) {
		size_t first = p * run->count / MODEL_PRINT_PARTS;
		size_t last = (p + 1) * run->count / MODEL_PRINT_PARTS;
		double sum = 0;

		if (first == last)
			continue;
		for (size_t k = first; k < last; k++)
			sum += run->windows[k].power -
			       modelPredict(fit, run, &run->windows[k]);
		outJsonObject(json, NULL, true);
		outJsonSeconds(json, "start_s", run->windows[first].start);
		outJsonSeconds(json, "end_s", run->windows[last - 1].end);
		outJsonDouble(json, "residual_w", sum / (double)(last - first));
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

static void modelPutRun(struct outJson *json, const struct modelFit *fit,
			const struct modelRun *run)
{
	outJsonObject(json, NULL, false);
	outJsonText(json, "project", run->project);
	outJsonText(json, "node", run->node);
	outJsonInteger(json, "windows", (int64_t)run->count);
	outJsonText(json, "delay", modelDelayName(run->delaySource));
	outJsonDouble(json, "delay_s", (double)run->delayNs / 1e9);
	outJsonBool(json, "drift", run->hasDrift);
	outJsonDouble(json, "bias_w", run->bias);
	outJsonDouble(json, "error_w", run->error);
	outJsonDouble(json, "error_percent", run->percent);
	outJsonDouble(json, "linear_error_w", run->linear);
	modelPutResiduals(json, fit, run);
	outJsonEnd(json);
}

static void modelPutModel(struct outJson *json, const struct modelFit *fit)
{
	outJsonObject(json, "model", true);
	outJsonDouble(json, "idle_w", fit->model.idle);
	outJsonDouble(json, "idle_low_w", fit->model.idleLow);
	outJsonDouble(json, "idle_high_w", fit->model.idleHigh);
	outJsonDouble(json, "error_w", fit->model.error);
	outJsonDouble(json, "clock_hz",
		      fit->clockMhz > 0 ? 1e6 * fit->clockMhz : NAN);
	outJsonDouble(json, "clock_exponent",
		      fit->clockMhz > 0 ? fit->clockExponent : NAN);
	outJsonEnd(json);
}

static void modelPutRefused(struct outJson *json, const struct modelFit *fit)
{
	outJsonArray(json, "refused", false);
	for (guint i = 0; i < fit->refused->len; i++) {
		const struct modelRefusal *refusal =
			&g_array_index(fit->refused, struct modelRefusal, i);

		outJsonObject(json, NULL, false);
		outJsonArray(json, "components", true);
		for (int k = 0; k < MODEL_PARTS; k++) {
			if (refusal->parts[k])
				outJsonText(json, NULL, modelPartNames[k]);
		}
		outJsonEnd(json);
		outJsonText(json, "command", refusal->command);
		outJsonBool(json, "constant", refusal->isConstant);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

static void modelPrintJson(const struct modelFit *fit, const char *path)
{
	struct outJson json = { .depth = 0 };
	bool isFitted = fit->model.count > 0;

	outJsonDocument(&json, "hdtrace-power-model");
	outJsonText(&json, "file", isFitted ? path : NULL);
	if (isFitted)
		modelPutModel(&json, fit);
	else
		outJsonPlain(&json, "model", "null");
	outJsonArray(&json, "components", false);
	{
		struct rows *rows = rowsNew(modelColumns, OUT_JSON, &json);

		modelPutComponents(fit, rows);
		rowsFree(rows);
	}
	outJsonEnd(&json);
	modelPutRefused(&json, fit);
	outJsonArray(&json, "unused", true);
	for (int i = 0; i < MODEL_PARTS; i++) {
		if (fit->shapes[i].verdict == MODEL_UNUSED)
			outJsonText(&json, NULL, modelPartNames[i]);
	}
	outJsonEnd(&json);
	outJsonObject(&json, "cross_validation", true);
	outJsonText(&json, "by",
		    !isFitted          ? NULL
		    : fit->isByProject ? "project"
				       : "time");
	outJsonInteger(&json, "folds", (int64_t)fit->folds);
	outJsonDouble(&json, "error_w", isFitted ? fit->error : NAN);
	outJsonDouble(&json, "error_percent", isFitted ? fit->percent : NAN);
	outJsonDouble(&json, "linear_error_w", isFitted ? fit->linear : NAN);
	outJsonEnd(&json);
	outJsonArray(&json, "runs", false);
	for (guint r = 0; r < fit->runs->len && isFitted; r++)
		modelPutRun(&json, fit, fit->runs->pdata[r]);
	outJsonEnd(&json);
	outJsonEnd(&json);
}

void modelPrint(const struct modelFit *fit, const char *path)
{
	struct rows *rows;

	switch (fit->tool->format) {
	case OUT_TEXT:
		modelPrintText(fit, path);
		break;
	case OUT_CSV:
		rows = rowsNew(modelColumns, OUT_CSV, NULL);
		modelPutComponents(fit, rows);
		rowsFree(rows);
		break;
	case OUT_JSON:
		modelPrintJson(fit, path);
		break;
	}
}
