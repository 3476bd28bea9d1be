/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Two routines of BLAS for figure4.c, for matrices that are not transposed,
 * and their data. They run long enough to be measured. With
 *
 *     cc -DEXAMPLE_CBLAS figure4.c ... -lblas
 *
 * a library does the work (on Debian: libblas-dev, libopenblas-dev, ...).
 */
#ifndef EXAMPLE_KERNELS_H
#define EXAMPLE_KERNELS_H

#include <time.h>

#ifdef EXAMPLE_CBLAS
#include <cblas.h>
#endif

#define SIZE 64
#ifndef SECONDS
#define SECONDS 2.0 /* Run time of each routine. */
#endif
#define BLOCK 16

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

#ifndef EXAMPLE_CBLAS
static int kernelMin(int a, int b)
{
	return a < b ? a : b;
}

/*
 * Add a part of alpha * A * B to C, which has m rows and n columns: the block
 * that begins at row i and column j, of products from the number l on. A and C
 * are stored by columns; of B, bRow and bStep are the distances of rows and
 * columns, so that it may be A transposed.
 */
static void addBlock(int i, int j, int l, int m, int n, int k, double alpha,
		     const double *a, int lda, const double *b, int bRow,
		     int bStep, double *c, int ldc)
{
	int lastRow = kernelMin(i + BLOCK, m);
	int lastColumn = kernelMin(j + BLOCK, n);
	int last = kernelMin(l + BLOCK, k);

	for (int column = j; column < lastColumn; column++) {
		for (int at = l; at < last; at++) {
			double factor = alpha * b[at * bRow + column * bStep];

			for (int row = i; row < lastRow; row++)
				c[column * ldc + row] +=
					factor * a[at * lda + row];
		}
	}
}

static void scale(int m, int n, double beta, double *c, int ldc)
{
	for (int column = 0; column < n; column++)
		for (int row = 0; row < m; row++)
			c[column * ldc + row] *= beta;
}
#endif

/* C := alpha * A * B + beta * C, once. */
static void dgemmOnce(int m, int n, int k, double alpha, const double *a,
		      int lda, const double *b, int ldb, double beta, double *c,
		      int ldc)
{
#ifdef EXAMPLE_CBLAS
	cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m, n, k, alpha,
		    a, lda, b, ldb, beta, c, ldc);
#else
	scale(m, n, beta, c, ldc);
	for (int j = 0; j < n; j += BLOCK)
		for (int l = 0; l < k; l += BLOCK)
			for (int i = 0; i < m; i += BLOCK)
				addBlock(i, j, l, m, n, k, alpha, a, lda, b, 1,
					 ldb, c, ldc);
#endif
}

/* C := alpha * A * A^T + beta * C, once: the part of C on and below the
 * diagonal, since the other one is the same. */
static void dsyrkOnce(int n, int k, double alpha, const double *a, int lda,
		      double beta, double *c, int ldc)
{
#ifdef EXAMPLE_CBLAS
	cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, n, k, alpha, a,
		    lda, beta, c, ldc);
#else
	for (int j = 0; j < n; j++)
		scale(n - j, 1, beta, &c[j * ldc + j], ldc);
	/* Blocks on the diagonal by single columns: from there on down. */
	for (int j = 0; j < n; j++) {
		int below = kernelMin(j / BLOCK * BLOCK + BLOCK, n);

		for (int l = 0; l < k; l += BLOCK)
			addBlock(j, j, l, below, j + 1, k, alpha, a, lda, a,
				 lda, 1, c, ldc);
	}
	for (int j = 0; j < n; j += BLOCK)
		for (int l = 0; l < k; l += BLOCK)
			for (int i = j + BLOCK; i < n; i += BLOCK)
				addBlock(i, j, l, n, n, k, alpha, a, lda, a,
					 lda, 1, c, ldc);
#endif
}

static void dgemm(const char *transa, const char *transb, const int *m,
		  const int *n, const int *k, const double *alpha,
		  const double *a, const int *lda, const double *b,
		  const int *ldb, const double *beta, double *c, const int *ldc)
{
	double end = kernelSeconds() + SECONDS;

	(void)transa;
	(void)transb;
	do
		dgemmOnce(*m, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc);
	while (kernelSeconds() < end);
}

/* The first two say which half of C, and how; the paper has those of dgemm. */
static void dsyrk(const char *uplo, const char *trans, const int *n,
		  const int *k, const double *alpha, const double *a,
		  const int *lda, const double *beta, double *c, const int *ldc)
{
	double end = kernelSeconds() + SECONDS;

	(void)uplo;
	(void)trans;
	do
		dsyrkOnce(*n, *k, *alpha, a, *lda, *beta, c, *ldc);
	while (kernelSeconds() < end);
}

#endif
