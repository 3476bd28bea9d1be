/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export --to perfetto: a trace of Perfetto's protobuf packets.
 *
 * Nodes are tracks inside of each other, those of level 1 as processes, since
 * that is what Perfetto groups by. States are slices, with their attributes as
 * annotations, and values are counters. A message is an arrow between two
 * instants: one when sending starts, one when receiving ends; slices would not
 * do, because a receive may start before what it waits for is sent.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "HDTraceTools/base/spool.h"
#include "HDTraceTools/export/perfetto/perfetto.h"

/* ---- Packets ----------------------------------------------------------- */

void perfettoPutPacket(struct perfetto *self, unsigned int field,
		       const int64_t *time)
{
	GByteArray *packet = perfettoEmptied(self->packet);

	if (time)
		pbNumber(packet, PACKET_TIMESTAMP, (uint64_t)*time);
	pbNumber(packet, PACKET_SEQUENCE, 1);
	if (!self->isStarted)
		pbNumber(packet, PACKET_SEQUENCE_FLAGS, 1);
	self->isStarted = true;
	pbMessage(packet, field, self->body);
	pbMessage(perfettoEmptied(self->bytes), TRACE_PACKET, packet);
	fwrite(self->bytes->data, 1, self->bytes->len, self->file);
}

/** Say that times are those of a wall clock. */
static void putClocks(struct perfetto *self)
{
	static const int ids[] = { CLOCK_IS_REALTIME, CLOCK_IS_BOOTTIME };

	perfettoEmptied(self->body);
	for (size_t i = 0; i < G_N_ELEMENTS(ids); i++) {
		GByteArray *clock = perfettoEmptied(self->part);

		pbNumber(clock, CLOCK_ID, (uint64_t)ids[i]);
		pbNumber(clock, CLOCK_TIMESTAMP, 1);
		pbMessage(self->body, SNAPSHOT_CLOCK, clock);
	}
	perfettoPutPacket(self, PACKET_CLOCK_SNAPSHOT, NULL);
}

uint64_t perfettoStartTrack(struct perfetto *self, uint64_t parent,
			    const char *name)
{
	GByteArray *body = perfettoEmptied(self->body);

	self->tracks++;
	pbNumber(body, TRACK_UUID, self->tracks);
	pbText(body, TRACK_NAME, name);
	if (parent)
		pbNumber(body, TRACK_PARENT, parent);
	return self->tracks;
}

static void putNode(struct perfetto *self, const hdINode *node)
{
	const hdIProject *project = self->export->project;
	uint64_t parent = GPOINTER_TO_SIZE(
		g_hash_table_lookup(self->nodes, node->parent));
	const char *type = "";
	uint64_t track;

	if (node->level >= 2 && (size_t)node->level <= project->levelCount)
		type = project->levels[node->level - 1];
	g_string_printf(self->name, "%s%s%s", type, *type ? " " : "",
			node->label);
	track = perfettoStartTrack(self, node->level >= 2 ? parent : 0,
				   self->name->str);
	g_hash_table_insert(self->nodes, (gpointer)node,
			    GSIZE_TO_POINTER(track));
	if (node->level <= 1) {
		GByteArray *process = perfettoEmptied(self->part);

		pbNumber(process, PROCESS_PID, track);
		pbText(process, PROCESS_NAME, self->name->str);
		pbMessage(self->body, TRACK_PROCESS, process);
	}
	perfettoPutPacket(self, PACKET_TRACK_DESCRIPTOR, NULL);
}

static void putNodes(struct perfetto *self)
{
	const hdIProject *project = self->export->project;

	if (project->root->trace || project->root->groupCount)
		putNode(self, project->root);
	for (size_t i = 0; i < project->nodeCount; i++) {
		if (project->nodes[i] != project->root &&
		    exportHasNode(self->export, project->nodes[i]))
			putNode(self, project->nodes[i]);
	}
}

/* ---- States and events ------------------------------------------------- */

/** Start body as an event of the trace's track. */
static GByteArray *startEvent(struct perfetto *self, enum perfettoEvent type)
{
	GByteArray *body = perfettoEmptied(self->body);

	pbNumber(body, EVENT_TYPE, type);
	pbNumber(body, EVENT_TRACK, self->track);
	return body;
}

static void annotateNumber(struct perfetto *self, const char *name,
			   int64_t value)
{
	GByteArray *part = perfettoEmptied(self->part);

	pbText(part, ANNOTATION_NAME, name);
	pbNumber(part, ANNOTATION_INT, (uint64_t)value);
	pbMessage(self->body, EVENT_ANNOTATION, part);
}

static void annotate(void *data, const char *name, const char *value)
{
	struct perfetto *self = data;
	GByteArray *part;
	gint64 number;

	if (g_ascii_string_to_signed(value, 10, INT64_MIN, INT64_MAX, &number,
				     NULL)) {
		annotateNumber(self, name, number);
		return;
	}
	part = perfettoEmptied(self->part);
	pbText(part, ANNOTATION_NAME, name);
	pbText(part, ANNOTATION_STRING, value);
	pbMessage(self->body, EVENT_ANNOTATION, part);
}

/* ---- Messages ---------------------------------------------------------- */

/** Write an end of a message, without an arrow if flow is 0. */
static void putEnd(struct perfetto *self, const struct messageEnd *end,
		   uint64_t flow)
{
	int64_t peer = end->isSent ? end->receiver : end->sender;

	startEvent(self, EVENT_IS_INSTANT);
	g_string_assign(self->name,
			end->isSent ? "message to " : "message from ");
	if (peer == MESSAGES_ELSEWHERE)
		g_string_append(self->name, "another program");
	else
		g_string_append_printf(self->name, "%" PRId64, peer);
	pbText(self->body, EVENT_NAME, self->name->str);
	annotateNumber(self, "tag", end->tag);
	if (end->size >= 0)
		annotateNumber(self, "size", end->size);
	if (*end->group->name)
		annotate(self, "communicator", end->group->name);
	if (flow)
		pbFixed64(self->body,
			  end->isSent ? EVENT_FLOW : EVENT_END_OF_FLOW, flow);
	perfettoPutPacket(self, PACKET_TRACK_EVENT, &end->time);
}

/** Messages of a channel arrive in the order in which they are sent; all are
 * counted, also those that are not written. */
static void putNext(struct perfetto *self, struct perfettoChannel *channel,
		    const struct messageEnd *end)
{
	struct perfettoRange *range = &channel->ranges[end->isSent];
	uint64_t number = ++channel->counts[end->isSent];

	if (!self->isChosen)
		return;
	if (range->first == 0)
		range->first = number;
	range->last = number;
	range->count++;
	putEnd(self, end, channel->channel.number << 36 | number);
}

/** It is not known which the other end is. */
static void putLoose(struct perfetto *self, struct perfettoChannel *channel,
		     const struct messageEnd *end)
{
	if (!self->isChosen)
		return;
	channel->ranges[end->isSent].count++;
	putEnd(self, end, 0);
}

static void takeEnd(const struct messageEnd *end, void *data)
{
	struct perfetto *self = data;
	struct perfettoChannel *channel;
	struct perfettoEnd late;

	if (end->isSent != self->wantsSent)
		return;
	channel = channelsNote(self->channels, end);
	if (end->epoch < 0) {
		putLoose(self, channel, end);
		return;
	}
	if (end->isSent || end->epoch == 0) {
		putNext(self, channel, end);
		return;
	}
	late = (struct perfettoEnd){
		.end = *end,
		.channel = channel,
		.track = self->track,
		.isChosen = self->isChosen,
	};
	if (self->error == 0)
		self->error = spoolAppend(self->late, &late, sizeof(late));
}

/** What was received before the first was sent was sent when nothing was
 * recorded; the next is the first. */
static void putLate(struct perfetto *self)
{
	uint64_t length = spoolLength(self->late);
	struct perfettoEnd late;
	uint64_t at = 0;

	while (at < length && (self->error = spoolRead(self->late, at, &late,
						       sizeof(late))) == 0) {
		at += sizeof(late);
		self->track = late.track;
		self->isChosen = late.isChosen;
		if (channelIsBefore(&late.channel->channel, late.end.time))
			putLoose(self, late.channel, &late.end);
		else
			putNext(self, late.channel, &late.end);
	}
}

/** Messages of which both ends are written. */
static uint64_t wholeMessages(const struct perfettoChannel *channel)
{
	const struct perfettoRange *received = &channel->ranges[0];
	const struct perfettoRange *sent = &channel->ranges[1];
	uint64_t first = MAX(received->first, sent->first);
	uint64_t last = MIN(received->last, sent->last);
	uint64_t most = MIN(received->count, sent->count);

	return first > 0 && last >= first ? MIN(last - first + 1, most) : 0;
}

static void countMessages(struct perfetto *self)
{
	for (uint64_t i = 0; i < channelsCount(self->channels); i++) {
		const struct perfettoChannel *channel =
			channelsAt(self->channels, i);
		uint64_t whole = wholeMessages(channel);

		self->export->messages += whole;
		exportLose(self->export,
			   "arrows of messages of which one end is recorded",
			   channel->ranges[0].count + channel->ranges[1].count -
				   2 * whole);
		exportLose(self->export, EXPORT_UNSURE,
			   channel->channel.key.epoch != 0 ? whole : 0);
	}
}

/* ---- Traces ------------------------------------------------------------ */

static void putStep(struct perfetto *self, const struct orderedStep *step)
{
	const hdIRecord *record = step->record;

	self->wantsSent = step->kind == ORDERED_ENTER;
	if (step->kind == ORDERED_LEAVE)
		messagesFind(self->messages, record, takeEnd, self);
	if (self->isChosen) {
		startEvent(self, step->kind == ORDERED_ENTER ? EVENT_IS_BEGIN
				 : step->kind == ORDERED_LEAVE
					 ? EVENT_IS_END
					 : EVENT_IS_INSTANT);
		if (step->kind != ORDERED_LEAVE) {
			pbText(self->body, EVENT_NAME, record->name);
			exportAttributes(record, annotate, self);
		}
		perfettoPutPacket(self, PACKET_TRACK_EVENT, &step->time);
	}
	if (step->kind == ORDERED_ENTER)
		messagesFind(self->messages, record, takeEnd, self);
}

static int putTrace(struct perfetto *self, const hdITraceFile *trace)
{
	struct ordered *ordered = exportOpenTrace(self->export, trace);
	struct orderedStep step;
	int ret = 0;

	self->track =
		GPOINTER_TO_SIZE(g_hash_table_lookup(self->nodes, trace->node));
	messagesEnter(self->messages, trace, NULL);
	while (ordered && self->error == 0 &&
	       (ret = exportReadStep(self->export, ordered, trace, &step,
				     &self->isChosen)) == 1)
		putStep(self, &step);
	orderedClose(ordered);
	toolProgressFile(self->export->tool, trace->fileSize);
	return ret < 0 ? -1 : 0;
}

static int putProject(struct perfetto *self)
{
	const struct export *export = self->export;
	int ret = 0;

	putClocks(self);
	putNodes(self);
	for (guint i = 0; i < export->groups->len; i++)
		perfettoPutGroup(self, export->groups->pdata[i]);
	for (guint i = 0; i < export->traces->len && ret == 0; i++)
		ret = putTrace(self, export->traces->pdata[i]);
	if (ret == 0 && self->error == 0)
		putLate(self);
	countMessages(self);
	if (self->error == 0)
		return ret;
	toolError(export->tool, "temporary file: %s", strerror(-self->error));
	return -1;
}

static int writePerfetto(struct export *export)
{
	struct perfetto self = { .export = export };
	struct newFile file;
	int ret;

	if (exportStartFile(export, &file, NULL) < 0)
		return -1;
	exportLoseProject(export);
	self.file = file.file;
	self.nodes = g_hash_table_new(NULL, NULL);
	self.messages = messagesNew(export->project);
	self.channels = channelsNew(sizeof(struct perfettoChannel));
	self.late = spoolNew();
	self.packet = g_byte_array_new();
	self.body = g_byte_array_new();
	self.part = g_byte_array_new();
	self.bytes = g_byte_array_new();
	self.name = g_string_new(NULL);
	ret = putProject(&self);
	g_string_free(self.name, TRUE);
	g_byte_array_unref(self.packet);
	g_byte_array_unref(self.body);
	g_byte_array_unref(self.part);
	g_byte_array_unref(self.bytes);
	spoolFree(self.late);
	channelsFree(self.channels);
	messagesFree(self.messages);
	g_hash_table_destroy(self.nodes);
	return exportEndFile(export, &file, ret < 0);
}

const struct exportFormat exportPerfetto = {
	.name = "perfetto",
	.suffix = ".perfetto-trace",
	.write = writePerfetto,
};
