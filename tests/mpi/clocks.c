/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A program for clocks.sh: two ranks that send each other messages, and record
 * events whose names are what the clock of the machine showed just before.
 *
 *     clocks ROUNDS MILLISECONDS
 *
 * A round has messages both ways, a broadcast and a pause. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <hdMPI.h>
#include "tests/mpi/keeploaded.h"

/* The library's clock may be wrong on purpose, this one is right. */
static void recordTime(void)
{
	struct timespec now;
	char name[32];

	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(name, sizeof(name), "%lld.%09ld", (long long)now.tv_sec,
		 now.tv_nsec);
	hdMPI_event(name);
}

static void sendBoth(int rank)
{
	double value = 1;
	MPI_Request request;

	if (rank == 0) {
		MPI_Send(&value, 1, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
		MPI_Recv(&value, 1, MPI_DOUBLE, 1, MPI_ANY_TAG, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
		MPI_Isend(&value, 1, MPI_DOUBLE, 1, 3, MPI_COMM_WORLD,
			  &request);
	} else {
		MPI_Recv(&value, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 1,
			 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(&value, 1, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
		MPI_Irecv(&value, 1, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD,
			  &request);
	}
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	int rounds = argc > 2 ? atoi(argv[1]) : 0;
	long pauseMs = argc > 2 ? atol(argv[2]) : 0;
	const struct timespec pause = { pauseMs / 1000,
					pauseMs % 1000 * 1000000 };
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < rounds; i++) {
		recordTime();
		recordTime();
		if (rank < 2)
			sendBoth(rank);
		MPI_Bcast(&i, 1, MPI_INT, 0, MPI_COMM_WORLD);
		nanosleep(&pause, NULL);
	}
	recordTime();
	MPI_Finalize();
	return 0;
}
