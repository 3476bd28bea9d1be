/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file exportperfetto.c
 * hdtrace export --to perfetto: a trace of Perfetto's protobuf packets.
 *
 * Nodes are tracks inside of each other, those of level 1 as processes, since
 * that is what Perfetto groups by. States are slices, with their attributes as
 * annotations, and values are counters. A message is an arrow between two
 * instants: one when sending starts, one when receiving ends; slices would not
 * do, because a receive may start before what it waits for is sent.
 *
 * Numbers of fields are those of protos/perfetto/trace in Perfetto's public
 * repository.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "export.h"
#include "messages.h"
#include "protobuf.h"
#include "units.h"

enum {
	TRACE_PACKET = 1,
	/* TracePacket */
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_TRACK_DESCRIPTOR = 60,
	/* ClockSnapshot, and its Clock */
	SNAPSHOT_CLOCK = 1,
	CLOCK_ID = 1,
	CLOCK_TIMESTAMP = 2,
	CLOCK_IS_REALTIME = 1,
	CLOCK_IS_BOOTTIME = 6,
	/* TrackDescriptor, ProcessDescriptor, CounterDescriptor */
	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8,
	PROCESS_PID = 1,
	PROCESS_NAME = 6,
	COUNTER_UNIT_NAME = 6,
	/* TrackEvent, DebugAnnotation */
	EVENT_ANNOTATION = 4,
	EVENT_TYPE = 9,
	EVENT_TRACK = 11,
	EVENT_NAME = 23,
	EVENT_COUNTER = 30,
	EVENT_DOUBLE_COUNTER = 44,
	EVENT_FLOW = 47,
	EVENT_END_OF_FLOW = 48,
	ANNOTATION_INT = 4,
	ANNOTATION_STRING = 6,
	ANNOTATION_NAME = 10,
};

enum eventType { TYPE_BEGIN = 1, TYPE_END, TYPE_INSTANT, TYPE_COUNTER };

/** Messages with the same sender, receiver, communicator and tag. */
struct channel {
	struct messageEnd key;
	uint64_t number;
	uint64_t sent;
	uint64_t received;
};

struct perfetto {
	struct export *export;
	FILE *file;
	uint64_t tracks; /**< Number of the last track. */
	bool isStarted;
	GHashTable *nodes; /**< hdINode to the number of its track. */
	struct messages *messages;
	GHashTable *channels; /**< struct messageEnd to struct channel. */
	uint64_t track;       /**< Of the trace that is written. */
	bool wantsSent;       /**< Which ends of messages are looked for. */
	/* Messages while they are put together. */
	GByteArray *packet;
	GByteArray *body;
	GByteArray *part;
	GByteArray *bytes;
	GString *name;
};

static GByteArray *emptied(GByteArray *bytes)
{
	g_byte_array_set_size(bytes, 0);
	return bytes;
}

/* ---- Packets ----------------------------------------------------------- */

/** Write body as a packet; time only if there is one. */
static void putPacket(struct perfetto *self, unsigned int field,
		      const int64_t *time)
{
	GByteArray *packet = emptied(self->packet);

	if (time)
		pbNumber(packet, PACKET_TIMESTAMP, (uint64_t)*time);
	pbNumber(packet, PACKET_SEQUENCE, 1);
	if (!self->isStarted)
		pbNumber(packet, PACKET_SEQUENCE_FLAGS, 1);
	self->isStarted = true;
	pbMessage(packet, field, self->body);
	pbMessage(emptied(self->bytes), TRACE_PACKET, packet);
	fwrite(self->bytes->data, 1, self->bytes->len, self->file);
}

/** Say that times are those of a wall clock. */
static void putClocks(struct perfetto *self)
{
	static const int ids[] = { CLOCK_IS_REALTIME, CLOCK_IS_BOOTTIME };

	emptied(self->body);
	for (size_t i = 0; i < G_N_ELEMENTS(ids); i++) {
		GByteArray *clock = emptied(self->part);

		pbNumber(clock, CLOCK_ID, (uint64_t)ids[i]);
		pbNumber(clock, CLOCK_TIMESTAMP, 1);
		pbMessage(self->body, SNAPSHOT_CLOCK, clock);
	}
	putPacket(self, PACKET_CLOCK_SNAPSHOT, NULL);
}

/** Start body as a track; returns its number. */
static uint64_t startTrack(struct perfetto *self, uint64_t parent,
			   const char *name)
{
	GByteArray *body = emptied(self->body);

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
	track = startTrack(self, node->level >= 2 ? parent : 0,
			   self->name->str);
	g_hash_table_insert(self->nodes, (gpointer)node,
			    GSIZE_TO_POINTER(track));
	if (node->level <= 1) {
		GByteArray *process = emptied(self->part);

		pbNumber(process, PROCESS_PID, track);
		pbText(process, PROCESS_NAME, self->name->str);
		pbMessage(self->body, TRACK_PROCESS, process);
	}
	putPacket(self, PACKET_TRACK_DESCRIPTOR, NULL);
}

static void putNodes(struct perfetto *self)
{
	const hdIProject *project = self->export->project;

	if (project->root->trace || project->root->groupCount)
		putNode(self, project->root);
	for (size_t i = 0; i < project->nodeCount; i++) {
		if (project->nodes[i] != project->root)
			putNode(self, project->nodes[i]);
	}
}

/* ---- Values ------------------------------------------------------------ */

static uint64_t putCounterTrack(struct perfetto *self, const hdIGroup *group,
				const hdIValue *value)
{
	uint64_t parent =
		GPOINTER_TO_SIZE(g_hash_table_lookup(self->nodes, group->node));
	uint64_t track;

	g_string_printf(self->name, "%s %s%s", group->name, value->name,
			valueIsSimulated(group, value) ? " (simulated)" : "");
	track = startTrack(self, parent, self->name->str);
	emptied(self->part);
	if (*value->unit)
		pbText(self->part, COUNTER_UNIT_NAME, value->unit);
	pbMessage(self->body, TRACK_COUNTER, self->part);
	putPacket(self, PACKET_TRACK_DESCRIPTOR, NULL);
	return track;
}

/** A value as a counter has it. */
struct number {
	bool isThere;
	bool isInteger;
	int64_t integer;
	double real;
};

static struct number getNumber(hdIType type, const hdIBlock *block,
			       size_t column, size_t entry)
{
	const hdIColumn *values = &block->columns[column];
	struct number number = { .isInteger = true };

	if (type == HDI_INT32) {
		number.integer = values->int32[entry];
	} else if (type == HDI_INT64) {
		number.integer = values->int64[entry];
	} else if (type == HDI_UINT64 && values->uint64[entry] <= INT64_MAX) {
		number.integer = (int64_t)values->uint64[entry];
	} else {
		number.isInteger = false;
		number.real = exportNumber(block, type, column, entry);
	}
	number.isThere = number.isInteger || !isnan(number.real);
	return number;
}

static void putNumbers(struct perfetto *self, const uint64_t *tracks,
		       const struct number *numbers, size_t count, int64_t time)
{
	for (size_t k = 0; k < count; k++) {
		GByteArray *body = emptied(self->body);

		if (!tracks[k] || !numbers[k].isThere)
			continue;
		pbNumber(body, EVENT_TYPE, TYPE_COUNTER);
		pbNumber(body, EVENT_TRACK, tracks[k]);
		if (numbers[k].isInteger)
			pbNumber(body, EVENT_COUNTER,
				 (uint64_t)numbers[k].integer);
		else
			pbDouble(body, EVENT_DOUBLE_COUNTER, numbers[k].real);
		putPacket(self, PACKET_TRACK_EVENT, &time);
	}
}

static void loseNumbers(struct perfetto *self, const hdIGroup *group,
			const hdIBlock *block, size_t entry)
{
	struct export *export = self->export;

	exportLose(export, "gaps; the value before goes on",
		   block->isAfterGap[entry]);
	for (size_t k = 0; k < group->valueCount; k++) {
		hdIType type = group->values[k].type;

		if (type == HDI_STRING)
			exportLose(export, "strings", 1);
		else if (isnan(exportNumber(block, type, k, entry)))
			exportLose(export,
				   "missing values; the value before goes on",
				   1);
		else if (type == HDI_UINT64 &&
			 block->columns[k].uint64[entry] > INT64_MAX)
			exportLose(export, "last digits of large UINT64", 1);
	}
}

/**
 * Write a group. A counter has its value from a time on, so an entry stands at
 * the start of its interval; one with nothing behind it also at its end.
 */
static void putGroup(struct perfetto *self, const hdIGroup *group)
{
	hdIStatReader *reader = exportOpenStat(self->export, group);
	size_t count = group->valueCount;
	uint64_t *tracks = g_new0(uint64_t, count + 1);
	struct number *numbers = g_new0(struct number, count + 1);
	int64_t end = 0;
	const hdIBlock *block;

	for (size_t k = 0; reader && k < count; k++) {
		const hdIValue *value = &group->values[k];

		exportLose(self->export,
			   "groupings and other attributes of values",
			   *value->grouping || value->attributeCount);
		if (value->type != HDI_STRING)
			tracks[k] = putCounterTrack(self, group, value);
	}
	while (reader && hdI_readStat(reader, &block) == 1) {
		for (size_t i = 0; i < block->count; i++) {
			loseNumbers(self, group, block, i);
			if (block->isAfterGap[i])
				putNumbers(self, tracks, numbers, count, end);
			for (size_t k = 0; k < count; k++)
				numbers[k] = getNumber(group->values[k].type,
						       block, k, i);
			putNumbers(self, tracks, numbers, count,
				   block->start[i]);
			end = block->end[i];
		}
		self->export->entries += block->count;
		toolProgressAt(self->export->tool,
			       block->offset[block->count - 1]);
	}
	putNumbers(self, tracks, numbers, count, end);
	hdI_closeStat(reader);
	g_free(numbers);
	g_free(tracks);
	toolProgressFile(self->export->tool, group->fileSize);
}

/* ---- States, events, messages ------------------------------------------ */

/** Start body as an event of the trace's track. */
static GByteArray *startEvent(struct perfetto *self, enum eventType type)
{
	GByteArray *body = emptied(self->body);

	pbNumber(body, EVENT_TYPE, type);
	pbNumber(body, EVENT_TRACK, self->track);
	return body;
}

static void annotateNumber(struct perfetto *self, const char *name,
			   int64_t value)
{
	GByteArray *part = emptied(self->part);

	pbText(part, ANNOTATION_NAME, name);
	pbNumber(part, ANNOTATION_INT, (uint64_t)value);
	pbMessage(self->body, EVENT_ANNOTATION, part);
}

static void annotate(struct perfetto *self, const char *name, const char *value)
{
	GByteArray *part;
	gint64 number;

	if (g_ascii_string_to_signed(value, 10, INT64_MIN, INT64_MAX, &number,
				     NULL)) {
		annotateNumber(self, name, number);
		return;
	}
	part = emptied(self->part);
	pbText(part, ANNOTATION_NAME, name);
	pbText(part, ANNOTATION_STRING, value);
	pbMessage(self->body, EVENT_ANNOTATION, part);
}

/** Annotate with attributes, and those of elements as "ELEMENT.NAME". */
static void annotateAll(struct perfetto *self, const char *prefix,
			const hdIAttribute *attributes, size_t attributeCount,
			const hdIElement *elements, size_t elementCount)
{
	for (size_t i = 0; i < attributeCount; i++) {
		char *name = g_strconcat(prefix, attributes[i].name, NULL);

		annotate(self, name, attributes[i].value);
		g_free(name);
	}
	for (size_t i = 0; i < elementCount; i++) {
		const hdIElement *element = &elements[i];
		char *name = g_strconcat(prefix, element->name, ".", NULL);

		annotateAll(self, name, element->attributes,
			    element->attributeCount, element->children,
			    element->childCount);
		if (element->text && *element->text) {
			name[strlen(name) - 1] = '\0';
			annotate(self, name, element->text);
		}
		g_free(name);
	}
}

static struct channel *channelOf(struct perfetto *self,
				 const struct messageEnd *end)
{
	struct channel *channel = g_hash_table_lookup(self->channels, end);

	if (channel)
		return channel;
	channel = g_new0(struct channel, 1);
	channel->key = *end;
	channel->number = g_hash_table_size(self->channels);
	g_hash_table_insert(self->channels, &channel->key, channel);
	return channel;
}

/** Messages of a channel arrive in the order in which they are sent. */
static void putEnd(const struct messageEnd *end, void *data)
{
	struct perfetto *self = data;
	struct channel *channel;
	uint64_t count;

	if (end->isSent != self->wantsSent)
		return;
	channel = channelOf(self, end);
	count = end->isSent ? channel->sent++ : channel->received++;
	startEvent(self, TYPE_INSTANT);
	g_string_printf(self->name, "%s %" PRId64,
			end->isSent ? "message to" : "message from",
			end->isSent ? end->receiver : end->sender);
	pbText(self->body, EVENT_NAME, self->name->str);
	annotateNumber(self, "tag", end->tag);
	if (end->size >= 0)
		annotateNumber(self, "size", end->size);
	if (*end->group->name)
		annotate(self, "communicator", end->group->name);
	pbFixed64(self->body, end->isSent ? EVENT_FLOW : EVENT_END_OF_FLOW,
		  channel->number << 36 | (count + 1));
	putPacket(self, PACKET_TRACK_EVENT, &end->time);
}

static void putStep(struct perfetto *self, const struct orderedStep *step)
{
	const hdIRecord *record = step->record;

	self->wantsSent = step->kind == ORDERED_ENTER;
	if (step->kind == ORDERED_LEAVE) {
		messagesFind(self->messages, record, putEnd, self);
		startEvent(self, TYPE_END);
		putPacket(self, PACKET_TRACK_EVENT, &step->time);
		return;
	}
	startEvent(self,
		   step->kind == ORDERED_ENTER ? TYPE_BEGIN : TYPE_INSTANT);
	pbText(self->body, EVENT_NAME, record->name);
	annotateAll(self, "", record->attributes, record->attributeCount,
		    record->elements, record->elementCount);
	if (record->text && *record->text)
		annotate(self, "text", record->text);
	putPacket(self, PACKET_TRACK_EVENT, &step->time);
	if (step->kind == ORDERED_ENTER)
		messagesFind(self->messages, record, putEnd, self);
}

static int putTrace(struct perfetto *self, const hdITraceFile *trace)
{
	struct ordered *ordered = exportOpenTrace(self->export, trace);
	struct orderedStep step;
	int ret = 0;

	self->track =
		GPOINTER_TO_SIZE(g_hash_table_lookup(self->nodes, trace->node));
	messagesEnter(self->messages, trace, NULL);
	while (ordered && (ret = exportReadTrace(self->export, ordered, trace,
						 &step)) == 1)
		putStep(self, &step);
	orderedClose(ordered);
	toolProgressFile(self->export->tool, trace->fileSize);
	return ret < 0 ? -1 : 0;
}

static void countMessages(struct perfetto *self)
{
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, self->channels);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const struct channel *channel = value;
		uint64_t whole = MIN(channel->sent, channel->received);

		self->export->messages += whole;
		exportLose(self->export,
			   "arrows of messages of which one end is recorded",
			   channel->sent + channel->received - 2 * whole);
	}
}

static int putProject(struct perfetto *self)
{
	const hdIProject *project = self->export->project;
	int ret = 0;

	putClocks(self);
	putNodes(self);
	for (size_t i = 0; i < project->groupCount; i++)
		putGroup(self, project->groups[i]);
	for (size_t i = 0; i < project->traceCount && ret == 0; i++)
		ret = putTrace(self, project->traces[i]);
	countMessages(self);
	return ret;
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
	self.channels = g_hash_table_new_full(messagesHash, messagesAreAlike,
					      NULL, g_free);
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
	g_hash_table_destroy(self.channels);
	messagesFree(self.messages);
	g_hash_table_destroy(self.nodes);
	return exportEndFile(export, &file, ret < 0);
}

const struct exportFormat exportPerfetto = {
	.name = "perfetto",
	.suffix = ".perfetto-trace",
	.write = writePerfetto,
};
