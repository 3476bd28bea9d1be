/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the states of every trace took: time, and energy of each value that is
 * power.
 */
#include "config.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "HDTraceTools/command/results.h"
#include "HDTraceTools/model/kind.h"
#include "HDTraceTools/model/moments.h"
#include "HDTraceTools/model/units.h"
#include "HDTraceTools/stat/costs.h"
#include "cli/output.h"

/* ---- What is measured where -------------------------------------------- */

static bool costsIsWanted(const struct costs *self, const hdIGroup *group)
{
	struct selection anywhere = *self->scan.selection;

	/* Nodes are those of states. */
	anywhere.nodes = NULL;
	return group->isReadable && selectionHasGroup(&anywhere, group);
}

/** The column of a group that a measure is, or -1. */
static ssize_t costsColumnOf(const struct costsMeasure *measure,
			     const hdIGroup *group)
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

static void addMeasures(struct costs *self, const hdIGroup *group)
{
	for (size_t i = 0; i < group->valueCount; i++) {
		const hdIValue *value = &group->values[i];
		struct costsMeasure measure = {
			.group = group->name,
			.name = value->name,
			.unit = value->unit,
			.isSimulated = valueIsSimulated(group, value),
		};
		guint k = 0;

		if (value->type == HDI_STRING || !unitIsPower(value->unit) ||
		    kindIsAmount(valueKind(group, value, NULL)) ||
		    !selectionHasValue(self->scan.selection, value->name))
			continue;
		while (k < self->measures->len &&
		       costsColumnOf(costsMeasureAt(self, k), group) !=
			       (ssize_t)i)
			k++;
		if (k < self->measures->len) {
			if (measure.isSimulated)
				costsMeasureAt(self, k)->isSimulated = true;
			continue;
		}
		measure.energyUnit = momentsIntegralUnit(value->unit);
		g_array_append_val(self->measures, measure);
	}
}

/** Find the group that a measure of a trace comes from, at the nearest node;
 *  NULL if there is none. */
static const hdIGroup *costsFindGroup(const struct costs *self,
				      const struct costsMeasure *measure,
				      const hdINode *node)
{
	for (; node; node = node->parent) {
		for (size_t i = 0; i < node->groupCount; i++) {
			if (costsIsWanted(self, node->groups[i]) &&
			    costsColumnOf(measure, node->groups[i]) >= 0)
				return node->groups[i];
		}
	}
	return NULL;
}

/** What relations get is not for ranks. */
static int leaveRest(struct costs *self, struct costsMeasure *measure,
		     const hdIGroup *group)
{
	struct powerSeries *rest = NULL;
	int ret = 0;

	if (self->joules)
		ret = joulesDivide(self->joules, self->attribution, group,
				   measure->series, false, &rest);
	if (rest) {
		powerSeriesFree(measure->series);
		measure->series = rest;
	}
	return ret;
}

/** Read the series of a measure; that of the trace before is kept. */
static int openSeries(struct costs *self, struct costsMeasure *measure,
		      const hdIGroup *group)
{
	const struct powerPart part = {
		.column = (size_t)costsColumnOf(measure, group),
		.scale = 1,
	};
	int ret;

	if (measure->opened == group)
		return 0;
	powerSeriesFree(measure->series);
	measure->series = powerSeriesNew(group, &part, 1);
	measure->opened = group;
	ret = scanSeries(&self->scan, group, measure->series);
	return ret < 0 ? ret : leaveRest(self, measure, group);
}

static int openSources(struct costs *self, const hdITraceFile *trace,
		       struct profileSource *sources)
{
	struct attributionShare *share;
	int ret = 0;

	for (guint i = 0; i < self->measures->len && ret == 0; i++) {
		struct costsMeasure *measure = costsMeasureAt(self, i);
		const hdIGroup *group =
			costsFindGroup(self, measure, trace->node);

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

/* ---- Reading ----------------------------------------------------------- */

static bool costsShowProgress(void *data, const hdIRecord *record,
			      const struct site *site)
{
	struct costs *self = data;

	(void)site;
	toolProgressAt(self->scan.tool, record->offset);
	return true;
}

/** Tell what a trace is charged with in all. */
static void costsAddWhole(const struct costs *self, struct costsTrace *read,
			  const struct profileSource *sources)
{
	const struct selection *selection = self->scan.selection;
	const struct profile *profile = read->profile;
	int64_t start = MAX(profile->start, selection->start);
	int64_t end = MIN(profile->end, selection->end);

	for (guint i = 0; i < self->measures->len && start < end; i++) {
		if (sources[i].cursor)
			read->whole[i] = attributionCursorGet(sources[i].cursor,
							      start, end);
	}
}

static void costsReadTrace(const hdITraceFile *trace, void *data)
{
	struct costs *self = data;
	struct tool *tool = self->scan.tool;
	const struct selection *selection = self->scan.selection;
	guint count = self->measures->len;
	struct costsTrace read = {
		.trace = trace,
		.whole = g_new0(struct attributionAmount, count + 1),
	};
	struct profileSource *sources = g_new0(struct profileSource, count + 1);
	int ret = openSources(self, trace, sources);
	int opened = 0;

	if (ret == 0)
		opened = profileRead(self->scan.project, trace, NULL, sources,
				     count, selection->start, selection->end,
				     false, costsShowProgress, self,
				     &read.profile);
	if (opened < 0 && opened != -EBADMSG)
		toolError(tool, "%s: %s", trace->file, strerror(-opened));
	if (read.profile)
		costsAddWhole(self, &read, sources);
	for (guint i = 0; i < count; i++) {
		if (sources[i].cursor && ret == 0)
			ret = attributionCursorError(sources[i].cursor);
		attributionCursorFree(sources[i].cursor);
	}
	g_ptr_array_set_size(self->held, 0);
	if (ret < 0)
		toolErrorTemporary(tool, ret);
	g_free(sources);
	g_array_append_val(self->traces, read);
}

static gint costsCompareNames(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

GPtrArray *costsNames(const struct costs *self, const char *pattern)
{
	GHashTable *seen = g_hash_table_new(g_str_hash, g_str_equal);
	GPtrArray *names = g_ptr_array_new();

	for (guint i = 0; i < self->traces->len; i++) {
		const struct profile *profile = costsTraceAt(self, i)->profile;

		for (guint k = 0; profile && k < profile->states->len; k++) {
			struct profileState *state = profile->states->pdata[k];

			if (state->outer &&
			    fnmatch(pattern, state->name, 0) == 0 &&
			    g_hash_table_add(seen, state->name))
				g_ptr_array_add(names, state->name);
		}
	}
	g_ptr_array_sort(names, costsCompareNames);
	g_hash_table_destroy(seen);
	return names;
}

/* ---- The whole --------------------------------------------------------- */

void costsInit(struct costs *self, struct tool *tool, const hdIProject *project,
	       const struct selection *selection)
{
	*self = (struct costs){
		.scan = { .tool = tool,
			  .project = project,
			  .selection = selection },
		.measures =
			g_array_new(FALSE, FALSE, sizeof(struct costsMeasure)),
		.held = g_ptr_array_new_with_free_func(
			(GDestroyNotify)attributionShareFree),
		.traces = g_array_new(FALSE, FALSE, sizeof(struct costsTrace)),
	};
	for (size_t i = 0; i < project->groupCount; i++) {
		if (costsIsWanted(self, project->groups[i]))
			addMeasures(self, project->groups[i]);
	}
}

/* ---- Events of the processor ------------------------------------------- */

/** Set a total; people see a mark where it is not of all states. */
static void costsSetTotal(struct rows *rows, size_t column,
			  const struct profileEvents *events,
			  enum profileEvent event, uint64_t count)
{
	char *text, buffer[OUT_NUMBER_SIZE];

	if (!events->with[event])
		return;
	rowsInteger(rows, column, events->total[event]);
	if (events->with[event] == count)
		return;
	text = g_strconcat(">= ", outInteger(buffer, events->total[event]),
			   NULL);
	rowsShow(rows, column, text);
	g_free(text);
}

void costsSetEvents(struct rows *rows, size_t column,
		    const struct profileCost *cost, uint64_t count)
{
	const struct profileEvents *events = &cost->events;
	double ratio = profileRatio(events);
	char text[OUT_NUMBER_SIZE];

	costsSetTotal(rows, column, events, PROFILE_CYCLES, count);
	costsSetTotal(rows, column + 1, events, PROFILE_INSTRUCTIONS, count);
	rowsNumber(rows, column + 2, ratio);
	if (!isnan(ratio)) {
		g_snprintf(text, sizeof(text), "%.2f", ratio);
		rowsShow(rows, column + 2, text);
	}
	costsSetTotal(rows, column + 3, events, PROFILE_CACHE_MISSES, count);
	rowsCount(rows, column + 4, events->counted);
	for (int i = 0; i < PROFILE_EVENTS; i++)
		costsSetTotal(rows, column + 5 + (size_t)i, &cost->outside,
			      (enum profileEvent)i, count);
}

/** Leave out what no row tells. */
static void hideEvents(struct rows *rows, const struct costsTable *table)
{
	const struct profileEvents *all = &table->inside;
	bool hasRatio =
		all->with[PROFILE_CYCLES] || all->with[PROFILE_INSTRUCTIONS];

	for (size_t i = 0; !hasRatio && i < 3; i++)
		rowsHide(rows, table->events + i);
	if (!all->with[PROFILE_CACHE_MISSES])
		rowsHide(rows, table->events + 3);
}

/* ---- Tables ------------------------------------------------------------ */

void costsSetMeasure(struct rows *rows, size_t column,
		     const struct costsMeasure *measure)
{
	rowsText(rows, column, measure->group);
	rowsText(rows, column + 1, measure->name);
	rowsText(rows, column + 2, measure->unit);
	rowsFlag(rows, column + 3, measure->isSimulated);
}

void costsSetNumber(struct rows *rows, size_t column, const char *mark,
		    double number, const char *unit)
{
	struct quantityUnit large = unitForPeople(unit, number);
	char buffer[OUT_NUMBER_SIZE];
	char *text;

	rowsNumber(rows, column, number);
	rowsText(rows, column + 1, unit);
	if (isnan(number)) {
		rowsShow(rows, column + 1, "");
		return;
	}
	text = g_strconcat(mark, quantityNumber(buffer, number, &large), NULL);
	rowsShow(rows, column, text);
	rowsShow(rows, column + 1, *large.name ? large.name : unit);
	g_free(text);
}

static void costsPrintTitle(const struct costs *self, guint number)
{
	const struct costsMeasure *measure = costsMeasureAt(self, number);
	bool isColored = self->scan.tool->isColored;

	printf("%s%s", number ? "\n" : "", isColored ? "\033[1m" : "");
	outPrintable(measure->name);
	printf(" of ");
	outPrintable(measure->group);
	printf("%s%s\n", measure->isSimulated ? " (simulated)" : "",
	       isColored ? "\033[0m" : "");
}

static void printMeasure(const struct costs *self,
			 const struct costsTable *table, guint number,
			 struct rows *rows, struct outJson *json)
{
	const struct tool *tool = self->scan.tool;
	bool hasEnergy = number < self->measures->len;

	if (tool->format == OUT_TEXT && hasEnergy)
		costsPrintTitle(self, number);
	table->fill(table->data, number, rows, json);
	for (size_t i = 0; !hasEnergy && i < table->energyCount; i++)
		rowsHide(rows, table->energy + i);
	hideEvents(rows, table);
	rowsPrint(rows, "  ", tool->isColored);
}

void costsPrint(const struct costs *self, const struct costsTable *table)
{
	const hdIProject *project = self->scan.project;
	enum outFormat format = self->scan.tool->format;
	struct outJson json = { .file = NULL };
	struct rows *rows = rowsNew(table->columns, format, &json);

	rowsHeader(rows);
	if (format == OUT_JSON) {
		table->begin(&json);
		outJsonText(&json, "project", project->name);
		outJsonText(&json, "file", project->file);
		outJsonArray(&json, table->list, false);
	}
	printMeasure(self, table, 0, rows, &json);
	for (guint i = 1; i < self->measures->len; i++)
		printMeasure(self, table, i, rows, &json);
	if (format == OUT_TEXT)
		resultsTellOutside("Between the previous state and these: ",
				   &table->outside);
	if (format == OUT_JSON) {
		outJsonEnd(&json);
		outJsonEnd(&json);
	}
	rowsFree(rows);
}

/* ---- The whole --------------------------------------------------------- */

/** Read all relations: they share what ranks are charged with. */
static void costsReadRelations(struct costs *self)
{
	int ret;

	self->forest = forestNew(self->scan.project);
	scanRelations(&self->scan, self->forest);
	ret = forestEnd(self->forest);
	if (ret < 0)
		toolErrorTemporary(self->scan.tool, ret);
	self->joules = joulesNew(self->forest, NULL);
}

void costsRead(struct costs *self, enum attributionRule rule)
{
	struct tool *tool = self->scan.tool;
	bool hasRelations =
		self->measures->len && self->scan.project->relationCount;

	self->attribution = attributionNew(self->scan.project, rule);
	toolProgressStart(
		tool,
		scanTracesSize(&self->scan) +
			(hasRelations ? scanRelationsSize(&self->scan) : 0));
	if (hasRelations)
		costsReadRelations(self);
	scanTraces(&self->scan, costsReadTrace, self);
	toolProgressEnd(tool);
}

void costsClear(struct costs *self)
{
	for (guint i = 0; i < self->traces->len; i++) {
		profileFree(costsTraceAt(self, i)->profile);
		g_free(costsTraceAt(self, i)->whole);
	}
	for (guint i = 0; i < self->measures->len; i++) {
		powerSeriesFree(costsMeasureAt(self, i)->series);
		g_free(costsMeasureAt(self, i)->energyUnit);
	}
	g_array_unref(self->traces);
	g_array_unref(self->measures);
	g_ptr_array_unref(self->held);
	attributionFree(self->attribution);
	joulesFree(self->joules);
	forestFree(self->forest);
}
