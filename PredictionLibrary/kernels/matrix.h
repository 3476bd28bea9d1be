/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The matrices that the built-in kernels factor, element by element: also for
 * who checks what came of it.
 */
#ifndef HD_KERNEL_MATRIX_H
#define HD_KERNEL_MATRIX_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/** Some number from -1 to 1 of two numbers. */
static inline double hdMatrixChance(uint64_t row, uint64_t column)
{
	uint64_t x = row * UINT64_C(0x9e3779b97f4a7c15) + column + 1;

	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	x ^= x >> 31;
	return (double)(x >> 11) * 0x1p-52 - 1;
}

/**
 * An element of a matrix of any size: by chance, less so the farther from the
 * diagonal, which is 4.
 *
 * The other elements of a row add up to less than 2 (zeta(3/2) - 1) = 3.23, so
 * that the matrix is dominated by its diagonal: it can be factored without
 * pivots, and is positive definite where it is symmetric.
 */
static inline double hdMatrixElement(uint64_t row, uint64_t column,
				     bool isSymmetric)
{
	uint64_t low = row < column ? row : column;
	uint64_t high = row < column ? column : row;
	double distance = (double)(high - low) + 1;

	if (row == column)
		return 4;
	return (isSymmetric ? hdMatrixChance(high, low)
			    : hdMatrixChance(row, column)) /
	       (distance * sqrt(distance));
}

#endif
