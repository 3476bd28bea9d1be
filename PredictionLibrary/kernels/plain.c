/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Linear algebra of tiles in plain C; see algebra.h. Columns lie together, so
 * the inner loops go down columns.
 */
#include "config.h"

#include <math.h>

#include "PredictionLibrary/kernels/algebra.h"

/* Down a column: c -= a x, of four columns of a at once. */
static void subtract4(int from, int n, const double *a, const double *x,
		      double *c)
{
	const double *a1 = a + n, *a2 = a1 + n, *a3 = a2 + n;

	for (int i = from; i < n; i++)
		c[i] -= a[i] * x[0] + a1[i] * x[1] + a2[i] * x[2] +
			a3[i] * x[3];
}

static void subtract(int from, int n, const double *a, double x, double *c)
{
	for (int i = from; i < n; i++)
		c[i] -= a[i] * x;
}

/* From a row on, a column of C -= A x; x has a stride. */
static void subtractAll(int from, int n, const double *a, const double *x,
			int stride, double *c)
{
	int k = 0;

	for (; k + 4 <= n; k += 4) {
		const double some[] = { x[(long)k * stride],
					x[(long)(k + 1) * stride],
					x[(long)(k + 2) * stride],
					x[(long)(k + 3) * stride] };

		subtract4(from, n, a + (long)k * n, some, c);
	}
	for (; k < n; k++)
		subtract(from, n, a + (long)k * n, x[(long)k * stride], c);
}

static void plainMultiply(int n, int first, int last, bool isTransposed,
			  const double *a, const double *b, double *c)
{
	for (int j = first; j < last; j++)
		subtractAll(0, n, a, isTransposed ? b + j : b + (long)j * n,
			    isTransposed ? n : 1, c + (long)j * n);
}

static void plainSquare(int n, int first, int last, const double *a, double *c)
{
	for (int j = first; j < last; j++)
		subtractAll(j, n, a, a + j, n, c + (long)j * n);
}

static void plainBlasDivideColumn(int from, int n, double *column, double by)
{
	for (int i = from; i < n; i++)
		column[i] /= by;
}

static void plainSolve(int n, int first, int last, enum hdTriangle what,
		       const double *a, double *b)
{
	bool isLeft = what == HD_LEFT_UNIT_LOWER;

	for (int j = isLeft ? first : 0; j < (isLeft ? last : n); j++) {
		double *column = b + (long)j * n;

		/* Down one column, each row from those above it. */
		if (isLeft) {
			for (int k = 0; k < n; k++)
				subtract(k + 1, n, a + (long)k * n, column[k],
					 column);
			continue;
		}
		/* A column from those before it. */
		for (int k = 0; k < j; k++)
			subtract(first, last, b + (long)k * n,
				 what == HD_RIGHT_UPPER ? a[k + (long)j * n]
							: a[j + (long)k * n],
				 column);
		plainBlasDivideColumn(first, last, column, a[j + (long)j * n]);
	}
}

static int plainCholesky(int n, double *a)
{
	for (int j = 0; j < n; j++) {
		double *column = a + (long)j * n;

		for (int k = 0; k < j; k++)
			subtract(j, n, a + (long)k * n, a[j + (long)k * n],
				 column);
		if (!(column[j] > 0))
			return j + 1;
		column[j] = sqrt(column[j]);
		plainBlasDivideColumn(j + 1, n, column, column[j]);
	}
	return 0;
}

const struct hdAlgebra hdAlgebraPlain = {
	.multiply = plainMultiply,
	.square = plainSquare,
	.solve = plainSolve,
	.cholesky = plainCholesky,
};
