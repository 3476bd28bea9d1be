/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export --to paraver: the header of the .prv file, and the files
 * beside it.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "HDTraceTools/export/paraver/paraver.h"
#include "common/clock.h"

/** Threads of a task, and tasks of a host. */
static guint countThreads(const struct paraver *self, unsigned int task)
{
	guint count = 0;

	for (guint i = 0; i < self->streams->len; i++) {
		const struct paraverStream *stream =
			&g_array_index(self->streams, struct paraverStream, i);

		count += stream->trace && stream->task == task;
	}
	return count;
}

static guint countTraces(const struct paraver *self, const hdINode *host)
{
	guint count = 0;

	for (guint i = 0; i < self->streams->len; i++) {
		const struct paraverStream *stream =
			&g_array_index(self->streams, struct paraverStream, i);

		count += stream->trace &&
			 paraverHost(stream->trace->node) == host;
	}
	return count;
}

static void putTasks(struct paraver *self, const GPtrArray *tasks,
		     bool areRanks)
{
	if (!tasks->len)
		return;
	fprintf(self->file, ":%u(", tasks->len);
	for (guint i = 0; i < tasks->len; i++)
		fprintf(self->file, "%s%u:%u", i ? "," : "",
			areRanks ? countThreads(self, i + 1) : 1,
			paraverPlace(self->hosts,
				     paraverHost(tasks->pdata[i])));
	putc(')', self->file);
}

void paraverPutHeader(struct paraver *self)
{
	time_t when = (time_t)(self->start / HD_NS_PER_S);
	char date[32] = "";
	struct tm tm;

	if (gmtime_r(&when, &tm))
		strftime(date, sizeof(date), "%d/%m/%Y at %H:%M", &tm);
	fprintf(self->file, "#Paraver (%s):%020" PRId64 "_ns:%u(", date,
		paraverSince(self, self->end), self->hosts->len);
	for (guint i = 0; i < self->hosts->len; i++)
		fprintf(self->file, "%s%u", i ? "," : "",
			MAX(countTraces(self, self->hosts->pdata[i]), 1));
	fprintf(self->file, "):%u",
		(self->ranks->len > 0) + (self->nodes->len > 0));
	putTasks(self, self->ranks, true);
	putTasks(self, self->nodes, false);
	putc('\n', self->file);
}

/** Text in one line. */
static void putLabel(FILE *file, const char *text)
{
	GString *out = g_string_new(NULL);

	outAppendPrintable(out, text, strlen(text));
	fprintf(file, "%s\n", out->str);
	g_string_free(out, TRUE);
}

static void paraverFilesPutNames(const struct paraver *self, FILE *file,
				 const char *zero)
{
	fprintf(file, "0    %s\n", zero);
	for (guint i = 0; i < self->nameList->len; i++) {
		fprintf(file, "%u    ", i + 1);
		putLabel(file, self->nameList->pdata[i]);
	}
}

void paraverPutConfiguration(struct paraver *self, FILE *file)
{
	fputs("DEFAULT_OPTIONS\n\nLEVEL               THREAD\n"
	      "UNITS               NANOSEC\n\nSTATES\n",
	      file);
	paraverFilesPutNames(self, file, "Outside of states");
	for (unsigned int i = 0; i < self->depths; i++) {
		fprintf(file,
			"\nEVENT_TYPE\n0    %u    State at nesting %u\n"
			"VALUES\n",
			PARAVER_STATE + i, i);
		paraverFilesPutNames(self, file, "End");
	}
	if (self->hasEvents) {
		fprintf(file, "\nEVENT_TYPE\n0    %u    Event\nVALUES\n",
			PARAVER_EVENT);
		paraverFilesPutNames(self, file, "None");
	}
	for (guint i = 0; i < self->valueList->len; i++) {
		fprintf(file, "\nEVENT_TYPE\n7    %u    ", PARAVER_VALUE + i);
		putLabel(file, self->valueList->pdata[i]);
	}
}

void paraverPutRows(struct paraver *self, FILE *file)
{
	guint threads = self->nodes->len;

	fprintf(file, "LEVEL NODE SIZE %u\n", self->hosts->len);
	for (guint i = 0; i < self->hosts->len; i++)
		putLabel(file, ((const hdINode *)self->hosts->pdata[i])->label);
	for (guint i = 0; i < self->ranks->len; i++)
		threads += countThreads(self, i + 1);
	fprintf(file, "\nLEVEL THREAD SIZE %u\n", threads);
	for (guint task = 1; task <= self->ranks->len; task++) {
		for (guint i = 0; i < self->streams->len; i++) {
			const struct paraverStream *stream = &g_array_index(
				self->streams, struct paraverStream, i);

			if (stream->trace && stream->task == task)
				putLabel(file, stream->trace->node->path);
		}
	}
	for (guint i = 0; i < self->nodes->len; i++) {
		const hdINode *node = self->nodes->pdata[i];

		fputs("statistics of ", file);
		putLabel(file, *node->path ? node->path : node->label);
	}
}
