/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export --to paraver: messages between ranks.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "HDTraceTools/export/paraver/paraver.h"

static void fail(struct paraver *self, int error)
{
	toolError(self->export->tool, "temporary file: %s", strerror(-error));
	self->hasFailed = true;
}

static void findEnds(struct paraver *self, guint number)
{
	const struct paraverStream *stream = paraverStreamAt(self, number);
	struct dependencyReader *ends;
	hdITraceReader *reader;
	const hdIRecord *record;
	int ret = 0;

	if (!stream->trace)
		return;
	ends = dependenciesEnter(self->dependencies, stream->trace, number);
	/* It is read once more for its records. */
	reader = diagnosticsOpenTrace(self->export->project, stream->trace,
				      &diagnosticsDropped);
	while (reader && ret == 0 && hdI_readTrace(reader, &record) == 1)
		ret = dependencyNote(ends, record,
				     selectionHasTime(&self->export->selection,
						      record->start,
						      record->end));
	hdI_closeTrace(reader);
	if (ret == 0)
		ret = dependenciesLeave(self->dependencies, ends);
	else
		dependenciesDrop(ends);
	if (ret < 0)
		fail(self, ret);
}

static void nextMessage(struct paraver *self)
{
	int ret = dependenciesNext(self->dependencies, &self->message);

	self->hasMessage = ret == 1;
	if (ret < 0)
		fail(self, ret);
}

void paraverFindMessages(struct paraver *self)
{
	struct dependencyCounts counts;

	for (guint i = 0; i < self->streams->len && !self->hasFailed; i++)
		findEnds(self, i);
	if (!self->hasFailed)
		nextMessage(self);
	counts = dependenciesCounts(self->dependencies);
	exportLose(self->export,
		   "arrows of messages of which one end is recorded",
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
