/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One-sided calls of all kinds of three ranks or more, in a ring; each call and
 * its time are compared with what a tool counts (count.sh). The data is
 * checked.
 */
#include <mpi.h>
#include <stdlib.h>

/* SIZE is a multiple of 16 bytes: with others, MPICH 4.0.2 gives a rank an
 * address that others do not use. */
enum { COUNT = 100, SIZE = 128, ROUNDS = 2 };

static int rank, ranks, next, before, bad;
static double out[COUNT], in[COUNT], *memory;
static MPI_Win win;

static void fences(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		MPI_Win_fence(0, win);
		MPI_Put(out, COUNT, MPI_DOUBLE, next, 0, COUNT, MPI_DOUBLE,
			win);
		MPI_Win_fence(0, win);
		bad |= (int)memory[1] != before * COUNT + 1;
	}
}

static void accesses(void)
{
	const int both[] = { before, next };
	MPI_Group all, group;

	MPI_Comm_group(MPI_COMM_WORLD, &all);
	MPI_Group_incl(all, 2, both, &group);
	for (int i = 0; i < ROUNDS; i++) {
		MPI_Win_post(group, 0, win);
		MPI_Win_start(group, 0, win);
		MPI_Get(in, COUNT, MPI_DOUBLE, next, 0, COUNT, MPI_DOUBLE, win);
		MPI_Win_complete(win);
		MPI_Win_wait(win);
		bad |= (int)in[1] != rank * COUNT + 1;
	}
	MPI_Group_free(&group);
	MPI_Group_free(&all);
}

/* Each rank adds 1 to the last number of each. */
static void locks(void)
{
	const double one = 1;

	memory[COUNT] = 0;
	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 0; i < ranks; i++) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, i, 0, win);
		MPI_Accumulate(&one, 1, MPI_DOUBLE, i, COUNT, 1, MPI_DOUBLE,
			       MPI_SUM, win);
		MPI_Win_flush(i, win);
		MPI_Win_unlock(i, win);
	}
	MPI_Barrier(MPI_COMM_WORLD);
}

static void locksAll(void)
{
	const double one = 1;
	MPI_Request request;
	double result;

	MPI_Win_lock_all(0, win);
	for (int i = 0; i < ranks; i++) {
		MPI_Fetch_and_op(&one, &result, MPI_DOUBLE, i, COUNT, MPI_SUM,
				 win);
		MPI_Win_flush_local(i, win);
	}
	MPI_Rget(in, COUNT, MPI_DOUBLE, next, 0, COUNT, MPI_DOUBLE, win,
		 &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Win_flush_all(win);
	MPI_Win_unlock_all(win);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
	bad |= (int)memory[COUNT] != 2 * ranks;
	MPI_Win_unlock(rank, win);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	next = (rank + 1) % ranks;
	before = (rank + ranks - 1) % ranks;
	for (int i = 0; i < COUNT; i++)
		out[i] = rank * COUNT + i;
	MPI_Win_allocate(SIZE * sizeof(*memory), sizeof(*memory), MPI_INFO_NULL,
			 MPI_COMM_WORLD, &memory, &win);
	fences();
	accesses();
	locks();
	locksAll();
	MPI_Win_free(&win);
	MPI_Finalize();
	return bad;
}
