/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What relations cost.
 */
#include "config.h"

#include <string.h>
#include <glib.h>

#include "HDTraceTools/base/sorter.h"
#include "HDTraceTools/base/spool.h"
#include "HDTraceTools/model/kind.h"
#include "HDTraceTools/model/relations/joules.h"

/** A relation enters a state, or leaves it. */
struct change {
	int64_t time;
	uint32_t power;
	uint32_t number;
	int32_t more; /**< 1 or -1 */
};

/** What each active one had until a change of a relation. */
struct reading {
	powerPico pico;
	int64_t measured;
	uint32_t number;
	int32_t more;
};

struct joules {
	struct forest *forest;
	GPtrArray *groups;
	GPtrArray *series; /**< Of the groups. */
	GArray *nodes;     /**< struct joulesNode */
	uint32_t *powers;  /**< Of each file: which group, or FOREST_NONE. */
	struct sorter *changes;
	struct sorter *readings;
	struct spool *amounts; /**< struct attributionAmount, by number. */
};

/** One node while time passes. */
struct sweep {
	struct powerCursor *cursor;
	GArray *ranks; /**< struct attributionCount */
	guint nextRank;
	uint64_t rankCount;
	uint64_t relationCount;
	powerPico until; /**< Of the node. */
	int64_t measuredUntil;
	powerPico each; /**< Of one that was always active. */
	int64_t measured;
	struct joulesNode *node;
};

static int compareChanges(const void *left, const void *right)
{
	const struct change *a = left, *b = right;

	if (a->power != b->power)
		return a->power < b->power ? -1 : 1;
	return (a->time > b->time) - (a->time < b->time);
}

static int compareReadings(const void *left, const void *right)
{
	const struct reading *a = left, *b = right;

	return (a->number > b->number) - (a->number < b->number);
}

/* ---- Whose power ------------------------------------------------------- */

/** The nearest group that tells power, or NULL. */
static const hdIGroup *findGroup(const hdINode *node)
{
	for (; node; node = node->parent) {
		for (size_t i = 0; i < node->groupCount; i++) {
			const hdIGroup *group = node->groups[i];
			bool *isPower = g_new0(bool, group->valueCount + 1);
			size_t count = 0;

			if (group->isReadable)
				count = valuesOfPower(group, NULL, isPower);
			g_free(isPower);
			if (count > 0)
				return group;
		}
	}
	return NULL;
}

static uint32_t addGroup(struct joules *self, const hdIGroup *group)
{
	struct joulesNode node = { .node = group->node };
	bool *isPower;
	guint at;

	if (g_ptr_array_find(self->groups, group, &at))
		return at;
	isPower = g_new0(bool, group->valueCount + 1);
	valuesOfPower(group, NULL, isPower);
	g_ptr_array_add(self->groups, (gpointer)group);
	g_ptr_array_add(self->series, powerSeriesOfNode(group, isPower));
	g_array_append_val(self->nodes, node);
	g_free(isPower);
	return self->groups->len - 1;
}

struct joules *joulesNew(struct forest *forest)
{
	struct joules *self = g_new0(struct joules, 1);
	size_t count = forestFileCount(forest);

	self->forest = forest;
	self->groups = g_ptr_array_new();
	self->series =
		g_ptr_array_new_with_free_func((GDestroyNotify)powerSeriesFree);
	self->nodes = g_array_new(FALSE, FALSE, sizeof(struct joulesNode));
	self->powers = g_new(uint32_t, count + 1);
	for (size_t i = 0; i < count; i++) {
		const hdIGroup *group =
			findGroup(forestFileAt(forest, i)->file->node);

		self->powers[i] = group ? addGroup(self, group) : FOREST_NONE;
	}
	return self;
}

void joulesFree(struct joules *self)
{
	if (!self)
		return;
	g_ptr_array_unref(self->groups);
	g_ptr_array_unref(self->series);
	g_array_unref(self->nodes);
	g_free(self->powers);
	sorterFree(self->changes);
	sorterFree(self->readings);
	spoolFree(self->amounts);
	g_free(self);
}

const GPtrArray *joulesGroups(const struct joules *self)
{
	return self->groups;
}

int joulesAdd(struct joules *self, size_t group, const hdIBlock *block)
{
	return powerSeriesAdd(self->series->pdata[group], block);
}

/* ---- What all cost ----------------------------------------------------- */

static int addState(struct joules *self, uint32_t power, uint32_t number,
		    int64_t start, int64_t end)
{
	struct change change;
	int ret;

	if (end <= start)
		return 0;
	memset(&change, 0, sizeof(change));
	change.power = power;
	change.number = number;
	change.time = start;
	change.more = 1;
	ret = sorterAdd(self->changes, &change);
	if (ret < 0)
		return ret;
	change.time = end;
	change.more = -1;
	return sorterAdd(self->changes, &change);
}

/** Find when relations are in a state. */
static int addFile(struct joules *self, size_t number)
{
	const struct forestFile *file = forestFileAt(self->forest, number);
	int ret = 0;

	if (self->powers[number] == FOREST_NONE)
		return 0;
	for (uint32_t i = 0; i < file->count && ret == 0; i++) {
		struct forestRelation relation;

		ret = forestGet(self->forest, file->first + i, &relation);
		for (size_t k = 0; ret == 0 && k < relation.stateCount; k++) {
			const hdIRelationState *state = &relation.states[k];

			if (state->depth > 0)
				continue;
			ret = addState(self, self->powers[number],
				       relation.number, state->start,
				       state->end == HDI_NEVER ? relation.lasted
							       : state->end);
		}
	}
	return ret;
}

/** Time passes: who was active gets the same. */
static void advance(struct sweep *self, int64_t time)
{
	int64_t measured;
	powerPico until = powerCursorUntil(self->cursor, time, &measured);
	powerPico energy = until - self->until;
	uint64_t count = self->relationCount + self->rankCount;

	if (count > 0) {
		powerPico each = energy / (powerPico)count;

		self->each += each;
		self->measured += measured - self->measuredUntil;
		self->node->relations += each * (powerPico)self->relationCount;
		self->node->ranks += each * (powerPico)self->rankCount;
	}
	self->until = until;
	self->measuredUntil = measured;
}

/** Go on to a time, past what changes among ranks. */
static void advanceTo(struct sweep *self, int64_t time)
{
	while (self->nextRank < self->ranks->len) {
		const struct attributionCount *next = &g_array_index(
			self->ranks, struct attributionCount, self->nextRank);

		if (next->time > time)
			break;
		advance(self, next->time);
		self->rankCount = next->count;
		self->nextRank++;
	}
	advance(self, time);
}

static void startSweep(struct joules *self, struct attribution *ranks,
		       uint32_t power, struct sweep *sweep)
{
	*sweep = (struct sweep){
		.cursor = powerCursorNew(self->series->pdata[power]),
		.node = &g_array_index(self->nodes, struct joulesNode, power),
	};
	sweep->ranks = attributionRanks(ranks, sweep->node->node);
}

static int endSweep(struct joules *self, uint32_t power, struct sweep *sweep)
{
	struct joulesNode *node = sweep->node;
	int64_t start = 0, end = 0;
	int ret;

	advanceTo(sweep, INT64_MAX);
	node->all.pico = sweep->until;
	node->all.measured = sweep->measuredUntil;
	node->unattributed = sweep->until - node->relations - node->ranks;
	powerSeriesRange(self->series->pdata[power], &start, &end);
	node->duration = end - start;
	ret = powerCursorError(sweep->cursor);
	powerCursorFree(sweep->cursor);
	g_array_unref(sweep->ranks);
	return ret;
}

/** Go through the changes of all nodes. */
static int sweepAll(struct joules *self, struct attribution *ranks)
{
	struct sweep sweep;
	uint32_t power = 0;
	struct change change;
	int error = 0;
	int ret, ended;

	startSweep(self, ranks, 0, &sweep);
	while ((ret = sorterNext(self->changes, &change)) == 1) {
		struct reading reading;

		while (power < change.power) {
			ended = endSweep(self, power, &sweep);
			error = error < 0 ? error : ended;
			startSweep(self, ranks, ++power, &sweep);
		}
		advanceTo(&sweep, change.time);
		sweep.relationCount += (uint64_t)(int64_t)change.more;
		memset(&reading, 0, sizeof(reading));
		reading.number = change.number;
		reading.more = change.more;
		reading.pico = sweep.each;
		reading.measured = sweep.measured;
		ret = sorterAdd(self->readings, &reading);
		if (ret < 0)
			break;
	}
	error = error < 0 ? error : ret;
	for (;; power++) {
		ended = endSweep(self, power, &sweep);
		error = error < 0 ? error : ended;
		if (power + 1 == self->groups->len)
			return error;
		startSweep(self, ranks, power + 1, &sweep);
	}
}

/** Add up what was read at the borders of states, by relation. */
static int addUp(struct joules *self)
{
	struct attributionAmount amount = { .pico = 0 };
	struct reading reading;
	uint32_t number = 0;
	int ret;

	while ((ret = sorterNext(self->readings, &reading)) == 1) {
		for (; number < reading.number && ret >= 0; number++) {
			ret = spoolAppend(self->amounts, &amount,
					  sizeof(amount));
			memset(&amount, 0, sizeof(amount));
		}
		if (ret < 0)
			return ret;
		amount.pico -= reading.more * reading.pico;
		amount.measured -= reading.more * reading.measured;
	}
	for (; ret == 0 && number < forestCount(self->forest); number++) {
		ret = spoolAppend(self->amounts, &amount, sizeof(amount));
		memset(&amount, 0, sizeof(amount));
	}
	return ret;
}

int joulesEnd(struct joules *self)
{
	struct attribution *ranks;
	int ret = 0;

	if (self->groups->len == 0)
		return 0;
	for (guint i = 0; i < self->series->len && ret == 0; i++)
		ret = powerSeriesEnd(self->series->pdata[i]);
	self->changes = sorterNew(sizeof(struct change), compareChanges);
	self->readings = sorterNew(sizeof(struct reading), compareReadings);
	self->amounts = spoolNew();
	for (size_t i = 0; i < forestFileCount(self->forest) && ret == 0; i++)
		ret = addFile(self, i);
	if (ret < 0)
		return ret;
	ranks = attributionNew(forestProject(self->forest), ATTRIBUTION_EQUAL);
	ret = sweepAll(self, ranks);
	attributionFree(ranks);
	return ret < 0 ? ret : addUp(self);
}

const GArray *joulesNodes(const struct joules *self)
{
	return self->nodes;
}

int joulesGet(struct joules *self, uint32_t number,
	      struct attributionAmount *amount)
{
	memset(amount, 0, sizeof(*amount));
	if (!self->amounts)
		return 0;
	return spoolRead(self->amounts, number * (uint64_t)sizeof(*amount),
			 amount, sizeof(*amount));
}
