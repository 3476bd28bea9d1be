/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What is not recorded, said in one line a host.
 *
 * The libraries inside tell it to this one (hdLogLossTaker). The processes of a
 * host compare when recording begins and when it ends, and the lowest of them
 * says how many are concerned, and what the first of these had to say. Where
 * HDTRACE_MPI_VERBOSITY asks for errors each process has said all by itself.
 */
#ifndef HDMPI_LOSSES_H
#define HDMPI_LOSSES_H

#include <stdbool.h>

#include <mpi.h>

#include "MPITracingLibrary/src/host/process.h"

/** The MPI library that this was compiled for, as hdmpirun's -m has it. */
#ifdef OPEN_MPI
#define HDMPI_LIBRARY "openmpi"
#define HDMPI_IS_OPENMPI true
#else
#define HDMPI_LIBRARY "mpich"
#define HDMPI_IS_OPENMPI false
#endif

/** Whether this was loaded into a program of another MPI library, which is
 * said: what it looks at would be misunderstood. */
bool hdmpiLossIsOther(void);

/** Take what the libraries inside have to say from now on. */
void hdmpiLossInit(void);

/**
 * Say what was taken since the last call. All processes call it.
 *
 * @param isOut Whether nothing at all is recorded of this process.
 */
void hdmpiLossTell(MPI_Comm world, const struct hdmpiProcess *process,
		   bool isOut);

/** The same at the end, without MPI: the leader of a host says what was taken
 * by itself. */
void hdmpiLossTellAlone(const struct hdmpiProcess *process);

/** Say something for all, unless HDTRACE_MPI_VERBOSITY is -1. */
void hdmpiLossSay(const char *format, ...)
	__attribute__((__format__(__printf__, 1, 2)));

/** A process of what hdmpirun has started is in MPI_Init. */
void hdmpiLossSeen(void);

/** This process uses sessions of MPI. */
void hdmpiLossSession(void);

/** If this process is what hdmpirun has started, it ends now: say it if neither
 *  it nor what it has started came to MPI_Init. */
void hdmpiLossUnseen(void);

#endif
