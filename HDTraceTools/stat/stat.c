/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace stat: summarizes the statistics of a project.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "HDTraceTools/command/phaseoptions.h"
#include "HDTraceTools/command/scan.h"
#include "HDTraceTools/command/select.h"
#include "HDTraceTools/command/tool.h"
#include "HDTraceTools/model/column.h"
#include "HDTraceTools/model/summary.h"
#include "HDTraceTools/model/units.h"
#include "HDTraceTools/stat/regions.h"
#include "cli/output.h"

/** What the whole command works on. */
struct statRun {
	struct tool *tool;
	const hdIProject *project;
	struct selection selection;
	struct scan scan;
	size_t chosen; /**< Groups that were summarized. */
	struct phases phases;
	struct phaseOptions phaseOptions;
	char *regions;
	bool hasPhases;
	struct outJson json;
};

/** What work on one group needs. */
struct statGroup {
	struct statRun *run;
	const hdIGroup *group;
	struct summary summary;
	bool hasMissing;        /**< There was a NaN. */
	struct outTable *table; /**< Text only. */
};

static const char *const headings[] = {
	"<Phase",    ">From", ">Duration", "<Value", "<Unit",
	">Count",    ">NaN",  ".Mean",     ".Min",   ".Max",
	".Std.dev.", ".Sum",  ".Integral", "<",      NULL,
};
/** Columns above that are not always shown. */
enum {
	COLUMN_PHASE,
	COLUMN_FROM,
	COLUMN_DURATION,
	COLUMN_MISSING = 6,
};

static bool isInteger(hdIType type)
{
	return type == HDI_INT32 || type == HDI_INT64 || type == HDI_UINT64;
}

static const char *nodePath(const hdIGroup *group)
{
	return group->node ? group->node->path : "";
}

/* ---- Printing ---------------------------------------------------------- */

/** A row of results, ready to be printed. */
struct row {
	const char *phase; /**< NULL if there are no phases. */
	const struct summarySlot *slot;
	const hdIValue *value;
	const struct moments *moments;
	struct momentsResult result;
	const char *integralUnit;
};

/** Minimum, maximum or sum: exact for integers; "" if there is none. */
static const char *exact(char *buffer, const struct row *row, double value,
			 outInt128 integer, bool isSum)
{
	if (row->moments->count == 0 || row->value->type == HDI_STRING)
		return strcpy(buffer, "");
	if (isInteger(row->value->type) && !(isSum && row->moments->shares))
		return outInteger(buffer, integer);
	return outDouble(buffer, value);
}

static void csvNumber(struct outCsv *csv, double value)
{
	char buffer[OUT_NUMBER_SIZE];

	outCsvPlain(csv, isnan(value) ? "" : outDouble(buffer, value));
}

static void csvTime(struct outCsv *csv, int64_t time)
{
	char buffer[OUT_NUMBER_SIZE];

	outCsvPlain(csv, outSeconds(buffer, time));
}

static void csvCount(struct outCsv *csv, uint64_t count)
{
	char buffer[OUT_NUMBER_SIZE];

	outCsvPlain(csv, outInteger(buffer, (outInt128)count));
}

static void printCsv(const struct statGroup *work, const struct row *row)
{
	struct outCsv csv = { false };
	char buffer[OUT_NUMBER_SIZE];
	const struct moments *m = row->moments;

	outCsvText(&csv, nodePath(work->group));
	outCsvText(&csv, work->group->name);
	outCsvText(&csv, row->value->name);
	outCsvPlain(&csv, columnTypeName(row->value->type));
	outCsvText(&csv, row->value->unit);
	outCsvText(&csv, row->phase ? row->phase : "");
	if (row->slot->start <= row->slot->end) {
		csvTime(&csv, row->slot->start);
		csvTime(&csv, row->slot->end);
	} else {
		outCsvPlain(&csv, "");
		outCsvPlain(&csv, "");
	}
	csvCount(&csv, row->slot->occurrences);
	csvCount(&csv, m->count);
	csvCount(&csv, m->missing);
	csvTime(&csv, (int64_t)m->weight);
	csvNumber(&csv, row->result.mean);
	outCsvPlain(&csv, exact(buffer, row, m->min, m->minInteger, false));
	outCsvPlain(&csv, exact(buffer, row, m->max, m->maxInteger, false));
	csvNumber(&csv, row->result.deviation);
	outCsvPlain(&csv,
		    exact(buffer, row, row->result.sum, m->sumInteger, true));
	csvNumber(&csv, row->result.integral);
	outCsvText(&csv, row->integralUnit);
	outCsvPlain(&csv,
		    valueIsSimulated(work->group, row->value) ? "1" : "0");
	outCsvEnd(&csv);
}

static void jsonSum(struct outJson *json, const struct row *row)
{
	char buffer[OUT_NUMBER_SIZE];
	const struct moments *m = row->moments;

	if (m->count == 0 || row->value->type == HDI_STRING)
		outJsonPlain(json, "sum", "null");
	else if (isInteger(row->value->type) && !m->shares)
		outJsonPlain(json, "sum", outInteger(buffer, m->sumInteger));
	else
		outJsonDouble(json, "sum", row->result.sum);
}

static void printJson(const struct statGroup *work, const struct row *row)
{
	struct outJson *json = &work->run->json;
	const struct moments *m = row->moments;
	char buffer[OUT_NUMBER_SIZE];

	outJsonObject(json, NULL, true);
	outJsonText(json, "node", nodePath(work->group));
	outJsonText(json, "group", work->group->name);
	outJsonText(json, "value", row->value->name);
	outJsonText(json, "type", columnTypeName(row->value->type));
	outJsonText(json, "unit", row->value->unit);
	if (row->phase)
		outJsonText(json, "phase", row->phase);
	else
		outJsonPlain(json, "phase", "null");
	if (row->slot->start <= row->slot->end) {
		outJsonSeconds(json, "start", row->slot->start);
		outJsonSeconds(json, "end", row->slot->end);
	} else {
		outJsonPlain(json, "start", "null");
		outJsonPlain(json, "end", "null");
	}
	outJsonPlain(json, "phases",
		     outInteger(buffer, (outInt128)row->slot->occurrences));
	outJsonPlain(json, "count", outInteger(buffer, (outInt128)m->count));
	outJsonPlain(json, "nan", outInteger(buffer, (outInt128)m->missing));
	outJsonSeconds(json, "seconds", (int64_t)m->weight);
	outJsonDouble(json, "mean", row->result.mean);
	momentsJsonRange(json, m, row->value->type);
	outJsonDouble(json, "stddev", row->result.deviation);
	jsonSum(json, row);
	outJsonDouble(json, "integral", row->result.integral);
	outJsonText(json, "integral_unit", row->integralUnit);
	outJsonBool(json, "simulated",
		    valueIsSimulated(work->group, row->value));
	outJsonEnd(json);
}

static const char *rounded(char *buffer, double value)
{
	return isnan(value) ? "-" : outRounded(buffer, value);
}

static const char *roundedExact(char *buffer, const struct row *row,
				double value, outInt128 integer, bool isSum)
{
	if (row->moments->count == 0 || row->value->type == HDI_STRING)
		return "-";
	if (isInteger(row->value->type) && !(isSum && row->moments->shares))
		return outInteger(buffer, integer);
	return outRounded(buffer, value);
}

static void addPhaseCells(const struct statGroup *work, struct outTable *table,
			  const struct row *row)
{
	char buffer[OUT_NUMBER_SIZE];
	const struct summarySlot *slot = row->slot;
	char *text;

	if (!row->phase || slot->occurrences == 1) {
		outTableAdd(table, row->phase ? row->phase : "");
	} else {
		text = g_strdup_printf("%s (%" PRIu64 ")", row->phase,
				       slot->occurrences);
		outTableAdd(table, text);
		g_free(text);
	}
	if (slot->start > slot->end) {
		outTableAdd(table, "-");
		outTableAdd(table, "-");
		return;
	}
	snprintf(buffer, sizeof(buffer), "%.3f s",
		 (double)(slot->start - work->run->selection.projectStart) /
			 1e9);
	outTableAdd(table, buffer);
	outTableAdd(table, outDuration(buffer, (int64_t)row->moments->weight));
}

static void addText(const struct statGroup *work, const struct row *row)
{
	char buffer[OUT_NUMBER_SIZE];
	const struct moments *m = row->moments;
	struct outTable *table = work->table;
	char *title = valueTitle(work->group, row->value);

	addPhaseCells(work, table, row);
	outTableAdd(table, title);
	g_free(title);
	outTableAdd(table, row->value->unit);
	outTableAdd(table, outInteger(buffer, (outInt128)m->count));
	outTableAdd(table, outInteger(buffer, (outInt128)m->missing));
	outTableAdd(table, rounded(buffer, row->result.mean));
	outTableAdd(table,
		    roundedExact(buffer, row, m->min, m->minInteger, false));
	outTableAdd(table,
		    roundedExact(buffer, row, m->max, m->maxInteger, false));
	outTableAdd(table, rounded(buffer, row->result.deviation));
	outTableAdd(table, roundedExact(buffer, row, row->result.sum,
					m->sumInteger, true));
	outTableAdd(table, rounded(buffer, row->result.integral));
	outTableAdd(table,
		    isnan(row->result.integral) ? "" : row->integralUnit);
}

static void printRow(struct statGroup *work, const struct row *row)
{
	if (row->moments->missing)
		work->hasMissing = true;
	switch (work->run->tool->format) {
	case TOOL_TEXT:
		addText(work, row);
		break;
	case TOOL_CSV:
		printCsv(work, row);
		break;
	case TOOL_JSON:
		printJson(work, row);
		break;
	}
}

/** Print the results of a phase. */
static void printSlot(struct summary *summary, const struct summarySlot *slot,
		      size_t name)
{
	struct statGroup *work = summary->data;
	struct row row = { .slot = slot };

	if (work->run->hasPhases)
		row.phase = work->run->phases.names->pdata[name];
	for (size_t i = 0; i < summary->columnCount; i++) {
		char *unit;

		row.value = &work->group->values[summary->columns[i]];
		row.moments = &slot->moments[i];
		row.result = momentsGet(row.moments, row.value->type);
		unit = row.value->type == HDI_STRING
			       ? g_strdup("")
			       : momentsIntegralUnit(row.value->unit);
		row.integralUnit = unit;
		printRow(work, &row);
		g_free(unit);
	}
}

/* ---- One group --------------------------------------------------------- */

static bool takeBlock(const hdIBlock *block, void *data)
{
	struct statGroup *work = data;

	summaryAddBlock(&work->summary, block);
	return true;
}

static void printTitle(const struct statGroup *work)
{
	const struct tool *tool = work->run->tool;
	char duration[OUT_NUMBER_SIZE];
	char date[OUT_NUMBER_SIZE];
	static bool isLater;

	printf("%s%s", isLater ? "\n" : "", tool->isColored ? "\033[1m" : "");
	isLater = true;
	outPrintable(*nodePath(work->group) ? nodePath(work->group)
					    : work->run->project->name);
	printf("  ");
	outPrintable(work->group->name);
	printf("%s  (%" PRIu64 " %s", tool->isColored ? "\033[0m" : "",
	       work->summary.entries,
	       work->summary.entries == 1 ? "entry" : "entries");
	if (work->summary.entries)
		printf(", %s from %s UTC",
		       outDuration(duration,
				   work->summary.end - work->summary.start),
		       outDate(date, work->summary.start, 3));
	puts(")");
}

static void startText(struct statGroup *work)
{
	work->table = outTableNew(headings);
	if (work->run->hasPhases)
		return;
	outTableHide(work->table, COLUMN_PHASE);
	outTableHide(work->table, COLUMN_FROM);
	outTableHide(work->table, COLUMN_DURATION);
}

static void endText(struct statGroup *work)
{
	toolProgressEnd(work->run->tool);
	printTitle(work);
	if (!work->hasMissing)
		outTableHide(work->table, COLUMN_MISSING);
	outTablePrint(work->table, "  ", work->run->tool->isColored);
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
			.take = printSlot,
			.data = &work,
		},
	};

	run->chosen++;
	summaryStart(&work.summary, &run->selection);
	if (work.summary.columnCount) {
		if (run->tool->format == TOOL_TEXT)
			startText(&work);
		scanGroup(&run->scan, group, takeBlock, &work);
	}
	summaryFinish(&work.summary);
	if (work.table)
		endText(&work);
}

/* ---- The command ------------------------------------------------------- */

/** Find the phases; the whole run is one if none are asked for. */
static int findPhases(struct statRun *run)
{
	struct selection *selection = &run->selection;

	run->hasPhases = phaseOptionsAre(&run->phaseOptions);
	if (phaseOptionsFind(&run->phaseOptions, run->tool, run->project,
			     selection->projectStart, &run->phases) < 0)
		return -1;
	if (!run->hasPhases)
		phasesAdd(&run->phases, INT64_MIN, INT64_MAX, "");
	phasesClip(&run->phases, selection->start, selection->end);
	return 0;
}

static void startOutput(struct statRun *run)
{
	switch (run->tool->format) {
	case TOOL_TEXT:
		break;
	case TOOL_CSV:
		outCsvLine("node,group,value,type,unit,phase,start,end,phases,"
			   "count,nan,seconds,mean,min,max,stddev,sum,"
			   "integral,integral_unit,simulated");
		break;
	case TOOL_JSON:
		outJsonObject(&run->json, NULL, false);
		outJsonText(&run->json, "project", run->project->name);
		outJsonText(&run->json, "file", run->project->file);
		outJsonArray(&run->json, "rows", false);
		break;
	}
}

static void summarize(struct statRun *run)
{
	startOutput(run);
	toolProgressStart(run->tool, scanGroupsSize(&run->scan));
	scanGroups(&run->scan, summarizeGroup, run);
	if (run->tool->format == TOOL_JSON) {
		outJsonEnd(&run->json);
		outJsonEnd(&run->json);
	} else if (run->tool->format == TOOL_TEXT && !run->chosen) {
		puts("No statistics.");
	}
}

static const struct toolHelp help = {
	.arguments = "PROJECT",
	.description =
		"Summarizes every value of every statistics group: number of "
		"entries, mean, minimum,\nmaximum, standard deviation, sum, "
		"and integral over time (power gives energy).\nMean and "
		"deviation weigh an entry by the length of its interval. NaN "
		"means \"no value\".\n\nTIME is in seconds since the start of "
		"the project, or @SECONDS since 1970.",
	.examples = "  hdtrace stat run1.proj\n"
		    "  hdtrace stat --group Energy --value P --from 10 --to 20 "
		    "run1\n"
		    "  hdtrace stat --phases borders.txt --format=csv run1\n"
		    "  hdtrace stat --phases-from node06_0_0:Barrier --by-name "
		    "run1\n"
		    "  hdtrace stat --regions 'All*' run1\n",
	.minArguments = 1,
	.maxArguments = 1,
};

static int runOn(struct statRun *run, const char *path)
{
	hdIProject *project = toolOpen(run->tool, path);
	int status;

	if (!project)
		return toolFinish(run->tool);
	run->project = project;
	run->scan = (struct scan){ .tool = run->tool,
				   .project = project,
				   .selection = &run->selection };
	phasesInit(&run->phases);
	status = selectResolve(&run->selection, run->tool, project,
			       phaseOptionsAre(&run->phaseOptions));
	if (status < 0 && run->regions &&
	    regionsPrint(run->tool, project, &run->selection, run->regions) < 0)
		status = TOOL_FAILED;
	else if (status < 0 && run->regions)
		status = toolFinish(run->tool);
	if (status < 0 && findPhases(run) < 0)
		status = TOOL_FAILED;
	if (status < 0) {
		summarize(run);
		status = toolFinish(run->tool);
	}
	phasesFree(&run->phases);
	hdI_closeProject(project);
	return status;
}

int statRun(struct tool *tool, int argc, char **argv)
{
	struct statRun run = { .tool = tool };
	const GOptionEntry entries[] = {
		SELECT_ENTRIES(&run.selection),
		PHASE_ENTRIES(&run.phaseOptions),
		{ "regions", 0, 0, G_OPTION_ARG_FILENAME, &run.regions,
		  "Energy of the states that match, for each trace",
		  "PATTERN" },
		PHASE_ENTRY_BY_NAME(&run.phaseOptions),
		{ NULL },
	};
	int status = toolParse(tool, &argc, &argv, entries, &help);

	if (status < 0 && run.regions &&
	    (phaseOptionsAre(&run.phaseOptions) || run.phaseOptions.isByName))
		status = toolUsage(tool, "--regions excludes --phases, "
					 "--phases-from and --by-name");
	if (status < 0)
		status = phaseOptionsCheck(&run.phaseOptions, tool);
	if (status < 0)
		status = runOn(&run, argv[1]);
	selectionFree(&run.selection);
	phaseOptionsFree(&run.phaseOptions);
	g_free(run.regions);
	return status;
}
