/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export --to otf2: accesses of MPI to files.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/export/otf2/otf2.h"

/** The only paradigm of files. */
#define PARADIGM 0

/** Modes of MPI_File_open, which MPI libraries number alike. */
enum ioMode {
	MODE_CREATE = 1,
	MODE_RDONLY = 2,
	MODE_WRONLY = 4,
	MODE_DELETE_ON_CLOSE = 16,
	MODE_UNIQUE_OPEN = 32,
	MODE_EXCL = 64,
	MODE_APPEND = 128,
};

/** An access that has begun. */
struct access {
	OTF2_IoHandleRef handle;
	uint64_t matching;
};

struct otf2Io {
	GHashTable *handles;  /**< Number to OTF2_IoHandleRef + 1. */
	GHashTable *counts;   /**< "COMMUNICATOR NAME" to how often. */
	GHashTable *requests; /**< Number to struct access. */
	GHashTable *split;    /**< Handle + 1 to matching + 1. */
	uint64_t matching;
	uint64_t current; /**< Of the access that is entered. */
};

/** What a function does. */
struct ioFunction {
	OTF2_IoOperationMode mode;
	bool isCollective;
	bool isNonblocking;
	bool isBegin; /**< Of one that another call ends. */
	bool isEnd;
};

/** Read what a name says: "File_iread_at_all". False: it accesses nothing. */
static bool ioFunctionOf(const char *name, struct ioFunction *function)
{
	const char *rest;

	*function = (struct ioFunction){ .mode = OTF2_IO_OPERATION_MODE_FLUSH };
	if (!g_str_has_prefix(name, "File_"))
		return false;
	if (g_str_has_prefix(name, "File_sync")) {
		function->isCollective = true;
		return true;
	}
	function->isNonblocking = name[5] == 'i';
	rest = name + 5 + function->isNonblocking;
	if (g_str_has_prefix(rest, "read"))
		function->mode = OTF2_IO_OPERATION_MODE_READ;
	else if (g_str_has_prefix(rest, "write"))
		function->mode = OTF2_IO_OPERATION_MODE_WRITE;
	else
		return false;
	function->isCollective =
		strstr(rest, "_all") || strstr(rest, "_ordered");
	function->isBegin = strstr(rest, "_begin");
	function->isEnd = g_str_has_suffix(rest, "_end");
	return true;
}

static bool ioNumber(const hdIRecord *record, const char *name, int64_t *number)
{
	return messagesNumber(record->attributes, record->attributeCount, name,
			      number);
}

static const char *ioName(const hdIRecord *record)
{
	for (size_t i = 0; i < record->attributeCount; i++)
		if (strcmp(record->attributes[i].name, "name") == 0)
			return record->attributes[i].value;
	return NULL;
}

static void ioWrote(struct otf2 *self, OTF2_ErrorCode code, int64_t time)
{
	otf2Check(self, code);
	otf2CountEvent(self, time);
}

/** The file that a call names; false: it is not known. */
static bool ioHandleOf(const struct otf2 *self, const hdIRecord *record,
		       OTF2_IoHandleRef *handle)
{
	gpointer found = NULL;
	int64_t id;

	if (ioNumber(record, "fid", &id))
		found = g_hash_table_lookup(self->io->handles, &id);
	*handle = (OTF2_IoHandleRef)(GPOINTER_TO_SIZE(found) - 1);
	return found;
}

/* ---- Opening ----------------------------------------------------------- */

static void ioPutOpened(struct otf2 *self, OTF2_IoHandleRef handle,
			int64_t flags, int64_t time)
{
	OTF2_IoAccessMode mode =
		flags & MODE_RDONLY   ? OTF2_IO_ACCESS_MODE_READ_ONLY
		: flags & MODE_WRONLY ? OTF2_IO_ACCESS_MODE_WRITE_ONLY
				      : OTF2_IO_ACCESS_MODE_READ_WRITE;
	OTF2_IoCreationFlag creation = OTF2_IO_CREATION_FLAG_NONE;
	OTF2_IoStatusFlag status = OTF2_IO_STATUS_FLAG_NONE;

	if (flags & MODE_CREATE)
		creation |= OTF2_IO_CREATION_FLAG_CREATE;
	if (flags & MODE_EXCL)
		creation |= OTF2_IO_CREATION_FLAG_EXCLUSIVE;
	if (flags & MODE_UNIQUE_OPEN)
		creation |= OTF2_IO_CREATION_FLAG_UNIQUE;
	if (flags & MODE_APPEND)
		status |= OTF2_IO_STATUS_FLAG_APPEND;
	if (flags & MODE_DELETE_ON_CLOSE)
		status |= OTF2_IO_STATUS_FLAG_DELETE_ON_CLOSE;
	ioWrote(self,
		otf2Api.OTF2_EvtWriter_IoCreateHandle(
			self->events, NULL, (OTF2_TimeStamp)time, handle, mode,
			creation, status),
		time);
}

static void ioOpen(struct otf2 *self, const hdIRecord *record, int64_t time)
{
	const struct messageGroup *group = NULL;
	const char *name = ioName(record);
	int64_t cid, id, flags = 0;
	OTF2_IoHandleRef handle;
	unsigned int count;
	char *key;

	if (ioNumber(record, "cid", &cid))
		group = messagesGroupOf(self->messages, cid);
	if (!group || !name || !ioNumber(record, "fid", &id)) {
		exportLose(self->export, "MPI records of unknown files", 1);
		return;
	}
	key = g_strdup_printf("%u %s", group->number, name);
	count = GPOINTER_TO_UINT(g_hash_table_lookup(self->io->counts, key));
	g_hash_table_insert(self->io->counts, key, GUINT_TO_POINTER(count + 1));
	handle = otf2HandleOf(self, name, group, count);
	g_hash_table_insert(self->io->handles, g_memdup2(&id, sizeof(id)),
			    GSIZE_TO_POINTER((size_t)handle + 1));
	ioNumber(record, "flags", &flags);
	ioPutOpened(self, handle, flags, time);
}

static void ioClose(struct otf2 *self, const hdIRecord *record, int64_t time)
{
	OTF2_IoHandleRef handle;
	int64_t id;

	if (!ioHandleOf(self, record, &handle))
		return;
	ioWrote(self,
		otf2Api.OTF2_EvtWriter_IoDestroyHandle(
			self->events, NULL, (OTF2_TimeStamp)time, handle),
		time);
	if (ioNumber(record, "fid", &id))
		g_hash_table_remove(self->io->handles, &id);
}

static void ioDelete(struct otf2 *self, const hdIRecord *record, int64_t time)
{
	const char *name = ioName(record);

	if (name)
		ioWrote(self,
			otf2Api.OTF2_EvtWriter_IoDeleteFile(
				self->events, NULL, (OTF2_TimeStamp)time,
				PARADIGM, otf2FileOf(self, name)),
			time);
}

/** To where a pointer went; from where is not in traces. */
static void ioSeek(struct otf2 *self, const hdIRecord *record, int64_t time)
{
	OTF2_IoHandleRef handle;
	int64_t offset;

	if (ioHandleOf(self, record, &handle) &&
	    ioNumber(record, "offset", &offset) && offset >= 0)
		ioWrote(self,
			otf2Api.OTF2_EvtWriter_IoSeek(
				self->events, NULL, (OTF2_TimeStamp)time,
				handle, offset, OTF2_IO_SEEK_FROM_START,
				(uint64_t)offset),
			time);
}

/* ---- Accesses ---------------------------------------------------------- */

static uint64_t ioBytes(const hdIRecord *record)
{
	int64_t size;

	return ioNumber(record, "size", &size) && size >= 0 ? (uint64_t)size
							    : 0;
}

static void ioBegin(struct otf2 *self, const struct ioFunction *function,
		    const hdIRecord *record, int64_t time)
{
	struct access access = { .matching = self->io->matching++ };
	OTF2_IoOperationFlag flags = OTF2_IO_OPERATION_FLAG_NONE;
	int64_t request;

	if (!ioHandleOf(self, record, &access.handle)) {
		exportLose(self->export, "MPI records of unknown files", 1);
		return;
	}
	if (function->isNonblocking || function->isBegin)
		flags |= OTF2_IO_OPERATION_FLAG_NON_BLOCKING;
	if (function->isCollective)
		flags |= OTF2_IO_OPERATION_FLAG_COLLECTIVE;
	self->io->current = access.matching;
	if (function->isNonblocking && ioNumber(record, "rid", &request))
		g_hash_table_insert(self->io->requests,
				    g_memdup2(&request, sizeof(request)),
				    g_memdup2(&access, sizeof(access)));
	if (function->isBegin)
		g_hash_table_insert(
			self->io->split,
			GSIZE_TO_POINTER((size_t)access.handle + 1),
			GSIZE_TO_POINTER((size_t)access.matching + 1));
	ioWrote(self,
		otf2Api.OTF2_EvtWriter_IoOperationBegin(
			self->events, NULL, (OTF2_TimeStamp)time, access.handle,
			function->mode, flags, ioBytes(record),
			access.matching),
		time);
}

static void ioPutComplete(struct otf2 *self, const struct access *access,
			  uint64_t bytes, int64_t time)
{
	ioWrote(self,
		otf2Api.OTF2_EvtWriter_IoOperationComplete(
			self->events, NULL, (OTF2_TimeStamp)time,
			access->handle, bytes, access->matching),
		time);
}

/** The end of what another call began; that it began need not be known. */
static void ioEndSplit(struct otf2 *self, struct access *access,
		       const hdIRecord *record, int64_t time)
{
	gpointer key = GSIZE_TO_POINTER((size_t)access->handle + 1);
	gpointer begun = g_hash_table_lookup(self->io->split, key);

	if (!begun)
		return;
	access->matching = GPOINTER_TO_SIZE(begun) - 1;
	g_hash_table_remove(self->io->split, key);
	ioPutComplete(self, access, ioBytes(record), time);
}

static void ioEnd(struct otf2 *self, const struct ioFunction *function,
		  const hdIRecord *record, int64_t time)
{
	struct access access = { .matching = self->io->current };

	if (!ioHandleOf(self, record, &access.handle))
		return;
	if (function->isEnd)
		ioEndSplit(self, &access, record, time);
	else if (function->isNonblocking || function->isBegin)
		ioWrote(self,
			otf2Api.OTF2_EvtWriter_IoOperationIssued(
				self->events, NULL, (OTF2_TimeStamp)time,
				access.handle, access.matching),
			time);
	else
		ioPutComplete(self, &access, ioBytes(record), time);
}

static void ioCompleteOne(struct otf2 *self, const hdIAttribute *attributes,
			  size_t count, int64_t time)
{
	const struct access *access = NULL;
	int64_t request, size = 0;

	if (messagesNumber(attributes, count, "rid", &request))
		access = g_hash_table_lookup(self->io->requests, &request);
	if (!access)
		return;
	messagesNumber(attributes, count, "size", &size);
	ioPutComplete(self, access, size < 0 ? 0 : (uint64_t)size, time);
	g_hash_table_remove(self->io->requests, &request);
}

void otf2IoComplete(struct otf2 *self, const hdIRecord *record, int64_t time)
{
	if (!g_hash_table_size(self->io->requests))
		return;
	ioCompleteOne(self, record->attributes, record->attributeCount, time);
	for (size_t i = 0; i < record->elementCount; i++)
		ioCompleteOne(self, record->elements[i].attributes,
			      record->elements[i].attributeCount, time);
}

/* ---- States ------------------------------------------------------------ */

bool otf2IoEnter(struct otf2 *self, const hdIRecord *record, int64_t time)
{
	struct ioFunction function;

	if (ioFunctionOf(record->name, &function) && !function.isEnd)
		ioBegin(self, &function, record, time);
	return g_str_has_prefix(record->name, "File_");
}

bool otf2IoLeave(struct otf2 *self, const hdIRecord *record, int64_t time)
{
	struct ioFunction function;

	if (!g_str_has_prefix(record->name, "File_"))
		return false;
	if (ioFunctionOf(record->name, &function))
		ioEnd(self, &function, record, time);
	else if (strcmp(record->name, "File_open") == 0)
		ioOpen(self, record, time);
	else if (strcmp(record->name, "File_close") == 0)
		ioClose(self, record, time);
	else if (strcmp(record->name, "File_delete") == 0)
		ioDelete(self, record, time);
	else if (strcmp(record->name, "File_seek") == 0)
		ioSeek(self, record, time);
	return true;
}

/* ---- Begin and end ----------------------------------------------------- */

struct otf2Io *otf2IoNew(void)
{
	struct otf2Io *io = g_new0(struct otf2Io, 1);

	io->handles = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free,
					    NULL);
	io->counts =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	io->requests = g_hash_table_new_full(g_int64_hash, g_int64_equal,
					     g_free, g_free);
	io->split = g_hash_table_new(NULL, NULL);
	return io;
}

void otf2IoFree(struct otf2Io *io)
{
	g_hash_table_destroy(io->handles);
	g_hash_table_destroy(io->counts);
	g_hash_table_destroy(io->requests);
	g_hash_table_destroy(io->split);
	g_free(io);
}
