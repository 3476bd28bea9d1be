/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What relations cost.
 */
#include "config.h"

#include <math.h>
#include <pthread.h>
#include <string.h>
#include <glib.h>

#include "HDTraceTools/base/sorter.h"
#include "HDTraceTools/base/spool.h"
#include "HDTraceTools/model/relations/joules.h"
#include "HDTraceTools/model/mpi/roles.h"

/** So many relations pass without progress. */
#define PROGRESS_STEP 4096

/** A relation enters a state, or leaves it. */
struct change {
	int64_t time;
	uint32_t number;
	int16_t more; /**< 1 or -1 */
	int16_t isCharged;
};

/** What a relation had while it was in states. */
struct reading {
	powerPico pico;
	int64_t measured;
	uint32_t number;
};

/** A relation that is in a state. */
struct active {
	powerPico pico; /**< Without what was until it began. */
	int64_t measured;
	int32_t count; /**< Of states. */
};

struct joules {
	struct forest *forest;
	GArray *nodes;    /**< struct joulesNode */
	uint32_t *powers; /**< Of each file: which node, or FOREST_NONE. */
	/** Of each trace: the group that tells it, or NULL. */
	const hdIGroup **ofTraces;
	struct sorter *readings;
	struct spool *amounts;    /**< struct attributionAmount, by number. */
	joulesProgress *progress; /**< Or NULL. */
	void *progressData;
	pthread_mutex_t mutex;
};

/** One node while time passes. */
struct sweep {
	struct joules *joules;
	struct joulesNode *node; /**< NULL: relations are not charged. */
	struct powerCursor *cursor;
	struct powerSeries *rest;
	struct powerAmount sums; /**< Of the series until now, */
	struct powerAmount left; /**< and of the rest. */
	powerPico until;         /**< The same as integers. */
	powerPico leftUntil;
	GArray *ranks; /**< struct attributionCount */
	guint nextRank;
	uint64_t rankCount;
	struct sorter *changes;
	struct change next;
	bool hasNext;
	uint64_t relationCount;
	powerPico each;     /**< Of a relation that was always active. */
	powerPico carried;  /**< What could not be divided yet. */
	GHashTable *active; /**< Numbers to struct active. */
	int error;
};

static int joulesCompareChanges(const void *left, const void *right)
{
	const struct change *a = left, *b = right;

	return (a->time > b->time) - (a->time < b->time);
}

static int compareReadings(const void *left, const void *right)
{
	const struct reading *a = left, *b = right;

	return (a->number > b->number) - (a->number < b->number);
}

/* ---- Whose power ------------------------------------------------------- */

/** The group that stands for the nearest node whose power is known, or NULL. */
static const hdIGroup *joulesFindGroup(const hdINode *node,
				       const struct powerChoice *power)
{
	const struct powerGroup *group =
		power ? powerChoiceNear(power, node) : NULL;

	return group ? group->group : NULL;
}

static uint32_t joulesFindNode(const struct joules *self, const hdIGroup *group)
{
	for (guint i = 0; i < self->nodes->len; i++) {
		if (g_array_index(self->nodes, struct joulesNode, i).group ==
		    group)
			return i;
	}
	return FOREST_NONE;
}

static uint32_t joulesAddNode(struct joules *self, const hdIGroup *group)
{
	const struct joulesNode node = { .group = group };
	uint32_t found = joulesFindNode(self, group);

	if (found == FOREST_NONE) {
		found = self->nodes->len;
		g_array_append_val(self->nodes, node);
	}
	return found;
}

struct joules *joulesNew(struct forest *forest, const struct powerChoice *power)
{
	struct joules *self = g_new0(struct joules, 1);
	const hdIProject *project = forestProject(forest);
	size_t count = forestFileCount(forest);

	self->forest = forest;
	self->nodes = g_array_new(FALSE, FALSE, sizeof(struct joulesNode));
	self->powers = g_new(uint32_t, count + 1);
	self->readings = sorterNew(sizeof(struct reading), compareReadings);
	pthread_mutex_init(&self->mutex, NULL);
	for (size_t i = 0; i < count; i++) {
		const hdIGroup *group = joulesFindGroup(
			forestFileAt(forest, i)->file->node, power);

		self->powers[i] =
			group ? joulesAddNode(self, group) : FOREST_NONE;
	}
	self->ofTraces = g_new(const hdIGroup *, project->traceCount + 1);
	for (size_t i = 0; i < project->traceCount; i++)
		self->ofTraces[i] =
			joulesFindGroup(project->traces[i]->node, power);
	return self;
}

void joulesFree(struct joules *self)
{
	if (!self)
		return;
	g_array_unref(self->nodes);
	g_free(self->powers);
	g_free(self->ofTraces);
	sorterFree(self->readings);
	spoolFree(self->amounts);
	pthread_mutex_destroy(&self->mutex);
	g_free(self);
}

void joulesOnProgress(struct joules *self, joulesProgress *progress, void *data)
{
	self->progress = progress;
	self->progressData = data;
}

int64_t joulesWork(const struct joules *self, const hdIGroup *group)
{
	int64_t count = 0;

	for (size_t i = 0; i < forestFileCount(self->forest); i++) {
		const struct forestFile *file = forestFileAt(self->forest, i);

		if (rolesIsBelow(file->file->node, group->node))
			count += file->count;
	}
	return count;
}

void joulesLock(struct joules *self)
{
	pthread_mutex_lock(&self->mutex);
}

void joulesUnlock(struct joules *self)
{
	pthread_mutex_unlock(&self->mutex);
}

const GArray *joulesNodes(const struct joules *self)
{
	return self->nodes;
}

/* ---- Who is active ----------------------------------------------------- */

static int joulesAddState(struct sweep *self, uint32_t number, bool isCharged,
			  int64_t start, int64_t end)
{
	struct change change;
	int ret;

	if (end <= start)
		return 0;
	memset(&change, 0, sizeof(change));
	change.number = number;
	change.isCharged = isCharged;
	change.time = start;
	change.more = 1;
	ret = sorterAdd(self->changes, &change);
	if (ret < 0)
		return ret;
	change.time = end;
	change.more = -1;
	return sorterAdd(self->changes, &change);
}

/** Find when relations of a file are in a state. */
static int joulesAddFile(struct sweep *self, const struct forestFile *file,
			 bool isCharged)
{
	const struct joules *joules = self->joules;
	struct forest *forest = joules->forest;
	int ret = 0;

	for (uint32_t i = 0; i < file->count && ret == 0; i++) {
		struct forestRelation relation;

		if (joules->progress && (i + 1) % PROGRESS_STEP == 0)
			joules->progress(joules->progressData, PROGRESS_STEP);
		ret = forestGet(forest, file->first + i, &relation);
		for (size_t k = 0; ret == 0 && k < relation.stateCount; k++) {
			const hdIRelationState *state = &relation.states[k];

			if (state->depth > 0)
				continue;
			ret = joulesAddState(self, relation.number, isCharged,
					     state->start,
					     forestStateEnd(&relation, state));
		}
	}
	return ret;
}

static bool joulesHasRelations(const struct joules *self, const hdINode *node)
{
	for (size_t i = 0; i < forestFileCount(self->forest); i++) {
		if (rolesIsBelow(forestFileAt(self->forest, i)->file->node,
				 node))
			return true;
	}
	return false;
}

static int addFiles(struct sweep *self, const hdIGroup *group)
{
	const struct joules *joules = self->joules;
	uint32_t node = joulesFindNode(joules, group);
	int ret = 0;

	for (size_t i = 0; i < forestFileCount(joules->forest) && ret == 0;
	     i++) {
		const struct forestFile *file = forestFileAt(joules->forest, i);

		if (rolesIsBelow(file->file->node, group->node))
			ret = joulesAddFile(self, file,
					    self->node &&
						    joules->powers[i] == node);
	}
	return ret;
}

/* ---- Time passes ------------------------------------------------------- */

static void joulesFail(struct sweep *self, int ret)
{
	if (ret < 0 && self->error == 0)
		self->error = ret;
}

/** Divide what was drawn until a time among those that were active. */
static void joulesAdvance(struct sweep *self, int64_t time)
{
	struct powerAmount sums = powerCursorGet(self->cursor, INT64_MIN, time);
	const uint64_t count = self->relationCount + self->rankCount;
	double more = sums.energy - self->sums.energy;
	powerPico until = powerPicoOf(sums.energy);
	powerPico leftUntil;

	if (self->relationCount > 0)
		more = more * (double)self->rankCount / (double)count;
	/* Of a sum beyond all numbers nothing is left. */
	if (isfinite(more))
		self->left.energy += more;
	self->left.measured = sums.measured;
	leftUntil = powerPicoOf(self->left.energy);
	self->carried += until - self->until - (leftUntil - self->leftUntil);
	if (self->relationCount > 0) {
		const powerPico all = (powerPico)self->relationCount;

		self->each += self->carried / all;
		self->carried %= all;
	}
	self->sums = sums;
	self->until = until;
	self->leftUntil = leftUntil;
	joulesFail(self, powerSeriesAddSums(self->rest, time, self->left));
}

/** What one has is what there was when it ended, less that when it began. */
static void joulesAddReading(struct sweep *self, const struct change *change)
{
	const gpointer key = GUINT_TO_POINTER(change->number);
	struct active *active = g_hash_table_lookup(self->active, key);
	struct reading reading;

	if (!active) {
		active = g_new0(struct active, 1);
		g_hash_table_insert(self->active, key, active);
	}
	active->count += change->more;
	active->pico -= change->more * self->each;
	active->measured -= change->more * self->sums.measured;
	if (active->count != 0)
		return;
	memset(&reading, 0, sizeof(reading));
	reading.number = change->number;
	reading.pico = active->pico;
	reading.measured = active->measured;
	self->node->relations += reading.pico;
	joulesFail(self, sorterAdd(self->joules->readings, &reading));
	g_hash_table_remove(self->active, key);
}

static void nextChange(struct sweep *self)
{
	int ret = sorterNext(self->changes, &self->next);

	joulesFail(self, ret);
	self->hasNext = ret == 1;
}

static int64_t nextRankTime(const struct sweep *self)
{
	return self->nextRank < self->ranks->len
		       ? g_array_index(self->ranks, struct attributionCount,
				       self->nextRank)
				 .time
		       : INT64_MAX;
}

/** Take what changes at a time that was advanced to. */
static void takeChanges(struct sweep *self, int64_t time)
{
	while (self->nextRank < self->ranks->len && nextRankTime(self) <= time)
		self->rankCount =
			g_array_index(self->ranks, struct attributionCount,
				      self->nextRank++)
				.count;
	while (self->hasNext && self->next.time <= time) {
		self->relationCount += (uint64_t)(int64_t)self->next.more;
		if (self->next.isCharged)
			joulesAddReading(self, &self->next);
		nextChange(self);
	}
}

static int64_t nextTime(const struct sweep *self)
{
	return MIN(nextRankTime(self),
		   self->hasNext ? self->next.time : INT64_MAX);
}

/** Go through all times at which something changes. */
static void joulesSweepAll(struct sweep *self)
{
	struct powerStep step;

	nextChange(self);
	for (uint64_t i = 0;
	     self->error == 0 && powerCursorStep(self->cursor, i, &step); i++) {
		int64_t time;

		if (i == 0) {
			takeChanges(self, step.start - 1);
			joulesAdvance(self, step.start);
		}
		takeChanges(self, step.start);
		while (self->error == 0 && (time = nextTime(self)) < step.end) {
			joulesAdvance(self, time);
			takeChanges(self, time);
		}
		joulesAdvance(self, step.end);
	}
	takeChanges(self, INT64_MAX);
	joulesFail(self, powerCursorError(self->cursor));
}

static void endSweep(struct sweep *self, const struct powerSeries *series)
{
	int64_t start = 0, end = 0;

	joulesFail(self, powerSeriesEnd(self->rest));
	if (self->node) {
		powerSeriesRange(series, &start, &end);
		self->node->all.pico = self->until;
		self->node->all.measured = self->sums.measured;
		self->node->duration = end - start;
	}
	powerCursorFree(self->cursor);
	sorterFree(self->changes);
	g_array_unref(self->ranks);
	g_hash_table_destroy(self->active);
}

static int joulesDividePower(struct joules *self, struct attribution *ranks,
			     const hdIGroup *group,
			     const struct powerSeries *series, bool isCharged,
			     struct powerSeries **rest)
{
	const struct powerPart none = { .column = 0 };
	uint32_t node = joulesFindNode(self, group);
	struct sweep sweep = {
		.joules = self,
		.node = isCharged && node != FOREST_NONE
				? &g_array_index(self->nodes, struct joulesNode,
						 node)
				: NULL,
		.cursor = powerCursorNew(series),
		.rest = powerSeriesNew(group, &none, 0),
		.ranks = attributionRanks(ranks, group->node),
		.changes =
			sorterNew(sizeof(struct change), joulesCompareChanges),
		.active = g_hash_table_new_full(NULL, NULL, NULL, g_free),
	};

	sweep.error = addFiles(&sweep, group);
	if (sweep.error == 0)
		joulesSweepAll(&sweep);
	endSweep(&sweep, series);
	*rest = sweep.rest;
	return sweep.error;
}

int joulesDivide(struct joules *self, struct attribution *ranks,
		 const hdIGroup *group, const struct powerSeries *series,
		 bool isCharged, struct powerSeries **rest)
{
	int ret;

	*rest = NULL;
	if (!joulesHasRelations(self, group->node))
		return 0;
	pthread_mutex_lock(&self->mutex);
	ret = joulesDividePower(self, ranks, group, series, isCharged, rest);
	pthread_mutex_unlock(&self->mutex);
	return ret;
}

/* ---- What is charged --------------------------------------------------- */

int joulesRanks(struct joules *self, struct attribution *ranks,
		const hdIGroup *group, const struct powerSeries *rest)
{
	const hdIProject *project = forestProject(self->forest);
	struct joulesNode *node = &g_array_index(self->nodes, struct joulesNode,
						 joulesFindNode(self, group));
	int error = 0;

	for (size_t i = 0; i < project->traceCount; i++) {
		const hdITraceFile *trace = project->traces[i];
		struct attributionShare *share;
		struct attributionCursor *cursor;

		if (self->ofTraces[i] != group)
			continue;
		share = attributionShareNew(ranks, group->node, trace);
		cursor = attributionCursorNew(rest, share);
		node->ranks +=
			attributionCursorGet(cursor, INT64_MIN, INT64_MAX).pico;
		if (error == 0)
			error = attributionCursorError(cursor);
		attributionCursorFree(cursor);
		attributionShareFree(share);
	}
	node->unattributed = node->all.pico - node->relations - node->ranks;
	return error;
}

/** Add up what was read of each relation. */
static int joulesAddUp(struct joules *self)
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
		amount.pico += reading.pico;
		amount.measured += reading.measured;
	}
	for (; ret == 0 && number < forestCount(self->forest); number++) {
		ret = spoolAppend(self->amounts, &amount, sizeof(amount));
		memset(&amount, 0, sizeof(amount));
	}
	return ret;
}

int joulesEnd(struct joules *self)
{
	self->amounts = spoolNew();
	return joulesAddUp(self);
}

powerPico joulesOfGroup(const struct joules *self, const hdIGroup *group)
{
	uint32_t node = joulesFindNode(self, group);

	return node == FOREST_NONE
		       ? 0
		       : g_array_index(self->nodes, struct joulesNode, node)
				 .relations;
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
