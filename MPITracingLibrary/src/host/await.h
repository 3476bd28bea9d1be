/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Waiting for files of other ranks when MPI has ended.
 *
 * The state of MPI_Finalize ends when MPI has ended; so ranks close their
 * traces then, and can tell each other nothing about it but by these files.
 * Waits have an end, as ranks may be gone.
 */
#ifndef HDMPI_AWAIT_H
#define HDMPI_AWAIT_H

#include <mpi.h>
#include <stdbool.h>

#include "MPITracingLibrary/src/host/process.h"

/** Get ready, as long as there is MPI: rank 0 gets to know who has a trace, and
 *  whether it sees the files of all. Collective. */
void hdmpiAwaitBegin(MPI_Comm world, const struct hdmpiProcess *process,
		     bool hasTrace);

/** Wait until all of so many ranks have closed their traces: their first
 * thread's is the last file that they close. Rank 0 does it.
 *
 * @return Whether it sees the files of all.
 */
bool hdmpiAwaitTraces(int count);

/** Wait until rank 0 has written the project file, if it does. A launcher ends
 *  rank 0 if another rank ends with an error, as programs may do. */
void hdmpiAwaitProject(void);

/** Free what hdmpiAwaitBegin() took. */
void hdmpiAwaitEnd(void);

#endif
