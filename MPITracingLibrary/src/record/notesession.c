/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sessions of MPI 4.0.
 *
 * A program need not call MPI_Init. Recording takes all processes, so it begins
 * where all of them are sure to be: when they make the first communicator of
 * all of a group, and it ends with the session that the group is from.
 * Processes that make smaller communicators only are not recorded.
 */
#include "config.h"

#include "MPITracingLibrary/src/host/losses.h"
#include "MPITracingLibrary/src/record/verbs.h"

#if HDMPI_HAS_MPI4
/* The session that this thread has asked for a group last. */
static __thread MPI_Session sessionLast
	__attribute__((__tls_model__("initial-exec")));
static __thread bool sessionIsKnown
	__attribute__((__tls_model__("initial-exec")));

/* The one that recording ends with. */
static MPI_Session sessionOfAll;

void hdmpiNoteSessionOpened(struct hdmpiCall *call)
{
	(void)call;
	hdmpiLossSession();
	hdmpiNoteEnvironment();
}

void hdmpiNoteOfSession(struct hdmpiCall *call, MPI_Session session)
{
	(void)call;
	sessionLast = session;
	sessionIsKnown = true;
}

/* Whether a communicator has all processes of the run. */
static bool sessionHasAll(MPI_Comm comm)
{
	MPI_Group all;
	int size = 0, own = 0;

	if (comm == MPI_COMM_NULL || !sessionIsKnown ||
	    PMPI_Group_from_session_pset(sessionLast, "mpi://WORLD", &all) !=
		    MPI_SUCCESS)
		return false;
	PMPI_Group_size(all, &size);
	PMPI_Group_free(&all);
	PMPI_Comm_size(comm, &own);
	return own == size;
}

void hdmpiNoteFromGroup(struct hdmpiCall *call)
{
	if (!call->self)
		call->start = hdClockNow();
}

void hdmpiNoteMadeFromGroup(struct hdmpiCall *call, const char *tag,
			    MPI_Comm comm)
{
	bool isFirst = !call->self && sessionHasAll(comm);

	if (isFirst) {
		call->end = hdClockNow();
		sessionOfAll = sessionLast;
		hdmpiRuntimeStart(call, comm);
	}
	if (call->self)
		hdmpiNoteMadeFromGroups(call, tag, comm);
	if (!isFirst)
		return;
	hdmpiEnd(call);
	call->isRecorded = false;
	hdmpiRuntimeStarted(call);
}

void hdmpiNoteMadeFromGroups(struct hdmpiCall *call, const char *tag,
			     MPI_Comm comm)
{
	int64_t id = hdmpiCommMadeFromGroup(call->self, tag, comm);

	if (call->isRecorded)
		hdmpiNoteNumber(call, "newCid", id);
}

void hdmpiNoteSessionClose(struct hdmpiCall *call, MPI_Session session)
{
	if (session == sessionOfAll)
		hdmpiRuntimeEnd(call, true);
}

void hdmpiNoteSessionClosed(struct hdmpiCall *call)
{
	hdmpiEnd(call);
	call->isRecorded = false;
	hdmpiRuntimeFinish(call);
}
#endif
