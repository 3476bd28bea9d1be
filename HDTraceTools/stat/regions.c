/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace stat --regions: energy of the states of every trace, and what the
 * processor did in them.
 *
 * A state counts as a whole, with all that lies in it; a state inside another
 * one of the same name does not count again.
 */
#include "config.h"

#include <math.h>

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
	struct costsTable table;
	struct rows *rows; /**< That are filled. */
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
	{ "<Time", "seconds", ROW_DURATION, ROW_NOT_JSON },
	{ "<Known", "known", ROW_DURATION, ROW_NOT_JSON },
	{ ".Mean", "mean", ROW_NUMBER, ROW_DASH },
	{ "<", NULL, ROW_TEXT, 0 },
	{ ".Energy", "energy", ROW_NUMBER, ROW_DASH },
	{ "<", "energy_unit", ROW_TEXT, 0 },
	{ NULL, "simulated", ROW_FLAG, ROW_NOT_JSON },
	{ NULL, "duration_s", ROW_TIME, 0 },
	{ NULL, "known_s", ROW_TIME, 0 },
	COSTS_EVENT_COLUMNS,
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
	COLUMN_EVENTS,
};

/** What the power of a value cost. */
static void regionsSetEnergy(struct regions *self, guint number,
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

	costsSetMeasure(rows, COLUMN_GROUP, measure);
	rowsFlag(rows, COLUMN_SIMULATED_LAST, measure->isSimulated);
	rowsTime(rows, COLUMN_KNOWN, amount->measured);
	rowsTime(rows, COLUMN_KNOWN_S, amount->measured);
	costsSetNumber(rows, COLUMN_MEAN, "", mean, measure->unit);
	costsSetNumber(rows, COLUMN_ENERGY, knownMark(known), energy,
		       measure->energyUnit);
}

/** Print a line; @p node is NULL for the sum of all. */
static void regionsPrintSum(struct regions *self, guint number,
			    const hdINode *node,
			    const struct profileState *state)
{
	struct rows *rows = self->rows;

	rowsText(rows, COLUMN_REGION, state->name);
	rowsText(rows, COLUMN_NODE_TITLE, node ? node->path : "all");
	rowsText(rows, COLUMN_NODE, node ? node->path : NULL);
	rowsCount(rows, COLUMN_COUNT, state->outer);
	rowsTime(rows, COLUMN_SECONDS, state->total.time);
	rowsTime(rows, COLUMN_DURATION_S, state->total.time);
	if (number < self->costs.measures->len)
		regionsSetEnergy(self, number, state);
	costsSetEvents(rows, COLUMN_EVENTS, &state->total, state->outer);
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
		regionsPrintSum(self, measure, read->trace->node, state);
	}
	regionsPrintSum(self, measure, NULL, profileFind(all, name));
	profileFree(all);
}

static void regionsBegin(struct outJson *json)
{
	outJsonDocument(json, "hdtrace-stat-regions");
}

static void regionsFill(void *data, guint measure, struct rows *rows,
			struct outJson *json)
{
	struct regions *self = data;

	(void)json;
	self->rows = rows;
	for (guint i = 0; i < self->names->len; i++)
		printRegion(self, measure, self->names->pdata[i]);
}

/* ---- The whole --------------------------------------------------------- */

/** Add up what the processor did in all states that match. */
static void sumEvents(struct regions *self)
{
	for (guint i = 0; i < self->costs.traces->len; i++) {
		const struct profile *profile =
			costsTraceAt(&self->costs, i)->profile;

		for (guint k = 0; profile && k < self->names->len; k++) {
			const struct profileState *state =
				profileFind(profile, self->names->pdata[k]);

			if (!state)
				continue;
			profileEventsAdd(&self->table.inside,
					 &state->total.events);
			profileEventsAdd(&self->table.outside,
					 &state->total.outside);
		}
	}
}

/** Read all traces that were asked for; false if there is nothing to tell. */
static bool regionsReadAll(struct regions *self, const char *pattern,
			   enum attributionRule rule)
{
	costsRead(&self->costs, rule);
	self->names = costsNames(&self->costs, pattern);
	if (!self->names->len) {
		toolError(self->tool, "--regions: no state matches \"%s\"",
			  pattern);
		return false;
	}
	sumEvents(self);
	if (self->costs.measures->len || self->table.inside.counted ||
	    self->table.outside.counted)
		return true;
	toolError(self->tool, "--regions: the project has neither values in W "
			      "nor states with hardware counters");
	return false;
}

int regionsPrint(struct tool *tool, const hdIProject *project,
		 const struct selection *selection, const char *pattern,
		 enum attributionRule rule)
{
	struct regions self = {
		.tool = tool,
		.table = {
			.columns = columns,
			.energy = COLUMN_KNOWN,
			.energyCount = COLUMN_ENERGY_UNIT + 1 - COLUMN_KNOWN,
			.events = COLUMN_EVENTS,
			.begin = regionsBegin,
			.list = "regions",
			.fill = regionsFill,
			.data = &self,
		},
	};
	int ret = -1;

	costsInit(&self.costs, tool, project, selection);
	if (regionsReadAll(&self, pattern, rule)) {
		costsPrint(&self.costs, &self.table);
		ret = 0;
	}
	if (self.names)
		g_ptr_array_unref(self.names);
	costsClear(&self.costs);
	return ret;
}
