/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the wrappers record of a call; the words of functions.table.
 *
 * Those that only describe are called when the call is recorded and has
 * succeeded. Those that track handles ("<" and ">" in the table) are called
 * whenever the wrapper is active, and look themselves whether to record.
 */
#ifndef HDMPI_VERBS_H
#define HDMPI_VERBS_H

#include <stdlib.h>

#include "MPITracingLibrary/src/handles/handles.h"
#include "MPITracingLibrary/src/handles/request.h"
#include "MPITracingLibrary/src/core/hdmpi.h"
#include "MPITracingLibrary/src/host/clocksync.h"
#include "MPITracingLibrary/src/host/spawn.h"

/* ---- Numbers and texts ------------------------------------------------------
 */

/** Several numbers: their keys, with a blank between, and as many values. */
#define hdmpiNoteNumbers(call, keys, ...)                   \
	hdT_logAttributesInt64((call)->self->trace, (keys), \
			       (const int64_t[]){ __VA_ARGS__ })

static inline void hdmpiNoteNumber(struct hdmpiCall *call, const char *key,
				   int64_t value)
{
	hdmpiNoteNumbers(call, key, value);
}

static inline void hdmpiNoteText(struct hdmpiCall *call, const char *key,
				 const char *value)
{
	if (value)
		hdT_logAttributeString(call->self->trace, key, value);
}

/** cid: the communicator. */
static inline void hdmpiNoteComm(struct hdmpiCall *call, MPI_Comm comm)
{
	hdmpiNoteNumber(call, "cid", hdmpiCommId(call->self, comm));
}

/** What is no rank has numbers of the MPI library's; in records -1 is any, -2
 *  nobody (MPI_PROC_NULL), and -3 this process, as the root of an
 *  intercommunicator (MPI_ROOT). */
int hdmpiNoRank(int rank);

static inline int hdmpiRank(int rank)
{
	return __builtin_expect(rank >= 0, 1) ? rank : hdmpiNoRank(rank);
}

/** toRank, toTag */
static inline void hdmpiNoteTo(struct hdmpiCall *call, int rank, int tag)
{
	hdmpiNoteNumbers(call, "toRank toTag", hdmpiRank(rank), tag);
}

/** A rank, by a key. */
static inline void hdmpiNoteRank(struct hdmpiCall *call, const char *key,
				 int rank)
{
	hdmpiNoteNumber(call, key, hdmpiRank(rank));
}

static inline int hdmpiTag(int tag)
{
	return tag == MPI_ANY_TAG ? -1 : tag;
}

/** fromRank, fromTag: as asked for; -1 is any. */
static inline void hdmpiNoteFrom(struct hdmpiCall *call, int rank, int tag)
{
	hdmpiNoteNumbers(call, "fromRank fromTag", hdmpiRank(rank),
			 hdmpiTag(tag));
}

/** op: a predefined operation. */
void hdmpiNoteOp(struct hdmpiCall *call, MPI_Op op);

/** Numbers of elements: one of both, by the form of the function. */
struct hdmpiCounts {
	const int *small;
	const MPI_Count *large;
};

static inline struct hdmpiCounts hdmpiSmallCounts(const int *counts)
{
	return (struct hdmpiCounts){ .small = counts };
}

static inline struct hdmpiCounts hdmpiLargeCounts(const MPI_Count *counts)
{
	return (struct hdmpiCounts){ .large = counts };
}

#define HDMPI_COUNTS(counts) \
	_Generic((counts),                                \
		 const MPI_Count *: hdmpiLargeCounts,     \
		 const int *: hdmpiSmallCounts)(counts)

/* ---- Data -------------------------------------------------------------------
 */

/** size, count, tid: bytes, elements and datatype. */
static inline void hdmpiNoteData(struct hdmpiCall *call, int64_t count,
				 MPI_Datatype datatype)
{
	struct hdmpiType type;

	if (!hdmpiTypeGet(call->self, datatype, &type))
		return;
	hdmpiNoteNumbers(call, "size count tid", count * type.size, count,
			 type.id);
}

/** size, count, tid, cid */
static inline void hdmpiNoteDataIn(struct hdmpiCall *call, int64_t count,
				   MPI_Datatype datatype, MPI_Comm comm)
{
	struct hdmpiType type;

	if (hdmpiTypeGet(call->self, datatype, &type))
		hdmpiNoteNumbers(call, "size count tid cid", count * type.size,
				 count, type.id, hdmpiCommId(call->self, comm));
}

/** size, count, sendTid */
void hdmpiNoteSendData(struct hdmpiCall *call, int64_t count,
		       MPI_Datatype datatype);

/** count, tid: of a buffer to receive into. */
void hdmpiNoteRoom(struct hdmpiCall *call, int64_t count,
		   MPI_Datatype datatype);

/** recvSize, recvCount, recvTid */
void hdmpiNoteReceives(struct hdmpiCall *call, int64_t count,
		       MPI_Datatype datatype);

/** As data, but for MPI_IN_PLACE, when only the other part holds. */
void hdmpiNoteSends(struct hdmpiCall *call, const void *buffer, int64_t count,
		    MPI_Datatype datatype);

/** fromRank, fromTag, size of what has come. */
static inline void hdmpiNoteReceived(struct hdmpiCall *call,
				     const MPI_Status *status)
{
	MPI_Count size = 0;

	hdmpiNoteFrom(call, status->MPI_SOURCE, status->MPI_TAG);
	PMPI_Get_elements_x(status, MPI_BYTE, &size);
	hdmpiNoteNumber(call, "size", size);
}

/** size, count, tid, toRank, toTag, cid: a message, in one list, which costs
 * less than several. */
static inline void hdmpiNoteSent(struct hdmpiCall *call, int64_t count,
				 MPI_Datatype datatype, int rank, int tag,
				 MPI_Comm comm)
{
	struct hdmpiType type;

	if (hdmpiTypeGet(call->self, datatype, &type))
		hdmpiNoteNumbers(call, "size count tid toRank toTag cid",
				 count * type.size, count, type.id,
				 hdmpiRank(rank), tag,
				 hdmpiCommId(call->self, comm));
}

/** size, count, tid, fromRank, fromTag, cid: a message that is asked for. */
static inline void hdmpiNoteAsked(struct hdmpiCall *call, int64_t count,
				  MPI_Datatype datatype, int rank, int tag,
				  MPI_Comm comm)
{
	struct hdmpiType type;

	if (hdmpiTypeGet(call->self, datatype, &type))
		hdmpiNoteNumbers(call, "size count tid fromRank fromTag cid",
				 count * type.size, count, type.id,
				 hdmpiRank(rank), hdmpiTag(tag),
				 hdmpiCommId(call->self, comm));
}

/** fromRank, fromTag, size, count, tid, cid: a message that has come. */
static inline void hdmpiNoteReceivedIn(struct hdmpiCall *call,
				       const MPI_Status *status, int64_t count,
				       MPI_Datatype datatype, MPI_Comm comm)
{
	struct hdmpiType type;
	MPI_Count size = 0;

	if (!hdmpiTypeGet(call->self, datatype, &type))
		return;
	PMPI_Get_elements_x(status, MPI_BYTE, &size);
	hdmpiNoteNumbers(call, "fromRank fromTag size count tid cid",
			 hdmpiRank(status->MPI_SOURCE),
			 hdmpiTag(status->MPI_TAG), size, count, type.id,
			 hdmpiCommId(call->self, comm));
}

/** flag, and the message if there is one. */
void hdmpiNoteProbed(struct hdmpiCall *call, int flag,
		     const MPI_Status *status);

/** fromRank, fromTag, recvSize, recvCount, recvTid */
void hdmpiNoteReceivedToo(struct hdmpiCall *call, const MPI_Status *status,
			  int64_t count, MPI_Datatype datatype);

/* ---- Collective -------------------------------------------------------------
 */

/** A collective call has succeeded: a time to compare clocks. */
static inline void hdmpiNoteMet(struct hdmpiCall *call, MPI_Comm comm)
{
	if (atomic_load_explicit(&hdmpiClockIsRepeated, memory_order_relaxed) &&
	    comm == MPI_COMM_WORLD)
		hdmpiRuntimeWorked(call, hdmpiClockRepeat(call->self));
}

/** Processes that this one exchanges data with. */
int hdmpiPeers(MPI_Comm comm);
/** Neighbours that it sends to. */
int hdmpiTargets(MPI_Comm comm);
/** Neighbours that it receives from. */
int hdmpiSources(MPI_Comm comm);

/** Whether a buffer is MPI_IN_PLACE, that of Fortran included. */
bool hdmpiIsInPlace(const void *buffer);

void hdmpiNoteRooted(struct hdmpiCall *call, int64_t count,
		     MPI_Datatype datatype, int root);
void hdmpiNoteLeafSends(struct hdmpiCall *call, const void *buffer,
			int64_t count, MPI_Datatype datatype, int root);
void hdmpiNoteLeafReceives(struct hdmpiCall *call, const void *buffer,
			   int64_t count, MPI_Datatype datatype, int root);
void hdmpiNoteRootSends(struct hdmpiCall *call, const void *buffer,
			int64_t count, MPI_Datatype datatype, int root,
			MPI_Comm comm);
void hdmpiNoteRootReceives(struct hdmpiCall *call, const void *buffer,
			   int64_t count, MPI_Datatype datatype, int root,
			   MPI_Comm comm);
void hdmpiNoteRootSendsV(struct hdmpiCall *call, const void *buffer,
			 struct hdmpiCounts counts, MPI_Datatype datatype,
			 int root, MPI_Comm comm);
void hdmpiNoteRootReceivesV(struct hdmpiCall *call, const void *buffer,
			    struct hdmpiCounts counts, MPI_Datatype datatype,
			    int root, MPI_Comm comm);
void hdmpiNoteDataV(struct hdmpiCall *call, struct hdmpiCounts counts,
		    MPI_Datatype datatype, MPI_Comm comm);
void hdmpiNoteDataTimes(struct hdmpiCall *call, int64_t count,
			MPI_Datatype datatype, MPI_Comm comm);
void hdmpiNoteSendsV(struct hdmpiCall *call, const void *buffer,
		     struct hdmpiCounts counts, MPI_Datatype datatype,
		     MPI_Comm comm);
void hdmpiNoteReceivesV(struct hdmpiCall *call, struct hdmpiCounts counts,
			MPI_Datatype datatype, MPI_Comm comm);
void hdmpiNoteSendsW(struct hdmpiCall *call, const void *buffer,
		     struct hdmpiCounts counts, const MPI_Datatype datatypes[],
		     MPI_Comm comm);
void hdmpiNoteReceivesW(struct hdmpiCall *call, struct hdmpiCounts counts,
			const MPI_Datatype datatypes[], MPI_Comm comm);
void hdmpiNoteNeighborSendsV(struct hdmpiCall *call, struct hdmpiCounts counts,
			     MPI_Datatype datatype, MPI_Comm comm);
void hdmpiNoteNeighborReceivesV(struct hdmpiCall *call,
				struct hdmpiCounts counts,
				MPI_Datatype datatype, MPI_Comm comm);
void hdmpiNoteNeighborSendsW(struct hdmpiCall *call, struct hdmpiCounts counts,
			     const MPI_Datatype datatypes[], MPI_Comm comm);
void hdmpiNoteNeighborReceivesW(struct hdmpiCall *call,
				struct hdmpiCounts counts,
				const MPI_Datatype datatypes[], MPI_Comm comm);

/** inPlace: whether a buffer is MPI_IN_PLACE, so that a part of the data stays
 *  where it is. */
static inline void hdmpiNoteInPlace(struct hdmpiCall *call, const void *buffer)
{
	hdmpiNoteNumber(call, "inPlace", hdmpiIsInPlace(buffer));
}

/** The same, and ownSize: the bytes of that part, by its own count. */
void hdmpiNoteInPlaceV(struct hdmpiCall *call, const void *buffer,
		       struct hdmpiCounts counts, MPI_Datatype datatype,
		       MPI_Comm comm);
void hdmpiNoteInPlaceW(struct hdmpiCall *call, const void *buffer,
		       struct hdmpiCounts counts,
		       const MPI_Datatype datatypes[], MPI_Comm comm);
/** recvSize: the bytes of the own count. */
void hdmpiNoteGetsV(struct hdmpiCall *call, struct hdmpiCounts counts,
		    MPI_Datatype datatype, MPI_Comm comm);
/** sources, targets: neighbours. */
void hdmpiNoteDegrees(struct hdmpiCall *call, MPI_Comm comm);

/* ---- One-sided --------------------------------------------------------------
 */

/** wid: the window. */
static inline void hdmpiNoteWin(struct hdmpiCall *call, MPI_Win win)
{
	hdmpiNoteNumber(call, "wid", hdmpiWinId(win));
}

static inline void hdmpiNoteNewWin(struct hdmpiCall *call, MPI_Win win)
{
	hdmpiNoteWin(call, win);
}

/** ranks: the members of a group, as ranks of the window's communicator; not of
 *  groups of more than HDMPI_MEMBERS. */
#define HDMPI_MEMBERS 256
void hdmpiNoteMembers(struct hdmpiCall *call, MPI_Group group, MPI_Win win);

/** toRank, targetDisp, targetCount, targetTid */
void hdmpiNoteToTarget(struct hdmpiCall *call, int rank, MPI_Aint disp,
		       int64_t count, MPI_Datatype datatype);
/** fromRank, targetDisp, targetCount, targetTid */
void hdmpiNoteFromTarget(struct hdmpiCall *call, int rank, MPI_Aint disp,
			 int64_t count, MPI_Datatype datatype);

static inline void hdmpiNoteExclusive(struct hdmpiCall *call, int lock)
{
	hdmpiNoteNumber(call, "exclusive", lock == MPI_LOCK_EXCLUSIVE);
}

void hdmpiNoteFreeWin(struct hdmpiCall *call, MPI_Win win);

/* ---- Files ------------------------------------------------------------------
 */

/** fid: the file. */
static inline void hdmpiNoteFile(struct hdmpiCall *call, MPI_File file)
{
	hdmpiNoteNumber(call, "fid", hdmpiFileId(file));
}

/** offset in bytes from the beginning of the file, of one in the view. */
static inline void hdmpiNoteByteOffset(struct hdmpiCall *call, MPI_File file,
				       MPI_Offset offset)
{
	MPI_Offset bytes;

	if (PMPI_File_get_byte_offset(file, offset, &bytes) == MPI_SUCCESS)
		hdmpiNoteNumber(call, "offset", bytes);
}

/** offset, before the call: where the file's own pointer stands. */
void hdmpiNotePosition(struct hdmpiCall *call, MPI_File file);
/** offset, after the call. */
void hdmpiNoteSought(struct hdmpiCall *call, MPI_File file);
void hdmpiNoteWhence(struct hdmpiCall *call, int whence);
/** size of what was moved, count, tid */
void hdmpiNoteMoved(struct hdmpiCall *call, const MPI_Status *status,
		    int64_t count, MPI_Datatype datatype);
/** size of what was moved. */
void hdmpiNoteEnded(struct hdmpiCall *call, const MPI_Status *status);
/** etid, ftid */
void hdmpiNoteView(struct hdmpiCall *call, MPI_Datatype etype,
		   MPI_Datatype filetype);
void hdmpiNoteOpenFile(struct hdmpiCall *call, const char *name, int flags,
		       MPI_File file);
void hdmpiNoteCloseFile(struct hdmpiCall *call, MPI_File file);

/* ---- Communicators, groups, datatypes ---------------------------------------
 */

/** newCid */
static inline void hdmpiNoteNewComm(struct hdmpiCall *call, MPI_Comm comm)
{
	hdmpiNoteNumber(call, "newCid", hdmpiCommId(call->self, comm));
}

/** newCid: of one that all of another one made. */
void hdmpiNoteMadeComm(struct hdmpiCall *call, MPI_Comm of, MPI_Comm comm);
/** newCid: of one that its own processes made. */
void hdmpiNoteMadeByGroup(struct hdmpiCall *call, MPI_Comm of, int tag,
			  MPI_Comm comm);
/** newCid: of one between two groups. */
void hdmpiNoteMadeBetween(struct hdmpiCall *call, int tag, MPI_Comm comm);
/** One that all of another one are making. */
void hdmpiNoteMakesComm(struct hdmpiCall *call, MPI_Comm of, MPI_Comm comm);
void hdmpiNoteFreeComm(struct hdmpiCall *call, MPI_Comm comm);
void hdmpiNoteRenameComm(struct hdmpiCall *call, MPI_Comm comm);
/** groupSize */
void hdmpiNoteNewGroup(struct hdmpiCall *call, MPI_Group group);
/** tid */
void hdmpiNoteType(struct hdmpiCall *call, MPI_Datatype datatype);

/** tid: of a datatype that was made. */
static inline void hdmpiNoteNewType(struct hdmpiCall *call,
				    MPI_Datatype datatype)
{
	hdmpiNoteType(call, datatype);
}

/** oldTid */
void hdmpiNoteOldType(struct hdmpiCall *call, MPI_Datatype datatype);
void hdmpiNoteFreeType(struct hdmpiCall *call, MPI_Datatype datatype);
void hdmpiNoteRenameType(struct hdmpiCall *call, MPI_Datatype datatype);

/* ---- Requests ---------------------------------------------------------------
 */

/** rid: the request, that was made in a communicator. */
void hdmpiNoteStart(struct hdmpiCall *call, enum hdmpiRequestKind kind,
		    MPI_Comm comm, MPI_Request request);
/** The same, and what hdmpiNoteSent() or hdmpiNoteAsked() say, in one list. */
void hdmpiNoteStartSent(struct hdmpiCall *call, int64_t count,
			MPI_Datatype datatype, int rank, int tag, MPI_Comm comm,
			MPI_Request request);
void hdmpiNoteStartAsked(struct hdmpiCall *call, int64_t count,
			 MPI_Datatype datatype, int rank, int tag,
			 MPI_Comm comm, MPI_Request request);
/** As hdmpiNoteStart(), persistent. */
void hdmpiNoteStartLater(struct hdmpiCall *call, enum hdmpiRequestKind kind,
			 MPI_Comm comm, MPI_Request request);
/** Of a partitioned receive, persistent. */
void hdmpiNoteStartPartitioned(struct hdmpiCall *call, int64_t count,
			       MPI_Datatype datatype, int source, int tag,
			       MPI_Comm comm, MPI_Request request);
/** Of a call that sends and receives. */
void hdmpiNoteStartExchange(struct hdmpiCall *call, int source, int tag,
			    MPI_Comm comm, MPI_Request request);
void hdmpiNoteStartMatched(struct hdmpiCall *call, MPI_Request request);
void hdmpiNoteStartFile(struct hdmpiCall *call, MPI_File file,
			MPI_Request request);
void hdmpiNoteStartOther(struct hdmpiCall *call, MPI_Request request);
void hdmpiNoteStarted(struct hdmpiCall *call, int count,
		      const MPI_Request requests[]);

/** Keep the requests that the call may complete, which loses them. */
void hdmpiNoteHoldMany(struct hdmpiCall *call, int count,
		       const MPI_Request requests[]);
static inline void hdmpiNoteHold(struct hdmpiCall *call, int count,
				 const MPI_Request requests[])
{
	struct hdmpiHeld *held = &call->held;

	if (count != 1 || !requests || hdmpiRequestsAreShared ||
	    call->isProfiled) {
		hdmpiNoteHoldMany(call, count, requests);
		return;
	}
	held->own[0] = requests[0];
	held->requests = held->own;
	held->places = NULL;
	held->count = 1;
}
void hdmpiNoteDone(struct hdmpiCall *call, const MPI_Status *status);
void hdmpiNoteDoneIf(struct hdmpiCall *call, int flag,
		     const MPI_Status *status);
void hdmpiNoteDoneOne(struct hdmpiCall *call, int flag, int at,
		      const MPI_Status *status);
void hdmpiNoteDoneAll(struct hdmpiCall *call, int flag,
		      const MPI_Status statuses[]);
void hdmpiNoteDoneSome(struct hdmpiCall *call, int count, const int indices[],
		       const MPI_Status statuses[]);
/** The call failed: which requests are complete is not known. */
void hdmpiNoteFailed(struct hdmpiCall *call);
void hdmpiNoteFreeRequest(struct hdmpiCall *call, MPI_Request request);
void hdmpiNoteCancel(struct hdmpiCall *call, MPI_Request request);
void hdmpiNotePeek(struct hdmpiCall *call, MPI_Request request, int flag);

/** rid */
void hdmpiNoteRequest(struct hdmpiCall *call, MPI_Request request);

void hdmpiNoteMessage(struct hdmpiCall *call, MPI_Message message,
		      MPI_Comm comm);
void hdmpiNoteMessageIf(struct hdmpiCall *call, int flag,
			const MPI_Message *message, MPI_Comm comm);
/** cid of a message that was matched before. */
void hdmpiNoteMatched(struct hdmpiCall *call, MPI_Message message);

/** Room for statuses that the program does not want; NULL without memory. */
static inline MPI_Status *hdmpiStatuses(int count)
{
	return calloc((size_t)(count > 0 ? count : 1), sizeof(MPI_Status));
}

/* ---- Polling ----------------------------------------------------------------
 */

/** A call that asks has returned; what it says if it found nothing: keys, and
 * as many numbers. */
#define hdmpiNotePolled(call, found, keys, ...)       \
	hdmpiPollEnd((call), (found) ? NULL : (keys), \
		     (const int64_t[HDMPI_POLL_VALUES]){ __VA_ARGS__ })

/* ---- Environment ------------------------------------------------------------
 */

/** What is needed before MPI is initialized; once. */
void hdmpiNoteEnvironment(void);
void hdmpiNoteInitBegin(struct hdmpiCall *call);
void hdmpiNoteInitEnd(struct hdmpiCall *call, int level);
void hdmpiNoteFinalize(struct hdmpiCall *call);
void hdmpiNoteFinalized(struct hdmpiCall *call);
void hdmpiNoteAbort(struct hdmpiCall *call, MPI_Comm comm, int code);

/* Of MPI_Pready_list(): MPICH 4.0 forgot that it changes nothing, and so may
 * have others. */
#define HDMPI_PARTITIONS                                      \
	__typeof__(*_Generic(&PMPI_Pready_list,               \
			     int (*)(int, int *, MPI_Request) \
			     : (int *)NULL, default           \
			     : (const int *)NULL))

#if HDMPI_HAS_MPI4
void hdmpiNoteSessionOpened(struct hdmpiCall *call);
/** A group of this session was asked for. */
void hdmpiNoteOfSession(struct hdmpiCall *call, MPI_Session session);
/** A communicator is about to be made of a group. */
void hdmpiNoteFromGroup(struct hdmpiCall *call);
/** newCid: of that communicator, with which recording may begin. */
void hdmpiNoteMadeFromGroup(struct hdmpiCall *call, const char *tag,
			    MPI_Comm comm);
/** newCid: of one between two groups. */
void hdmpiNoteMadeFromGroups(struct hdmpiCall *call, const char *tag,
			     MPI_Comm comm);
void hdmpiNoteSessionClose(struct hdmpiCall *call, MPI_Session session);
void hdmpiNoteSessionClosed(struct hdmpiCall *call);
#endif

#endif
