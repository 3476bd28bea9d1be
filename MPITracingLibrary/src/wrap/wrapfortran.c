/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The wrappers for Fortran: mpif.h and "use mpi". */
#include "config.h"

#include "MPITracingLibrary/src/wrap/fortran.h"

#ifdef HDMPI_WEAK_FORTRAN
#pragma GCC diagnostic ignored "-Wattributes"
#define HDMPI_REAL __attribute__((__weak__))
#else
#define HDMPI_REAL
#endif

#include "MPITracingLibrary/wrappers-fortran.h"
