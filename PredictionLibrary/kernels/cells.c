/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels that are no linear algebra: a stencil as of hdP_generateStencil(),
 * what goes round a ring, and mixing for graphs by chance as of
 * hdP_generateRandom().
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "PredictionLibrary/kernels/builtin.h"
#include "PredictionLibrary/kernels/matrix.h"

/* ---- Stencil: a square of cells, each of which is a square of points --- */

/* Points in a row of a cell; all buffers are such cells. */
static int cellSize(const hdKernelCall *call)
{
	double n = hdKernelGet(call, "cell_size", 0);
	size_t size;

	if (!(n >= 1 && n <= 30000) || n != (int)n || call->outCount != 1)
		return -EINVAL;
	size = (size_t)n * (size_t)n * sizeof(double);
	if (call->out[0].size != size)
		return -EINVAL;
	for (uint32_t i = 0; i < call->inCount; i++) {
		if (call->in[i].size != size)
			return -EINVAL;
	}
	return (int)n;
}

int hdKernelInit(const hdKernelCall *call)
{
	int n = cellSize(call);
	uint64_t row = call->row == HDKERNEL_NO_TILE ? 0 : call->row;
	uint64_t column = call->column == HDKERNEL_NO_TILE ? 0 : call->column;
	double *out = call->outCount ? call->out[0].data : NULL;

	if (n < 0 || call->inCount)
		return -EINVAL;
	for (int y = 0; y < n; y++) {
		for (int x = 0; x < n; x++)
			*out++ = hdMatrixChance(row * (uint64_t)n + (uint64_t)y,
						column * (uint64_t)n +
							(uint64_t)x);
	}
	return 0;
}

/* The cells around one, those that there are. */
struct around {
	const double *up, *left, *right, *down;
};

/* By the tiles of who made them; in this order where these are not known. */
static void cellsFindTiles(const hdKernelCall *call, struct around *around)
{
	const double **all[] = { &around->up, &around->left, &around->right,
				 &around->down };

	for (uint32_t i = 1; i < call->inCount; i++) {
		const hdKernelBuffer *in = &call->in[i];
		uint32_t which = i - 1;

		if (in->row != HDKERNEL_NO_TILE &&
		    call->row != HDKERNEL_NO_TILE) {
			if (in->row != call->row)
				which = in->row < call->row ? 0 : 3;
			else
				which = in->column < call->column ? 1 : 2;
		}
		*all[which] = in->data;
	}
}

/* A row from those above and below it; NULL: there it is 0. */
static void relaxRow(int n, const double *row, const double *above,
		     const double *below, double left, double right,
		     double *out)
{
	for (int x = 0; x < n; x++) {
		double sum = row[x];

		sum += above ? above[x] : 0;
		sum += x ? row[x - 1] : left;
		sum += x + 1 < n ? row[x + 1] : right;
		sum += below ? below[x] : 0;
		out[x] = 0.2 * sum;
	}
}

int hdKernelStencil(const hdKernelCall *call)
{
	struct around around = { NULL, NULL, NULL, NULL };
	int n = cellSize(call);
	const double *in;

	if (n < 0 || call->inCount < 1 || call->inCount > 5)
		return -EINVAL;
	in = call->in[0].data;
	cellsFindTiles(call, &around);
	for (int y = 0; y < n; y++) {
		const double *row = in + (long)y * n, *above = NULL;
		const double *below = y + 1 < n ? row + n : around.down;

		if (y > 0)
			above = row - n;
		else if (around.up)
			above = around.up + (long)(n - 1) * n;
		relaxRow(n, row, above, below,
			 around.left ? around.left[(long)y * n + n - 1] : 0,
			 around.right ? around.right[(long)y * n] : 0,
			 (double *)call->out[0].data + (long)y * n);
	}
	return 0;
}

/* ---- Bytes of any meaning ---------------------------------------------- */

/* What goes round: one is added to each byte. */
int hdKernelRing(const hdKernelCall *call)
{
	uint8_t *out;

	if (call->inCount > 1 || call->outCount > 1 ||
	    (call->inCount && call->outCount &&
	     call->in[0].size != call->out[0].size))
		return -EINVAL;
	if (!call->outCount)
		return 0;
	out = call->out[0].data;
	if (!call->inCount)
		memset(out, 0, call->out[0].size);
	for (size_t i = 0; i < call->out[0].size; i++)
		out[i]++;
	return 0;
}

/* Each byte of outputs is a sum of bytes of all inputs, as often as the
 * variable n says. */
int hdKernelMix(const hdKernelCall *call)
{
	double rounds = hdKernelGet(call, "n", 1);

	if (!(rounds >= 0 && rounds <= 1e9))
		return -EINVAL;
	for (uint32_t o = 0; o < call->outCount; o++) {
		uint8_t *out = call->out[o].data;
		size_t size = call->out[o].size;

		memset(out, (int)(o + 1), size);
		for (uint32_t i = 0; i < call->inCount; i++) {
			const uint8_t *in = call->in[i].data;
			size_t length = call->in[i].size;

			for (size_t b = 0; b < size && length; b++)
				out[b] = (uint8_t)(out[b] * 3 + in[b % length]);
		}
		for (size_t r = 1; r < (size_t)rounds; r++) {
			for (size_t b = 1; b < size; b++)
				out[b] = (uint8_t)(out[b] + out[b - 1]);
		}
	}
	return 0;
}
