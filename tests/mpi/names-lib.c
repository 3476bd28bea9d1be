/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A library for names.sh with functions of its own whose names are those of MPI
 * in Fortran, in all ways that compilers spell them; arguments and results are
 * its own, too. Each calls MPI_Barrier once.
 */
#include <mpi.h>

const char *mpi_barrier(const char *text);
const char *mpi_barrier_(const char *text);
const char *mpi_barrier__(const char *text);
const char *MPI_BARRIER(const char *text);
double mpi_bcast_(double a, int b, float c, long d, int e, int f, int g, int h,
		  int i, double j);

static const char *rest(const char *text)
{
	MPI_Barrier(MPI_COMM_WORLD);
	return text + 1;
}

const char *mpi_barrier(const char *text)
{
	return rest(text);
}

const char *mpi_barrier_(const char *text)
{
	return rest(text);
}

const char *mpi_barrier__(const char *text)
{
	return rest(text);
}

const char *MPI_BARRIER(const char *text)
{
	return rest(text);
}

/* More arguments than there are registers for. */
double mpi_bcast_(double a, int b, float c, long d, int e, int f, int g, int h,
		  int i, double j)
{
	MPI_Barrier(MPI_COMM_WORLD);
	return a + b + (double)c + (double)d + e + f + g + h + i + j;
}
