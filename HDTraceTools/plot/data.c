/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace plot: panels and their curves.
 *
 * A curve with no more entries than the picture is wide has them all. Of others
 * each bin, a thin line's width of the picture, has minimum, maximum and mean;
 * so any number of entries gives a true picture of a few thousand points. Of
 * counters and deltas the rate is drawn. Windows, where there are any, take the
 * place of entries.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "HDTraceTools/model/summary.h"
#include "HDTraceTools/model/units.h"
#include "HDTraceTools/plot/plot.h"

/* ---- Panels ------------------------------------------------------------ */

static void freeCurve(void *data)
{
	struct plotCurve *curve = data;

	if (curve->steps)
		g_array_unref(curve->steps);
	g_free(curve->label);
	g_free(curve->bare);
	g_free(curve->rateUnit);
	g_free(curve->bins);
	g_free(curve);
}

void plotFreePanel(void *data)
{
	struct plotPanel *panel = data;

	g_ptr_array_unref(panel->curves);
	g_free(panel->key);
	g_free(panel->scaleKey);
	g_free(panel->unit);
	g_free(panel);
}

/** The panel of a value; a new one if there is none yet. */
static struct plotPanel *panelOf(struct plot *plot,
				 const struct plotCurve *curve,
				 const char *unit)
{
	const hdIValue *value = curve->value;
	bool isGrouped = *value->grouping && plot->panelsBy != PLOT_BY_VALUE;
	const char *name = isGrouped ? value->grouping : value->name;
	char *scaleKey =
		g_strdup_printf("%c %s\n%s", isGrouped ? 'g' : 'v', name, unit);
	bool isOfNode = plot->panelsBy == PLOT_BY_NODE;
	const char *heading =
		isOfNode ? plotNodeName(curve->source, curve->group->node) : "";
	char *key = g_strdup_printf("%s\n%s", scaleKey, heading);
	struct plotPanel *panel = NULL;

	for (guint i = 0; i < plot->panels->len && !panel; i++) {
		panel = plot->panels->pdata[i];
		if (strcmp(panel->key, key) != 0)
			panel = NULL;
	}
	if (panel) {
		g_free(key);
		g_free(scaleKey);
		return panel;
	}
	panel = g_new0(struct plotPanel, 1);
	panel->key = key;
	panel->scaleKey = scaleKey;
	panel->heading = heading;
	panel->title = name;
	panel->unit = g_strdup(unit);
	panel->curves = g_ptr_array_new_with_free_func(freeCurve);
	g_ptr_array_add(plot->panels, panel);
	return panel;
}

struct plotPanel *plotNewPanel(const char *title, const char *unit)
{
	struct plotPanel *panel = g_new0(struct plotPanel, 1);

	panel->key = g_strdup(title);
	panel->scaleKey = g_strdup(title);
	panel->heading = "";
	panel->title = title;
	panel->unit = g_strdup(unit);
	panel->curves = g_ptr_array_new_with_free_func(freeCurve);
	return panel;
}

static void addCurve(struct plot *plot, const struct plotSource *source,
		     size_t groupNumber, size_t column)
{
	const hdIGroup *group = source->project->groups[groupNumber];
	const hdIValue *value = &group->values[column];
	struct plotCurve *curve = g_new0(struct plotCurve, 1);

	curve->source = source;
	curve->group = group;
	curve->groupNumber = groupNumber;
	curve->value = value;
	curve->column = column;
	curve->isSimulated = valueIsSimulated(group, value);
	curve->kind = valueKind(group, value, NULL);
	if (kindIsAmount(curve->kind))
		curve->rateUnit = rateUnit(value->unit, &curve->rateScale);
	g_ptr_array_add(panelOf(plot, curve,
				curve->rateUnit ? curve->rateUnit : value->unit)
				->curves,
			curve);
}

/** In what curves of a panel differ. */
struct alike {
	bool isOneValue;
	bool isOneNode;
	bool isOneGroup;
};

static struct alike findAlike(const struct plotPanel *panel)
{
	const struct plotCurve *first = panel->curves->pdata[0];
	struct alike alike = { true, true, true };

	for (guint i = 1; i < panel->curves->len; i++) {
		const struct plotCurve *curve = panel->curves->pdata[i];

		alike.isOneValue &=
			strcmp(curve->value->name, first->value->name) == 0;
		alike.isOneNode &= curve->group->node == first->group->node;
		alike.isOneGroup &=
			strcmp(curve->group->name, first->group->name) == 0;
	}
	return alike;
}

/** The label of a curve whose node is called so. */
static char *plotDataLabelOf(const struct plotCurve *curve,
			     const struct alike *alike, const char *node)
{
	GString *label = g_string_new(NULL);

	if (!alike->isOneNode || (alike->isOneValue && alike->isOneGroup))
		g_string_append(label, node);
	if (!alike->isOneGroup)
		g_string_append_printf(label, "%s%s", label->len ? " " : "",
				       curve->group->name);
	if (!alike->isOneValue)
		g_string_append_printf(label, "%s%s", label->len ? " " : "",
				       curve->value->name);
	if (curve->isSimulated)
		g_string_append(label, " (simulated)");
	return g_string_free(label, FALSE);
}

/** Curves that are called the same in their projects have one colour. */
static void numberCurves(struct plotPanel *panel, size_t sourceCount)
{
	guint count = 0;

	for (guint i = 0; i < panel->curves->len; i++) {
		struct plotCurve *curve = panel->curves->pdata[i];
		const struct plotCurve *other = NULL;

		for (guint k = 0; sourceCount > 1 && k < i && !other; k++) {
			other = panel->curves->pdata[k];
			if (other->source == curve->source ||
			    strcmp(other->bare, curve->bare) != 0)
				other = NULL;
		}
		curve->number = other ? other->number : count++;
	}
}

/** Name curves by what they differ in. */
static void labelCurves(struct plotPanel *panel, size_t sourceCount)
{
	const struct plotCurve *first = panel->curves->pdata[0];
	const struct alike alike = findAlike(panel);

	if (alike.isOneValue)
		panel->title = first->value->name;
	for (guint i = 0; i < panel->curves->len; i++) {
		struct plotCurve *curve = panel->curves->pdata[i];
		const hdINode *node = curve->group->node;

		curve->label = plotDataLabelOf(
			curve, &alike, plotNodeName(curve->source, node));
		curve->bare = plotDataLabelOf(curve, &alike, node->path);
	}
	numberCurves(panel, sourceCount);
}

static void chooseOf(struct plot *plot, const struct plotSource *source)
{
	const hdIProject *project = source->project;

	for (size_t i = 0; i < project->groupCount; i++) {
		const hdIGroup *group = project->groups[i];

		for (size_t k = 0; k < group->valueCount; k++) {
			if (scanHasGroup(&source->scan, group) &&
			    group->values[k].type != HDI_STRING &&
			    selectionHasValue(&source->selection,
					      group->values[k].name))
				addCurve(plot, source, i, k);
		}
	}
}

void plotChoose(struct plot *plot)
{
	for (size_t i = 0; i < plot->sourceCount; i++)
		chooseOf(plot, &plot->sources[i]);
	for (guint i = 0; i < plot->panels->len; i++)
		labelCurves(plot->panels->pdata[i], plot->sourceCount);
}

/* ---- Times ------------------------------------------------------------- */

/** Groups of a project that have curves, each once. */
static GPtrArray *chosenGroups(const struct plot *plot,
			       const struct plotSource *source)
{
	GPtrArray *groups = g_ptr_array_new();

	for (guint i = 0; i < plot->panels->len; i++) {
		const struct plotPanel *panel = plot->panels->pdata[i];

		for (guint k = 0; k < panel->curves->len; k++) {
			const struct plotCurve *curve = panel->curves->pdata[k];

			if (curve->source == source &&
			    !g_ptr_array_find(groups, curve->group, NULL))
				g_ptr_array_add(groups, (gpointer)curve->group);
		}
	}
	return groups;
}

/** Bytes of all groups that have curves. */
static int64_t chosenSize(const struct plot *plot)
{
	int64_t size = 0;

	for (size_t i = 0; i < plot->sourceCount; i++) {
		GPtrArray *groups = chosenGroups(plot, &plot->sources[i]);

		for (guint k = 0; k < groups->len; k++)
			size += ((const hdIGroup *)groups->pdata[k])->fileSize;
		g_ptr_array_unref(groups);
	}
	return size;
}

/** A project while its times are looked for. */
struct timesRead {
	struct plot *plot;
	const struct plotSource *source;
};

/** Widen the time of the picture to that of a group. */
static bool seeBlock(const hdIBlock *block, void *data)
{
	const struct timesRead *self = data;
	struct plot *plot = self->plot;
	int64_t shift = self->source->shift;

	plot->start = MIN(plot->start, block->start[0] + shift);
	plot->end = MAX(plot->end, block->end[block->count - 1] + shift);
	return true;
}

static void seeSource(struct plot *plot, const struct plotSource *source)
{
	GPtrArray *groups = chosenGroups(plot, source);
	struct timesRead self = { plot, source };

	for (guint i = 0; i < groups->len; i++) {
		const hdIGroup *group = groups->pdata[i];

		scanGroup(&source->scan, group, seeBlock, &self);
		toolProgressFile(plot->tool, group->fileSize);
	}
	g_ptr_array_unref(groups);
}

bool plotFindTimes(struct plot *plot)
{
	const struct selection *selection = &plot->selection;
	bool isOpen =
		selection->start == INT64_MIN || selection->end == INT64_MAX;

	toolProgressStart(plot->tool, isOpen ? chosenSize(plot) : 0);
	for (size_t i = 0; i < plot->sourceCount && isOpen; i++)
		seeSource(plot, &plot->sources[i]);
	toolProgressEnd(plot->tool);
	if (selection->start != INT64_MIN)
		plot->start = selection->start;
	if (selection->end != INT64_MAX)
		plot->end = selection->end;
	return isOpen;
}

size_t plotBinOf(const struct plot *plot, int64_t time)
{
	__int128 part = (__int128)(time - plot->start) *
			(int64_t)plot->binCount / (plot->end - plot->start);

	return (size_t)CLAMP(part, 0, (__int128)plot->binCount - 1);
}

/* ---- Curves ------------------------------------------------------------ */

/** Add a step to the bins. */
static void plotDataAddToBins(const struct plot *plot, struct plotCurve *curve,
			      const struct plotStep *step)
{
	int64_t start = step->start;
	int64_t end = step->end;
	size_t first = plotBinOf(plot, start);
	size_t last = plotBinOf(plot, MAX(end - 1, start));

	for (size_t i = first; i <= last; i++) {
		struct plotBin *bin = &curve->bins[i];
		int64_t from = i == first ? start : plotBinStart(plot, i);
		int64_t to = i == last ? end : plotBinStart(plot, i + 1);
		int64_t length = MAX(to - from, 0);

		if (isnan(bin->min) || step->min < bin->min)
			bin->min = step->min;
		if (isnan(bin->max) || step->max > bin->max)
			bin->max = step->max;
		if (isnan(step->value))
			continue;
		bin->sum += momentsOver(step->value, length);
		bin->weight += length;
	}
}

void plotAddStep(const struct plot *plot, struct plotCurve *curve,
		 const struct plotStep *step)
{
	if (curve->steps)
		g_array_append_vals(curve->steps, step, 1);
	if (curve->steps && curve->steps->len > plot->binCount) {
		g_array_unref(curve->steps);
		curve->steps = NULL;
	}
	if (!isnan(step->min))
		plotDataAddToBins(plot, curve, step);
}

static void plotDataAddEntry(const struct plot *plot, struct plotCurve *curve,
			     int64_t start, int64_t end, double value)
{
	struct plotStep step = {
		.start = MAX(start, plot->start),
		.end = MIN(end, plot->end),
		.value = isfinite(value) ? value : NAN,
	};

	/* An entry that ends where the picture begins is not in it. */
	if (step.end < step.start || (step.end == step.start && start < end))
		return;
	curve->infinite += isinf(value) != 0;
	step.min = step.max = step.value;
	if (!plot->window.length)
		plotAddStep(plot, curve, &step);
	else if (isfinite(value))
		plotAddToWindows(plot, curve, step.start, step.end, value);
}

void plotStartCurve(const struct plot *plot, struct plotCurve *curve)
{
	curve->steps = g_array_new(FALSE, FALSE, sizeof(struct plotStep));
	curve->bins = g_new0(struct plotBin, plot->binCount + 1);
	for (size_t i = 0; i < plot->binCount; i++)
		curve->bins[i].min = curve->bins[i].max = NAN;
	plotStartWindows(curve);
}

/** The curves of a group, by their columns; NULL where there is none. */
static struct plotCurve **curvesOf(const struct plot *plot,
				   const hdIGroup *group)
{
	struct plotCurve **curves =
		g_new0(struct plotCurve *, group->valueCount + 1);

	for (guint i = 0; i < plot->panels->len; i++) {
		const struct plotPanel *panel = plot->panels->pdata[i];

		for (guint k = 0; k < panel->curves->len; k++) {
			struct plotCurve *curve = panel->curves->pdata[k];

			if (curve->group == group)
				curves[curve->column] = curve;
		}
	}
	return curves;
}

/** Keep the aggregate of all that is shown. */
static void takeMoments(struct summary *summary, const struct summarySlot *slot,
			size_t name)
{
	struct plotCurve **curves = summary->data;

	(void)name;
	for (size_t i = 0; i < summary->columnCount; i++) {
		struct plotCurve *curve = curves[summary->columns[i]];

		if (curve)
			curve->moments = slot->moments[i];
	}
}

static void plotDataAddEntries(const struct plot *plot, struct plotCurve *curve,
			       const struct amounts *amounts,
			       const hdIBlock *block)
{
	bool hasMoments = plot->window.length && kindIsAmount(curve->kind);
	int64_t shift = curve->source->shift;

	for (size_t i = 0; i < block->count; i++) {
		int64_t start = block->start[i] + shift;
		int64_t end = block->end[i] + shift;

		if (hasMoments && start == end)
			plotAddAmount(plot, curve, end,
				      amountsGet(amounts, curve->column, i));
		else
			plotDataAddEntry(
				plot, curve, start, end,
				amountsLevel(amounts, curve->column, i));
	}
}

/** A group while its curves are read. */
struct curvesRead {
	const struct plot *plot;
	struct plotCurve **curves;
	struct summary summary;
};

static bool plotDataAddBlock(const hdIBlock *block, void *data)
{
	struct curvesRead *self = data;

	summaryAddBlock(&self->summary, block);
	for (size_t i = 0; i < self->summary.group->valueCount; i++) {
		if (self->curves[i])
			plotDataAddEntries(self->plot, self->curves[i],
					   self->summary.amounts, block);
	}
	return true;
}

static void plotDataReadGroup(struct plot *plot,
			      const struct plotSource *source,
			      const struct phases *shown, const hdIGroup *group)
{
	struct plotCurve **curves = curvesOf(plot, group);
	struct curvesRead self = {
		.plot = plot,
		.curves = curves,
		.summary = { .group = group,
			     .phases = shown,
			     .take = takeMoments,
			     .data = curves },
	};

	for (size_t i = 0; i < group->valueCount; i++) {
		if (curves[i])
			plotStartCurve(plot, curves[i]);
	}
	summaryStart(&self.summary, &source->selection);
	scanGroup(&source->scan, group, plotDataAddBlock, &self);
	for (size_t i = 0; i < group->valueCount; i++) {
		if (curves[i])
			plotEndWindow(plot, curves[i]);
	}
	summaryFinish(&self.summary);
	toolProgressFile(plot->tool, group->fileSize);
	g_free(curves);
}

/** The range of what a panel shows. */
static void plotDataFindRange(struct plotPanel *panel, size_t binCount)
{
	panel->min = INFINITY;
	panel->max = -INFINITY;
	for (guint i = 0; i < panel->curves->len; i++) {
		const struct plotCurve *curve = panel->curves->pdata[i];

		for (size_t k = 0; k < binCount; k++) {
			const struct plotBin *bin = &curve->bins[k];

			if (isnan(bin->min))
				continue;
			panel->min = MIN(panel->min, bin->min);
			panel->max = MAX(panel->max, bin->max);
		}
	}
}

/** Panels of the same values have one scale. */
static void joinRanges(struct plot *plot)
{
	for (guint i = 0; i < plot->panels->len; i++) {
		struct plotPanel *panel = plot->panels->pdata[i];

		for (guint k = 0; k < plot->panels->len; k++) {
			struct plotPanel *other = plot->panels->pdata[k];

			if (strcmp(panel->scaleKey, other->scaleKey) != 0)
				continue;
			panel->min = MIN(panel->min, other->min);
			panel->max = MAX(panel->max, other->max);
		}
	}
}

static void readSource(struct plot *plot, const struct plotSource *source)
{
	GPtrArray *groups = chosenGroups(plot, source);
	struct phases shown;

	phasesInit(&shown);
	phasesAdd(&shown, source->selection.start, source->selection.end, "");
	for (guint i = 0; i < groups->len; i++)
		plotDataReadGroup(plot, source, &shown, groups->pdata[i]);
	phasesFree(&shown);
	g_ptr_array_unref(groups);
}

void plotReadCurves(struct plot *plot)
{
	toolProgressStart(plot->tool, chosenSize(plot));
	for (size_t i = 0; i < plot->sourceCount; i++)
		readSource(plot, &plot->sources[i]);
	toolProgressEnd(plot->tool);
	plotCompare(plot);
	for (guint i = 0; i < plot->panels->len; i++)
		plotDataFindRange(plot->panels->pdata[i], plot->binCount);
	joinRanges(plot);
	for (guint i = 0; i < plot->panels->len; i++) {
		struct plotPanel *panel = plot->panels->pdata[i];

		plotRoundRange(&panel->min, &panel->max, plot->hasZero);
	}
}
