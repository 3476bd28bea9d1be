/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Linear algebra of square tiles, n x n doubles by columns: by a library with
 * BLAS and LAPACK, or in plain C.
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
	/** C -= A B, or A B^T. */
	void (*multiply)(int n, bool isTransposed, const double *a,
			 const double *b, double *c);
	/** C -= A A^T: its lower part, with the diagonal. */
	void (*square)(int n, const double *a, double *c);
	/** Solve with a triangle @p a. */
	void (*solve)(int n, enum hdTriangle what, const double *a, double *b);
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
