/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Findings of waits, one for each kind: who waited for whom, how long, and what
 * energy that took.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/findings/findings.h"
#include "HDTraceTools/model/mpi/messages.h"
#include "HDTraceTools/model/mpi/roles.h"
#include "common/format/level.h"

/** Those of a kind. */
struct waitSum {
	uint64_t count;
	int64_t time;
	struct attributionAmount energy;
	powerPico avoidable;
	GHashTable *waiting; /**< int64_t rank to int64_t time. */
	GHashTable *causing;
	GHashTable *nodes;   /**< Hosts to int64_t. */
	GHashTable *threads; /**< Nodes to int64_t. */
	int64_t from;
	int64_t to;
	struct wait longest;
};

/** All of it. */
struct waitSums {
	struct findings *findings;
	struct findingsGroup **powers; /**< By trace. */
	struct waitSum sums[WAIT_KINDS];
	int hostLevel;
	int threadLevel;
	/* The trace whose waits come. */
	uint32_t trace;
	bool isAny;
	int64_t covered; /**< All until then has counted. */
	struct attributionShare *share;
	struct attributionCursor *energy;
	struct attributionCursor *idle; /**< Of the node's idle power. */
	struct powerSeries *idleSeries;
	const struct findingsGroup *idleOf;
};

/* ---- Sums -------------------------------------------------------------- */

static void shareAddTime(GHashTable *table, gpointer key, int64_t time)
{
	int64_t *sum = g_hash_table_lookup(table, key);

	if (!sum) {
		sum = g_new0(int64_t, 1);
		g_hash_table_insert(table, key, sum);
	}
	*sum += time;
}

static void shareAddRank(GHashTable *table, int64_t rank, int64_t time)
{
	/* 0 is a key, too. */
	if (rank >= 0)
		shareAddTime(table, GSIZE_TO_POINTER((gsize)rank + 1), time);
}

static void waitSumInit(struct waitSum *sum)
{
	*sum = (struct waitSum){
		.waiting = g_hash_table_new_full(NULL, NULL, NULL, g_free),
		.causing = g_hash_table_new_full(NULL, NULL, NULL, g_free),
		.nodes = g_hash_table_new_full(NULL, NULL, NULL, g_free),
		.threads = g_hash_table_new_full(NULL, NULL, NULL, g_free),
		.from = INT64_MAX,
		.to = INT64_MIN,
	};
}

static void waitSumClear(struct waitSum *sum)
{
	g_hash_table_destroy(sum->waiting);
	g_hash_table_destroy(sum->causing);
	g_hash_table_destroy(sum->nodes);
	g_hash_table_destroy(sum->threads);
}

/** What one wait took. */
struct waitCost {
	struct attributionAmount energy;
	powerPico avoidable;
};

static void waitSumAdd(const struct waitSums *self, enum waitKind kind,
		       const struct wait *wait, const struct waitCost *cost)
{
	struct waitSum *sum = &((struct waitSums *)(uintptr_t)self)->sums[kind];
	struct findings *findings = self->findings;
	const hdINode *node = findings->project->traces[wait->trace]->node;
	int64_t time = wait->end - wait->start;

	sum->count++;
	sum->time += time;
	sum->energy.pico += cost->energy.pico;
	sum->energy.measured += cost->energy.measured;
	sum->avoidable += cost->avoidable;
	shareAddRank(sum->waiting, findings->traces[wait->trace].rank, time);
	if (wait->cause != WAIT_NO_CAUSE)
		shareAddRank(sum->causing, findings->traces[wait->cause].rank,
			     time);
	shareAddTime(sum->nodes, (gpointer)rolesAt(node, self->hostLevel),
		     time);
	if (self->threadLevel && node->level == self->threadLevel)
		shareAddTime(sum->threads, (gpointer)node, time);
	sum->from = MIN(sum->from, wait->start);
	sum->to = MAX(sum->to, wait->end);
	if (time > sum->longest.end - sum->longest.start)
		sum->longest = *wait;
	findings->traces[wait->trace].waits[kind] += time;
}

/* ---- Energy ------------------------------------------------------------ */

static void waitSumsLeave(struct waitSums *self)
{
	attributionCursorFree(self->idle);
	attributionCursorFree(self->energy);
	attributionShareFree(self->share);
	self->share = NULL;
	self->energy = NULL;
	self->idle = NULL;
}

/** The idle power of a node while its power is known. */
static int waitSumsFindIdle(struct waitSums *self,
			    const struct findingsGroup *group)
{
	const struct powerSeries *series = findingsOfRanks(group);
	struct powerCursor *cursor = powerCursorNew(series);
	struct powerAmount sums = { 0, 0 };
	struct powerStep step;
	int ret = 0;

	powerSeriesFree(self->idleSeries);
	self->idleSeries = powerSeriesNew(group->group, NULL, 0);
	self->idleOf = group;
	for (uint64_t i = 0; ret == 0 && powerCursorStep(cursor, i, &step);
	     i++) {
		if (i == 0)
			ret = powerSeriesAddSums(self->idleSeries, step.start,
						 sums);
		sums.measured += step.amount.measured;
		sums.energy =
			self->findings->idlePower * (double)sums.measured / 1e9;
		if (ret == 0)
			ret = powerSeriesAddSums(self->idleSeries, step.end,
						 sums);
	}
	if (ret == 0)
		ret = powerCursorError(cursor);
	powerCursorFree(cursor);
	return ret < 0 ? ret : powerSeriesEnd(self->idleSeries);
}

/** The waits of a trace come. */
static int waitSumsEnter(struct waitSums *self, uint32_t trace)
{
	struct findings *findings = self->findings;
	const struct findingsGroup *group = self->powers[trace];
	int ret = 0;

	waitSumsLeave(self);
	self->trace = trace;
	self->isAny = true;
	self->covered = INT64_MIN;
	if (!findings->attribution || !group || !group->series)
		return 0;
	self->share =
		attributionShareNew(findings->attribution, group->group->node,
				    findings->project->traces[trace]);
	self->energy =
		attributionCursorNew(findingsOfRanks(group), self->share);
	if (findings->idlePower < 0)
		return 0;
	if (self->idleOf != group)
		ret = waitSumsFindIdle(self, group);
	self->idle = attributionCursorNew(self->idleSeries, self->share);
	return ret;
}

static struct waitCost waitSumsCost(const struct waitSums *self,
				    const struct wait *wait)
{
	struct waitCost cost = { .avoidable = 0 };
	struct attributionAmount idle;

	if (self->energy)
		cost.energy = attributionCursorGet(self->energy, wait->start,
						   wait->end);
	if (!self->idle)
		return cost;
	idle = attributionCursorGet(self->idle, wait->start, wait->end);
	cost.avoidable = MAX(cost.energy.pico - idle.pico, 0);
	return cost;
}

/* ---- One after the other ------------------------------------------------ */

/** Time in which something is waited for counts once. */
static void waitSumsCover(struct waitSums *self, const struct wait *wait)
{
	struct findingTrace *trace = &self->findings->traces[wait->trace];
	int64_t new = wait->end - MAX(wait->start, self->covered);

	self->covered = MAX(self->covered, wait->end);
	new = MAX(new, 0);
	if (wait->kind == WAIT_TEAM || wait->kind == WAIT_LOCK)
		trace->waitOpenmp += new;
	else if (wait->kind == WAIT_IDLE)
		trace->waitIdle += new;
	else
		trace->waitMpi += new;
}

static int waitSumsTake(struct waitSums *self, const struct wait *wait)
{
	int ret = 0;
	struct waitCost cost;

	if (!self->isAny || wait->trace != self->trace)
		ret = waitSumsEnter(self, wait->trace);
	if (ret < 0)
		return ret;
	cost = waitSumsCost(self, wait);
	waitSumsCover(self, wait);
	waitSumAdd(self, wait->kind, wait, &cost);
	if (wait->isWrongOrder)
		waitSumAdd(self, WAIT_WRONG_ORDER, wait, &cost);
	return self->energy ? attributionCursorError(self->energy) : 0;
}

/* ---- Findings ----------------------------------------------------------- */

/** Those with at least 1 % of the time. */
static GArray *sharesOf(GHashTable *table, int64_t time, bool isOfNodes)
{
	GArray *shares = findingShares();
	GHashTableIter iterator;
	gpointer key, value;

	g_hash_table_iter_init(&iterator, table);
	while (g_hash_table_iter_next(&iterator, &key, &value)) {
		const struct findingShare share = {
			.rank = isOfNodes ? -1
					  : (int64_t)GPOINTER_TO_SIZE(key) - 1,
			.node = isOfNodes ? key : NULL,
			.time = *(const int64_t *)value,
		};

		g_array_append_val(shares, share);
	}
	findingSortShares(shares, time);
	return shares;
}

static void addFinding(const struct waitSums *self, enum waitKind kind)
{
	struct findings *findings = self->findings;
	const struct waitKindInfo *info = waitKindInfo(kind);
	const struct waitSum *sum = &self->sums[kind];
	const struct wait *longest = &sum->longest;
	int64_t margin = (longest->end - longest->start) / 10;
	const struct finding finding = {
		.waits = kind,
		.kind = info->name,
		.partOf = info->partOf == WAIT_NONE
				  ? NULL
				  : waitKindInfo(info->partOf)->name,
		.title = info->title,
		.advice = info->advice,
		.count = sum->count,
		.time = sum->time,
		.energy = sum->energy,
		.hasAvoidable =
			findings->idlePower >= 0 && sum->energy.measured > 0,
		.avoidable = sum->avoidable,
		.waiting = sharesOf(sum->waiting, sum->time, false),
		.causing = sharesOf(sum->causing, sum->time, false),
		.nodes = sharesOf(sum->nodes, sum->time, true),
		.threads = sharesOf(sum->threads, sum->time, true),
		.from = sum->from,
		.to = sum->to,
		.confidence = findingConfidenceOf(
			findings, sum->time - sum->energy.measured),
		.command = findingCommand(findings, info->name,
					  longest->start - margin,
					  longest->end + margin),
	};

	g_array_append_val(findings->list, finding);
}

int findingsFindWaits(struct findings *findings, struct waits *waits)
{
	struct waitSums self = {
		.findings = findings,
		.powers = findingsFindPowers(findings),
		.hostLevel =
			MAX(rolesLevel(findings->project, HD_LEVEL_HOST), 1),
		.threadLevel = rolesThreadLevel(findings->project),
	};
	struct wait wait;
	int ret;

	for (int i = 0; i < WAIT_KINDS; i++)
		waitSumInit(&self.sums[i]);
	while ((ret = waitsNext(waits, &wait)) == 1) {
		ret = waitSumsTake(&self, &wait);
		if (ret < 0)
			break;
	}
	waitSumsLeave(&self);
	powerSeriesFree(self.idleSeries);
	for (int i = 0; i < WAIT_KINDS; i++) {
		if (ret == 0 && self.sums[i].count && findings->path)
			addFinding(&self, i);
		waitSumClear(&self.sums[i]);
	}
	g_free(self.powers);
	return ret;
}
