/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A client that is a library (libgfapi) in a traced MPI program: what it is
 * asked for is caused by the MPI call that is under way.
 */
#ifndef HDG_MPI_H
#define HDG_MPI_H

#include <stdbool.h>
#include <stddef.h>

/** Look for libhdMPI in this process; once. */
void mpiFind(void);

/** Get the token of this thread's MPI call; false where there is none. */
bool mpiCurrentRelation(char *buffer, size_t size);

#endif
