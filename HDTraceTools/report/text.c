/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace report, for people.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>

#include "HDTraceTools/report/text.h"
#include "HDTraceTools/model/clocksteps.h"
#include "HDTraceTools/report/report.h"

/** So many gaps and late samples of a group, and messages, are listed. */
#define LISTED 5

const char *reportPlusMinus(const struct report *report)
{
	return report->findings.tool->isUnicode ? "\302\261" : "+-";
}

void reportTitle(const struct report *report, const char *text)
{
	printf("\n%s", report->findings.tool->isColored ? "\033[1m" : "");
	outPrintable(text);
	puts(report->findings.tool->isColored ? "\033[0m" : "");
}

const char *reportNodeName(const struct report *report, const hdINode *node)
{
	return *node->path ? node->path : report->findings.project->name;
}

char *reportEnergyText(const struct report *report,
		       const struct findingsEnergy *energy)
{
	GString *text = g_string_new(NULL);
	char buffer[OUT_NUMBER_SIZE], bound[OUT_NUMBER_SIZE];
	struct quantityUnit unit;

	if (!energy->isKnown)
		return g_string_free(g_string_append(text, "not measured"),
				     FALSE);
	unit = quantityUnitFor(energy->joules, 1, "J");
	quantityBounded(buffer, bound, energy->joules,
			energy->hasBound ? energy->bound : NAN, &unit);
	g_string_append_printf(text, "%s%s", knownMark(energy->known), buffer);
	if (*bound)
		g_string_append_printf(text, " %s %s", reportPlusMinus(report),
				       bound);
	g_string_append_printf(text, " %s", *unit.name ? unit.name : "J");
	if (energy->isSimulated)
		g_string_append(text, " (simulated)");
	return g_string_free(text, FALSE);
}

const char *reportWattsText(char *buffer, const struct findingsEnergy *energy)
{
	double watts = findingsWatts(energy);

	return isnan(watts) ? "-" : quantityText(buffer, watts, "W");
}

void reportPrintEnergy(const struct report *report,
		       const struct findingsEnergy *energy)
{
	char *text = reportEnergyText(report, energy);
	char buffer[OUT_NUMBER_SIZE];

	printf("%s", text);
	if (energy->isKnown && !knownIsWhole(energy->known)) {
		printf(", known for %s",
		       outDuration(buffer, energy->known.knownNs));
		printf(" of %s", outDuration(buffer, energy->known.durationNs));
	}
	if (energy->isKnown)
		printf(", %s on average", reportWattsText(buffer, energy));
	putchar('\n');
	g_free(text);
}

/* ---- The whole run ----------------------------------------------------- */

static void reportTextPrintCount(uint64_t count, const char *one,
				 const char *many)
{
	printf("%" PRIu64 " %s", count, count == 1 ? one : many);
}

/* Clocks that were set meanwhile. */
static void printSteps(const struct findings *findings)
{
	GArray *all = clockStepsOfNodes(findings->project, findings->steps);
	char buffer[OUT_NUMBER_SIZE];

	for (guint i = 0; i < all->len; i++) {
		const struct clockSteps *steps =
			&g_array_index(all, struct clockSteps, i);

		printf("  Clock         ");
		outPrintable(steps->node->path);
		printf(" was set ");
		reportTextPrintCount((size_t)steps->count, "time", "times");
		printf(", by %s%s s in all; times continue evenly\n",
		       steps->sum < 0 ? "" : "+",
		       outSeconds(buffer, steps->sum));
	}
	g_array_unref(all);
}

static void printHead(const struct report *report)
{
	const hdIProject *project = report->findings.project;
	char buffer[OUT_NUMBER_SIZE];

	printf("%s", report->findings.tool->isColored ? "\033[1m" : "");
	outPrintable(project->name);
	puts(report->findings.tool->isColored ? "\033[0m" : "");
	if (*project->description) {
		printf("  Description   ");
		outPrintable(project->description);
		putchar('\n');
	}
	if (report->findings.start <= report->findings.end) {
		printf("  Runtime       %s\n",
		       outDuration(buffer, report->findings.end -
						   report->findings.start));
		printf("  Started       %s UTC\n",
		       outDate(buffer, report->findings.start, 3));
	}
	printf("  Recorded      ");
	reportTextPrintCount(project->groupCount, "group of statistics",
			     "groups of statistics");
	printf(", ");
	reportTextPrintCount(project->traceCount, "trace", "traces");
	printf(" with ");
	reportTextPrintCount(report->findings.profile->stateCount, "state",
			     "states");
	printf(" and ");
	reportTextPrintCount(report->findings.profile->eventCount, "event",
			     "events");
	if (report->findings.relations.sums) {
		printf(", ");
		reportTextPrintCount(
			forestCount(report->findings.relations.forest),
			"relation", "relations");
	}
	putchar('\n');
	printf("  Energy        ");
	if (report->findings.energyCount)
		reportPrintEnergy(report, &report->findings.energy);
	else
		puts("not measured");
	for (size_t i = 0; i < project->clockCount; i++) {
		printf("  Clock         ");
		outPrintable(project->clocks[i].node);
		printf(" has an error of at most %s\n",
		       outDuration(buffer, project->clocks[i].error));
	}
	printSteps(&report->findings);
}

/* ---- What it cost, and what is wrong ----------------------------------- */

static void addShare(struct outTable *table, int64_t part, int64_t all)
{
	char *text = g_strdup_printf(
		"%.1f %%", all > 0 ? 100.0 * (double)part / (double)all : 0.0);

	outTableAdd(table, text);
	g_free(text);
}

static void printPathRanks(const struct report *report)
{
	static const char *const headings[] = { "<Rank", ".Time", ".Share",
						".In MPI", NULL };
	const struct criticalPath *path = report->findings.path;
	struct outTable *table = outTableNew(headings);
	guint count = report->isAll ? path->ranks->len
				    : MIN(path->ranks->len, (guint)report->top);
	char buffer[OUT_NUMBER_SIZE];

	for (guint i = 0; i < count; i++) {
		const struct pathRank *rank =
			&g_array_index(path->ranks, struct pathRank, i);

		outTableAdd(table, rank->rank < 0
					   ? "none"
					   : outInteger(buffer, rank->rank));
		outTableAdd(table, outDuration(buffer, rank->time));
		addShare(table, rank->time, path->end - path->start);
		outTableAdd(table, outDuration(buffer, rank->mpi));
	}
	outTablePrint(table, "  ", report->findings.tool->isColored);
	if (count < path->ranks->len)
		printf("  and %u more; --all lists them\n",
		       path->ranks->len - count);
}

static void printPathStates(const struct report *report)
{
	static const char *const headings[] = { "<State", ".Time", ".Share",
						NULL };
	const struct criticalPath *path = report->findings.path;
	struct outTable *table = outTableNew(headings);
	guint count = report->isAll
			      ? path->states->len
			      : MIN(path->states->len, (guint)report->top);
	char buffer[OUT_NUMBER_SIZE];

	for (guint i = 0; i < count; i++) {
		const struct pathState *state =
			&g_array_index(path->states, struct pathState, i);

		outTableAdd(table, state->name ? state->name : PATH_OUTSIDE);
		outTableAdd(table, outDuration(buffer, state->time));
		addShare(table, state->time, path->end - path->start);
	}
	outTablePrint(table, "  ", report->findings.tool->isColored);
	if (count < path->states->len)
		printf("  and %u more; --all lists them\n",
		       path->states->len - count);
}

/** Of relations it matters where they were. */
static void printPathNodes(const struct report *report)
{
	static const char *const headings[] = { "<Relations at", ".Time",
						".Share", NULL };
	const struct criticalPath *path = report->findings.path;
	struct outTable *table;
	guint count = report->isAll ? path->nodes->len
				    : MIN(path->nodes->len, (guint)report->top);
	char buffer[OUT_NUMBER_SIZE];

	if (!path->nodes->len)
		return;
	table = outTableNew(headings);
	for (guint i = 0; i < count; i++) {
		const struct pathNode *node =
			&g_array_index(path->nodes, struct pathNode, i);

		outTableAdd(table, node->node->path);
		outTableAdd(table, outDuration(buffer, node->time));
		addShare(table, node->time, path->end - path->start);
	}
	outTablePrint(table, "  ", report->findings.tool->isColored);
	if (count < path->nodes->len)
		printf("  and %u more; --all lists them\n",
		       path->nodes->len - count);
}

/** What could not be put together, and so is no cause. */
static void printUnpaired(const struct dependencyCounts *counts)
{
	char buffer[OUT_NUMBER_SIZE];

	if (counts->loose)
		printf("  Unmatched message ends: %" PRIu64 "\n",
		       counts->loose);
	if (counts->collectives)
		printf("  Unmatched collective calls: %" PRIu64 "\n",
		       counts->collectives);
	if (counts->backwards)
		printf("  Dependencies that go back in time (up to %s) beyond "
		       "the clock errors: %" PRIu64 "\n",
		       outDuration(buffer, counts->worst), counts->backwards);
}

/** Energy on the path and beside it, by a rule. */
static void printPathEnergy(const struct report *report, int rule)
{
	const struct criticalPath *path = report->findings.path;
	bool isCpu = (report->findings.rule == ATTRIBUTION_CPU) ==
		     (rule == FINDINGS_RULE);
	struct known onIt = { path->energy[rule].measured,
			      path->end - path->start };
	struct known beside = { path->beside[rule].measured, path->waiting };
	char buffer[OUT_NUMBER_SIZE];

	printf("  %s: %s%s",
	       rule == FINDINGS_RULE ? "Energy on the path"
	       : isCpu               ? "Divided by CPU time"
				     : "Divided equally",
	       knownMark(onIt),
	       quantityText(buffer, attributionEnergy(&path->energy[rule]),
			    "J"));
	printf(", of waiting ranks: %s%s\n", knownMark(beside),
	       quantityText(buffer, attributionEnergy(&path->beside[rule]),
			    "J"));
}

static void printPath(const struct report *report)
{
	const struct criticalPath *path = report->findings.path;
	char buffer[OUT_NUMBER_SIZE];
	int64_t length;

	if (!criticalPathMatters(path))
		return;
	length = path->end - path->start;
	reportTitle(report, "Critical path");
	printf("  %s through %u %s", outDuration(buffer, length),
	       path->ranks->len, path->ranks->len == 1 ? "rank" : "ranks");
	printf(": %s computing",
	       outDuration(buffer, length - path->mpi - path->tracer));
	printf(", %s in MPI", outDuration(buffer, path->mpi));
	printf(" (%s of this in transfers)",
	       outDuration(buffer, path->transfer));
	if (path->tracer)
		printf(", %s tracing", outDuration(buffer, path->tracer));
	putchar('\n');
	printf("  Waiting off the path, all ranks: %s\n",
	       outDuration(buffer, path->waiting));
	if (path->energy[FINDINGS_RULE].measured)
		printPathEnergy(report, FINDINGS_RULE);
	if (reportTextOtherDiffers(report, path->energy) ||
	    reportTextOtherDiffers(report, path->beside))
		printPathEnergy(report, FINDINGS_OTHER);
	printUnpaired(&path->counts);
	if (report->isFolded)
		return;
	printPathRanks(report);
	printPathNodes(report);
	printPathStates(report);
}

static void printCost(const struct report *report)
{
	bool hasLength = report->findings.start < report->findings.end;
	double seconds = hasLength ? (double)(report->findings.end -
					      report->findings.start) /
					     1e9
				   : 0;
	char buffer[OUT_NUMBER_SIZE];

	reportTitle(report, "Cost of tracing");
	printf("  Files      %s", outSize(buffer, report->findings.size));
	if (hasLength)
		printf(", %s per second",
		       outSize(buffer, (int64_t)((double)report->findings.size /
						 seconds)));
	putchar('\n');
	if (report->findings.callsNs >= 0)
		printf("  MPI calls  about %s of their time is tracing\n",
		       outDuration(buffer, report->findings.callsNs));
	if (report->findings.tracerNs < 0) {
		puts("  CPU time   not recorded; rut --sources tracer records "
		     "it");
		return;
	}
	printf("  CPU time   %s",
	       outDuration(buffer, report->findings.tracerNs));
	if (hasLength)
		printf(", %s %% of one CPU",
		       outRounded(buffer, (double)report->findings.tracerNs /
						  1e7 / seconds));
	printf("\n  Late       %" PRId64 " %s\n", report->findings.tracerLate,
	       report->findings.tracerLate == 1 ? "sample" : "samples");
}

static void printSpans(const struct report *report,
		       const struct findingsGroup *group,
		       const struct findingsSpans *spans, const char *what,
		       const char *whats)
{
	char buffer[OUT_NUMBER_SIZE];
	guint count;

	if (!spans->count)
		return;
	count = report->isAll ? spans->list->len
			      : MIN(spans->list->len, LISTED);
	printf("  ");
	outPrintable(reportNodeName(report, group->group->node));
	printf(" ");
	outPrintable(group->group->name);
	printf(": %" PRIu64 " %s, %s in total", spans->count,
	       spans->count == 1 ? what : whats,
	       outDuration(buffer, spans->total));
	if (spans == &group->late)
		printf(" (usual interval: %s)",
		       outDuration(buffer, group->usual));
	putchar('\n');
	for (guint i = 0; i < count; i++) {
		const struct findingsSpan *span =
			&g_array_index(spans->list, struct findingsSpan, i);

		printf("    %.3f s: %s\n",
		       (double)(span->start - report->findings.start) / 1e9,
		       outDuration(buffer, span->end - span->start));
	}
	if (spans->count > count)
		printf("    and %" PRIu64 " more%s\n", spans->count - count,
		       report->isAll ? "" : "; --all lists them");
}

static void reportTextPrintDiagnostics(const struct report *report)
{
	guint count =
		report->isAll
			? report->findings.diagnostics.list->len
			: MIN(report->findings.diagnostics.list->len, LISTED);
	GString *line = g_string_new(NULL);

	for (guint i = 0; i < count; i++) {
		const struct findingsDiagnostic *message =
			&g_array_index(report->findings.diagnostics.list,
				       struct findingsDiagnostic, i);

		g_string_truncate(line, 0);
		toolFormatDiagnostic(line, message->severity, message->rule,
				     message->file, message->offset,
				     message->text);
		printf("  %s\n", line->str);
	}
	if (report->findings.diagnostics.count > count)
		printf("  and %" PRIu64 " more diagnostics%s\n",
		       report->findings.diagnostics.count - count,
		       report->isAll ? "" : "; --all lists them");
	g_string_free(line, TRUE);
}

static void printProblems(const struct report *report)
{
	bool hasSome = report->findings.diagnostics.count > 0;

	reportTitle(report, "Gaps, late samples, problems");
	for (size_t i = 0; i < report->findings.project->groupCount; i++) {
		const struct findingsGroup *group = &report->findings.groups[i];

		hasSome |= group->gaps.count || group->late.count;
		printSpans(report, group, &group->gaps, "gap", "gaps");
		printSpans(report, group, &group->late,
			   "late or missing sample", "late or missing samples");
	}
	reportTextPrintDiagnostics(report);
	if (!hasSome)
		puts("  none");
}

/** What fits on a page. */
static void printFolded(const struct report *report)
{
	struct report shown = *report;

	shown.top = MIN(report->top, 4);
	shown.isFolded = true;
	if (report->findings.hasPhases)
		reportPrintPhases(&shown);
	if (report->findings.profile->states->len)
		reportPrintTop(&shown, false);
	reportPrintRegions(&shown);
	printPath(&shown);
	reportPrintFoldedProblems(&shown);
}

static void printNodes(const struct report *report)
{
	const hdIProject *project = report->findings.project;
	bool hasRoot = false;

	for (size_t i = 0; i < project->nodeCount; i++) {
		hasRoot |= project->nodes[i] == project->root;
		reportTextPrintNode(report, project->nodes[i]);
	}
	if (!hasRoot)
		reportTextPrintNode(report, project->root);
}

void reportPrintText(const struct report *report)
{
	bool isFolded = reportIsFolded(report);

	printHead(report);
	reportPrintFindings(report);
	if (isFolded && !report->isOfNodes)
		reportPrintNodes(report);
	else
		printNodes(report);
	if (isFolded) {
		printFolded(report);
		return;
	}
	if (report->findings.hasPhases)
		reportPrintPhases(report);
	reportPrintRegions(report);
	reportPrintStates(report);
	reportPrintSites(report);
	reportPrintOutside(report);
	reportPrintCounters(report);
	reportPrintKernels(report);
	printPath(report);
	reportPrintRelations(report);
	reportPrintLayers(report);
	printCost(report);
	printProblems(report);
}
