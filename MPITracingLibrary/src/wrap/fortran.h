/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the wrappers for Fortran need.
 *
 * They pass on what they get to the wrapper of the MPI library, and convert
 * what is recorded. The names of MPI in Fortran exist only where the program
 * is linked with MPI's Fortran library; a library to be preloaded into any
 * program must not insist on them (HDMPI_WEAK_FORTRAN).
 */
#ifndef HDMPI_FORTRAN_H
#define HDMPI_FORTRAN_H

#include <stdlib.h>
#include <string.h>

#include "MPITracingLibrary/src/record/verbs.h"
#include "MPITracingLibrary/src/wrap/extension.h"
#include "MPITracingLibrary/src/wrap/forward.h"

/* Large enough for both implementations. */
#define HDMPI_F_STATUS_SIZE 8
_Static_assert(sizeof(MPI_Status) <= HDMPI_F_STATUS_SIZE * sizeof(MPI_Fint),
	       "a status in Fortran has more integers");
_Static_assert(sizeof(MPI_Fint) == sizeof(int), "INTEGER is not int");

#ifdef OPEN_MPI
/* One constant for all ways. */
#define HDMPI_F08_STATUS_IGNORE MPI_F_STATUS_IGNORE
#define HDMPI_F08_STATUSES_IGNORE MPI_F_STATUSES_IGNORE
#else
#define HDMPI_F08_STATUS_IGNORE ((MPI_Fint *)MPI_F08_STATUS_IGNORE)
#define HDMPI_F08_STATUSES_IGNORE ((MPI_Fint *)MPI_F08_STATUSES_IGNORE)
#endif

/* Index of the first element of an array. MPICH 4.0 has that of C in mpi_f08
 * (corrected in 4.1). */
#define HDMPI_FORTRAN_BASE 1
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 40000000 && \
	MPICH_NUMVERSION < 40100000
#define HDMPI_F08_BASE 0
#else
#define HDMPI_F08_BASE 1
#endif

/** Whether the program wants no status. */
static inline bool hdmpiIgnoresStatus(const MPI_Fint *status)
{
	return status == MPI_F_STATUS_IGNORE ||
	       status == HDMPI_F08_STATUS_IGNORE;
}

/** Whether the program wants no statuses. */
static inline bool hdmpiIgnoresStatuses(const MPI_Fint *statuses)
{
	return statuses == MPI_F_STATUSES_IGNORE ||
	       statuses == HDMPI_F08_STATUSES_IGNORE;
}

/** Let @p used point to statuses of ours, if there is memory; to be freed. */
static inline MPI_Fint *hdmpiFortranStatuses(int count, MPI_Fint **used)
{
	MPI_Fint *statuses =
		calloc((size_t)(count > 0 ? count : 1), sizeof(MPI_Status));

	if (statuses)
		*used = statuses;
	return statuses;
}

/** Convert statuses; to be freed. */
static inline MPI_Status *hdmpiStatusesF2c(const MPI_Fint *from, int count)
{
	MPI_Status *statuses;

	if (hdmpiIgnoresStatuses(from))
		return NULL;
	statuses = hdmpiStatuses(count);
	for (int i = 0; statuses && i < count; i++)
		PMPI_Status_f2c(from + (size_t)i * sizeof(MPI_Status) /
						sizeof(MPI_Fint),
				&statuses[i]);
	return statuses;
}

/** Convert requests; to be freed. */
static inline MPI_Request *hdmpiRequestsF2c(const MPI_Fint *from, int count)
{
	MPI_Request *requests =
		calloc((size_t)(count > 0 ? count : 1), sizeof(*requests));

	for (int i = 0; requests && i < count; i++)
		requests[i] = PMPI_Request_f2c(from[i]);
	return requests;
}

/** Convert datatypes; to be freed. */
static inline MPI_Datatype *hdmpiDatatypesF2c(const MPI_Fint *from, int count)
{
	MPI_Datatype *datatypes =
		calloc((size_t)(count > 0 ? count : 1), sizeof(*datatypes));

	for (int i = 0; datatypes && i < count; i++)
		datatypes[i] = PMPI_Type_f2c(from[i]);
	return datatypes;
}

/** Convert a text, without the blanks at its end; to be freed. */
static inline char *hdmpiFortranText(const char *from, size_t length)
{
	while (length > 0 && from[length - 1] == ' ')
		length--;
	return strndup(from, length);
}

#endif
