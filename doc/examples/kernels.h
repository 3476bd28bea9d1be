/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What figure4.c needs: two routines of BLAS in their simplest form, and data.
 * They go on for long enough to be measured; a library does the same work in
 * less time.
 */
#ifndef EXAMPLE_KERNELS_H
#define EXAMPLE_KERNELS_H

#include <time.h>

#define SIZE 64
#define SECONDS 2.0

#define SOME_OTHER_VARIABLES                                            \
	static double A[3 * SIZE * SIZE], B[3 * SIZE * SIZE],           \
		C[3 * SIZE * SIZE];                                     \
	const char transa = 'N', transb = 'N';                          \
	const int m = SIZE, n = SIZE, k = SIZE, lda = SIZE, ldb = SIZE, \
		  ldc = SIZE;                                           \
	const double alpha = 1, beta = 0;                               \
	int j = 0;                                                      \
	(void)argc;                                                     \
	(void)argv;                                                     \
	i = 0;                                                          \
	for (int at = 0; at < 3 * SIZE * SIZE; at++) {                  \
		A[at] = at % 7;                                         \
		B[at] = at % 5;                                         \
	}

static double kernelSeconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* C := alpha * A * B + beta * C, by columns; B may be A, transposed. */
static void multiply(int m, int n, int k, double alpha, const double *a,
		     int lda, const double *b, int rowStep, int columnStep,
		     double beta, double *c, int ldc)
{
	double end = kernelSeconds() + SECONDS;

	do {
		for (int j = 0; j < n; j++) {
			for (int i = 0; i < m; i++) {
				double sum = 0;

				for (int l = 0; l < k; l++)
					sum += a[l * lda + i] *
					       b[l * rowStep + j * columnStep];
				c[j * ldc + i] =
					alpha * sum + beta * c[j * ldc + i];
			}
		}
	} while (kernelSeconds() < end);
}

static void dgemm(const char *transa, const char *transb, const int *m,
		  const int *n, const int *k, const double *alpha,
		  const double *a, const int *lda, const double *b,
		  const int *ldb, const double *beta, double *c, const int *ldc)
{
	(void)transa;
	(void)transb;
	multiply(*m, *n, *k, *alpha, a, *lda, b, 1, *ldb, *beta, c, *ldc);
}

/* The first two say which half of C, and how; all of C is written here. */
static void dsyrk(const char *uplo, const char *trans, const int *n,
		  const int *k, const double *alpha, const double *a,
		  const int *lda, const double *beta, double *c, const int *ldc)
{
	(void)uplo;
	(void)trans;
	multiply(*n, *n, *k, *alpha, a, *lda, a, *lda, 1, *beta, c, *ldc);
}

#endif
