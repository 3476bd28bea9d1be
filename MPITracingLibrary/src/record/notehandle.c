/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the wrappers record of windows, files, communicators, groups, datatypes,
 * and of the environment. */
#include "config.h"

#include <stdio.h>

#include "MPITracingLibrary/src/host/clocksync.h"
#include "MPITracingLibrary/src/host/testclock.h"
#include "MPITracingLibrary/src/core/mpilog.h"
#include "MPITracingLibrary/src/host/presence.h"
#include "MPITracingLibrary/src/record/verbs.h"
#include "common/clock.h"

/* ---- One-sided --------------------------------------------------------------
 */

static void noteTarget(struct hdmpiCall *call, MPI_Aint disp, int64_t count,
		       MPI_Datatype datatype)
{
	struct hdmpiType type;

	hdmpiNoteNumbers(call, "targetDisp targetCount", disp, count);
	if (hdmpiTypeGet(call->self, datatype, &type))
		hdmpiNoteNumber(call, "targetTid", type.id);
}

void hdmpiNoteToTarget(struct hdmpiCall *call, int rank, MPI_Aint disp,
		       int64_t count, MPI_Datatype datatype)
{
	hdmpiNoteRank(call, "toRank", rank);
	noteTarget(call, disp, count, datatype);
}

void hdmpiNoteFromTarget(struct hdmpiCall *call, int rank, MPI_Aint disp,
			 int64_t count, MPI_Datatype datatype)
{
	hdmpiNoteRank(call, "fromRank", rank);
	noteTarget(call, disp, count, datatype);
}

/** Numbers as text, with a blank between. */
static void noteRanks(struct hdmpiCall *call, const int *ranks, int count)
{
	char text[HDMPI_MEMBERS * 12];
	size_t length = 0;

	for (int i = 0; i < count; i++)
		length += (size_t)snprintf(text + length, sizeof(text) - length,
					   "%s%d", i ? " " : "",
					   hdmpiRank(ranks[i]));
	if (count)
		hdmpiNoteText(call, "ranks", text);
}

void hdmpiNoteMembers(struct hdmpiCall *call, MPI_Group group, MPI_Win win)
{
	int members[HDMPI_MEMBERS], ranks[HDMPI_MEMBERS];
	MPI_Group all;
	int count = 0;

	if (PMPI_Group_size(group, &count) != MPI_SUCCESS ||
	    count > HDMPI_MEMBERS ||
	    PMPI_Win_get_group(win, &all) != MPI_SUCCESS)
		return;
	for (int i = 0; i < count; i++)
		members[i] = i;
	if (PMPI_Group_translate_ranks(group, count, members, all, ranks) ==
	    MPI_SUCCESS)
		noteRanks(call, ranks, count);
	PMPI_Group_free(&all);
}

void hdmpiNoteFreeWin(struct hdmpiCall *call, MPI_Win win)
{
	if (call->isRecorded)
		hdmpiNoteWin(call, win);
	hdmpiWinForget(win);
}

/* ---- Files ------------------------------------------------------------------
 */

void hdmpiNoteSought(struct hdmpiCall *call, MPI_File file)
{
	MPI_Offset position;

	if (PMPI_File_get_position(file, &position) == MPI_SUCCESS)
		hdmpiNoteByteOffset(call, file, position);
}

void hdmpiNotePosition(struct hdmpiCall *call, MPI_File file)
{
	/* A file that is not known may be no file at all. */
	if (call->isRecorded && hdmpiFileId(file) >= 0)
		hdmpiNoteSought(call, file);
}

void hdmpiNoteWhence(struct hdmpiCall *call, int whence)
{
	hdmpiNoteText(call, "whence",
		      whence == MPI_SEEK_SET   ? "SET"
		      : whence == MPI_SEEK_CUR ? "CUR"
					       : "END");
}

void hdmpiNoteEnded(struct hdmpiCall *call, const MPI_Status *status)
{
	MPI_Count size = 0;

	PMPI_Get_elements_x(status, MPI_BYTE, &size);
	hdmpiNoteNumber(call, "size", size);
}

void hdmpiNoteMoved(struct hdmpiCall *call, const MPI_Status *status,
		    int64_t count, MPI_Datatype datatype)
{
	hdmpiNoteEnded(call, status);
	hdmpiNoteRoom(call, count, datatype);
}

void hdmpiNoteView(struct hdmpiCall *call, MPI_Datatype etype,
		   MPI_Datatype filetype)
{
	struct hdmpiType type;

	if (hdmpiTypeGet(call->self, etype, &type))
		hdmpiNoteNumber(call, "etid", type.id);
	if (hdmpiTypeGet(call->self, filetype, &type))
		hdmpiNoteNumber(call, "ftid", type.id);
}

void hdmpiNoteOpenFile(struct hdmpiCall *call, const char *name, int flags,
		       MPI_File file)
{
	int64_t id = hdmpiFileOpened(call->self, file, name ? name : "");

	if (!call->isRecorded)
		return;
	hdmpiNoteText(call, "name", name);
	hdmpiNoteNumber(call, "flags", flags);
	hdmpiNoteNumber(call, "fid", id);
}

void hdmpiNoteCloseFile(struct hdmpiCall *call, MPI_File file)
{
	if (call->isRecorded)
		hdmpiNoteFile(call, file);
	hdmpiFileForget(file);
}

/* ---- Communicators, groups, datatypes ---------------------------------------
 */

void hdmpiNoteFreeComm(struct hdmpiCall *call, MPI_Comm comm)
{
	int64_t id = hdmpiCommForget(comm);

	if (call->isRecorded && id >= 0)
		hdmpiNoteNumber(call, "cid", id);
}

void hdmpiNoteRenameComm(struct hdmpiCall *call, MPI_Comm comm)
{
	hdmpiCommNamed(call->self, comm);
}

static void noteNewCid(struct hdmpiCall *call, int64_t id)
{
	if (call->isRecorded)
		hdmpiNoteNumber(call, "newCid", id);
}

void hdmpiNoteMadeComm(struct hdmpiCall *call, MPI_Comm of, MPI_Comm comm)
{
	noteNewCid(call, hdmpiCommMade(call->self, of, comm, true));
}

void hdmpiNoteMadeByGroup(struct hdmpiCall *call, MPI_Comm of, int tag,
			  MPI_Comm comm)
{
	noteNewCid(call, hdmpiCommMadeByGroup(call->self, of, tag, comm));
}

void hdmpiNoteMadeBetween(struct hdmpiCall *call, int tag, MPI_Comm comm)
{
	noteNewCid(call, hdmpiCommMadeBetween(call->self, tag, comm));
}

void hdmpiNoteMakesComm(struct hdmpiCall *call, MPI_Comm of, MPI_Comm comm)
{
	hdmpiCommMade(call->self, of, comm, false);
}

void hdmpiNoteNewGroup(struct hdmpiCall *call, MPI_Group group)
{
	int size;

	if (PMPI_Group_size(group, &size) == MPI_SUCCESS)
		hdmpiNoteNumber(call, "groupSize", size);
}

void hdmpiNoteType(struct hdmpiCall *call, MPI_Datatype datatype)
{
	struct hdmpiType type;

	if (hdmpiTypeGet(call->self, datatype, &type))
		hdmpiNoteNumber(call, "tid", type.id);
}

void hdmpiNoteOldType(struct hdmpiCall *call, MPI_Datatype datatype)
{
	struct hdmpiType type;

	if (hdmpiTypeGet(call->self, datatype, &type))
		hdmpiNoteNumber(call, "oldTid", type.id);
}

void hdmpiNoteFreeType(struct hdmpiCall *call, MPI_Datatype datatype)
{
	int64_t id = hdmpiTypeForget(datatype);

	if (call->isRecorded && id >= 0)
		hdmpiNoteNumber(call, "tid", id);
}

void hdmpiNoteRenameType(struct hdmpiCall *call, MPI_Datatype datatype)
{
	hdmpiTypeForget(datatype);
	if (call->isRecorded)
		hdmpiNoteType(call, datatype);
}

/* ---- Environment ------------------------------------------------------------
 */

void hdmpiNoteEnvironment(void)
{
	static bool isDone;

	if (isDone)
		return;
	isDone = true;
	hdmpiMessageInit();
	hdmpiPresenceAnnounce();
	hdmpiTestClock();
	hdmpiPollsBegin();
}

void hdmpiNoteInitBegin(struct hdmpiCall *call)
{
	hdmpiNoteEnvironment();
	/* In a session that is recorded it is a call as others are. */
	if (!call->self)
		call->start = hdClockNow();
}

void hdmpiNoteInitEnd(struct hdmpiCall *call, int level)
{
	bool isFirst = !call->self;

	if (isFirst) {
		call->end = hdClockNow();
		hdmpiRuntimeStart(call, MPI_COMM_WORLD);
	}
	if (call->isRecorded && call->function == HDMPI_Init_thread)
		hdmpiNoteNumber(call, "threadLevel", level);
	if (!isFirst)
		return;
	hdmpiEnd(call);
	call->isRecorded = false;
	hdmpiRuntimeStarted(call);
}

void hdmpiNoteFinalize(struct hdmpiCall *call)
{
	hdmpiRuntimeEnd(call, false);
}

void hdmpiNoteFinalized(struct hdmpiCall *call)
{
	hdmpiEnd(call);
	call->isRecorded = false;
	hdmpiRuntimeFinish(call);
}

void hdmpiNoteAbort(struct hdmpiCall *call, MPI_Comm comm, int code)
{
	(void)comm;
	if (!call->self)
		return;
	if (call->isRecorded) {
		hdmpiNoteNumber(call, "errorCode", code);
		hdmpiStop(call);
		hdmpiEnd(call);
		call->isRecorded = false;
	}
	hdmpiThreadsFlush();
}
