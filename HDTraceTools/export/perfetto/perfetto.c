/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export --to perfetto: a trace of Perfetto's protobuf packets.
 *
 * Nodes are tracks inside of each other, those of level 1 as processes, since
 * that is what Perfetto groups by. States are slices, with their attributes as
 * annotations, and values are counters. A message is an arrow between two
 * instants: one when sending starts, one when receiving ends; slices would not
 * do, because a receive may start before what it waits for is sent. Relations
 * are slices of tracks below that of their node, in each of which they do not
 * overlap, with an arrow from that of who caused them.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "HDTraceTools/export/perfetto/perfetto.h"
#include "HDTraceTools/model/messages.h"

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

	if (project->root->trace || project->root->groupCount ||
	    project->root->relations)
		putNode(self, project->root);
	for (size_t i = 0; i < project->nodeCount; i++) {
		if (project->nodes[i] != project->root &&
		    exportHasNode(self->export, project->nodes[i]))
			putNode(self, project->nodes[i]);
	}
}

/* ---- States and events ------------------------------------------------- */

/** Start body as an event of the trace's track. */
GByteArray *perfettoStartEvent(struct perfetto *self, enum perfettoEvent type)
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

void perfettoAnnotate(void *data, const char *name, const char *value)
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

/** An end of a message. */
struct end {
	bool isSent;
	uint32_t trace;
	int64_t time;
	int64_t peer;  /**< Global rank of the other one. */
	uint64_t flow; /**< 0: there is no arrow. */
};

static void putEnd(struct perfetto *self, const struct dependency *message,
		   const struct end *end)
{
	const struct messageGroup *group =
		dependenciesGroups(self->dependencies)->pdata[message->group];

	self->track =
		g_array_index(self->traces, struct perfettoTrace, end->trace)
			.track;
	perfettoStartEvent(self, EVENT_IS_INSTANT);
	g_string_assign(self->name,
			end->isSent ? "message to " : "message from ");
	if (end->peer == MESSAGES_ELSEWHERE)
		g_string_append(self->name, "another program");
	else
		g_string_append_printf(self->name, "%" PRId64, end->peer);
	pbText(self->body, EVENT_NAME, self->name->str);
	annotateNumber(self, "tag", message->tag);
	if (message->size >= 0)
		annotateNumber(self, "size", message->size);
	if (*group->name)
		perfettoAnnotate(self, "communicator", group->name);
	if (end->flow)
		pbFixed64(self->body,
			  end->isSent ? EVENT_FLOW : EVENT_END_OF_FLOW,
			  end->flow);
	perfettoPutPacket(self, PACKET_TRACK_EVENT, &end->time);
}

static int64_t rankOf(const struct perfetto *self, uint32_t trace)
{
	return g_array_index(self->traces, struct perfettoTrace, trace).rank;
}

static void putMessage(struct perfetto *self, const struct dependency *message)
{
	uint64_t flow = ++self->flows;
	const struct end sent = {
		.isSent = true,
		.trace = message->from,
		.time = dependencyStart(message),
		.peer = rankOf(self, message->to),
		.flow = flow,
	};
	const struct end received = {
		.trace = message->to,
		.time = message->toTime,
		.peer = rankOf(self, message->from),
		.flow = flow,
	};

	putEnd(self, message, &sent);
	putEnd(self, message, &received);
	self->export->messages++;
}

/** An arrow from or to where nobody knows; none if it is not known which one of
 *  them it is. */
static void putLoose(struct perfetto *self, const struct dependency *message)
{
	const struct end end = {
		.isSent = message->kind == DEPENDENCY_SENT,
		.trace = message->from,
		.time = message->fromTime,
		.peer = message->peer,
		.flow = message->certainty == DEPENDENCY_CERTAIN ? ++self->flows
								 : 0,
	};

	putEnd(self, message, &end);
}

static void putMessages(struct perfetto *self)
{
	struct dependencyCounts counts;
	struct dependency message;
	int ret;

	while ((ret = dependenciesNext(self->dependencies, &message)) == 1) {
		if (message.kind == DEPENDENCY_MESSAGE)
			putMessage(self, &message);
		else
			putLoose(self, &message);
	}
	self->error = ret;
	counts = dependenciesCounts(self->dependencies);
	exportLose(self->export,
		   "arrows of messages of which one end is recorded",
		   counts.loose);
	exportLose(self->export, EXPORT_UNSURE, counts.unsure);
}

/* ---- Traces ------------------------------------------------------------ */

/** Say for how long a state is on the critical path. */
static void annotatePath(struct perfetto *self, const hdIRecord *record)
{
	int64_t time = self->path
			       ? perfettoTimeOnPath(self->path, self->trace,
						    record->start, record->end)
			       : 0;

	if (time > 0)
		annotateNumber(self, PERFETTO_PATH, time);
}

static void putStep(struct perfetto *self, const struct orderedStep *step)
{
	const hdIRecord *record = step->record;

	if (!self->isChosen)
		return;
	perfettoStartEvent(self, step->kind == ORDERED_ENTER ? EVENT_IS_BEGIN
				 : step->kind == ORDERED_LEAVE
					 ? EVENT_IS_END
					 : EVENT_IS_INSTANT);
	if (step->kind != ORDERED_LEAVE) {
		pbText(self->body, EVENT_NAME, record->name);
		exportAttributes(record, perfettoAnnotate, self);
	}
	if (step->kind == ORDERED_ENTER)
		annotatePath(self, record);
	perfettoPutPacket(self, PACKET_TRACK_EVENT, &step->time);
}

static int putTrace(struct perfetto *self, const hdITraceFile *trace)
{
	struct ordered *ordered = exportOpenTrace(self->export, trace);
	struct dependencyReader *reader =
		dependenciesEnter(self->dependencies, trace, self->traces->len);
	struct perfettoTrace own = {
		.track = GPOINTER_TO_SIZE(
			g_hash_table_lookup(self->nodes, trace->node)),
		.rank = dependencyRank(reader),
	};
	struct orderedStep step;
	int ret = 0;

	g_array_append_val(self->traces, own);
	self->track = own.track;
	self->trace = trace;
	while (ordered && self->error == 0 &&
	       (ret = exportReadStep(self->export, ordered, trace, &step,
				     &self->isChosen)) == 1) {
		putStep(self, &step);
		if (step.kind == ORDERED_LEAVE)
			self->error = dependencyNote(reader, step.record,
						     self->isChosen);
	}
	orderedClose(ordered);
	if (self->error == 0)
		self->error = dependenciesLeave(self->dependencies, reader);
	else
		dependenciesDrop(reader);
	toolProgressFile(self->export->tool, trace->fileSize);
	return ret < 0 ? -1 : 0;
}

static int putProject(struct perfetto *self)
{
	const struct export *export = self->export;
	int ret = 0;

	if (export->traces->len)
		self->error = perfettoFindPath(self->export, &self->path);
	putClocks(self);
	putNodes(self);
	for (guint i = 0; i < export->groups->len; i++)
		perfettoPutGroup(self, export->groups->pdata[i]);
	if (export->hasRelations)
		ret = perfettoPutRelations(self);
	for (guint i = 0; i < export->traces->len && ret == 0; i++)
		ret = putTrace(self, export->traces->pdata[i]);
	if (ret == 0 && self->error == 0)
		putMessages(self);
	if (self->error == 0)
		return ret;
	toolError(export->tool, "temporary file: %s", strerror(-self->error));
	return -1;
}

static int writePerfetto(struct export *export)
{
	const struct dependencyWish wish = {
		.kinds = DEPENDENCY_MESSAGE | DEPENDENCY_SENT |
			 DEPENDENCY_RECEIVED,
	};
	struct perfetto self = { .export = export };
	struct newFile file;
	int ret;

	if (exportStartFile(export, &file, NULL) < 0)
		return -1;
	exportLoseProject(export);
	self.file = file.file;
	self.nodes = g_hash_table_new(NULL, NULL);
	self.traces = g_array_new(FALSE, FALSE, sizeof(struct perfettoTrace));
	self.dependencies = dependenciesNew(export->project, &wish);
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
	dependenciesFree(self.dependencies);
	perfettoFreePath(self.path);
	g_array_unref(self.traces);
	g_hash_table_destroy(self.nodes);
	return exportEndFile(export, &file, ret < 0);
}

const struct exportFormat exportPerfetto = {
	.name = "perfetto",
	.suffix = ".perfetto-trace",
	.keepsRelations = true,
	.write = writePerfetto,
};
