/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The wrappers for mpi_f08 of Open MPI, which is a layer beside that of mpif.h
 * and "use mpi". MPICH's mpi_f08 calls the functions of C. */
#include <config.h>

#include "fortran.h"

#ifdef HDMPI_WEAK_FORTRAN
#define HDMPI_REAL __attribute__((__weak__))
#else
#define HDMPI_REAL
#endif

#ifdef OPEN_MPI
#include "wrappers-f08.h"
#endif
