/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels of tiled factorisations: Cholesky as of hdP_generateCholesky(), whose
 * tile in row k and column i holds block (i, k) of L, and LU without pivots.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <math.h>

#include "PredictionLibrary/kernels/algebra.h"
#include "PredictionLibrary/kernels/builtin.h"
#include "PredictionLibrary/kernels/matrix.h"
#include "PredictionLibrary/kernels/team.h"

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

/* What all threads of a call do, each with a part of the columns or rows. */
struct tilesJob {
	int n;
	bool isTransposed;
	enum hdTriangle what;
	const hdKernelCall *call;
};

static int tilesBorder(int n, uint32_t part, uint32_t parts)
{
	return (int)((long)n * part / parts);
}

/* A triangle, the first input, that changes the second one. */
static void tilesSolvePart(void *context, uint32_t part, uint32_t parts)
{
	const struct tilesJob *job = context;

	hdAlgebra->solve(job->n, tilesBorder(job->n, part, parts),
			 tilesBorder(job->n, part + 1, parts), job->what,
			 job->call->in[0].data, job->call->out[0].data);
}

static int tilesSolveTriangle(const hdKernelCall *call, enum hdTriangle what)
{
	struct tilesJob job = { .n = tileSize(call, 2, 1),
				.what = what,
				.call = call };

	if (job.n < 0)
		return job.n;
	hdTeamRun(call, (uint32_t)job.n, tilesSolvePart, &job);
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

/* The columns of a triangle are the longer the further to the left they are:
 * what is right of a border is as much as the parts that are left. */
static int tilesTriangleBorder(int n, uint32_t part, uint32_t parts)
{
	return part == parts ? n
			     : (int)(n * (1 - sqrt(1 - (double)part / parts)));
}

static void tilesSquarePart(void *context, uint32_t part, uint32_t parts)
{
	const struct tilesJob *job = context;
	int from = tilesTriangleBorder(job->n, part, parts);
	int to = tilesTriangleBorder(job->n, part + 1, parts);

	if (from < to)
		hdAlgebra->square(job->n, from, to, job->call->in[0].data,
				  job->call->out[0].data);
}

int hdKernelSyrk(const hdKernelCall *call)
{
	struct tilesJob job = { .n = tileSize(call, 2, 1), .call = call };

	if (job.n < 0)
		return job.n;
	hdTeamRun(call, (uint32_t)job.n, tilesSquarePart, &job);
	return 0;
}

static void tilesMultiplyPart(void *context, uint32_t part, uint32_t parts)
{
	const struct tilesJob *job = context;

	hdAlgebra->multiply(job->n, tilesBorder(job->n, part, parts),
			    tilesBorder(job->n, part + 1, parts),
			    job->isTransposed, job->call->in[0].data,
			    job->call->in[1].data, job->call->out[0].data);
}

static int tilesMultiplyTiles(const hdKernelCall *call, bool isTransposed)
{
	struct tilesJob job = { .n = tileSize(call, 3, 1),
				.isTransposed = isTransposed,
				.call = call };

	if (job.n < 0)
		return job.n;
	hdTeamRun(call, (uint32_t)job.n, tilesMultiplyPart, &job);
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
