/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A program of MPI and OpenMP: in each of ten steps two threads compute, and
 * the first one sends what came out around a ring. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

int main(int argc, char **argv)
{
	const struct timespec pause = { 0, 1000000 };
	int given, rank, size, token = 0;
	double used;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &given);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	used = (double)clock() / CLOCKS_PER_SEC;
	for (int step = 0; step < 10; step++) {
#pragma omp parallel num_threads(2)
		{
			nanosleep(&pause, NULL);
#pragma omp barrier
#pragma omp master
			MPI_Sendrecv_replace(&token, 1, MPI_INT,
					     (rank + 1) % size, 0,
					     (rank + size - 1) % size, 0,
					     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		}
	}
	used = (double)clock() / CLOCKS_PER_SEC - used;
	printf("used %d %.6f\n", rank, used);
	MPI_Finalize();
	return 0;
}
