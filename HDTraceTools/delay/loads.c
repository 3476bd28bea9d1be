/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What causes power, as a series.
 */
#include "config.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <glib.h>

#include "HDTraceTools/delay/loads.h"
#include "HDTraceTools/model/kind.h"
#include "HDTraceTools/model/units.h"

void loadForget(struct load *load)
{
	powerSeriesFree(load->series);
	g_free(load->source);
}

static bool loadsIsBelow(const hdINode *node, const hdINode *above)
{
	while (node && node != above)
		node = node->parent;
	return node != NULL;
}

/* ---- Utilization ------------------------------------------------------- */

/** A value that can be load: power is what load causes. */
static ssize_t findValue(const hdIGroup *group, const char *pattern)
{
	for (size_t i = 0; group->isReadable && i < group->valueCount; i++) {
		if (group->values[i].type != HDI_STRING &&
		    !unitIsPower(group->values[i].unit) &&
		    !unitIsEnergy(group->values[i].unit) &&
		    fnmatch(pattern, group->values[i].name, 0) == 0)
			return (ssize_t)i;
	}
	return -1;
}

/** Find the group of a node, or of the nearest that it is a part of. */
static const hdIGroup *loadsFindGroup(const hdINode *node, const char *pattern,
				      size_t *column)
{
	for (; node; node = node->parent) {
		for (size_t i = 0; i < node->groupCount; i++) {
			ssize_t found = findValue(node->groups[i], pattern);

			if (found < 0)
				continue;
			*column = (size_t)found;
			return node->groups[i];
		}
	}
	return NULL;
}

static int loadsReadValue(const struct scan *scan, const hdIGroup *group,
			  size_t column, struct load *load)
{
	const hdIValue *value = &group->values[column];
	struct unit unit = unitParse(value->unit);
	struct powerPart part = {
		.column = column,
		.scale = strcmp(value->unit, "%") == 0 ? 0.01 : unit.scale,
		.isEnergy = kindIsAmount(valueKind(group, value, NULL)),
	};
	int64_t back = valueReachesBack(group, value);
	struct powerStep step = { .start = 0, .end = 0 };
	struct powerCursor *cursor;
	int ret;

	load->series = powerSeriesNew(group, &part, 1);
	load->source = g_strdup_printf("%s of %s", value->name, group->name);
	ret = scanSeries(scan, group, load->series);
	if (ret < 0)
		return ret;
	/* Of a mean over a longer time the middle counts. */
	cursor = powerCursorNew(load->series);
	if (powerCursorStep(cursor, 0, &step) && back > step.end - step.start)
		load->lateNs = (back - (step.end - step.start)) / 2;
	powerCursorFree(cursor);
	return 1;
}

/* ---- States ------------------------------------------------------------ */

/** So many states more, or less, are there. */
struct change {
	int64_t time;
	int count;
};

struct marks {
	const char *pattern;
	GArray *changes; /**< struct change */
	int64_t start;   /**< Of all traces together. */
	int64_t end;
};

static bool takeMark(const hdIRecord *record, void *data)
{
	struct marks *marks = data;
	struct change begin = { record->start, 1 };
	struct change end = { record->end, -1 };

	marks->start = MIN(marks->start, record->start);
	marks->end = MAX(marks->end, record->end);
	if (record->end > record->start &&
	    fnmatch(marks->pattern, record->name, 0) == 0) {
		g_array_append_val(marks->changes, begin);
		g_array_append_val(marks->changes, end);
	}
	return true;
}

static int loadsCompareChanges(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

/** Make a series of how many states there were. */
static int fillMarks(const struct marks *marks, struct powerSeries *series)
{
	struct powerAmount sums = { .energy = 0 };
	int64_t before = marks->start;
	int64_t count = 0;
	int ret = powerSeriesAddSums(series, before, sums);

	for (guint i = 0; i < marks->changes->len && ret == 0; i++) {
		const struct change *change =
			&g_array_index(marks->changes, struct change, i);

		if (change->time > before) {
			sums.energy += (double)count *
				       (double)(change->time - before) / 1e9;
			sums.measured += change->time - before;
			before = change->time;
			ret = powerSeriesAddSums(series, before, sums);
		}
		count += change->count;
	}
	if (ret == 0 && marks->end > before) {
		sums.measured += marks->end - before;
		ret = powerSeriesAddSums(series, marks->end, sums);
	}
	return ret < 0 ? ret : powerSeriesEnd(series);
}

static int readMarks(const struct scan *scan, const hdINode *node,
		     const hdIGroup *group, const char *pattern,
		     struct load *load)
{
	struct marks marks = {
		.pattern = pattern,
		.changes = g_array_new(FALSE, FALSE, sizeof(struct change)),
		.start = INT64_MAX,
		.end = INT64_MIN,
	};
	int ret = 0;

	for (size_t i = 0; i < scan->project->traceCount; i++) {
		const hdITraceFile *trace = scan->project->traces[i];

		if (loadsIsBelow(trace->node, node) ||
		    loadsIsBelow(node, trace->node))
			scanTrace(scan, trace, takeMark, &marks);
	}
	if (marks.changes->len > 0) {
		qsort(marks.changes->data, marks.changes->len,
		      sizeof(struct change), loadsCompareChanges);
		load->series = powerSeriesNew(group, NULL, 0);
		load->source = g_strdup_printf("states %s", pattern);
		ret = fillMarks(&marks, load->series);
		ret = ret < 0 ? ret : 1;
	}
	g_array_unref(marks.changes);
	return ret;
}

/* ---- The whole --------------------------------------------------------- */

int loadRead(const struct scan *scan, const hdINode *node,
	     const struct loadChoice *choice, struct load *load)
{
	const hdIGroup *group;
	size_t column = 0;

	*load = (struct load){ .series = NULL };
	if (choice->state)
		return readMarks(scan, node, node->groups[0], choice->state,
				 load);
	group = loadsFindGroup(node, choice->value, &column);
	return group ? loadsReadValue(scan, group, column, load) : 0;
}
