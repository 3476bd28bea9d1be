/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ring [END]: passes a number around, knowing nothing of HDTrace, and ends:
 * as it should, without MPI_Finalize ("exit"), by MPI_Abort of rank 1
 * ("abort") or by a signal that cannot be caught ("kill"); "thread" calls MPI
 * from a thread only. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *end;

static void *ring(void *unused)
{
	int rank, size, number = 0, level;

	MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < 10; i++) {
		if (rank > 0)
			MPI_Recv(&number, 1, MPI_INT, rank - 1, 0,
				 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		number++;
		MPI_Send(&number, 1, MPI_INT, (rank + 1) % size, 0,
			 MPI_COMM_WORLD);
		if (rank == 0)
			MPI_Recv(&number, 1, MPI_INT, size - 1, 0,
				 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		printf("ring: %d\n", number);
	fflush(stdout);
	if (strcmp(end, "exit") == 0)
		exit(0);
	if (rank == 1 && strcmp(end, "abort") == 0)
		MPI_Abort(MPI_COMM_WORLD, 3);
	if (rank == 1 && strcmp(end, "kill") == 0)
		kill(getpid(), SIGKILL);
	MPI_Finalize();
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	end = argc > 1 ? argv[1] : "";
	if (strcmp(end, "thread") != 0) {
		ring(NULL);
	} else {
		pthread_create(&thread, NULL, ring, NULL);
		pthread_join(thread, NULL);
	}
	return 0;
}
