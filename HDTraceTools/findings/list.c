/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The list of findings: its order, and freeing it.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/findings/findings.h"
#include "cli/output.h"

/* ---- Shares ------------------------------------------------------------ */

static gint compareShares(gconstpointer a, gconstpointer b)
{
	const struct findingShare *x = a;
	const struct findingShare *y = b;

	if (x->time != y->time)
		return x->time > y->time ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->node && y->node ? strcmp(x->node->path, y->node->path) : 0;
}

GArray *findingShares(void)
{
	return g_array_new(FALSE, FALSE, sizeof(struct findingShare));
}

void findingShareAdd(GArray *shares, const struct findingShare *share)
{
	struct findingShare *last =
		shares->len ? &g_array_index(shares, struct findingShare,
					     shares->len - 1)
			    : NULL;

	if (last && last->rank == share->rank && last->node == share->node)
		last->time += share->time;
	else
		g_array_append_vals(shares, share, 1);
}

void findingSortShares(GArray *shares, int64_t time)
{
	guint count = 0;

	g_array_sort(shares, compareShares);
	while (count < shares->len &&
	       g_array_index(shares, struct findingShare, count).time >=
		       (time + 99) / 100)
		count++;
	g_array_set_size(shares, count);
}

/* ---- What all have ------------------------------------------------------ */

/** How far the clocks of two hosts can be apart; -1: not known. */
static int64_t clockResidual(const hdIProject *project)
{
	int64_t most[2] = { 0, 0 };

	if (!project->clockCount)
		return -1;
	for (size_t i = 0; i < project->clockCount; i++) {
		int64_t error = project->clocks[i].error;

		if (error > most[0]) {
			most[1] = most[0];
			most[0] = error;
		} else {
			most[1] = MAX(most[1], error);
		}
	}
	return most[0] + most[1];
}

struct findingConfidence findingConfidenceOf(const struct findings *findings,
					     int64_t powerGaps)
{
	const struct dependencyCounts *counts = &findings->path->counts;

	return (struct findingConfidence){
		.unpaired = counts->loose + counts->collectives,
		.clockResidual = clockResidual(findings->project),
		.powerGaps = powerGaps,
	};
}

char *findingCommand(const struct findings *findings, const char *kind,
		     int64_t from, int64_t to)
{
	char *file = g_shell_quote(findings->project->file);
	char start[OUT_NUMBER_SIZE], end[OUT_NUMBER_SIZE];
	char *command = g_strdup_printf(
		"hdtrace plot --from=@%s --to=@%s --output=%s.svg %s",
		outSeconds(start, from), outSeconds(end, to), kind, file);

	g_free(file);
	return command;
}

void findingsAddFinding(struct findings *findings, struct finding finding,
			GArray *waiting, GArray *causing, GArray *nodes)
{
	bool isTold =
		findings->path && finding.time > findings->account.total / 100;

	if (!isTold) {
		g_array_unref(waiting);
		g_array_unref(causing);
		g_array_unref(nodes);
		return;
	}
	findingSortShares(waiting, finding.time);
	findingSortShares(causing, finding.time);
	findingSortShares(nodes, finding.time);
	finding.waits = WAIT_NONE;
	finding.waiting = waiting;
	finding.causing = causing;
	finding.nodes = nodes;
	finding.threads = findingShares();
	finding.from = findings->start;
	finding.to = findings->end;
	finding.confidence = findingConfidenceOf(
		findings, finding.time - finding.energy.measured);
	finding.command = findingCommand(findings, finding.kind, finding.from,
					 finding.to);
	g_array_append_val(findings->list, finding);
}

int64_t findingsRunTime(const struct findings *findings)
{
	return findings->start < findings->end ? findings->end - findings->start
					       : 0;
}

/* ---- Order -------------------------------------------------------------- */

void findingClear(void *data)
{
	struct finding *finding = data;

	g_array_unref(finding->waiting);
	g_array_unref(finding->causing);
	g_array_unref(finding->nodes);
	g_array_unref(finding->threads);
	if (finding->causes)
		g_array_unref(finding->causes);
	if (finding->iterations)
		g_array_unref(finding->iterations);
	g_free(finding->command);
}

#define FINDING_COMPARE(a, b)                      \
	do {                                       \
		if ((a) != (b))                    \
			return (a) > (b) ? -1 : 1; \
	} while (0)

/** What counts by itself first; then what saves most time, what avoids most
 *  energy, and what took most time. */
static gint compareFindings(gconstpointer a, gconstpointer b)
{
	const struct finding *x = a;
	const struct finding *y = b;

	FINDING_COMPARE(x->isFirst, y->isFirst);
	FINDING_COMPARE(!x->partOf, !y->partOf);
	FINDING_COMPARE(x->rank, y->rank);
	FINDING_COMPARE(x->avoidable, y->avoidable);
	FINDING_COMPARE(x->time, y->time);
	FINDING_COMPARE(strcmp(y->kind, x->kind), 0);
	return g_strcmp0(x->region, y->region);
}

const char *findingsOtherKind(size_t number)
{
	static const char *const kinds[] = {
		FINDING_IMBALANCE,        FINDING_TRACER,
		FINDING_OVERSUBSCRIPTION, FINDING_STEAL,
		FINDING_POLLING,          FINDING_SMALL_MESSAGES,
		FINDING_PLACEMENT,        FINDING_IO_ONE_RANK,
		FINDING_TINY_COLLECTIVES, FINDING_IO_SMALL,
		FINDING_IO_REOPEN,        FINDING_SWAP,
		FINDING_THROTTLING,       FINDING_IDLE_POWER,
		FINDING_SLOW_NODE,        FINDING_IMBALANCE_THREADS,
		FINDING_IMBALANCE_NODES,
	};

	return number < G_N_ELEMENTS(kinds) ? kinds[number] : NULL;
}

/** What has no less time than all others explains them, and comes first; but
 *  more threads than CPUs do at once. */
static void findingsChooseFirst(struct findings *findings)
{
	int64_t largest = 0;

	for (guint i = 0; i < findings->list->len; i++) {
		const struct finding *finding =
			&g_array_index(findings->list, struct finding, i);

		if (!finding->isFirst)
			largest = MAX(largest, finding->time);
	}
	for (guint i = 0; i < findings->list->len; i++) {
		struct finding *finding =
			&g_array_index(findings->list, struct finding, i);

		if (strcmp(finding->kind, FINDING_STEAL) == 0)
			finding->isFirst = finding->time >= largest;
	}
}

void findingsSortList(struct findings *findings)
{
	findingsChooseFirst(findings);
	for (guint i = 0; i < findings->list->len; i++) {
		struct finding *finding =
			&g_array_index(findings->list, struct finding, i);

		finding->rank = 0;
		finding->of = strcmp(finding->kind, FINDING_IMBALANCE) == 0
				      ? findingsRunTime(findings)
				      : findings->account.total;
		/* Less than the run differs by chance is nothing. */
		if (finding->saved >= findingsRunTime(findings) / 1000)
			finding->rank = finding->saved;
	}
	g_array_sort(findings->list, compareFindings);
}
