/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace power-model: the command.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "HDTraceTools/command/core/delayoption.h"
#include "HDTraceTools/command/errors.h"
#include "HDTraceTools/command/select.h"
#include "HDTraceTools/powermodel/powermodel.h"
#include "cli/newfile.h"

struct modelCommand {
	struct tool *tool;
	struct selection selection;
	struct modelFit fit;
	char *output;
	char *residuals;
	gboolean isForced;
	gboolean isAsRecorded;
};

static void modelFreeRefusal(void *data)
{
	g_free(((struct modelRefusal *)data)->command);
}

static bool modelReadProject(struct modelCommand *self, const char *path)
{
	hdIProject *project = toolOpenProject(self->tool, path);
	struct scan scan = { .tool = self->tool,
			     .project = project,
			     .selection = &self->selection };
	guint before = self->fit.runs->len;
	int ret;

	if (!project)
		return false;
	delayApply(self->tool, project, self->isAsRecorded);
	if (selectResolve(&self->selection, self->tool, project, true) < 0) {
		ret = modelRead(&self->fit, &scan, self->isAsRecorded);
		if (ret < 0)
			toolErrorTemporary(self->tool, ret);
		else if (self->fit.runs->len == before)
			toolError(self->tool,
				  "%s: no node with both power and "
				  "utilization",
				  path);
	}
	hdI_closeProject(project);
	return !self->tool->hasFailed;
}

static bool modelWrite(struct modelCommand *self)
{
	struct newFile new;
	int ret = newFileStart(&new, self->output);

	if (ret < 0) {
		toolErrorCreate(self->tool, self->output, ret);
		return false;
	}
	hdPowerModelWrite(&self->fit.model, new.file);
	ret = newFileCommit(&new, self->isForced);
	if (ret == -EEXIST)
		toolErrorExists(self->tool, self->output);
	else if (ret < 0)
		toolErrorWrite(self->tool, self->output, ret);
	return ret == 0;
}

/* Each of the loads has to be known before delays can be found. */
static void modelPrepare(struct modelFit *fit)
{
	for (guint i = 0; i < fit->runs->len; i++)
		modelRunDivide(fit, fit->runs->pdata[i]);
	modelJudge(fit);
	for (guint i = 0; i < fit->runs->len; i++)
		modelFindDelay(fit, fit->runs->pdata[i]);
}

static void modelFitAndShow(struct modelCommand *self)
{
	struct modelFit *fit = &self->fit;

	modelPrepare(fit);
	if (modelHasParts(fit)) {
		if (!modelFitAll(fit)) {
			toolError(self->tool,
				  "too few intervals in which power and "
				  "utilization are known");
			return;
		}
		modelValidate(fit);
		if (!modelWrite(self))
			return;
		if (self->residuals) {
			int ret = modelWriteResiduals(fit, self->residuals);

			if (ret < 0)
				toolErrorWrite(self->tool, self->residuals,
					       ret);
		}
	} else if (fit->refused->len == 0) {
		toolError(self->tool, "no component has any load; record one, "
				      "such as hdload --staircase=cpu-int "
				      "-c pt.cfg -p cpu-int");
		return;
	}
	modelPrint(fit, self->output);
}

static const struct toolHelp help = {
	.arguments = "PROJECT...",
	.description =
		"Fit a power model to runs with power and utilization: idle "
		"power, and watts per percent\nof each component, with 95 % "
		"intervals. The model is written to FILE. Components whose "
		"\neffects the data cannot tell apart are refused, and a "
		"command that would is printed.",
	.examples = "  hdload --staircase=cpu-int -c pt.cfg -p cpu && "
		    "hdtrace power-model -o node.model cpu\n"
		    "  hdtrace power-model -o node.model -f run1 run2 run3\n"
		    "  hdtrace power-model -o node.model "
		    "--residuals=residuals.csv run1\n",
	.minArguments = 1,
	.maxArguments = -1,
	.hasNumbers = true,
};

static int modelRunAll(struct modelCommand *self, int argc, char **argv)
{
	int status;

	for (int i = 1; i < argc; i++) {
		if (!modelReadProject(self, argv[i]))
			return toolFinish(self->tool);
	}
	modelFitAndShow(self);
	status = toolFinish(self->tool);
	return status == TOOL_OK && self->fit.refused->len ? TOOL_PROBLEMS
							   : status;
}

int power_modelRun(struct tool *tool, int argc, char **argv)
{
	struct modelCommand self = {
		.tool = tool,
		.fit = { .tool = tool,
			 .runs = g_ptr_array_new_with_free_func(modelRunFree),
			 .refused = g_array_new(FALSE, TRUE,
						sizeof(struct modelRefusal)) },
	};
	const GOptionEntry entries[] = {
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &self.output,
		  "Write the model to this file", "FILE" },
		{ "force", 'f', 0, G_OPTION_ARG_NONE, &self.isForced,
		  "Replace an existing file", NULL },
		SELECT_NODE_ENTRY(&self.selection),
		SELECT_TIME_ENTRIES(&self.selection, "to"),
		{ "residuals", 0, 0, G_OPTION_ARG_FILENAME, &self.residuals,
		  "Write measured and modelled power over time as CSV",
		  "FILE" },
		DELAY_ENTRY(&self.isAsRecorded),
		{ NULL },
	};
	int status;

	g_array_set_clear_func(self.fit.refused, modelFreeRefusal);
	status = toolParse(tool, &argc, &argv, entries, &help);
	if (status < 0 && !self.output)
		status = toolMissingOption(tool, "output");
	if (status < 0)
		status = modelRunAll(&self, argc, argv);
	selectionFree(&self.selection);
	g_ptr_array_unref(self.fit.runs);
	g_array_unref(self.fit.refused);
	g_free(self.output);
	g_free(self.residuals);
	return status;
}
