/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace report: what is folded so that the report of any run fits on a page.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "HDTraceTools/report/report.h"
#include "cli/quantity.h"

/** A report has so many lines at most, unless more is asked for. */
#define FOLD_LINES 60
/** So many lines are for nodes. */
#define FOLD_NODES 6
/** Nodes are alike if they differ from the median by less than this part. */
#define FOLD_ALIKE 0.1

/* ---- How long it would be ----------------------------------------------- */

static guint foldNodeLines(const struct findings *findings)
{
	guint lines = 0;

	for (size_t i = 0; i < findings->project->groupCount; i++) {
		const struct findingsGroup *group = &findings->groups[i];

		lines += 4 + (guint)group->group->valueCount;
		lines += MIN((guint)group->gaps.count, 5) +
			 MIN((guint)group->late.count, 5);
	}
	return lines;
}

static guint foldTable(guint rows, guint top)
{
	return rows ? 4 + MIN(rows, top) : 0;
}

static guint foldAllLines(const struct report *report)
{
	const struct findings *findings = &report->findings;
	const struct criticalPath *path = findings->path;
	guint top = (guint)report->top;
	guint states = foldTable(findings->profile->states->len, top);
	guint lines = 12 + foldNodeLines(findings);

	lines += 4 * MIN(findings->list->len, 3) + findings->phases->len;
	lines += findings->energy.isKnown ? 2 * states + 5 : states;
	lines += foldTable(findings->sites->len, top);
	if (!isnan(findings->efficiency.parallel))
		lines += 8 + foldTable(findings->regionList->len, top);
	if (findings->ranks->len > 1)
		lines += 5;
	if (criticalPathMatters(path))
		lines += 5 + foldTable(path->ranks->len, top) +
			 foldTable(path->states->len, top);
	if (findings->relations.sums)
		lines += 12 + findings->relations.slowest->len;
	return lines + MIN((guint)findings->diagnostics.count, 5);
}

bool reportIsFolded(const struct report *report)
{
	return !report->isAll && foldAllLines(report) > FOLD_LINES;
}

/* ---- Nodes --------------------------------------------------------------- */

/** A node that tells its energy. */
struct foldNode {
	const hdINode *node;
	struct findingsEnergy energy;
};

static gint foldCompare(gconstpointer a, gconstpointer b)
{
	const struct foldNode *x = a;
	const struct foldNode *y = b;

	return (x->energy.joules > y->energy.joules) -
	       (x->energy.joules < y->energy.joules);
}

/** All nodes with an energy, by that; and how many have none. */
static GArray *foldFindNodes(const struct findings *findings, guint *others)
{
	GArray *nodes = g_array_new(FALSE, FALSE, sizeof(struct foldNode));
	const hdINode *last = NULL;

	*others = 0;
	for (size_t i = 0; i < findings->project->groupCount; i++) {
		const struct findingsGroup *group = &findings->groups[i];
		struct foldNode node = { .node = group->group->node };
		bool isNew = node.node != last;

		last = node.node;
		if (group->isFirst && group->energy.isKnown) {
			node.energy = findingsNodeEnergy(findings, node.node);
			g_array_append_val(nodes, node);
		} else if (isNew && !group->powerCount) {
			*others += !findingsPowerOf(findings, node.node);
		}
	}
	g_array_sort(nodes, foldCompare);
	return nodes;
}

static const struct foldNode *foldAt(const GArray *nodes, guint i)
{
	return &g_array_index(nodes, struct foldNode, i);
}

/** Whether a node differs from the one in the middle. */
static bool foldIsOdd(const GArray *nodes, guint i)
{
	double median = foldAt(nodes, nodes->len / 2)->energy.joules;

	return fabs(foldAt(nodes, i)->energy.joules - median) >
	       FOLD_ALIKE * fabs(median);
}

static void foldPrintAlike(const GArray *nodes)
{
	char low[OUT_NUMBER_SIZE], high[OUT_NUMBER_SIZE];
	double least = INFINITY, most = -INFINITY;
	guint count = 0;

	for (guint i = 0; i < nodes->len; i++) {
		if (foldIsOdd(nodes, i))
			continue;
		least = fmin(least, foldAt(nodes, i)->energy.joules);
		most = fmax(most, foldAt(nodes, i)->energy.joules);
		count++;
	}
	printf("  %u %s: %s to %s\n", count, count == 1 ? "node" : "nodes",
	       quantityText(low, least, "J"), quantityText(high, most, "J"));
}

static void foldPrintOdd(const GArray *nodes, guint i)
{
	const struct foldNode *node = foldAt(nodes, i);
	double median = foldAt(nodes, nodes->len / 2)->energy.joules;
	double part = node->energy.joules / median - 1;
	char joules[OUT_NUMBER_SIZE], percent[OUT_NUMBER_SIZE];

	printf("  ");
	outPrintable(node->node->path);
	printf(": %s, %s %% %s the median\n",
	       quantityText(joules, node->energy.joules, "J"),
	       outRounded(percent, fabs(100 * part)),
	       part < 0 ? "below" : "above");
}

/** The outliers: those that differ most are at both ends. */
static void foldPrintOddNodes(const GArray *nodes, guint room)
{
	guint low = 0, high = nodes->len, left = 0;

	for (guint i = 0; i < nodes->len; i++)
		left += foldIsOdd(nodes, i);
	while (left > 0 && room > 0) {
		bool isLow = low < high && foldIsOdd(nodes, low);

		foldPrintOdd(nodes, isLow ? low++ : --high);
		left--;
		room--;
	}
	if (left > 0)
		printf("  and %u more outliers; --nodes lists all nodes\n",
		       left);
}

void reportPrintNodes(const struct report *report)
{
	guint others;
	GArray *nodes = foldFindNodes(&report->findings, &others);

	if (nodes->len + others > 0)
		reportTitle(report, "Nodes");
	if (nodes->len) {
		foldPrintAlike(nodes);
		foldPrintOddNodes(nodes, FOLD_NODES - 2);
	}
	if (others)
		printf("  %u %s without energy; --nodes prints all values\n",
		       others, others == 1 ? "node" : "nodes");
	g_array_unref(nodes);
}

/* ---- Problems ------------------------------------------------------------ */

static void foldPrintSpans(const struct findings *findings, bool isLate,
			   const char *what)
{
	char buffer[OUT_NUMBER_SIZE];
	uint64_t count = 0;
	guint groups = 0;
	int64_t total = 0;

	for (size_t i = 0; i < findings->project->groupCount; i++) {
		const struct findingsGroup *group = &findings->groups[i];
		const struct findingsSpans *spans =
			isLate ? &group->late : &group->gaps;

		count += spans->count;
		total += spans->total;
		groups += spans->count > 0;
	}
	if (count)
		printf("  %s: %" PRIu64 " in %u %s, %s in total\n", what, count,
		       groups, groups == 1 ? "group" : "groups",
		       outDuration(buffer, total));
}

void reportPrintFoldedProblems(const struct report *report)
{
	const struct findings *findings = &report->findings;
	const GArray *list = findings->diagnostics.list;
	GString *line = g_string_new(NULL);

	reportTitle(report, "Gaps, late samples, problems");
	foldPrintSpans(findings, false, "Gaps");
	foldPrintSpans(findings, true, "Late or missing samples");
	if (list->len) {
		const struct findingsDiagnostic *message =
			&g_array_index(list, struct findingsDiagnostic, 0);

		toolFormatDiagnostic(line, message->severity, message->rule,
				     message->file, message->offset,
				     message->text);
		printf("  %s\n", line->str);
	}
	if (findings->diagnostics.count > 1)
		printf("  and %" PRIu64 " more diagnostics\n",
		       findings->diagnostics.count - 1);
	g_string_free(line, TRUE);
	puts("  Folded; --nodes, --ranks and --all print more.");
}
