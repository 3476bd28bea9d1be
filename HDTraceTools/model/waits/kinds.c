/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Kinds of wait states, a line each.
 */
#include "config.h"

#include "HDTraceTools/model/waits/kinds.h"

static const struct waitKindInfo waitKinds[WAIT_KINDS] = {
	[WAIT_LATE_SENDER] = {
		"late-sender", WAIT_NONE,
		"Receivers wait for messages that are sent late",
		"Send these messages earlier, or let the receiver compute "
		"something else before it waits.",
	},
	[WAIT_WRONG_ORDER] = {
		"late-sender-wrong-order", WAIT_LATE_SENDER,
		"Receivers wait while a message that was sent earlier is ready",
		"Receive messages in the order of arrival: post all receives "
		"and use MPI_Waitany, or MPI_ANY_SOURCE.",
	},
	[WAIT_LATE_RECEIVER] = {
		"late-receiver", WAIT_NONE,
		"Senders wait for receives that are posted late",
		"Post these receives earlier with MPI_Irecv, or send with "
		"MPI_Isend.",
	},
	[WAIT_BARRIER] = {
		"wait-at-barrier", WAIT_NONE,
		"Ranks wait at barriers for the last rank",
		"Give the last rank less work, or remove the barrier if no "
		"data depends on it.",
	},
	[WAIT_BARRIER_COMPLETION] = {
		"barrier-completion", WAIT_NONE,
		"Ranks leave barriers later than the first rank",
		"Use fewer barriers; check whether more threads run than there "
		"are CPUs.",
	},
	[WAIT_NXN] = {
		"wait-at-nxn", WAIT_NONE,
		"Ranks wait in all-to-all operations for the last rank",
		"Give the last rank less work, or start the operation earlier "
		"without waiting, such as MPI_Iallreduce.",
	},
	[WAIT_NXN_COMPLETION] = {
		"nxn-completion", WAIT_NONE,
		"Ranks leave all-to-all operations later than the first rank",
		"Combine these operations into fewer, larger ones.",
	},
	[WAIT_EARLY_REDUCE] = {
		"early-reduce", WAIT_NONE,
		"The root waits for data of other ranks",
		"Let the root work longer before it collects the data, or use "
		"MPI_Ireduce or MPI_Igather.",
	},
	[WAIT_EARLY_SCAN] = {
		"early-scan", WAIT_NONE,
		"Ranks wait in a scan for ranks below them",
		"Give lower ranks less work before the scan, or use "
		"MPI_Iscan.",
	},
	[WAIT_LATE_BROADCAST] = {
		"late-broadcast", WAIT_NONE,
		"Ranks wait for data of the root",
		"Let the root send its data earlier, or use MPI_Ibcast and "
		"compute until the data is needed.",
	},
	[WAIT_LATE_POST] = {
		"late-post", WAIT_NONE,
		"Ranks wait until a window is open for access",
		"Call MPI_Win_post earlier, or let the origin compute before "
		"MPI_Win_start.",
	},
	[WAIT_EARLY_WAIT] = {
		"early-wait", WAIT_NONE,
		"Ranks wait until accesses to their window are complete",
		"Call MPI_Win_wait later, or let the origin call "
		"MPI_Win_complete earlier.",
	},
	[WAIT_LATE_COMPLETE] = {
		"late-complete", WAIT_EARLY_WAIT,
		"Ranks do other work between the last access and "
		"MPI_Win_complete",
		"Call MPI_Win_complete directly after the last access.",
	},
	[WAIT_FENCE] = {
		"wait-at-fence", WAIT_NONE,
		"Ranks wait at fences for the last rank",
		"Give the last rank less work, or synchronize only ranks that "
		"exchange data, with MPI_Win_post and MPI_Win_start.",
	},
	[WAIT_EARLY_FENCE] = {
		"early-fence", WAIT_FENCE,
		"Ranks wait at fences for accesses to their window",
		"Access the window earlier, or call MPI_Win_fence later on the "
		"target.",
	},
	[WAIT_RMA_LOCK] = {
		"rma-lock", WAIT_NONE,
		"Ranks wait for locks of windows",
		"Hold locks for a shorter time, use shared locks, or distribute "
		"the data over more ranks.",
	},
	[WAIT_IO] = {
		"io-wait", WAIT_NONE,
		"Ranks wait for the last rank in collective calls of files",
		"Give the last rank less work, or use calls that are not "
		"collective, such as MPI_File_write_at.",
	},
	[WAIT_TEAM] = {
		"omp-barrier", WAIT_NONE,
		"Threads wait at barriers for the last thread",
		"Distribute the iterations evenly, for instance with "
		"schedule(dynamic), or use nowait.",
	},
	[WAIT_IDLE] = {
		"omp-idle", WAIT_NONE,
		"Threads are idle outside of parallel regions",
		"Run the serial part in parallel, or use fewer threads.",
	},
	[WAIT_LOCK] = {
		"omp-lock", WAIT_NONE,
		"Threads wait for locks",
		"Hold locks for a shorter time, or give each thread its own "
		"data and combine it at the end.",
	},
};

const struct waitKindInfo *waitKindInfo(enum waitKind kind)
{
	return &waitKinds[kind];
}
