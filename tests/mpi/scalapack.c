/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A program that uses ScaLAPACK: solves a system of equations that all
 * processes make, and prints the largest error.
 *
 *     scalapack SIZE BLOCK */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void Cblacs_pinfo(int *rank, int *ranks);
void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int columns);
void Cblacs_gridinfo(int context, int *rows, int *columns, int *row,
		     int *column);
void Cblacs_gridexit(int context);
void Cblacs_exit(int more);
int numroc_(const int *n, const int *block, const int *at, const int *first,
	    const int *count);
void descinit_(int *descriptor, const int *m, const int *n, const int *mb,
	       const int *nb, const int *row, const int *column,
	       const int *context, const int *lead, int *info);
void pdgesv_(const int *n, const int *nrhs, double *a, const int *ia,
	     const int *ja, const int *desca, int *pivots, double *b,
	     const int *ib, const int *jb, const int *descb, int *info);

static const int zero = 0, one = 1;

/* The index in the whole matrix of one of a process. */
static int whole(int local, int block, int at, int count)
{
	return (local / block * count + at) * block + local % block;
}

static double element(int i, int j)
{
	return (i == j ? 10.0 : 0.0) + 1.0 / (1 + abs(i - j));
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 200;
	int block = argc > 2 ? atoi(argv[2]) : 32;
	int rank, ranks, context, rows, columns, row, column, info;
	int desca[9], descb[9];

	Cblacs_pinfo(&rank, &ranks);
	Cblacs_get(-1, 0, &context);
	Cblacs_gridinit(&context, "Row", 1, ranks);
	Cblacs_gridinfo(context, &rows, &columns, &row, &column);
	int height = numroc_(&n, &block, &row, &zero, &rows);
	int width = numroc_(&n, &block, &column, &zero, &columns);
	int lead = height > 0 ? height : 1;
	double *a = calloc((size_t)lead * (size_t)(width + 1), sizeof(*a));
	double *b = calloc((size_t)lead, sizeof(*b));
	int *pivots = calloc((size_t)(height + block), sizeof(*pivots));

	descinit_(desca, &n, &n, &block, &block, &zero, &zero, &context, &lead,
		  &info);
	descinit_(descb, &n, &one, &block, &block, &zero, &zero, &context,
		  &lead, &info);
	/* The solution is 1 everywhere. */
	for (int i = 0; i < height; i++) {
		int at = whole(i, block, row, rows);

		for (int j = 0; j < width; j++)
			a[i + (size_t)j * (size_t)lead] =
				element(at, whole(j, block, column, columns));
		for (int j = 0; column == 0 && j < n; j++)
			b[i] += element(at, j);
	}
	pdgesv_(&n, &one, a, &one, &one, desca, pivots, b, &one, &one, descb,
		&info);
	if (column == 0) {
		double error = 0;

		for (int i = 0; i < height; i++)
			error = fmax(error, fabs(b[i] - 1));
		printf("info %d, error %s\n", info,
		       error < 1e-9 ? "below 1e-9" : "too large");
	}
	Cblacs_gridexit(context);
	Cblacs_exit(0);
	return 0;
}
