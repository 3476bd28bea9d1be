/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace delay: how far power lags behind what causes it.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "HDTraceTools/base/plainfile.h"
#include "HDTraceTools/command/core/delayoption.h"
#include "HDTraceTools/command/errors.h"
#include "HDTraceTools/command/core/scan.h"
#include "HDTraceTools/command/select.h"
#include "HDTraceTools/model/power/delayestimate.h"
#include "HDTraceTools/delay/loads.h"
#include "HDTraceTools/delay/measure.h"
#include "HDTraceTools/edit/statattribute.h"
#include "HDTraceTools/model/power/choice.h"
#include "HDTraceTools/model/units.h"
#include "cli/errors.h"
#include "cli/rows.h"
#include "common/format/projectfile.h"

/** Where meters are late, and a clock may be wrong. */
#define LEAST_DEFAULT (-0.5)
#define MOST_DEFAULT 2.0
#define RANGE_LARGEST 60.0
/** What --measure makes. */
#define PROJECT_DEFAULT "delay"

struct delayRun {
	struct tool *tool;
	const hdIProject *project;
	struct scan scan;
	struct selection selection;
	struct loadChoice choice;
	double least;
	double most;
	gboolean isWritten;  /**< Results go into the files. */
	gboolean isMeasured; /**< The project is made first. */
	struct measureChoice measure;
	struct rows *rows;
	struct outJson *json;
	size_t found;
	size_t groups;
};

enum column {
	COL_NODE,
	COL_GROUP,
	COL_LOAD,
	COL_DELAY,
	COL_ERROR,
	COL_CORRELATION,
	COL_WITHOUT,
	COL_CYCLE,
	COL_ENTRIES,
	COL_IDLE,
	COL_PER_LOAD,
	COL_OTHER,
	COL_REASON,
};

static const struct rowColumn columns[] = {
	[COL_NODE] = { "<Node", "node", ROW_TEXT, 0 },
	[COL_GROUP] = { "<Group", "group", ROW_TEXT, 0 },
	[COL_LOAD] = { "<Load", "load", ROW_TEXT, ROW_DASH },
	[COL_DELAY] = { ">Delay", "delay_s", ROW_NUMBER, ROW_DASH },
	[COL_ERROR] = { ">+/-", "delay_error_s", ROW_NUMBER, ROW_DASH },
	[COL_CORRELATION] = { ">Correlation", "correlation", ROW_NUMBER,
			      ROW_DASH },
	[COL_WITHOUT] = { ">Without", "correlation_without_delay", ROW_NUMBER,
			  ROW_DASH },
	[COL_CYCLE] = { ">Cycle", "cycle_s", ROW_NUMBER, ROW_DASH },
	[COL_ENTRIES] = { ">Entries", "entries", ROW_COUNT, 0 },
	[COL_IDLE] = { NULL, "idle_w", ROW_NUMBER, 0 },
	[COL_PER_LOAD] = { NULL, "per_load_w", ROW_NUMBER, 0 },
	[COL_OTHER] = { NULL, "other_delay_s", ROW_NUMBER, 0 },
	[COL_REASON] = { "<", "reason", ROW_TEXT, 0 },
	{ NULL, NULL, ROW_TEXT, 0 },
};

static void delayFailed(struct delayRun *self, int ret)
{
	if (!self->tool->hasFailed)
		toolErrorTemporary(self->tool, ret);
}

/** Print a number of seconds for people as ms. */
static void putSeconds(struct rows *rows, enum column column, double seconds)
{
	char text[32];

	rowsNumber(rows, column, seconds);
	if (isnan(seconds))
		return;
	snprintf(text, sizeof(text), "%.1f ms", seconds * 1e3);
	rowsShow(rows, column, text);
}

static void putEstimate(struct delayRun *self, const hdIGroup *group,
			const char *load, const struct delayEstimate *estimate)
{
	struct rows *rows = self->rows;
	bool isFound = estimate->reason == DELAY_FOUND;
	bool isFitted = isFound || estimate->reason == DELAY_REPEATED;

	rowsText(rows, COL_NODE, group->node->path);
	rowsText(rows, COL_GROUP, group->name);
	rowsText(rows, COL_LOAD, load);
	putSeconds(rows, COL_DELAY, isFound ? estimate->delay : NAN);
	putSeconds(rows, COL_ERROR, isFound ? estimate->error : NAN);
	rowsNumber(rows, COL_CORRELATION,
		   isFitted ? estimate->correlation : NAN);
	rowsNumber(rows, COL_WITHOUT, isFitted ? estimate->without : NAN);
	putSeconds(rows, COL_CYCLE,
		   estimate->cycle > 0 ? estimate->cycle : NAN);
	rowsCount(rows, COL_ENTRIES, estimate->entries);
	rowsNumber(rows, COL_IDLE, isFound ? estimate->idle : NAN);
	rowsNumber(rows, COL_PER_LOAD, isFound ? estimate->perLoad : NAN);
	rowsNumber(rows, COL_OTHER,
		   estimate->reason == DELAY_REPEATED ? estimate->other : NAN);
	if (!isFound)
		rowsText(rows, COL_REASON, delayReasonText(estimate->reason));
	rowsEnd(rows);
	self->groups++;
	self->found += isFound;
}

/** Write what was found into the file of a group: beside what was taken away
 *  while it was recorded. */
static void writeDelay(struct delayRun *self, const hdIGroup *group,
		       const struct delayEstimate *estimate)
{
	int64_t delay, applied;
	char buffer[OUT_NUMBER_SIZE];
	const char *why;
	int ret;

	delayOfGroup(group, &delay, &applied);
	delay = applied + (int64_t)llrint(estimate->delay * 1e9);
	ret = statAttributeSet(group->file, "delay", outSeconds(buffer, delay),
			       &why);
	if (ret < 0)
		toolError(self->tool, CLI_TEXT_WRITE, group->file,
			  why ? why : plainFileError(ret));
}

/** Choose the values of a group that were asked for, and tell power. */
static bool choosePower(const struct delayRun *self, const hdIGroup *group,
			bool *isPower)
{
	bool isAny = false;

	if (!self->selection.values)
		return powerOfGroup(self->scan.project, group, isPower) > 0;
	for (size_t i = 0; i < group->valueCount; i++) {
		isPower[i] = unitIsPower(group->values[i].unit) &&
			     selectionHasValue(&self->selection,
					       group->values[i].name);
		isAny = isAny || isPower[i];
	}
	return isAny;
}

static int delayReadPower(const struct delayRun *self, const hdIGroup *group,
			  struct powerSeries **series)
{
	bool *isPower = g_new0(bool, group->valueCount + 1);
	int ret = 0;

	*series = NULL;
	if (choosePower(self, group, isPower)) {
		*series = powerSeriesOfNode(group, isPower);
		ret = scanSeries(&self->scan, group, *series);
	}
	g_free(isPower);
	return ret;
}

static int delayCompareGroup(struct delayRun *self, const hdIGroup *group,
			     const struct powerSeries *power)
{
	struct delayEstimate estimate = { .reason = DELAY_ALONE };
	struct load load;
	int ret = loadRead(&self->scan, group->node, &self->choice, &load);

	if (ret > 0) {
		const struct delayInput input = {
			.load = load.series,
			.loadLateNs = load.lateNs,
			.isLoadExact = self->choice.state != NULL,
			.power = power,
			.leastNs = (int64_t)(self->least * 1e9),
			.mostNs = (int64_t)(self->most * 1e9),
			.start = self->selection.start,
			.end = self->selection.end,
		};

		estimate = delayFind(&input);
	}
	if (ret >= 0 && estimate.reason == DELAY_FAILED)
		ret = -EIO;
	if (ret >= 0)
		putEstimate(self, group, load.source, &estimate);
	if (ret >= 0 && self->isWritten && estimate.reason == DELAY_FOUND)
		writeDelay(self, group, &estimate);
	loadForget(&load);
	return ret;
}

static void delayAddGroup(const hdIGroup *group, void *data)
{
	struct delayRun *self = data;
	struct powerSeries *power;
	int ret;

	if (self->tool->hasFailed)
		return;
	ret = delayReadPower(self, group, &power);
	if (ret >= 0 && power)
		ret = delayCompareGroup(self, group, power);
	if (ret < 0)
		delayFailed(self, ret);
	powerSeriesFree(power);
}

static void delayAnalyse(const hdIProject *project, void *data)
{
	struct delayRun *self = data;
	struct outJson json = { .depth = 0 };

	self->project = project;
	self->scan = (struct scan){ .tool = self->tool,
				    .project = project,
				    .selection = &self->selection };
	if (self->tool->format == OUT_JSON) {
		outJsonDocument(&json, "hdtrace-delay");
		outJsonText(&json, "project", self->project->name);
		outJsonText(&json, "file", self->project->file);
		outJsonArray(&json, "groups", false);
	}
	self->rows = rowsNew(columns, self->tool->format, &json);
	rowsHeader(self->rows);
	toolProgressStart(self->tool, scanGroupsSize(&self->scan));
	scanGroups(&self->scan, delayAddGroup, self);
	toolProgressEnd(self->tool);
	rowsPrint(self->rows, "", self->tool->isColored);
	rowsFree(self->rows);
	if (self->tool->format == OUT_JSON) {
		outJsonEnd(&json);
		outJsonEnd(&json);
	}
	if (self->groups == 0 && !self->tool->hasFailed)
		toolError(self->tool, "%s: the project has no power group",
			  self->project->file);
}

static const struct cliNumber numbers[] = {
	{ "least", -RANGE_LARGEST, RANGE_LARGEST, "s" },
	{ "most", -RANGE_LARGEST, RANGE_LARGEST, "s" },
	{ NULL, 0, 0, NULL },
};

static const struct toolHelp help = {
	.numbers = numbers,
	.arguments = "PROJECT | --measure -c FILE",
	.description = "Find by how much power lags behind the load that "
		       "causes it. Compares the power of each "
		       "entry\nwith the load of an earlier interval, and "
		       "prints the delay with the "
		       "best fit and its 95 %\nuncertainty. delay= in "
		       "pt.cfg(5) removes the delay "
		       "while recording; --write removes it from\nexisting "
		       "files. --measure "
		       "records a project that is suitable to find the delay.",
	.examples = "  hdtrace delay run1.proj\n"
		    "  hdtrace delay --state=load --most=0.5 run1.proj\n"
		    "  hdtrace delay --measure -c pt.cfg -p lag\n",
	.minArguments = 0,
	.maxArguments = 1,
	.hasNumbers = true,
};

static int delayRunOn(struct delayRun *self, const char *path)
{
	int status = selectRun(&self->selection, self->tool, path, false, true,
			       delayAnalyse, self);

	return status == TOOL_OK && self->found < self->groups ? TOOL_PROBLEMS
							       : status;
}

/* A project is named, or one is to be measured. */
static int checkMeasure(struct delayRun *self, int argc)
{
	const struct measureChoice *choice = &self->measure;
	bool isChosen = choice->configuration || choice->project ||
			choice->cpus || choice->order || choice->isForced;

	if (!self->isMeasured && isChosen)
		return toolUsage(self->tool,
				 "--config, --project, --cpus, --order and "
				 "--force require --measure");
	if (!self->isMeasured && argc < 2)
		return toolMissing(self->tool, "PROJECT");
	if (!self->isMeasured)
		return -1;
	if (argc > 1)
		return toolUsage(self->tool,
				 "--measure: cannot be combined with a "
				 "project; --project names the new one");
	if (!choice->configuration)
		return toolMissingOption(self->tool, "config");
	if (self->choice.state)
		return toolExcludes(self->tool, "state", "measure");
	return -1;
}

static int measureAndRun(struct delayRun *self)
{
	struct measureChoice *choice = &self->measure;
	char *file;
	int status;

	if (!choice->project)
		choice->project = PROJECT_DEFAULT;
	self->choice.state = MEASURE_STATE;
	if (!measureRun(self->tool, choice))
		return toolFinish(self->tool);
	/* Where it is HDTRACE_PREFIX says, too. */
	file = hdProjectFileName(choice->project, ".proj");
	status = delayRunOn(self, file ? file : choice->project);
	free(file);
	return status;
}

int delayRun(struct tool *tool, int argc, char **argv)
{
	struct delayRun self = { .tool = tool,
				 .least = LEAST_DEFAULT,
				 .most = MOST_DEFAULT };
	char *value = NULL, *state = NULL;
	char *configuration = NULL, *project = NULL, *cpus = NULL;
	char *order = NULL;
	gboolean isForced = FALSE;
	const GOptionEntry entries[] = {
		SELECT_ENTRIES(&self.selection),
		{ "load", 0, 0, G_OPTION_ARG_STRING, &value,
		  "Values used as the load (default: CPU_TOTAL)", "PATTERN" },
		{ "state", 0, 0, G_OPTION_ARG_STRING, &state,
		  "States used as the load", "PATTERN" },
		{ "least", 0, 0, G_OPTION_ARG_DOUBLE, &self.least,
		  "Smallest delay to try, in s (default: -0.5)", "SECONDS" },
		{ "most", 0, 0, G_OPTION_ARG_DOUBLE, &self.most,
		  "Largest delay to try, in s (default: 2)", "SECONDS" },
		{ "write", 0, 0, G_OPTION_ARG_NONE, &self.isWritten,
		  "Store the delay in the files; other commands then "
		  "correct for it",
		  NULL },
		{ "measure", 0, 0, G_OPTION_ARG_NONE, &self.isMeasured,
		  "Create a project with pseudo-random load, and use it",
		  NULL },
		{ "config", 'c', 0, G_OPTION_ARG_FILENAME, &configuration,
		  "With --measure: configuration of the meter, see pt.cfg(5)",
		  "FILE" },
		{ "project", 'p', 0, G_OPTION_ARG_FILENAME, &project,
		  "With --measure: name of the project (default: delay)",
		  "NAME" },
		{ "force", 'f', 0, G_OPTION_ARG_NONE, &isForced,
		  "With --measure: replace an existing project", NULL },
		{ "cpus", 0, 0, G_OPTION_ARG_STRING, &cpus,
		  "With --measure: CPUs to load, such as 0,2-3 (default: all)",
		  "LIST" },
		{ "order", 0, 0, G_OPTION_ARG_STRING, &order,
		  "With --measure: run 2^N - 1 steps of 2.37 cycles (default: "
		  "7)",
		  "N" },
		{ NULL },
	};
	int status = toolParse(tool, &argc, &argv, entries, &help);

	self.choice =
		(struct loadChoice){ .value = value ? value : "CPU[_ ]TOTAL",
				     .state = state };
	self.measure = (struct measureChoice){ configuration, project, cpus,
					       order, isForced };
	if (status < 0)
		status = checkMeasure(&self, argc);
	if (status < 0 && value && state)
		status = toolExcludes(tool, "load", "state");
	if (status < 0 &&
	    !(self.least >= -RANGE_LARGEST && self.most <= RANGE_LARGEST &&
	      self.most - self.least >= 0.001))
		status = toolUsage(tool,
				   "--least, --most: invalid range; expected "
				   "two different values from -%g to %g s",
				   RANGE_LARGEST, RANGE_LARGEST);
	if (status < 0)
		status = self.isMeasured ? measureAndRun(&self)
					 : delayRunOn(&self, argv[1]);
	selectionFree(&self.selection);
	g_free(value);
	g_free(state);
	g_free(configuration);
	g_free(project);
	g_free(cpus);
	g_free(order);
	return status;
}
