/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export --to paraver: messages between ranks.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "HDTraceTools/command/parts.h"
#include "HDTraceTools/export/paraver/paraver.h"

static void paraverMessagesFail(struct paraver *self, int error)
{
	toolErrorTemporary(self->export->tool, error);
	self->hasFailed = true;
}

/* ---- Ends, of traces in any thread ------------------------------------- */

/** What was found in a trace. */
struct found {
	struct dependencyReader *ends; /**< NULL: this is a group. */
	int error;
};

static void findEnds(struct part *part, size_t number, void *data)
{
	const struct paraver *self = data;
	const struct paraverStream *stream =
		paraverStreamAt(self, (guint)number);
	struct found *found = g_new0(struct found, 1);
	hdITraceReader *reader;
	const hdIRecord *record;

	part->result = found;
	if (!stream->trace)
		return;
	found->ends = dependenciesEnter(self->dependencies, stream->trace,
					(uint32_t)number);
	/* It is read once more for its records. */
	reader = diagnosticsOpenTrace(self->export->project, stream->trace,
				      &diagnosticsDropped);
	while (reader && found->error == 0 &&
	       hdI_readTrace(reader, &record) == 1)
		found->error = dependencyNote(
			found->ends, record,
			selectionHasTime(&self->export->selection,
					 record->start, record->end));
	hdI_closeTrace(reader);
}

static bool takeEnds(struct part *part, size_t number, void *data)
{
	struct paraver *self = data;
	struct found *found = part->result;
	int ret = found ? found->error : 0;

	(void)number;
	if (found && found->ends && !part->isDropped && ret == 0)
		ret = dependenciesLeave(self->dependencies, found->ends);
	else if (found)
		dependenciesDrop(found->ends);
	g_free(found);
	if (!part->isDropped && ret < 0)
		paraverMessagesFail(self, ret);
	return !self->hasFailed;
}

/* ---- All messages ------------------------------------------------------ */

static void nextMessage(struct paraver *self)
{
	int ret = dependenciesNext(self->dependencies, &self->message);

	self->hasMessage = ret == 1;
	if (ret < 0)
		paraverMessagesFail(self, ret);
}

void paraverFindMessages(struct paraver *self)
{
	const struct partsWork work = {
		.tool = self->export->tool,
		.count = self->streams->len,
		.run = findEnds,
		.take = takeEnds,
		.data = self,
	};
	struct dependencyCounts counts;

	partsDo(&work);
	if (!self->hasFailed)
		nextMessage(self);
	counts = dependenciesCounts(self->dependencies);
	exportLose(self->export, "arrows of messages with one recorded end",
		   counts.loose);
	exportLose(self->export, EXPORT_UNSURE, counts.unsure);
}

void paraverWriteMessages(struct paraver *self, int64_t until)
{
	while (self->hasMessage && dependencyStart(&self->message) <= until) {
		const struct dependency *message = &self->message;
		const struct paraverStream *from =
			paraverStreamAt(self, message->from);
		const struct paraverStream *to =
			paraverStreamAt(self, message->to);
		int64_t sent = dependencyStart(message);
		int64_t start = paraverSince(self, sent);
		int64_t end = paraverSince(self, MAX(message->toTime, sent));

		exportLose(self->export,
			   "times of messages that arrive before they are sent",
			   message->early > 0);
		fprintf(self->file,
			"3:0:1:%u:%u:%" PRId64 ":%" PRId64 ":0:1:%u:%u:%" PRId64
			":%" PRId64 ":%" PRId64 ":%" PRId64 "\n",
			from->task, from->thread, start, start, to->task,
			to->thread, end, end, MAX(message->size, 0),
			message->tag);
		self->end = MAX(self->end, message->toTime);
		self->export->messages++;
		nextMessage(self);
	}
}
