/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace usage: the command.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "HDTraceTools/command/core/delayoption.h"
#include "HDTraceTools/command/errors.h"
#include "HDTraceTools/command/phaseoptions.h"
#include "HDTraceTools/command/select.h"
#include "HDTraceTools/usage/usage.h"
#include "cli/newfile.h"

/* Longest file that is kept. */
#define USAGE_FILE_MAX ((size_t)1 << 20)

struct usageCommand {
	struct tool *tool;
	struct selection selection;
	struct phaseOptions phases;
	struct usage usage;
	char *output;
	gboolean isForced;
	gboolean isAsRecorded;
};

static void usageFreeSample(void *data)
{
	g_free(((struct usageSample *)data)->phase);
}

static void usageFreeInterval(void *data)
{
	struct usageInterval *interval = data;

	g_free(interval->project);
	g_free(interval->node);
	g_free(interval->phase);
}

static void usageReadPhases(struct usageCommand *self, const struct scan *scan)
{
	struct phases phases;
	int ret;

	phasesInit(&phases);
	if (phaseOptionsFind(&self->phases, self->tool, scan->project,
			     self->selection.projectStart, &phases) == 0) {
		ret = usageRead(&self->usage, scan, &phases);
		if (ret < 0)
			toolErrorTemporary(self->tool, ret);
	}
	phasesFree(&phases);
}

static bool usageReadProject(struct usageCommand *self, const char *path)
{
	hdIProject *project = toolOpenProject(self->tool, path);
	struct scan scan = { .tool = self->tool,
			     .project = project,
			     .selection = &self->selection };

	if (!project)
		return false;
	delayApply(self->tool, project, self->isAsRecorded);
	if (selectResolve(&self->selection, self->tool, project, true) < 0)
		usageReadPhases(self, &scan);
	else
		self->tool->hasFailed = true;
	hdI_closeProject(project);
	return !self->tool->hasFailed;
}

/* The text of the file, if it is a usage file; false after a message. */
static bool usageReadBefore(struct usageCommand *self, char **before)
{
	GError *error = NULL;
	gsize length;
	bool isRead =
		g_file_get_contents(self->output, before, &length, &error);
	int reason = errno;

	if (isRead) {
		if (length <= USAGE_FILE_MAX && strlen(*before) == length &&
		    strstr(*before, "[usage]"))
			return true;
		g_free(*before);
		*before = NULL;
		toolError(self->tool, "%s: is not a usage file; not replaced",
			  self->output);
		return false;
	}
	g_error_free(error);
	/* Edits that cannot be read are not replaced. */
	if (reason == ENOENT)
		return true;
	toolErrorRead(self->tool, self->output, reason);
	return false;
}

static bool usageWriteFile(struct usageCommand *self)
{
	struct newFile new;
	char *before = NULL;
	int ret;

	if (self->isForced && !usageReadBefore(self, &before))
		return false;
	ret = newFileStart(&new, self->output);
	if (ret < 0) {
		toolErrorCreate(self->tool, self->output, ret);
		g_free(before);
		return false;
	}
	usageWrite(&self->usage, before, new.file);
	g_free(before);
	ret = newFileCommit(&new, self->isForced);
	if (ret == -EEXIST)
		toolErrorExists(self->tool, self->output);
	else if (ret < 0)
		toolErrorWrite(self->tool, self->output, ret);
	return ret == 0;
}

static const struct toolHelp help = {
	.arguments = "PROJECT...",
	.description =
		"Learn the behaviour of a program from its runs: its phases, "
		"and their time, power and\nutilization at each CPU clock. "
		"Phases are those that hdpower run recorded, regions that\nthe "
		"program names, or intervals of constant utilization. The "
		"result is written to FILE,\nby which hdpower run decides. "
		"With --force, phases that were edited in FILE are kept.",
	.examples = "  hdtrace usage -o solver.usage run1200 run2000\n"
		    "  hdtrace usage -f -o solver.usage run1 run2 run3 run4\n",
	.minArguments = 1,
	.maxArguments = -1,
	.hasNumbers = true,
};

static int usageRunAll(struct usageCommand *self, int argc, char **argv)
{
	int status;

	for (int i = 1; i < argc; i++) {
		if (!usageReadProject(self, argv[i]))
			return toolFinish(self->tool);
	}
	usageLearn(&self->usage);
	if (self->usage.phases->len == 0)
		toolError(self->tool, "no phase with known power and CPU "
				      "clock; record them with hdpower run -p "
				      "PROJECT -c pt.cfg");
	else if (usageWriteFile(self))
		usagePrint(&self->usage, self->output);
	status = toolFinish(self->tool);
	return status == TOOL_OK && self->usage.refused ? TOOL_PROBLEMS
							: status;
}

int usageRun(struct tool *tool, int argc, char **argv)
{
	struct usageCommand self = {
		.tool = tool,
		.usage = { .tool = tool,
			   .samples = g_array_new(FALSE, FALSE,
						  sizeof(struct usageSample)),
			   .intervals = g_array_new(
				   FALSE, FALSE, sizeof(struct usageInterval)),
			   .phases = g_ptr_array_new_with_free_func(
				   usageFreePhase),
			   .found = g_array_new(FALSE, FALSE,
						USAGE_LOADS * sizeof(double)) },
	};
	const GOptionEntry entries[] = {
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &self.output,
		  "Write the usage to this file", "FILE" },
		{ "force", 'f', 0, G_OPTION_ARG_NONE, &self.isForced,
		  "Replace an existing usage file, but for edited phases",
		  NULL },
		{ "node", 'n', 0, G_OPTION_ARG_FILENAME_ARRAY,
		  &self.selection.nodes,
		  "Only matching nodes and the nodes below them", "PATTERN" },
		{ "from", 0, 0, G_OPTION_ARG_FILENAME, &self.selection.from,
		  "Only data after this time", "TIME" },
		{ "to", 0, 0, G_OPTION_ARG_FILENAME, &self.selection.to,
		  "Only data before this time", "TIME" },
		PHASE_ENTRIES(&self.phases),
		DELAY_ENTRY(&self.isAsRecorded),
		{ NULL },
	};
	int status;

	g_array_set_clear_func(self.usage.samples, usageFreeSample);
	g_array_set_clear_func(self.usage.intervals, usageFreeInterval);
	status = toolParse(tool, &argc, &argv, entries, &help);
	if (status < 0)
		status = phaseOptionsCheck(&self.phases, tool);
	if (status < 0 && !self.output)
		status = toolMissingOption(tool, "output");
	if (status < 0)
		status = usageRunAll(&self, argc, argv);
	selectionFree(&self.selection);
	phaseOptionsFree(&self.phases);
	g_array_unref(self.usage.samples);
	g_array_unref(self.usage.intervals);
	g_ptr_array_unref(self.usage.phases);
	g_array_unref(self.usage.found);
	g_free(self.output);
	return status;
}
