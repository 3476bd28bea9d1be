/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file clocksync.h
 * Comparing the clocks of the hosts.
 */
#ifndef HDMPI_CLOCKSYNC_H
#define HDMPI_CLOCKSYNC_H

#include <mpi.h>

#include "hdmpi.h"
#include "place.h"

/**
 * Compare this host's clock with that of rank 0.
 *
 * Collective. Called at the end of MPI_Init and at the beginning of
 * MPI_Finalize, with the wrapper's own communicator over all processes.
 *
 * @param world All processes.
 * @param place Where this process is; leaders compare their hosts' clocks.
 * @param self Where to record the result.
 *
 * @return 0, or -1 if that failed.
 */
int hdmpiClockMeasure(MPI_Comm world, const struct hdmpiPlace *place,
		      struct hdmpiThread *self);

/** Let HDTRACE_MPI_TEST_CLOCK replace the clock, if it is set. */
void hdmpiClockPrepare(void);

#endif
