/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tiled Cholesky decomposition of `hdpredict generate cholesky`, with the
 * same kernels, run by StarPU: peer-starpu TILES TILE_SIZE. It prints seconds
 * and the number of tasks; exit status 1: the result is wrong.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <starpu.h>

#include "PredictionLibrary/kernels/kernels.h"
#include "PredictionLibrary/kernels/matrix.h"

#define INPUTS 3

/* What a task is, besides its data. */
struct step {
	const hdKernel *kernel;
	uint32_t row, column, inputs, outputs;
};

static unsigned int tiles, size;
static starpu_data_handle_t *handles;
static struct hdKernelSet *set;
static unsigned int tasks;

/* The last handle is what changes, if any does. */
static void run(void *buffers[], void *argument)
{
	const struct step *step = argument;
	const hdKernelVariable variable = { "tile_size", size };
	size_t bytes = (size_t)size * size * sizeof(double);
	uint32_t count = step->inputs ? step->inputs : step->outputs;
	hdKernelBuffer all[INPUTS];
	hdKernelCall call = {
		.kernel = step->kernel->id,
		.task = "",
		.in = all,
		.out = &all[count - 1],
		.variables = &variable,
		.inCount = step->inputs,
		.outCount = step->outputs,
		.variableCount = 1,
		.row = step->row,
		.column = step->column,
	};

	for (uint32_t i = 0; i < count; i++)
		all[i] = (hdKernelBuffer){
			(void *)STARPU_VECTOR_GET_PTR(buffers[i]), bytes, 0, 0
		};
	if (hdKernelRun(step->kernel, &call) != 0) {
		fprintf(stderr, "peer-starpu: %s failed\n", step->kernel->id);
		exit(1);
	}
}

#define CODELET(n, ...)                                           \
	{                                                         \
		.cpu_funcs = { run }, .nbuffers = (n), .modes = { \
			__VA_ARGS__                               \
		}                                                 \
	}
static struct starpu_codelet fill = CODELET(1, STARPU_W);
static struct starpu_codelet change = CODELET(1, STARPU_RW);
static struct starpu_codelet changeBy1 = CODELET(2, STARPU_R, STARPU_RW);
static struct starpu_codelet changeBy2 =
	CODELET(3, STARPU_R, STARPU_R, STARPU_RW);
static struct starpu_codelet look = CODELET(1, STARPU_R);

static starpu_data_handle_t tile(unsigned int row, unsigned int column)
{
	return handles[row * tiles + column];
}

static void submit(const char *kernel, struct starpu_codelet *codelet,
		   int priority, uint32_t row, uint32_t column,
		   const starpu_data_handle_t *data)
{
	struct starpu_task *task = starpu_task_create();
	struct step *step = malloc(sizeof(*step));
	char why[300];

	if (!step || hdKernelFind(set, kernel, "cpu", &step->kernel, why,
				  sizeof(why)) != 0)
		exit(2);
	step->row = row;
	step->column = column;
	step->inputs = codelet == &fill ? 0 : (uint32_t)codelet->nbuffers;
	step->outputs = codelet != &look;
	task->cl = codelet;
	task->cl_arg = step;
	task->cl_arg_size = sizeof(*step);
	task->cl_arg_free = 1;
	task->priority = priority;
	for (int i = 0; i < codelet->nbuffers; i++)
		task->handles[i] = data[i];
	if (starpu_task_submit(task) != 0)
		exit(2);
	tasks++;
}

#define DATA(...) ((const starpu_data_handle_t[]){ __VA_ARGS__ })

static void submitStep(unsigned int k)
{
	submit("POTRF", &change, 2, k, k, DATA(tile(k, k)));
	for (unsigned int i = k + 1; i < tiles; i++)
		submit("TRSM", &changeBy1, 1, k, i,
		       DATA(tile(k, k), tile(i, k)));
	for (unsigned int i = k + 1; i < tiles; i++) {
		for (unsigned int j = k + 1; j < i; j++)
			submit("GEMM", &changeBy2, 0, j, i,
			       DATA(tile(i, k), tile(j, k), tile(i, j)));
		submit("SYRK", &changeBy1, 0, i, i,
		       DATA(tile(i, k), tile(i, i)));
	}
}

static void submitAll(void)
{
	for (unsigned int j = 0; j < tiles; j++) {
		for (unsigned int i = j; i < tiles; i++)
			submit("MATSRC", &fill, 0, j, i, DATA(tile(i, j)));
	}
	for (unsigned int k = 0; k < tiles; k++)
		submitStep(k);
	for (unsigned int j = 0; j < tiles; j++) {
		for (unsigned int i = j; i < tiles; i++)
			submit("MATSINK", &look, 0, j, i, DATA(tile(i, j)));
	}
}

/* Add to @p sums the squares of the rows of a tile of L: those of all of a row
 * are what is on the diagonal of the matrix. */
static void addSquares(unsigned int row, unsigned int column, double *sums)
{
	const double *data;

	starpu_data_acquire(tile(row, column), STARPU_R);
	data = starpu_data_get_local_ptr(tile(row, column));
	for (unsigned int j = 0; j < size; j++) {
		unsigned int first = row == column ? j : 0;

		for (unsigned int i = first; i < size; i++)
			sums[row * size + i] += data[i + (size_t)j * size] *
						data[i + (size_t)j * size];
	}
	starpu_data_release(tile(row, column));
}

static int check(void)
{
	unsigned int n = tiles * size;
	double *sums = calloc(n, sizeof(*sums)), worst = 0;

	for (unsigned int i = 0; i < tiles; i++) {
		for (unsigned int j = 0; j <= i; j++)
			addSquares(i, j, sums);
	}
	for (unsigned int r = 0; r < n; r++)
		worst = fmax(worst,
			     fabs(sums[r] / hdMatrixElement(r, r, true) - 1));
	free(sums);
	if (worst > n * 1e-15)
		fprintf(stderr, "peer-starpu: wrong by %g\n", worst);
	return worst > n * 1e-15;
}

int main(int argc, char **argv)
{
	double start;
	int status;

	if (argc != 3 || starpu_init(NULL) != 0 ||
	    hdKernelSetNew("", &set) != 0)
		return 2;
	tiles = (unsigned int)atoi(argv[1]);
	size = (unsigned int)atoi(argv[2]);
	handles = calloc((size_t)tiles * tiles, sizeof(*handles));
	for (unsigned int i = 0; i < tiles * tiles; i++)
		starpu_vector_data_register(&handles[i], -1, 0, size * size,
					    sizeof(double));
	start = starpu_timing_now();
	submitAll();
	starpu_task_wait_for_all();
	printf("%.9f %u %s\n", (starpu_timing_now() - start) / 1e6, tasks,
	       hdKernelBlasName());
	status = check();
	for (unsigned int i = 0; i < tiles * tiles; i++)
		starpu_data_unregister(handles[i]);
	starpu_shutdown();
	return status;
}
