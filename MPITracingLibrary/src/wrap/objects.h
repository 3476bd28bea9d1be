/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The program and its libraries: whose a function is.
 */
#ifndef HDMPI_OBJECTS_H
#define HDMPI_OBJECTS_H

#include <stdbool.h>

#include "MPITracingLibrary/src/wrap/forward.h"

/** Whether two functions are in one object. */
bool hdmpiObjectsAreOne(hdmpiCode *a, hdmpiCode *b);

/** Whether the object of a function defines a name, too. */
bool hdmpiObjectDefines(hdmpiCode *function, const char *name);

/** Whether a function is in an object that has libhdMPI in it: this one, or one
 *  that is preloaded into a program that is linked with it. */
bool hdmpiObjectIsOurs(hdmpiCode *function);

/** Whether a function is in an object that is a tool for MPI: it needs MPI's
 *  names for profiling, PMPI_* or pmpi_*. */
bool hdmpiObjectIsTool(hdmpiCode *function);

#endif
