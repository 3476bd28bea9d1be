/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace stat: summarizes the statistics of a project.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "HDTraceTools/stat/statprint.h"
#include "HDTraceTools/command/core/delayoption.h"
#include "HDTraceTools/command/phaseoptions.h"
#include "HDTraceTools/command/powers.h"
#include "HDTraceTools/command/core/scan.h"
#include "HDTraceTools/command/select.h"
#include "HDTraceTools/command/core/tool.h"
#include "HDTraceTools/command/windowoption.h"
#include "HDTraceTools/model/extent.h"
#include "HDTraceTools/model/kind.h"
#include "HDTraceTools/model/mpi/roles.h"
#include "HDTraceTools/model/summary.h"
#include "HDTraceTools/model/units.h"
#include "HDTraceTools/command/attributionoption.h"
#include "HDTraceTools/command/errors.h"
#include "HDTraceTools/relations/relations.h"
#include "HDTraceTools/stat/callsites.h"
#include "HDTraceTools/stat/regions.h"
#include "HDTraceTools/stat/samples.h"
#include "HDTraceTools/stat/shares.h"
#include "HDTraceTools/stat/volumes.h"
#include "cli/known.h"
#include "cli/output.h"
#include "cli/rows.h"

/** A group that waits until it is known how long the run was. */
struct statWaiting {
	const hdIGroup *group;
	struct summary summary; /**< Its counts; of the rest, the columns. */
	struct summarySlot slot;
};

/** What is printed of a value in a phase. */
const struct rowColumn statColumns[] = {
	{ "<Phase", NULL, ROW_TEXT, 0 },
	{ ">From", NULL, ROW_TEXT, ROW_DASH },
	{ ">Duration", NULL, ROW_DURATION, ROW_DASH },
	{ "<Value", NULL, ROW_TEXT, 0 },
	{ "<Kind", NULL, ROW_TEXT, 0 },
	{ NULL, "node", ROW_TEXT, 0 },
	{ NULL, "group", ROW_TEXT, 0 },
	{ NULL, "value", ROW_TEXT, 0 },
	{ NULL, "type", ROW_TEXT, 0 },
	{ "<Unit", "unit", ROW_TEXT, 0 },
	{ NULL, "phase", ROW_TEXT, 0 },
	{ NULL, "start_s", ROW_TIME, 0, "start" },
	{ NULL, "end_s", ROW_TIME, 0, "end" },
	{ NULL, "phases", ROW_COUNT, 0 },
	{ ">Count", "count", ROW_COUNT, 0 },
	{ ">NaN", "nan", ROW_COUNT, 0 },
	{ NULL, "seconds", ROW_TIME, ROW_NOT_JSON },
	{ ".Mean", "mean", ROW_NUMBER, ROW_DASH },
	{ ".Min", "min", ROW_NUMBER, ROW_DASH },
	{ ".Max", "max", ROW_NUMBER, ROW_DASH },
	{ ".Std.dev.", "stddev", ROW_NUMBER, ROW_DASH },
	{ NULL, "sum", ROW_NUMBER, 0 },
	{ ".Integral", "integral", ROW_NUMBER, ROW_DASH },
	{ "<", NULL, ROW_TEXT, 0 },
	{ NULL, "integral_unit", ROW_TEXT, 0 },
	{ ".Total", NULL, ROW_NUMBER, ROW_DASH },
	{ "<", NULL, ROW_TEXT, 0 },
	{ ".Rate", NULL, ROW_NUMBER, ROW_DASH },
	{ "<", NULL, ROW_TEXT, 0 },
	{ NULL, "simulated", ROW_FLAG, 0 },
	{ NULL, "duration_s", ROW_TIME, 0 },
	{ ">Known", "known_s", ROW_TIME, ROW_DASH },
	{ NULL, "kind", ROW_TEXT, 0 },
	{ NULL, "kind_guessed", ROW_FLAG, 0 },
	{ NULL, "total", ROW_NUMBER, 0 },
	{ NULL, "total_unit", ROW_TEXT, 0 },
	{ NULL, "rate", ROW_NUMBER, 0 },
	{ NULL, "rate_unit", ROW_TEXT, 0 },
	{ NULL, "rate_min", ROW_NUMBER, 0 },
	{ NULL, "rate_max", ROW_NUMBER, 0 },
	{ NULL, "resets", ROW_COUNT, 0 },
	{ NULL, NULL, ROW_TEXT, 0 },
};

/* ---- One group --------------------------------------------------------- */

static bool statAddBlock(const hdIBlock *block, void *data)
{
	struct statGroup *work = data;

	summaryAddBlock(&work->summary, block);
	if (!work->run->hasPhases)
		extentAdd(&work->run->extent, block->start[0],
			  block->end[block->count - 1]);
	return true;
}

static bool statAddFirst(const hdIBlock *block, void *data)
{
	statAddBlock(block, data);
	return false;
}

/** Read a group. Its first block tells when it starts; after it, entries before
 *  the selected time may be skipped. */
static void statReadGroup(struct statGroup *work)
{
	const struct statRun *run = work->run;
	hdIStatReader *reader = scanOpenStat(&run->scan, work->group);

	if (reader && !run->hasPhases && !run->window.length &&
	    scanBlocks(&run->scan, reader, statAddFirst, work) == 1)
		hdI_skipStat(reader, run->selection.start);
	scanBlocks(&run->scan, reader, statAddBlock, work);
	hdI_closeStat(reader);
}

/** Begin a title: node and group, after a blank line between groups. */
static void startTitle(const struct statGroup *work)
{
	const struct tool *tool = work->run->tool;
	const char *path = rolesPath(work->group->node);
	static bool isLater;

	printf("%s%s", isLater ? "\n" : "", tool->isColored ? "\033[1m" : "");
	isLater = true;
	outPrintable(*path ? path : work->run->project->name);
	printf("  ");
	outPrintable(work->group->name);
	printf("%s", tool->isColored ? "\033[0m" : "");
}

static void statPrintTitle(const struct statGroup *work)
{
	char duration[OUT_NUMBER_SIZE];
	char date[OUT_NUMBER_SIZE];

	startTitle(work);
	printf("  (%" PRIu64 " %s", work->summary.entries,
	       work->summary.entries == 1 ? "entry" : "entries");
	if (work->summary.entries)
		printf(", %s from %s UTC",
		       outDuration(duration,
				   work->summary.end - work->summary.start),
		       outDate(date, work->summary.start, 3));
	puts(")");
}

/** Windows are printed before all entries are known. */
static void printWindowTitle(const struct statGroup *work)
{
	const char *text = work->run->window.text;

	startTitle(work);
	/* Without a unit it is in seconds. */
	printf("  (windows of %s%s)\n", text,
	       g_ascii_isalpha(text[strlen(text) - 1]) ? "" : " s");
}

/** Hide what none of the kinds has. */
static void hideKinds(const struct statGroup *work)
{
	static const size_t ofGauges[] = { COLUMN_MEAN, COLUMN_STDDEV,
					   COLUMN_INTEGRAL,
					   COLUMN_INTEGRAL_TITLE };
	static const size_t ofAmounts[] = { COLUMN_TOTAL_SHOWN,
					    COLUMN_TOTAL_TITLE,
					    COLUMN_RATE_SHOWN,
					    COLUMN_RATE_TITLE };

	for (size_t i = 0; !work->hasGauges && i < G_N_ELEMENTS(ofGauges); i++)
		rowsHide(work->run->rows, ofGauges[i]);
	for (size_t i = 0; !work->hasAmounts && i < G_N_ELEMENTS(ofAmounts);
	     i++)
		rowsHide(work->run->rows, ofAmounts[i]);
}

static void printResets(const struct statGroup *work)
{
	for (size_t i = 0; i < work->group->valueCount; i++) {
		uint64_t count = work->resets[i];

		if (!count)
			continue;
		printf("  ");
		outPrintable(work->group->values[i].name);
		printf(" was reset to 0 %" PRIu64 " %s.\n", count,
		       count == 1 ? "time" : "times");
	}
}

/** Print the rows that wait. */
static void statPrintTable(struct statGroup *work)
{
	struct rows *rows = work->run->rows;

	if (!work->hasMissing)
		rowsHide(rows, COLUMN_NAN);
	if (!work->isPartial)
		rowsHide(rows, COLUMN_KNOWN);
	hideKinds(work);
	if (!work->run->hasPhases) {
		rowsHide(rows, COLUMN_PHASE_TITLE);
		rowsHide(rows, COLUMN_FROM);
		rowsHide(rows, COLUMN_DURATION);
	}
	rowsPrint(rows, "  ", work->run->tool->isColored);
}

/** So many rows are a table; of windows there may be any number. */
#define TABLE_ROWS 1000

/** Print the table of some windows, so that they need not all be kept. */
static void printWindows(struct statGroup *work)
{
	toolProgressHide(work->run->tool);
	if (!work->isContinued)
		printWindowTitle(work);
	statPrintTable(work);
	work->isContinued = true;
	work->waiting = 0;
}

static void endText(struct statGroup *work)
{
	toolProgressEnd(work->run->tool);
	if (!work->run->window.length) {
		statPrintTitle(work);
		statPrintTable(work);
	} else if (work->waiting || !work->isContinued) {
		printWindows(work);
	}
	if (work->hasGuesses)
		puts("  " KIND_GUESSED_NOTE);
	printResets(work);
}

/** Keep the results of a group that has no phases. */
static void keepSlot(struct statGroup *work, const struct summarySlot *slot)
{
	struct summary *summary = &work->summary;
	struct statWaiting waiting = {
		.group = work->group,
		.summary = *summary,
		.slot = *slot,
	};

	waiting.summary.columns =
		g_memdup2(summary->columns, (summary->columnCount + 1) *
						    sizeof(*summary->columns));
	waiting.slot.moments =
		g_memdup2(slot->moments,
			  (summary->columnCount + 1) * sizeof(*slot->moments));
	g_array_append_val(work->run->waiting, waiting);
}

static void takeWindow(struct statGroup *work, const struct summarySlot *slot,
		       size_t number)
{
	char buffer[OUT_NUMBER_SIZE];

	statPrintSlot(work, slot, outInteger(buffer, (outInt128)number));
	work->waiting += work->summary.columnCount;
	if (work->run->tool->format == OUT_TEXT && work->waiting >= TABLE_ROWS)
		printWindows(work);
	/* Nobody reads on, and there may be very many. */
	work->summary.isPaused = ferror(stdout);
}

/** Take the results of a phase. */
static void statAddSlot(struct summary *summary, const struct summarySlot *slot,
			size_t name)
{
	struct statGroup *work = summary->data;

	if (work->run->window.length)
		takeWindow(work, slot, name);
	else if (work->run->hasPhases)
		statPrintSlot(work, slot, work->run->phases.names->pdata[name]);
	else
		keepSlot(work, slot);
}

static void summarizeGroup(const hdIGroup *group, void *data)
{
	struct statRun *run = data;
	struct statGroup work = {
		.run = run,
		.group = group,
		.summary = {
			.group = group,
			.phases = &run->phases,
			.isByName = run->phaseOptions.isByName,
			.take = statAddSlot,
			.data = &work,
			.run = run->extent,
		},
	};
	bool hasColumns;

	run->chosen++;
	work.resets = g_new0(uint64_t, group->valueCount + 1);
	summaryStart(&work.summary, &run->selection);
	hasColumns = work.summary.columnCount > 0;
	if (hasColumns)
		statReadGroup(&work);
	else if (!run->hasPhases)
		extentAddGroup(&run->extent, run->project, group);
	summaryFinish(&work.summary);
	if (hasColumns && run->hasPhases && run->tool->format == OUT_TEXT)
		endText(&work);
	g_free(work.resets);
}

/** The run is as long as all of its files say; those that were summarized were
 *  read. */
static void extendToRest(struct statRun *run)
{
	const hdIProject *project = run->project;

	for (size_t i = 0; i < project->groupCount; i++) {
		if (!scanHasGroup(&run->scan, project->groups[i]))
			extentAddGroup(&run->extent, project,
				       project->groups[i]);
	}
	for (size_t i = 0; i < project->traceCount; i++)
		extentAddTrace(&run->extent, project, project->traces[i]);
	for (size_t i = 0; i < project->relationCount; i++)
		extentAddRelations(&run->extent, project,
				   project->relations[i]);
}

/** Print a group that has waited. */
static void printWaiting(struct statRun *run, struct statWaiting *waiting)
{
	struct statGroup work = {
		.run = run,
		.group = waiting->group,
		.summary = waiting->summary,
		.resets = g_new0(uint64_t, waiting->group->valueCount + 1),
	};
	const struct selection *selection = &run->selection;

	waiting->slot.length =
		extentLength(&run->extent, selection->start, selection->end);
	statPrintSlot(&work, &waiting->slot, NULL);
	if (work.summary.columnCount && run->tool->format == OUT_TEXT)
		endText(&work);
	g_free(work.resets);
	g_free(waiting->summary.columns);
	g_free(waiting->slot.moments);
}

/* ---- The command ------------------------------------------------------- */

/** Find the phases; the whole run is one if none are asked for. */
static int statFindPhases(struct statRun *run)
{
	struct selection *selection = &run->selection;

	run->hasPhases =
		phaseOptionsAre(&run->phaseOptions) || run->window.length;
	if (phaseOptionsFind(&run->phaseOptions, run->tool, run->project,
			     selection->projectStart, &run->phases) < 0)
		return -1;
	if (!run->hasPhases)
		phasesAdd(&run->phases, INT64_MIN, INT64_MAX, "");
	else
		run->extent = extentOfProject(run->project);
	if (run->window.length)
		windowOptionFind(&run->window, selection, &run->extent,
				 &run->phases);
	else
		phasesClip(&run->phases, selection->start, selection->end);
	return 0;
}

static void statStartOutput(struct statRun *run)
{
	run->rows = rowsNew(statColumns, run->tool->format, &run->json);
	rowsHeader(run->rows);
	if (run->tool->format != OUT_JSON)
		return;
	outJsonDocument(&run->json, "hdtrace-stat");
	outJsonText(&run->json, "project", run->project->name);
	outJsonText(&run->json, "file", run->project->file);
	if (run->window.length)
		outJsonSeconds(&run->json, "window_s", run->window.length);
	outJsonArray(&run->json, "rows", false);
}

/** Whether relations are summarized: all of the run, by nothing but names. */
static bool statHasRelations(const struct statRun *run)
{
	return run->project->relationCount && !run->hasPhases &&
	       !run->selection.groups && !run->selection.values &&
	       run->tool->format != OUT_CSV;
}

/** Print sums of relations by name and layer. */
static void statPrintRelations(struct statRun *run)
{
	struct relationsRun relations = {
		.tool = run->tool,
		.format = run->tool->format,
		.json = &run->json,
		.project = run->project,
		.selection = run->selection,
		.depth = -1,
	};

	relationsRead(&relations);
	if (!run->tool->hasFailed && run->tool->format == OUT_TEXT)
		printf("%s%sRelations%s\n", run->chosen ? "\n" : "",
		       run->tool->isColored ? "\033[1m" : "",
		       run->tool->isColored ? "\033[0m" : "");
	if (!run->tool->hasFailed) {
		if (run->tool->format == OUT_JSON)
			outJsonObject(&run->json, "relations", false);
		relationsPrintSums(&relations);
		if (run->tool->format == OUT_JSON)
			outJsonEnd(&run->json);
	}
	relationsForget(&relations);
}

/** Say which values make up the power of nodes. */
static void tellPowers(struct statRun *run)
{
	bool isJson = run->tool->format == OUT_JSON;
	struct powerChoice *powers;

	if (!isJson && (!run->isVerbose || run->tool->format != OUT_TEXT))
		return;
	powers = powerChoiceNew(run->project, NULL);
	if (isJson)
		powersPut(&run->json, run->project, powers);
	else
		powersPrint(run->project, powers);
	powerChoiceFree(powers);
}

static void statSummarize(struct statRun *run)
{
	statStartOutput(run);
	toolProgressStart(run->tool, scanGroupsSize(&run->scan));
	scanGroups(&run->scan, summarizeGroup, run);
	if (run->waiting->len)
		extendToRest(run);
	for (guint i = 0; i < run->waiting->len; i++)
		printWaiting(run, &g_array_index(run->waiting,
						 struct statWaiting, i));
	if (run->tool->format == OUT_JSON) {
		outJsonEnd(&run->json);
	} else if (run->tool->format == OUT_TEXT && !run->chosen &&
		   !statHasRelations(run)) {
		puts("No statistics.");
	}
	if (statHasRelations(run))
		statPrintRelations(run);
	tellPowers(run);
	if (run->tool->format == OUT_JSON)
		outJsonEnd(&run->json);
	rowsFree(run->rows);
}

static const struct toolHelp help = {
	.arguments = "PROJECT",
	.description =
		"Summarize the values of all statistics groups: number of "
		"entries, minimum, maximum;\nmean, standard deviation and "
		"integral of gauges; total and rate of counters and "
		"deltas.\nThe mean is time-weighted. The integral of power is "
		"energy. NaN means \"no value\".\n\nTIME counts from the "
		"start of the project, in seconds or with a unit (500ms); "
		"@SECONDS counts from 1970.",
	.examples = "  hdtrace stat run1.proj\n"
		    "  hdtrace stat --group Energy --value P --from 10 --to 20 "
		    "run1\n"
		    "  hdtrace stat --phases borders.txt --format=csv run1\n"
		    "  hdtrace stat --phases-from node06_0_0:Barrier --by-name "
		    "run1\n"
		    "  hdtrace stat --window=0.5 --format=csv run1\n"
		    "  hdtrace stat --regions 'All*' run1\n"
		    "  hdtrace stat --regions '*' --by-site run1\n"
		    "  hdtrace stat --shares run1\n"
		    "  hdtrace stat --volume run1\n",
	.minArguments = 1,
	.maxArguments = 1,
	.hasNumbers = true,
};

static int statRunOn(struct statRun *run, const char *path)
{
	hdIProject *project = toolOpen(run->tool, path);
	int status;

	if (!project)
		return toolFinish(run->tool);
	delayApply(run->tool, project, run->isAsRecorded);
	run->project = project;
	run->scan = (struct scan){ .tool = run->tool,
				   .project = project,
				   .selection = &run->selection };
	phasesInit(&run->phases);
	run->waiting = g_array_new(FALSE, FALSE, sizeof(struct statWaiting));
	status = selectResolve(&run->selection, run->tool, project,
			       phaseOptionsAre(&run->phaseOptions) ||
				       run->window.length);
	if (status < 0 && run->isBySite &&
	    callSitesPrint(run->tool, project, &run->selection, run->regions,
			   run->rule) < 0)
		status = TOOL_FAILED;
	else if (status < 0 && run->regions && !run->isBySite &&
		 regionsPrint(run->tool, project, &run->selection, run->regions,
			      run->rule) < 0)
		status = TOOL_FAILED;
	else if (status < 0 && run->isShares &&
		 sharesPrint(run->tool, project, &run->selection, run->rule) <
			 0)
		status = TOOL_FAILED;
	else if (status < 0 && run->isVolume &&
		 volumesPrint(run->tool, project, &run->selection) < 0)
		status = TOOL_FAILED;
	else if (status < 0 && run->isSamples &&
		 samplesPrint(run->tool, project, &run->selection, run->rule) <
			 0)
		status = TOOL_FAILED;
	else if (status < 0 && (run->regions || run->isShares ||
				run->isVolume || run->isSamples))
		status = toolFinish(run->tool);
	if (status < 0 && statFindPhases(run) < 0)
		status = TOOL_FAILED;
	if (status < 0) {
		statSummarize(run);
		status = toolFinish(run->tool);
	}
	g_array_unref(run->waiting);
	phasesFree(&run->phases);
	hdI_closeProject(project);
	return status;
}

int statRun(struct tool *tool, int argc, char **argv)
{
	struct statRun run = { .tool = tool, .extent = EXTENT_NONE };
	const GOptionEntry entries[] = {
		SELECT_ENTRIES(&run.selection),
		PHASE_ENTRIES(&run.phaseOptions),
		{ "regions", 0, 0, G_OPTION_ARG_FILENAME, &run.regions,
		  "Print time and energy of matching states, by trace",
		  "PATTERN" },
		{ "by-site", 0, 0, G_OPTION_ARG_NONE, &run.isBySite,
		  "With --regions: group the states by call site", NULL },
		{ "shares", 0, 0, G_OPTION_ARG_NONE, &run.isShares,
		  "Print time fractions and energy of all states by trace, "
		  "and C-states",
		  NULL },
		{ "volume", 0, 0, G_OPTION_ARG_NONE, &run.isVolume,
		  "Print bytes and message sizes of MPI by function, call "
		  "site, pair of ranks, and communicator",
		  NULL },
		{ "samples", 0, 0, G_OPTION_ARG_NONE, &run.isSamples,
		  "Print time and energy of functions between MPI calls, from "
		  "samples",
		  NULL },
		PHASE_ENTRY_BY_NAME(&run.phaseOptions),
		WINDOW_ENTRY(&run.window),
		ATTRIBUTION_ENTRY(&run.ruleText),
		DELAY_ENTRY(&run.isAsRecorded),
		POWERS_ENTRY(0, &run.isVerbose),
		{ NULL },
	};
	int status = toolParse(tool, &argc, &argv, entries, &help);

	if (status < 0 && run.isBySite && !run.regions)
		status = toolNeeds(tool, "by-site", "regions");
	if (status < 0 && run.regions && run.isShares)
		status = toolExcludes(tool, "regions", "shares");
	if (status < 0 && run.isSamples &&
	    (run.regions || run.isShares || run.isVolume))
		status = toolExcludes(tool, "samples",
				      run.regions    ? "regions"
				      : run.isShares ? "shares"
						     : "volume");
	if (status < 0 && run.isVolume && (run.regions || run.isShares))
		status = toolExcludes(tool, "volume",
				      run.regions ? "regions" : "shares");
	if (status < 0 &&
	    (run.regions || run.isShares || run.isVolume || run.isSamples) &&
	    (phaseOptionsAre(&run.phaseOptions) || run.phaseOptions.isByName ||
	     run.window.text))
		status = toolUsage(tool,
				   "%s: cannot be combined with --phases, "
				   "--phases-from, --by-name or --window",
				   run.regions    ? "--regions"
				   : run.isShares ? "--shares"
				   : run.isVolume ? "--volume"
						  : "--samples");
	if (status < 0 && run.window.text && phaseOptionsAre(&run.phaseOptions))
		status = toolUsage(tool, "--window: cannot be combined with "
					 "--phases or --phases-from");
	if (status < 0 && run.ruleText && !run.regions && !run.isShares &&
	    !run.isSamples)
		status = toolUsage(
			tool, "--attribution: requires --regions or --shares");
	if (status < 0)
		status = attributionOptionParse(run.ruleText, tool, &run.rule);
	if (status < 0)
		status = windowOptionParse(&run.window, tool);
	if (status < 0)
		status = phaseOptionsCheck(&run.phaseOptions, tool);
	if (status < 0)
		status = statRunOn(&run, argv[1]);
	selectionFree(&run.selection);
	phaseOptionsFree(&run.phaseOptions);
	windowOptionFree(&run.window);
	g_free(run.regions);
	g_free(run.ruleText);
	return status;
}
