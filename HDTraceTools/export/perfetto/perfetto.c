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

#include "HDTraceTools/command/parts.h"
#include "HDTraceTools/export/perfetto/perfetto.h"
#include "HDTraceTools/model/mpi/messages.h"

/* ---- Packets ----------------------------------------------------------- */

void perfettoPutPacket(struct perfetto *self, unsigned int field,
		       const int64_t *time)
{
	uint8_t packet[4 * PB_NUMBER_MAX];
	uint8_t head[PB_NUMBER_MAX];
	uint8_t *end = packet;
	size_t length;

	if (time)
		end = pbPutNumber(end, PACKET_TIMESTAMP, (uint64_t)*time);
	end = pbPutNumber(end, PACKET_SEQUENCE, 1);
	if (!self->isStarted)
		end = pbPutNumber(end, PACKET_SEQUENCE_FLAGS, 1);
	self->isStarted = true;
	end = pbPutLength(end, field, self->body.length);
	length = (size_t)(end - packet);
	end = pbPutLength(head, TRACE_PACKET, length + self->body.length);
	fwrite(head, 1, (size_t)(end - head), self->file);
	fwrite(packet, 1, length, self->file);
	fwrite(self->body.data, 1, self->body.length, self->file);
}

/** Say that times are those of a wall clock. */
static void perfettoPutClocks(struct perfetto *self)
{
	static const int ids[] = { CLOCK_IS_REALTIME, CLOCK_IS_BOOTTIME };

	perfettoEmptied(&self->body);
	for (size_t i = 0; i < G_N_ELEMENTS(ids); i++) {
		struct pbBytes *clock = perfettoEmptied(&self->part);

		pbNumber(clock, CLOCK_ID, (uint64_t)ids[i]);
		pbNumber(clock, CLOCK_TIMESTAMP, 1);
		pbMessage(&self->body, SNAPSHOT_CLOCK, clock);
	}
	perfettoPutPacket(self, PACKET_CLOCK_SNAPSHOT, NULL);
}

uint64_t perfettoStartTrack(struct perfetto *self, uint64_t parent,
			    const char *name)
{
	struct pbBytes *body = perfettoEmptied(&self->body);

	self->tracks++;
	pbNumber(body, TRACK_UUID, self->tracks);
	pbText(body, TRACK_NAME, name);
	if (parent)
		pbNumber(body, TRACK_PARENT, parent);
	return self->tracks;
}

uint64_t perfettoTrackOf(const struct perfetto *self, const hdINode *node)
{
	return GPOINTER_TO_SIZE(g_hash_table_lookup(self->nodes, node));
}

static void perfettoPutNode(struct perfetto *self, const hdINode *node)
{
	const hdIProject *project = self->export->project;
	uint64_t parent = perfettoTrackOf(self, node->parent);
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
		struct pbBytes *process = perfettoEmptied(&self->part);

		pbNumber(process, PROCESS_PID, track);
		pbText(process, PROCESS_NAME, self->name->str);
		pbMessage(&self->body, TRACK_PROCESS, process);
	}
	perfettoPutPacket(self, PACKET_TRACK_DESCRIPTOR, NULL);
}

static void perfettoPutNodes(struct perfetto *self)
{
	const hdIProject *project = self->export->project;

	if (project->root->trace || project->root->groupCount ||
	    project->root->relations)
		perfettoPutNode(self, project->root);
	for (size_t i = 0; i < project->nodeCount; i++) {
		if (project->nodes[i] != project->root &&
		    exportHasNode(self->export, project->nodes[i]))
			perfettoPutNode(self, project->nodes[i]);
	}
}

/* ---- States and events ------------------------------------------------- */

/** Start body as an event of the trace's track. */
struct pbBytes *perfettoStartEvent(struct perfetto *self,
				   enum perfettoEvent type)
{
	struct pbBytes *body = perfettoEmptied(&self->body);

	pbNumber(body, EVENT_TYPE, type);
	pbNumber(body, EVENT_TRACK, self->track);
	return body;
}

void perfettoAnnotateNumber(struct perfetto *self, const char *name,
			    int64_t value)
{
	struct pbBytes *part = perfettoEmptied(&self->part);

	pbText(part, ANNOTATION_NAME, name);
	pbNumber(part, ANNOTATION_INT, (uint64_t)value);
	pbMessage(&self->body, EVENT_ANNOTATION, part);
}

void perfettoAnnotate(void *data, const char *name, const char *value)
{
	struct perfetto *self = data;
	struct pbBytes *part;
	int64_t number;

	if (messagesReadNumber(value, &number)) {
		perfettoAnnotateNumber(self, name, number);
		return;
	}
	part = perfettoEmptied(&self->part);
	pbText(part, ANNOTATION_NAME, name);
	pbText(part, ANNOTATION_STRING, value);
	pbMessage(&self->body, EVENT_ANNOTATION, part);
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
		perfettoAnnotateNumber(self, PERFETTO_PATH, time);
}

static void perfettoPutStep(struct perfetto *self,
			    const struct orderedStep *step)
{
	const hdIRecord *record = step->record;

	if (!self->isChosen)
		return;
	perfettoStartEvent(self, step->kind == ORDERED_ENTER ? EVENT_IS_BEGIN
				 : step->kind == ORDERED_LEAVE
					 ? EVENT_IS_END
					 : EVENT_IS_INSTANT);
	if (step->kind != ORDERED_LEAVE) {
		pbText(&self->body, EVENT_NAME, record->name);
		exportAttributes(self->export, record, step->site,
				 perfettoAnnotate, self);
	}
	if (step->kind == ORDERED_ENTER)
		annotatePath(self, record);
	perfettoPutPacket(self, PACKET_TRACK_EVENT, &step->time);
}

void perfettoStartWriting(struct perfettoWriting *self,
			  const struct perfetto *perfetto, struct part *part)
{
	self->perfetto = *perfetto->begun;
	self->perfetto.export = exportStartPart(perfetto->begun->export, part);
	self->perfetto.file = part->file;
	self->perfetto.error = 0;
	self->perfetto.body = (struct pbBytes){ .length = 0 };
	self->perfetto.part = (struct pbBytes){ .length = 0 };
	self->perfetto.name = g_string_new(NULL);
	part->result = self;
}

void perfettoEndWriting(struct perfetto *self, struct perfettoWriting *writing)
{
	exportEndPart(self->export, writing->perfetto.export);
	pbFree(&writing->perfetto.body);
	pbFree(&writing->perfetto.part);
	g_string_free(writing->perfetto.name, TRUE);
	g_free(writing);
}

static void perfettoPutTracePart(struct part *part, size_t number, void *data)
{
	const struct perfetto *whole = data;
	const hdITraceFile *trace = whole->export->traces->pdata[number];
	struct perfettoWriting *writing = g_new0(struct perfettoWriting, 1);
	struct perfetto *self = &writing->perfetto;
	struct ordered *ordered;
	struct orderedStep step;
	int ret = 0;

	perfettoStartWriting(writing, whole, part);
	ordered = exportOpenTrace(self->export, trace);
	writing->reader =
		dependenciesEnter(self->dependencies, trace, (uint32_t)number);
	self->track = perfettoTrackOf(self, trace->node);
	self->trace = trace;
	while (ordered && self->error == 0 &&
	       (ret = exportReadStep(self->export, ordered, trace, &step,
				     &self->isChosen)) == 1) {
		perfettoPutStep(self, &step);
		if (step.kind == ORDERED_LEAVE)
			self->error = dependencyNote(
				writing->reader, step.record, self->isChosen);
	}
	orderedClose(ordered);
	writing->error = ret < 0 ? -1 : 0;
}

static bool perfettoAddTracePart(struct part *part, size_t number, void *data)
{
	struct perfetto *self = data;
	const hdITraceFile *trace = self->export->traces->pdata[number];
	struct perfettoWriting *writing = part->result;
	struct perfettoTrace own = { .track = perfettoTrackOf(self,
							      trace->node) };

	if (!writing)
		return false;
	own.rank = dependencyRank(writing->reader);
	g_array_append_val(self->traces, own);
	if (self->error == 0 && !part->isDropped)
		self->error = writing->perfetto.error;
	if (self->error == 0 && !part->isDropped)
		self->error =
			dependenciesLeave(self->dependencies, writing->reader);
	else
		dependenciesDrop(writing->reader);
	if (writing->error < 0)
		self->hasFailed = true;
	perfettoEndWriting(self, writing);
	toolProgressFile(self->export->tool, trace->fileSize);
	return self->error == 0 && !self->hasFailed;
}

static void perfettoPutGroupPart(struct part *part, size_t number, void *data)
{
	const struct perfetto *self = data;
	struct perfettoWriting *writing = g_new0(struct perfettoWriting, 1);

	perfettoStartWriting(writing, self, part);
	writing->perfetto.tracks = self->groupTracks[number];
	perfettoPutGroup(&writing->perfetto,
			 self->export->groups->pdata[number]);
}

static bool perfettoAddGroupPart(struct part *part, size_t number, void *data)
{
	struct perfetto *self = data;
	const struct exportGroup *group = self->export->groups->pdata[number];

	perfettoEndWriting(self, part->result);
	toolProgressFile(self->export->tool, group->group->fileSize);
	return true;
}

void perfettoPutAll(struct perfetto *self, size_t count, partsRun *run,
		    partsTake *take)
{
	struct export export = *self->export;
	struct perfetto begun = *self;
	const struct partsWork work = {
		.tool = self->export->tool,
		.count = count,
		.output = self->file,
		.run = run,
		.take = take,
		.data = self,
	};

	begun.export = &export;
	self->begun = &begun;
	partsDo(&work);
}

/** Groups go before what takes the next numbers of tracks. */
static void perfettoPutGroups(struct perfetto *self)
{
	const GPtrArray *groups = self->export->groups;

	self->groupTracks = g_new0(uint64_t, groups->len + 1);
	for (guint i = 0; i < groups->len; i++) {
		self->groupTracks[i] = self->tracks;
		self->tracks += perfettoGroupTracks(groups->pdata[i]);
	}
	perfettoPutAll(self, groups->len, perfettoPutGroupPart,
		       perfettoAddGroupPart);
	g_free(self->groupTracks);
}

static int perfettoPutProject(struct perfetto *self)
{
	const struct export *export = self->export;
	int ret = 0;

	if (export->traces->len)
		self->error = perfettoFindPath(self->export, &self->path);
	perfettoPutClocks(self);
	perfettoPutNodes(self);
	if (export->hasFindings)
		perfettoPutFindings(self);
	perfettoPutGroups(self);
	if (export->hasRelations)
		ret = perfettoPutRelations(self);
	if (ret == 0 && self->error == 0)
		perfettoPutAll(self, export->traces->len, perfettoPutTracePart,
			       perfettoAddTracePart);
	if (self->hasFailed)
		ret = -1;
	if (ret == 0 && self->error == 0)
		perfettoPutMessages(self);
	if (self->error == 0)
		return ret;
	toolErrorTemporary(export->tool, self->error);
	return -1;
}

static int writePerfetto(struct export *export)
{
	const struct dependencyFilter filter = {
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
	self.dependencies = dependenciesNew(export->project, &filter);
	self.name = g_string_new(NULL);
	ret = perfettoPutProject(&self);
	g_string_free(self.name, TRUE);
	pbFree(&self.body);
	pbFree(&self.part);
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
	.keepsFindings = true,
	.write = writePerfetto,
};
