/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Finding of threads of a rank that work longer than the others until a
 * barrier.
 */
#include "config.h"

#include "HDTraceTools/findings/findings.h"

void findingsTakeTeam(struct findings *findings,
		      const struct dependencyMatch *match)
{
	const struct dependencyPart *last = NULL;
	int64_t early = 0;

	for (guint i = 0; i < match->count; i++) {
		if (!last || match->parts[i].start > last->start)
			last = &match->parts[i];
	}
	if (!last || match->count < 2 ||
	    last->end <= findings->selection.start ||
	    last->end > findings->selection.end)
		return;
	for (guint i = 0; i < match->count; i++)
		early += last->start - match->parts[i].start;
	if (early <= 0)
		return;
	findings->teamTimes[last->trace] += early / match->count;
	findings->teamCount++;
}

/** The least that one of the processes takes longer. */
static int64_t threadsLeast(const struct findings *findings)
{
	GHashTable *processes = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	GHashTableIter iterator;
	int64_t least = INT64_MAX;
	gpointer value;

	for (size_t i = 0; i < findings->project->traceCount; i++) {
		gpointer node =
			(gpointer)findings->project->traces[i]->node->parent;
		int64_t *sum = g_hash_table_lookup(processes, node);

		if (!sum) {
			sum = g_new0(int64_t, 1);
			g_hash_table_insert(processes, node, sum);
		}
		*sum += findings->teamTimes[i];
	}
	g_hash_table_iter_init(&iterator, processes);
	while (g_hash_table_iter_next(&iterator, NULL, &value))
		least = MIN(least, *(const int64_t *)value);
	g_hash_table_destroy(processes);
	return least;
}

void findingsFindThreads(struct findings *findings)
{
	GArray *causing = findingShares();
	GArray *threads = findingShares();
	struct finding finding = {
		.kind = FINDING_IMBALANCE_THREADS,
		.partOf = waitKindInfo(WAIT_TEAM)->name,
		.title = "Threads of a rank work longer than the others",
		.advice = "Distribute the iterations evenly, for instance with "
			  "schedule(dynamic), or divide large tasks.",
		.count = findings->teamCount,
		.saved = threadsLeast(findings),
	};
	guint count = findings->list->len;

	for (size_t i = 0; i < findings->project->traceCount; i++) {
		const struct findingShare rank = {
			.rank = findings->traces[i].rank,
			.time = findings->teamTimes[i],
		};
		const struct findingShare thread = {
			.rank = -1,
			.node = findings->project->traces[i]->node,
			.time = rank.time,
		};

		finding.time += rank.time;
		if (rank.time > 0)
			g_array_append_val(threads, thread);
		if (rank.time > 0 && rank.rank >= 0)
			findingShareAdd(causing, &rank);
	}
	findingSortShares(threads, finding.time);
	findingsAddFinding(findings, finding, findingShares(), causing,
			   findingShares());
	if (findings->list->len > count) {
		struct finding *added =
			&g_array_index(findings->list, struct finding, count);

		g_array_unref(added->threads);
		added->threads = g_array_ref(threads);
	}
	g_array_unref(threads);
}
