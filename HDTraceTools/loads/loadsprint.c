/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Output of hdtrace loads as text, CSV and JSON; see loads.h. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "HDTraceTools/loads/loads.h"
#include "cli/known.h"
#include "cli/rows.h"

enum loadsColumn {
	LOADS_NODE,
	LOADS_COMPONENT,
	LOADS_TARGET,
	LOADS_REACHED,
	LOADS_OWN,
	LOADS_SCALED,
	LOADS_ERROR,
	LOADS_OPERATIONS,
	LOADS_RATE,
	LOADS_POWER,
	LOADS_PER_J,
	LOADS_CV,
	LOADS_VALID_SHOWN,
	LOADS_VALID,
	LOADS_REASON,
	LOADS_CV_OF,
	LOADS_GUESSED,
	LOADS_START,
	LOADS_DURATION,
	LOADS_ENERGY,
	LOADS_KNOWN,
};

static const struct rowColumn columns[] = {
	[LOADS_NODE] = { "<Node", "node", ROW_TEXT, 0 },
	[LOADS_COMPONENT] = { "<Component", "component", ROW_TEXT, ROW_DASH },
	[LOADS_TARGET] = { ">Target", "target_percent", ROW_NUMBER, ROW_DASH },
	[LOADS_REACHED] = { ">Reached", "reached_percent", ROW_NUMBER,
			    ROW_DASH },
	[LOADS_OWN] = { ">Own", "own_percent", ROW_NUMBER, ROW_DASH },
	[LOADS_SCALED] = { ">Scaled", "scaled_percent", ROW_NUMBER, ROW_DASH },
	[LOADS_ERROR] = { ">Error", "error_points", ROW_NUMBER, ROW_DASH },
	[LOADS_OPERATIONS] = { ">Operations", "operations", ROW_NUMBER,
			       ROW_DASH },
	[LOADS_RATE] = { ">Op/s", "operations_per_s", ROW_NUMBER, ROW_DASH },
	[LOADS_POWER] = { ">Power", "power_w", ROW_NUMBER, ROW_DASH },
	[LOADS_PER_J] = { ">Op/J", "operations_per_j", ROW_NUMBER, ROW_DASH },
	[LOADS_CV] = { ">c_v", "cv", ROW_NUMBER, ROW_DASH },
	[LOADS_VALID_SHOWN] = { "<Valid", NULL, ROW_TEXT, ROW_DASH },
	[LOADS_VALID] = { NULL, "valid", ROW_FLAG, 0 },
	[LOADS_REASON] = { NULL, "reason", ROW_TEXT, 0 },
	[LOADS_CV_OF] = { NULL, "cv_of", ROW_TEXT, 0 },
	[LOADS_GUESSED] = { NULL, "target_guessed", ROW_FLAG, 0 },
	[LOADS_START] = { NULL, "start_s", ROW_TIME, 0 },
	[LOADS_DURATION] = { NULL, "duration_s", ROW_TIME, 0 },
	[LOADS_ENERGY] = { NULL, "energy_j", ROW_NUMBER, 0 },
	[LOADS_KNOWN] = { NULL, "known_s", ROW_TIME, 0 },
	{ NULL, NULL, ROW_TEXT, 0 },
};

/* ---- Rows -------------------------------------------------------------- */

static void loadsPutNumber(struct rows *rows, enum loadsColumn column,
			   double number, const char *format)
{
	char text[64];

	rowsNumber(rows, column, number);
	if (!format || isnan(number))
		return;
		/* The formats are those below. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(text, sizeof(text), format, number);
#pragma GCC diagnostic pop
	rowsShow(rows, column, text);
}

static void loadsPutVerdict(struct rows *rows, const struct level *level)
{
	if (level->valid == LEVEL_UNKNOWN)
		return;
	rowsFlag(rows, LOADS_VALID, level->valid == LEVEL_VALID);
	rowsText(rows, LOADS_VALID_SHOWN,
		 level->valid == LEVEL_VALID ? "yes" : "no");
}

static double loadsPerJ(const struct level *level)
{
	double power = levelPower(level);

	return power > 0 ? levelRate(level) / power : NAN;
}

static void loadsPutLevel(struct rows *rows, const struct level *level)
{
	const struct known known = { level->knownNs,
				     level->end - level->start };

	rowsText(rows, LOADS_NODE, level->node->path);
	rowsText(rows, LOADS_COMPONENT, level->component);
	loadsPutNumber(rows, LOADS_TARGET, level->target, "%.2f %%");
	loadsPutNumber(rows, LOADS_REACHED, level->reached, "%.2f %%");
	loadsPutNumber(rows, LOADS_OWN, level->own, "%.2f %%");
	loadsPutNumber(rows, LOADS_SCALED, level->scaled, "%.2f %%");
	loadsPutNumber(rows, LOADS_ERROR, level->scaled - level->target,
		       "%+.2f");
	loadsPutNumber(rows, LOADS_OPERATIONS, level->operations, "%.0f");
	loadsPutNumber(rows, LOADS_RATE, levelRate(level), NULL);
	loadsPutNumber(rows, LOADS_POWER, levelPower(level), "%.1f W");
	loadsPutNumber(rows, LOADS_PER_J, loadsPerJ(level), NULL);
	loadsPutNumber(rows, LOADS_CV, level->steadiness, NULL);
	loadsPutVerdict(rows, level);
	rowsText(rows, LOADS_REASON, level->reason);
	if (!isnan(level->steadiness))
		rowsText(rows, LOADS_CV_OF,
			 level->isSteadyOfPower ? "power" : "load");
	rowsFlag(rows, LOADS_GUESSED, level->isTargetGuessed);
	rowsTime(rows, LOADS_START, level->start);
	rowsTime(rows, LOADS_DURATION, level->end - level->start);
	rowsNumber(rows, LOADS_ENERGY, knownTotal(known, level->energy));
	rowsTime(rows, LOADS_KNOWN, level->knownNs);
	rowsEnd(rows);
}

/* Columns that say nothing are left out of the table. */
static void loadsHide(struct rows *rows, const struct levels *levels)
{
	bool hasOwn = false, hasOperations = false, hasComponent = false;
	bool isOneNode = true;

	for (guint i = 0; i < levels->list->len; i++) {
		const struct level *level = levelsAt(levels, i);

		hasOwn |= !isnan(level->own);
		hasOperations |= !isnan(level->operations);
		hasComponent |= level->component != NULL;
		isOneNode &= level->node == levelsAt(levels, 0)->node;
	}
	if (!hasOwn)
		rowsHide(rows, LOADS_OWN);
	if (!hasComponent)
		rowsHide(rows, LOADS_COMPONENT);
	if (isOneNode)
		rowsHide(rows, LOADS_NODE);
	if (hasOperations)
		return;
	rowsHide(rows, LOADS_OPERATIONS);
	rowsHide(rows, LOADS_RATE);
	rowsHide(rows, LOADS_PER_J);
}

static struct rows *loadsFill(const struct tool *tool, struct outJson *json,
			      const struct levels *levels, bool isCalibration)
{
	struct rows *rows = rowsNew(columns, tool->format, json);

	rowsHeader(rows);
	for (guint i = 0; i < levels->list->len; i++) {
		if (levelsAt(levels, i)->isCalibration == isCalibration)
			loadsPutLevel(rows, levelsAt(levels, i));
	}
	return rows;
}

/* ---- Ratios ------------------------------------------------------------ */

/* Ratios of several components have no meaning together. */
static void loadsPutRatios(struct outJson *json, const struct levelRun *run)
{
	outJsonDouble(json, "sum_operations_per_j",
		      run ? run->sumOperationsPerJ : NAN);
	outJsonDouble(json, "dynamic_range", run ? run->dynamicRange : NAN);
	outJsonDouble(json, "idle_to_peak", run ? run->idleToPeak : NAN);
	outJsonDouble(json, "energy_proportionality",
		      run ? run->proportionality : NAN);
}

static bool loadsAreValid(const struct levels *levels)
{
	for (guint i = 0; i < levels->runs->len; i++) {
		if (levelsRunAt(levels, i)->reasons->len)
			return false;
	}
	return true;
}

static void loadsPutRun(struct outJson *json, const struct levelRun *run)
{
	outJsonObject(json, NULL, false);
	outJsonText(json, "node", run->node->path);
	outJsonText(json, "component", run->component);
	loadsPutRatios(json, run);
	outJsonBool(json, "valid", run->reasons->len == 0);
	outJsonArray(json, "reasons", true);
	for (guint i = 0; i < run->reasons->len; i++)
		outJsonText(json, NULL, run->reasons->pdata[i]);
	outJsonEnd(json);
	outJsonEnd(json);
}

static void loadsPrintRatio(const char *title, double ratio)
{
	if (!isnan(ratio))
		printf("%-24s %.3f\n", title, ratio);
}

static void loadsPrintRun(const struct levels *levels,
			  const struct levelRun *run)
{
	char buffer[OUT_NUMBER_SIZE];

	puts("");
	if (levels->runs->len > 1)
		outSay(stdout, "%s, %s:", run->node->path,
		       run->component ? run->component : "unknown component");
	if (!isnan(run->sumOperationsPerJ))
		printf("%-24s %s operations/J\n", "Sum op/s by sum power",
		       outRounded(buffer, run->sumOperationsPerJ));
	loadsPrintRatio("Dynamic range", run->dynamicRange);
	loadsPrintRatio("Idle to peak", run->idleToPeak);
	loadsPrintRatio("Energy proportionality", run->proportionality);
	printf("%-24s %s\n", "SPEC's limits",
	       run->reasons->len ? "not met" : "met");
	for (guint i = 0; i < run->reasons->len; i++)
		outSay(stdout, "  %s", (const char *)run->reasons->pdata[i]);
}

/* ---- Formats ----------------------------------------------------------- */

static void loadsPrintJson(const struct tool *tool, const hdIProject *project,
			   const struct levels *levels)
{
	struct outJson json = { .depth = 0 };

	outJsonDocument(&json, "hdtrace-loads");
	outJsonText(&json, "project", project->name);
	outJsonText(&json, "file", project->file);
	outJsonArray(&json, "levels", false);
	rowsFree(loadsFill(tool, &json, levels, false));
	outJsonEnd(&json);
	outJsonArray(&json, "calibrations", false);
	rowsFree(loadsFill(tool, &json, levels, true));
	outJsonEnd(&json);
	loadsPutRatios(&json,
		       levels->runs->len == 1 ? levelsRunAt(levels, 0) : NULL);
	outJsonBool(&json, "valid", loadsAreValid(levels));
	outJsonArray(&json, "runs", false);
	for (guint i = 0; i < levels->runs->len; i++)
		loadsPutRun(&json, levelsRunAt(levels, i));
	outJsonEnd(&json);
	outJsonEnd(&json);
}

void loadsPrint(const struct tool *tool, const hdIProject *project,
		const struct levels *levels)
{
	struct rows *rows;

	if (tool->format == OUT_JSON) {
		loadsPrintJson(tool, project, levels);
		return;
	}
	rows = loadsFill(tool, NULL, levels, false);
	loadsHide(rows, levels);
	rowsPrint(rows, "", tool->isColored);
	rowsFree(rows);
	for (guint i = 0; i < levels->runs->len && tool->format == OUT_TEXT;
	     i++)
		loadsPrintRun(levels, levelsRunAt(levels, i));
}
