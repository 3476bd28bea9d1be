/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Task graphs that are made: Cholesky, a stencil, layers by chance. */
#include "config.h"

#include <errno.h>
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

static int note(struct making *making, int64_t ret)
{
	if (ret < 0 && making->error == 0)
		making->error = (int)ret;
	return ret < 0 ? 0 : (int)ret;
}

static int finish(struct making *making, hdPGraph **graph)
{
	if (making->error == 0)
		note(making, hdP_finishGraph(making->graph, NULL, NULL));
	if (making->error < 0) {
		hdP_destroyGraph(making->graph);
		return making->error;
	}
	*graph = making->graph;
	return 0;
}

/* A kernel with a variable, n inputs and perhaps an output of one size. */
static int kernel(struct making *making, const char *id, const char *variable,
		  const char *const *inputs, const char *output,
		  const char *size)
{
	int number = note(making, hdP_addKernel(making->graph, id, NULL));

	note(making, hdP_addVariable(making->graph, number, variable));
	for (; *inputs; inputs++)
		note(making,
		     hdP_addInput(making->graph, number, *inputs, size));
	if (output)
		note(making,
		     hdP_addOutput(making->graph, number, output, size));
	return number;
}

/* ---- Cholesky: listing 9.4 of the thesis ------------------------------- */

enum { MATSRC, POTRF, TRSM, GEMM, SYRK, MATSINK, KERNELS };

struct cholesky {
	struct making making;
	int kernels[KERNELS];
	uint32_t tiles;
	double tileSize;
	uint32_t *matrix; /* Task that made the tile last, by row and column. */
};

static uint32_t *tile(struct cholesky *self, uint32_t row, uint32_t column)
{
	return &self->matrix[(size_t)row * self->tiles + column];
}

/* A task on a tile, which it replaces. */
static void addTask(struct cholesky *self, int what, const char *id,
		    uint32_t row, uint32_t column, const uint32_t *inputs,
		    int count)
{
	struct making *making = &self->making;
	int64_t task = hdP_addTask(making->graph, id, self->kernels[what],
				   &self->tileSize);

	note(making, task);
	if (making->error)
		return;
	note(making, hdP_setTile(making->graph, task, row, column));
	for (int i = 0; i < count; i++)
		note(making,
		     hdP_addDependency(making->graph, inputs[i], 0, task, i));
	*tile(self, row, column) = (uint32_t)task;
}

static void step(struct cholesky *self, uint32_t k)
{
	char id[64];

	snprintf(id, sizeof(id), "POTRF-%u", k);
	addTask(self, POTRF, id, k, k, tile(self, k, k), 1);
	for (uint32_t i = k + 1; i < self->tiles; i++) {
		uint32_t in[] = { *tile(self, k, k), *tile(self, k, i) };

		snprintf(id, sizeof(id), "TRSM-%u-%u", k, i);
		addTask(self, TRSM, id, k, i, in, 2);
	}
	for (uint32_t i = k + 1; i < self->tiles && !self->making.error; i++) {
		uint32_t in[2];

		for (uint32_t j = k + 1; j < i; j++) {
			uint32_t three[] = { *tile(self, k, i),
					     *tile(self, k, j),
					     *tile(self, j, i) };

			snprintf(id, sizeof(id), "GEMM-%u-%u-%u", k, j, i);
			addTask(self, GEMM, id, j, i, three, 3);
		}
		in[0] = *tile(self, k, i);
		in[1] = *tile(self, i, i);
		snprintf(id, sizeof(id), "SYRK-%u-%u", k, i);
		addTask(self, SYRK, id, i, i, in, 2);
	}
}

static void ends(struct cholesky *self, int what, const char *name)
{
	char id[64];

	for (uint32_t j = 0; j < self->tiles && !self->making.error; j++) {
		for (uint32_t i = j; i < self->tiles; i++) {
			uint32_t in = *tile(self, j, i);

			snprintf(id, sizeof(id), "%s-%u-%u", name, j, i);
			addTask(self, what, id, j, i, &in, what == MATSINK);
		}
	}
}

int hdP_generateCholesky(uint32_t tiles, uint32_t tileSize, hdPGraph **graph)
{
	static const char *const none[] = { NULL };
	static const char *const potrf[] = { "POTRF.A", NULL };
	static const char *const trsm[] = { "TRSM.A", "TRSM.B", NULL };
	static const char *const syrk[] = { "SYRK.A", "SYRK.C", NULL };
	static const char *const gemm[] = { "GEMM.A", "GEMM.B", "GEMM.C",
					    NULL };
	static const char *const sink[] = { "MATSINK.A", NULL };
	static const char *const v = "tile_size";
	static const char *const size = "tile_size * tile_size * 8";
	struct cholesky self = {
		{ hdP_createGraph(), 0 }, { 0 }, tiles, tileSize, NULL
	};
	struct making *making = &self.making;

	/* More tasks than have numbers. */
	if (!tiles || !tileSize || tiles > 2900 || !graph) {
		hdP_destroyGraph(making->graph);
		return -EINVAL;
	}
	self.matrix = calloc((size_t)tiles * tiles, sizeof(*self.matrix));
	if (!making->graph || !self.matrix) {
		hdP_destroyGraph(making->graph);
		free(self.matrix);
		return -ENOMEM;
	}
	self.kernels[MATSRC] =
		kernel(making, "MATSRC", v, none, "MATSRC.Aout", size);
	self.kernels[POTRF] =
		kernel(making, "POTRF", v, potrf, "POTRF.Aout", size);
	self.kernels[TRSM] = kernel(making, "TRSM", v, trsm, "TRSM.Bout", size);
	self.kernels[GEMM] = kernel(making, "GEMM", v, gemm, "GEMM.Cout", size);
	self.kernels[SYRK] = kernel(making, "SYRK", v, syrk, "SYRK.Cout", size);
	self.kernels[MATSINK] = kernel(making, "MATSINK", v, sink, NULL, size);
	ends(&self, MATSRC, "MATSRC");
	for (uint32_t k = 0; k < tiles && !making->error; k++)
		step(&self, k);
	ends(&self, MATSINK, "MATSINK");
	free(self.matrix);
	return finish(making, graph);
}

/* ---- A stencil --------------------------------------------------------- */

struct stencil {
	struct making making;
	uint32_t width;
	int kernels[6]; /* First, then by number of inputs less one. */
	double cellSize;
};

static void addCell(struct stencil *self, uint32_t step, uint32_t y, uint32_t x,
		    uint32_t before)
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
	note(making, task);
	if (making->error)
		return;
	note(making, hdP_setTile(making->graph, task, y, x));
	for (int i = 0; i < count; i++)
		note(making,
		     hdP_addDependency(making->graph, inputs[i], 0, task, i));
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
	self.kernels[0] =
		kernel(making, "INIT", "cell_size", inputs + 5, "out", size);
	for (int i = 1; i <= 5; i++) {
		const char *some[6] = { NULL };
		char id[32];

		memcpy(some, inputs, (size_t)i * sizeof(*some));
		snprintf(id, sizeof(id), "STENCIL%d", i);
		self.kernels[i] =
			kernel(making, id, "cell_size", some, "out", size);
	}
	for (uint32_t step = 0; step <= steps && !making->error; step++) {
		for (uint32_t y = 0; y < width; y++) {
			for (uint32_t x = 0; x < width; x++)
				addCell(&self, step, y, x,
					(step - 1) * width * width);
		}
	}
	return finish(making, graph);
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
		kernels[i] = kernel(&making, id, "n", names, "out", "4096");
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
			note(&making, task);
			for (uint32_t k = 0; k < count && !making.error; k++)
				note(&making,
				     hdP_addDependency(
					     making.graph,
					     (int64_t)(l - 1) * width +
						     hdPredictDraw(seed, draw++,
								   width),
					     0, task, (int)k));
		}
	}
	return finish(&making, graph);
}
