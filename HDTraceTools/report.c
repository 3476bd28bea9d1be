/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file report.c
 * hdtrace report: finds out what a run did and drew.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "html.h"
#include "page.h"
#include "report.h"

/* ---- Sums -------------------------------------------------------------- */

static void addTracer(struct report *report, const struct reportGroup *group)
{
	for (size_t i = 0; i < group->group->valueCount; i++) {
		const hdIValue *value = &group->group->values[i];
		int64_t sum;

		if (value->type != HDI_INT64)
			continue;
		sum = (int64_t)group->moments[i].sumInteger;
		if (strcmp(value->name, "RUT_CPU_TIME") == 0)
			report->tracerNs = MAX(report->tracerNs, 0) + sum;
		else if (strcmp(value->name, "RUT_LATE") == 0)
			report->tracerLate += sum;
	}
}

static void addPhase(struct reportPhase *phase, const struct reportGroup *group)
{
	if (group->powerCount && group->countsForTotal)
		reportEnergyAdd(&phase->energy,
				&phase->groups[group->energyIndex]);
}

static void addUp(struct report *report)
{
	for (size_t i = 0; i < report->project->groupCount; i++) {
		const struct reportGroup *group = &report->groups[i];
		struct reportEnergy energy =
			reportGroupEnergy(group, group->moments);

		if (group->countsForTotal)
			reportEnergyAdd(&report->energy, &energy);
		addTracer(report, group);
		for (guint k = 0; k < report->phases->len; k++)
			addPhase(&g_array_index(report->phases,
						struct reportPhase, k),
				 group);
	}
}

/* ---- Phases ------------------------------------------------------------ */

static void startPhases(struct report *report)
{
	size_t count = report->isByName ? report->phaseList.names->len
					: report->phaseList.count;

	for (size_t i = 0; i < count; i++) {
		size_t name =
			report->isByName ? i : report->phaseList.list[i].name;
		struct reportPhase phase = {
			.name = report->phaseList.names->pdata[name],
			.start = INT64_MAX,
			.end = INT64_MIN,
			.groups = g_new0(struct reportEnergy,
					 report->energyCount + 1),
		};

		g_array_append_val(report->phases, phase);
	}
}

/** Set the times of the phases, with those of the data for open ends. */
static void endPhases(struct report *report)
{
	for (size_t i = 0; i < report->phaseList.count; i++) {
		const struct phase *phase = &report->phaseList.list[i];
		int64_t start = MAX(phase->start, report->start);
		int64_t end = MIN(phase->end, report->end);
		struct reportPhase *sum =
			&g_array_index(report->phases, struct reportPhase,
				       report->isByName ? phase->name : i);

		sum->occurrences++;
		if (start > end)
			continue;
		sum->start = MIN(sum->start, start);
		sum->end = MAX(sum->end, end);
		sum->length += end - start;
	}
}

static int findPhases(struct report *report)
{
	int64_t start = 0;
	int ret = 0;

	report->hasPhases = report->phasesFile || report->phasesFrom;
	if (report->phasesFile) {
		selectProjectStart(report->project, &start);
		ret = phasesRead(&report->phaseList, report->tool,
				 report->phasesFile, start);
	} else if (report->phasesFrom) {
		ret = phasesTake(&report->phaseList, report->tool,
				 report->project, report->phasesFrom);
	}
	if (ret == 0)
		startPhases(report);
	return ret;
}

/* ---- The command ------------------------------------------------------- */

/** Get ready for the project. */
static void startReport(struct report *report)
{
	const hdIProject *project = report->project;
	int64_t total = 0;

	report->start = INT64_MAX;
	report->end = INT64_MIN;
	report->tracerNs = -1;
	report->phases = g_array_new(FALSE, FALSE, sizeof(struct reportPhase));
	report->groups = g_new0(struct reportGroup, project->groupCount + 1);
	for (size_t i = 0; i < project->groupCount; i++) {
		const hdIGroup *group = project->groups[i];

		report->groups[i] = (struct reportGroup){
			.group = group,
			.start = INT64_MAX,
			.end = INT64_MIN,
			.shortest = INT64_MAX,
			.moments =
				g_new0(struct moments, group->valueCount + 1),
		};
		total += group->fileSize;
	}
	for (size_t i = 0; i < project->traceCount; i++)
		total += project->traces[i]->fileSize;
	report->size = total;
	reportChoosePowers(report);
	toolProgressStart(report->tool, total);
}

static void freeReport(struct report *report)
{
	for (size_t i = 0; i < report->project->groupCount; i++) {
		struct reportGroup *group = &report->groups[i];

		g_free(group->moments);
		g_free(group->isPower);
		if (group->gaps.list)
			g_array_unref(group->gaps.list);
		if (group->late.list)
			g_array_unref(group->late.list);
	}
	g_free(report->groups);
	profileFree(report->profile);
	for (guint i = 0; i < report->phases->len; i++)
		g_free(g_array_index(report->phases, struct reportPhase, i)
			       .groups);
	g_array_unref(report->phases);
}

int reportStart(struct report *report, const hdIProject *project)
{
	report->project = project;
	phasesInit(&report->phaseList);
	startReport(report);
	return findPhases(report);
}

void reportFind(struct report *report)
{
	reportReadAll(report);
	addUp(report);
	endPhases(report);
	toolProgressEnd(report->tool);
}

void reportEnd(struct report *report)
{
	freeReport(report);
	phasesFree(&report->phaseList);
}

static void printReport(struct report *report)
{
	if (report->html)
		htmlWrite(report, report->html, report->maxSize,
			  report->isForced);
	else if (report->tool->format == TOOL_JSON)
		reportPrintJson(report);
	else
		reportPrintText(report);
}

hdIProject *reportOpen(struct report *report, const char *path)
{
	hdIProject *project;

	report->tool->take = reportTakeMessage;
	report->tool->takeData = report;
	project = toolOpen(report->tool, path);
	/* Why not is among the messages. */
	for (guint i = 0; !project && i < report->messages.list->len; i++) {
		const struct reportMessage *message = &g_array_index(
			report->messages.list, struct reportMessage, i);

		toolError(report->tool, "%s: %s [%s]", message->file,
			  message->text, message->rule);
	}
	return project;
}

static int runOn(struct report *report, const char *path)
{
	hdIProject *project = reportOpen(report, path);
	int status;

	if (!project)
		return toolFinish(report->tool);
	if (reportStart(report, project) == 0) {
		reportFind(report);
		printReport(report);
	}
	status = toolFinish(report->tool);
	reportEnd(report);
	hdI_closeProject(project);
	return status;
}

static const struct toolHelp help = {
	.arguments = "PROJECT",
	.description =
		"Reports what a run did and drew: its length, energy and "
		"values of every node, the states\nthat took most time and "
		"energy, phases, what tracing cost, and every gap, late "
		"sample and\nproblem. Energy and means have the error bounds "
		"that follow from what their sources\nstate.",
	.examples = "  hdtrace report run1.proj\n"
		    "  hdtrace report --phases borders.txt run1\n"
		    "  hdtrace report --format=json run1 >run1.json\n"
		    "  hdtrace report --html run1.html run1\n",
	.minArguments = 1,
	.maxArguments = 1,
};

void reportInit(struct report *report, struct tool *tool)
{
	*report = (struct report){ .tool = tool, .top = 10 };
	reportMessagesInit(&report->messages);
}

void reportClear(struct report *report)
{
	reportMessagesFree(&report->messages);
	g_free(report->html);
	g_free(report->phasesFile);
	g_free(report->phasesFrom);
	g_free(report->power);
}

int reportCheckOptions(const struct report *report)
{
	if (report->phasesFile && report->phasesFrom)
		return toolUsage(report->tool, "--phases and --phases-from "
					       "exclude each other");
	if (report->isByName && !report->phasesFile && !report->phasesFrom)
		return toolUsage(report->tool, "--by-name needs --phases or "
					       "--phases-from");
	return -1;
}

/** See that the options of pages make sense. */
static int checkHtml(struct report *report, const char *maxSize)
{
	struct tool *tool = report->tool;

	if (!report->html)
		return maxSize || report->isForced
			       ? toolUsage(tool, "--max-size and --force need "
						 "--html")
			       : -1;
	if (!pageExists())
		return toolUsage(tool, "--html: %s", pageMissing);
	if (tool->format == TOOL_JSON)
		return toolUsage(tool, "--html and --format=json exclude each "
				       "other");
	report->maxSize = HTML_MAX_SIZE;
	if (maxSize && htmlParseSize(maxSize, &report->maxSize) < 0)
		return toolUsage(tool, "--max-size: not a size: \"%s\"",
				 maxSize);
	return -1;
}

int reportRun(struct tool *tool, int argc, char **argv)
{
	struct report report;
	char *maxSize = NULL;
	const GOptionEntry entries[] = {
		REPORT_ENTRIES(&report),
		{ "top", 0, 0, G_OPTION_ARG_INT, &report.top,
		  "Number of states to list (10)", "N" },
		{ "all", 'a', 0, G_OPTION_ARG_NONE, &report.isAll,
		  "List every state, gap, late sample and problem", NULL },
		{ "html", 'o', 0, G_OPTION_ARG_FILENAME, &report.html,
		  "Write a page to look at instead", "FILE" },
		{ "max-size", 0, 0, G_OPTION_ARG_FILENAME, &maxSize,
		  "Reduce the resolution of a page that is larger (50M)",
		  "SIZE" },
		{ "force", 0, 0, G_OPTION_ARG_NONE, &report.isForced,
		  "Replace the page if it exists", NULL },
		{ NULL },
	};
	int status;

	reportInit(&report, tool);
	status = toolParse(tool, &argc, &argv, entries, &help);
	if (status < 0 && tool->format == TOOL_CSV)
		status = toolUsage(tool, "--format: not text or json; "
					 "hdtrace stat prints csv");
	if (status < 0)
		status = reportCheckOptions(&report);
	if (status < 0 && report.top < 0)
		status = toolUsage(tool, "--top is negative");
	if (status < 0)
		status = checkHtml(&report, maxSize);
	if (status < 0)
		status = runOn(&report, argv[1]);
	reportClear(&report);
	g_free(maxSize);
	return status;
}
