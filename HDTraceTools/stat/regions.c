/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace stat --regions: energy of the states of every trace.
 *
 * A state counts as a whole, with all that lies in it; a state inside another
 * one of the same name does not count again.
 */
#include "config.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "HDTraceTools/command/scan.h"
#include "HDTraceTools/model/kind.h"
#include "HDTraceTools/model/moments.h"
#include "HDTraceTools/model/profile.h"
#include "HDTraceTools/model/units.h"
#include "HDTraceTools/stat/regions.h"
#include "cli/known.h"
#include "cli/output.h"
#include "cli/rows.h"

/** A value that is power, at several nodes. */
struct measure {
	const char *group;
	const char *name;
	const char *unit;
	bool isSimulated; /**< Of one group at least. */
	char *energyUnit;
	/** What was read last, since traces of a node follow each other. */
	const hdIGroup *opened;
	struct powerSeries *series;
};

/** What the states of a trace took. */
struct traceProfile {
	const hdITraceFile *trace;
	struct profile *profile; /**< NULL if the trace cannot be read. */
};

/** The whole work. */
struct regions {
	struct tool *tool;
	const hdIProject *project;
	const struct selection *selection;
	const char *pattern;
	enum attributionRule rule;
	struct scan scan; /**< Of the traces that were asked for. */
	GArray *measures; /**< struct measure. */
	struct attribution *attribution;
	GPtrArray *held;  /**< Shares of the trace that is read. */
	GArray *profiles; /**< struct traceProfile, of the traces wanted. */
	GPtrArray *names; /**< Of states that match, sorted. */
	struct rows *rows;
	struct outJson json;
};

static struct measure *measureAt(const struct regions *self, guint i)
{
	return &g_array_index(self->measures, struct measure, i);
}

static struct traceProfile *profileAt(const struct regions *self, guint i)
{
	return &g_array_index(self->profiles, struct traceProfile, i);
}

/* ---- What is measured where -------------------------------------------- */

static bool isWanted(const struct regions *self, const hdIGroup *group)
{
	struct selection anywhere = *self->selection;

	/* Nodes are those of states. */
	anywhere.nodes = NULL;
	return group->isReadable && selectionHasGroup(&anywhere, group);
}

/** The column of a group that a measure is, or -1. */
static ssize_t columnOf(const struct measure *measure, const hdIGroup *group)
{
	if (strcmp(group->name, measure->group) != 0)
		return -1;
	for (size_t i = 0; i < group->valueCount; i++) {
		if (strcmp(group->values[i].name, measure->name) == 0 &&
		    strcmp(group->values[i].unit, measure->unit) == 0)
			return (ssize_t)i;
	}
	return -1;
}

static void addMeasures(struct regions *self, const hdIGroup *group)
{
	for (size_t i = 0; i < group->valueCount; i++) {
		const hdIValue *value = &group->values[i];
		struct measure measure = {
			.group = group->name,
			.name = value->name,
			.unit = value->unit,
			.isSimulated = valueIsSimulated(group, value),
		};
		guint k = 0;

		if (value->type == HDI_STRING || !unitIsPower(value->unit) ||
		    kindIsAmount(valueKind(group, value, NULL)) ||
		    !selectionHasValue(self->selection, value->name))
			continue;
		while (k < self->measures->len &&
		       columnOf(measureAt(self, k), group) != (ssize_t)i)
			k++;
		if (k < self->measures->len) {
			if (measure.isSimulated)
				measureAt(self, k)->isSimulated = true;
			continue;
		}
		measure.energyUnit = momentsIntegralUnit(value->unit);
		g_array_append_val(self->measures, measure);
	}
}

/** Find the group that a measure of a trace comes from, at the nearest node;
 *  NULL if there is none. */
static const hdIGroup *findGroup(const struct regions *self,
				 const struct measure *measure,
				 const hdINode *node)
{
	for (; node; node = node->parent) {
		for (size_t i = 0; i < node->groupCount; i++) {
			if (isWanted(self, node->groups[i]) &&
			    columnOf(measure, node->groups[i]) >= 0)
				return node->groups[i];
		}
	}
	return NULL;
}

/** A series that is filled. */
struct seriesFill {
	struct powerSeries *series;
	int error; /**< Negative errno of its temporary file. */
};

static bool addBlock(const hdIBlock *block, void *data)
{
	struct seriesFill *fill = data;

	fill->error = powerSeriesAdd(fill->series, block);
	return fill->error == 0;
}

/** Read the series of a measure; that of the trace before is kept. */
static int openSeries(struct regions *self, struct measure *measure,
		      const hdIGroup *group)
{
	const struct powerPart part = {
		.column = (size_t)columnOf(measure, group),
		.scale = 1,
	};
	struct seriesFill fill = { .series = NULL };

	if (measure->opened == group)
		return 0;
	powerSeriesFree(measure->series);
	measure->series = powerSeriesNew(group, &part, 1);
	measure->opened = group;
	fill.series = measure->series;
	scanGroup(&self->scan, group, addBlock, &fill);
	return fill.error ? fill.error : powerSeriesEnd(measure->series);
}

static int openSources(struct regions *self, const hdITraceFile *trace,
		       struct profileSource *sources)
{
	struct attributionShare *share;
	int ret = 0;

	for (guint i = 0; i < self->measures->len && ret == 0; i++) {
		struct measure *measure = measureAt(self, i);
		const hdIGroup *group = findGroup(self, measure, trace->node);

		if (!group)
			continue;
		ret = openSeries(self, measure, group);
		share = attributionShareNew(self->attribution, group->node,
					    trace);
		g_ptr_array_add(self->held, share);
		sources[i].cursor =
			attributionCursorNew(measure->series, share);
	}
	return ret;
}

static void showProgress(void *data, const hdIRecord *record)
{
	struct regions *self = data;

	toolProgressAt(self->tool, record->offset);
}

static void readTrace(const hdITraceFile *trace, void *data)
{
	struct regions *self = data;
	struct traceProfile read = { .trace = trace };
	guint count = self->measures->len;
	struct profileSource *sources = g_new0(struct profileSource, count + 1);
	int ret = openSources(self, trace, sources);
	int opened = 0;

	if (ret == 0)
		opened = profileRead(self->project, trace, NULL, sources, count,
				     self->selection->start,
				     self->selection->end, showProgress, self,
				     &read.profile);
	if (opened < 0 && opened != -EBADMSG)
		toolError(self->tool, "%s: %s", trace->file, strerror(-opened));
	for (guint i = 0; i < count; i++) {
		if (sources[i].cursor && ret == 0)
			ret = attributionCursorError(sources[i].cursor);
		attributionCursorFree(sources[i].cursor);
	}
	g_ptr_array_set_size(self->held, 0);
	if (ret < 0)
		toolError(self->tool, "temporary file: %s", strerror(-ret));
	g_free(sources);
	g_array_append_val(self->profiles, read);
}

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
	const struct measure *measure = measureAt(self, number);
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
	struct profile *all = profileNew(self->measures->len);

	for (guint i = 0; i < self->profiles->len; i++) {
		const struct traceProfile *read = profileAt(self, i);
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
	const struct measure *measure = measureAt(self, number);

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
	self->rows = rowsNew(columns, self->tool->format, &self->json);
	rowsHeader(self->rows);
	if (self->tool->format == OUT_JSON) {
		outJsonDocument(&self->json, "hdtrace-stat-regions", 1);
		outJsonText(&self->json, "project", self->project->name);
		outJsonText(&self->json, "file", self->project->file);
		outJsonArray(&self->json, "regions", false);
	}
	for (guint i = 0; i < self->measures->len; i++)
		printMeasure(self, i);
	if (self->tool->format == OUT_JSON) {
		outJsonEnd(&self->json);
		outJsonEnd(&self->json);
	}
}

/* ---- The whole --------------------------------------------------------- */

static void begin(struct regions *self)
{
	const hdIProject *project = self->project;

	self->measures = g_array_new(FALSE, FALSE, sizeof(struct measure));
	self->names = g_ptr_array_new();
	self->profiles = g_array_new(FALSE, FALSE, sizeof(struct traceProfile));
	self->held = g_ptr_array_new_with_free_func(
		(GDestroyNotify)attributionShareFree);
	for (size_t i = 0; i < project->groupCount; i++) {
		if (isWanted(self, project->groups[i]))
			addMeasures(self, project->groups[i]);
	}
}

static void end(struct regions *self)
{
	for (guint i = 0; i < self->profiles->len; i++)
		profileFree(profileAt(self, i)->profile);
	for (guint i = 0; i < self->measures->len; i++) {
		powerSeriesFree(measureAt(self, i)->series);
		g_free(measureAt(self, i)->energyUnit);
	}
	rowsFree(self->rows);
	g_array_unref(self->profiles);
	g_array_unref(self->measures);
	g_ptr_array_unref(self->names);
	g_ptr_array_unref(self->held);
	attributionFree(self->attribution);
}

static gint compareNames(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/** Gather the names of states that match. */
static void findNames(struct regions *self)
{
	GHashTable *seen = g_hash_table_new(g_str_hash, g_str_equal);

	for (guint i = 0; i < self->profiles->len; i++) {
		const struct profile *profile = profileAt(self, i)->profile;

		for (guint k = 0; profile && k < profile->states->len; k++) {
			struct profileState *state = profile->states->pdata[k];

			if (state->outer &&
			    fnmatch(self->pattern, state->name, 0) == 0 &&
			    g_hash_table_add(seen, state->name))
				g_ptr_array_add(self->names, state->name);
		}
	}
	g_ptr_array_sort(self->names, compareNames);
	g_hash_table_destroy(seen);
}

/** Read all traces that were asked for; false if none has such a state. */
static bool readAll(struct regions *self)
{
	self->attribution = attributionNew(self->project, self->rule);
	toolProgressStart(self->tool, scanTracesSize(&self->scan));
	scanTraces(&self->scan, readTrace, self);
	toolProgressEnd(self->tool);
	findNames(self);
	if (!self->names->len)
		toolError(self->tool, "--regions: no state matches \"%s\"",
			  self->pattern);
	return self->names->len;
}

int regionsPrint(struct tool *tool, const hdIProject *project,
		 const struct selection *selection, const char *pattern,
		 enum attributionRule rule)
{
	struct regions self = {
		.tool = tool,
		.project = project,
		.selection = selection,
		.pattern = pattern,
		.rule = rule,
		.scan = { .tool = tool,
			  .project = project,
			  .selection = selection },
	};
	int ret = -1;

	begin(&self);
	if (!self.measures->len) {
		toolError(tool, "--regions: there is no power: no value with "
				"the unit W");
	} else if (readAll(&self)) {
		print(&self);
		ret = 0;
	}
	end(&self);
	return ret;
}
