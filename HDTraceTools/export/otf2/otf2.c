/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export --to otf2: an archive of the Open Trace Format 2.
 *
 * A trace is a location, in the location group of its rank; nodes above the
 * ranks are the system tree. A group of statistics is a location for metrics,
 * with an instance of a metric class whose scope is the node. An entry is a
 * metric event at the end of its interval: its values hold since the one
 * before.
 *
 * Definitions are gathered in memory while events are written.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/export/otf2/otf2.h"
#include "HDTraceTools/model/roles.h"

/* ---- OTF2's ways ------------------------------------------------------- */

static OTF2_FlushType preFlush(void *data, OTF2_FileType type,
			       OTF2_LocationRef location, void *caller,
			       bool isFinal)
{
	(void)data;
	(void)type;
	(void)location;
	(void)caller;
	(void)isFinal;
	return OTF2_FLUSH;
}

static const OTF2_FlushCallbacks flushCallbacks = {
	.otf2_pre_flush = preFlush,
};

/** Errors are said by who finds them, and not by the library. */
static OTF2_ErrorCode onError(void *data, const char *file, uint64_t line,
			      const char *function, OTF2_ErrorCode code,
			      const char *format, va_list arguments)
{
	(void)data;
	(void)file;
	(void)line;
	(void)function;
	(void)format;
	(void)arguments;
	return code;
}

bool otf2Check(struct otf2 *self, OTF2_ErrorCode code)
{
	if (code != OTF2_SUCCESS && self->error == OTF2_SUCCESS)
		self->error = code;
	return self->error == OTF2_SUCCESS;
}

/* ---- Locations --------------------------------------------------------- */

struct otf2Location *otf2LocationAt(const struct otf2 *self, guint number)
{
	return &g_array_index(self->locations, struct otf2Location, number);
}

struct otf2Location *otf2Current(struct otf2 *self)
{
	return otf2LocationAt(self, self->locations->len - 1);
}

void otf2CountEvent(struct otf2 *self, int64_t time)
{
	struct otf2Location *location = otf2Current(self);

	location->events++;
	location->first = MIN(location->first, time);
	location->last = MAX(location->last, time);
}

static void putStep(struct otf2 *self, const struct orderedStep *step)
{
	const hdIRecord *record = step->record;
	OTF2_TimeStamp time = (OTF2_TimeStamp)step->time;

	otf2CountEvent(self, step->time);
	if (step->kind == ORDERED_LEAVE) {
		otf2PutLeaving(self, record, step->time);
		otf2Check(self,
			  OTF2_EvtWriter_Leave(self->events, NULL, time,
					       otf2RegionOf(self, record)));
		return;
	}
	otf2SetAttributes(self, record);
	if (step->kind == ORDERED_EVENT) {
		otf2Check(self, OTF2_EvtWriter_ParameterString(
					self->events, self->list, time, 0,
					otf2String(self, record->name)));
		return;
	}
	otf2Check(self, OTF2_EvtWriter_Enter(self->events, self->list, time,
					     otf2RegionOf(self, record)));
	otf2PutEntered(self, record, step->time);
}

static int putTrace(struct otf2 *self, const hdITraceFile *trace)
{
	struct ordered *ordered = exportOpenTrace(self->export, trace);
	struct orderedStep step;
	int64_t rank;
	int ret = 0;

	g_hash_table_remove_all(self->pending);
	if (messagesEnter(self->messages, trace, &rank) &&
	    !g_hash_table_contains(self->ranks, &rank)) {
		g_hash_table_insert(self->ranks, g_memdup2(&rank, sizeof(rank)),
				    GSIZE_TO_POINTER(self->locations->len));
		self->lastRank = MAX(self->lastRank, rank);
	}
	while (ordered && self->error == OTF2_SUCCESS &&
	       (ret = exportReadTrace(self->export, ordered, trace, &step)) ==
		       1)
		putStep(self, &step);
	orderedClose(ordered);
	toolProgressFile(self->export->tool, trace->fileSize);
	return ret < 0 ? -1 : 0;
}

/** Write a location; trace is NULL for a group. */
static int putLocation(struct otf2 *self, const struct exportGroup *group,
		       const hdITraceFile *trace)
{
	struct otf2Location location = {
		.node = group ? group->group->node : trace->node,
		.group = group,
		.first = INT64_MAX,
		.last = INT64_MIN,
		.firstMetric = self->metrics,
	};
	GArray *numbers;
	int ret = 0;

	self->events =
		OTF2_Archive_GetEvtWriter(self->archive, self->locations->len);
	if (!self->events) {
		otf2Check(self, OTF2_ERROR_INVALID);
		return 0;
	}
	g_array_append_val(self->locations, location);
	if (group) {
		numbers = otf2NumbersOf(group);
		self->metrics += 2 * ((numbers->len + OTF2_MEMBERS_MAX - 1) /
				      OTF2_MEMBERS_MAX);
		g_array_unref(numbers);
		otf2PutGroup(self, group);
	} else {
		ret = putTrace(self, trace);
	}
	otf2Check(self,
		  OTF2_Archive_CloseEvtWriter(self->archive, self->events));
	return ret;
}

/* ---- The archive ------------------------------------------------------- */

static int putProject(struct otf2 *self)
{
	const struct export *export = self->export;
	int ret = 0;

	otf2Check(self, OTF2_Archive_SetFlushCallbacks(self->archive,
						       &flushCallbacks, NULL));
	otf2Check(self,
		  OTF2_Archive_SetSerialCollectiveCallbacks(self->archive));
	otf2Check(self, OTF2_Archive_OpenEvtFiles(self->archive));
	for (guint i = 0; i < export->groups->len; i++) {
		if (self->error == OTF2_SUCCESS)
			putLocation(self, export->groups->pdata[i], NULL);
	}
	for (guint i = 0; i < export->traces->len && ret == 0; i++) {
		if (self->error == OTF2_SUCCESS)
			ret = putLocation(self, NULL, export->traces->pdata[i]);
	}
	if (ret == 0 && self->error == OTF2_SUCCESS && export->hasRelations)
		ret = otf2PutRelations(self);
	otf2Check(self, OTF2_Archive_CloseEvtFiles(self->archive));
	if (ret == 0 && self->error == OTF2_SUCCESS)
		otf2Define(self);
	return ret;
}

static void openTables(struct otf2 *self)
{
	const hdIProject *project = self->export->project;

	self->list = OTF2_AttributeList_New();
	self->strings = g_hash_table_new(g_str_hash, g_str_equal);
	self->stringList = g_ptr_array_new_with_free_func(g_free);
	self->regions = g_hash_table_new(g_str_hash, g_str_equal);
	self->regionList = g_array_new(FALSE, FALSE, sizeof(struct otf2Region));
	self->attributes =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	self->attributeList =
		g_array_new(FALSE, FALSE, sizeof(struct otf2Attribute));
	self->locations =
		g_array_new(FALSE, FALSE, sizeof(struct otf2Location));
	self->ranks = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free,
					    NULL);
	self->tree = g_hash_table_new(NULL, NULL);
	self->pending = g_hash_table_new_full(g_int64_hash, g_int64_equal,
					      g_free, g_free);
	self->messages = messagesNew(project);
	self->rankLevel = rolesRankLevel(project);
}

static void closeTables(struct otf2 *self)
{
	OTF2_AttributeList_Delete(self->list);
	g_hash_table_destroy(self->strings);
	g_hash_table_destroy(self->regions);
	g_hash_table_destroy(self->attributes);
	g_hash_table_destroy(self->ranks);
	g_hash_table_destroy(self->tree);
	g_hash_table_destroy(self->pending);
	g_ptr_array_unref(self->stringList);
	g_array_unref(self->regionList);
	g_array_unref(self->attributeList);
	g_array_unref(self->locations);
	messagesFree(self->messages);
}

static int writeOtf2(struct export *export)
{
	struct otf2 self = {
		.export = export,
		.lastRank = -1,
	};
	int ret = -1;

	exportLoseProject(export);
	OTF2_Error_RegisterCallback(onError, NULL);
	self.archive =
		OTF2_Archive_Open(export->output, "traces", OTF2_FILEMODE_WRITE,
				  OTF2_CHUNK_SIZE_EVENTS_DEFAULT,
				  OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT,
				  OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
	if (!self.archive) {
		toolError(export->tool, "%s: OTF2 cannot open an archive there",
			  export->output);
		return -1;
	}
	g_ptr_array_add(export->files,
			g_build_filename(export->output, "traces.otf2", NULL));
	openTables(&self);
	ret = putProject(&self);
	otf2Check(&self, OTF2_Archive_Close(self.archive));
	if (self.error != OTF2_SUCCESS) {
		toolError(export->tool, "%s: OTF2: %s", export->output,
			  OTF2_Error_GetDescription(self.error));
		ret = -1;
	}
	closeTables(&self);
	return ret;
}

const struct exportFormat exportOtf2 = {
	.name = "otf2",
	.suffix = ".otf2.d",
	.isDirectory = true,
	.keepsDescription = true,
	.keepsClocks = true,
	.keepsRelations = true,
	.write = writeOtf2,
};
