/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels of tiled factorisations: Cholesky as of hdP_generateCholesky(), whose
 * tile in row k and column i holds block (i, k) of L, and LU without pivots.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>

#include "PredictionLibrary/kernels/algebra.h"
#include "PredictionLibrary/kernels/builtin.h"
#include "PredictionLibrary/kernels/matrix.h"

/* The size of tiles: that of all buffers, of which there are so many. */
static int tileSize(const hdKernelCall *call, uint32_t ins, uint32_t outs)
{
	double n = hdKernelGet(call, "tile_size", 0);
	size_t size;

	if (!(n >= 1 && n <= 30000) || n != (int)n || call->inCount != ins ||
	    call->outCount != outs)
		return -EINVAL;
	size = (size_t)n * (size_t)n * sizeof(double);
	for (uint32_t i = 0; i < ins; i++) {
		if (call->in[i].size != size)
			return -EINVAL;
	}
	for (uint32_t i = 0; i < outs; i++) {
		if (call->out[i].size != size)
			return -EINVAL;
	}
	return (int)n;
}

/* A tile of a matrix, whose first row and column are known. */
static int tilesFillTile(const hdKernelCall *call, uint32_t tileRow,
			 uint32_t tileColumn, bool isSymmetric)
{
	int n = tileSize(call, 0, 1);
	double *out = n > 0 ? call->out[0].data : NULL;
	uint64_t row, column;

	if (n < 0)
		return n;
	row = tileRow == HDKERNEL_NO_TILE ? 0 : tileRow * (uint64_t)n;
	column = tileColumn == HDKERNEL_NO_TILE ? 0 : tileColumn * (uint64_t)n;
	for (int j = 0; j < n; j++) {
		for (int i = 0; i < n; i++)
			out[i + (long)j * n] = hdMatrixElement(
				row + (uint64_t)i, column + (uint64_t)j,
				isSymmetric);
	}
	return 0;
}

int hdKernelMatsrc(const hdKernelCall *call)
{
	return tilesFillTile(call, call->column, call->row, true);
}

int hdKernelLusrc(const hdKernelCall *call)
{
	return tilesFillTile(call, call->row, call->column, false);
}

int hdKernelMatsink(const hdKernelCall *call)
{
	int n = tileSize(call, 1, 0);

	return n < 0 ? n : 0;
}

int hdKernelPotrf(const hdKernelCall *call)
{
	int n = tileSize(call, 1, 1);

	if (n < 0)
		return n;
	/* EDOM: the matrix is not positive definite. */
	return hdAlgebra->cholesky(n, call->out[0].data) ? -EDOM : 0;
}

/* A triangle, the first input, that changes the second one. */
static int tilesSolveTriangle(const hdKernelCall *call, enum hdTriangle what)
{
	int n = tileSize(call, 2, 1);

	if (n < 0)
		return n;
	hdAlgebra->solve(n, what, call->in[0].data, call->out[0].data);
	return 0;
}

int hdKernelTrsm(const hdKernelCall *call)
{
	return tilesSolveTriangle(call, HD_RIGHT_LOWER_TRANSPOSED);
}

int hdKernelLuRow(const hdKernelCall *call)
{
	return tilesSolveTriangle(call, HD_LEFT_UNIT_LOWER);
}

int hdKernelLuColumn(const hdKernelCall *call)
{
	return tilesSolveTriangle(call, HD_RIGHT_UPPER);
}

int hdKernelSyrk(const hdKernelCall *call)
{
	int n = tileSize(call, 2, 1);

	if (n < 0)
		return n;
	hdAlgebra->square(n, call->in[0].data, call->out[0].data);
	return 0;
}

static int tilesMultiplyTiles(const hdKernelCall *call, bool isTransposed)
{
	int n = tileSize(call, 3, 1);

	if (n < 0)
		return n;
	hdAlgebra->multiply(n, isTransposed, call->in[0].data, call->in[1].data,
			    call->out[0].data);
	return 0;
}

int hdKernelGemm(const hdKernelCall *call)
{
	return tilesMultiplyTiles(call, true);
}

int hdKernelLuGemm(const hdKernelCall *call)
{
	return tilesMultiplyTiles(call, false);
}

/* LAPACK's has pivots. */
int hdKernelGetrf(const hdKernelCall *call)
{
	int n = tileSize(call, 1, 1);
	double *a = n > 0 ? call->out[0].data : NULL;

	for (int k = 0; k < n; k++) {
		const double *left = a + (long)k * n;

		if (left[k] == 0)
			return -EDOM;
		for (int i = k + 1; i < n; i++)
			a[i + (long)k * n] /= left[k];
		for (int j = k + 1; j < n; j++) {
			double *column = a + (long)j * n, x = column[k];

			for (int i = k + 1; i < n; i++)
				column[i] -= left[i] * x;
		}
	}
	return n < 0 ? n : 0;
}
