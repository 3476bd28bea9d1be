/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Linear least squares with intervals.
 *
 * Residuals of neighbouring rows may depend on each other: the covariance is
 * the larger one of the usual estimate and that of Newey and West (1987).
 */
#ifndef HD_POWERMODEL_LEASTSQUARES_H
#define HD_POWERMODEL_LEASTSQUARES_H

#include <stdbool.h>
#include <stddef.h>

/** A fit of rows to columns. */
struct leastSquares {
	size_t rows;
	size_t columns;
	double *x; /**< Row after row. */
	double *y;
	size_t *run; /**< Neighbours depend only within a run. */
	size_t lost; /**< Degrees of freedom that were taken out before. */
	/* Results: */
	double *coefficients;
	double *residuals;
	double squares;     /**< Sum of squared residuals. */
	double *errors;     /**< Standard errors; after leastSquaresErrors(). */
	double *inverse;    /**< Of X'X. */
	double correlation; /**< Of neighbouring residuals. */
};

/** Allocate room. */
void leastSquaresInit(struct leastSquares *self, size_t rows, size_t columns);

/** Free everything. */
void leastSquaresFree(struct leastSquares *self);

/** Fit; false: a column depends on others, or there are too few rows. */
bool leastSquaresFit(struct leastSquares *self);

/** Compute standard errors after a fit. */
void leastSquaresErrors(struct leastSquares *self);

/** Get rows that are worth as many independent ones. */
double leastSquaresRows(const struct leastSquares *self);

/** Invert a symmetric, positive definite matrix in place; false: it is not. */
bool leastSquaresInvert(double *matrix, size_t size);

/** Get the factor for two-sided intervals that hold together with a
 *  probability of 95 %: @p count of them, by Bonferroni. */
double leastSquaresFactor(size_t count, double freedom);

#endif
