/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether a buffer is MPI_IN_PLACE. Fortran has variables of its own for that,
 * at places that only the implementation knows. */
#include "config.h"

#include "MPITracingLibrary/src/record/verbs.h"

#ifdef OPEN_MPI
/* Common blocks of Open MPI, by the names that compilers give them. */
extern int mpi_fortran_in_place_ __attribute__((__weak__));
extern int mpi_fortran_in_place __attribute__((__weak__));
extern int mpi_fortran_in_place__ __attribute__((__weak__));
extern int MPI_FORTRAN_IN_PLACE __attribute__((__weak__));

bool hdmpiIsInPlace(const void *buffer)
{
	return buffer &&
	       (buffer == MPI_IN_PLACE || buffer == &mpi_fortran_in_place_ ||
		buffer == &mpi_fortran_in_place ||
		buffer == &mpi_fortran_in_place__ ||
		buffer == &MPI_FORTRAN_IN_PLACE);
}
#else
/* MPICH remembers where the variables of the program are. */
extern void *MPIR_F_MPI_IN_PLACE __attribute__((__weak__));
extern int MPIR_F08_MPI_IN_PLACE __attribute__((__weak__));

bool hdmpiIsInPlace(const void *buffer)
{
	return buffer &&
	       (buffer == MPI_IN_PLACE ||
		(&MPIR_F_MPI_IN_PLACE && buffer == MPIR_F_MPI_IN_PLACE) ||
		buffer == &MPIR_F08_MPI_IN_PLACE);
}
#endif
