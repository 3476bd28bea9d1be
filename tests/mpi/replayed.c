/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * replayed PART: messages and collective calls, as a program that knows nothing
 * of HDTrace makes them; tests/mpi/simgrid.sh runs it with an MPI library, and
 * with SimGrid's SMPI.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <mpi.h>

#define ROOM 1000000

static char given[ROOM], got[ROOM];
static int rank, ranks;

static void exchange(void)
{
	int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;

	for (int size = 1; size < 200000; size *= 9) {
		MPI_Request requests[4];

		MPI_Sendrecv(given, size, MPI_CHAR, right, 5, got, size,
			     MPI_CHAR, left, 5, MPI_COMM_WORLD,
			     MPI_STATUS_IGNORE);
		MPI_Irecv(got, size, MPI_CHAR, left, 7, MPI_COMM_WORLD,
			  &requests[0]);
		MPI_Irecv(got + ROOM / 2, size, MPI_CHAR, right, 7,
			  MPI_COMM_WORLD, &requests[1]);
		MPI_Isend(given, size, MPI_CHAR, right, 7, MPI_COMM_WORLD,
			  &requests[2]);
		MPI_Isend(given, size, MPI_CHAR, left, 7, MPI_COMM_WORLD,
			  &requests[3]);
		MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
	}
}

static void pipeline(void)
{
	for (int i = 0; i < 5; i++) {
		if (rank > 0)
			MPI_Recv(got, 70000, MPI_CHAR, rank - 1, 3,
				 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (rank + 1 < ranks)
			MPI_Send(given, 70000, MPI_CHAR, rank + 1, 3,
				 MPI_COMM_WORLD);
	}
}

static void collect(void)
{
	int counts[64], places[64], own[64];

	for (int i = 0; i < ranks; i++) {
		counts[i] = 10 + i;
		own[i] = 10 + rank;
		places[i] = 100 * i;
	}
	for (int size = 1; size < 20000; size *= 13) {
		MPI_Bcast(given, size, MPI_INT, 1, MPI_COMM_WORLD);
		MPI_Reduce(given, got, size, MPI_INT, MPI_SUM, 0,
			   MPI_COMM_WORLD);
		MPI_Allreduce(given, got, size, MPI_DOUBLE, MPI_SUM,
			      MPI_COMM_WORLD);
		MPI_Allgather(given, size, MPI_INT, got, size, MPI_INT,
			      MPI_COMM_WORLD);
		MPI_Alltoall(given, size, MPI_INT, got, size, MPI_INT,
			     MPI_COMM_WORLD);
		MPI_Gather(given, size, MPI_INT, got, size, MPI_INT, 2,
			   MPI_COMM_WORLD);
		MPI_Scatter(given, size, MPI_INT, got, size, MPI_INT, 2,
			    MPI_COMM_WORLD);
		MPI_Scan(given, got, size, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		MPI_Exscan(given, got, size, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	}
	MPI_Allgatherv(given, 10 + rank, MPI_INT, got, counts, places, MPI_INT,
		       MPI_COMM_WORLD);
	MPI_Gatherv(given, 10 + rank, MPI_INT, got, counts, places, MPI_INT, 1,
		    MPI_COMM_WORLD);
	MPI_Scatterv(given, counts, places, MPI_INT, got, 10 + rank, MPI_INT, 1,
		     MPI_COMM_WORLD);
	MPI_Alltoallv(given, counts, places, MPI_INT, got, own, places, MPI_INT,
		      MPI_COMM_WORLD);
	MPI_Reduce_scatter(given, got, counts, MPI_INT, MPI_SUM,
			   MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
}

static void sleepFor(int ms)
{
	const struct timespec time = { ms / 1000, ms % 1000 * 1000000L };

	nanosleep(&time, NULL);
}

/* Ranks that take different times, a ring, and a master with its workers; in
 * sleep, so that other programs disturb little. */
static void sleepers(void)
{
	for (int step = 0; step < 5; step++) {
		sleepFor(5 * (rank + 1));
		MPI_Allreduce(given, got, 100, MPI_INT, MPI_SUM,
			      MPI_COMM_WORLD);
		if (rank > 0)
			MPI_Recv(got, 1000, MPI_CHAR, rank - 1, 3,
				 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		sleepFor(3);
		MPI_Send(given, 1000, MPI_CHAR, (rank + 1) % ranks, 3,
			 MPI_COMM_WORLD);
		if (rank == 0)
			MPI_Recv(got, 1000, MPI_CHAR, ranks - 1, 3,
				 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	for (int item = 0; rank == 0 && item < 10 * (ranks - 1); item++) {
		MPI_Status status;

		MPI_Recv(got, 1, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD,
			 &status);
		sleepFor(1);
		MPI_Send(given, 50000, MPI_CHAR, status.MPI_SOURCE, 5,
			 MPI_COMM_WORLD);
	}
	for (int item = 0; rank > 0 && item < 10; item++) {
		MPI_Send(given, 1, MPI_INT, 0, 4, MPI_COMM_WORLD);
		MPI_Recv(got, 50000, MPI_CHAR, 0, 5, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
		sleepFor(4 + rank);
	}
}

/* What SimGrid's own traces do not have. */
static void others(void)
{
	MPI_Request requests[12];
	MPI_Comm half, copy;
	int count = 0, flag = 0, size, first;

	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
	MPI_Comm_dup(MPI_COMM_WORLD, &copy);
	MPI_Comm_size(half, &size);
	MPI_Barrier(half);
	MPI_Bcast(given, 100, MPI_INT, size - 1, half);
	MPI_Allreduce(given, got, 100, MPI_INT, MPI_SUM, half);
	MPI_Allgather(given, 100, MPI_INT, got, 100, MPI_INT, half);
	MPI_Alltoall(given, 100, MPI_INT, got, 100, MPI_INT, half);
	MPI_Scan(given, got, 100, MPI_INT, MPI_SUM, half);
	MPI_Gather(given, 100, MPI_INT, got, 100, MPI_INT, 0, half);
	MPI_Ibarrier(half, &requests[count++]);
	MPI_Ibcast(given, 100, MPI_INT, 0, MPI_COMM_WORLD, &requests[count++]);
	MPI_Iallreduce(given, got, 100, MPI_INT, MPI_SUM, copy,
		       &requests[count++]);
	MPI_Irecv(got + 500000, 1000, MPI_INT, MPI_ANY_SOURCE, 33, copy,
		  &requests[count++]);
	MPI_Issend(given, 500, MPI_INT, (rank + 1) % ranks, 33, copy,
		   &requests[count++]);
	while (!flag)
		MPI_Testall(count, requests, &flag, MPI_STATUSES_IGNORE);
	MPI_Send_init(given, 10, MPI_INT, (rank + 1) % ranks, 9, copy,
		      &requests[0]);
	MPI_Recv_init(got, 1000, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, copy,
		      &requests[1]);
	for (int i = 0; i < 3; i++) {
		MPI_Startall(2, requests);
		MPI_Waitany(2, requests, &first, MPI_STATUS_IGNORE);
		MPI_Waitany(2, requests, &first, MPI_STATUS_IGNORE);
	}
	MPI_Request_free(&requests[0]);
	MPI_Request_free(&requests[1]);
	MPI_Irecv(got, 1, MPI_INT, MPI_ANY_SOURCE, 99, copy, &requests[0]);
	MPI_Cancel(&requests[0]);
	MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
	MPI_Comm_free(&half);
	MPI_Comm_free(&copy);
}

int main(int argc, char **argv)
{
	const char *part = argc > 1 ? argv[1] : "";

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (strcmp(part, "exchange") == 0)
		exchange();
	else if (strcmp(part, "pipeline") == 0)
		pipeline();
	else if (strcmp(part, "collect") == 0)
		collect();
	else if (strcmp(part, "others") == 0)
		others();
	else if (strcmp(part, "sleep") == 0)
		sleepers();
	MPI_Finalize();
	return 0;
}
