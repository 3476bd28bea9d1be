/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Findings of waits, one for each kind: who waited for whom, how long, and what
 * energy that took.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/findings/findings.h"
#include "HDTraceTools/findings/waits/causes.h"
#include "HDTraceTools/model/mpi/messages.h"
#include "HDTraceTools/model/mpi/roles.h"
#include "common/format/level.h"

/** So many sums at most; what has no sum of its own counts for no region. */
#define WAITSUMS_MAX 4096

/** Those of a kind in a region. */
struct waitSum {
	enum waitKind kind;
	uint32_t region; /**< Its number; 0: none. */
	uint64_t count;
	int64_t time;
	struct attributionAmount energy;
	powerPico avoidable;
	GHashTable *waiting; /**< int64_t rank to int64_t time. */
	GHashTable *causing;
	GHashTable *nodes;   /**< Hosts to int64_t. */
	GHashTable *threads; /**< Nodes to int64_t. */
	GHashTable *sites;   /**< Numbers of sites to int64_t. */
	int64_t *iterations; /**< Time in each; or NULL. */
	struct waitCauses causes;
	int64_t from;
	int64_t to;
	struct wait longest;
	/* Of traces. */
	int64_t least;     /**< The least that one of those with it waits. */
	size_t traces;     /**< Those with it. */
	int64_t traceTime; /**< Of the one whose waits come. */
};

/** All of it. */
struct waitSums {
	struct findings *findings;
	struct findingsGroup **powers; /**< By trace. */
	GPtrArray *all;                /**< struct waitSum */
	GHashTable *byKey;             /**< uint64_t of kind and region. */
	int hostLevel;
	int threadLevel;
	struct waitCausesOf causes;
	/* The trace whose waits come. */
	uint32_t trace;
	bool isAny;
	int64_t covered;    /**< All until then has counted. */
	GPtrArray *inTrace; /**< struct waitSum with waits of it. */
	struct regionsCursor *regions;
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

static void waitSumFree(void *data)
{
	struct waitSum *sum = data;

	g_hash_table_destroy(sum->waiting);
	g_hash_table_destroy(sum->causing);
	g_hash_table_destroy(sum->nodes);
	g_hash_table_destroy(sum->threads);
	g_hash_table_destroy(sum->sites);
	g_free(sum->iterations);
	waitCausesClear(&sum->causes);
	g_free(sum);
}

static struct waitSum *waitSumNew(const struct waitSums *self,
				  enum waitKind kind, uint32_t region)
{
	struct waitSum *sum = g_new0(struct waitSum, 1);

	sum->kind = kind;
	sum->region = region;
	sum->waiting = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	sum->causing = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	sum->nodes = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	sum->threads = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	sum->sites = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	sum->iterations = g_new0(int64_t, self->findings->iterations->len + 1);
	waitCausesInit(&sum->causes);
	sum->from = INT64_MAX;
	sum->to = INT64_MIN;
	sum->least = INT64_MAX;
	return sum;
}

/** The sum of a kind in a region. */
static struct waitSum *waitSumsOf(const struct waitSums *self,
				  enum waitKind kind, uint32_t region)
{
	uint64_t key = (uint64_t)kind << 32 | region;
	struct waitSum *sum = g_hash_table_lookup(self->byKey, &key);

	if (sum)
		return sum;
	if (region && self->all->len >= WAITSUMS_MAX)
		return waitSumsOf(self, kind, 0);
	sum = waitSumNew(self, kind, region);
	g_ptr_array_add(self->all, sum);
	g_hash_table_insert(self->byKey, g_memdup2(&key, sizeof(key)), sum);
	return sum;
}

/** What one wait took, and where it was. */
struct waitCost {
	struct attributionAmount energy;
	powerPico avoidable;
	struct regionPlace place;
};

static void waitSumAddShares(const struct waitSums *self, struct waitSum *sum,
			     const struct wait *wait)
{
	struct findings *findings = self->findings;
	const hdINode *node = findings->project->traces[wait->trace]->node;
	int64_t time = wait->end - wait->start;

	shareAddRank(sum->waiting, findings->traces[wait->trace].rank, time);
	if (wait->cause != WAIT_NO_CAUSE)
		shareAddRank(sum->causing, findings->traces[wait->cause].rank,
			     time);
	shareAddTime(sum->nodes, (gpointer)rolesAt(node, self->hostLevel),
		     time);
	if (self->threadLevel && node->level == self->threadLevel)
		shareAddTime(sum->threads, (gpointer)node, time);
}

static void waitSumAdd(struct waitSums *self, enum waitKind kind,
		       const struct wait *wait, const struct waitCost *cost)
{
	struct waitSum *sum = waitSumsOf(self, kind, cost->place.region);
	struct findings *findings = self->findings;
	int64_t time = wait->end - wait->start;

	sum->count++;
	sum->time += time;
	sum->energy.pico += cost->energy.pico;
	sum->energy.measured += cost->energy.measured;
	sum->avoidable += cost->avoidable;
	waitSumAddShares(self, sum, wait);
	waitCausesAdd(&self->causes, &sum->causes);
	shareAddTime(sum->sites, GUINT_TO_POINTER(cost->place.site), time);
	findingsAddToIterations(findings, wait->start, wait->end,
				sum->iterations);
	sum->from = MIN(sum->from, wait->start);
	sum->to = MAX(sum->to, wait->end);
	if (time > sum->longest.end - sum->longest.start)
		sum->longest = *wait;
	findings->traces[wait->trace].waits[kind] += time;
	if (sum->traceTime == 0)
		g_ptr_array_add(self->inTrace, sum);
	sum->traceTime += time;
}

/* ---- Energy ------------------------------------------------------------ */

static void waitSumsLeave(struct waitSums *self)
{
	for (guint i = 0; i < self->inTrace->len; i++) {
		struct waitSum *sum = self->inTrace->pdata[i];

		sum->least = MIN(sum->least, sum->traceTime);
		sum->traces++;
		sum->traceTime = 0;
	}
	g_ptr_array_set_size(self->inTrace, 0);
	regionsCursorFree(self->regions);
	self->regions = NULL;
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
	self->regions = regionsCursorNew(findings->regions, trace);
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
	else if (wait->kind == WAIT_IO)
		trace->waitIo += new;
	else
		trace->waitMpi += new;
}

/** Add it to what all waits took. */
static void waitSumsAddWaiting(const struct waitSums *self,
			       const struct wait *wait,
			       const struct waitCost *cost)
{
	struct findingsWaiting *waiting = &self->findings->waiting;

	waiting->time += wait->end - wait->start;
	waiting->energy.pico += cost->energy.pico;
	waiting->energy.measured += cost->energy.measured;
	waiting->avoidable += cost->avoidable;
}

static int waitSumsTake(struct waitSums *self, struct wait *wait)
{
	const struct selection *selection = &self->findings->selection;
	const struct wait full = *wait;
	struct waitCost cost;
	int ret = self->findings->allWaits
			  ? sorterAdd(self->findings->allWaits, wait)
			  : 0;

	if (ret < 0)
		return ret;
	wait->start = MAX(wait->start, selection->start);
	wait->end = MIN(wait->end, selection->end);
	if (wait->start >= wait->end)
		return 0;
	if (!self->isAny || wait->trace != self->trace)
		ret = waitSumsEnter(self, wait->trace);
	if (ret < 0)
		return ret;
	cost = waitSumsCost(self, wait);
	ret = regionsCursorFind(self->regions, wait->start, &cost.place);
	if (ret == 0)
		ret = waitCausesFind(&self->causes, self->findings, &full,
				     wait->end - wait->start);
	if (ret < 0)
		return ret;
	if (waitKindInfo(wait->kind)->partOf == WAIT_NONE)
		waitSumsAddWaiting(self, wait, &cost);
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

/** The site of nearly all; NULL: there is none. */
static const struct site *waitSumSite(const struct waitSums *self,
				      const struct waitSum *sum)
{
	GHashTableIter iterator;
	gpointer key, value;

	g_hash_table_iter_init(&iterator, sum->sites);
	while (g_hash_table_iter_next(&iterator, &key, &value)) {
		int64_t time = *(const int64_t *)value;

		if (time >= sum->time - sum->time / 100)
			return regionsSite(self->findings->regions,
					   GPOINTER_TO_UINT(key));
	}
	return NULL;
}

/** How many traces have records. */
static size_t waitSumsTraces(const struct findings *findings)
{
	size_t count = 0;

	for (size_t i = 0; i < findings->project->traceCount; i++)
		count += findings->traces[i].start != INT64_MAX;
	return count;
}

static void addFinding(const struct waitSums *self, const struct waitSum *sum)
{
	struct findings *findings = self->findings;
	const struct waitKindInfo *info = waitKindInfo(sum->kind);
	const struct wait *longest = &sum->longest;
	int64_t margin = (longest->end - longest->start) / 10;
	bool isOfAll = sum->traces == waitSumsTraces(findings);
	const struct waitCausesListed causes = waitCausesList(
		&sum->causes, findings->lateness, sum->kind, sum->time);
	const struct finding finding = {
		.waits = sum->kind,
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
		.saved = isOfAll ? sum->least : 0,
		.waiting = sharesOf(sum->waiting, sum->time, false),
		.causing = sharesOf(sum->causing, sum->time, false),
		.nodes = sharesOf(sum->nodes, sum->time, true),
		.threads = sharesOf(sum->threads, sum->time, true),
		.causes = causes.list,
		.indirect = causes.indirect,
		.others = causes.others,
		.region = regionsName(findings->regions, sum->region),
		.site = waitSumSite(self, sum),
		.iterations = findingsMainIterations(findings, sum->iterations,
						     sum->time),
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

/** Sums of the kinds in the order of these, so that nothing depends on which
 *  came first. */
static gint waitSumsCompare(gconstpointer a, gconstpointer b)
{
	const struct waitSum *x = *(const struct waitSum *const *)a;
	const struct waitSum *y = *(const struct waitSum *const *)b;

	return (x->kind > y->kind) - (x->kind < y->kind);
}

static void waitSumsList(struct waitSums *self)
{
	g_ptr_array_sort(self->all, waitSumsCompare);
	for (guint i = 0; self->findings->path && i < self->all->len; i++)
		addFinding(self, self->all->pdata[i]);
}

int findingsFindWaits(struct findings *findings, struct waits *waits)
{
	struct waitSums self = {
		.findings = findings,
		.powers = findingsFindPowers(findings),
		.all = g_ptr_array_new_with_free_func(waitSumFree),
		.byKey = g_hash_table_new_full(g_int64_hash, g_int64_equal,
					       g_free, NULL),
		.inTrace = g_ptr_array_new(),
		.hostLevel =
			MAX(rolesLevel(findings->project, HD_LEVEL_HOST), 1),
		.threadLevel = rolesThreadLevel(findings->project),
	};
	struct wait wait;
	int ret = latenessTakeWaits(findings->lateness, waits);

	waitCausesStart(&self.causes, findings->lateness);
	while (ret == 0 && (ret = latenessNext(findings->lateness, &wait)) == 1)
		ret = waitSumsTake(&self, &wait);
	waitCausesEnd(&self.causes);
	waitSumsLeave(&self);
	powerSeriesFree(self.idleSeries);
	if (ret == 0)
		waitSumsList(&self);
	g_ptr_array_unref(self.inTrace);
	g_hash_table_destroy(self.byKey);
	g_ptr_array_unref(self.all);
	g_free(self.powers);
	return ret;
}
