/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs of a program and their phases; see usage.h. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "HDTraceTools/command/errors.h"
#include "HDTraceTools/model/extent.h"
#include "HDTraceTools/model/regions/regions.h"
#include "HDTraceTools/model/units.h"
#include "HDTraceTools/usage/usage.h"

/* States of other commands, which are not regions of the program. */
#define READ_PHASE "Phase"
#define READ_DECISION "Decision"
/* Clocks that differ by less are equal. */
#define READ_CLOCK 0.02
/* A part of the time in which the clock must be known, and power too. */
#define READ_KNOWN 0.9
/* A region that covers more than this of its trace is the whole program. */
#define READ_WHOLE 0.9

const char *const usageSourceNames[] = {
	[USAGE_FROM_OPTIONS] = "options",
	[USAGE_FROM_PROGRAM] = "program",
	[USAGE_FROM_REGIONS] = "regions",
	[USAGE_FROM_UTILIZATION] = "utilization",
};

static const enum modelPart readParts[USAGE_LOADS] = {
	[USAGE_CPU] = MODEL_CPU,         [USAGE_BANDWIDTH] = MODEL_BANDWIDTH,
	[USAGE_NETWORK] = MODEL_NETWORK, [USAGE_READ] = MODEL_READ,
	[USAGE_WRITE] = MODEL_WRITE,
};

/* ---- States ------------------------------------------------------------ */

struct readState {
	int64_t start;
	int64_t end;
	char *name;
};

/* What the traces of a node say. */
struct readStates {
	GArray *told;    /* struct readState */
	GArray *regions; /* Likewise, of one trace. */
	GArray *clocks;  /* struct usageClock */
	char *clockPath; /* Of the CPUs whose limit counts. */
};

static void readFreeState(void *data)
{
	g_free(((struct readState *)data)->name);
}

static GArray *readNewStates(void)
{
	GArray *states = g_array_new(FALSE, FALSE, sizeof(struct readState));

	g_array_set_clear_func(states, readFreeState);
	return states;
}

static void readInit(struct readStates *self)
{
	*self = (struct readStates){
		.told = readNewStates(),
		.regions = readNewStates(),
		.clocks = g_array_new(FALSE, FALSE, sizeof(struct usageClock)),
	};
}

static void readFree(struct readStates *self)
{
	g_array_unref(self->told);
	g_array_unref(self->regions);
	g_array_unref(self->clocks);
	g_free(self->clockPath);
}

static const char *readAttribute(const hdIRecord *record, const char *name)
{
	return attributeFind(record->attributes, record->attributeCount, name);
}

/* The limit that holds, whether or not it was changed. */
static void readTakeDecision(struct readStates *self, const hdIRecord *record)
{
	const char *path = readAttribute(record, "path");
	const char *applied = readAttribute(record, "applied");
	const char *value = readAttribute(
		record, applied && strcmp(applied, "no") == 0 ? "old" : "new");
	struct usageClock clock = { record->start, record->end, 0 };

	if (!path || !value || !g_str_has_suffix(path, "/scaling_max_freq"))
		return;
	/* All CPUs get the same limit. */
	if (!self->clockPath)
		self->clockPath = g_strdup(path);
	clock.mhz = g_ascii_strtod(value, NULL) / 1e3;
	if (clock.mhz > 0 && strcmp(self->clockPath, path) == 0)
		g_array_append_val(self->clocks, clock);
}

static void readAddState(GArray *states, const hdIRecord *record,
			 const char *name)
{
	struct readState state = { record->start, record->end, g_strdup(name) };

	g_array_append_val(states, state);
}

static bool readTakeState(const hdIRecord *record, void *data)
{
	struct readStates *self = data;
	const char *name;

	if (record->kind != HDI_STATE || record->end <= record->start)
		return true;
	name = readAttribute(record, "name");
	if (strcmp(record->name, READ_DECISION) == 0)
		readTakeDecision(self, record);
	else if (strcmp(record->name, READ_PHASE) == 0 && name)
		readAddState(self->told, record, name);
	else if (strcmp(record->name, "Plan") != 0 &&
		 strcmp(record->name, "Level") != 0 &&
		 regionsIsRegion(record->name))
		readAddState(self->regions, record, record->name);
	return true;
}

static bool readIsBelow(const hdINode *node, const hdINode *top)
{
	for (; node; node = node->parent) {
		if (node == top)
			return true;
	}
	return false;
}

/* All traces of the node; regions are those of the first one that has any. */
static void readTraces(const struct scan *scan, const hdINode *node,
		       struct readStates *self)
{
	for (size_t i = 0; i < scan->project->traceCount; i++) {
		const hdITraceFile *trace = scan->project->traces[i];
		guint before = self->regions->len;

		if (!readIsBelow(trace->node, node))
			continue;
		scanTrace(scan, trace, readTakeState, self);
		if (before > 0)
			g_array_set_size(self->regions, before);
	}
}

/* ---- Regions ----------------------------------------------------------- */

static int readCompareStates(const void *a, const void *b)
{
	const struct readState *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->end < y->end) - (x->end > y->end);
}

/* Keep states that are not inside others; of one that is the whole program,
 * keep those inside. */
static void readKeepOuter(GArray *states)
{
	struct readState *list;
	int64_t end = INT64_MIN, first, last = INT64_MIN;
	guint kept = 0;
	bool hasMore;

	g_array_sort(states, readCompareStates);
	for (hasMore = states->len > 1; hasMore;) {
		list = (void *)states->data;
		first = list[0].start;
		for (guint i = 0; i < states->len; i++)
			last = MAX(last, list[i].end);
		hasMore = (double)(list[0].end - list[0].start) >
				  READ_WHOLE * (double)(last - first) &&
			  list[1].start < list[0].end;
		if (hasMore)
			g_array_remove_index(states, 0);
		hasMore = hasMore && states->len > 1;
	}
	list = (void *)states->data;
	for (guint i = 0; i < states->len; i++) {
		struct readState state = list[i];

		if (state.start < end)
			continue;
		end = state.end;
		/* Those that stay move to the front; the array frees the
		 * rest. */
		list[i] = list[kept];
		list[kept++] = state;
	}
	g_array_set_size(states, kept);
}

/* Names of sections are one line without brackets. */
static char *readSectionName(const char *name)
{
	char *text = g_strdup(name);

	for (char *at = text; *at; at++) {
		if (strchr("[]\r\n\t", *at))
			*at = '_';
	}
	return g_strstrip(text);
}

/* Add the part of a phase that lies in the selected time. */
static void readAddPhase(struct phases *phases,
			 const struct selection *selection, int64_t start,
			 int64_t end, const char *name)
{
	char *text = readSectionName(name);

	start = MAX(start, selection->start);
	end = MIN(end, selection->end);
	if (*text && end > start)
		phasesAdd(phases, start, end, text);
	g_free(text);
}

static void readToPhases(GArray *states, const struct selection *selection,
			 struct phases *phases)
{
	readKeepOuter(states);
	for (guint i = 0; i < states->len; i++) {
		const struct readState *state =
			&g_array_index(states, struct readState, i);

		readAddPhase(phases, selection, state->start, state->end,
			     state->name);
	}
}

/* Phases of options; the last one lasts to the end of the run. */
static void readGiven(const struct scan *scan, const struct phases *given,
		      struct phases *phases)
{
	struct extent extent = extentOfProject(scan->project);

	for (size_t i = 0; i < given->count; i++) {
		const struct phase *phase = &given->list[i];

		readAddPhase(phases, scan->selection,
			     MAX(phase->start, extent.start),
			     MIN(phase->end, extent.end),
			     given->names->pdata[phase->name]);
	}
}

/* ---- Samples ----------------------------------------------------------- */

/* The clock in an interval: the limit, or what was measured; NaN: it is
 * unknown, or changes. */
static double readClock(const struct modelRun *run, const GArray *clocks,
			int64_t start, int64_t end)
{
	double least = INFINITY, most = 0, time = 0, known;

	for (guint i = 0; i < clocks->len; i++) {
		const struct usageClock *clock =
			&g_array_index(clocks, struct usageClock, i);
		int64_t part = MIN(end, clock->end) - MAX(start, clock->start);

		/* What takes hold a moment later does not count. */
		if (part <= (end - start) / 20)
			continue;
		time += (double)part;
		least = fmin(least, clock->mhz);
		most = fmax(most, clock->mhz);
	}
	if (time >= READ_KNOWN * (double)(end - start))
		return most - least <= READ_CLOCK * most ? most : NAN;
	if (clocks->len > 0 || !run->clock)
		return NAN;
	return modelMean(run->clock, start, end, 0, INFINITY, &known);
}

/* Sums over the occurrences of a phase in a run. */
struct readSum {
	double time, clocked, clock, least, most;
	double energy, powered;
	double load[USAGE_LOADS], loaded[USAGE_LOADS];
};

static void readAddTo(struct readSum *sum, const struct modelRun *run,
		      const GArray *clocks, int64_t start, int64_t end)
{
	double length = (double)(end - start) / 1e9;
	double clock = readClock(run, clocks, start, end);
	double known, value;

	sum->time += length;
	if (clock > 0) {
		sum->clocked += length;
		sum->clock += clock * length;
		sum->least = fmin(sum->least, clock);
		sum->most = fmax(sum->most, clock);
	}
	value = modelMean(run->power, start + run->delayNs, end + run->delayNs,
			  -INFINITY, INFINITY, &known);
	if (known > 0) {
		sum->energy += value * known * length;
		sum->powered += known * length;
	}
	for (int i = 0; i < USAGE_LOADS; i++) {
		const GArray *load = run->loads[readParts[i]];

		if (!load)
			continue;
		value = modelMean(load, start, end, 0, INFINITY, &known);
		if (known > 0) {
			sum->load[i] += value * known * length;
			sum->loaded[i] += known * length;
		}
	}
}

static void readRefuse(struct usage *self, const struct modelRun *run,
		       const char *phase, const char *why)
{
	self->refused++;
	if (!self->tool->isQuiet)
		outSay(stderr, "hdtrace usage: %s: %s: phase %s: not used; %s",
		       run->project, run->node, phase, why);
}

static void readTakeSum(struct usage *self, const struct modelRun *run,
			const char *phase, const struct readSum *sum)
{
	struct usageSample sample = { .mhz = NAN, .time = sum->time };
	bool isConstant = sum->most - sum->least <= READ_CLOCK * sum->most;

	if (sum->powered < READ_KNOWN * sum->time) {
		readRefuse(self, run, phase, "its power is not known");
		return;
	}
	if (sum->clocked >= READ_KNOWN * sum->time && isConstant)
		sample.mhz = sum->most > sum->least ? sum->clock / sum->clocked
						    : sum->most;
	if (isnan(sample.mhz)) {
		readRefuse(self, run, phase,
			   isConstant ? "its CPU clock is not known"
				      : "its CPU clock changes");
		return;
	}
	sample.phase = g_strdup(phase);
	sample.power = sum->energy / sum->powered;
	for (int i = 0; i < USAGE_LOADS; i++)
		sample.load[i] = sum->loaded[i] > 0
					 ? sum->load[i] / sum->loaded[i]
					 : NAN;
	g_array_append_val(self->samples, sample);
}

static void readAddInterval(struct usage *self, const struct modelRun *run,
			    const struct phases *phases, size_t number,
			    int64_t projectStart)
{
	const struct phase *phase = &phases->list[number];
	struct usageInterval interval = {
		.project = g_strdup(run->project),
		.node = g_strdup(run->node),
		.phase = g_strdup(phases->names->pdata[phase->name]),
		.start = phase->start - projectStart,
		.end = phase->end - projectStart,
	};

	g_array_append_val(self->intervals, interval);
}

static void readPhases(struct usage *self, const struct scan *scan,
		       const struct modelRun *run, const struct phases *phases,
		       const GArray *clocks)
{
	struct readSum *sums = g_new0(struct readSum, phases->names->len + 1);
	int64_t start = INT64_MAX, end = INT64_MIN;

	for (size_t i = 0; i < phases->names->len; i++)
		sums[i].least = INFINITY;
	for (size_t i = 0; i < phases->count; i++) {
		const struct phase *phase = &phases->list[i];

		start = MIN(start, phase->start);
		end = MAX(end, phase->end);
		readAddTo(&sums[phase->name], run, clocks, phase->start,
			  phase->end);
		readAddInterval(self, run, phases, i,
				scan->selection->projectStart);
		self->covered += (double)(phase->end - phase->start) / 1e9;
	}
	for (guint i = 0; i < run->power->len; i++) {
		const struct modelStep *step =
			&g_array_index(run->power, struct modelStep, i);

		start = MIN(start, step->start);
		end = MAX(end, step->end);
	}
	if (end > start)
		self->time += (double)(end - start) / 1e9;
	for (size_t i = 0; i < phases->names->len; i++)
		readTakeSum(self, run, phases->names->pdata[i], &sums[i]);
	g_free(sums);
}

/* ---- Runs -------------------------------------------------------------- */

static void readRun(struct usage *self, const struct scan *scan,
		    const struct modelRun *run, const struct phases *given)
{
	const hdINode *node = hdI_findNode(scan->project, run->node);
	struct readStates states;
	struct phases phases;

	readInit(&states);
	phasesInit(&phases);
	if (node)
		readTraces(scan, node, &states);
	if (given->count > 0) {
		self->source = USAGE_FROM_OPTIONS;
		readGiven(scan, given, &phases);
	} else if (states.told->len) {
		self->source = USAGE_FROM_PROGRAM;
		readToPhases(states.told, scan->selection, &phases);
	} else if (states.regions->len) {
		self->source = USAGE_FROM_REGIONS;
		readToPhases(states.regions, scan->selection, &phases);
	} else {
		self->source = USAGE_FROM_UTILIZATION;
		usageFind(self, run, &phases);
	}
	self->runs++;
	readPhases(self, scan, run, &phases, states.clocks);
	phasesFree(&phases);
	readFree(&states);
}

int usageRead(struct usage *self, const struct scan *scan,
	      const struct phases *given)
{
	struct modelFit fit = {
		.tool = self->tool,
		.runs = g_ptr_array_new_with_free_func(modelRunFree),
		.isPowerOnly = true,
	};
	int ret = modelRead(&fit, scan, false);

	for (guint i = 0; ret == 0 && i < fit.runs->len; i++)
		readRun(self, scan, fit.runs->pdata[i], given);
	if (ret == 0 && fit.runs->len == 0)
		toolError(self->tool, "%s: no node with power",
			  scan->project->name);
	g_ptr_array_unref(fit.runs);
	return ret;
}
