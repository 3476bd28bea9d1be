/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The wrappers for mpi_f08, which is a layer beside that of mpif.h and "use
 * mpi". MPICH's procedures that have a buffer call the function of C, which has
 * a wrapper. */
#include "config.h"

#include "MPITracingLibrary/src/wrap/fortran.h"

/* The entries. */
#define HDMPI_TABLE hdmpiF08
extern struct hdmpiForward HDMPI_TABLE[]
	__attribute__((__visibility__("hidden")));

#ifdef HDMPI_WEAK_FORTRAN
#define HDMPI_REAL __attribute__((__weak__))
#else
#define HDMPI_REAL
#endif

#ifdef OPEN_MPI
#include "MPITracingLibrary/wrappers-f08-openmpi.h"
#else
#include "MPITracingLibrary/wrappers-f08-mpich.h"
#endif

static void __attribute__((__constructor__)) f08Begin(void)
{
	hdmpiForwardsBegin(HDMPI_TABLE,
			   sizeof(HDMPI_TABLE) / sizeof(*HDMPI_TABLE));
}
