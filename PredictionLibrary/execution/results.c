/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether what was computed is right; see execute.h. The first process gets all
 * results: what tasks without outputs took, and what no task took.
 *
 * A factorisation is multiplied by vectors of 1 and -1 by chance: the square of
 * |A x - L (L^T x)| is, on average, that of the Frobenius norm of A - L L^T. So
 * a matrix of any size is checked in a time that grows as it does.
 */
#include "config.h"

#include <errno.h>
#include <float.h>
#include <fnmatch.h>
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "PredictionLibrary/execution/execute.h"
#include "PredictionLibrary/kernels/matrix.h"

enum { TAG_RESULT = 3 };
#define VECTORS 8
#define SIDE_MAX 30000

/* MPI counts bytes by int. */
#define PIECE ((size_t)1 << 30)

/* Square tiles by row and column; NULL: there is none. */
struct results {
	uint32_t side; /* Tiles in a row. */
	uint32_t n;    /* Of a tile, by columns or rows of it. */
	double **tiles;
};

static double variableOf(const hdPGraph *graph, uint32_t task, const char *id)
{
	const struct hdPredictConfig *config =
		&graph->configs[graph->config[task]];
	const struct hdPredictKernel *kernel = &graph->kernels[config->kernel];

	for (uint32_t v = 0; v < kernel->variableCount; v++) {
		if (strcmp(kernel->variables[v], id) == 0)
			return graph->values[config->values + v];
	}
	return 0;
}

/* ---- Collecting -------------------------------------------------------- */

/* Server that has a data set in the end, or NONE: it is no result. */
static uint32_t holderOf(const struct hdExecution *self, uint32_t dataSet)
{
	const hdPGraph *graph = self->plan.graph;
	uint32_t c = graph->consumer[dataSet];

	if (c == graph->consumer[dataSet + 1])
		return hdExecuteServer(&self->plan,
				       hdPredictProducer(graph, dataSet));
	for (; c < graph->consumer[dataSet + 1]; c++) {
		uint32_t task = graph->consumerTask[c];

		if (graph->output[task] == graph->output[task + 1])
			return hdExecuteServer(&self->plan, task);
	}
	return HD_PREDICT_NONE;
}

static void resultsPlaceData(const struct hdExecution *self,
			     struct results *results, uint32_t dataSet,
			     double *data)
{
	const hdPGraph *graph = self->plan.graph;
	uint32_t task = hdPredictProducer(graph, dataSet);
	uint32_t row, column;

	hdPredictTile(graph, task, &row, &column);
	if (row >= results->side || column >= results->side ||
	    hdExecuteSize(&self->plan, dataSet) !=
		    (size_t)results->n * results->n * sizeof(double)) {
		free(data);
		return;
	}
	free(results->tiles[(size_t)row * results->side + column]);
	results->tiles[(size_t)row * results->side + column] = data;
}

/* A result on its way to the first process, in pieces. */
static void move(char *data, size_t size, uint32_t holder, bool isSent)
{
	while (size > 0) {
		int piece = (int)(size < PIECE ? size : PIECE);

		if (isSent)
			MPI_Send(data, piece, MPI_BYTE, 0, TAG_RESULT,
				 MPI_COMM_WORLD);
		else
			MPI_Recv(data, piece, MPI_BYTE, (int)holder, TAG_RESULT,
				 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		data += piece;
		size -= (size_t)piece;
	}
}

static void collectOne(const struct hdExecution *self, struct results *results,
		       uint32_t dataSet, uint32_t holder)
{
	size_t size = hdExecuteSize(&self->plan, dataSet);
	double *data;

	if (self->plan.server != 0) {
		if (self->plan.server == holder)
			move(self->buffers[dataSet].data, size, holder, true);
		return;
	}
	data = malloc(size + 1);
	/* The others are about to send. */
	if (!data)
		hdExecuteAbort("not enough memory for results");
	if (holder == 0)
		memcpy(data, self->buffers[dataSet].data, size);
	else
		move((char *)data, size, holder, false);
	resultsPlaceData(self, results, dataSet, data);
}

/* The same data sets in the same order in all processes. */
static void resultsCollectData(const struct hdExecution *self,
			       struct results *results)
{
	for (uint32_t d = 0; d < self->plan.graph->outputCount; d++) {
		uint32_t holder = holderOf(self, d);

		if (holder != HD_PREDICT_NONE)
			collectOne(self, results, d, holder);
	}
}

/* ---- Factorisations ---------------------------------------------------- */

static const double *tileAt(const struct results *results, uint32_t row,
			    uint32_t column)
{
	return results->tiles[(size_t)row * results->side + column];
}

/* An element of a factor; tiles are by columns, those of L of Cholesky where
 * the graph has them, in the other triangle. */
static double resultsFactorAt(const struct results *results, uint64_t row,
			      uint64_t column, bool isCholesky)
{
	uint32_t n = results->n;
	uint32_t r = (uint32_t)(row / n), c = (uint32_t)(column / n);
	const double *tile =
		isCholesky ? tileAt(results, c, r) : tileAt(results, r, c);

	return tile[row % n + column % n * n];
}

/* y = the right factor times x: L^T, or U. */
static void right(const struct results *results, bool isCholesky, uint64_t size,
		  const double *x, double *y)
{
	for (uint64_t r = 0; r < size; r++) {
		y[r] = 0;
		for (uint64_t c = r; c < size; c++)
			y[r] += x[c] * (isCholesky ? resultsFactorAt(results, c,
								     r, true)
						   : resultsFactorAt(results, r,
								     c, false));
	}
}

/* One row of the left factor times y: L, whose diagonal is 1 in LU. */
static double left(const struct results *results, bool isCholesky, uint64_t row,
		   const double *y)
{
	double sum = isCholesky
			     ? resultsFactorAt(results, row, row, true) * y[row]
			     : y[row];

	for (uint64_t c = 0; c < row; c++)
		sum += resultsFactorAt(results, row, c, isCholesky) * y[c];
	return sum;
}

/* Square of |A x - product|, and once of |A|. */
static double residual(const struct results *results, bool isCholesky,
		       uint64_t size, const double *x, const double *y,
		       double *norm)
{
	double sum = 0;

	for (uint64_t r = 0; r < size; r++) {
		double difference = -left(results, isCholesky, r, y);

		for (uint64_t c = 0; c < size; c++) {
			double a = hdMatrixElement(r, c, isCholesky);

			difference += a * x[c];
			*norm += a * a;
		}
		sum += difference * difference;
	}
	return sum;
}

static int checkFactors(const struct results *results, bool isCholesky,
			struct hdExecuteCheck *check)
{
	uint64_t size = (uint64_t)results->side * results->n;
	double *x = malloc(size * sizeof(*x)), *y = malloc(size * sizeof(*y));
	double sum = 0, norm = 0;

	if (!x || !y) {
		free(x);
		free(y);
		return -ENOMEM;
	}
	for (uint64_t v = 0; v < VECTORS; v++) {
		for (uint64_t i = 0; i < size; i++)
			x[i] = hdMatrixChance(v + 1, i) < 0 ? -1 : 1;
		right(results, isCholesky, size, x, y);
		sum += residual(results, isCholesky, size, x, y, &norm);
	}
	free(x);
	free(y);
	check->what = isCholesky ? "|A - L L^T| / |A|" : "|A - L U| / |A|";
	check->error = sqrt(sum / norm);
	/* What rounding may add up to, as LAPACK's tests have it. */
	check->bound = (double)size * DBL_EPSILON;
	check->wrong = !(check->error <= check->bound);
	return 0;
}

/* ---- Stencil ----------------------------------------------------------- */

/* Point of a square, or 0 beyond. */
static double point(const double *grid, int64_t size, int64_t y, int64_t x)
{
	return y < 0 || x < 0 || y >= size || x >= size ? 0
							: grid[y * size + x];
}

static void relax(const double *from, double *to, int64_t size)
{
	for (int64_t y = 0; y < size; y++) {
		for (int64_t x = 0; x < size; x++)
			to[y * size + x] = (point(from, size, y, x) +
					    point(from, size, y - 1, x) +
					    point(from, size, y + 1, x) +
					    point(from, size, y, x - 1) +
					    point(from, size, y, x + 1)) /
					   5;
	}
}

static void compareGrid(const struct results *results, const double *grid,
			struct hdExecuteCheck *check)
{
	uint64_t n = results->n, size = results->side * n;

	for (uint64_t y = 0; y < size; y++) {
		for (uint64_t x = 0; x < size; x++) {
			double is =
				tileAt(results, (uint32_t)(y / n),
				       (uint32_t)(x / n))[y % n * n + x % n];
			double error = fabs(is - grid[y * size + x]);

			check->error = fmax(check->error, error);
			check->wrong += !(error <= check->bound);
		}
	}
}

static int checkStencil(const struct results *results, uint64_t steps,
			struct hdExecuteCheck *check)
{
	int64_t size = (int64_t)results->side * results->n;
	double *grid = malloc((size_t)(size * size) * sizeof(*grid));
	double *other = malloc((size_t)(size * size) * sizeof(*other));

	if (!grid || !other) {
		free(grid);
		free(other);
		return -ENOMEM;
	}
	for (int64_t y = 0; y < size; y++) {
		for (int64_t x = 0; x < size; x++)
			grid[y * size + x] =
				hdMatrixChance((uint64_t)y, (uint64_t)x);
	}
	for (uint64_t s = 0; s < steps; s++) {
		double *before = grid;

		relax(before, other, size);
		grid = other;
		other = before;
	}
	check->what = "largest difference to plain C";
	/* Values are from -1 to 1. */
	check->bound = 4 * DBL_EPSILON * ((double)steps + 1);
	compareGrid(results, grid, check);
	free(grid);
	free(other);
	return 0;
}

/* ---- All --------------------------------------------------------------- */

/* How large results are, of tasks of a kernel; and how many there are. */
static uint64_t resultsSizeOf(const hdPGraph *graph, const char *kernel,
			      const char *variable, struct results *results)
{
	uint64_t count = 0;

	for (uint32_t t = 0; t < graph->taskCount; t++) {
		uint32_t row, column;
		double n;

		if (fnmatch(kernel, hdPredictKernelOf(graph, t)->id, 0) != 0)
			continue;
		hdPredictTile(graph, t, &row, &column);
		if (row >= SIDE_MAX || column >= SIDE_MAX)
			continue;
		if (row >= results->side)
			results->side = row + 1;
		if (column >= results->side)
			results->side = column + 1;
		n = variableOf(graph, t, variable);
		results->n = n >= 1 && n <= SIDE_MAX ? (uint32_t)n : 0;
		count++;
	}
	return count;
}

/* All tiles must be there; of Cholesky, those from the diagonal on. */
static uint64_t countLost(const struct results *results, bool isCholesky)
{
	uint64_t lost = 0;

	for (uint32_t r = 0; r < results->side; r++) {
		for (uint32_t c = isCholesky ? r : 0; c < results->side; c++)
			lost += !tileAt(results, r, c);
	}
	return lost;
}

static int resultsCheckAll(const struct results *results, const char *kernel,
			   uint64_t count, struct hdExecuteCheck *check)
{
	bool isCholesky = strcmp(kernel, "POTRF") == 0;

	check->what = "missing results";
	check->wrong = countLost(results, isCholesky);
	if (check->wrong)
		return 0;
	if (strncmp(kernel, "STENCIL", 7) == 0)
		return checkStencil(
			results, count / results->side / results->side, check);
	return checkFactors(results, isCholesky, check);
}

int hdExecuteResults(struct hdExecution *self, struct hdExecuteCheck *check)
{
	static const char *const kinds[][2] = { { "POTRF", "tile_size" },
						{ "GETRF", "tile_size" },
						{ "STENCIL[1-5]",
						  "cell_size" } };
	const hdPGraph *graph = self->plan.graph;
	struct results results = { 0, 0, NULL };
	uint64_t count = 0, tiles;
	size_t kind = 0;
	int ret = 0;

	*check = (struct hdExecuteCheck){ .what = NULL };
	while (kind < 3 &&
	       (count = resultsSizeOf(graph, kinds[kind][0], kinds[kind][1],
				      &results)) == 0)
		kind++;
	if (kind == 3 || !results.n)
		return 0;
	/* At least half of them, of Cholesky, are there or are missing. */
	tiles = (uint64_t)results.side * results.side;
	if (tiles / 2 > graph->outputCount) {
		*check = (struct hdExecuteCheck){
			.what = "missing results",
			.wrong = tiles / 2 - graph->outputCount,
		};
		return 0;
	}
	if (self->plan.server == 0) {
		results.tiles = calloc(tiles, sizeof(*results.tiles));
		if (!results.tiles)
			hdExecuteAbort("not enough memory for results");
	}
	resultsCollectData(self, &results);
	if (self->plan.server == 0)
		ret = resultsCheckAll(&results, kinds[kind][0], count, check);
	for (size_t i = 0; results.tiles && i < tiles; i++)
		free(results.tiles[i]);
	free(results.tiles);
	return ret;
}
