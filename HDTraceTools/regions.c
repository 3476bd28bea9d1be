/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file regions.c
 * hdtrace stat --regions: energy of the states of every trace.
 *
 * Power is measured at hosts, and states are those of ranks and threads. A
 * trace is charged with the power of the nearest node above it that has the
 * value, divided equally among the ranks with traces below that node, and then
 * among the traces of the rank. So what all traces are charged for a moment is
 * never more than what was measured.
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

#include "moments.h"
#include "output.h"
#include "powerseries.h"
#include "regions.h"
#include "units.h"

/** What is known about a region: in a trace, or inside a state of one. */
struct sum {
	size_t region; /**< Index of its name. */
	uint64_t count;
	int64_t time;
	struct powerAmount amounts[]; /**< One for each measure. */
};

/** A value that is power, at several nodes. */
struct measure {
	const char *group;
	const char *name;
	const char *unit;
	bool isSimulated; /**< Of one group at least. */
	char *energyUnit;
};

/** Where a trace gets a measure from. */
struct source {
	const hdIGroup *group; /**< NULL: nowhere. */
	struct powerSeries *series;
	double share; /**< Of the power. */
};

/** The whole work. */
struct regions {
	struct tool *tool;
	const hdIProject *project;
	const struct selection *selection;
	const char *pattern;
	unsigned int rankLevel;
	GArray *measures;        /**< struct measure. */
	GPtrArray *names;        /**< Of regions. */
	GHashTable *index;       /**< Name to index + 1; 0: not wanted. */
	GPtrArray *sources;      /**< For each trace: struct source of each. */
	struct source *opened;   /**< Of the trace that was read last. */
	GHashTable *tracesBelow; /**< Nodes to numbers. */
	GHashTable *ranksBelow;
	GHashTable **results; /**< For each trace: region + 1 to struct sum. */
	/** States of the trace that is read, by depth: struct sum. */
	GPtrArray *levels;
	struct outJson json;
};

static size_t sumSize(const struct regions *self)
{
	return sizeof(struct sum) +
	       self->measures->len * sizeof(struct powerAmount);
}

static const struct measure *measureAt(const struct regions *self, guint i)
{
	return &g_array_index(self->measures, struct measure, i);
}

/* ---- What is measured where -------------------------------------------- */

static bool isPower(const char *unit)
{
	size_t length = strlen(unit);
	char *integral = momentsIntegralUnit(unit);
	bool isEnergy = g_str_has_suffix(integral, "J") && length > 0 &&
			unit[length - 1] == 'W';

	g_free(integral);
	return isEnergy;
}

static bool isWanted(const struct regions *self, const hdIGroup *group)
{
	struct selection anywhere = *self->selection;

	/* Nodes are those of states. */
	anywhere.nodes = NULL;
	return group->isReadable && selectHasGroup(&anywhere, group);
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

		if (value->type == HDI_STRING || !isPower(value->unit) ||
		    !selectHasValue(self->selection, value->name))
			continue;
		while (k < self->measures->len &&
		       columnOf(measureAt(self, k), group) != (ssize_t)i)
			k++;
		if (k < self->measures->len) {
			if (measure.isSimulated)
				g_array_index(self->measures, struct measure, k)
					.isSimulated = true;
			continue;
		}
		measure.energyUnit = momentsIntegralUnit(value->unit);
		g_array_append_val(self->measures, measure);
	}
}

/** The node of the rank that a trace belongs to; else its own. */
static const hdINode *rankOf(const struct regions *self, const hdINode *node)
{
	const hdINode *rank = node;

	while (rank && (unsigned int)rank->level > self->rankLevel)
		rank = rank->parent;
	return rank && self->rankLevel &&
			       (unsigned int)rank->level == self->rankLevel
		       ? rank
		       : node;
}

static size_t countAt(GHashTable *counts, const hdINode *node)
{
	return GPOINTER_TO_SIZE(g_hash_table_lookup(counts, node));
}

/** Count something at a node and at all above it. */
static void countUp(GHashTable *counts, const hdINode *node)
{
	for (; node; node = node->parent)
		g_hash_table_insert(
			counts, (void *)node,
			GSIZE_TO_POINTER(countAt(counts, node) + 1));
}

static void countTraces(struct regions *self)
{
	const hdIProject *project = self->project;
	GHashTable *seen = g_hash_table_new(NULL, NULL);

	self->tracesBelow = g_hash_table_new(NULL, NULL);
	self->ranksBelow = g_hash_table_new(NULL, NULL);
	for (size_t i = 0; i < project->traceCount; i++) {
		const hdINode *node = project->traces[i]->node;
		const hdINode *rank = rankOf(self, node);

		countUp(self->tracesBelow, node);
		if (g_hash_table_add(seen, (void *)rank))
			countUp(self->ranksBelow, rank);
	}
	g_hash_table_destroy(seen);
}

/** How much of a node's power a trace is charged with. */
static double shareOf(const struct regions *self, const hdINode *node,
		      const hdINode *trace)
{
	size_t ranks = MAX(countAt(self->ranksBelow, node), 1);
	size_t traces = MIN(countAt(self->tracesBelow, rankOf(self, trace)),
			    countAt(self->tracesBelow, node));

	return 1.0 / (double)ranks / (double)traces;
}

/** Find the group that a measure of a trace comes from. */
static void findSource(const struct regions *self,
		       const struct measure *measure, const hdINode *trace,
		       struct source *source)
{
	for (const hdINode *node = trace; node; node = node->parent) {
		for (size_t i = 0; i < node->groupCount; i++) {
			if (!isWanted(self, node->groups[i]) ||
			    columnOf(measure, node->groups[i]) < 0)
				continue;
			source->group = node->groups[i];
			source->share = shareOf(self, node, trace);
			return;
		}
	}
}

static struct source *sourcesOf(const struct regions *self, size_t trace)
{
	return self->sources->pdata[trace];
}

/** Read the series of a trace; those of the trace before are kept. */
static void openSources(struct regions *self, size_t trace)
{
	struct source *own = sourcesOf(self, trace);
	struct source *last = self->opened;

	for (guint i = 0; i < self->measures->len; i++) {
		if (last && last[i].group == own[i].group) {
			own[i].series = last[i].series;
		} else {
			if (last)
				powerSeriesFree(last[i].series);
			if (own[i].group)
				own[i].series = powerSeriesRead(
					self->tool, self->project, own[i].group,
					(size_t)columnOf(measureAt(self, i),
							 own[i].group));
		}
		if (last)
			last[i].series = NULL;
	}
	self->opened = own;
}

/* ---- States ------------------------------------------------------------ */

static GPtrArray *levelAt(struct regions *self, size_t depth)
{
	while (self->levels->len <= depth)
		g_ptr_array_add(self->levels,
				g_ptr_array_new_with_free_func(g_free));
	return self->levels->pdata[depth];
}

static struct sum *sumIn(GPtrArray *list, size_t region)
{
	for (guint i = 0; i < list->len; i++) {
		struct sum *sum = list->pdata[i];

		if (sum->region == region)
			return sum;
	}
	return NULL;
}

static void addSum(const struct regions *self, struct sum *to,
		   const struct sum *from)
{
	to->count += from->count;
	to->time += from->time;
	for (guint i = 0; i < self->measures->len; i++) {
		to->amounts[i].energy += from->amounts[i].energy;
		to->amounts[i].measured += from->amounts[i].measured;
	}
}

/** Add what lies deeper to a depth, but for a region that it all lies in. */
static void raiseTo(struct regions *self, size_t depth, size_t without)
{
	GPtrArray *list = levelAt(self, depth);

	for (size_t deeper = self->levels->len - 1; deeper > depth; deeper--) {
		GPtrArray *inside = levelAt(self, deeper);

		for (guint i = 0; i < inside->len; i++) {
			struct sum *sum = inside->pdata[i];
			struct sum *known = sumIn(list, sum->region);

			if (sum->region == without)
				continue;
			if (known) {
				addSum(self, known, sum);
			} else {
				g_ptr_array_add(list, sum);
				inside->pdata[i] = NULL;
			}
		}
		g_ptr_array_set_size(inside, 0);
	}
}

/** Index of a region's name, or SIZE_MAX if it is not wanted. */
static size_t regionOf(struct regions *self, const char *name)
{
	void *found;
	size_t number = 0;

	if (g_hash_table_lookup_extended(self->index, name, NULL, &found))
		return GPOINTER_TO_SIZE(found) - 1;
	if (fnmatch(self->pattern, name, 0) == 0) {
		g_ptr_array_add(self->names, g_strdup(name));
		number = self->names->len;
	}
	g_hash_table_insert(self->index, g_strdup(name),
			    GSIZE_TO_POINTER(number));
	return number - 1;
}

static void addState(struct regions *self, const struct source *sources,
		     const hdIRecord *record)
{
	size_t region = regionOf(self, record->name);
	int64_t start = MAX(record->start, self->selection->start);
	int64_t end = MIN(record->end, self->selection->end);
	GPtrArray *list;
	struct sum *sum;

	raiseTo(self, record->depth, region);
	if (region == SIZE_MAX || end < start ||
	    (end == start && record->start < record->end))
		return;
	list = levelAt(self, record->depth);
	sum = sumIn(list, region);
	if (!sum) {
		sum = g_malloc0(sumSize(self));
		sum->region = region;
		g_ptr_array_add(list, sum);
	}
	sum->count++;
	sum->time += end - start;
	for (guint i = 0; i < self->measures->len; i++) {
		struct powerAmount amount;

		if (!sources[i].series)
			continue;
		amount = powerSeriesGet(sources[i].series, start, end);
		sum->amounts[i].energy += amount.energy * sources[i].share;
		sum->amounts[i].measured += amount.measured;
	}
}

static void readTrace(struct regions *self, size_t number)
{
	const hdITraceFile *trace = self->project->traces[number];
	hdITraceReader *reader = hdI_openTrace(self->project, trace);
	const hdIRecord *record;
	GPtrArray *list;

	if (!reader) {
		if (errno != EBADMSG)
			toolError(self->tool, "%s: %s", trace->file,
				  strerror(errno));
		return;
	}
	openSources(self, number);
	while (hdI_readTrace(reader, &record) == 1) {
		if (record->kind == HDI_STATE)
			addState(self, sourcesOf(self, number), record);
		toolProgressAt(self->tool, record->offset);
	}
	hdI_closeTrace(reader);
	raiseTo(self, 0, SIZE_MAX);
	list = levelAt(self, 0);
	for (guint i = 0; i < list->len; i++) {
		struct sum *sum = list->pdata[i];

		g_hash_table_insert(self->results[number],
				    GSIZE_TO_POINTER(sum->region + 1), sum);
		list->pdata[i] = NULL;
	}
	g_ptr_array_set_size(list, 0);
}

/* ---- Printing ---------------------------------------------------------- */

static const char *const headings[] = { "<Region", "<Node", ">Count", "<Time",
					"<Known",  ".Mean", "<",      ".Energy",
					"<",       NULL };

/** Print a line; @p node is NULL for the sum of all. */
static void printSum(struct regions *self, struct outTable *table,
		     const struct measure *measure, const char *region,
		     const hdINode *node, const struct sum *sum,
		     const struct powerAmount *amount)
{
	char buffer[OUT_NUMBER_SIZE];
	struct outCsv csv = { false };
	double mean = amount->measured > 0
			      ? amount->energy / (double)amount->measured * 1e9
			      : NAN;

	switch (self->tool->format) {
	case TOOL_TEXT:
		outTableAdd(table, region);
		outTableAdd(table, node ? node->path : "all");
		outTableAdd(table, outInteger(buffer, (outInt128)sum->count));
		outTableAdd(table, outDuration(buffer, sum->time));
		outTableAdd(table, outDuration(buffer, amount->measured));
		outTableAdd(table,
			    isnan(mean) ? "-" : outRounded(buffer, mean));
		outTableAdd(table, measure->unit);
		outTableAdd(table, outRounded(buffer, amount->energy));
		outTableAdd(table, measure->energyUnit);
		break;
	case TOOL_CSV:
		outCsvText(&csv, measure->group);
		outCsvText(&csv, measure->name);
		outCsvText(&csv, measure->unit);
		outCsvText(&csv, region);
		outCsvText(&csv, node ? node->path : "");
		outCsvPlain(&csv, outInteger(buffer, (outInt128)sum->count));
		outCsvPlain(&csv, outSeconds(buffer, sum->time));
		outCsvPlain(&csv, outSeconds(buffer, amount->measured));
		outCsvPlain(&csv, isnan(mean) ? "" : outDouble(buffer, mean));
		outCsvPlain(&csv, outDouble(buffer, amount->energy));
		outCsvText(&csv, measure->energyUnit);
		outCsvPlain(&csv, measure->isSimulated ? "1" : "0");
		outCsvEnd(&csv);
		break;
	case TOOL_JSON:
		outJsonObject(&self->json, NULL, true);
		outJsonText(&self->json, "group", measure->group);
		outJsonText(&self->json, "value", measure->name);
		outJsonText(&self->json, "unit", measure->unit);
		outJsonBool(&self->json, "simulated", measure->isSimulated);
		outJsonText(&self->json, "region", region);
		if (node)
			outJsonText(&self->json, "node", node->path);
		else
			outJsonPlain(&self->json, "node", "null");
		outJsonPlain(&self->json, "count",
			     outInteger(buffer, (outInt128)sum->count));
		outJsonSeconds(&self->json, "seconds", sum->time);
		outJsonSeconds(&self->json, "known", amount->measured);
		outJsonDouble(&self->json, "mean", mean);
		outJsonDouble(&self->json, "energy", amount->energy);
		outJsonText(&self->json, "energy_unit", measure->energyUnit);
		outJsonEnd(&self->json);
		break;
	}
}

static void printRegion(struct regions *self, struct outTable *table,
			guint measure, size_t region)
{
	struct sum *all = g_malloc0(sumSize(self));
	const char *name = self->names->pdata[region];

	for (size_t i = 0; i < self->project->traceCount; i++) {
		const struct sum *sum = g_hash_table_lookup(
			self->results[i], GSIZE_TO_POINTER(region + 1));

		if (!sum)
			continue;
		addSum(self, all, sum);
		printSum(self, table, measureAt(self, measure), name,
			 self->project->traces[i]->node, sum,
			 &sum->amounts[measure]);
	}
	printSum(self, table, measureAt(self, measure), name, NULL, all,
		 &all->amounts[measure]);
	g_free(all);
}

static gint compareRegions(gconstpointer a, gconstpointer b, gpointer data)
{
	const struct regions *self = data;
	const size_t *x = a;
	const size_t *y = b;

	return strcmp(self->names->pdata[*x], self->names->pdata[*y]);
}

static void printMeasure(struct regions *self, guint number,
			 const size_t *order)
{
	const struct measure *measure = measureAt(self, number);
	struct outTable *table = NULL;

	if (self->tool->format == TOOL_TEXT) {
		table = outTableNew(headings);
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
		printRegion(self, table, number, order[i]);
	if (table)
		outTablePrint(table, "  ", self->tool->isColored);
}

static void print(struct regions *self)
{
	size_t *order = g_new(size_t, self->names->len + 1);

	for (size_t i = 0; i < self->names->len; i++)
		order[i] = i;
	g_qsort_with_data(order, (gint)self->names->len, sizeof(*order),
			  compareRegions, self);
	if (self->tool->format == TOOL_CSV)
		outCsvLine("group,value,unit,region,node,count,seconds,known,"
			   "mean,energy,energy_unit,simulated");
	if (self->tool->format == TOOL_JSON) {
		outJsonObject(&self->json, NULL, false);
		outJsonText(&self->json, "project", self->project->name);
		outJsonText(&self->json, "file", self->project->file);
		outJsonArray(&self->json, "regions", false);
	}
	for (guint i = 0; i < self->measures->len; i++)
		printMeasure(self, i, order);
	if (self->tool->format == TOOL_JSON) {
		outJsonEnd(&self->json);
		outJsonEnd(&self->json);
	}
	g_free(order);
}

/* ---- The whole --------------------------------------------------------- */

static void freeSum(void *data)
{
	g_free(data);
}

static void freeList(void *data)
{
	g_ptr_array_free(data, TRUE);
}

static void begin(struct regions *self)
{
	const hdIProject *project = self->project;

	for (size_t i = 0; i < project->levelCount; i++) {
		if (!self->rankLevel &&
		    g_ascii_strncasecmp(project->levels[i], "Rank", 4) == 0)
			self->rankLevel = (unsigned int)i + 1;
	}
	self->measures = g_array_new(FALSE, FALSE, sizeof(struct measure));
	self->names = g_ptr_array_new_with_free_func(g_free);
	self->index =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	self->sources = g_ptr_array_new_with_free_func(g_free);
	self->results = g_new0(GHashTable *, project->traceCount + 1);
	self->levels = g_ptr_array_new_with_free_func(freeList);
	countTraces(self);
	for (size_t i = 0; i < project->groupCount; i++) {
		if (isWanted(self, project->groups[i]))
			addMeasures(self, project->groups[i]);
	}
	for (size_t i = 0; i < project->traceCount; i++) {
		struct source *sources =
			g_new0(struct source, self->measures->len + 1);

		for (guint k = 0; k < self->measures->len; k++)
			findSource(self, measureAt(self, k),
				   project->traces[i]->node, &sources[k]);
		g_ptr_array_add(self->sources, sources);
		self->results[i] =
			g_hash_table_new_full(NULL, NULL, NULL, freeSum);
	}
}

static void end(struct regions *self)
{
	for (size_t i = 0; i < self->project->traceCount; i++) {
		for (guint k = 0; k < self->measures->len; k++)
			powerSeriesFree(sourcesOf(self, i)[k].series);
		g_hash_table_destroy(self->results[i]);
	}
	for (guint i = 0; i < self->measures->len; i++)
		g_free(measureAt(self, i)->energyUnit);
	g_hash_table_destroy(self->tracesBelow);
	g_hash_table_destroy(self->ranksBelow);
	g_array_unref(self->measures);
	g_ptr_array_unref(self->names);
	g_hash_table_destroy(self->index);
	g_ptr_array_unref(self->sources);
	g_free(self->results);
	g_ptr_array_unref(self->levels);
}

/** Read all traces that were asked for; false if none has such a state. */
static bool readAll(struct regions *self)
{
	const hdIProject *project = self->project;
	int64_t total = 0;

	for (size_t i = 0; i < project->traceCount; i++)
		total += project->traces[i]->fileSize;
	toolProgressStart(self->tool, total);
	for (size_t i = 0; i < project->traceCount; i++) {
		if (selectHasNode(self->selection, project->traces[i]->node))
			readTrace(self, i);
		toolProgressFile(self->tool, project->traces[i]->fileSize);
	}
	toolProgressEnd(self->tool);
	if (!self->names->len)
		toolError(self->tool, "--regions: no state matches \"%s\"",
			  self->pattern);
	return self->names->len;
}

int regionsPrint(struct tool *tool, const hdIProject *project,
		 const struct selection *selection, const char *pattern)
{
	struct regions self = {
		.tool = tool,
		.project = project,
		.selection = selection,
		.pattern = pattern,
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
