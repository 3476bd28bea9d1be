/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The wrappers for Fortran: mpif.h and "use mpi". */
#include "config.h"

#include "MPITracingLibrary/src/wrap/fortran.h"

/* The entries. */
#define HDMPI_TABLE hdmpiFortran
extern struct hdmpiForward HDMPI_TABLE[]
	__attribute__((__visibility__("hidden")));

#ifdef HDMPI_WEAK_FORTRAN
#define HDMPI_REAL __attribute__((__weak__))
#else
#define HDMPI_REAL
#endif

#include "MPITracingLibrary/wrappers-fortran.h"

static void __attribute__((__constructor__)) fortranBegin(void)
{
	hdmpiForwardsBegin(HDMPI_TABLE,
			   sizeof(HDMPI_TABLE) / sizeof(*HDMPI_TABLE));
}
