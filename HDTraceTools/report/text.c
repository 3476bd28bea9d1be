/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace report, for people.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "HDTraceTools/report/report.h"

/** So many gaps and late samples of a group, and messages, are listed. */
#define LISTED 5

static const char *plusMinus(const struct report *report)
{
	return report->findings.tool->isUnicode ? "\302\261" : "+-";
}

static void title(const struct report *report, const char *text)
{
	printf("\n%s", report->findings.tool->isColored ? "\033[1m" : "");
	outPrintable(text);
	puts(report->findings.tool->isColored ? "\033[0m" : "");
}

static const char *nodeName(const struct report *report, const hdINode *node)
{
	return *node->path ? node->path : report->findings.project->name;
}

/** "12.5 J +- 0.2 J (simulated)" */
static char *energyText(const struct report *report,
			const struct findingsEnergy *energy)
{
	GString *text = g_string_new(NULL);
	char buffer[OUT_NUMBER_SIZE];

	g_string_append_printf(text, "%s J",
			       outRounded(buffer, energy->joules));
	if (energy->hasBound)
		g_string_append_printf(text, " %s %s J", plusMinus(report),
				       outRounded(buffer, energy->bound));
	if (energy->isSimulated)
		g_string_append(text, " (simulated)");
	return g_string_free(text, FALSE);
}

static void printEnergy(const struct report *report,
			const struct findingsEnergy *energy)
{
	char *text = energyText(report, energy);
	char buffer[OUT_NUMBER_SIZE];

	printf("%s", text);
	if (energy->seconds > 0)
		printf(", %s W on average",
		       outRounded(buffer, energy->joules / energy->seconds));
	putchar('\n');
	g_free(text);
}

/* ---- The whole run ----------------------------------------------------- */

static void printCount(uint64_t count, const char *one, const char *many)
{
	printf("%" PRIu64 " %s", count, count == 1 ? one : many);
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
	printCount(project->groupCount, "group of statistics",
		   "groups of statistics");
	printf(", ");
	printCount(project->traceCount, "trace", "traces");
	printf(" with ");
	printCount(report->findings.profile->stateCount, "state", "states");
	printf(" and ");
	printCount(report->findings.profile->eventCount, "event", "events");
	putchar('\n');
	printf("  Energy        ");
	if (report->findings.energy.isKnown)
		printEnergy(report, &report->findings.energy);
	else
		puts("not measured");
	for (size_t i = 0; i < project->clockCount; i++) {
		printf("  Clock         ");
		outPrintable(project->clocks[i].node);
		printf(" is correct to %s\n",
		       outDuration(buffer, project->clocks[i].error));
	}
}

/* ---- Nodes ------------------------------------------------------------- */

static const char *const valueHeadings[] = {
	"<Group", "<Value", "<Unit", ".Mean",  ".Error", ".Min",
	".Max",   ".Total", "<",     ".Error", "<Note",  NULL,
};

/** Columns above that are not always shown. */
enum { COLUMN_ERROR = 4, COLUMN_TOTAL = 7, COLUMN_TOTAL_ERROR = 9 };

static void addNumber(struct outTable *table, double value)
{
	char buffer[OUT_NUMBER_SIZE];

	outTableAdd(table, isnan(value) ? "" : outRounded(buffer, value));
}

static void addBound(const struct report *report, struct outTable *table,
		     bool isKnown, double bound)
{
	char buffer[OUT_NUMBER_SIZE];
	char *text;

	if (!isKnown || isnan(bound)) {
		outTableAdd(table, "");
		return;
	}
	text = g_strdup_printf("%s %s", plusMinus(report),
			       outRounded(buffer, bound));
	outTableAdd(table, text);
	g_free(text);
}

static void addExtreme(struct outTable *table, const struct moments *moments,
		       hdIType type, double value, outInt128 integer)
{
	char buffer[OUT_NUMBER_SIZE];

	if (moments->count == 0 || type == HDI_STRING)
		outTableAdd(table, "");
	else if (type == HDI_FLOAT || type == HDI_DOUBLE)
		outTableAdd(table, outRounded(buffer, value));
	else
		outTableAdd(table, outInteger(buffer, integer));
}

static void addNote(struct outTable *table, const struct findingsGroup *group,
		    size_t i)
{
	const hdIValue *value = &group->group->values[i];
	const struct moments *moments = &group->moments[i];
	GString *text = g_string_new(NULL);

	if (valueIsSimulated(group->group, value))
		g_string_append(text, "simulated");
	if (moments->missing)
		g_string_append_printf(text, "%s%" PRIu64 " missing",
				       text->len ? ", " : "", moments->missing);
	if (moments->count == 0)
		g_string_append_printf(text, "%sno values",
				       text->len ? ", " : "");
	outTableAdd(table, text->str);
	g_string_free(text, TRUE);
}

static void addValue(const struct report *report, struct outTable *table,
		     const struct findingsGroup *group, size_t i)
{
	const hdIValue *value = &group->group->values[i];
	const struct moments *moments = &group->moments[i];
	const struct findingsValue *found = &group->values[i];

	outTableAdd(table, group->group->name);
	outTableAdd(table, value->name);
	outTableAdd(table, value->unit);
	addNumber(table, found->result.mean);
	addBound(report, table, found->bound.isKnown, found->bound.mean);
	addExtreme(table, moments, value->type, moments->min,
		   moments->minInteger);
	addExtreme(table, moments, value->type, moments->max,
		   moments->maxInteger);
	addNumber(table, found->total);
	outTableAdd(table, found->totalUnit ? found->totalUnit : "");
	addBound(report, table, true, found->totalBound);
	addNote(table, group, i);
}

static void printNode(const struct report *report, const hdINode *node)
{
	struct outTable *table = NULL;
	const struct findingsGroup *power = NULL;
	bool hasBounds = false;
	bool hasTotals = false;

	for (size_t i = 0; i < report->findings.project->groupCount; i++) {
		const struct findingsGroup *group = &report->findings.groups[i];

		if (group->group->node != node || !group->group->valueCount)
			continue;
		if (!table)
			table = outTableNew(valueHeadings);
		if (group->powerCount)
			power = group;
		for (size_t k = 0; k < group->group->valueCount; k++) {
			addValue(report, table, group, k);
			hasBounds |= group->values[k].bound.isKnown;
			hasTotals |= group->values[k].totalUnit != NULL;
		}
	}
	if (!table)
		return;
	if (!hasBounds)
		outTableHide(table, COLUMN_ERROR);
	if (!hasTotals) {
		outTableHide(table, COLUMN_TOTAL);
		outTableHide(table, COLUMN_TOTAL + 1);
	}
	if (!hasBounds || !hasTotals)
		outTableHide(table, COLUMN_TOTAL_ERROR);
	title(report, nodeName(report, node));
	if (power) {
		const char *between = "";

		printf("  Energy: ");
		printEnergy(report, &power->energy);
		printf("  (from ");
		for (size_t i = 0; i < power->group->valueCount; i++) {
			if (!power->isPower[i])
				continue;
			printf("%s", between);
			outPrintable(power->group->values[i].name);
			between = " + ";
		}
		puts(power->energy.isKnown && !power->energy.hasBound
			     ? "; its source states neither resolution nor "
			       "class)"
			     : ")");
	}
	outTablePrint(table, "  ", report->findings.tool->isColored);
}

/* ---- Phases ------------------------------------------------------------ */

static void addPhaseRow(const struct report *report, struct outTable *table,
			const struct findingsPhase *phase, const char *node,
			const struct findingsEnergy *energy)
{
	char buffer[OUT_NUMBER_SIZE];
	char *name = phase->occurrences == 1
			     ? g_strdup(phase->name)
			     : g_strdup_printf("%s (%" PRIu64 ")", phase->name,
					       phase->occurrences);

	outTableAdd(table, name);
	g_free(name);
	if (phase->start <= phase->end) {
		snprintf(buffer, sizeof(buffer), "%.3f s",
			 (double)(phase->start - report->findings.start) / 1e9);
		outTableAdd(table, buffer);
		outTableAdd(table, outDuration(buffer, phase->length));
	} else {
		outTableAdd(table, "-");
		outTableAdd(table, "-");
	}
	outTableAdd(table, node);
	addNumber(table, energy->isKnown ? energy->joules : NAN);
	addBound(report, table, energy->hasBound, energy->bound);
	addNumber(table, findingsWatts(energy));
	outTableAdd(table, energy->isSimulated ? "simulated" : "");
}

/** Say which phases drew most, if there are several. */
static void printMost(const struct report *report)
{
	const struct findingsMost most = report->findings.most;
	char buffer[OUT_NUMBER_SIZE];
	char *text;

	if (most.power) {
		text = energyText(report, &most.power->energy);
		printf("  Most power: ");
		outPrintable(most.power->name);
		printf(", %s W on average, %s\n",
		       outRounded(buffer, findingsWatts(&most.power->energy)),
		       text);
		g_free(text);
	}
	if (most.energy) {
		text = energyText(report, &most.energy->energy);
		printf("  Most energy: ");
		outPrintable(most.energy->name);
		printf(", %s\n", text);
		g_free(text);
	}
}

static void printPhases(const struct report *report)
{
	static const char *const headings[] = {
		"<Phase", ">From",      ">Duration", "<Node", ".Energy (J)",
		".Error", ".Power (W)", "<Note",     NULL,
	};
	struct outTable *table = outTableNew(headings);
	bool hasBounds = false;

	for (guint i = 0; i < report->findings.phases->len; i++) {
		const struct findingsPhase *phase = &g_array_index(
			report->findings.phases, struct findingsPhase, i);

		hasBounds |= phase->energy.hasBound;
		if (report->findings.energyCount != 1)
			addPhaseRow(report, table, phase, "all",
				    &phase->energy);
		for (size_t k = 0; k < report->findings.project->groupCount;
		     k++) {
			const struct findingsGroup *group =
				&report->findings.groups[k];

			if (group->powerCount)
				addPhaseRow(
					report, table, phase,
					nodeName(report, group->group->node),
					&phase->groups[group->energyIndex]);
		}
	}
	if (!hasBounds)
		outTableHide(table, 5);
	title(report, "Phases");
	outTablePrint(table, "  ", report->findings.tool->isColored);
	printMost(report);
}

/* ---- States ------------------------------------------------------------ */

static void printTop(const struct report *report, bool isEnergy)
{
	static const char *const headings[] = {
		"<State",   ">Count",      ">Own time", ">Total time",
		">Longest", ".Energy (J)", NULL,
	};
	struct outTable *table = outTableNew(headings);
	const GPtrArray *states =
		isEnergy ? report->findings.byEnergy : report->findings.byTime;
	guint count = report->isAll ? states->len
				    : MIN(states->len, (guint)report->top);
	char buffer[OUT_NUMBER_SIZE];

	for (guint i = 0; i < count; i++) {
		const struct profileState *state = states->pdata[i];
		const struct powerAmount *amount = &state->own.amounts[0];

		outTableAdd(table, state->name);
		outTableAdd(table, outInteger(buffer, (outInt128)state->count));
		outTableAdd(table, outDuration(buffer, state->own.time));
		outTableAdd(table, outDuration(buffer, state->total.time));
		outTableAdd(table, outDuration(buffer, state->longest));
		addNumber(table, amount->measured ? amount->energy : NAN);
	}
	if (!report->findings.energy.isKnown)
		outTableHide(table, 5);
	title(report, isEnergy ? "States by energy" : "States by time");
	outTablePrint(table, "  ", report->findings.tool->isColored);
	if (count < states->len)
		printf("  and %u more; --all lists them\n",
		       states->len - count);
}

static void printStates(const struct report *report)
{
	if (!report->findings.profile->states->len)
		return;
	printTop(report, false);
	if (report->findings.energy.isKnown) {
		printTop(report, true);
		puts("  A node's energy is shared equally by its ranks, a "
		     "rank's by its traces, and\n  charged to the "
		     "innermost state of each.");
	}
}

/* ---- What it cost, and what is wrong ----------------------------------- */

static void printCost(const struct report *report)
{
	bool hasLength = report->findings.start < report->findings.end;
	double seconds = hasLength ? (double)(report->findings.end -
					      report->findings.start) /
					     1e9
				   : 0;
	char buffer[OUT_NUMBER_SIZE];

	title(report, "Cost of tracing");
	printf("  Files      %s", outSize(buffer, report->findings.size));
	if (hasLength)
		printf(", %s a second",
		       outSize(buffer, (int64_t)((double)report->findings.size /
						 seconds)));
	putchar('\n');
	if (report->findings.tracerNs < 0) {
		puts("  CPU time   not recorded (rut --sources tracer does)");
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
	outPrintable(nodeName(report, group->group->node));
	printf(" ");
	outPrintable(group->group->name);
	printf(": %" PRIu64 " %s, %s in all", spans->count,
	       spans->count == 1 ? what : whats,
	       outDuration(buffer, spans->total));
	if (spans == &group->late)
		printf(" (most entries take %s)",
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

static void printDiagnostics(const struct report *report)
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
		printf("  and %" PRIu64 " more messages%s\n",
		       report->findings.diagnostics.count - count,
		       report->isAll ? "" : "; --all lists them");
	g_string_free(line, TRUE);
}

static void printProblems(const struct report *report)
{
	bool hasSome = report->findings.diagnostics.count > 0;

	title(report, "Gaps, late samples, problems");
	for (size_t i = 0; i < report->findings.project->groupCount; i++) {
		const struct findingsGroup *group = &report->findings.groups[i];

		hasSome |= group->gaps.count || group->late.count;
		printSpans(report, group, &group->gaps, "gap", "gaps");
		printSpans(report, group, &group->late,
			   "late or missing sample", "late or missing samples");
	}
	printDiagnostics(report);
	if (!hasSome)
		puts("  none");
}

void reportPrintText(const struct report *report)
{
	const hdIProject *project = report->findings.project;
	bool hasRoot = false;

	printHead(report);
	for (size_t i = 0; i < project->nodeCount; i++) {
		hasRoot |= project->nodes[i] == project->root;
		printNode(report, project->nodes[i]);
	}
	if (!hasRoot)
		printNode(report, project->root);
	if (report->findings.hasPhases)
		printPhases(report);
	printStates(report);
	printCost(report);
	printProblems(report);
}
