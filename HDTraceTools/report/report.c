/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace report: the command.
 */
#include "config.h"

#include "HDTraceTools/command/errors.h"
#include "HDTraceTools/pages/page.h"
#include "HDTraceTools/report/html.h"
#include "HDTraceTools/report/report.h"

static void printReport(struct report *report)
{
	if (report->html)
		htmlWrite(&report->findings, report->html, report->maxSize,
			  report->isForced);
	else if (report->isCsv)
		reportPrintCsv(&report->findings);
	else if (report->findings.tool->format == OUT_JSON)
		reportPrintJson(&report->findings);
	else
		reportPrintText(report);
}

static int reportRunOn(struct report *report, const char *path)
{
	hdIProject *project = findingsOpen(&report->findings, path);
	bool isExceeded = false;
	int status;

	if (!project)
		return toolFinish(report->findings.tool);
	if (findingsStart(&report->findings, project) == 0) {
		findingsRead(&report->findings);
		printReport(report);
		isExceeded = reportExceedsLimits(report);
	}
	status = toolFinish(report->findings.tool);
	if (status == TOOL_OK && isExceeded)
		status = TOOL_FOUND;
	findingsEnd(&report->findings);
	hdI_closeProject(project);
	return status;
}

static const struct cliOldLetter oldLetters[] = {
	{ 'o', "html", NULL },
	{ '\0', NULL, NULL },
};

static const struct toolHelp help = {
	.arguments = "PROJECT",
	.description =
		"Report time and energy of a run: run time, energy and values "
		"of each node, the states with\nthe most time and energy, "
		"phases, the critical path, the cost of tracing, gaps, late "
		"samples\nand problems. Energies and means have error bounds "
		"if "
		"their sources state them.",
	.examples = "  hdtrace report run1.proj\n"
		    "  hdtrace report --phases borders.txt run1\n"
		    "  hdtrace report --format=json run1 >run1.json\n"
		    "  hdtrace report --html run1.html run1\n"
		    "  hdtrace report --fail='late-sender>5%' run1\n",
	.minArguments = 1,
	.maxArguments = 1,
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
	char *maxSize = NULL;
	const GOptionEntry entries[] = {
		FINDINGS_ENTRIES(&report.findings),
		ATTRIBUTION_ENTRY(&report.findings.ruleText),
		{ "top", 0, 0, G_OPTION_ARG_INT, &report.top,
		  "Number of states to list (default: 10)", "N" },
		{ "all", 'a', 0, G_OPTION_ARG_NONE, &report.isAll,
		  "List all states, gaps, late samples and problems", NULL },
		{ "idle-power", 0, 0, G_OPTION_ARG_DOUBLE,
		  &report.findings.idlePower,
		  "Power of an idle node in W, for the avoidable energy of "
		  "findings",
		  "WATTS" },
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
	if (status < 0 && !(report.findings.idlePower >= 0 ||
			    report.findings.idlePower == -1))
		status = toolUsage(tool, "--idle-power: must be 0 or more");
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
	if (status < 0)
		status = reportRunOn(&report, argv[1]);
	findingsClear(&report.findings);
	g_free(report.html);
	g_strfreev(report.limits);
	g_free(maxSize);
	return status;
}
