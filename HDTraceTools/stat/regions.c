/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace stat --regions: energy of the states of every trace.
 *
 * A state counts as a whole, with all that lies in it; a state inside another
 * one of the same name does not count again.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>

#include "HDTraceTools/model/units.h"
#include "HDTraceTools/stat/costs.h"
#include "HDTraceTools/stat/regions.h"
#include "cli/known.h"
#include "cli/output.h"
#include "cli/rows.h"

/** The whole work. */
struct regions {
	struct tool *tool;
	struct costs costs;
	GPtrArray *names; /**< Of states that match, sorted. */
	struct rows *rows;
	struct outJson json;
};

/* ---- Printing ---------------------------------------------------------- */

static const struct rowColumn columns[] = {
	{ NULL, "group", ROW_TEXT, 0 },
	{ NULL, "value", ROW_TEXT, 0 },
	{ NULL, "unit", ROW_TEXT, 0 },
	{ NULL, "simulated", ROW_FLAG, ROW_NOT_CSV },
	{ "<Region", "region", ROW_TEXT, 0 },
	{ "<Node", NULL, ROW_TEXT, 0 },
	{ NULL, "node", ROW_TEXT, 0 },
	{ ">Count", "count", ROW_COUNT, 0 },
	{ "<Time", "seconds", ROW_DURATION, 0 },
	{ "<Known", "known", ROW_DURATION, 0 },
	{ ".Mean", "mean", ROW_NUMBER, ROW_DASH },
	{ "<", NULL, ROW_TEXT, 0 },
	{ ".Energy", "energy", ROW_NUMBER, ROW_DASH },
	{ "<", "energy_unit", ROW_TEXT, 0 },
	{ NULL, "simulated", ROW_FLAG, ROW_NOT_JSON },
	{ NULL, "duration_s", ROW_TIME, 0 },
	{ NULL, "known_s", ROW_TIME, 0 },
	{ NULL, NULL, ROW_TEXT, 0 },
};
enum {
	COLUMN_GROUP,
	COLUMN_VALUE,
	COLUMN_UNIT,
	COLUMN_SIMULATED,
	COLUMN_REGION,
	COLUMN_NODE_TITLE,
	COLUMN_NODE,
	COLUMN_COUNT,
	COLUMN_SECONDS,
	COLUMN_KNOWN,
	COLUMN_MEAN,
	COLUMN_MEAN_UNIT,
	COLUMN_ENERGY,
	COLUMN_ENERGY_UNIT,
	COLUMN_SIMULATED_LAST,
	COLUMN_DURATION_S,
	COLUMN_KNOWN_S,
};

/** Show a number to people, and in the next column its unit. */
static void show(struct rows *rows, size_t column, const char *mark,
		 double number, const char *unit)
{
	struct quantityUnit large = unitForPeople(unit, number);
	char buffer[OUT_NUMBER_SIZE];
	char *text;

	if (isnan(number)) {
		rowsShow(rows, column + 1, "");
		return;
	}
	text = g_strconcat(mark, quantityNumber(buffer, number, &large), NULL);
	rowsShow(rows, column, text);
	rowsShow(rows, column + 1, *large.name ? large.name : unit);
	g_free(text);
}

/** Print a line; @p node is NULL for the sum of all. */
static void printSum(struct regions *self, guint number, const hdINode *node,
		     const struct profileState *state)
{
	const struct costsMeasure *measure =
		costsMeasureAt(&self->costs, number);
	const struct attributionAmount *amount = &state->total.amounts[number];
	const struct known known = { amount->measured, state->total.time };
	double energy = knownTotal(known, attributionEnergy(amount));
	double seconds = (double)amount->measured / 1e9;
	double mean = knownMean(known, attributionEnergy(amount) / seconds);
	struct rows *rows = self->rows;

	rowsText(rows, COLUMN_GROUP, measure->group);
	rowsText(rows, COLUMN_VALUE, measure->name);
	rowsText(rows, COLUMN_UNIT, measure->unit);
	rowsText(rows, COLUMN_MEAN_UNIT, measure->unit);
	rowsFlag(rows, COLUMN_SIMULATED, measure->isSimulated);
	rowsFlag(rows, COLUMN_SIMULATED_LAST, measure->isSimulated);
	rowsText(rows, COLUMN_REGION, state->name);
	rowsText(rows, COLUMN_NODE_TITLE, node ? node->path : "all");
	rowsText(rows, COLUMN_NODE, node ? node->path : NULL);
	rowsCount(rows, COLUMN_COUNT, state->outer);
	rowsTime(rows, COLUMN_SECONDS, state->total.time);
	rowsTime(rows, COLUMN_KNOWN, amount->measured);
	rowsTime(rows, COLUMN_DURATION_S, state->total.time);
	rowsTime(rows, COLUMN_KNOWN_S, amount->measured);
	rowsNumber(rows, COLUMN_MEAN, mean);
	rowsNumber(rows, COLUMN_ENERGY, energy);
	rowsText(rows, COLUMN_ENERGY_UNIT, measure->energyUnit);
	show(rows, COLUMN_MEAN, "", mean, measure->unit);
	show(rows, COLUMN_ENERGY, knownMark(known), energy,
	     measure->energyUnit);
	rowsEnd(rows);
}

static void printRegion(struct regions *self, guint measure, const char *name)
{
	struct profile *all = profileNew(self->costs.measures->len);

	for (guint i = 0; i < self->costs.traces->len; i++) {
		const struct costsTrace *read = costsTraceAt(&self->costs, i);
		const struct profileState *state = NULL;

		if (read->profile)
			state = profileFind(read->profile, name);
		if (!state || !state->outer)
			continue;
		profileAddState(all, state);
		printSum(self, measure, read->trace->node, state);
	}
	printSum(self, measure, NULL, profileFind(all, name));
	profileFree(all);
}

static void printMeasure(struct regions *self, guint number)
{
	const struct costsMeasure *measure =
		costsMeasureAt(&self->costs, number);

	if (self->tool->format == OUT_TEXT) {
		if (number)
			putchar('\n');
		printf("%s", self->tool->isColored ? "\033[1m" : "");
		outPrintable(measure->name);
		printf(" of ");
		outPrintable(measure->group);
		if (measure->isSimulated)
			printf(" (simulated)");
		printf("%s\n", self->tool->isColored ? "\033[0m" : "");
	}
	for (guint i = 0; i < self->names->len; i++)
		printRegion(self, number, self->names->pdata[i]);
	rowsPrint(self->rows, "  ", self->tool->isColored);
}

static void print(struct regions *self)
{
	const hdIProject *project = self->costs.scan.project;

	self->rows = rowsNew(columns, self->tool->format, &self->json);
	rowsHeader(self->rows);
	if (self->tool->format == OUT_JSON) {
		outJsonDocument(&self->json, "hdtrace-stat-regions", 1);
		outJsonText(&self->json, "project", project->name);
		outJsonText(&self->json, "file", project->file);
		outJsonArray(&self->json, "regions", false);
	}
	for (guint i = 0; i < self->costs.measures->len; i++)
		printMeasure(self, i);
	if (self->tool->format == OUT_JSON) {
		outJsonEnd(&self->json);
		outJsonEnd(&self->json);
	}
}

/* ---- The whole --------------------------------------------------------- */

/** Read all traces that were asked for; false if none has such a state. */
static bool readAll(struct regions *self, const char *pattern,
		    enum attributionRule rule)
{
	costsRead(&self->costs, rule);
	self->names = costsNames(&self->costs, pattern);
	if (!self->names->len)
		toolError(self->tool, "--regions: no state matches \"%s\"",
			  pattern);
	return self->names->len;
}

int regionsPrint(struct tool *tool, const hdIProject *project,
		 const struct selection *selection, const char *pattern,
		 enum attributionRule rule)
{
	struct regions self = { .tool = tool };
	int ret = -1;

	costsInit(&self.costs, tool, project, selection);
	if (!self.costs.measures->len) {
		toolError(tool, "--regions: there is no power: no value with "
				"the unit W");
	} else if (readAll(&self, pattern, rule)) {
		print(&self);
		ret = 0;
	}
	rowsFree(self.rows);
	if (self.names)
		g_ptr_array_unref(self.names);
	costsClear(&self.costs);
	return ret;
}
