/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Three ranks that move known numbers of bytes by messages, one-sided calls,
 * files and neighborhood collectives; volume.sh has the sums.
 */
#include <mpi.h>

enum { RANKS = 3 };

static int rank, next, before, out[256], in[256];

/* 0, 1, 2, 3 and 1000 bytes from the first rank to the second, and a ring. */
static void messages(void)
{
	static const int sizes[] = { 0, 1, 2, 3, 1000 };
	MPI_Request requests[2];

	for (int i = 0; i < 5; i++) {
		if (rank == 0)
			MPI_Send(out, sizes[i], MPI_BYTE, 1, i, MPI_COMM_WORLD);
		else if (rank == 1)
			MPI_Recv(in, 1000, MPI_BYTE, 0, i, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
	}
	MPI_Irecv(in, 256, MPI_INT, before, 9, MPI_COMM_WORLD, &requests[0]);
	MPI_Isend(out, 16, MPI_INT, next, 9, MPI_COMM_WORLD, &requests[1]);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	/* Persistent, twice. */
	MPI_Send_init(out, 2, MPI_INT, next, 8, MPI_COMM_WORLD, &requests[0]);
	for (int i = 0; i < 2; i++) {
		MPI_Start(&requests[0]);
		MPI_Recv(in, 256, MPI_INT, MPI_ANY_SOURCE, 8, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
		MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
	}
	MPI_Request_free(&requests[0]);
	MPI_Send(out, 3, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
}

static void windows(void)
{
	MPI_Request request;
	int one = 1, old;
	MPI_Win win;

	MPI_Win_create(in, sizeof(in), sizeof(int), MPI_INFO_NULL,
		       MPI_COMM_WORLD, &win);
	MPI_Win_fence(0, win);
	MPI_Put(out, 2, MPI_INT, next, 0, 2, MPI_INT, win);
	MPI_Get(out + 8, 3, MPI_INT, next, 8, 3, MPI_INT, win);
	MPI_Accumulate(&one, 1, MPI_INT, next, 4, 1, MPI_INT, MPI_SUM, win);
	MPI_Win_fence(0, win);
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
	MPI_Fetch_and_op(&one, &old, MPI_INT, 0, 5, MPI_SUM, win);
	MPI_Win_flush(0, win);
	MPI_Rput(out, 5, MPI_INT, 0, 16 + 8 * rank, 5, MPI_INT, win, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Win_unlock(0, win);
	MPI_Win_free(&win);
}

static void files(const char *name)
{
	MPI_Request request;
	MPI_File file;

	MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR,
		      MPI_INFO_NULL, &file);
	MPI_File_write_at(file, 16 * rank, out, rank + 1, MPI_INT,
			  MPI_STATUS_IGNORE);
	MPI_File_write_at_all(file, 64 + 8 * rank, out, 2, MPI_INT,
			      MPI_STATUS_IGNORE);
	MPI_File_sync(file);
	MPI_File_iread_at(file, 64, in, 1, MPI_INT, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_File_read_at_all_begin(file, 64, in, 3, MPI_INT);
	MPI_File_read_at_all_end(file, in, MPI_STATUS_IGNORE);
	MPI_File_close(&file);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		MPI_File_delete(name, MPI_INFO_NULL);
}

static void neighbors(void)
{
	int ranks = RANKS, isPeriodic = 1;
	MPI_Request request;
	MPI_Comm ring;

	MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &isPeriodic, 0, &ring);
	MPI_Neighbor_allgather(out, 2, MPI_INT, in, 2, MPI_INT, ring);
	MPI_Neighbor_alltoall(out, 3, MPI_INT, in, 3, MPI_INT, ring);
	MPI_Ineighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, ring, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Comm_free(&ring);
}

/* The first and the last rank have one neighbor, but arguments for two. */
static void line(void)
{
	static const int counts[] = { 1, 2 }, back[] = { 2, 1 };
	static const int places[] = { 0, 8 };
	static const MPI_Aint bytes[] = { 0, 32 };
	const MPI_Datatype types[] = { MPI_INT, MPI_INT };
	int ranks = RANKS, isPeriodic = 0;
	MPI_Request request;
	MPI_Comm comm;

	MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &isPeriodic, 0, &comm);
	MPI_Ineighbor_allgather(out, 1, MPI_INT, in, 1, MPI_INT, comm,
				&request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Neighbor_alltoallv(out, counts, places, MPI_INT, in, back, places,
			       MPI_INT, comm);
	MPI_Neighbor_alltoallw(out, counts, bytes, types, in, back, bytes,
			       types, comm);
	MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	next = (rank + 1) % RANKS;
	before = (rank + RANKS - 1) % RANKS;
	messages();
	windows();
	files(argv[1]);
	neighbors();
	line();
	MPI_Finalize();
	return 0;
}
