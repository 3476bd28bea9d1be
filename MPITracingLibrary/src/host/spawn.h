/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Processes that the program starts by MPI_Comm_spawn.
 *
 * They are recorded as a project of their own. For that they need the library
 * preloaded and the settings of those that start them. MPI libraries give them
 * neither; of Open MPI a hint, "env", has variables for them, but has little
 * room. So it gets LD_PRELOAD, and where the rest is: in the environment of the
 * process that starts them, which those on its host can read in /proc. Command
 * and arguments stay as the program gave them.
 */
#ifndef HDMPI_SPAWN_H
#define HDMPI_SPAWN_H

#include "MPITracingLibrary/src/core/hdmpi.h"

/** Change hints for processes, which count in the root. */
void hdmpiNoteSpawn(struct hdmpiCall *call, int root, MPI_Comm comm,
		    MPI_Info *hints);

/** The same of several commands: make new hints. */
void hdmpiNoteSpawnMultiple(struct hdmpiCall *call, int root, MPI_Comm comm,
			    int count, const MPI_Info **hints);

/** Hints that cannot be changed; say it. */
void hdmpiNoteSpawnUnknown(struct hdmpiCall *call, int root, MPI_Comm comm);

#endif
