/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Findings of ranks and nodes that compute longer than others, between two
 * calls in which all wait for each other.
 */
#include "config.h"

#include <errno.h>

#include "HDTraceTools/findings/findings.h"
#include "HDTraceTools/model/mpi/roles.h"
#include "common/format/level.h"

/** Sums of all sections. */
struct imbalanceSum {
	uint64_t count;
	int64_t time;       /**< By which the longest exceed the mean. */
	GArray *causing;    /**< struct findingShare, by rank. */
	GHashTable *places; /**< Traces to places in it + 1. */
};

/** By how many whole nanoseconds a time exceeds the mean, which is a fraction
 *  that does not count if only rounding makes it smaller. */
static int64_t imbalanceExcess(double time, double mean)
{
	return (int64_t)(time - mean + 1e-3);
}

static void imbalanceAdd(struct imbalanceSum *sum,
			 const struct findings *findings,
			 const struct replaySection *section)
{
	int64_t excess = imbalanceExcess(section->largest, section->mean);
	gpointer key = GUINT_TO_POINTER(section->trace + 1);
	guint place = GPOINTER_TO_UINT(g_hash_table_lookup(sum->places, key));
	struct findingShare share = {
		.rank = findings->traces[section->trace].rank,
	};

	if (excess <= 0)
		return;
	sum->count++;
	sum->time += excess;
	if (place == 0) {
		g_array_append_val(sum->causing, share);
		place = sum->causing->len;
		g_hash_table_insert(sum->places, key, GUINT_TO_POINTER(place));
	}
	g_array_index(sum->causing, struct findingShare, place - 1).time +=
		excess;
}

/** Whether one rank causes nearly all of it. */
static bool imbalanceIsOfOne(const struct imbalanceSum *sum)
{
	return sum->causing->len &&
	       g_array_index(sum->causing, struct findingShare, 0).time >=
		       sum->time / 10 * 9;
}

static void imbalanceList(struct findings *findings,
			  const struct imbalanceSum *sum, int64_t balanced)
{
	bool isOfOne = imbalanceIsOfOne(sum);
	const struct finding finding = {
		.waits = WAIT_NONE,
		.kind = FINDING_IMBALANCE,
		.title = isOfOne ? "One rank always computes longer than the "
				   "others"
				 : "Ranks take turns in computing longer than "
				   "the others",
		.advice = isOfOne ? "Give this rank less work, or see why its "
				    "node is slower."
				  : "Divide the work of each step more evenly, "
				    "or in smaller pieces on demand.",
		.count = sum->count,
		.time = sum->time,
		/* The replay balances within sections, too. */
		.saved = MIN(MAX(findingsRunTime(findings) - balanced, 0),
			     sum->time),
		.waiting = findingShares(),
		.causing = g_array_ref(sum->causing),
		.nodes = findingShares(),
		.threads = findingShares(),
		.from = findings->start,
		.to = findings->end,
		.confidence = findingConfidenceOf(findings, sum->time),
		.command = findingCommand(findings, "imbalance",
					  findings->start, findings->end),
	};

	g_array_append_val(findings->list, finding);
}

/* ---- Nodes ----------------------------------------------------------------
 */

/** A node is slow if its ranks compute longer than those of the median node by
 *  this, if there are so many nodes. */
#define IMBALANCE_SLOW 1.1
#define IMBALANCE_NODES 3

/** Where the ranks of a node compute longest: of nodes. */
struct imbalanceHosts {
	const struct findings *findings;
	int level;
	GArray *nodes;      /**< struct findingShare */
	GHashTable *places; /**< Nodes to places in it + 1. */
	uint64_t count;
	int64_t time;
};

static void imbalanceAddHost(struct imbalanceHosts *self,
			     const struct replaySection *section)
{
	const hdINode *node = rolesAt(
		self->findings->project->traces[section->hostTrace]->node,
		self->level);
	int64_t excess = imbalanceExcess(section->hostLargest, section->mean);
	guint place = GPOINTER_TO_UINT(g_hash_table_lookup(self->places, node));
	struct findingShare share = { .rank = -1, .node = node };

	if (excess <= 0)
		return;
	self->count++;
	self->time += excess;
	if (place == 0) {
		g_array_append_val(self->nodes, share);
		place = self->nodes->len;
		g_hash_table_insert(self->places, (gpointer)node,
				    GUINT_TO_POINTER(place));
	}
	g_array_index(self->nodes, struct findingShare, place - 1).time +=
		excess;
}

static gint imbalanceCompare(gconstpointer a, gconstpointer b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

/** Computation of a rank, by node: the sum and how many there are. */
struct imbalanceNode {
	double time;
	double ranks;
};

/** Whether the ranks of a node compute much longer than those of others. */
static bool imbalanceIsSlow(const struct imbalanceHosts *self,
			    const hdINode *slow)
{
	const struct findings *findings = self->findings;
	GHashTable *nodes = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	GArray *means = g_array_new(FALSE, FALSE, sizeof(double));
	GHashTableIter iterator;
	gpointer node, value;
	double own = 0;
	bool isSlow;

	for (size_t i = 0; i < findings->project->traceCount; i++) {
		const struct findingTrace *trace = &findings->traces[i];
		struct imbalanceNode *sum;

		if (trace->start >= trace->end || trace->rank < 0)
			continue;
		node = (gpointer)rolesAt(findings->project->traces[i]->node,
					 self->level);
		sum = g_hash_table_lookup(nodes, node);
		if (!sum) {
			sum = g_new0(struct imbalanceNode, 1);
			g_hash_table_insert(nodes, node, sum);
		}
		sum->time += (double)(trace->end - trace->start - trace->mpi -
				      trace->io - trace->tracer);
		sum->ranks++;
	}
	g_hash_table_iter_init(&iterator, nodes);
	while (g_hash_table_iter_next(&iterator, &node, &value)) {
		const struct imbalanceNode *sum = value;
		double mean = sum->time / sum->ranks;

		g_array_append_val(means, mean);
		if (node == slow)
			own = mean;
	}
	g_array_sort(means, imbalanceCompare);
	isSlow = means->len >= IMBALANCE_NODES &&
		 own >= IMBALANCE_SLOW *
				 g_array_index(means, double, means->len / 2);
	g_array_unref(means);
	g_hash_table_destroy(nodes);
	return isSlow;
}

/** The ranks of a node. */
static GArray *imbalanceRanksOf(const struct imbalanceHosts *self,
				const hdINode *node)
{
	const struct findings *findings = self->findings;
	GArray *ranks = findingShares();

	for (size_t i = 0; i < findings->project->traceCount; i++) {
		const struct findingTrace *trace = &findings->traces[i];
		const struct findingShare share = {
			.rank = trace->rank,
			.time = trace->end - trace->start,
		};

		if (trace->rank >= 0 && trace->start < trace->end &&
		    rolesAt(findings->project->traces[i]->node, self->level) ==
			    node)
			g_array_append_val(ranks, share);
	}
	findingSortShares(ranks, 0);
	return ranks;
}

static void imbalanceListNodes(struct findings *findings,
			       const struct imbalanceHosts *self,
			       struct finding finding, GArray *causing)
{
	finding.waits = WAIT_NONE;
	finding.count = self->count;
	finding.time = self->time;
	finding.saved = self->time;
	finding.waiting = findingShares();
	finding.causing = causing;
	finding.nodes = g_array_ref(self->nodes);
	finding.threads = findingShares();
	finding.from = findings->start;
	finding.to = findings->end;
	finding.confidence = findingConfidenceOf(findings, self->time);
	finding.command = findingCommand(findings, finding.kind,
					 findings->start, findings->end);
	g_array_append_val(findings->list, finding);
}

/** The node that has nearly all of it, and is slow; or NULL. */
static const hdINode *imbalanceSlowNode(const struct imbalanceHosts *self)
{
	const struct findingShare *first;

	if (self->nodes->len == 0)
		return NULL;
	first = &g_array_index(self->nodes, struct findingShare, 0);
	return first->time >= self->time / 10 * 9 &&
			       imbalanceIsSlow(self, first->node)
		       ? first->node
		       : NULL;
}

/** Nodes on which all ranks compute longer than on others. */
static void imbalanceFindNodes(struct findings *findings,
			       const GArray *sections)
{
	struct imbalanceHosts self = {
		.findings = findings,
		.level = MAX(rolesLevel(findings->project, HD_LEVEL_HOST), 1),
		.nodes = findingShares(),
		.places = g_hash_table_new(NULL, NULL),
	};
	const hdINode *slow;

	for (guint i = 0; i < sections->len; i++)
		imbalanceAddHost(
			&self,
			&g_array_index(sections, struct replaySection, i));
	findingSortShares(self.nodes, self.time);
	slow = imbalanceSlowNode(&self);
	if (self.time > findingsRunTime(findings) / 100) {
		imbalanceListNodes(
			findings, &self,
			(struct finding){
				.kind = FINDING_IMBALANCE_NODES,
				.partOf = FINDING_IMBALANCE,
				.title = "All ranks of a node compute longer "
					 "than those of other nodes",
				.advice = "Divide the work evenly between "
					  "nodes, or see why a node is "
					  "slower.",
			},
			findingShares());
		if (slow)
			imbalanceListNodes(
				findings, &self,
				(struct finding){
					.kind = FINDING_SLOW_NODE,
					.partOf = FINDING_IMBALANCE_NODES,
					.title = "The same node always takes "
						 "longer than the others",
					.advice = "Run without this node, or "
						  "check its clocks, memory "
						  "and other programs.",
				},
				imbalanceRanksOf(&self, slow));
	}
	g_array_unref(self.nodes);
	g_hash_table_destroy(self.places);
}

int findingsFindImbalance(struct findings *findings)
{
	struct replayModel model = REPLAY_MODEL;
	struct imbalanceSum sum = {
		.causing = findingShares(),
		.places = g_hash_table_new(NULL, NULL),
	};
	int64_t least = findingsRunTime(findings) / 100;
	int64_t balanced = 0;
	int ret;
	const GArray *sections = replaySections(findings->replay, &ret);

	for (guint i = 0; sections && i < sections->len; i++)
		imbalanceAdd(&sum, findings,
			     &g_array_index(sections, struct replaySection, i));
	findingSortShares(sum.causing, sum.time);
	model.isBalanced = true;
	/* Less than 1 % of the run is nothing to be told. */
	if (ret == 0 && sum.time > least)
		ret = findingsReplayModel(findings, &model, &balanced);
	if (ret == 0 && sum.time > least &&
	    findingsRunTime(findings) - balanced > least) {
		imbalanceList(findings, &sum, balanced);
		imbalanceFindNodes(findings, sections);
	}
	g_array_unref(sum.causing);
	g_hash_table_destroy(sum.places);
	return ret == -EDEADLK ? 0 : ret;
}
