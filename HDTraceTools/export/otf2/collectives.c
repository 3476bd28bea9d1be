/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export --to otf2: collective calls of MPI.
 *
 * Those of a neighborhood have no records in OTF2: their bytes are attributes.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/export/otf2/otf2.h"
#include "HDTraceTools/model/mpi/volume.h"

/* ---- Collective calls -------------------------------------------------- */

/** Of an intercommunicator the root is in the other group, or it is in the own
 *  one and has no rank. */
static uint32_t otf2CollectiveRoot(const struct volumeShare *share)
{
	if (!share->hasRoot)
		return OTF2_COLLECTIVE_ROOT_NONE;
	if (share->root >= 0 && share->root < INT32_MAX)
		return (uint32_t)share->root;
	if (!share->group->remotes || share->root >= 0)
		return OTF2_COLLECTIVE_ROOT_NONE;
	return share->isRoot ? OTF2_COLLECTIVE_ROOT_SELF
			     : OTF2_COLLECTIVE_ROOT_THIS_GROUP;
}

/** As a format has it that knows no unknown numbers. */
static uint64_t otf2CollectiveBytes(int64_t bytes)
{
	return bytes < 0 ? OTF2_UNDEFINED_UINT64 : (uint64_t)bytes;
}

static void otf2CollectivePut(struct otf2 *self,
			      const struct otf2Function *function,
			      const hdIRecord *record, int64_t time,
			      bool isBegin)
{
	struct volumeShare part;
	struct volume bytes;
	OTF2_ErrorCode code;

	if (!volumeShareOf(self->messages, record, &part)) {
		exportLose(self->export,
			   "collective calls of unknown communicators",
			   isBegin);
		return;
	}
	bytes = volumeOfShare(self->messages, record, &part);
	exportLose(self->export, "unknown bytes of collective calls",
		   isBegin && (bytes.given < 0 || bytes.got < 0));
	if (isBegin)
		code = otf2Api.OTF2_EvtWriter_MpiCollectiveBegin(
			self->events, NULL, (OTF2_TimeStamp)time);
	else
		code = otf2Api.OTF2_EvtWriter_MpiCollectiveEnd(
			self->events, NULL, (OTF2_TimeStamp)time, function->op,
			part.group->number, otf2CollectiveRoot(&part),
			otf2CollectiveBytes(bytes.given),
			otf2CollectiveBytes(bytes.got));
	otf2Check(self, code);
	otf2CountEvent(self, time);
}

/* ---- Collective calls that do not wait --------------------------------- */

/** One whose request is not complete. */
struct nonblocking {
	OTF2_CollectiveOp op;
	OTF2_CommRef comm;
	uint32_t root;
	uint64_t sent;
	uint64_t received;
};

/** The function that waits, of one that does not: Ibarrier and Barrier_init are
 *  like Barrier. */
static const struct otf2Function *otf2CollectiveWaiting(const struct otf2 *self,
							const char *name,
							bool *isPersistent)
{
	const struct otf2Function *function;
	const char *end = strstr(name, "_init");
	char *waiting;

	*isPersistent = end;
	if ((!end && (name[0] != 'I' || !g_ascii_islower(name[1]))) ||
	    !volumeIsCollective(name))
		return NULL;
	if (end)
		waiting = g_strdup_printf("%.*s%s", (int)(end - name), name,
					  end + strlen("_init"));
	else
		waiting = g_strdup(name + 1);
	waiting[0] = g_ascii_toupper(waiting[0]);
	function = otf2MpiFunction(self, waiting);
	g_free(waiting);
	return function && function->isCollective ? function : NULL;
}

/** Requests of persistent calls are kept apart from those that are started. */
#define PERSISTENT(request) (-2 - (request))

static void otf2CollectivePutStarted(struct otf2 *self, int64_t request,
				     const struct nonblocking *call,
				     int64_t time)
{
	g_hash_table_insert(self->collectives,
			    g_memdup2(&request, sizeof(request)),
			    g_memdup2(call, sizeof(*call)));
	otf2Check(self, otf2Api.OTF2_EvtWriter_NonBlockingCollectiveRequest(
				self->events, NULL, (OTF2_TimeStamp)time,
				(uint64_t)request));
	otf2CountEvent(self, time);
}

static void otf2CollectiveBegin(struct otf2 *self,
				const struct otf2Function *function,
				const hdIRecord *record, int64_t time,
				bool isPersistent)
{
	struct nonblocking call = { .op = function->op };
	struct volume bytes;
	struct volumeShare part;
	int64_t request;

	if (!messagesNumber(record->attributes, record->attributeCount, "rid",
			    &request) ||
	    request < 0 || !volumeShareOf(self->messages, record, &part)) {
		exportLose(self->export,
			   "collective calls of unknown communicators", 1);
		return;
	}
	bytes = volumeOfShare(self->messages, record, &part);
	exportLose(self->export, "unknown bytes of collective calls",
		   bytes.given < 0 || bytes.got < 0);
	call.comm = part.group->number;
	call.root = otf2CollectiveRoot(&part);
	call.sent = otf2CollectiveBytes(bytes.given);
	call.received = otf2CollectiveBytes(bytes.got);
	if (!isPersistent) {
		otf2CollectivePutStarted(self, request, &call, time);
		return;
	}
	request = PERSISTENT(request);
	g_hash_table_insert(self->collectives,
			    g_memdup2(&request, sizeof(request)),
			    g_memdup2(&call, sizeof(call)));
}

void otf2CollectiveStart(struct otf2 *self, int64_t request, int64_t time)
{
	int64_t known = PERSISTENT(request);
	const struct nonblocking *call =
		g_hash_table_lookup(self->collectives, &known);

	if (call)
		otf2CollectivePutStarted(self, request, call, time);
}

void otf2CollectiveComplete(struct otf2 *self, int64_t request, int64_t time)
{
	const struct nonblocking *call =
		g_hash_table_lookup(self->collectives, &request);

	if (!call)
		return;
	otf2Check(self, otf2Api.OTF2_EvtWriter_NonBlockingCollectiveComplete(
				self->events, NULL, (OTF2_TimeStamp)time,
				call->op, call->comm, call->root, call->sent,
				call->received, (uint64_t)request));
	otf2CountEvent(self, time);
	g_hash_table_remove(self->collectives, &request);
}

/* ---- States ------------------------------------------------------------ */

bool otf2CollectiveIsOfNeighbors(const char *name)
{
	return g_str_has_prefix(name, "Neighbor_") ||
	       g_str_has_prefix(name, "Ineighbor_");
}

bool otf2CollectiveEnter(struct otf2 *self, const hdIRecord *record,
			 int64_t time)
{
	const struct otf2Function *function =
		otf2MpiFunction(self, record->name);
	const struct otf2Function *waiting;
	bool isPersistent;

	if (function && function->isCollective) {
		otf2CollectivePut(self, function, record, time, true);
		return true;
	}
	waiting = otf2CollectiveWaiting(self, record->name, &isPersistent);
	if (waiting)
		otf2CollectiveBegin(self, waiting, record, time, isPersistent);
	exportLose(self->export,
		   "MPI records of neighborhood collectives (their bytes are "
		   "attributes)",
		   otf2CollectiveIsOfNeighbors(record->name));
	return waiting;
}

bool otf2CollectiveLeave(struct otf2 *self, const hdIRecord *record,
			 int64_t time)
{
	const struct otf2Function *function =
		otf2MpiFunction(self, record->name);

	if (!function || !function->isCollective)
		return false;
	otf2CollectivePut(self, function, record, time, false);
	return true;
}
