/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace compare, for programs: CSV and JSON.
 */
#include "config.h"

#include <math.h>

#include "HDTraceTools/base/ranktest.h"
#include "HDTraceTools/command/powers.h"
#include "HDTraceTools/compare/core/compare.h"
#include "cli/rows.h"

/** Columns of a measure. */
#define MEASURE(name, unit)                                       \
	{ NULL, name "_a" unit, ROW_NUMBER, 0 },                  \
		{ NULL, name "_b" unit, ROW_NUMBER, 0 },          \
		{ NULL, name "_difference" unit, ROW_NUMBER, 0 }, \
		{ NULL, name "_p", ROW_NUMBER, 0 },               \
		{ NULL, name "_p_of_all", ROW_NUMBER, 0 },        \
	{                                                         \
		NULL, name "_differs", ROW_FLAG, 0                \
	}

static const struct rowColumn columns[] = {
	{ NULL, "kind", ROW_TEXT, 0 },
	{ NULL, "name", ROW_TEXT, 0 },
	{ NULL, "small", ROW_FLAG, 0 },
	MEASURE("count", ""),
	MEASURE("time", "_s"),
	MEASURE("energy", "_j"),
	MEASURE("power", "_w"),
	MEASURE("path", "_s"),
	{ NULL, "other_energy_a_j", ROW_NUMBER, 0, "energy_other_a_j" },
	{ NULL, "other_energy_b_j", ROW_NUMBER, 0, "energy_other_b_j" },
	{ NULL, "other_energy_difference_j", ROW_NUMBER, 0,
	  "energy_other_difference_j" },
	{ NULL, "known_a_s", ROW_TIME, 0 },
	{ NULL, "duration_a_s", ROW_TIME, 0 },
	{ NULL, "known_b_s", ROW_TIME, 0 },
	{ NULL, "duration_b_s", ROW_TIME, 0 },
	{ NULL, NULL, ROW_TEXT, 0 },
};
enum {
	COLUMN_KIND,
	COLUMN_NAME,
	COLUMN_SMALL,
	COLUMN_MEASURES,
	MEASURE_COLUMNS = 6,
	COLUMN_OTHER = COLUMN_MEASURES + COMPARE_TESTED * MEASURE_COLUMNS,
	COLUMN_KNOWN = COLUMN_OTHER + 3,
};

static void setMeasure(struct rows *rows, int measure,
		       const struct compareResult *result)
{
	size_t at = COLUMN_MEASURES + (size_t)measure * MEASURE_COLUMNS;

	rowsNumber(rows, at++, result->medians[COMPARE_A]);
	rowsNumber(rows, at++, result->medians[COMPARE_B]);
	rowsNumber(rows, at++, result->difference);
	rowsNumber(rows, at++, result->alone);
	rowsNumber(rows, at++, result->family);
	if (result->verdict == COMPARE_NOISE ||
	    result->verdict == COMPARE_DIFFERS)
		rowsFlag(rows, at, result->verdict == COMPARE_DIFFERS);
}

static void compareJsonSetRow(struct rows *rows, const struct compareRow *row)
{
	const struct compareResult *other = &row->results[COMPARE_OTHER];
	bool isSmall = false;

	rowsText(rows, COLUMN_KIND, compareKindNames[row->kind]);
	rowsText(rows, COLUMN_NAME, row->name);
	for (int i = 0; i < COMPARE_TESTED; i++) {
		setMeasure(rows, i, &row->results[i]);
		isSmall |= row->results[i].verdict == COMPARE_TOO_SMALL;
	}
	rowsFlag(rows, COLUMN_SMALL, isSmall);
	rowsNumber(rows, COLUMN_OTHER, other->medians[COMPARE_A]);
	rowsNumber(rows, COLUMN_OTHER + 1, other->medians[COMPARE_B]);
	rowsNumber(rows, COLUMN_OTHER + 2, other->difference);
	for (size_t set = 0; set < COMPARE_SETS; set++) {
		rowsTime(rows, COLUMN_KNOWN + 2 * set, row->known[set].knownNs);
		rowsTime(rows, COLUMN_KNOWN + 2 * set + 1,
			 row->known[set].durationNs);
	}
}

void comparePrintCsv(const struct compare *self)
{
	struct rows *rows = rowsNew(columns, OUT_CSV, NULL);

	rowsHeader(rows);
	for (guint i = 0; i < self->rows->len; i++) {
		compareJsonSetRow(rows, self->rows->pdata[i]);
		rowsEnd(rows);
	}
	rowsFree(rows);
}

/* ---- JSON -------------------------------------------------------------- */

static void compareJsonPutRuns(const struct compare *self, struct outJson *json,
			       int set)
{
	size_t first = compareFirst(self, set);

	outJsonArray(json, set == COMPARE_A ? "a" : "b", false);
	for (size_t i = 0; i < self->counts[set]; i++) {
		const struct compareRun *run = &self->runs[first + i];

		outJsonObject(json, NULL, false);
		outJsonText(json, "path", run->path);
		outJsonText(json, "project", run->name);
		outJsonText(json, "file", run->file);
		outJsonInteger(json, "message_count",
			       (int64_t)run->diagnostics);
		if (self->isPerRank)
			outJsonInteger(json, "ranks", (int64_t)run->ranks);
		powersPut(json, run->project, run->powers);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

static void putTest(const struct compare *self, struct outJson *json)
{
	outJsonObject(json, "test", true);
	outJsonText(json, "name", "Mann-Whitney, step-down over all rows");
	outJsonDouble(json, "level", self->level);
	outJsonDouble(json, "least_p",
		      rankTestLeast(self->counts[COMPARE_A],
				    self->counts[COMPARE_B]));
	outJsonBool(json, "tested", self->isTested);
	outJsonInteger(json, "ways", (int64_t)self->ways);
	outJsonBool(json, "exact", self->isTested && self->isExact);
	if (compareNeeded(self))
		outJsonInteger(json, "runs_needed",
			       (int64_t)compareNeeded(self));
	else
		outJsonPlain(json, "runs_needed", "null");
	outJsonEnd(json);
}

static void putNamed(const struct compare *self, struct outJson *json)
{
	outJsonArray(json, "differences", false);
	for (guint i = 0; i < self->named->len; i++) {
		const struct compareRow *row = self->named->pdata[i];

		outJsonObject(json, NULL, true);
		outJsonText(json, "kind", compareKindNames[row->kind]);
		outJsonText(json, "name", row->name);
		outJsonArray(json, "measures", true);
		for (int k = 0; k < COMPARE_MEASURES; k++) {
			if (row->results[k].verdict == COMPARE_DIFFERS)
				outJsonText(json, NULL, compareMeasureNames[k]);
		}
		outJsonEnd(json);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

/** The numbers of each run, of which the medians are. */
static void putCosts(const struct compare *self, struct outJson *json,
		     const struct compareRow *row, int set)
{
	static const char *const keys[COMPARE_MEASURES] = {
		[COMPARE_COUNT] = "count",
		[COMPARE_TIME] = "time_s",
		[COMPARE_ENERGY] = "energy_j",
		[COMPARE_POWER] = "power_w",
		[COMPARE_PATH] = "path_s",
		[COMPARE_OTHER] = "other_energy_j",
	};
	size_t first = compareFirst(self, set);

	outJsonArray(json, set == COMPARE_A ? "a" : "b", true);
	for (size_t i = 0; i < self->counts[set]; i++) {
		const struct compareCost *cost = &row->costs[first + i];

		outJsonObject(json, NULL, true);
		for (int k = 0; k < COMPARE_MEASURES; k++)
			outJsonDouble(json, keys[k], cost->values[k]);
		outJsonSeconds(json, "known_s", cost->known.knownNs);
		outJsonSeconds(json, "duration_s", cost->known.durationNs);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

static void compareJsonPutRows(const struct compare *self, struct outJson *json)
{
	struct rows *rows = rowsNew(columns, OUT_JSON, json);

	outJsonArray(json, "rows", false);
	for (guint i = 0; i < self->rows->len; i++) {
		const struct compareRow *row = self->rows->pdata[i];

		compareJsonSetRow(rows, row);
		rowsPut(rows);
		if (self->isPerRank) {
			outJsonDouble(json, "a_share", row->shares[COMPARE_A]);
			outJsonDouble(json, "b_share", row->shares[COMPARE_B]);
		}
		outJsonObject(json, "runs", true);
		for (int set = 0; set < COMPARE_SETS; set++)
			putCosts(self, json, row, set);
		outJsonEnd(json);
		outJsonEnd(json);
	}
	outJsonEnd(json);
	rowsFree(rows);
}

void comparePrintJson(const struct compare *self)
{
	struct outJson json = { .depth = 0 };

	outJsonDocument(&json, "hdtrace-compare");
	for (int set = 0; set < COMPARE_SETS; set++)
		compareJsonPutRuns(self, &json, set);
	outJsonText(&json, "attribution",
		    self->rule == ATTRIBUTION_CPU ? "cpu" : "equal");
	outJsonText(&json, "by", self->isByEnergy ? "energy" : "time");
	if (self->isPerRank)
		outJsonBool(&json, "per_rank", true);
	putTest(self, &json);
	putNamed(self, &json);
	savingPut(self, &json);
	compareJsonPutRows(self, &json);
	outJsonArray(&json, "cannot", false);
	for (guint i = 0; i < self->cannot->len; i++)
		outJsonText(&json, NULL, self->cannot->pdata[i]);
	outJsonEnd(&json);
	outJsonEnd(&json);
}
