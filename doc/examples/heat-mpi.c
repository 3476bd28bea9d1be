/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Example: the heat flow in a plate, computed by the ranks of an MPI program.
 * It does not use HDTrace; hdmpirun records it.
 *
 *     mpicc -O2 -o heat-mpi heat-mpi.c -lm
 *     mpiexec -n 4 hdmpirun ./heat-mpi
 *
 * Each rank has some rows of the plate and exchanges its border rows with its
 * neighbors in every step. Rank 0 has the most rows, so the other ranks wait.
 *
 *     heat-mpi [STEPS]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>

#define COLUMNS 1024
#define ROWS 256

/* Compute one step; return the largest change of a cell. */
static double computeStep(int rows, const double *from, double *to)
{
	double change = 0;

	for (int i = 1; i <= rows; i++) {
		for (int j = 1; j < COLUMNS - 1; j++) {
			const double *cell = from + i * COLUMNS + j;
			double next = (cell[-1] + cell[1] + cell[-COLUMNS] +
				       cell[COLUMNS]) /
				      4;

			change = fmax(change, fabs(next - *cell));
			to[i * COLUMNS + j] = next;
		}
	}
	return change;
}

/* Exchange the border rows with the ranks above and below. */
static void exchangeRows(int rows, double *plate, int above, int below)
{
	double *last = plate + rows * COLUMNS;

	MPI_Sendrecv(plate + COLUMNS, COLUMNS, MPI_DOUBLE, above, 0,
		     last + COLUMNS, COLUMNS, MPI_DOUBLE, below, 0,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(last, COLUMNS, MPI_DOUBLE, below, 1, plate, COLUMNS,
		     MPI_DOUBLE, above, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 300, rank, size, rows;
	double *plates[2], change = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	rows = rank == 0 ? 2 * ROWS : ROWS;
	for (int i = 0; i < 2; i++) {
		plates[i] = calloc((size_t)(rows + 2) * COLUMNS,
				   sizeof(*plates[i]));
		if (!plates[i])
			MPI_Abort(MPI_COMM_WORLD, 1);
		/* The upper border of the plate is hot. */
		for (int j = 0; j < COLUMNS && rank == 0; j++)
			plates[i][j] = 100;
	}
	for (int step = 0; step < steps; step++) {
		double *from = plates[step % 2], *to = plates[(step + 1) % 2];
		double own;

		exchangeRows(rows, from, rank > 0 ? rank - 1 : MPI_PROC_NULL,
			     rank < size - 1 ? rank + 1 : MPI_PROC_NULL);
		own = computeStep(rows, from, to);
		if (step % 10 == 9)
			MPI_Allreduce(&own, &change, 1, MPI_DOUBLE, MPI_MAX,
				      MPI_COMM_WORLD);
	}
	if (rank == 0)
		printf("%d ranks, %d steps, last change %g\n", size, steps,
		       change);
	free(plates[0]);
	free(plates[1]);
	MPI_Finalize();
	return 0;
}
