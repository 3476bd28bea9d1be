/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Divides the energy of nodes among the traces of a project.
 */
#include "config.h"

#include <math.h>
#include <pthread.h>
#include <string.h>
#include <glib.h>

#include "HDTraceTools/base/tasks.h"
#include "HDTraceTools/model/amounts.h"
#include "HDTraceTools/model/attribution.h"
#include "HDTraceTools/model/diagnostics.h"
#include "HDTraceTools/model/extent.h"
#include "HDTraceTools/model/mpi/roles.h"
#include "HDTraceTools/model/units.h"

/** What is known of a trace. */
struct life {
	const hdITraceFile *trace;
	const hdINode *rank;  /**< Or its own node, where there are none. */
	struct extent extent; /**< Empty if it has no records. */
};

/** CPU time that was used at a node. */
struct usage {
	int64_t start;
	int64_t end;
	int64_t usage; /**< See claimsUse(). */
};

/** Claims on the energy of a node by what is below it. */
struct nodeClaims {
	struct claims *claims;
	GHashTable *numbers; /**< Nodes of ranks, or traces, to numbers + 1. */
};

struct attribution {
	const hdIProject *project;
	enum attributionRule rule;
	struct life *lives;  /**< By trace. */
	GHashTable *numbers; /**< Traces to their numbers + 1. */
	GHashTable *ofRanks; /**< Ranks to GArray of numbers of their traces. */
	GHashTable *below;   /**< Nodes to those of traces at or below them. */
	GHashTable *usages;  /**< Nodes to GArray of struct usage, not empty. */
	pthread_mutex_t mutex;
	GHashTable *ranks; /**< Nodes to struct nodeClaims, as asked for. */
};

/* ---- Lives ------------------------------------------------------------- */

static void readLife(struct tasks *tasks, void *data, size_t number)
{
	struct attribution *self = data;
	struct life *life = &self->lives[number];

	(void)tasks;
	extentAddTrace(&life->extent, self->project, life->trace);
}

static void takeLife(void *data, size_t number)
{
	(void)data;
	(void)number;
}

/** The column of a group that tells CPU time that was used, as an amount;
 *  -1: none does. */
static ssize_t findUsage(const hdIGroup *group, double *seconds)
{
	for (size_t i = 0; i < group->valueCount; i++) {
		const hdIValue *value = &group->values[i];
		struct unit unit = unitParse(value->unit);

		if (strcmp(value->name, "CPU_TIME") != 0 ||
		    value->type == HDI_STRING || strcmp(unit.base, "s") != 0 ||
		    !kindIsAmount(valueKind(group, value, NULL)))
			continue;
		*seconds = unit.scale;
		return (ssize_t)i;
	}
	return -1;
}

/** Add to the list that a table has of a key. */
static void attributionAddTo(GHashTable *lists, const void *key,
			     const void *item, guint size)
{
	GArray *list = g_hash_table_lookup(lists, key);

	if (!list) {
		list = g_array_new(FALSE, FALSE, size);
		g_hash_table_insert(lists, (void *)key, list);
	}
	g_array_append_vals(list, item, 1);
}

static void readUsage(struct attribution *self, const hdIGroup *group)
{
	double scale = 0;
	ssize_t column = findUsage(group, &scale);
	hdIStatReader *reader = NULL;
	struct amounts *amounts;
	const hdIBlock *block;

	if (column >= 0 && group->isReadable)
		reader = diagnosticsOpenStat(self->project, group,
					     &diagnosticsDropped);
	if (!reader)
		return;
	amounts = amountsNew(group);
	while (hdI_readStat(reader, &block) == 1) {
		amountsTake(amounts, block);
		for (size_t i = 0; i < block->count; i++) {
			double used =
				scale * amountsGet(amounts, (size_t)column, i);
			int64_t length = block->end[i] - block->start[i];
			struct usage usage = {
				.start = block->start[i],
				.end = block->end[i],
			};

			if (length <= 0 || !isfinite(used) || used < 0)
				continue;
			used = used / (double)length * 1e18;
			usage.usage = (int64_t)nearbyint(MIN(used, 1e15));
			attributionAddTo(self->usages, group->node, &usage,
					 sizeof(usage));
		}
	}
	amountsFree(amounts);
	hdI_closeStat(reader);
}

static void attributionAddNumber(struct attribution *self, size_t number)
{
	const struct life *life = &self->lives[number];

	g_hash_table_insert(self->numbers, (void *)life->trace,
			    GSIZE_TO_POINTER(number + 1));
	attributionAddTo(self->ofRanks, life->rank, &number, sizeof(number));
	for (const hdINode *node = life->trace->node; node; node = node->parent)
		attributionAddTo(self->below, node, &number, sizeof(number));
}

/** All but when traces are active. */
static struct attribution *newWith(const hdIProject *project,
				   enum attributionRule rule)
{
	struct attribution *self = g_new0(struct attribution, 1);
	int level = rolesRankLevel(project);

	self->project = project;
	self->rule = rule;
	self->lives = g_new0(struct life, project->traceCount + 1);
	self->usages = g_hash_table_new_full(NULL, NULL, NULL,
					     (GDestroyNotify)g_array_unref);
	self->numbers = g_hash_table_new(NULL, NULL);
	self->ofRanks = g_hash_table_new_full(NULL, NULL, NULL,
					      (GDestroyNotify)g_array_unref);
	self->below = g_hash_table_new_full(NULL, NULL, NULL,
					    (GDestroyNotify)g_array_unref);
	for (size_t i = 0; i < project->traceCount; i++) {
		const hdITraceFile *trace = project->traces[i];

		self->lives[i] = (struct life){
			.trace = trace,
			.rank = level ? rolesAt(trace->node, level)
				      : trace->node,
			.extent = EXTENT_NONE,
		};
		attributionAddNumber(self, i);
	}
	for (size_t i = 0; rule == ATTRIBUTION_CPU && i < project->groupCount;
	     i++)
		readUsage(self, project->groups[i]);
	pthread_mutex_init(&self->mutex, NULL);
	self->ranks = g_hash_table_new(NULL, NULL);
	return self;
}

struct attribution *attributionNew(const hdIProject *project,
				   enum attributionRule rule)
{
	struct attribution *self = newWith(project, rule);

	tasksDo(project->traceCount, readLife, takeLife, self);
	return self;
}

struct attribution *attributionOther(const struct attribution *self)
{
	struct attribution *other = newWith(
		self->project, self->rule == ATTRIBUTION_CPU ? ATTRIBUTION_EQUAL
							     : ATTRIBUTION_CPU);

	if (g_hash_table_size(self->usages) +
		    g_hash_table_size(other->usages) ==
	    0) {
		attributionFree(other);
		return NULL;
	}
	for (size_t i = 0; i < self->project->traceCount; i++)
		other->lives[i].extent = self->lives[i].extent;
	return other;
}

static void freeClaims(struct nodeClaims *self)
{
	claimsFree(self->claims);
	g_hash_table_destroy(self->numbers);
	g_free(self);
}

void attributionFree(struct attribution *self)
{
	GHashTableIter iterator;
	gpointer claims;

	if (!self)
		return;
	g_hash_table_iter_init(&iterator, self->ranks);
	while (g_hash_table_iter_next(&iterator, NULL, &claims))
		freeClaims(claims);
	g_hash_table_destroy(self->ranks);
	g_hash_table_destroy(self->numbers);
	g_hash_table_destroy(self->ofRanks);
	g_hash_table_destroy(self->below);
	pthread_mutex_destroy(&self->mutex);
	g_hash_table_destroy(self->usages);
	g_free(self->lives);
	g_free(self);
}

/* ---- Who claims -------------------------------------------------------- */

static size_t attributionNumberOf(const struct nodeClaims *self,
				  const void *key)
{
	return GPOINTER_TO_SIZE(g_hash_table_lookup(self->numbers, key));
}

static void addClaim(struct nodeClaims *made, const struct life *life,
		     const hdINode *key)
{
	size_t number = attributionNumberOf(made, key);

	if (!number) {
		number = g_hash_table_size(made->numbers) + 1;
		g_hash_table_insert(made->numbers, (void *)key,
				    GSIZE_TO_POINTER(number));
	}
	claimsAdd(made->claims, number - 1, life->extent.start,
		  life->extent.end);
}

static void endClaims(const struct attribution *self, struct nodeClaims *made)
{
	GHashTableIter iterator;
	gpointer node, number;

	g_hash_table_iter_init(&iterator, made->numbers);
	while (g_hash_table_iter_next(&iterator, &node, &number)) {
		const GArray *list = g_hash_table_lookup(self->usages, node);

		for (guint i = 0; list && i < list->len; i++) {
			const struct usage *usage =
				&g_array_index(list, struct usage, i);

			claimsUse(made->claims, GPOINTER_TO_SIZE(number) - 1,
				  usage->start, usage->end, usage->usage);
		}
	}
	claimsEnd(made->claims);
}

static struct nodeClaims *newClaims(const struct attribution *self,
				    size_t count)
{
	struct nodeClaims *made = g_new0(struct nodeClaims, 1);

	made->numbers = g_hash_table_new(NULL, NULL);
	made->claims = claimsNew(count, self->rule);
	return made;
}

/** The claims of all ranks at or below a node. */
static struct nodeClaims *makeRanks(const struct attribution *self,
				    const hdINode *node)
{
	const GArray *list = g_hash_table_lookup(self->below, node);
	struct nodeClaims *made = newClaims(self, list ? list->len : 0);

	for (guint i = 0; list && i < list->len; i++) {
		const struct life *life =
			&self->lives[g_array_index(list, size_t, i)];

		addClaim(made, life, life->rank);
	}
	endClaims(self, made);
	return made;
}

/** The claims of all traces of a rank that are at or below a node. */
static struct nodeClaims *makeTraces(const struct attribution *self,
				     const hdINode *node, const hdINode *rank)
{
	const GArray *list = g_hash_table_lookup(self->ofRanks, rank);
	struct nodeClaims *made = newClaims(self, list ? list->len : 0);

	for (guint i = 0; list && i < list->len; i++) {
		const struct life *life =
			&self->lives[g_array_index(list, size_t, i)];

		if (rolesIsBelow(life->trace->node, node))
			addClaim(made, life, life->trace->node);
	}
	endClaims(self, made);
	return made;
}

static const struct nodeClaims *ranksOf(struct attribution *self,
					const hdINode *node)
{
	struct nodeClaims *ranks;

	pthread_mutex_lock(&self->mutex);
	ranks = g_hash_table_lookup(self->ranks, node);
	if (!ranks) {
		ranks = makeRanks(self, node);
		g_hash_table_insert(self->ranks, (void *)node, ranks);
	}
	pthread_mutex_unlock(&self->mutex);
	return ranks;
}

static const hdINode *attributionRankOf(const struct attribution *self,
					const hdITraceFile *trace)
{
	size_t number =
		GPOINTER_TO_SIZE(g_hash_table_lookup(self->numbers, trace));

	return number ? self->lives[number - 1].rank : trace->node;
}

/* ---- Shares ------------------------------------------------------------ */

struct attributionShare {
	GArray *steps; /**< struct shareStep */
	GArray *outer; /**< What these are a part of; NULL: of all. */
};

struct attributionShare *attributionShareOf(GArray *steps, GArray *outer)
{
	struct attributionShare *self = g_new0(struct attributionShare, 1);

	self->steps = steps;
	self->outer = outer;
	return self;
}

struct attributionShare *attributionShareNew(struct attribution *self,
					     const hdINode *node,
					     const hdITraceFile *trace)
{
	const struct nodeClaims *ranks = ranksOf(self, node);
	const hdINode *rank = attributionRankOf(self, trace);
	struct nodeClaims *traces = makeTraces(self, node, rank);
	struct attributionShare *share = attributionShareOf(
		claimsShare(traces->claims,
			    attributionNumberOf(traces, trace->node) - 1),
		claimsShare(ranks->claims,
			    attributionNumberOf(ranks, rank) - 1));

	freeClaims(traces);
	return share;
}

void attributionShareFree(struct attributionShare *self)
{
	if (!self)
		return;
	g_array_unref(self->steps);
	if (self->outer)
		g_array_unref(self->outer);
	g_free(self);
}

/* ---- How many ---------------------------------------------------------- */

/** What counts in a share, at its steps. */
static GArray *countsOf(const GArray *steps)
{
	GArray *counts =
		g_array_new(FALSE, FALSE, sizeof(struct attributionCount));

	for (guint i = 0; i < steps->len; i++) {
		const struct shareStep *step =
			&g_array_index(steps, struct shareStep, i);
		struct attributionCount count = { step->time, step->total };

		if (!counts->len ||
		    g_array_index(counts, struct attributionCount,
				  counts->len - 1)
				    .count != count.count)
			g_array_append_val(counts, count);
	}
	return counts;
}

GArray *attributionTraces(struct attribution *self, const hdINode *node,
			  const hdITraceFile *trace)
{
	struct nodeClaims *traces =
		makeTraces(self, node, attributionRankOf(self, trace));
	GArray *steps = claimsShare(
		traces->claims, attributionNumberOf(traces, trace->node) - 1);
	GArray *counts = countsOf(steps);

	g_array_unref(steps);
	freeClaims(traces);
	return counts;
}

GArray *attributionRanks(struct attribution *self, const hdINode *node)
{
	GArray *steps = claimsTotals(ranksOf(self, node)->claims);
	GArray *counts = countsOf(steps);

	g_array_unref(steps);
	return counts;
}

/* ---- Energies ---------------------------------------------------------- */

/** What there is from a step on. */
struct mark {
	struct attributionAmount before; /**< What the share has until then. */
	struct attributionAmount all;    /**< And what it is a part of. */
};

/** A part of a layer below, or of the power. */
struct layer {
	const struct shareStep *steps;
	struct mark *marks;
	guint count;
	guint at; /**< The step that was used last. */
};

struct attributionCursor {
	struct powerCursor *power;
	struct layer layers[2]; /**< Ranks, traces. */
	int depth;
};

/** The number of steps that are not behind a time; times are close to each
 *  other. */
static guint findStep(struct layer *self, int64_t time)
{
	guint low = self->at;
	guint high = self->count;

	if ((low == 0 || self->steps[low - 1].time <= time) &&
	    (low == high || time < self->steps[low].time))
		return low;
	low = 0;
	while (low < high) {
		guint middle = low + (high - low) / 2;

		if (self->steps[middle].time <= time)
			low = middle + 1;
		else
			high = middle;
	}
	self->at = low;
	return low;
}

/** What a share has until a time behind its step of a mark. */
static struct attributionAmount amountFrom(const struct shareStep *step,
					   const struct mark *mark,
					   struct attributionAmount all)
{
	struct attributionAmount amount = mark->before;

	if (step->total == 0)
		return amount;
	amount.pico += shareDivide(step, all.pico - mark->all.pico);
	amount.measured += all.measured - mark->all.measured;
	return amount;
}

/** What the layers up to a depth have until a time; 0: the power. */
static struct attributionAmount amountAt(struct attributionCursor *self,
					 int depth, int64_t time)
{
	struct attributionAmount amount = { .pico = 0 };
	struct layer *layer;
	guint step;

	if (depth == 0) {
		amount.pico =
			powerCursorUntil(self->power, time, &amount.measured);
		return amount;
	}
	layer = &self->layers[depth - 1];
	step = findStep(layer, time);
	if (step == 0)
		return amount;
	if (layer->steps[step - 1].total)
		amount = amountAt(self, depth - 1, time);
	return amountFrom(&layer->steps[step - 1], &layer->marks[step - 1],
			  amount);
}

/** Add a layer on top. */
static void addLayer(struct attributionCursor *self, const GArray *steps)
{
	struct layer *layer = &self->layers[self->depth++];

	layer->steps = (const struct shareStep *)(const void *)steps->data;
	layer->marks = g_new(struct mark, steps->len + 1);
	layer->marks[0].before = (struct attributionAmount){ .pico = 0 };
	for (guint i = 0; i < steps->len; i++) {
		struct mark *mark = &layer->marks[i];

		mark->all =
			amountAt(self, self->depth - 1, layer->steps[i].time);
		if (i > 0)
			mark->before = amountFrom(&layer->steps[i - 1],
						  mark - 1, mark->all);
	}
	layer->count = steps->len;
}

struct attributionCursor *attributionCursorNew(
	const struct powerSeries *series, const struct attributionShare *share)
{
	struct attributionCursor *self = g_new0(struct attributionCursor, 1);

	self->power = powerCursorNew(series);
	if (share && share->outer)
		addLayer(self, share->outer);
	if (share)
		addLayer(self, share->steps);
	return self;
}

void attributionCursorFree(struct attributionCursor *self)
{
	if (!self)
		return;
	for (int i = 0; i < self->depth; i++)
		g_free(self->layers[i].marks);
	powerCursorFree(self->power);
	g_free(self);
}

int attributionCursorError(const struct attributionCursor *self)
{
	return powerCursorError(self->power);
}

struct attributionAmount attributionCursorGet(struct attributionCursor *self,
					      int64_t start, int64_t end)
{
	struct attributionAmount from;
	struct attributionAmount to;

	if (end <= start)
		return (struct attributionAmount){ .pico = 0 };
	from = amountAt(self, self->depth, start);
	to = amountAt(self, self->depth, end);
	return (struct attributionAmount){
		.pico = to.pico - from.pico,
		.measured = to.measured - from.measured,
	};
}
