/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace loads: load levels of a project, with their power and efficiency.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "HDTraceTools/command/core/delayoption.h"
#include "HDTraceTools/command/phaseoptions.h"
#include "HDTraceTools/command/select.h"
#include "HDTraceTools/loads/loads.h"
#include "HDTraceTools/model/extent.h"
#include "HDTraceTools/plot/core/drawfile.h"

struct loadsRun {
	struct tool *tool;
	const hdIProject *project;
	struct scan scan;
	struct selection selection;
	struct phaseOptions phases;
	struct powerChoice *powers;
	struct levels levels;
	gboolean isAsRecorded; /**< Meter delays stay. */
	gboolean isFound;      /**< Levels come from utilization only. */
	gboolean fails;
	char *component;
	char *picture;
	bool hasMissed; /**< A run misses the limits. */
};

static int loadsCollectPhases(struct loadsRun *self)
{
	struct extent extent = extentOfProject(self->project);
	struct phases phases;
	int ret;

	phasesInit(&phases);
	ret = phaseOptionsFind(&self->phases, self->tool, self->project,
			       self->selection.projectStart, &phases);
	if (ret == 0) {
		phasesClip(&phases, MAX(extent.start, self->selection.start),
			   MIN(extent.end, self->selection.end));
		levelsAddPhases(&self->levels, &self->scan, self->powers,
				&phases);
	}
	phasesFree(&phases);
	return 0;
}

/* States first; without any, the utilization tells. */
static int loadsCollect(struct loadsRun *self)
{
	if (phaseOptionsAre(&self->phases))
		return loadsCollectPhases(self);
	if (!self->isFound)
		levelsAddStates(&self->levels, &self->scan);
	return self->levels.list->len ? 0
				      : levelsFind(&self->levels, &self->scan);
}

/* Only levels of the component. */
static void loadsFilter(struct loadsRun *self)
{
	for (guint i = self->levels.list->len; i > 0 && self->component; i--) {
		struct level *level = levelsAt(&self->levels, i - 1);

		if (level->component &&
		    strcmp(level->component, self->component) == 0)
			continue;
		g_free(level->component);
		g_array_remove_index(self->levels.list, i - 1);
	}
}

static void loadsShow(struct loadsRun *self)
{
	char *error = NULL;

	for (guint i = 0; i < self->levels.runs->len; i++)
		self->hasMissed |=
			levelsRunAt(&self->levels, i)->reasons->len > 0;
	loadsPrint(self->tool, self->project, &self->levels);
	if (self->picture)
		error = loadsDraw(&self->levels, self->picture);
	if (error)
		toolError(self->tool, "%s", error);
	g_free(error);
}

static void loadsAnalyse(const hdIProject *project, void *data)
{
	struct loadsRun *self = data;
	int ret;

	self->project = project;
	self->scan = (struct scan){ .tool = self->tool,
				    .project = project,
				    .selection = &self->selection };
	levelsInit(&self->levels);
	self->powers = powerChoiceNew(self->project, NULL);
	toolProgressStart(self->tool, scanGroupsSize(&self->scan) +
					      scanTracesSize(&self->scan));
	ret = loadsCollect(self);
	loadsFilter(self);
	if (ret == 0 && !self->tool->hasFailed)
		ret = levelsMeasure(&self->levels, &self->scan, self->powers);
	toolProgressEnd(self->tool);
	if (ret < 0)
		toolErrorTemporary(self->tool, ret);
	if (!self->tool->hasFailed && self->levels.list->len == 0)
		toolError(self->tool,
			  "%s: contains no levels; record them with hdload(1), "
			  "or use --phases",
			  self->project->file ? self->project->file
					      : self->project->name);
	if (!self->tool->hasFailed) {
		levelsRate(&self->levels);
		loadsShow(self);
	}
	powerChoiceFree(self->powers);
	levelsFree(&self->levels);
}

static int loadsRunOn(struct loadsRun *self, const char *path)
{
	int status = selectRun(&self->selection, self->tool, path, true,
			       self->isAsRecorded, loadsAnalyse, self);

	return status == TOOL_OK && self->fails && self->hasMissed ? TOOL_FOUND
								   : status;
}

static const struct toolHelp help = {
	.arguments = "PROJECT",
	.description =
		"Show load levels with their power and efficiency. Levels are "
		"states that hdload(1)\nrecords, phases of a file or a trace, "
		"or intervals of steady CPU utilization. Prints\ntarget, "
		"reached and scaled load, operations, power, and whether the "
		"run meets the\nlimits of SPECpower_ssj2008.",
	.examples = "  hdtrace loads run1.proj\n"
		    "  hdtrace loads --phases=levels.txt run1\n"
		    "  hdtrace loads --picture=load.svg --format=json run1\n",
	.minArguments = 1,
	.maxArguments = 1,
	.hasNumbers = true,
};

static int loadsCheckOptions(struct loadsRun *self)
{
	char *error = NULL;
	int status = phaseOptionsCheck(&self->phases, self->tool);

	if (status < 0 && self->isFound && phaseOptionsAre(&self->phases))
		status = toolUsage(
			self->tool, "--find: cannot be combined with %s",
			self->phases.file ? "--phases" : "--phases-from");
	if (status < 0 && self->picture)
		error = drawFileCheck(self->picture);
	if (error)
		status = toolUsage(self->tool, "--picture: %s", error);
	g_free(error);
	return status;
}

int loadsRun(struct tool *tool, int argc, char **argv)
{
	struct loadsRun self = { .tool = tool };
	const GOptionEntry entries[] = {
		SELECT_NODE_ENTRY(&self.selection),
		SELECT_TIME_ENTRIES(&self.selection, "to"),
		PHASE_ENTRIES(&self.phases),
		{ "find", 0, 0, G_OPTION_ARG_NONE, &self.isFound,
		  "Find levels in the CPU utilization, even if there are "
		  "states",
		  NULL },
		{ "component", 0, 0, G_OPTION_ARG_STRING, &self.component,
		  "Only levels of this component", "NAME" },
		{ "picture", 0, 0, G_OPTION_ARG_FILENAME, &self.picture,
		  "Draw power over load to a .svg, .png or .pdf file", "FILE" },
		{ "fail", 0, 0, G_OPTION_ARG_NONE, &self.fails,
		  "Exit with status 3 if the run misses SPEC's limits", NULL },
		DELAY_ENTRY(&self.isAsRecorded),
		{ NULL },
	};
	int status = toolParse(tool, &argc, &argv, entries, &help);

	if (status < 0)
		status = loadsCheckOptions(&self);
	if (status < 0)
		status = loadsRunOn(&self, argv[1]);
	selectionFree(&self.selection);
	phaseOptionsFree(&self.phases);
	g_free(self.component);
	g_free(self.picture);
	return status;
}
