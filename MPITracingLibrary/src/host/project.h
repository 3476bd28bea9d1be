/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Writing the project file.
 *
 * libhdMPI writes no .proj itself; rank 0 runs `hdtrace merge` after
 * MPI_Finalize, as a child that the program cannot notice. One program knows
 * how to merge, and the tracer does not need what it needs.
 */
#ifndef HDMPI_PROJECT_H
#define HDMPI_PROJECT_H

#include <stdbool.h>

/** Look at the environment, at MPI_Init. */
void hdmpiProjectPrepare(void);

/**
 * Let `hdtrace merge` write the project file, and wait for it.
 *
 * HDTRACE_MPI_HDTRACE names the command; the default is where it was
 * installed. Nothing happens if it is not there.
 */
void hdmpiProjectMerge(void);

/** Whether there is a command that does it. */
bool hdmpiProjectCanMerge(void);

#endif
