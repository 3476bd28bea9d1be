/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the rows of hdtrace compare cost in a run: taken from what hdtrace
 * report finds.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "HDTraceTools/compare/core/compare.h"
#include "HDTraceTools/model/causes/mpifunctions.h"
#include "HDTraceTools/model/mpi/roles.h"
#include "common/format/level.h"

/** A run while it is taken in. */
struct taking {
	struct compare *compare;
	struct compareRun *run;
	size_t number;
	const struct findings *findings;
	GHashTable *pathTimes; /**< Names to struct pathState. */
};

/** The row of a kind and name; a new one if there is none. */
static struct compareRow *compareReadRowOf(struct compare *self,
					   enum compareKind kind,
					   const char *name)
{
	char *key = g_strdup_printf("%d %s", (int)kind, name);
	struct compareRow *row = g_hash_table_lookup(self->places, key);

	if (row) {
		g_free(key);
		return row;
	}
	row = g_new0(struct compareRow, 1);
	row->kind = kind;
	row->name = g_strdup(name);
	row->costs = g_new0(struct compareCost, compareRuns(self));
	g_ptr_array_add(self->rows, row);
	g_hash_table_insert(self->places, key, row);
	return row;
}

static struct compareCost *compareReadCostOf(struct taking *taking,
					     enum compareKind kind,
					     const char *name)
{
	struct compareCost *cost =
		&compareReadRowOf(taking->compare, kind, name)
			 ->costs[taking->number];

	cost->isThere = true;
	for (int i = 0; i < COMPARE_MEASURES; i++)
		cost->values[i] = NAN;
	return cost;
}

/** Set the energy, and the power, of a part of a node's. */
static void compareReadSetAmount(const struct taking *taking,
				 struct compareCost *cost,
				 const struct attributionAmount *amounts,
				 int64_t time)
{
	const struct attributionAmount *amount = &amounts[FINDINGS_RULE];
	double joules = attributionEnergy(amount);

	cost->known = (struct known){ amount->measured, time };
	if (!taking->run->hasEnergy)
		return;
	/* What takes no time draws nothing. */
	cost->values[COMPARE_ENERGY] =
		time == 0 ? joules : knownTotal(cost->known, joules);
	cost->values[COMPARE_POWER] = knownMean(
		cost->known, joules / ((double)amount->measured / 1e9));
	if (taking->findings->other)
		cost->values[COMPARE_OTHER] =
			knownTotal(cost->known,
				   attributionEnergy(&amounts[FINDINGS_OTHER]));
}

static void compareReadSetEnergy(struct compareCost *cost,
				 const struct findingsEnergy *energy)
{
	cost->known = energy->known;
	if (!energy->isKnown)
		return;
	cost->values[COMPARE_ENERGY] = energy->joules;
	cost->values[COMPARE_POWER] = findingsWatts(energy);
}

/** Seconds between two times; NaN if there are none. */
static double secondsOf(int64_t start, int64_t end)
{
	return start <= end ? (double)(end - start) / 1e9 : NAN;
}

/* ---- The whole run ----------------------------------------------------- */

static void compareReadAddPath(struct taking *taking)
{
	const struct criticalPath *path = taking->findings->path;
	struct compareCost *cost;

	if (!taking->run->hasPath)
		return;
	cost = compareReadCostOf(taking, COMPARE_RUN, COMPARE_CRITICAL);
	cost->values[COMPARE_TIME] = secondsOf(path->start, path->end);
	compareReadSetAmount(taking, cost, path->energy,
			     path->end - path->start);
	cost = compareReadCostOf(taking, COMPARE_RUN, COMPARE_WAITING);
	cost->values[COMPARE_TIME] = (double)path->waiting / 1e9;
	compareReadSetAmount(taking, cost, path->beside, path->waiting);
	for (guint i = 0; i < path->states->len; i++) {
		const struct pathState *state =
			&g_array_index(path->states, struct pathState, i);

		g_hash_table_insert(
			taking->pathTimes,
			(gpointer)(state->name ? state->name : PATH_OUTSIDE),
			(gpointer)state);
	}
}

static void compareReadAddWhole(struct taking *taking)
{
	const struct findings *findings = taking->findings;
	struct compareCost *cost =
		compareReadCostOf(taking, COMPARE_RUN, COMPARE_WHOLE);

	cost->values[COMPARE_COUNT] = (double)findings->profile->stateCount;
	cost->values[COMPARE_TIME] = secondsOf(findings->start, findings->end);
	compareReadSetEnergy(cost, &findings->energy);
	compareReadAddPath(taking);
}

/* ---- Functions and regions --------------------------------------------- */

static void compareReadAddState(struct taking *taking, const char *name,
				uint64_t count, int64_t time,
				const struct attributionAmount *amounts)
{
	struct compareCost *cost = compareReadCostOf(
		taking, mpiIsFunction(name) ? COMPARE_FUNCTION : COMPARE_REGION,
		name);
	const struct pathState *onPath =
		g_hash_table_lookup(taking->pathTimes, name);

	cost->values[COMPARE_COUNT] = (double)count;
	cost->values[COMPARE_TIME] = (double)time / 1e9;
	compareReadSetAmount(taking, cost, amounts, time);
	if (taking->run->hasPath)
		cost->values[COMPARE_PATH] =
			onPath ? (double)onPath->time / 1e9 : 0;
	taking->run->rankTime += time;
}

static void compareReadAddStates(struct taking *taking)
{
	const struct findings *findings = taking->findings;
	const GPtrArray *states = findings->profile->states;

	for (guint i = 0; i < states->len; i++) {
		const struct profileState *state = states->pdata[i];

		compareReadAddState(taking, state->name, state->count,
				    state->own.time, state->own.amounts);
	}
	if (findings->outsideTime)
		compareReadAddState(taking, PATH_OUTSIDE, 0,
				    findings->outsideTime, findings->outside);
}

/** States that only relations have are known by their time on the path. */
static void takePathStates(struct taking *taking)
{
	const struct findings *findings = taking->findings;
	const GPtrArray *states = findings->profile->states;
	GHashTableIter iter;
	void *name, *found;

	for (guint i = 0; i < states->len; i++) {
		const struct profileState *state = states->pdata[i];

		g_hash_table_remove(taking->pathTimes, state->name);
	}
	if (findings->outsideTime)
		g_hash_table_remove(taking->pathTimes, PATH_OUTSIDE);
	g_hash_table_iter_init(&iter, taking->pathTimes);
	while (g_hash_table_iter_next(&iter, &name, &found)) {
		const struct pathState *state = found;

		compareReadCostOf(
			taking,
			state->isMpi ? COMPARE_FUNCTION : COMPARE_REGION, name)
			->values[COMPARE_PATH] = (double)state->time / 1e9;
	}
}

/* ---- Ranks and nodes --------------------------------------------------- */

static bool compareReadIsNumber(const char *label)
{
	return *label && strspn(label, "0123456789") == strlen(label);
}

/** Count how many have a label: ranks of two worlds have the same numbers. */
static GHashTable *countLabels(const GArray *ranks)
{
	GHashTable *labels = g_hash_table_new(g_str_hash, g_str_equal);

	for (guint i = 0; i < ranks->len; i++) {
		const char *label = g_array_index(ranks, struct findingsRank, i)
					    .node->label;
		gpointer count = g_hash_table_lookup(labels, label);

		g_hash_table_insert(
			labels, (gpointer)label,
			GUINT_TO_POINTER(GPOINTER_TO_UINT(count) + 1));
	}
	return labels;
}

static void compareReadAddRank(struct taking *taking, GHashTable *labels,
			       guint number, int rankLevel)
{
	const struct findings *findings = taking->findings;
	const struct findingsRank *rank =
		&g_array_index(findings->ranks, struct findingsRank, number);
	const hdINode *node = rank->node;
	bool isRank = rankLevel && node->level == rankLevel &&
		      compareReadIsNumber(node->label);
	bool hasName =
		isRank &&
		GPOINTER_TO_UINT(g_hash_table_lookup(labels, node->label)) == 1;
	struct compareCost *cost =
		compareReadCostOf(taking, isRank ? COMPARE_RANK : COMPARE_TRACE,
				  hasName ? node->label : node->path);

	taking->run->ranks += isRank;
	cost->values[COMPARE_COUNT] = (double)rank->states;
	cost->values[COMPARE_TIME] = secondsOf(rank->start, rank->end);
	compareReadSetAmount(taking, cost, rank->amounts,
			     rank->start <= rank->end ? rank->end - rank->start
						      : 0);
}

/** Set what is known of all nodes: what ran on it, and when. */
static void setNode(const struct findings *findings, const hdINode *node,
		    struct compareCost *cost)
{
	int64_t start = INT64_MAX;
	int64_t end = INT64_MIN;
	uint64_t states = 0;

	for (guint i = 0; i < findings->ranks->len; i++) {
		const struct findingsRank *rank =
			&g_array_index(findings->ranks, struct findingsRank, i);

		if (!rolesIsBelow(rank->node, node))
			continue;
		states += rank->states;
		start = MIN(start, rank->start);
		end = MAX(end, rank->end);
	}
	for (size_t i = 0; i < findings->project->groupCount; i++) {
		const struct findingsGroup *group = &findings->groups[i];

		if (group->group->node != node)
			continue;
		start = MIN(start, group->start);
		end = MAX(end, group->end);
	}
	cost->values[COMPARE_COUNT] = (double)states;
	cost->values[COMPARE_TIME] = secondsOf(start, end);
}

static void takeNodes(struct taking *taking)
{
	const struct findings *findings = taking->findings;
	const hdIProject *project = findings->project;
	int hosts = rolesLevel(project, HD_LEVEL_HOST);

	for (size_t i = 0; i < project->nodeCount; i++) {
		const hdINode *node = project->nodes[i];

		if (hosts && node->level == hosts)
			setNode(findings, node,
				compareReadCostOf(taking, COMPARE_NODE,
						  node->path));
	}
	for (size_t i = 0; i < project->groupCount; i++) {
		const struct findingsGroup *group = &findings->groups[i];
		struct findingsEnergy energy;
		struct compareCost *cost;

		if (!group->isFirst)
			continue;
		energy = findingsNodeEnergy(findings, group->group->node);
		cost = compareReadCostOf(taking, COMPARE_NODE,
					 rolesPath(group->group->node));
		setNode(findings, group->group->node, cost);
		compareReadSetEnergy(cost, &energy);
	}
}

/* ---- All of it --------------------------------------------------------- */

static void compareReadAddRun(struct compare *self, struct compareRun *run,
			      const struct findings *findings)
{
	struct taking taking = {
		.compare = self,
		.run = run,
		.number = self->read,
		.findings = findings,
		.pathTimes = g_hash_table_new(g_str_hash, g_str_equal),
	};
	int rankLevel = rolesRankLevel(findings->project);
	GHashTable *labels;

	run->name = g_strdup(findings->project->name);
	run->file = g_strdup(findings->project->file);
	run->hasEnergy = findings->energy.isKnown;
	run->hasOther = findings->other != NULL;
	run->hasPath = criticalPathMatters(findings->path);
	run->diagnostics = findings->diagnostics.count;
	compareReadAddWhole(&taking);
	compareReadAddStates(&taking);
	takePathStates(&taking);
	labels = countLabels(findings->ranks);
	for (guint i = 0; i < findings->ranks->len; i++)
		compareReadAddRank(&taking, labels, i, rankLevel);
	g_hash_table_destroy(labels);
	takeNodes(&taking);
	g_hash_table_destroy(taking.pathTimes);
}

static void compareReadSaving(struct compare *self, struct compareRun *run,
			      const hdIProject *project)
{
	const struct scan scan = { .tool = self->tool, .project = project };

	savingRead(&scan, &run->saving);
}

bool compareRead(struct compare *self)
{
	struct compareRun *run = &self->runs[self->read];
	struct findings findings;
	hdIProject *project;
	bool isGood = false;

	findingsInit(&findings, self->tool);
	findings.power = g_strdup(self->power);
	findings.rule = self->rule;
	/* What becomes a part of a report is not seen here. */
	findings.isAsRecorded = TRUE;
	project = findingsOpen(&findings, run->path);
	if (project) {
		hdIMessageHandler take = self->tool->take;

		self->tool->take = NULL;
		delayApply(self->tool, project, self->isAsRecorded);
		self->tool->take = take;
		isGood = findingsStart(&findings, project) == 0;
		if (isGood) {
			findingsRead(&findings);
			compareReadAddRun(self, run, &findings);
			compareReadSaving(self, run, project);
			self->read++;
		}
		run->project = project;
		run->powers = findings.powers;
		findings.powers = NULL;
		findingsEnd(&findings);
	}
	findingsClear(&findings);
	self->tool->take = NULL;
	return isGood && !self->tool->hasFailed;
}
