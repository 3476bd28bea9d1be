/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Power and loads of the nodes of a project; see powermodel.h. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "HDTraceTools/command/core/delayoption.h"
#include "HDTraceTools/loads/levels.h"
#include "HDTraceTools/model/kind.h"
#include "HDTraceTools/model/power/node.h"
#include "HDTraceTools/model/units.h"
#include "HDTraceTools/powermodel/powermodel.h"

/* Values that are added, at most. */
#define STEPS_VALUES_MAX 2
/* A fraction of a window that must be known. */
#define STEPS_KNOWN 0.995
/* Bytes of a block of disks. */
#define STEPS_BLOCK 512

const char *const modelPartNames[MODEL_PARTS] = {
	[MODEL_CPU] = "cpu",
	[MODEL_CPU_INT] = "cpu-int",
	[MODEL_CPU_FLOAT] = "cpu-float",
	[MODEL_CPU_VECTOR] = "cpu-vector",
	[MODEL_BANDWIDTH] = "memory-bandwidth",
	[MODEL_MEMORY] = "memory",
	[MODEL_NETWORK] = "network",
	[MODEL_READ] = "disk-read",
	[MODEL_WRITE] = "disk-write",
	[MODEL_SYNC] = "disk-sync",
};

/* Values of libRUT that tell the load of a component. */
static const struct stepsSource {
	enum modelPart part;
	const char *values[STEPS_VALUES_MAX];
} stepsSources[] = {
	{ MODEL_CPU, { "CPU_TOTAL", NULL } },
	{ MODEL_BANDWIDTH, { "MEM_TRAFFIC_READ", "MEM_TRAFFIC_WRITE" } },
	{ MODEL_BANDWIDTH, { "MEM_TRAFFIC_CACHE_MISSES", NULL } },
	/* Traffic that stays on the node is the work of CPUs. */
	{ MODEL_NETWORK, { "NET_IN_EXT", "NET_OUT_EXT" } },
	{ MODEL_NETWORK, { "NET_IN", "NET_OUT" } },
	{ MODEL_READ, { "HDD_READ", NULL } },
	{ MODEL_WRITE, { "HDD_WRITE", NULL } },
};

void modelRunFree(void *data)
{
	struct modelRun *run = data;

	g_free(run->project);
	g_free(run->node);
	if (run->power)
		g_array_unref(run->power);
	for (int i = 0; i < MODEL_PARTS; i++) {
		if (run->loads[i])
			g_array_unref(run->loads[i]);
	}
	if (run->clock)
		g_array_unref(run->clock);
	g_free(run->windows);
	g_free(run);
}

/* ---- Steps ------------------------------------------------------------- */

/* The known entries of a series, times a factor. */
static GArray *stepsOf(const struct powerSeries *series,
		       const struct selection *selection, double factor)
{
	GArray *steps = g_array_new(FALSE, FALSE, sizeof(struct modelStep));
	struct powerCursor *cursor = powerCursorNew(series);
	struct powerStep step;

	for (uint64_t i = 0; powerCursorStep(cursor, i, &step); i++) {
		int64_t length = step.end - step.start;
		struct modelStep one = { step.start, step.end, 0 };

		if (length <= 0 || step.amount.measured != length ||
		    step.start < selection->start || step.end > selection->end)
			continue;
		one.value = factor * step.amount.energy * 1e9 / (double)length;
		g_array_append_val(steps, one);
	}
	powerCursorFree(cursor);
	return steps;
}

double modelMean(const GArray *steps, int64_t start, int64_t end, double low,
		 double high, double *known)
{
	const struct modelStep *list = (const void *)steps->data;
	guint from = 0, to = steps->len;
	double sum = 0, time = 0;

	while (from < to) {
		guint middle = from + (to - from) / 2;

		if (list[middle].end <= start)
			from = middle + 1;
		else
			to = middle;
	}
	for (; from < steps->len && list[from].start < end; from++) {
		double part = (double)(MIN(end, list[from].end) -
				       MAX(start, list[from].start));
		double value = fmin(fmax(list[from].value, low), high);

		sum += part * (isinf(low) ? value : value - low);
		time += part;
	}
	*known = end > start ? time / (double)(end - start) : 0;
	return time > 0 ? sum / time : NAN;
}

/* ---- Values ------------------------------------------------------------ */

static ssize_t stepsFindValue(const hdIGroup *group, const char *name)
{
	for (size_t i = 0; name && group->isReadable && i < group->valueCount;
	     i++) {
		if (group->values[i].type != HDI_STRING &&
		    strcmp(group->values[i].name, name) == 0)
			return (ssize_t)i;
	}
	return -1;
}

/* The group of a node, or of the nearest node above it, with the value. */
static const hdIGroup *stepsFindGroup(const hdINode *node, const char *name)
{
	for (; node; node = node->parent) {
		for (size_t i = 0; i < node->groupCount; i++) {
			if (stepsFindValue(node->groups[i], name) >= 0)
				return node->groups[i];
		}
	}
	return NULL;
}

static struct powerPart stepsPart(const hdIGroup *group, size_t column)
{
	const hdIValue *value = &group->values[column];
	struct unit unit = unitParse(value->unit);

	return (struct powerPart){
		.column = column,
		.scale = strcmp(value->unit, "%") == 0        ? 1
			 : strcmp(value->unit, "Blocks") == 0 ? STEPS_BLOCK
							      : unit.scale,
		.isEnergy = kindIsAmount(valueKind(group, value, NULL)),
	};
}

static int stepsRead(const struct scan *scan, const hdIGroup *group,
		     const struct powerPart *parts, size_t count, double factor,
		     GArray **steps)
{
	struct powerSeries *series = powerSeriesNew(group, parts, count);
	int ret = scanSeries(scan, group, series);

	if (ret == 0)
		*steps = stepsOf(series, scan->selection, factor);
	powerSeriesFree(series);
	return ret;
}

static int stepsReadSource(const struct scan *scan, const hdINode *node,
			   const struct stepsSource *source, GArray **steps)
{
	struct powerPart parts[STEPS_VALUES_MAX];
	const hdIGroup *group = stepsFindGroup(node, source->values[0]);
	size_t count = 0;

	if (!group && source->values[1])
		group = stepsFindGroup(node, source->values[1]);
	for (size_t i = 0; group && i < STEPS_VALUES_MAX; i++) {
		ssize_t column = stepsFindValue(group, source->values[i]);

		if (column >= 0)
			parts[count++] = stepsPart(group, (size_t)column);
	}
	return count ? stepsRead(scan, group, parts, count, 1, steps) : 0;
}

/* The mean clock of all CPUs, in MHz. */
static int stepsReadClock(const struct scan *scan, const hdINode *node,
			  GArray **steps)
{
	const hdIGroup *group = stepsFindGroup(node, "CPU_FREQ_0");
	struct powerPart *parts;
	size_t count = 0;
	int ret;

	if (!group)
		return 0;
	parts = g_new(struct powerPart, group->valueCount + 1);
	for (size_t i = 0; i < group->valueCount; i++) {
		const char *name = group->values[i].name;

		if (g_str_has_prefix(name, "CPU_FREQ_") &&
		    g_ascii_isdigit(name[strlen("CPU_FREQ_")]))
			parts[count++] = stepsPart(group, i);
	}
	/* In Hz, of all CPUs. */
	ret = stepsRead(scan, group, parts, count, 1e-6 / (double)count, steps);
	g_free(parts);
	return ret;
}

/* ---- Levels ------------------------------------------------------------ */

static bool stepsIsNear(const hdINode *one, const hdINode *other)
{
	for (const hdINode *node = one; node; node = node->parent) {
		if (node == other)
			return true;
	}
	for (const hdINode *node = other; node; node = node->parent) {
		if (node == one)
			return true;
	}
	return false;
}

static int stepsPartOf(const char *name)
{
	for (int i = 0; name && i < MODEL_PARTS; i++) {
		if (strcmp(name, modelPartNames[i]) == 0)
			return i;
	}
	return -1;
}

static int stepsCompareLevels(const void *a, const void *b)
{
	const struct level *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* The load of a component by its levels, which is 0 outside of them. */
static GArray *stepsOfLevels(const GArray *levels, int part, int64_t start,
			     int64_t end)
{
	GArray *steps = g_array_new(FALSE, FALSE, sizeof(struct modelStep));
	int64_t at = start;

	for (guint i = 0; i < levels->len; i++) {
		const struct level *level =
			&g_array_index(levels, struct level, i);
		struct modelStep pause = { at, MAX(at, level->start), 0 };
		struct modelStep load = { MAX(at, level->start), level->end,
					  !isnan(level->reached)
						  ? level->reached
					  : !isnan(level->own)
						  ? level->own
						  : level->target };

		if (stepsPartOf(level->component) != part || level->end <= at ||
		    isnan(load.value))
			continue;
		if (pause.end > pause.start)
			g_array_append_val(steps, pause);
		g_array_append_val(steps, load);
		at = level->end;
	}
	if (at < end && steps->len > 0) {
		struct modelStep rest = { at, end, 0 };

		g_array_append_val(steps, rest);
	}
	return steps;
}

/* Divide the use of CPUs by the kind of load that began last. */
static void stepsDivideCpu(struct modelRun *run, const GArray *levels)
{
	GArray *all = run->loads[MODEL_CPU];
	int kind = -1;
	guint next = 0;

	for (guint i = 0; i < levels->len && kind < 0; i++) {
		int part = stepsPartOf(
			g_array_index(levels, struct level, i).component);

		if (part > MODEL_CPU && part <= MODEL_CPU_VECTOR)
			kind = part;
	}
	if (!all || kind < 0)
		return;
	for (int i = MODEL_CPU_INT; i <= MODEL_CPU_VECTOR; i++)
		run->loads[i] =
			g_array_new(FALSE, FALSE, sizeof(struct modelStep));
	for (guint i = 0; i < all->len; i++) {
		struct modelStep step = g_array_index(all, struct modelStep, i);
		struct modelStep none = { step.start, step.end, 0 };

		for (; next < levels->len; next++) {
			const struct level *level =
				&g_array_index(levels, struct level, next);
			int part = stepsPartOf(level->component);

			if (level->start > step.start / 2 + step.end / 2)
				break;
			if (part > MODEL_CPU && part <= MODEL_CPU_VECTOR)
				kind = part;
		}
		for (int k = MODEL_CPU_INT; k <= MODEL_CPU_VECTOR; k++)
			g_array_append_vals(run->loads[k],
					    k == kind ? &step : &none, 1);
	}
	g_array_unref(all);
	run->loads[MODEL_CPU] = NULL;
}

static void stepsTakeLevels(struct modelRun *run, const hdINode *node,
			    const struct levels *levels)
{
	static const enum modelPart told[] = { MODEL_BANDWIDTH, MODEL_MEMORY,
					       MODEL_SYNC };
	GArray *own = g_array_new(FALSE, FALSE, sizeof(struct level));
	const struct modelStep *power = (const void *)run->power->data;

	for (guint i = 0; i < levels->list->len; i++) {
		if (stepsIsNear(levelsAt(levels, i)->node, node))
			g_array_append_vals(own, levelsAt(levels, i), 1);
	}
	g_array_sort(own, stepsCompareLevels);
	stepsDivideCpu(run, own);
	for (size_t i = 0; i < G_N_ELEMENTS(told) && run->power->len; i++) {
		GArray *steps;

		if (run->loads[told[i]])
			continue;
		steps = stepsOfLevels(own, told[i], power[0].start,
				      power[run->power->len - 1].end);
		if (steps->len)
			run->loads[told[i]] = steps;
		else
			g_array_unref(steps);
	}
	g_array_unref(own);
}

/* ---- Runs -------------------------------------------------------------- */

static int stepsReadPower(const struct scan *scan,
			  const struct powerChoice *powers,
			  const struct powerGroup *choice, GArray **steps)
{
	struct powerSeries *series = nodePowerNew(choice);
	int ret = scanSeries(scan, choice->group, series);

	if (ret == 0)
		ret = nodePowerComplete(scan->project, powers, choice->group,
					&series);
	if (ret == 0)
		*steps = stepsOf(series, scan->selection, 1);
	powerSeriesFree(series);
	return ret;
}

static int stepsReadRun(const struct scan *scan, const hdINode *node,
			const struct powerChoice *powers,
			const struct levels *levels, struct modelRun *run)
{
	const struct powerGroup *choice = powerChoiceOf(powers, node);
	int64_t delay, applied;
	int ret = stepsReadPower(scan, powers, choice, &run->power);

	for (size_t i = 0; ret == 0 && i < G_N_ELEMENTS(stepsSources); i++) {
		GArray **load = &run->loads[stepsSources[i].part];

		if (!*load)
			ret = stepsReadSource(scan, node, &stepsSources[i],
					      load);
	}
	if (ret == 0)
		ret = stepsReadClock(scan, node, &run->clock);
	if (ret == 0)
		stepsTakeLevels(run, node, levels);
	if (ret == 0 && delayOfGroup(choice->group, &delay, &applied))
		run->delaySource = MODEL_DELAY_RECORDED;
	return ret;
}

static bool stepsHasLoad(const struct modelRun *run)
{
	for (int i = 0; i < MODEL_PARTS; i++) {
		if (run->loads[i] && run->loads[i]->len)
			return true;
	}
	return false;
}

int modelRead(struct modelFit *fit, const struct scan *scan, bool isAsRecorded)
{
	struct powerChoice *powers = powerChoiceNew(scan->project, NULL);
	struct levels levels;
	int ret = 0;

	levelsInit(&levels);
	levelsAddStates(&levels, scan);
	for (size_t i = 0; ret == 0 && i < scan->project->nodeCount; i++) {
		const hdINode *node = scan->project->nodes[i];
		struct modelRun *run;

		if (!selectionHasNode(scan->selection, node) ||
		    !powerChoiceOf(powers, node))
			continue;
		run = g_new0(struct modelRun, 1);
		run->project = g_strdup(scan->project->name);
		run->node = g_strdup(node->path);
		run->number = fit->projects;
		ret = stepsReadRun(scan, node, powers, &levels, run);
		if (isAsRecorded && run->delaySource == MODEL_DELAY_NONE)
			run->delaySource = MODEL_DELAY_RECORDED;
		if (ret == 0 && run->power->len &&
		    (fit->isPowerOnly || stepsHasLoad(run)))
			g_ptr_array_add(fit->runs, run);
		else
			modelRunFree(run);
	}
	fit->projects++;
	levelsFree(&levels);
	powerChoiceFree(powers);
	return ret;
}

/* ---- Windows ----------------------------------------------------------- */

static int stepsCompareLengths(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The usual length of a step. */
static int64_t stepsUsual(const GArray *steps)
{
	int64_t *lengths = g_new(int64_t, steps->len + 1);
	int64_t usual = 0;

	for (guint i = 0; i < steps->len; i++) {
		const struct modelStep *step =
			&g_array_index(steps, struct modelStep, i);

		lengths[i] = step->end - step->start;
	}
	if (steps->len) {
		qsort(lengths, steps->len, sizeof(*lengths),
		      stepsCompareLengths);
		usual = lengths[steps->len / 2];
	}
	g_free(lengths);
	return usual;
}

/* The slowest of power and the loads that are measured. */
static const GArray *stepsSlowest(const struct modelRun *run)
{
	const GArray *slowest = run->power;
	int64_t longest = stepsUsual(run->power);

	for (int i = 0; i < MODEL_PARTS; i++) {
		bool isTold = i == MODEL_MEMORY || i == MODEL_SYNC ||
			      i == MODEL_BANDWIDTH;
		int64_t length = run->loads[i] && !isTold
					 ? stepsUsual(run->loads[i])
					 : 0;

		/* Nearly as long as power is as long. */
		if (length > longest + longest / 10) {
			longest = length;
			slowest = run->loads[i];
		}
	}
	return slowest;
}

/* Fill a window; false: something in it is unknown. */
static bool stepsFillWindow(const struct modelFit *fit,
			    const struct modelRun *run,
			    struct modelWindow *window)
{
	double known;

	window->power = modelMean(run->power, window->start + run->delayNs,
				  window->end + run->delayNs, -INFINITY,
				  INFINITY, &known);
	if (known < STEPS_KNOWN)
		return false;
	window->clock = NAN;
	if (run->clock)
		window->clock = modelMean(run->clock, window->start,
					  window->end, 0, INFINITY, &known);
	for (int i = 0; i < MODEL_PARTS; i++) {
		window->load[i] = 0;
		if (!run->loads[i])
			continue;
		window->load[i] = modelMean(run->loads[i], window->start,
					    window->end, 0, INFINITY, &known);
		if (known < STEPS_KNOWN)
			return false;
		if (fit->shapes[i].max > 0)
			window->load[i] *= 100 / fit->shapes[i].max;
	}
	return true;
}

void modelRunDivide(const struct modelFit *fit, struct modelRun *run)
{
	const GArray *slowest = stepsSlowest(run);
	int64_t late = slowest == run->power ? run->delayNs : 0;

	g_free(run->windows);
	run->windows = g_new(struct modelWindow, slowest->len + 1);
	run->count = 0;
	for (guint i = 0; i < slowest->len; i++) {
		const struct modelStep *step =
			&g_array_index(slowest, struct modelStep, i);
		struct modelWindow *window = &run->windows[run->count];

		window->start = step->start - late;
		window->end = step->end - late;
		window->isSteady = true;
		if (stepsFillWindow(fit, run, window))
			run->count++;
	}
}
