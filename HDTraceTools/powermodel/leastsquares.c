/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Linear least squares; see leastsquares.h. */
#include "config.h"

#include <math.h>
#include <string.h>
#include <glib.h>

#include "HDTraceTools/powermodel/leastsquares.h"

/* A column of which others leave less than this is a combination of them. */
#define SQUARES_SINGULAR 1e-10

void leastSquaresInit(struct leastSquares *self, size_t rows, size_t columns)
{
	*self = (struct leastSquares){ .rows = rows, .columns = columns };
	self->x = g_new0(double, rows *columns + 1);
	self->y = g_new0(double, rows + 1);
	self->run = g_new0(size_t, rows + 1);
	self->coefficients = g_new0(double, columns + 1);
	self->residuals = g_new0(double, rows + 1);
	self->errors = g_new0(double, columns + 1);
	self->inverse = g_new0(double, columns *columns + 1);
}

void leastSquaresFree(struct leastSquares *self)
{
	g_free(self->x);
	g_free(self->y);
	g_free(self->run);
	g_free(self->coefficients);
	g_free(self->residuals);
	g_free(self->errors);
	g_free(self->inverse);
}

/* Cholesky: the lower triangle becomes the root. */
static bool squaresRoot(double *a, size_t n)
{
	for (size_t j = 0; j < n; j++) {
		double left = a[j * n + j];

		for (size_t k = 0; k < j; k++)
			left -= a[j * n + k] * a[j * n + k];
		if (!(left > SQUARES_SINGULAR * a[j * n + j]))
			return false;
		a[j * n + j] = sqrt(left);
		for (size_t i = j + 1; i < n; i++) {
			double sum = a[i * n + j];

			for (size_t k = 0; k < j; k++)
				sum -= a[i * n + k] * a[j * n + k];
			a[i * n + j] = sum / a[j * n + j];
		}
	}
	return true;
}

bool leastSquaresInvert(double *matrix, size_t n)
{
	double *scale = g_new(double, n + 1);
	double *root = g_new(double, n *n + 1);
	bool isGood = true;

	for (size_t i = 0; i < n; i++) {
		scale[i] = sqrt(matrix[i * n + i]);
		isGood = isGood && scale[i] > 0 && isfinite(scale[i]);
	}
	for (size_t i = 0; isGood && i < n * n; i++)
		root[i] = matrix[i] / (scale[i / n] * scale[i % n]);
	isGood = isGood && squaresRoot(root, n);
	/* Solve for each column of the unit matrix. */
	for (size_t c = 0; isGood && c < n; c++) {
		double *to = g_new(double, n);

		for (size_t i = 0; i < n; i++) {
			to[i] = i == c;
			for (size_t k = 0; k < i; k++)
				to[i] -= root[i * n + k] * to[k];
			to[i] /= root[i * n + i];
		}
		for (size_t i = n; i-- > 0;) {
			for (size_t k = i + 1; k < n; k++)
				to[i] -= root[k * n + i] * to[k];
			to[i] /= root[i * n + i];
		}
		for (size_t i = 0; i < n; i++)
			matrix[i * n + c] = to[i] / (scale[i] * scale[c]);
		g_free(to);
	}
	g_free(scale);
	g_free(root);
	return isGood;
}

/* Correlation of neighbours in the same run. */
static double squaresCorrelation(const struct leastSquares *self)
{
	double products = 0;

	for (size_t i = 1; i < self->rows; i++) {
		if (self->run[i] == self->run[i - 1])
			products += self->residuals[i] * self->residuals[i - 1];
	}
	return self->squares > 0 ? products / self->squares : 0;
}

/* Invert X'X; a column of zeros has coefficient and error 0. */
static bool squaresInvertUsed(struct leastSquares *self)
{
	size_t n = self->columns;

	for (size_t i = 0; i < n; i++)
		self->inverse[i * n + i] += self->inverse[i * n + i] == 0;
	return leastSquaresInvert(self->inverse, n);
}

bool leastSquaresFit(struct leastSquares *self)
{
	size_t n = self->columns;
	double *right = g_new0(double, n + 1);
	bool isGood;

	memset(self->inverse, 0, n * n * sizeof(double));
	for (size_t r = 0; r < self->rows; r++) {
		const double *row = &self->x[r * n];

		for (size_t i = 0; i < n; i++) {
			right[i] += row[i] * self->y[r];
			for (size_t j = 0; j <= i; j++)
				self->inverse[i * n + j] += row[i] * row[j];
		}
	}
	for (size_t i = 0; i < n; i++) {
		for (size_t j = i + 1; j < n; j++)
			self->inverse[i * n + j] = self->inverse[j * n + i];
	}
	isGood = self->rows > n + self->lost && squaresInvertUsed(self);
	for (size_t i = 0; isGood && i < n; i++) {
		self->coefficients[i] = 0;
		for (size_t j = 0; j < n; j++)
			self->coefficients[i] +=
				self->inverse[i * n + j] * right[j];
	}
	self->squares = 0;
	for (size_t r = 0; isGood && r < self->rows; r++) {
		double left = self->y[r];

		for (size_t i = 0; i < n; i++)
			left -= self->coefficients[i] * self->x[r * n + i];
		self->residuals[r] = left;
		self->squares += left * left;
	}
	if (isGood)
		self->correlation = squaresCorrelation(self);
	g_free(right);
	return isGood;
}

double leastSquaresRows(const struct leastSquares *self)
{
	double r = CLAMP(self->correlation, 0, 0.99);

	return (double)self->rows * (1 - r) / (1 + r);
}

/* ---- Intervals --------------------------------------------------------- */

/* Variance of coefficient i by Newey and West. The scores are first made one
 * number a row: the influence of the row on the coefficient. */
static double squaresRobust(const struct leastSquares *self, size_t column,
			    size_t reach)
{
	size_t n = self->columns;
	double *influence = g_new(double, self->rows + 1);
	double variance = 0;

	for (size_t r = 0; r < self->rows; r++) {
		double sum = 0;

		for (size_t j = 0; j < n; j++)
			sum += self->inverse[column * n + j] *
			       self->x[r * n + j];
		influence[r] = sum * self->residuals[r];
	}
	for (size_t k = 0; k <= reach; k++) {
		double weight = 1 - (double)k / (double)(reach + 1);
		double sum = 0;

		for (size_t r = k; r < self->rows; r++) {
			if (self->run[r] == self->run[r - k])
				sum += influence[r] * influence[r - k];
		}
		variance += (k ? 2 : 1) * weight * sum;
	}
	g_free(influence);
	return variance;
}

void leastSquaresErrors(struct leastSquares *self)
{
	size_t n = self->columns;
	double freedom = (double)(self->rows - n - self->lost);
	double noise = self->squares / freedom;
	double r = CLAMP(self->correlation, 0, 0.98);
	/* The reach that is best for this correlation (Andrews, 1991), or the
	 * usual rule. */
	double shape = 4 * r * r / pow((1 - r) * (1 + r), 2);
	double reach = fmax(4 * pow((double)self->rows / 100, 2.0 / 9),
			    1.1447 * cbrt(shape * (double)self->rows));

	reach = fmin(reach, (double)self->rows / 8);
	for (size_t i = 0; i < n; i++) {
		double plain = noise * self->inverse[i * n + i];
		double robust = squaresRobust(self, i, (size_t)reach) *
				(double)self->rows / freedom;

		self->errors[i] = sqrt(fmax(plain, robust));
	}
}

double leastSquaresFactor(size_t count, double freedom)
{
	double tail = 0.05 / (double)(count ? count : 1);
	double low = 0, high = 10, z;

	for (int i = 0; i < 60; i++) {
		z = (low + high) / 2;
		if (erfc(z / sqrt(2)) > tail)
			low = z;
		else
			high = z;
	}
	z = (low + high) / 2;
	/* From the normal to Student's distribution (Cornish and Fisher). */
	return z + (z * z * z + z) / (4 * freedom) +
	       (5 * pow(z, 5) + 16 * z * z * z + 3 * z) /
		       (96 * freedom * freedom);
}
