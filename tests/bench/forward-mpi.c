/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What any wrapper costs: the functions that bench-mpi.c calls, passed on. */
#include <mpi.h>

int MPI_Send(const void *buffer, int count, MPI_Datatype type, int to, int tag,
	     MPI_Comm comm)
{
	return PMPI_Send(buffer, count, type, to, tag, comm);
}

int MPI_Recv(void *buffer, int count, MPI_Datatype type, int from, int tag,
	     MPI_Comm comm, MPI_Status *status)
{
	return PMPI_Recv(buffer, count, type, from, tag, comm, status);
}

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag,
	      MPI_Comm comm, MPI_Request *request)
{
	return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int from, int tag,
	      MPI_Comm comm, MPI_Request *request)
{
	return PMPI_Irecv(buffer, count, type, from, tag, comm, request);
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
	return PMPI_Wait(request, status);
}

int MPI_Testany(int count, MPI_Request requests[], int *index, int *flag,
		MPI_Status *status)
{
	return PMPI_Testany(count, requests, index, flag, status);
}

int MPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type,
		  MPI_Op op, MPI_Comm comm)
{
	return PMPI_Allreduce(in, out, count, type, op, comm);
}
