/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Comparing the clocks of the hosts with that of rank 0, the reference.
 *
 * The leader of a host asks rank 0 again and again for the time. The shortest
 * round trip tells how far its clock is away, and half the length of it how
 * wrong that can be; common/clockfit.h does the arithmetic. The result goes to
 * the .info file of the leader, as doc/format says under "Clocks". Where there
 * is one host only nothing is asked and nothing is written.
 */
#ifndef HDMPI_CLOCKSYNC_H
#define HDMPI_CLOCKSYNC_H

#include <mpi.h>
#include <stdatomic.h>

#include "MPITracingLibrary/src/core/hdmpi.h"
#include "MPITracingLibrary/src/host/process.h"

/**
 * Compare this host's clock with that of rank 0.
 *
 * Collective. Called at the end of MPI_Init and at the beginning of
 * MPI_Finalize, with the wrapper's own communicator over all processes.
 *
 * @param world All processes.
 * @param process Where this process is; leaders compare their hosts' clocks.
 * @param self Where to record the result.
 *
 * @return 0, or -1 if that failed.
 */
int hdmpiClockMeasure(MPI_Comm world, const struct hdmpiProcess *process,
		      struct hdmpiThread *self);

/** Whether clocks are compared again while the program runs. */
extern atomic_bool hdmpiClockIsRepeated;

/**
 * Compare clocks again while the program runs, if HDTRACE_MPI_CLOCK_INTERVAL
 * asks for it. Collective.
 *
 * @param world All processes; it is used until hdmpiClockRepeatEnd().
 * @param process Where this process is; must stay.
 * @param isAble Whether this process will call hdmpiClockRepeat(). If one does
 *        not none does.
 */
void hdmpiClockRepeatStart(MPI_Comm world, const struct hdmpiProcess *process,
			   bool isAble);

/**
 * A blocking collective call on MPI_COMM_WORLD has succeeded.
 *
 * All processes make the same such calls in the same order, one at a time, so
 * this is a moment at which all can talk to each other. It is not known
 * whether others still wait for something else; but whoever has left the call,
 * or will, comes here.
 *
 * @return When something was done; -1: nothing was.
 */
int64_t hdmpiClockRepeat(struct hdmpiThread *self);

/** Do not compare clocks any more. */
void hdmpiClockRepeatEnd(void);

#endif
