/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the wrappers record of requests: who made them, who completed them. */
#include "config.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "MPITracingLibrary/src/record/verbs.h"

/* A record of a call lists so many requests at most; it is kept in memory
 * until it is written. */
#define NOTE_LISTED_MAX 10000

/* ---- Made -------------------------------------------------------------------
 */

/* One of several requests, as an element inside the call. */
#define noteRequests(call, keys, ...)                               \
	hdT_logElementInt64((call)->self->trace, "Request", (keys), \
			    (const int64_t[]){ __VA_ARGS__ })

static void noteRequest(struct hdmpiCall *call, int64_t id)
{
	if (call->isRecorded && id >= 0)
		hdmpiNoteNumber(call, "rid", id);
}

static bool hasClass(enum hdmpiClass class)
{
	return hdmpiOptions.classes >> class & 1;
}

/* A message is left out. Without any there is nothing to mistake it for. */
static void noteWaitLeaveOutMessage(void)
{
	if (hasClass(HDMPI_CLASS_p2p))
		atomic_store(&hdmpiLeavesOut, true);
}

/* What is received without waiting is known to calls that wait only. */
static void leaveOutUnlessWaits(enum hdmpiRequestKind kind)
{
	if (kind == HDMPI_RECEIVE && !hasClass(HDMPI_CLASS_wait))
		noteWaitLeaveOutMessage();
}

void hdmpiNoteStart(struct hdmpiCall *call, enum hdmpiRequestKind kind,
		    MPI_Comm comm, MPI_Request request)
{
	leaveOutUnlessWaits(kind);
	noteRequest(call,
		    hdmpiRequestAdd(request, kind,
				    hdmpiCommId(call->self, comm), false));
}

void hdmpiNoteStartSent(struct hdmpiCall *call, int64_t count,
			MPI_Datatype datatype, int rank, int tag, MPI_Comm comm,
			MPI_Request request)
{
	int64_t cid = hdmpiCommId(call->self, comm);
	int64_t id = hdmpiRequestAdd(request, HDMPI_SEND, cid, false);
	struct hdmpiType type;

	if (!call->isRecorded)
		return;
	if (id < 0 || !hdmpiTypeGet(call->self, datatype, &type)) {
		hdmpiNoteSent(call, count, datatype, rank, tag, comm);
		noteRequest(call, id);
		return;
	}
	hdmpiNoteNumbers(call, "size count tid toRank toTag cid rid",
			 count * type.size, count, type.id, hdmpiRank(rank),
			 tag, cid, id);
}

void hdmpiNoteStartAsked(struct hdmpiCall *call, int64_t count,
			 MPI_Datatype datatype, int rank, int tag,
			 MPI_Comm comm, MPI_Request request)
{
	enum hdmpiRequestKind kind = HDMPI_RECEIVE_FROM(rank);
	int64_t cid = hdmpiCommId(call->self, comm), id;
	struct hdmpiType type;

	leaveOutUnlessWaits(kind);
	id = hdmpiRequestAdd(request, kind, cid, false);
	if (!call->isRecorded)
		return;
	if (id < 0 || !hdmpiTypeGet(call->self, datatype, &type)) {
		hdmpiNoteAsked(call, count, datatype, rank, tag, comm);
		noteRequest(call, id);
		return;
	}
	hdmpiNoteNumbers(call, "size count tid fromRank fromTag cid rid",
			 count * type.size, count, type.id, hdmpiRank(rank),
			 hdmpiTag(tag), cid, id);
}

void hdmpiNoteStartLater(struct hdmpiCall *call, enum hdmpiRequestKind kind,
			 MPI_Comm comm, MPI_Request request)
{
	leaveOutUnlessWaits(kind);
	noteRequest(call, hdmpiRequestAdd(request, kind,
					  hdmpiCommId(call->self, comm), true));
}

void hdmpiNoteStartPartitioned(struct hdmpiCall *call, int64_t count,
			       MPI_Datatype datatype, int source, int tag,
			       MPI_Comm comm, MPI_Request request)
{
	struct hdmpiType type = { .size = 0 };

	if (source == MPI_PROC_NULL) {
		hdmpiNoteStartLater(call, HDMPI_NOWHERE, comm, request);
		return;
	}
	hdmpiTypeGet(call->self, datatype, &type);
	hdmpiNoteStartLater(call, HDMPI_PARTITIONED, comm, request);
	hdmpiRequestAsked(request, source, tag, count * type.size);
	if (!hasClass(HDMPI_CLASS_wait))
		noteWaitLeaveOutMessage();
}

void hdmpiNoteStartExchange(struct hdmpiCall *call, int source, int tag,
			    MPI_Comm comm, MPI_Request request)
{
	bool isNowhere = source == MPI_PROC_NULL;

	hdmpiNoteStart(call, isNowhere ? HDMPI_NOWHERE : HDMPI_EXCHANGE, comm,
		       request);
	if (!isNowhere && (!hasClass(HDMPI_CLASS_wait) ||
			   source == MPI_ANY_SOURCE || tag == MPI_ANY_TAG))
		noteWaitLeaveOutMessage();
	hdmpiRequestAsked(request, source, tag, 0);
}

void hdmpiNoteStartMatched(struct hdmpiCall *call, MPI_Request request)
{
	enum hdmpiRequestKind kind =
		call->isNowhere ? HDMPI_NOWHERE : HDMPI_RECEIVE;

	leaveOutUnlessWaits(kind);
	noteRequest(call, hdmpiRequestAdd(request, kind, call->cid, false));
}

void hdmpiNoteStartFile(struct hdmpiCall *call, MPI_File file,
			MPI_Request request)
{
	noteRequest(call, hdmpiRequestAdd(request, HDMPI_FILE,
					  hdmpiFileId(file), false));
}

void hdmpiNoteStartOther(struct hdmpiCall *call, MPI_Request request)
{
	noteRequest(call, hdmpiRequestAdd(request, HDMPI_OTHER, -1, false));
}

void hdmpiNoteStarted(struct hdmpiCall *call, int count,
		      const MPI_Request requests[])
{
	for (int i = 0; requests && i < count; i++) {
		int64_t id = hdmpiRequestStart(requests[i]);

		if (!call->isRecorded || id < 0)
			continue;
		if (count == 1)
			noteRequest(call, id);
		else if (i < NOTE_LISTED_MAX)
			noteRequests(call, "rid", id);
		else
			noteWaitLeaveOutMessage();
	}
}

/* ---- Completed --------------------------------------------------------------
 */

/* Room for so many requests; false without memory. */
static bool holdRoom(struct hdmpiHeld *held, size_t length)
{
	held->requests = held->own;
	held->places = hdmpiRequestsAreShared ? held->ownPlaces : NULL;
	if (length <= sizeof(held->own) / sizeof(*held->own))
		return true;
	held->requests = calloc(length, sizeof(*held->requests));
	if (held->places)
		held->places = calloc(length, sizeof(*held->places));
	if (held->requests && (held->places || !hdmpiRequestsAreShared))
		return true;
	free(held->requests);
	free(held->places);
	held->requests = NULL;
	return false;
}

void hdmpiNoteHoldMany(struct hdmpiCall *call, int count,
		       const MPI_Request requests[])
{
	struct hdmpiHeld *held = &call->held;
	size_t length = (size_t)(count > 0 ? count : 0);

	held->count = 0;
	held->requests = NULL;
	if (!requests || length == 0 || !holdRoom(held, length))
		return;
	held->count = count;
	if (length == 1)
		held->requests[0] = requests[0];
	else
		memcpy(held->requests, requests, length * sizeof(*requests));
	if (held->places)
		hdmpiRequestsHold(count, requests, held->places);
	/* That was not the function's time. */
	if (__builtin_expect(call->isProfiled, 0))
		call->start = hdClockNow();
}

static void __attribute__((__noinline__))
noteWaitLetGoMany(struct hdmpiCall *call)
{
	struct hdmpiHeld *held = &call->held;

	if (held->places)
		hdmpiRequestsLetGo(held->count, held->requests, held->places);
	if (held->requests != held->own) {
		free(held->requests);
		free(held->places);
	}
	held->requests = NULL;
	held->count = 0;
}

static inline void letGo(struct hdmpiCall *call)
{
	struct hdmpiHeld *held = &call->held;

	if (held->requests && (held->places || held->requests != held->own))
		noteWaitLetGoMany(call);
}

/* Whether a held request is complete now, and what it was. */
static inline __attribute__((__always_inline__)) bool noteWaitTakeRequest(
	struct hdmpiCall *call, int at, struct hdmpiRequest *request)
{
	struct hdmpiHeld *held = &call->held;

	if (at < 0 || at >= held->count ||
	    held->requests[at] == MPI_REQUEST_NULL)
		return false;
	if (!held->places || held->places[at] == HDMPI_NO_PLACE)
		return hdmpiRequestDone(held->requests[at], request);
	hdmpiRequestHeldDone(held->places[at], request);
	held->places[at] = HDMPI_NO_PLACE;
	return true;
}

/* The program has cancelled a request. Few programs do. */
static atomic_bool noteWaitCancels;

/* MPI says nothing of the source and the size of a receive that was cancelled.
 */
static __attribute__((__noinline__)) bool noteWaitIsCancelled(
	const MPI_Status *status)
{
	int isCancelled = 0;

	PMPI_Test_cancelled(status, &isCancelled);
	return isCancelled;
}

/* What is known of a request that is complete. */
struct completion {
	struct hdmpiRequest request;
	int source;
	int tag;
	MPI_Count size;
};

/* Whether a held request is complete now, and what came of it. */
static inline __attribute__((__always_inline__)) bool noteWaitCompleteRequest(
	struct hdmpiCall *call, int at, const MPI_Status *status,
	struct completion *completion)
{
	bool isDone = noteWaitTakeRequest(call, at, &completion->request);

	completion->source = MPI_PROC_NULL;
	completion->tag = MPI_ANY_TAG;
	completion->size = 0;
	if (!isDone || !call->isRecorded)
		return false;
	if (status && (completion->request.kind == HDMPI_RECEIVE ||
		       completion->request.kind == HDMPI_FILE)) {
		if (__builtin_expect(atomic_load_explicit(&noteWaitCancels,
							  memory_order_relaxed),
				     0) &&
		    noteWaitIsCancelled(status))
			return true;
		completion->source = status->MPI_SOURCE;
		completion->tag = status->MPI_TAG;
		PMPI_Get_elements_x(status, MPI_BYTE, &completion->size);
	}
	return true;
}

/* One request, as attributes of the call. */
static inline void noteOne(struct hdmpiCall *call, int at,
			   const MPI_Status *status)
{
	struct completion one;

	if (!noteWaitCompleteRequest(call, at, status, &one))
		return;
	if (one.request.place < 0 && one.request.kind == HDMPI_NOWHERE) {
		hdmpiNoteNumbers(call, "rid fromRank fromTag size",
				 one.request.id, hdmpiRank(one.source),
				 hdmpiTag(one.tag), 0);
		return;
	}
	switch (one.request.kind) {
	case HDMPI_RECEIVE:
	case HDMPI_NOWHERE:
		hdmpiNoteNumbers(call, "rid fromRank fromTag size cid",
				 one.request.id, hdmpiRank(one.source),
				 hdmpiTag(one.tag), one.size,
				 one.request.place);
		break;
	case HDMPI_FILE:
		hdmpiNoteNumbers(call, "rid size fid", one.request.id, one.size,
				 one.request.place);
		break;
	case HDMPI_PARTITIONED:
		hdmpiNoteNumbers(call, "rid fromRank fromTag size cid",
				 one.request.id, hdmpiRank(one.request.source),
				 one.request.tag, one.request.size,
				 one.request.place);
		break;
	case HDMPI_EXCHANGE:
		hdmpiNoteNumbers(call, "rid fromRank fromTag cid",
				 one.request.id, hdmpiRank(one.request.source),
				 hdmpiTag(one.request.tag), one.request.place);
		break;
	case HDMPI_SEND:
	case HDMPI_OTHER:
		hdmpiNoteNumber(call, "rid", one.request.id);
		break;
	}
}

/* One of several, as an element inside the call. */
static void noteElement(struct hdmpiCall *call, int at,
			const MPI_Status *status, int *listed)
{
	struct completion one;

	if (!noteWaitCompleteRequest(call, at, status, &one))
		return;
	if ((*listed)++ >= NOTE_LISTED_MAX) {
		if (one.request.kind == HDMPI_RECEIVE ||
		    one.request.kind == HDMPI_PARTITIONED)
			noteWaitLeaveOutMessage();
		return;
	}
	if (one.request.place < 0 && one.request.kind == HDMPI_NOWHERE) {
		noteRequests(call, "rid fromRank fromTag size", one.request.id,
			     hdmpiRank(one.source), hdmpiTag(one.tag), 0);
		return;
	}
	switch (one.request.kind) {
	case HDMPI_RECEIVE:
	case HDMPI_NOWHERE:
		noteRequests(call, "rid fromRank fromTag size cid",
			     one.request.id, hdmpiRank(one.source),
			     hdmpiTag(one.tag), one.size, one.request.place);
		break;
	case HDMPI_FILE:
		noteRequests(call, "rid size fid", one.request.id, one.size,
			     one.request.place);
		break;
	case HDMPI_PARTITIONED:
		noteRequests(call, "rid fromRank fromTag size cid",
			     one.request.id, hdmpiRank(one.request.source),
			     one.request.tag, one.request.size,
			     one.request.place);
		break;
	case HDMPI_EXCHANGE:
		noteRequests(call, "rid fromRank fromTag cid", one.request.id,
			     hdmpiRank(one.request.source),
			     hdmpiTag(one.request.tag), one.request.place);
		break;
	case HDMPI_SEND:
	case HDMPI_OTHER:
		noteRequests(call, "rid", one.request.id);
		break;
	}
}

static void noteListed(struct hdmpiCall *call, int listed)
{
	if (!call->isRecorded)
		return;
	hdmpiNoteNumber(call, "completed", listed);
}

void hdmpiNoteDone(struct hdmpiCall *call, const MPI_Status *status)
{
	noteOne(call, 0, status);
	letGo(call);
}

void hdmpiNoteDoneIf(struct hdmpiCall *call, int flag, const MPI_Status *status)
{
	if (call->isRecorded)
		hdmpiNoteNumber(call, "flag", flag != 0);
	if (flag)
		noteOne(call, 0, status);
	letGo(call);
}

void hdmpiNoteDoneOne(struct hdmpiCall *call, int flag, int at,
		      const MPI_Status *status)
{
	if (call->isRecorded)
		hdmpiNoteNumber(call, "flag", flag != 0);
	if (flag && at != MPI_UNDEFINED)
		noteOne(call, at - call->base, status);
	letGo(call);
}

void hdmpiNoteDoneAll(struct hdmpiCall *call, int flag,
		      const MPI_Status statuses[])
{
	int listed = 0;

	for (int i = 0; flag && i < call->held.count; i++)
		noteElement(call, i, statuses ? &statuses[i] : NULL, &listed);
	noteListed(call, listed);
	letGo(call);
}

void hdmpiNoteDoneSome(struct hdmpiCall *call, int count, const int indices[],
		       const MPI_Status statuses[])
{
	int listed = 0;

	for (int i = 0; count != MPI_UNDEFINED && i < count; i++)
		noteElement(call, indices[i] - call->base,
			    statuses ? &statuses[i] : NULL, &listed);
	noteListed(call, listed);
	letGo(call);
}

void hdmpiNoteFailed(struct hdmpiCall *call)
{
	letGo(call);
}

void hdmpiNoteFreeRequest(struct hdmpiCall *call, MPI_Request request)
{
	struct hdmpiRequest found;

	if (hdmpiRequestRemove(request, &found))
		noteRequest(call, found.id);
}

void hdmpiNotePeek(struct hdmpiCall *call, MPI_Request request, int flag)
{
	struct hdmpiRequest found;

	if (hdmpiRequestPeek(request, &found))
		noteRequest(call, found.id);
	hdmpiNoteNumber(call, "flag", flag != 0);
}

void hdmpiNoteRequest(struct hdmpiCall *call, MPI_Request request)
{
	noteRequest(call, hdmpiRequestNumber(request));
}

void hdmpiNoteCancel(struct hdmpiCall *call, MPI_Request request)
{
	struct hdmpiRequest found;

	atomic_store(&noteWaitCancels, true);
	if (hdmpiRequestPeek(request, &found))
		noteRequest(call, found.id);
}

/* ---- Matched messages -------------------------------------------------------
 */

void hdmpiNoteMessage(struct hdmpiCall *call, MPI_Message message,
		      MPI_Comm comm)
{
	hdmpiMessageMatched(message, hdmpiCommId(call->self, comm));
}

void hdmpiNoteMessageIf(struct hdmpiCall *call, int flag,
			const MPI_Message *message, MPI_Comm comm)
{
	if (flag)
		hdmpiNoteMessage(call, *message, comm);
}

void hdmpiNoteMatched(struct hdmpiCall *call, MPI_Message message)
{
	/* Which communicator such a message is of nobody knows. */
	call->isNowhere = message == MPI_MESSAGE_NO_PROC;
	call->cid = hdmpiMessageTake(message);
	if (call->isRecorded && call->cid >= 0)
		hdmpiNoteNumber(call, "cid", call->cid);
}
