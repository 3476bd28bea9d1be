/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Linear algebra of square tiles, n x n doubles by columns: by a library with
 * BLAS and LAPACK, or in plain C.
 *
 * Several threads may share a call: each has a range of columns or rows, from
 * the first one up to, but without, the last one.
 */
#ifndef HD_KERNEL_ALGEBRA_H
#define HD_KERNEL_ALGEBRA_H

#include <stdbool.h>

/** What solves with a triangular tile, see hdAlgebra.solve. */
enum hdTriangle {
	HD_RIGHT_LOWER_TRANSPOSED, /**< B = B L^-T; L from its diagonal on. */
	HD_LEFT_UNIT_LOWER,        /**< B = L^-1 B; its diagonal is 1. */
	HD_RIGHT_UPPER,            /**< B = B U^-1. */
};

/** The functions; those that are NULL in a library are in plain C. */
struct hdAlgebra {
	/** Columns of C -= A B, or A B^T. */
	void (*multiply)(int n, int from, int to, bool isTransposed,
			 const double *a, const double *b, double *c);
	/** Columns of C -= A A^T: of its lower part, with the diagonal. */
	void (*square)(int n, int from, int to, const double *a, double *c);
	/** Solve with a triangle @p a: columns of B where it is on the left,
	 *  otherwise rows. */
	void (*solve)(int n, int from, int to, enum hdTriangle what,
		      const double *a, double *b);
	/** Lower part: A = L L^T; 0, or where it is not positive, from 1. */
	int (*cholesky)(int n, double *a);
};

/** In plain C. */
extern const struct hdAlgebra hdAlgebraPlain;

/** What is used; hdAlgebraOpen() chooses. */
extern const struct hdAlgebra *hdAlgebra;

/** Open the library that HDTRACE_BLAS says, or OpenBLAS; plain C without. */
void hdAlgebraOpen(void);

#endif
