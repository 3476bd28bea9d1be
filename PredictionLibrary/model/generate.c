/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Task graphs that are made: Cholesky, LU, a stencil, a ring, layers by chance.
 */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hdPredict.h>
#include "PredictionLibrary/model/chance.h"

/* What goes on: the first error stays. */
struct making {
	hdPGraph *graph;
	int error;
};

static int graphGenerateNoteResult(struct making *making, int64_t ret)
{
	if (ret < 0 && making->error == 0)
		making->error = (int)ret;
	return ret < 0 ? 0 : (int)ret;
}

static int graphGenerateFinishGraph(struct making *making, hdPGraph **graph)
{
	if (making->error == 0)
		graphGenerateNoteResult(
			making, hdP_finishGraph(making->graph, NULL, NULL));
	if (making->error < 0) {
		hdP_destroyGraph(making->graph);
		return making->error;
	}
	*graph = making->graph;
	return 0;
}

/* A kernel with a variable, n inputs and perhaps an output of one size, which
 * may replace an input in place. */
static int kernel(struct making *making, const char *id, const char *variable,
		  const char *const *inputs, const char *output,
		  const char *inout, const char *size)
{
	int number = graphGenerateNoteResult(
		making, hdP_addKernel(making->graph, id, NULL));

	graphGenerateNoteResult(
		making, hdP_addVariable(making->graph, number, variable));
	for (; *inputs; inputs++)
		graphGenerateNoteResult(
			making,
			hdP_addInput(making->graph, number, *inputs, size));
	if (output)
		graphGenerateNoteResult(
			making,
			hdP_addOutput(making->graph, number, output, size));
	if (inout)
		graphGenerateNoteResult(
			making, hdP_setInout(making->graph, number, 0, inout));
	return number;
}

/* ---- Matrices of tiles ------------------------------------------------- */

enum { MATSRC, POTRF, TRSM, GEMM, SYRK, MATSINK, KERNELS };
enum { LUSRC, GETRF, LUROW, LUGEMM, LUCOLUMN, LUSINK };

struct matrix {
	struct making making;
	int kernels[KERNELS];
	uint32_t tiles;
	double tileSize;
	uint32_t *matrix; /* Task that made the tile last, by row and column. */
};

static uint32_t *tile(struct matrix *self, uint32_t row, uint32_t column)
{
	return &self->matrix[(size_t)row * self->tiles + column];
}

/* A task on a tile, which it replaces. */
static void graphGenerateAddTask(struct matrix *self, int what, const char *id,
				 uint32_t row, uint32_t column,
				 const uint32_t *inputs, int count)
{
	struct making *making = &self->making;
	int64_t task = hdP_addTask(making->graph, id, self->kernels[what],
				   &self->tileSize);

	graphGenerateNoteResult(making, task);
	if (making->error)
		return;
	graphGenerateNoteResult(making,
				hdP_setTile(making->graph, task, row, column));
	for (int i = 0; i < count; i++)
		graphGenerateNoteResult(making, hdP_addDependency(making->graph,
								  inputs[i], 0,
								  task, i));
	*tile(self, row, column) = (uint32_t)task;
}

/* A kernel of tiles. */
struct port {
	const char *id;
	const char *inputs[4];
	const char *output, *inout;
};

static int graphGenerateBeginMatrix(struct matrix *self,
				    const struct port *kernels, uint32_t tiles,
				    uint32_t tileSize, hdPGraph **graph)
{
	/* More tasks than have numbers. */
	if (!tiles || !tileSize || tiles > 2900 || !graph)
		return -EINVAL;
	*self = (struct matrix){ .making = { hdP_createGraph(), 0 },
				 .tiles = tiles,
				 .tileSize = tileSize };
	self->matrix = calloc((size_t)tiles * tiles, sizeof(*self->matrix));
	if (!self->making.graph || !self->matrix) {
		hdP_destroyGraph(self->making.graph);
		free(self->matrix);
		return -ENOMEM;
	}
	for (int i = 0; i < KERNELS; i++)
		self->kernels[i] =
			kernel(&self->making, kernels[i].id, "tile_size",
			       kernels[i].inputs, kernels[i].output,
			       kernels[i].inout, "tile_size * tile_size * 8");
	return 0;
}

/* A task on each tile, or on those from the diagonal on. */
static void ends(struct matrix *self, int what, const char *name, bool isWhole)
{
	char id[64];

	for (uint32_t j = 0; j < self->tiles && !self->making.error; j++) {
		for (uint32_t i = isWhole ? 0 : j; i < self->tiles; i++) {
			uint32_t in = *tile(self, j, i);

			snprintf(id, sizeof(id), "%s-%u-%u", name, j, i);
			graphGenerateAddTask(self, what, id, j, i, &in,
					     what == MATSINK);
		}
	}
}

/* ---- Cholesky: listing 9.4 of the thesis ------------------------------- */

static void graphGenerateAddStep(struct matrix *self, uint32_t k)
{
	char id[64];

	snprintf(id, sizeof(id), "POTRF-%u", k);
	graphGenerateAddTask(self, POTRF, id, k, k, tile(self, k, k), 1);
	for (uint32_t i = k + 1; i < self->tiles; i++) {
		uint32_t in[] = { *tile(self, k, k), *tile(self, k, i) };

		snprintf(id, sizeof(id), "TRSM-%u-%u", k, i);
		graphGenerateAddTask(self, TRSM, id, k, i, in, 2);
	}
	for (uint32_t i = k + 1; i < self->tiles && !self->making.error; i++) {
		uint32_t in[2];

		for (uint32_t j = k + 1; j < i; j++) {
			uint32_t three[] = { *tile(self, k, i),
					     *tile(self, k, j),
					     *tile(self, j, i) };

			snprintf(id, sizeof(id), "GEMM-%u-%u-%u", k, j, i);
			graphGenerateAddTask(self, GEMM, id, j, i, three, 3);
		}
		in[0] = *tile(self, k, i);
		in[1] = *tile(self, i, i);
		snprintf(id, sizeof(id), "SYRK-%u-%u", k, i);
		graphGenerateAddTask(self, SYRK, id, i, i, in, 2);
	}
}

int hdP_generateCholesky(uint32_t tiles, uint32_t tileSize, hdPGraph **graph)
{
	static const struct port kernels[KERNELS] = {
		[MATSRC] = { "MATSRC", { NULL }, "MATSRC.Aout" },
		[POTRF] = { "POTRF", { "POTRF.A" }, "POTRF.Aout", "POTRF.A" },
		[TRSM] = { "TRSM",
			   { "TRSM.A", "TRSM.B" },
			   "TRSM.Bout",
			   "TRSM.B" },
		[GEMM] = { "GEMM",
			   { "GEMM.A", "GEMM.B", "GEMM.C" },
			   "GEMM.Cout",
			   "GEMM.C" },
		[SYRK] = { "SYRK",
			   { "SYRK.A", "SYRK.C" },
			   "SYRK.Cout",
			   "SYRK.C" },
		[MATSINK] = { "MATSINK", { "MATSINK.A" }, NULL },
	};
	struct matrix self;
	int ret = graphGenerateBeginMatrix(&self, kernels, tiles, tileSize,
					   graph);

	if (ret < 0)
		return ret;
	ends(&self, MATSRC, "MATSRC", false);
	for (uint32_t k = 0; k < tiles && !self.making.error; k++)
		graphGenerateAddStep(&self, k);
	ends(&self, MATSINK, "MATSINK", false);
	free(self.matrix);
	return graphGenerateFinishGraph(&self.making, graph);
}

/* ---- LU, without pivots ------------------------------------------------ */

/* The tiles right of the diagonal, and below it. */
static void luPanels(struct matrix *self, uint32_t k)
{
	char id[64];

	for (uint32_t i = k + 1; i < self->tiles; i++) {
		uint32_t row[] = { *tile(self, k, k), *tile(self, k, i) };
		uint32_t column[] = { *tile(self, k, k), *tile(self, i, k) };

		snprintf(id, sizeof(id), "LUROW-%u-%u", k, i);
		graphGenerateAddTask(self, LUROW, id, k, i, row, 2);
		snprintf(id, sizeof(id), "LUCOLUMN-%u-%u", k, i);
		graphGenerateAddTask(self, LUCOLUMN, id, i, k, column, 2);
	}
}

static void luStep(struct matrix *self, uint32_t k)
{
	char id[64];

	snprintf(id, sizeof(id), "GETRF-%u", k);
	graphGenerateAddTask(self, GETRF, id, k, k, tile(self, k, k), 1);
	luPanels(self, k);
	for (uint32_t i = k + 1; i < self->tiles && !self->making.error; i++) {
		for (uint32_t j = k + 1; j < self->tiles; j++) {
			uint32_t three[] = { *tile(self, i, k),
					     *tile(self, k, j),
					     *tile(self, i, j) };

			snprintf(id, sizeof(id), "LUGEMM-%u-%u-%u", k, i, j);
			graphGenerateAddTask(self, LUGEMM, id, i, j, three, 3);
		}
	}
}

int hdP_generateLu(uint32_t tiles, uint32_t tileSize, hdPGraph **graph)
{
	static const struct port kernels[KERNELS] = {
		[LUSRC] = { "LUSRC", { NULL }, "A" },
		[GETRF] = { "GETRF", { "A" }, "LU", "A" },
		[LUROW] = { "LUROW", { "L", "B" }, "C", "B" },
		[LUCOLUMN] = { "LUCOLUMN", { "U", "B" }, "C", "B" },
		[LUGEMM] = { "LUGEMM", { "A", "B", "C" }, "Cout", "C" },
		[LUSINK] = { "LUSINK", { "A" }, NULL },
	};
	struct matrix self;
	int ret;

	if (tiles > 1600)
		return -EINVAL;
	ret = graphGenerateBeginMatrix(&self, kernels, tiles, tileSize, graph);
	if (ret < 0)
		return ret;
	ends(&self, LUSRC, "LUSRC", true);
	for (uint32_t k = 0; k < tiles && !self.making.error; k++)
		luStep(&self, k);
	ends(&self, LUSINK, "LUSINK", true);
	free(self.matrix);
	return graphGenerateFinishGraph(&self.making, graph);
}

/* ---- A ring ------------------------------------------------------------ */

int hdP_generateRing(uint32_t width, uint32_t rounds, uint32_t bytes,
		     hdPGraph **graph)
{
	static const char *const inputs[] = { "in", NULL };
	struct making making = { NULL, 0 };
	double size = bytes;
	int kernels[2];

	if (!width || !rounds || !bytes || !graph ||
	    (uint64_t)width * rounds >= UINT32_MAX / 2)
		return -EINVAL;
	making.graph = hdP_createGraph();
	if (!making.graph)
		return -ENOMEM;
	kernels[0] = kernel(&making, "RING0", "size", inputs + 1, "out", NULL,
			    "size");
	kernels[1] =
		kernel(&making, "RING", "size", inputs, "out", "in", "size");
	for (uint32_t t = 0; t < width * rounds && !making.error; t++) {
		char id[64];
		int64_t task;

		snprintf(id, sizeof(id), "RING-%u-%u", t / width, t % width);
		task = hdP_addTask(making.graph, id, kernels[t > 0], &size);
		graphGenerateNoteResult(&making, task);
		if (t && !making.error)
			graphGenerateNoteResult(&making,
						hdP_addDependency(making.graph,
								  task - 1, 0,
								  task, 0));
	}
	return graphGenerateFinishGraph(&making, graph);
}

/* ---- A stencil --------------------------------------------------------- */

struct stencil {
	struct making making;
	uint32_t width;
	int kernels[6]; /* First, then by number of inputs less one. */
	double cellSize;
};

static void graphGenerateAddCell(struct stencil *self, uint32_t step,
				 uint32_t y, uint32_t x, uint32_t before)
{
	struct making *making = &self->making;
	uint32_t w = self->width, inputs[5];
	int count = 0;
	int64_t task;
	char id[64];

	if (step) {
		inputs[count++] = before + y * w + x;
		if (y)
			inputs[count++] = before + (y - 1) * w + x;
		if (x)
			inputs[count++] = before + y * w + x - 1;
		if (x + 1 < w)
			inputs[count++] = before + y * w + x + 1;
		if (y + 1 < w)
			inputs[count++] = before + (y + 1) * w + x;
	}
	snprintf(id, sizeof(id), "CELL-%u-%u-%u", step, y, x);
	task = hdP_addTask(making->graph, id, self->kernels[count],
			   &self->cellSize);
	graphGenerateNoteResult(making, task);
	if (making->error)
		return;
	graphGenerateNoteResult(making, hdP_setTile(making->graph, task, y, x));
	for (int i = 0; i < count; i++)
		graphGenerateNoteResult(making, hdP_addDependency(making->graph,
								  inputs[i], 0,
								  task, i));
}

int hdP_generateStencil(uint32_t width, uint32_t steps, uint32_t cellSize,
			hdPGraph **graph)
{
	static const char *const inputs[] = { "in0", "in1", "in2",
					      "in3", "in4", NULL };
	static const char *const size = "cell_size * cell_size * 8";
	struct stencil self = { { NULL, 0 }, width, { 0 }, cellSize };
	struct making *making = &self.making;

	if (!width || !steps || !cellSize || !graph ||
	    (uint64_t)width * width * ((uint64_t)steps + 1) >= UINT32_MAX / 5)
		return -EINVAL;
	making->graph = hdP_createGraph();
	if (!making->graph)
		return -ENOMEM;
	self.kernels[0] = kernel(making, "INIT", "cell_size", inputs + 5, "out",
				 NULL, size);
	for (int i = 1; i <= 5; i++) {
		const char *some[6] = { NULL };
		char id[32];

		memcpy(some, inputs, (size_t)i * sizeof(*some));
		snprintf(id, sizeof(id), "STENCIL%d", i);
		self.kernels[i] = kernel(making, id, "cell_size", some, "out",
					 NULL, size);
	}
	for (uint32_t step = 0; step <= steps && !making->error; step++) {
		for (uint32_t y = 0; y < width; y++) {
			for (uint32_t x = 0; x < width; x++)
				graphGenerateAddCell(&self, step, y, x,
						     (step - 1) * width *
							     width);
		}
	}
	return graphGenerateFinishGraph(making, graph);
}

/* ---- Layers by chance -------------------------------------------------- */

int hdP_generateRandom(uint32_t layers, uint32_t width, uint32_t inputs,
		       uint64_t seed, hdPGraph **graph)
{
	static const double sizes[] = { 64, 128, 256, 512 };
	struct making making = { NULL, 0 };
	const char *names[65] = { NULL };
	char texts[64][16];
	uint64_t draw = 0;
	int kernels[65];

	if (!layers || !width || inputs > 64 || !graph ||
	    (uint64_t)layers * width >= UINT32_MAX / (inputs + 1))
		return -EINVAL;
	making.graph = hdP_createGraph();
	if (!making.graph)
		return -ENOMEM;
	for (uint32_t i = 0; i <= inputs; i++) {
		char id[16];

		snprintf(id, sizeof(id), "K%u", i);
		kernels[i] =
			kernel(&making, id, "n", names, "out", NULL, "4096");
		if (i < inputs) {
			snprintf(texts[i], sizeof(texts[i]), "in%u", i);
			names[i] = texts[i];
		}
	}
	for (uint32_t l = 0; l < layers && !making.error; l++) {
		for (uint32_t i = 0; i < width && !making.error; i++) {
			uint32_t count =
				l && inputs ? 1 + hdPredictDraw(seed, draw++,
								inputs)
					    : 0;
			double n = sizes[hdPredictDraw(seed, draw++, 4)];
			int64_t task;
			char id[32];

			snprintf(id, sizeof(id), "T-%u-%u", l, i);
			task = hdP_addTask(making.graph, id, kernels[count],
					   &n);
			graphGenerateNoteResult(&making, task);
			for (uint32_t k = 0; k < count && !making.error; k++)
				graphGenerateNoteResult(
					&making,
					hdP_addDependency(
						making.graph,
						(int64_t)(l - 1) * width +
							hdPredictDraw(seed,
								      draw++,
								      width),
						0, task, (int)k));
		}
	}
	return graphGenerateFinishGraph(&making, graph);
}
