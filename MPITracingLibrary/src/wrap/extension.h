/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Whether the MPI library has persistent collectives of MPI 4.0 as an
 * extension: MPIX_Bcast_init and others of Open MPI 4.
 */
#ifndef HDMPI_EXTENSION_H
#define HDMPI_EXTENSION_H

#include <mpi.h>

#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#ifdef OMPI_HAVE_MPI_EXT_PCOLLREQ
#define HDMPI_HAS_PERSISTENT 1
#else
#define HDMPI_HAS_PERSISTENT 0
#endif

#endif
