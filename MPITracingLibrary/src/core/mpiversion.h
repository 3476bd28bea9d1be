/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the MPI library has of MPI 4.0. Open MPI 5 says that it is of MPI 3.1,
 * but has all of it that has no large counts: sessions, partitioned
 * communication, persistent collective calls. MPI_VERSION tells of the
 * functions MPI_*_c.
 */
#ifndef HDMPI_MPIVERSION_H
#define HDMPI_MPIVERSION_H

#include <mpi.h>

#if MPI_VERSION >= 4
#define HDMPI_HAS_MPI4 1
#elif defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5
#define HDMPI_HAS_MPI4 1
#else
#define HDMPI_HAS_MPI4 0
#endif

#endif
