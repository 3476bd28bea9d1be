/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace report: what ranks spent their time on, as a table: all of them, or
 * the least, the mean and the most of any.
 */
#include "config.h"

#include "HDTraceTools/model/mpi/roles.h"
#include "HDTraceTools/report/report.h"

static const char *const rankTableKinds[FINDINGS_WORKS] = {
	[FINDINGS_COMPUTATION] = "Computation",
	[FINDINGS_MPI] = "MPI",
	[FINDINGS_IO] = "I/O",
	[FINDINGS_TRACER] = "Tracer",
};

static const struct findingsRank *rankTableAt(const GArray *ranks, guint i)
{
	return &g_array_index(ranks, struct findingsRank, i);
}

/** Whether any rank spent time so. */
static bool rankTableHas(const GArray *ranks, int kind)
{
	for (guint i = 0; i < ranks->len; i++) {
		if (rankTableAt(ranks, i)->works[kind].time)
			return true;
	}
	return false;
}

static void rankTableAddKind(struct outTable *table, const GArray *ranks,
			     int kind)
{
	int64_t least = INT64_MAX, sum = 0, most = 0;
	char buffer[OUT_NUMBER_SIZE];

	for (guint i = 0; i < ranks->len; i++) {
		int64_t time = rankTableAt(ranks, i)->works[kind].time;

		least = MIN(least, time);
		most = MAX(most, time);
		sum += time;
	}
	outTableAdd(table, rankTableKinds[kind]);
	outTableAdd(table, outDuration(buffer, least));
	outTableAdd(table, outDuration(buffer, sum / (int64_t)ranks->len));
	outTableAdd(table, outDuration(buffer, most));
}

static void rankTableOver(const struct report *report)
{
	static const char *const headings[] = { "<Of a rank", ">Minimum",
						">Mean", ">Maximum", NULL };
	const GArray *ranks = report->findings.ranks;
	struct outTable *table = outTableNew(headings);

	for (int i = 0; i < FINDINGS_WORKS; i++) {
		if (rankTableHas(ranks, i))
			rankTableAddKind(table, ranks, i);
	}
	outTablePrint(table, "  ", report->findings.tool->isColored);
}

static void rankTableAll(const struct report *report)
{
	static const char *const headings[] = { "<Node", ">Computation", ">MPI",
						">I/O",  ">Tracer",      NULL };
	const GArray *ranks = report->findings.ranks;
	struct outTable *table = outTableNew(headings);
	char buffer[OUT_NUMBER_SIZE];

	for (guint i = 0; i < ranks->len; i++) {
		const struct findingsRank *rank = rankTableAt(ranks, i);

		outTableAdd(table, rolesPath(rank->node));
		for (int k = 0; k < FINDINGS_WORKS; k++)
			outTableAdd(table,
				    outDuration(buffer, rank->works[k].time));
	}
	for (int k = 0; k < FINDINGS_WORKS; k++) {
		if (!rankTableHas(ranks, k))
			outTableHide(table, (size_t)k + 1);
	}
	reportTitle(report, "Ranks");
	outTablePrint(table, "  ", report->findings.tool->isColored);
}

void reportPrintRanks(const struct report *report)
{
	if (report->findings.ranks->len > 1)
		rankTableOver(report);
	if (report->isOfRanks && report->findings.ranks->len)
		rankTableAll(report);
}
