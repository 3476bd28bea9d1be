/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A program for jobs: messages round a ring, and a reduction, so often as its
 * first argument says. Its status is the second one. It waits for a signal at
 * its end if there is a third. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int rank, size, value = 0, sum;
	int rounds = argc > 1 ? atoi(argv[1]) : 1;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < rounds; i++) {
		MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &value, 1,
			     MPI_INT, (rank + size - 1) % size, 0,
			     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (rank == 0)
			MPI_Send(&i, 1, MPI_INT, size - 1, 1, MPI_COMM_WORLD);
		if (rank == size - 1)
			MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
		MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	}
	if (argc > 3) {
		if (rank == 0) {
			puts("waiting");
			fflush(stdout);
		}
		pause();
	}
	MPI_Finalize();
	return argc > 2 ? atoi(argv[2]) : 0;
}
