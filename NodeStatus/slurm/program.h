/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Which MPI library a program is linked with: what it preloads must fit.
 */
#ifndef HD_SLURM_PROGRAM_H
#define HD_SLURM_PROGRAM_H

#include <limits.h>
#include <stdbool.h>

/**
 * Find a program as execvp() does.
 *
 * @param searched PATH of the program's environment; NULL is none.
 * @param path Of PATH_MAX bytes.
 */
bool hdslurmProgramFind(const char *name, const char *searched, char *path);

/**
 * Tell the MPI library of a program, by asking its loader, as ldd does.
 *
 * @param libraries LD_LIBRARY_PATH of the program's environment; NULL is none.
 *
 * @return "openmpi" or "mpich"; NULL for none, and for what the loader preloads
 *         nothing into: scripts, programs that are linked statically, and those
 *         that get rights by the set-user-ID or set-group-ID bit.
 */
const char *hdslurmProgramMpi(const char *path, const char *libraries);

#endif
