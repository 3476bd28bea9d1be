/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file reportstates.c
 * hdtrace report: time and energy of states.
 *
 * The energy of a node is shared equally by the traces at and below it, and
 * charged to the innermost state that each is in. So the energies of all
 * states, and of the time outside of states, add up to that of the nodes.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "export.h"
#include "report.h"

/** A trace that is walked through in the order of time. */
struct walker {
	struct report *report;
	GHashTable *index; /**< Name to position in report->names, plus 1. */
	const hdITraceFile *trace;
	struct ordered *ordered;
	struct orderedStep step; /**< The next one. */
	bool hasStep;
	bool isStarted;
	int64_t now;
	GArray *stack; /**< size_t: position of the name of open states. */
};

static size_t stateIndex(struct walker *self, const char *name)
{
	gpointer found = g_hash_table_lookup(self->index, name);
	struct reportState state = { .name = NULL };

	if (found)
		return GPOINTER_TO_SIZE(found) - 1;
	state.name = g_strdup(name);
	g_array_append_val(self->report->names, state);
	g_hash_table_insert(self->index, state.name,
			    GSIZE_TO_POINTER(self->report->names->len));
	return self->report->names->len - 1;
}

static struct reportState *stateAt(struct walker *self, size_t at)
{
	return &g_array_index(self->report->names, struct reportState, at);
}

static void takeStep(struct walker *self)
{
	int ret = orderedRead(self->ordered, &self->step);

	self->hasStep = ret == 1;
	if (ret < 0)
		toolError(self->report->tool, "%s: temporary file: %s",
			  self->trace->file, strerror(errno));
}

static bool openWalker(struct walker *self, struct report *report,
		       GHashTable *index, const hdITraceFile *trace)
{
	*self = (struct walker){
		.report = report,
		.index = index,
		.trace = trace,
		.ordered = orderedOpen(report->project, trace),
	};
	if (!self->ordered) {
		if (errno != EBADMSG)
			toolError(report->tool, "%s: %s", trace->file,
				  strerror(errno));
		return false;
	}
	self->stack = g_array_new(FALSE, FALSE, sizeof(size_t));
	takeStep(self);
	return true;
}

static void closeWalker(struct walker *self)
{
	if (!self->ordered)
		return;
	toolProgressFile(self->report->tool, self->trace->fileSize);
	orderedClose(self->ordered);
	g_array_unref(self->stack);
}

/** Charge the time until then to the innermost state. */
static void charge(struct walker *self, int64_t until, double watts)
{
	int64_t length = until - self->now;
	struct reportState *state;

	if (!self->isStarted || length <= 0)
		return;
	self->now = until;
	if (!self->stack->len)
		return;
	state = stateAt(
		self, g_array_index(self->stack, size_t, self->stack->len - 1));
	state->self += length;
	if (!isnan(watts)) {
		state->measured += length;
		state->joules += watts * ((double)length / 1e9);
	}
}

static void applyStep(struct walker *self)
{
	const hdIRecord *record = self->step.record;
	struct report *report = self->report;
	size_t at;

	report->start = MIN(report->start, record->start);
	report->end = MAX(report->end, record->end);
	self->now = self->step.time;
	self->isStarted = true;
	switch (self->step.kind) {
	case ORDERED_EVENT:
		report->events++;
		break;
	case ORDERED_ENTER:
		at = stateIndex(self, record->name);
		g_array_append_val(self->stack, at);
		break;
	case ORDERED_LEAVE: {
		int64_t length = MAX(record->end - record->start, 0);
		struct reportState *state =
			stateAt(self, g_array_index(self->stack, size_t,
						    self->stack->len - 1));

		report->states++;
		state->count++;
		state->total += length;
		state->longest = MAX(state->longest, length);
		g_array_set_size(self->stack, self->stack->len - 1);
		break;
	}
	}
}

/** Walk on to a time, while the trace's share of power is so many watts. */
static void walkTo(struct walker *self, int64_t until, double watts)
{
	while (self->hasStep && self->step.time <= until) {
		charge(self, self->step.time, watts);
		applyStep(self);
		takeStep(self);
		toolProgressAt(self->report->tool,
			       orderedOffset(self->ordered));
	}
	charge(self, until, watts);
}

static void walkToEnd(struct walker *self)
{
	while (self->hasStep)
		walkTo(self, self->step.time, NAN);
}

/** Power in an entry, in watts. */
static double entryPower(const struct reportGroup *group, const hdIBlock *block,
			 size_t entry)
{
	double seconds =
		(double)(block->end[entry] - block->start[entry]) / 1e9;
	double watts = 0;

	for (size_t i = 0; i < group->group->valueCount; i++) {
		const hdIValue *value = &group->group->values[i];
		double number;

		if (!group->isPower[i])
			continue;
		number = exportNumber(block, value->type, i, entry) *
			 unitParse(value->unit).scale;
		watts += unitIsPower(value->unit) ? number : number / seconds;
	}
	return watts;
}

/** Walk through traces along the power of a node. */
static void walkAlong(struct report *report, struct reportGroup *group,
		      GArray *walkers)
{
	hdIStatReader *reader = hdI_openStat(report->project, group->group);
	const hdIBlock *block;

	while (reader && hdI_readStat(reader, &block) == 1) {
		for (size_t i = 0; i < block->count; i++) {
			double watts =
				entryPower(group, block, i) / walkers->len;

			for (guint k = 0; k < walkers->len; k++) {
				struct walker *walker = &g_array_index(
					walkers, struct walker, k);

				walkTo(walker, block->start[i], NAN);
				if (block->end[i] > block->start[i])
					walkTo(walker, block->end[i], watts);
			}
		}
	}
	hdI_closeStat(reader);
}

/** The group that tells the power of a node, or of the nearest above. */
static struct reportGroup *powerOf(struct report *report, const hdINode *node)
{
	for (; node; node = node->parent) {
		for (size_t i = 0; i < report->project->groupCount; i++) {
			struct reportGroup *group = &report->groups[i];

			if (group->powerCount && group->group->node == node)
				return group;
		}
	}
	return NULL;
}

/** Walk through the traces of one node's power; NULL: of no power. */
static void walkTraces(struct report *report, GHashTable *index,
		       struct reportGroup *group,
		       struct reportGroup *const *powers)
{
	const hdIProject *project = report->project;
	GArray *walkers = g_array_new(FALSE, FALSE, sizeof(struct walker));

	for (size_t i = 0; i < project->traceCount; i++) {
		struct walker walker;

		if (powers[i] != group ||
		    !openWalker(&walker, report, index, project->traces[i]))
			continue;
		if (group) {
			g_array_append_val(walkers, walker);
			continue;
		}
		walkToEnd(&walker);
		closeWalker(&walker);
	}
	if (group && walkers->len) {
		group->traces = walkers->len;
		walkAlong(report, group, walkers);
	}
	for (guint i = 0; i < walkers->len; i++) {
		struct walker *walker =
			&g_array_index(walkers, struct walker, i);

		walkToEnd(walker);
		closeWalker(walker);
	}
	g_array_unref(walkers);
}

void reportStates(struct report *report)
{
	const hdIProject *project = report->project;
	GHashTable *index = g_hash_table_new(g_str_hash, g_str_equal);
	struct reportGroup **powers =
		g_new(struct reportGroup *, project->traceCount + 1);

	for (size_t i = 0; i < project->traceCount; i++)
		powers[i] = powerOf(report, project->traces[i]->node);
	for (size_t i = 0; i < project->groupCount; i++)
		walkTraces(report, index, &report->groups[i], powers);
	walkTraces(report, index, NULL, powers);
	g_free(powers);
	g_hash_table_destroy(index);
}
