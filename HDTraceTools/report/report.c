/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace report: the command.
 */
#include "config.h"

#include "HDTraceTools/pages/page.h"
#include "HDTraceTools/report/html.h"
#include "HDTraceTools/report/report.h"

static void printReport(struct report *report)
{
	if (report->html)
		htmlWrite(&report->findings, report->html, report->maxSize,
			  report->isForced);
	else if (report->findings.tool->format == OUT_JSON)
		reportPrintJson(&report->findings);
	else
		reportPrintText(report);
}

static int runOn(struct report *report, const char *path)
{
	hdIProject *project = findingsOpen(&report->findings, path);
	int status;

	if (!project)
		return toolFinish(report->findings.tool);
	if (findingsStart(&report->findings, project) == 0) {
		findingsRead(&report->findings);
		printReport(report);
	}
	status = toolFinish(report->findings.tool);
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
	.formats = TOOL_TEXT_JSON,
	.oldLetters = oldLetters,
};

/** See that the options of pages make sense. */
static int checkHtml(struct report *report, const char *maxSize)
{
	struct tool *tool = report->findings.tool;

	if (!report->html)
		return maxSize || report->isForced ||
				       report->findings.window.text
			       ? toolUsage(tool, "--max-size, --window and "
						 "--force need --html")
			       : -1;
	if (!pageExists())
		return toolUsage(tool, "--html: %s", pageMissing);
	if (tool->format == OUT_JSON)
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
	struct report report = { .top = 10 };
	char *maxSize = NULL;
	const GOptionEntry entries[] = {
		FINDINGS_ENTRIES(&report.findings),
		ATTRIBUTION_ENTRY(&report.findings.ruleText),
		{ "top", 0, 0, G_OPTION_ARG_INT, &report.top,
		  "Number of states to list (10)", "N" },
		{ "all", 'a', 0, G_OPTION_ARG_NONE, &report.isAll,
		  "List every state, gap, late sample and problem", NULL },
		{ "html", 0, 0, G_OPTION_ARG_FILENAME, &report.html,
		  "Write a page to look at instead", "FILE" },
		{ "max-size", 0, 0, G_OPTION_ARG_FILENAME, &maxSize,
		  "Reduce the resolution of a page that is larger (50M)",
		  "SIZE" },
		{ "force", 'f', 0, G_OPTION_ARG_NONE, &report.isForced,
		  "Replace the page if it exists", NULL },
		{ NULL },
	};
	int status;

	findingsInit(&report.findings, tool);
	status = toolParse(tool, &argc, &argv, entries, &help);
	if (status < 0)
		status = findingsCheckOptions(&report.findings, report.html);
	if (status < 0 && report.top < 0)
		status = toolUsage(tool, "--top is negative");
	if (status < 0)
		status = checkHtml(&report, maxSize);
	if (status < 0)
		status = runOn(&report, argv[1]);
	findingsClear(&report.findings);
	g_free(report.html);
	g_free(maxSize);
	return status;
}
