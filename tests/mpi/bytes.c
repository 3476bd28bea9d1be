/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Collective calls of three ranks, in place and not, and of an
 * intercommunicator between the first two and the third; bytes.sh has the bytes
 * of each.
 */
#include <mpi.h>
#include <stddef.h>

enum { RANKS = 3, ROOM = 64, ROOT = 1 };

static int rank;
static int out[ROOM], in[ROOM];
/* 1, 2 and 3 of what is at these places. */
static const int counts[] = { 1, 2, 3 }, places[] = { 0, 1, 3 };
/* As many as these everywhere. */
static const int twos[] = { 2, 2, 2 }, apart[] = { 0, 2, 4 };

static void toRoot(MPI_Comm comm)
{
	const void *from = rank == ROOT ? MPI_IN_PLACE : out;

	MPI_Gather(out, 2, MPI_INT, in, 2, MPI_INT, ROOT, comm);
	MPI_Gather(from, 2, MPI_INT, in, 2, MPI_INT, ROOT, comm);
	MPI_Gatherv(out, counts[rank], MPI_INT, in, counts, places, MPI_INT,
		    ROOT, comm);
	MPI_Gatherv(from, counts[rank], MPI_INT, in, counts, places, MPI_INT,
		    ROOT, comm);
}

static void fromRoot(MPI_Comm comm)
{
	void *to = rank == ROOT ? MPI_IN_PLACE : in;

	MPI_Scatter(out, 2, MPI_INT, in, 2, MPI_INT, ROOT, comm);
	MPI_Scatter(out, 2, MPI_INT, to, 2, MPI_INT, ROOT, comm);
	MPI_Scatterv(out, counts, places, MPI_INT, in, counts[rank], MPI_INT,
		     ROOT, comm);
	MPI_Scatterv(out, counts, places, MPI_INT, to, counts[rank], MPI_INT,
		     ROOT, comm);
}

static void allgather(MPI_Comm comm)
{
	MPI_Allgather(out, 1, MPI_INT, in, 1, MPI_INT, comm);
	MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 1, MPI_INT, comm);
	MPI_Allgatherv(out, counts[rank], MPI_INT, in, counts, places, MPI_INT,
		       comm);
	MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, counts, places,
		       MPI_INT, comm);
}

static void alltoall(MPI_Comm comm)
{
	const MPI_Datatype types[] = { MPI_INT, MPI_INT, MPI_INT };
	int alike[RANKS], all[RANKS], bytes[RANKS];

	for (int i = 0; i < RANKS; i++) {
		alike[i] = rank + 1;
		all[i] = i * RANKS;
		bytes[i] = (int)sizeof(int) * all[i];
	}
	MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm);
	MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 1, MPI_INT, comm);
	MPI_Alltoallv(out, counts, all, MPI_INT, in, alike, all, MPI_INT, comm);
	MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, in, twos,
		      apart, MPI_INT, comm);
	MPI_Alltoallw(out, counts, bytes, types, in, alike, bytes, types, comm);
	MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, in, twos, bytes, types,
		      comm);
}

static void reduce(MPI_Comm comm)
{
	MPI_Reduce(out, in, 2, MPI_INT, MPI_MAX, ROOT, comm);
	MPI_Reduce(rank == ROOT ? MPI_IN_PLACE : out, in, 2, MPI_INT, MPI_MAX,
		   ROOT, comm);
	MPI_Allreduce(out, in, 4, MPI_INT, MPI_SUM, comm);
	MPI_Allreduce(MPI_IN_PLACE, in, 4, MPI_INT, MPI_SUM, comm);
	MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, comm);
	MPI_Reduce_scatter(MPI_IN_PLACE, in, counts, MPI_INT, MPI_SUM, comm);
	MPI_Reduce_scatter_block(out, in, 2, MPI_INT, MPI_SUM, comm);
	MPI_Scan(out, in, 1, MPI_INT, MPI_SUM, comm);
	MPI_Exscan(out, in, 1, MPI_INT, MPI_SUM, comm);
}

/* With the first rank of the first group, or the only one of the second group,
 * as root. */
static void between(MPI_Comm comm)
{
	int first = rank == 0 ? MPI_ROOT : rank == 1 ? MPI_PROC_NULL : 0;
	int second = rank == 2 ? MPI_ROOT : 0;
	int part = rank == 2 ? 2 : 1;

	MPI_Bcast(out, 3, MPI_INT, first, comm);
	MPI_Gather(out, 2, MPI_INT, in, 2, MPI_INT, first, comm);
	MPI_Gather(out, 2, MPI_INT, in, 2, MPI_INT, second, comm);
	MPI_Scatter(out, 2, MPI_INT, in, 2, MPI_INT, second, comm);
	MPI_Allgather(out, 1, MPI_INT, in, 1, MPI_INT, comm);
	MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm);
	MPI_Allreduce(out, in, 1, MPI_INT, MPI_SUM, comm);
	MPI_Reduce(out, in, 1, MPI_INT, MPI_SUM, second, comm);
	MPI_Reduce_scatter_block(out, in, part, MPI_INT, MPI_SUM, comm);
}

/* Without waiting. */
static void later(MPI_Comm comm)
{
	MPI_Request requests[2];

	MPI_Ialltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm, &requests[0]);
	MPI_Ibcast(out + 32, 3, MPI_INT, ROOT, comm, &requests[1]);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
	MPI_Comm own, comm;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Bcast(out, 3, MPI_INT, ROOT, MPI_COMM_WORLD);
	toRoot(MPI_COMM_WORLD);
	fromRoot(MPI_COMM_WORLD);
	allgather(MPI_COMM_WORLD);
	alltoall(MPI_COMM_WORLD);
	reduce(MPI_COMM_WORLD);
	later(MPI_COMM_WORLD);
	MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &own);
	MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 1,
			     &comm);
	between(comm);
	MPI_Comm_free(&comm);
	MPI_Comm_free(&own);
	MPI_Finalize();
	return 0;
}
