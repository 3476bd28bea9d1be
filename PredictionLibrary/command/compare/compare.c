/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hdpredict compare: a prediction against what was measured. */
#include "config.h"

#include <math.h>

#include "PredictionLibrary/command/errors.h"
#include "PredictionLibrary/command/compare/trial.h"

static void predictCompareFreeRow(void *data)
{
	struct trialRow *row = data;

	g_free(row->name);
	g_free(row->uses);
	g_free(row);
}

static void freeTask(void *data)
{
	struct trialTask *task = data;

	g_free(task->id);
	g_free(task->kernel);
	g_free(task->durations);
	g_free(task);
}

static void freeCost(void *data)
{
	struct compareRow *row = data;

	g_free(row->name);
	g_free(row->costs);
	g_free(row);
}

static void init(struct trial *self, struct predict *predict, int argc,
		 char **argv)
{
	self->predict = predict;
	self->tool.program = "hdpredict";
	self->tool.command = predict->command;
	cliProgressInit(&self->tool.progress, false);
	self->count = (size_t)argc - 1;
	self->runs = g_new0(struct trialRun, self->count);
	self->rows = g_ptr_array_new_with_free_func(predictCompareFreeRow);
	self->places =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	self->tasks = g_ptr_array_new_with_free_func(freeTask);
	self->taskById = g_hash_table_new(g_str_hash, g_str_equal);
	self->compare = (struct compare){
		.tool = &self->tool,
		.rows = g_ptr_array_new_with_free_func(freeCost),
		.places = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
						NULL),
		.counts = { 1, self->count - 1 },
		.runs = g_new0(struct compareRun, self->count),
		.isAsRecorded = self->isAsRecorded,
	};
	for (size_t i = 0; i < self->count; i++)
		self->runs[i].path = self->compare.runs[i].path = argv[i + 1];
}

static void predictCompareClear(struct trial *self)
{
	for (size_t i = 0; i < self->count; i++) {
		g_free(self->compare.runs[i].name);
		g_free(self->compare.runs[i].file);
		powerChoiceFree(self->compare.runs[i].powers);
		if (self->compare.runs[i].project)
			hdI_closeProject(self->compare.runs[i].project);
	}
	g_free(self->compare.runs);
	g_hash_table_destroy(self->compare.places);
	g_ptr_array_unref(self->compare.rows);
	g_hash_table_destroy(self->taskById);
	g_ptr_array_unref(self->tasks);
	g_hash_table_destroy(self->places);
	g_ptr_array_unref(self->rows);
	g_free(self->runs);
}

static int predictCompareRuns(struct trial *self, bool isJson)
{
	for (size_t i = 0; i < self->count; i++) {
		if (!compareRead(&self->compare) || !trialRead(self, i))
			return PREDICT_FAILED;
	}
	trialJudge(self);
	(isJson ? trialJson : trialText)(self);
	return self->tool.warnings || self->tool.errors ? PREDICT_INVALID
							: PREDICT_OK;
}

int predictCompareRun(struct predict *predict, int argc, char **argv)
{
	static const char *const formats[] = { "text", "json", NULL };
	struct trial self = { .top = 10, .idle = NAN };
	char *format = NULL, *idle = NULL, *end = NULL;
	const GOptionEntry entries[] = {
		{ "idle", 0, 0, G_OPTION_ARG_STRING, &idle,
		  "Idle power of each measured node in W (default: measured)",
		  "W" },
		DELAY_ENTRY(&self.isAsRecorded),
		{ "top", 0, 0, G_OPTION_ARG_INT, &self.top,
		  "Number of tasks to list (default: 10)", "N" },
		{ "format", 0, 0, G_OPTION_ARG_STRING, &format,
		  "Output format: text or json (default: text)", "FORMAT" },
		{ NULL }
	};
	static const struct predictHelp help = {
		"PREDICTED MEASURED...",
		"Compare a predicted project with projects of measured runs of "
		"the same graph.",
		"Examples:\n"
		"  hdpredict compare predicted run1 run2 run3\n"
		"  hdpredict compare --top=20 --format=json predicted run1\n",
		2,
		-1,
		NULL,
		true,
	};
	int status = predictParse(predict, &argc, &argv, entries, &help);
	int number;

	if (status >= 0)
		return status;
	number = predictChoose(predict, "--format", format ? format : "text",
			       formats);
	if (number < 0)
		return PREDICT_FAILED;
	if (idle)
		self.idle = g_ascii_strtod(idle, &end);
	if (idle &&
	    (end == idle || *end || !(self.idle >= 0) || self.idle == HUGE_VAL))
		return predictInvalidNumber(predict, "idle", idle,
					    "watts, 0 or more");
	if (self.top < 0)
		return predictOutOfRange(predict, "top", self.top, "0 or more");
	init(&self, predict, argc, argv);
	status = predictCompareRuns(&self, number == 1);
	predictCompareClear(&self);
	return status;
}
