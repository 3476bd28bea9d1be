/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Programs whose critical path follows from how long their ranks sleep:
 *
 *     causes ring | pipeline | master | imbalance
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <mpi.h>

static int rank;
static int size;

static void work(int ms)
{
	struct timespec left = { ms / 1000, ms % 1000 * 1000000L };

	while (nanosleep(&left, &left) < 0 && errno == EINTR)
		;
}

/* Each works when the one before it has: all do, one after the other. */
static void ring(void)
{
	int token = 0;

	if (rank > 0)
		MPI_Recv(&token, 1, MPI_INT, rank - 1, 1, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
	work(100);
	MPI_Send(&token, 1, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD);
	if (rank == 0)
		MPI_Recv(&token, 1, MPI_INT, size - 1, 1, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
}

/* The second stage is slow: everybody waits for it, also if another one is kept
 * from running for a while. */
static void pipeline(void)
{
	int item = 0;

	for (int i = 0; i < 4; i++) {
		if (rank > 0)
			MPI_Recv(&item, 1, MPI_INT, rank - 1, 2, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
		work(rank == 1 ? 200 : 5);
		if (rank < size - 1)
			MPI_Ssend(&item, 1, MPI_INT, rank + 1, 2,
				  MPI_COMM_WORLD);
	}
}

/* Workers ask for work; the last of it is long. */
static void master(void)
{
	int item = 0;
	int left = size - 1;
	MPI_Status status;

	while (rank == 0 && left > 0) {
		MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD,
			 &status);
		if (++item > 6)
			left--;
		MPI_Send(&item, 1, MPI_INT, status.MPI_SOURCE, 4,
			 MPI_COMM_WORLD);
	}
	while (rank > 0 && item <= 6) {
		MPI_Send(NULL, 0, MPI_INT, 0, 3, MPI_COMM_WORLD);
		MPI_Recv(&item, 1, MPI_INT, 0, 4, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
		if (item <= 6)
			work(item == 6 ? 400 : 20);
	}
}

/* The last rank has most to do. */
static void imbalance(void)
{
	for (int i = 0; i < 3; i++) {
		work(rank == size - 1 ? 150 : 10);
		MPI_Barrier(MPI_COMM_WORLD);
	}
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (strcmp(name, "ring") == 0)
		ring();
	else if (strcmp(name, "pipeline") == 0)
		pipeline();
	else if (strcmp(name, "master") == 0)
		master();
	else
		imbalance();
	MPI_Finalize();
	return 0;
}
