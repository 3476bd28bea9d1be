/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Finding of ranks that compute longer than others, between two calls in which
 * all wait for each other.
 */
#include "config.h"

#include <errno.h>

#include "HDTraceTools/findings/findings.h"

/** Sums of all sections. */
struct imbalanceSum {
	uint64_t count;
	int64_t time;       /**< By which the longest exceed the mean. */
	GArray *causing;    /**< struct findingShare, by rank. */
	GHashTable *places; /**< Traces to places in it + 1. */
};

static void imbalanceAdd(struct imbalanceSum *sum,
			 const struct findings *findings,
			 const struct replaySection *section)
{
	int64_t excess = (int64_t)(section->largest - section->mean);
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
		.saved = MAX(findingsRunTime(findings) - balanced, 0),
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
	    findingsRunTime(findings) - balanced > least)
		imbalanceList(findings, &sum, balanced);
	g_array_unref(sum.causing);
	g_hash_table_destroy(sum.places);
	return ret == -EDEADLK ? 0 : ret;
}
