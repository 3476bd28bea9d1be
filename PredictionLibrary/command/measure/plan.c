/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is measured; see plan.h.
 *
 * The first line of the journal says with which options it is measured. Then it
 * has a line for each batch that is complete: key, tabulator, seconds of one
 * run.
 */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "PredictionLibrary/command/measure/plan.h"

#define JOURNAL_MARK "hdpredict-measure-1\t"

static void clearRow(gpointer data)
{
	struct planRow *row = data;

	g_free(row->key);
}

static bool measurePlanIsNumber(const char *text)
{
	char *end;
	double number = g_ascii_strtod(text, &end);

	return end > text && !*end && number >= 0;
}

/* Take the lines that are complete; what is wrong with one. */
static char *takeLines(struct plan *self, const char *path, const char *text,
		       const char *head)
{
	const char *line = text, *end;

	for (size_t number = 1; (end = strchr(line, '\n')); number++) {
		char *copy = g_strndup(line, (gsize)(end - line));
		const char *value = strrchr(copy, '\t');

		g_ptr_array_add(self->lines, copy);
		if (number == 1 && !g_str_has_prefix(copy, JOURNAL_MARK))
			return linesWrong(path,
					  "not a journal of measurements");
		if (number == 1 && strcmp(copy, head) != 0)
			return linesWrong(path, "measured with other options; "
						"use another directory");
		if (number > 1 && (!value || !measurePlanIsNumber(value + 1)))
			return g_strdup_printf(
				"%s:%zu: not a line of a journal", path,
				number);
		line = end + 1;
	}
	/* Of a first line that is not complete nothing is lost. */
	if (self->lines->len == 0 && !g_str_has_prefix(head, line))
		return linesWrong(path, "not a journal of measurements");
	self->length = (size_t)(line - text);
	return NULL;
}

/* Only to look: it may be that there is none. */
static char *readJournal(const char *path, char **text)
{
	GError *error = NULL;
	char *wrong = NULL;

	if (g_file_get_contents(path, text, NULL, &error))
		return NULL;
	if (g_error_matches(error, G_FILE_ERROR, G_FILE_ERROR_NOENT))
		*text = g_strdup("");
	else
		wrong = g_strdup(error->message);
	g_error_free(error);
	return wrong;
}

static char *measurePlanLoad(struct plan *self, const char *path,
			     const char *text, const char *head)
{
	char *wrong = takeLines(self, path, text, head);
	int ret = 0;

	if (wrong || !self->journal.path)
		return wrong;
	ret = linesStart(&self->journal, self->length, head);
	if (self->length == 0)
		self->length = strlen(head) + 1;
	return ret < 0 ? linesWrong(path, g_strerror(-ret)) : NULL;
}

char *planOpen(struct plan *self, const hdPGraph *graph, const char *path,
	       const char *options, bool isWritten)
{
	char *text, *head, *wrong;

	*self = (struct plan){
		.graph = graph,
		.rows = g_array_new(FALSE, TRUE, sizeof(struct planRow)),
		.files = g_array_new(FALSE, TRUE, sizeof(struct planRow)),
		.lines = g_ptr_array_new_with_free_func(g_free),
	};
	g_array_set_clear_func(self->rows, clearRow);
	g_array_set_clear_func(self->files, clearRow);
	wrong = isWritten ? linesOpen(&self->journal, path,
				      "in use by another measurement", &text)
			  : readJournal(path, &text);
	if (wrong)
		return wrong;
	head = g_strconcat(JOURNAL_MARK, options, NULL);
	wrong = measurePlanLoad(self, path, text, head);
	g_free(head);
	g_free(text);
	return wrong;
}

int planForget(struct plan *self)
{
	return linesStart(&self->journal, self->length, "");
}

void planClose(struct plan *self)
{
	linesClose(&self->journal);
	if (self->rows)
		g_array_unref(self->rows);
	if (self->files)
		g_array_unref(self->files);
	if (self->lines)
		g_ptr_array_unref(self->lines);
}

static void appendConfig(GString *out, const hdPGraph *graph, uint32_t config)
{
	const struct hdPredictConfig *one = &graph->configs[config];
	const struct hdPredictKernel *kernel = &graph->kernels[one->kernel];

	g_string_append(out, kernel->id);
	for (uint32_t i = 0; i < kernel->variableCount; i++) {
		char number[G_ASCII_DTOSTR_BUF_SIZE];

		g_ascii_dtostr(number, sizeof(number),
			       graph->values[one->values + i]);
		g_string_append_printf(out, " %s=%s", kernel->variables[i],
				       number);
	}
}

/* Batches of a row that are in the journal. */
static void recall(const struct plan *self, struct planRow *row)
{
	size_t length = strlen(row->key);
	double sum = 0;

	for (guint i = 0; i < self->lines->len; i++) {
		const char *line = self->lines->pdata[i];

		if (strncmp(line, row->key, length) != 0 ||
		    line[length] != '\t')
			continue;
		sum += g_ascii_strtod(line + length + 1, NULL);
		row->done++;
	}
	if (row->done)
		row->seconds = sum / row->done;
}

static void measurePlanAddRow(struct plan *self, uint32_t config, uint32_t load,
			      uint32_t count, uint32_t pes)
{
	struct planRow row = {
		.config = config, .load = load, .count = count, .pes = pes
	};
	GString *key = g_string_new(NULL);

	appendConfig(key, self->graph, config);
	if (load != ROW_ALONE) {
		g_string_append_printf(key, " beside %" PRIu32 " x ", count);
		appendConfig(key, self->graph, load);
	}
	if (pes > 1)
		g_string_append_printf(key, " on %" PRIu32 " PEs", pes);
	row.key = g_string_free(key, FALSE);
	recall(self, &row);
	g_array_append_val(self->rows, row);
}

void planAddAlone(struct plan *self, uint32_t pes)
{
	for (uint32_t i = 0; i < self->graph->configCount; i++)
		measurePlanAddRow(self, i, ROW_ALONE, 0, pes);
}

void planAddLoaded(struct plan *self, uint32_t config, uint32_t load,
		   uint32_t count)
{
	measurePlanAddRow(self, config, load, count, 1);
}

/* No kernel's, whose values are all named. */
void planAddFiles(struct plan *self, const char *name)
{
	struct planRow row = { .load = ROW_ALONE, .pes = 1 };

	row.key = g_strdup_printf("file: %s", name);
	recall(self, &row);
	g_array_append_val(self->files, row);
}

int planDone(struct plan *self, struct planRow *row, double seconds)
{
	char number[G_ASCII_DTOSTR_BUF_SIZE], *line;
	int ret;

	row->seconds = (row->seconds * row->done + seconds) / (row->done + 1);
	row->done++;
	g_ascii_dtostr(number, sizeof(number), seconds);
	line = g_strdup_printf("%s\t%s\n", row->key, number);
	ret = linesAdd(&self->journal, line, strlen(line));
	g_free(line);
	return ret < 0 ? ret : linesSync(&self->journal);
}

uint32_t planTask(const hdPGraph *graph, uint32_t config)
{
	uint32_t task = 0;

	while (task < graph->taskCount && graph->config[task] != config)
		task++;
	return task;
}
