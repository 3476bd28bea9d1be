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

#include <stdatomic.h>
#include <string.h>

#include "HDTraceTools/export/otf2/otf2.h"
#include "HDTraceTools/model/mpi/roles.h"

/* What locks are made of calls these two, and must find them where we do. */
#define OTF2_Archive_SetLockingCallbacks \
	otf2Api.OTF2_Archive_SetLockingCallbacks
#define OTF2_Reader_SetLockingCallbacks otf2Api.OTF2_Reader_SetLockingCallbacks
#include <otf2/OTF2_Pthread_Locks.h>

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

/** The first error of the system that the library found, in any thread: it does
 *  not return the errors of all writes. */
static _Atomic(int) otf2Failure;

/** Errors are said by who finds them, and not by the library. */
static OTF2_ErrorCode onError(void *data, const char *file, uint64_t line,
			      const char *function, OTF2_ErrorCode code,
			      const char *format, va_list arguments)
{
	int none = OTF2_SUCCESS;

	if (code >= OTF2_ERROR_E2BIG && code <= OTF2_ERROR_EXDEV)
		atomic_compare_exchange_strong(&otf2Failure, &none, code);
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

void otf2CountEvent(struct otf2 *self, int64_t time)
{
	struct otf2Location *location = self->location;

	location->events++;
	location->first = MIN(location->first, time);
	location->last = MAX(location->last, time);
}

static void otf2PutStep(struct otf2 *self, const struct orderedStep *step)
{
	const hdIRecord *record = step->record;
	OTF2_TimeStamp time = (OTF2_TimeStamp)step->time;

	otf2CountEvent(self, step->time);
	if (step->kind == ORDERED_LEAVE) {
		otf2PutLeaving(self, record, step->time);
		otf2Check(self, otf2Api.OTF2_EvtWriter_Leave(
					self->events, NULL, time,
					otf2RegionOf(self, record)));
		return;
	}
	otf2SetAttributes(self, record, step->site);
	if (step->kind == ORDERED_EVENT) {
		otf2Check(self, otf2Api.OTF2_EvtWriter_ParameterString(
					self->events, self->list, time, 0,
					otf2String(self, record->name)));
		return;
	}
	otf2Check(self,
		  otf2Api.OTF2_EvtWriter_Enter(self->events, self->list, time,
					       otf2RegionOf(self, record)));
	otf2PutEntered(self, record, step->time);
}

/** A part of the archive: a location, which is a group or a trace. */
struct otf2Part {
	struct otf2 otf2;
	struct otf2Location location;
	int64_t rank; /**< -1: none. */
	int error;    /**< -1: it was said. */
};

static int otf2PutTrace(struct otf2Part *part, const hdITraceFile *trace)
{
	struct otf2 *self = &part->otf2;
	struct ordered *ordered = exportOpenTrace(self->export, trace);
	struct orderedStep step;
	int ret = 0;

	if (!messagesEnter(self->messages, trace, &part->rank))
		part->rank = -1;
	while (ordered && self->error == OTF2_SUCCESS &&
	       (ret = exportReadTrace(self->export, ordered, trace, &step)) ==
		       1)
		otf2PutStep(self, &step);
	orderedClose(ordered);
	return ret < 0 ? -1 : 0;
}

/** The number of metric classes and instances of a group: one of each for each
 *  value. */
static OTF2_MetricRef countMetrics(const struct exportGroup *group)
{
	GArray *numbers = otf2NumbersOf(group);
	guint count = numbers->len;

	g_array_unref(numbers);
	return 2 * count;
}

/** Number the metrics of all groups, in their order. */
static void numberMetrics(struct otf2 *self)
{
	const GPtrArray *groups = self->export->groups;
	OTF2_MetricRef next = 0;

	self->firstMetrics = g_new0(OTF2_MetricRef, groups->len + 1);
	for (guint i = 0; i < groups->len; i++) {
		self->firstMetrics[i] = next;
		next += countMetrics(groups->pdata[i]);
	}
}

static struct otf2Part *startPart(struct otf2 *whole, struct part *part,
				  const struct otf2Location *location)
{
	struct otf2Part *own = g_new0(struct otf2Part, 1);
	struct otf2 *self = &own->otf2;

	own->location = *location;
	own->rank = -1;
	*self = *whole->begun;
	self->whole = whole;
	self->part = part;
	self->error = OTF2_SUCCESS;
	self->export = exportStartPart(whole->begun->export, part);
	self->location = &own->location;
	self->list = otf2Api.OTF2_AttributeList_New();
	self->messages = messagesCopy(whole->messages);
	self->pending = g_hash_table_new_full(g_int64_hash, g_int64_equal,
					      g_free, g_free);
	self->collectives = g_hash_table_new_full(g_int64_hash, g_int64_equal,
						  g_free, g_free);
	self->rma = otf2RmaNew();
	self->io = otf2IoNew();
	for (int i = 0; i < OTF2_TABLES; i++)
		self->known[i] = g_hash_table_new(g_str_hash, g_str_equal);
	return own;
}

static void freePart(struct otf2Part *own)
{
	struct otf2 *self = &own->otf2;

	otf2Api.OTF2_AttributeList_Delete(self->list);
	messagesFree(self->messages);
	g_hash_table_destroy(self->pending);
	g_hash_table_destroy(self->collectives);
	otf2RmaFree(self->rma);
	otf2IoFree(self->io);
	for (int i = 0; i < OTF2_TABLES; i++)
		g_hash_table_destroy(self->known[i]);
	g_free(own);
}

/** Write a location. */
static void otf2RunPart(struct part *part, size_t number, void *data)
{
	struct otf2 *whole = data;
	const struct exportGroup *group = exportGroupAt(whole->export, number);
	struct otf2Location location = {
		.group = group,
		.first = INT64_MAX,
		.last = INT64_MIN,
	};
	struct otf2Part *own;
	struct otf2 *self;

	location.node = group ? group->group->node
			      : exportTraceAt(whole->export, number)->node;
	if (group)
		location.firstMetric = whole->firstMetrics[number];
	own = startPart(whole, part, &location);
	part->result = own;
	self = &own->otf2;
	self->events = otf2Api.OTF2_Archive_GetEvtWriter(self->archive, number);
	if (!self->events)
		otf2Check(self, OTF2_ERROR_INVALID);
	else if (group)
		otf2PutGroup(self, group);
	else
		own->error =
			otf2PutTrace(own, exportTraceAt(whole->export, number));
	if (self->events)
		otf2Check(self, otf2Api.OTF2_Archive_CloseEvtWriter(
					self->archive, self->events));
}

static bool otf2AddPart(struct part *part, size_t number, void *data)
{
	struct otf2 *self = data;
	struct otf2Part *own = part->result;

	if (!own)
		return false;
	exportEndPart(self->export, own->otf2.export);
	if (!part->isDropped) {
		g_array_append_val(self->locations, own->location);
		otf2Check(self, own->otf2.error);
		self->hasFailed = own->error < 0;
	}
	if (own->rank >= 0 && !g_hash_table_contains(self->ranks, &own->rank)) {
		g_hash_table_insert(self->ranks,
				    g_memdup2(&own->rank, sizeof(own->rank)),
				    GSIZE_TO_POINTER(self->locations->len));
		self->lastRank = MAX(self->lastRank, own->rank);
	}
	exportFileDone(self->export, number);
	freePart(own);
	return self->error == OTF2_SUCCESS && !self->hasFailed;
}

/* ---- The archive ------------------------------------------------------- */

static int otf2PutProject(struct otf2 *self)
{
	const struct export *export = self->export;
	struct export begunExport;
	struct otf2 begun;
	const struct partsWork work = {
		.tool = export->tool,
		.count = exportFileCount(export),
		.run = otf2RunPart,
		.take = otf2AddPart,
		.data = self,
	};
	int ret = 0;

	otf2Check(self, otf2Api.OTF2_Archive_SetFlushCallbacks(
				self->archive, &flushCallbacks, NULL));
	otf2Check(self, otf2Api.OTF2_Archive_SetSerialCollectiveCallbacks(
				self->archive));
	otf2Check(self, OTF2_Pthread_Archive_SetLockingCallbacks(self->archive,
								 NULL));
	otf2Check(self, otf2Api.OTF2_Archive_OpenEvtFiles(self->archive));
	numberMetrics(self);
	begunExport = *export;
	begun = *self;
	begun.export = &begunExport;
	self->begun = &begun;
	if (self->error == OTF2_SUCCESS)
		partsDo(&work);
	if (self->hasFailed)
		ret = -1;
	if (ret == 0 && self->error == OTF2_SUCCESS && export->hasRelations)
		ret = otf2PutRelations(self);
	otf2Check(self, otf2Api.OTF2_Archive_CloseEvtFiles(self->archive));
	otf2CountEnds(self);
	if (ret == 0 && self->error == OTF2_SUCCESS)
		otf2Define(self);
	if (ret == 0 && self->error == OTF2_SUCCESS && export->hasFindings)
		otf2PutFindings(self);
	return ret;
}

static void openTables(struct otf2 *self)
{
	const hdIProject *project = self->export->project;

	self->whole = self;
	self->list = otf2Api.OTF2_AttributeList_New();
	for (int i = 0; i < OTF2_TABLES; i++)
		self->tables[i] = g_hash_table_new(g_str_hash, g_str_equal);
	self->lock = g_new(pthread_mutex_t, 1);
	pthread_mutex_init(self->lock, NULL);
	self->functions = otf2MpiFunctions();
	self->ends = otf2EndsNew();
	self->stringList = g_ptr_array_new_with_free_func(g_free);
	self->regionList = g_array_new(FALSE, FALSE, sizeof(struct otf2Region));
	self->lineList = g_array_new(FALSE, FALSE, sizeof(struct otf2Line));
	self->windowList = g_array_new(FALSE, FALSE, sizeof(struct otf2Window));
	self->fileList = g_array_new(FALSE, FALSE, sizeof(OTF2_StringRef));
	self->handleList = g_array_new(FALSE, FALSE, sizeof(struct otf2Handle));
	self->attributeList =
		g_array_new(FALSE, FALSE, sizeof(struct otf2Attribute));
	self->locations =
		g_array_new(FALSE, FALSE, sizeof(struct otf2Location));
	self->ranks = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free,
					    NULL);
	self->tree = g_hash_table_new(NULL, NULL);
	self->messages = messagesNew(project);
	self->rankLevel = rolesRankLevel(project);
}

static void closeTables(struct otf2 *self)
{
	otf2Api.OTF2_AttributeList_Delete(self->list);
	for (int i = 0; i < OTF2_TABLES; i++)
		g_hash_table_destroy(self->tables[i]);
	pthread_mutex_destroy(self->lock);
	g_free(self->lock);
	g_hash_table_destroy(self->functions);
	g_hash_table_destroy(self->ends);
	g_hash_table_destroy(self->ranks);
	g_hash_table_destroy(self->tree);
	g_free(self->firstMetrics);
	g_ptr_array_unref(self->stringList);
	g_array_unref(self->regionList);
	g_array_unref(self->lineList);
	g_array_unref(self->windowList);
	g_array_unref(self->fileList);
	g_array_unref(self->handleList);
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
	otf2Failure = OTF2_SUCCESS;
	otf2Api.OTF2_Error_RegisterCallback(onError, NULL);
	self.archive = otf2Api.OTF2_Archive_Open(
		export->output, "traces", OTF2_FILEMODE_WRITE,
		OTF2_CHUNK_SIZE_EVENTS_DEFAULT,
		OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX,
		OTF2_COMPRESSION_NONE);
	if (!self.archive) {
		toolError(export->tool, "%s: OTF2: cannot open the archive",
			  export->output);
		return -1;
	}
	g_ptr_array_add(export->files,
			g_build_filename(export->output, "traces.otf2", NULL));
	openTables(&self);
	ret = otf2PutProject(&self);
	otf2Check(&self, otf2Api.OTF2_Archive_Close(self.archive));
	/* It is the cause of those that follow. */
	if (otf2Failure != OTF2_SUCCESS)
		self.error = (OTF2_ErrorCode)otf2Failure;
	if (self.error != OTF2_SUCCESS) {
		toolError(export->tool, "%s: OTF2: %s", export->output,
			  otf2Api.OTF2_Error_GetDescription(self.error));
		ret = -1;
	}
	closeTables(&self);
	return ret;
}

const struct exportFormat exportOtf2 = {
	.name = "otf2",
	.suffix = ".otf2.d",
	.keepsFindings = true,
	.isDirectory = true,
	.keepsDescription = true,
	.keepsClocks = true,
	.keepsRelations = true,
	.missing = otf2Missing,
	.write = writeOtf2,
};
