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

static void addEnd(const struct messageEnd *end, void *data)
{
	struct paraver *self = data;
	int ret = pairsAdd(self->pairs, end, self->isChosen, self->sender);

	if (ret < 0)
		fail(self, ret);
}

static void findEnds(struct paraver *self, guint number)
{
	const struct paraverStream *stream = paraverStreamAt(self, number);
	hdITraceReader *reader;
	const hdIRecord *record;

	if (!stream->trace ||
	    !messagesEnter(self->messages, stream->trace, NULL))
		return;
	/* It is read once more for its records. */
	reader = diagnosticsOpenTrace(self->export->project, stream->trace,
				      &diagnosticsDropped);
	self->sender = number;
	while (reader && !self->hasFailed &&
	       hdI_readTrace(reader, &record) == 1) {
		self->isChosen = selectionHasTime(&self->export->selection,
						  record->start, record->end);
		messagesFind(self->messages, record, addEnd, self);
	}
	hdI_closeTrace(reader);
}

static void nextMessage(struct paraver *self)
{
	int ret = pairsNext(self->pairs, &self->message);

	self->hasMessage = ret == 1;
	if (ret < 0)
		fail(self, ret);
}

void paraverFindMessages(struct paraver *self)
{
	for (guint i = 0; i < self->streams->len; i++)
		findEnds(self, i);
	if (!self->hasFailed)
		nextMessage(self);
	exportLose(self->export,
		   "arrows of messages of which one end is recorded",
		   pairsLoose(self->pairs));
	exportLose(self->export, EXPORT_UNSURE, pairsUnsure(self->pairs));
}

void paraverWriteMessages(struct paraver *self, int64_t until)
{
	while (self->hasMessage && self->message.sent.time <= until) {
		const struct pairEnd *sent = &self->message.sent;
		const struct pairEnd *received = &self->message.received;
		const struct paraverStream *from =
			paraverStreamAt(self, (guint)sent->trace);
		const struct paraverStream *to =
			paraverStreamAt(self, (guint)received->trace);
		int64_t start = paraverSince(self, sent->time);
		int64_t end =
			paraverSince(self, MAX(received->time, sent->time));
		int64_t size = MAX(sent->size, received->size);

		exportLose(self->export,
			   "times of messages that arrive before they are sent",
			   received->time < sent->time);
		fprintf(self->file,
			"3:0:1:%u:%u:%" PRId64 ":%" PRId64 ":0:1:%u:%u:%" PRId64
			":%" PRId64 ":%" PRId64 ":%" PRId64 "\n",
			from->task, from->thread, start, start, to->task,
			to->thread, end, end, MAX(size, 0), sent->tag);
		self->end = MAX(self->end, received->time);
		self->export->messages++;
		nextMessage(self);
	}
}
