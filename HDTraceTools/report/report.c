/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace report: the command.
 */
#include "config.h"

#include "HDTraceTools/command/errors.h"
#include "HDTraceTools/command/idlepower.h"
#include "HDTraceTools/pages/page.h"
#include "HDTraceTools/report/html.h"
#include "HDTraceTools/report/report.h"

static void printReport(struct report *report, const GArray *runs)
{
	if (report->html)
		htmlWrite(&report->findings, report->html, report->maxSize,
			  report->isForced);
	else if (report->isCsv)
		reportPrintCsv(&report->findings);
	else if (report->findings.tool->format == OUT_JSON)
		reportPrintJson(&report->findings, runs);
	else
		reportPrintText(report);
}

/** Report a run; with other runs its place among these. */
static int reportRunOn(struct report *report, const char *path,
		       const GArray *runs)
{
	hdIProject *project = findingsOpen(&report->findings, path);
	bool isExceeded = false;
	int status;

	if (!project)
		return toolFinish(report->findings.tool);
	if (findingsStart(&report->findings, project) == 0) {
		findingsRead(&report->findings);
		printReport(report, runs);
		isExceeded = reportExceedsLimits(report);
	}
	status = toolFinish(report->findings.tool);
	if (status == TOOL_OK && isExceeded)
		status = TOOL_FOUND;
	findingsEnd(&report->findings);
	hdI_closeProject(project);
	return status;
}

/** Read one of several runs. */
static bool reportReadScale(const struct report *report, struct scalingRun *run)
{
	struct findings findings = report->findings;
	hdIProject *project;
	bool isGood = false;

	findingsDiagnosticsInit(&findings.diagnostics);
	project = findingsOpen(&findings, run->path);
	if (project) {
		isGood = findingsStart(&findings, project) == 0;
		if (isGood) {
			findingsRead(&findings);
			run->name = g_strdup(project->name);
			run->file = g_strdup(project->file);
			run->scale = findingsScaleOf(&findings);
		}
		findingsEnd(&findings);
		hdI_closeProject(project);
	}
	findingsDiagnosticsFree(&findings.diagnostics);
	return isGood;
}

/** Report how several runs scale. */
static int reportRunOnAll(struct report *report, char **paths, int count)
{
	struct tool *tool = report->findings.tool;
	GArray *runs = g_array_new(FALSE, TRUE, sizeof(struct scalingRun));
	bool isGood = true;
	int status;

	g_array_set_clear_func(runs, scalingRunClear);
	for (int i = 0; i < count && isGood; i++) {
		struct scalingRun run = { .path = paths[i] };

		isGood = reportReadScale(report, &run);
		g_array_append_val(runs, run);
	}
	if (isGood)
		scalingFind(report, runs);
	/* The report for programs is that of the largest run. */
	if (isGood && tool->format == OUT_JSON) {
		status = reportRunOn(
			report,
			g_array_index(runs, struct scalingRun, runs->len - 1)
				.path,
			runs);
	} else {
		if (isGood)
			scalingPrint(report, runs);
		status = toolFinish(tool);
	}
	g_array_unref(runs);
	return status;
}

static const struct cliOldLetter oldLetters[] = {
	{ 'o', "html", NULL },
	{ '\0', NULL, NULL },
};

static const struct toolHelp help = {
	.arguments = "PROJECT...",
	.description =
		"Report time and energy of a run: run time, energy and values "
		"of each node, the states with\nthe most time and energy, "
		"phases, the critical path, the cost of tracing, gaps, late "
		"samples\nand problems. Energies and means have error bounds "
		"if "
		"their sources state them.\nOf several runs with different "
		"numbers of ranks: how they scale.",
	.examples = "  hdtrace report run1.proj\n"
		    "  hdtrace report --phases borders.txt run1\n"
		    "  hdtrace report --format=json run1 >run1.json\n"
		    "  hdtrace report --html run1.html run1\n"
		    "  hdtrace report --fail='late-sender>5%' run1\n"
		    "  hdtrace report run-on-1 run-on-2 run-on-4\n",
	.minArguments = 1,
	.maxArguments = -1,
	.formats = TOOL_TEXT_JSON,
	.oldLetters = oldLetters,
	.hasNumbers = true,
};

/** See that the options of pages make sense. */
static int checkHtml(struct report *report, const char *maxSize)
{
	struct tool *tool = report->findings.tool;

	const char *forPages = maxSize                        ? "max-size"
			       : report->isForced             ? "force"
			       : report->findings.window.text ? "window"
							      : NULL;

	if (!report->html)
		return forPages ? toolNeeds(tool, forPages, "html") : -1;
	if (!pageExists())
		return toolUsage(tool, "--html: %s", pageMissing);
	if (tool->format == OUT_JSON)
		return toolUsage(
			tool, "--html: cannot be combined with --format=json");
	report->maxSize = HTML_MAX_SIZE;
	if (maxSize && htmlParseSize(maxSize, &report->maxSize) < 0)
		return toolUsage(tool,
				 "--max-size: invalid size \"%s\"; expected "
				 "bytes, or a number with k, M or G",
				 maxSize);
	return -1;
}

int reportRun(struct tool *tool, int argc, char **argv)
{
	struct report report = { .top = 10 };
	char *maxSize = NULL, *idlePower = NULL;
	const GOptionEntry entries[] = {
		FINDINGS_ENTRIES(&report.findings),
		ATTRIBUTION_ENTRY(&report.findings.ruleText),
		{ "from", 0, 0, G_OPTION_ARG_FILENAME,
		  &report.findings.selection.from,
		  "Report the time after this one only", "TIME" },
		{ "to", 0, 0, G_OPTION_ARG_FILENAME,
		  &report.findings.selection.to,
		  "Report the time before this one only", "TIME" },
		{ "top", 0, 0, G_OPTION_ARG_INT, &report.top,
		  "Number of states to list (default: 10)", "N" },
		{ "all", 'a', 0, G_OPTION_ARG_NONE, &report.isAll,
		  "List all states, gaps, late samples and problems", NULL },
		{ "idle-power", 0, 0, G_OPTION_ARG_FILENAME, &idlePower,
		  "Power of an idle node in W, or a power model, for the "
		  "avoidable energy of findings",
		  "WATTS|FILE" },
		{ "verbose", 'v', 0, G_OPTION_ARG_NONE, &report.isVerbose,
		  "List omitted power inputs with the reason", NULL },
		{ "html", 0, 0, G_OPTION_ARG_FILENAME, &report.html,
		  "Write an interactive page to FILE", "FILE" },
		{ "max-size", 0, 0, G_OPTION_ARG_FILENAME, &maxSize,
		  "Maximum size of the page (default: 50M)", "SIZE" },
		{ "what-if", 0, 0, G_OPTION_ARG_STRING_ARRAY,
		  &report.findings.questions,
		  "Estimate the run time with a change, such as balanced or "
		  "no-wait:all",
		  "SPEC" },
		{ "waiting", 0, 0, G_OPTION_ARG_STRING,
		  &report.findings.waitingText,
		  "How ranks wait for the energy of what-if: busy as recorded, "
		  "or idle (default: busy)",
		  "HOW" },
		{ "nodes", 0, 0, G_OPTION_ARG_NONE, &report.isOfNodes,
		  "Print the values of all nodes, even if they do not fit",
		  NULL },
		{ "ranks", 0, 0, G_OPTION_ARG_NONE, &report.isOfRanks,
		  "Print the times of each rank", NULL },
		{ "csv", 0, 0, G_OPTION_ARG_NONE, &report.isCsv,
		  "Print the findings as CSV, nothing else", NULL },
		{ "fail", 0, 0, G_OPTION_ARG_STRING_ARRAY, &report.limits,
		  "Exit with status 3 if a finding exceeds LIMIT, such as "
		  "'late-sender>5%'",
		  "LIMIT" },
		{ "scaling", 0, 0, G_OPTION_ARG_STRING, &report.scaling,
		  "How several runs scale: strong (the same work) or weak "
		  "(work grows with the ranks)",
		  "MODE" },
		{ "force", 'f', 0, G_OPTION_ARG_NONE, &report.isForced,
		  "Replace an existing page", NULL },
		{ NULL },
	};
	int status;

	findingsInit(&report.findings, tool);
	status = toolParse(tool, &argc, &argv, entries, &help);
	if (status < 0)
		status = findingsCheckOptions(&report.findings, report.html);
	if (status < 0 && report.top < 0)
		status = toolInvalidInt(tool, "top", report.top, "0 or more");
	if (status < 0)
		status = idlePowerParse(tool, idlePower,
					&report.findings.idlePower);
	if (status < 0)
		status = findingsCheckWhatIf(&report.findings);
	if (status < 0)
		status = reportCheckLimits(&report);
	if (status < 0 && report.isCsv &&
	    (report.html || tool->format == OUT_JSON))
		status = toolUsage(tool, "--csv: cannot be combined with "
					 "--html or --format=json");
	if (status < 0)
		status = checkHtml(&report, maxSize);
	report.findings.keepsAllWaits = report.html != NULL;
	if (status < 0)
		status = scalingCheck(&report, argc - 1);
	if (status < 0)
		status = argc > 2 ? reportRunOnAll(&report, argv + 1, argc - 1)
				  : reportRunOn(&report, argv[1], NULL);
	findingsClear(&report.findings);
	g_free(report.html);
	g_free(report.scaling);
	g_strfreev(report.limits);
	g_free(maxSize);
	g_free(idlePower);
	return status;
}
