/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export --to perfetto: messages, as arrows between instants.
 *
 * They come one after the other from what was noted while traces were read, and
 * get their numbers so; many at a time are written by several threads.
 */
#include "config.h"

#include <stdio.h>

#include "HDTraceTools/export/perfetto/perfetto.h"
#include "HDTraceTools/model/mpi/messages.h"

/** So many arrows are put by one part, whose output needs no temporary file
 *  then, and so many parts at a time. */
#define ARROWS 1024
#define ARROW_PARTS 64

/** A message, or one end of it. */
struct perfettoArrow {
	struct dependency message;
	uint64_t flow; /**< 0: there is no arrow. */
};

/** An end of a message. */
struct end {
	bool isSent;
	uint32_t trace;
	int64_t time;
	int64_t peer; /**< Global rank of the other one. */
};

static void perfettoMessagesPutEnd(struct perfetto *self,
				   const struct perfettoArrow *arrow,
				   const struct end *end)
{
	const struct dependency *message = &arrow->message;
	const struct messageGroup *group =
		dependenciesGroups(self->dependencies)->pdata[message->group];
	char number[OUT_NUMBER_SIZE];

	self->track =
		g_array_index(self->traces, struct perfettoTrace, end->trace)
			.track;
	perfettoStartEvent(self, EVENT_IS_INSTANT);
	g_string_assign(self->name,
			end->isSent ? "message to " : "message from ");
	g_string_append(self->name, end->peer == MESSAGES_ELSEWHERE
					    ? "another program"
					    : outInteger(number, end->peer));
	pbText(&self->body, EVENT_NAME, self->name->str);
	perfettoAnnotateNumber(self, "tag", message->tag);
	if (message->size >= 0)
		perfettoAnnotateNumber(self, "size", message->size);
	if (*group->name)
		perfettoAnnotate(self, "communicator", group->name);
	if (arrow->flow)
		pbFixed64(&self->body,
			  end->isSent ? EVENT_FLOW : EVENT_END_OF_FLOW,
			  arrow->flow);
	perfettoPutPacket(self, PACKET_TRACK_EVENT, &end->time);
}

static int64_t perfettoMessagesRankOf(const struct perfetto *self,
				      uint32_t trace)
{
	return g_array_index(self->traces, struct perfettoTrace, trace).rank;
}

static void perfettoMessagesPutMessage(struct perfetto *self,
				       const struct perfettoArrow *arrow)
{
	const struct dependency *message = &arrow->message;
	const struct end sent = {
		.isSent = true,
		.trace = message->from,
		.time = dependencyStart(message),
		.peer = perfettoMessagesRankOf(self, message->to),
	};
	const struct end received = {
		.trace = message->to,
		.time = message->toTime,
		.peer = perfettoMessagesRankOf(self, message->from),
	};

	perfettoMessagesPutEnd(self, arrow, &sent);
	perfettoMessagesPutEnd(self, arrow, &received);
	self->export->messages++;
}

/** An arrow from or to where nobody knows. */
static void putLoose(struct perfetto *self, const struct perfettoArrow *arrow)
{
	const struct dependency *message = &arrow->message;
	const struct end end = {
		.isSent = message->kind == DEPENDENCY_SENT,
		.trace = message->from,
		.time = message->fromTime,
		.peer = message->peer,
	};

	perfettoMessagesPutEnd(self, arrow, &end);
}

static void putArrows(struct part *part, size_t number, void *data)
{
	const struct perfetto *whole = data;
	struct perfettoWriting *writing = g_new0(struct perfettoWriting, 1);
	size_t end = MIN((number + 1) * ARROWS, whole->arrowCount);

	perfettoStartWriting(writing, whole, part);
	for (size_t i = number * ARROWS; i < end && !toolIsStopped(&part->tool);
	     i++) {
		const struct perfettoArrow *arrow = &whole->arrows[i];

		if (arrow->message.kind == DEPENDENCY_MESSAGE)
			perfettoMessagesPutMessage(&writing->perfetto, arrow);
		else
			putLoose(&writing->perfetto, arrow);
	}
}

static bool takeArrows(struct part *part, size_t number, void *data)
{
	(void)number;
	perfettoEndWriting(data, part->result);
	return true;
}

/** Get the next ones. Of what may belong to another one nobody knows where it
 *  leads. */
static int findArrows(struct perfetto *self, struct perfettoArrow *arrows)
{
	int ret = 0;

	self->arrowCount = 0;
	while (self->arrowCount < ARROWS * ARROW_PARTS) {
		struct perfettoArrow *arrow = &arrows[self->arrowCount];

		ret = dependenciesNext(self->dependencies, &arrow->message);
		if (ret != 1)
			break;
		arrow->flow = arrow->message.kind == DEPENDENCY_MESSAGE ||
					      arrow->message.certainty ==
						      DEPENDENCY_CERTAIN
				      ? ++self->flows
				      : 0;
		self->arrowCount++;
	}
	return MIN(ret, 0);
}

void perfettoPutMessages(struct perfetto *self)
{
	struct perfettoArrow *arrows =
		g_new(struct perfettoArrow, ARROWS * ARROW_PARTS);
	struct dependencyCounts counts;

	self->arrows = arrows;
	do {
		self->error = findArrows(self, arrows);
		perfettoPutAll(self, (self->arrowCount + ARROWS - 1) / ARROWS,
			       putArrows, takeArrows);
	} while (self->error == 0 && self->arrowCount && !ferror(self->file));
	g_free(arrows);
	counts = dependenciesCounts(self->dependencies);
	exportLose(self->export, "arrows of messages with one recorded end",
		   counts.loose);
	exportLose(self->export, EXPORT_UNSURE, counts.unsure);
}
