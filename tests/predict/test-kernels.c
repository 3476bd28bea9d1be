/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels against matrices that are factored, and cells that are relaxed,
 * element by element; and how kernels are found.
 */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <glib.h>
#include <glib/gstdio.h>

#include "PredictionLibrary/kernels/algebra.h"
#include "PredictionLibrary/kernels/kernels.h"
#include "PredictionLibrary/kernels/matrix.h"

/* Not a multiple of what the loops are unrolled by. */
#define N 7
#define TILES 3
#define ALL (N * TILES)

static struct hdKernelSet *set;
static uint32_t pes = 1; /* That run each task together. */
static double tiles[TILES][TILES][N * N];
static double full[ALL][ALL];

/* Run a kernel on tiles; what it changes is the last one of them. */
static int run(const char *id, const char *variable, uint32_t row,
	       uint32_t column, hdKernelBuffer *in, uint32_t ins,
	       hdKernelBuffer *out)
{
	const hdKernelVariable size = { variable, N };
	const hdKernelCall call = {
		.kernel = id,
		.task = "task",
		.in = in,
		.out = out,
		.variables = &size,
		.inCount = ins,
		.outCount = out != NULL,
		.variableCount = 1,
		.row = row,
		.column = column,
		.peCount = pes,
	};
	const hdKernel *kernel;
	char why[200];

	g_assert_cmpint(hdKernelFind(set, id, "cpu", &kernel, why, sizeof(why)),
			==, 0);
	return hdKernelRun(kernel, &call);
}

static hdKernelBuffer buffer(double *data)
{
	hdKernelBuffer one = { data, N * N * sizeof(double), HDKERNEL_NO_TILE,
			       HDKERNEL_NO_TILE };

	return one;
}

/* The output is a buffer of its own, as if the input was needed still. */
static void tile(const char *id, uint32_t row, uint32_t column, double *a,
		 double *b, double *c)
{
	double result[N * N];
	hdKernelBuffer in[3], out = buffer(result);
	double *const all[] = { a, b, c };
	uint32_t count = 0;

	while (count < 3 && all[count]) {
		in[count] = buffer(all[count]);
		count++;
	}
	g_assert_cmpint(run(id, "tile_size", row, column, in, count, &out), ==,
			0);
	memcpy(count ? all[count - 1] : tiles[row][column], result,
	       sizeof(result));
}

static void factorCholesky(void)
{
	for (uint32_t k = 0; k < TILES; k++) {
		tile("POTRF", k, k, tiles[k][k], NULL, NULL);
		for (uint32_t i = k + 1; i < TILES; i++)
			tile("TRSM", k, i, tiles[k][k], tiles[k][i], NULL);
		for (uint32_t i = k + 1; i < TILES; i++) {
			for (uint32_t j = k + 1; j < i; j++)
				tile("GEMM", j, i, tiles[k][i], tiles[k][j],
				     tiles[j][i]);
			tile("SYRK", i, i, tiles[k][i], tiles[i][i], NULL);
		}
	}
}

/* From the book: one row after the other, by inner products. */
static void testCholesky(void)
{
	for (uint32_t r = 0; r < TILES; r++) {
		for (uint32_t c = r; c < TILES; c++)
			tile("MATSRC", r, c, NULL, NULL, NULL);
	}
	factorCholesky();
	for (int r = 0; r < ALL; r++) {
		for (int c = 0; c <= r; c++) {
			double sum =
				hdMatrixElement((uint64_t)r, (uint64_t)c, true);
			double tiled = tiles[c / N][r / N][r % N + c % N * N];

			for (int k = 0; k < c; k++)
				sum -= full[r][k] * full[c][k];
			full[r][c] = r == c ? sqrt(sum) : sum / full[c][c];
			g_assert_cmpfloat_with_epsilon(tiled, full[r][c],
						       1e-14);
		}
	}
}

static void factorLu(void)
{
	for (uint32_t k = 0; k < TILES; k++) {
		tile("GETRF", k, k, tiles[k][k], NULL, NULL);
		for (uint32_t i = k + 1; i < TILES; i++) {
			tile("LUROW", k, i, tiles[k][k], tiles[k][i], NULL);
			tile("LUCOLUMN", i, k, tiles[k][k], tiles[i][k], NULL);
		}
		for (uint32_t i = k + 1; i < TILES; i++) {
			for (uint32_t j = k + 1; j < TILES; j++)
				tile("LUGEMM", i, j, tiles[i][k], tiles[k][j],
				     tiles[i][j]);
		}
	}
}

/* Crout's order, all elements from those above and left of them. */
static void testLu(void)
{
	for (uint32_t r = 0; r < TILES; r++) {
		for (uint32_t c = 0; c < TILES; c++)
			tile("LUSRC", r, c, NULL, NULL, NULL);
	}
	factorLu();
	for (int r = 0; r < ALL; r++) {
		for (int c = 0; c < ALL; c++) {
			double sum = hdMatrixElement((uint64_t)r, (uint64_t)c,
						     false);
			double tiled = tiles[r / N][c / N][r % N + c % N * N];

			for (int k = 0; k < MIN(r, c); k++)
				sum -= full[r][k] * full[k][c];
			full[r][c] = r > c ? sum / full[c][c] : sum;
			g_assert_cmpfloat_with_epsilon(tiled, full[r][c],
						       1e-14);
		}
	}
}

static void testStencil(void)
{
	static double cells[TILES][TILES][N * N];

	for (uint32_t r = 0; r < TILES; r++) {
		for (uint32_t c = 0; c < TILES; c++) {
			hdKernelBuffer out = buffer(tiles[r][c]);

			g_assert_cmpint(
				run("INIT", "cell_size", r, c, NULL, 0, &out),
				==, 0);
		}
	}
	for (uint32_t r = 0; r < TILES; r++) {
		for (uint32_t c = 0; c < TILES; c++) {
			hdKernelBuffer in[5], out = buffer(cells[r][c]);
			uint32_t count = 0;
			char id[16];

			/* The middle first; the others in any order. */
			for (int i = 0; i < 5; i++) {
				uint32_t y = r + (uint32_t)(int[]){ 0, 0, 1, 0,
								    -1 }[i];
				uint32_t x = c + (uint32_t)(int[]){ 0, 1, 0, -1,
								    0 }[i];

				if (y >= TILES || x >= TILES)
					continue;
				in[count] = buffer(tiles[y][x]);
				in[count].row = y;
				in[count++].column = x;
			}
			g_snprintf(id, sizeof(id), "STENCIL%u", count);
			g_assert_cmpint(
				run(id, "cell_size", r, c, in, count, &out), ==,
				0);
		}
	}
	for (int y = 0; y < ALL; y++) {
		for (int x = 0; x < ALL; x++) {
			double sum = 0;

			for (int i = 0; i < 5; i++) {
				int v = y + (int[]){ 0, 0, 1, 0, -1 }[i];
				int u = x + (int[]){ 0, 1, 0, -1, 0 }[i];

				if (v >= 0 && u >= 0 && v < ALL && u < ALL)
					sum += hdMatrixChance((uint64_t)v,
							      (uint64_t)u);
			}
			g_assert_cmpfloat_with_epsilon(
				cells[y / N][x / N][y % N * N + x % N], sum / 5,
				1e-15);
		}
	}
}

/* What a kernel says of buffers that are not its own. */
static void testWrong(void)
{
	static const struct {
		const char *id, *variable;
		uint32_t ins;
		bool hasOutput;
		int error;
	} rows[] = {
		{ "POTRF", "tile_size", 1, true, -EDOM },
		{ "GETRF", "tile_size", 1, true, -EDOM },
		{ "POTRF", "size", 1, true, -EINVAL },
		{ "POTRF", "tile_size", 2, true, -EINVAL },
		{ "POTRF", "tile_size", 1, false, -EINVAL },
		{ "TRSM", "tile_size", 1, true, -EINVAL },
		{ "SYRK", "tile_size", 3, true, -EINVAL },
		{ "GEMM", "tile_size", 0, true, -EINVAL },
		{ "MATSRC", "tile_size", 1, true, -EINVAL },
		{ "MATSINK", "tile_size", 0, false, -EINVAL },
		{ "INIT", "cell_size", 1, true, -EINVAL },
		{ "STENCIL3", "cell_size", 0, true, -EINVAL },
		{ "STENCIL3", "tile_size", 3, true, -EINVAL },
		{ "RING", "tile_size", 2, true, -EINVAL },
	};

	memset(tiles, 0, sizeof(tiles));
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		hdKernelBuffer in[] = { buffer(tiles[0][0]),
					buffer(tiles[0][0]),
					buffer(tiles[0][0]) };
		hdKernelBuffer out = buffer(tiles[1][0]);

		g_test_message("%s %u", rows[i].id, rows[i].ins);
		g_assert_cmpint(run(rows[i].id, rows[i].variable, 0, 0, in,
				    rows[i].ins,
				    rows[i].hasOutput ? &out : NULL),
				==, rows[i].error);
	}
}

static void testRing(void)
{
	static unsigned char bytes[2][100];
	hdKernelBuffer in = { bytes[0], 100, 0, 0 },
		       out = { bytes[0], 100, 0, 0 };

	g_assert_cmpint(run("RING", "size", 0, 0, NULL, 0, &out), ==, 0);
	out.data = bytes[1];
	g_assert_cmpint(run("RING", "size", 0, 0, &in, 1, &out), ==, 0);
	g_assert_cmpint(bytes[0][99], ==, 1);
	g_assert_cmpint(bytes[1][99], ==, 2);
}

/* ---- Shared objects ---------------------------------------------------- */

static char *directory;

/* Make an object of a source, or a file that is none. */
static void make(const char *name, const char *source)
{
	char *object = g_strdup_printf("%s/%s.so", directory, name);
	char *file = g_strdup_printf("%s/%s.c", directory, name);
	const char *compiler = g_getenv("CC") ? g_getenv("CC") : "cc";
	char *command = g_strdup_printf(
		"%s -shared -fPIC %s -I%s/PredictionLibrary/include -o %s %s",
		compiler,
		g_getenv("HD_SANITIZE") ? g_getenv("HD_SANITIZE") : "",
		g_getenv("abs_top_srcdir"), object, file);
	int status = -1;

	g_assert_true(
		g_file_set_contents(file, source ? source : "", -1, NULL));
	if (!source)
		g_assert_true(g_file_set_contents(object, "text", -1, NULL));
	else
		g_assert_true(g_spawn_command_line_sync(command, NULL, NULL,
							&status, NULL) &&
			      status == 0);
	g_free(object);
	g_free(file);
	g_free(command);
}

static void testObjects(void)
{
	static const struct {
		const char *id, *architecture;
		int ret, value;
		const char *why;
	} rows[] = {
		{ "ONE", "cpu", 0, 1, NULL },
		{ "MANY7", "cpu", 0, 3, NULL },
		{ "POTRF", "cpu", 0, -EINVAL, NULL }, /* Is built in. */
		{ "EMPTY", "cpu", -ENOEXEC, 0, "EMPTY.so has no hdK_kernels" },
		{ "OTHER", "cpu", -ENOEXEC, 0,
		  "OTHER.so: contains no kernel OTHER" },
		{ "TEXT", "cpu", -ENOEXEC, 0, "TEXT.so: " },
		{ "NONE", "cpu", -ENOEXEC, 0,
		  "fallback.so: contains no kernel NONE" },
		{ "../ONE", "cpu", -ENOEXEC, 0, "no kernel ../ONE" },
		/* Of an architecture. */
		{ "ONE", "A15", 0, 4, NULL },
		{ "ONE", "A7", 0, 4, NULL },
		{ "MANY7", "A15", 0, 5, NULL },
		{ "MANY8", "A15", 0, 3, NULL },
		{ "POTRF", "A15", 0, 4, NULL },
		{ "POTRF", "a15", 0, -EINVAL, NULL },
		{ "ONE@A15", "cpu", -ENOEXEC, 0, "contains no kernel ONE@A15" },
	};
	char *path, why[300];
	struct hdKernelSet *own;
	const hdKernel *kernel;

	directory = g_dir_make_tmp("kernels-XXXXXX", NULL);
	make("ONE", "#include <hdKernel.h>\n"
		    "static int one(const hdKernelCall *c)"
		    " { (void)c; return 1; }\n"
		    "static int four(const hdKernelCall *c)"
		    " { (void)c; return 4; }\n"
		    "HDKERNELS({ \"TWO\", one, 0 }, { \"ONE\", one, 0 },"
		    " { \"ONE@A*\", four, 0 })\n");
	make("OTHER", "#include <hdKernel.h>\n"
		      "static int one(const hdKernelCall *c)"
		      " { (void)c; return 2; }\n"
		      "HDKERNELS({ \"POTRF\", one, 0 })\n");
	make("POTRF", "#include <hdKernel.h>\n"
		      "static int one(const hdKernelCall *c)"
		      " { (void)c; return 2; }\n"
		      "static int four(const hdKernelCall *c)"
		      " { (void)c; return 4; }\n"
		      "HDKERNELS({ \"POTRF\", one, 0 },"
		      " { \"*@A15\", four, 0 })\n");
	make("EMPTY", "int nothing;\n");
	make("fallback", "#include <hdKernel.h>\n"
			 "static int any(const hdKernelCall *c)"
			 " { (void)c; return 3; }\n"
			 "static int five(const hdKernelCall *c)"
			 " { (void)c; return 5; }\n"
			 "HDKERNELS({ \"MANY?\", any, 0 },"
			 " { \"MANY7@A15\", five, 0 })\n");
	make("TEXT", NULL);
	path = g_strdup_printf("/nonexistent::%s", directory);
	g_assert_cmpint(hdKernelSetNew(path, &own), ==, 0);
	/* Twice: what cannot be used the first time cannot the second. */
	for (size_t i = 0; i < 2 * G_N_ELEMENTS(rows); i++) {
		const hdKernelCall call = { .kernel = "x" };
		size_t r = i % G_N_ELEMENTS(rows);
		int ret = hdKernelFind(own, rows[r].id, rows[r].architecture,
				       &kernel, why, sizeof(why));

		g_test_message("%s: %s", rows[r].id, ret ? why : "");
		g_assert_cmpint(ret, ==, rows[r].ret);
		if (ret == 0)
			g_assert_cmpint(hdKernelRun(kernel, &call), ==,
					rows[r].value);
		else
			g_assert_nonnull(strstr(why, rows[r].why));
	}
	hdKernelSetFree(own);
	g_assert_cmpint(hdKernelSetNew("", &own), ==, 0);
	g_assert_cmpint(
		hdKernelFind(own, "ONE", "cpu", &kernel, why, sizeof(why)), ==,
		-ENOENT);
	hdKernelSetFree(own);
	hdKernelSetFree(NULL);
	g_free(path);
	path = g_strdup_printf("rm -r '%s'", directory);
	g_assert_true(g_spawn_command_line_sync(path, NULL, NULL, NULL, NULL));
	g_free(path);
	g_free(directory);
}

/* In plain C, and by a library if there is one; also by several threads, which
 * may be more than a tile has columns. */
static void testBoth(void)
{
	static const uint32_t counts[] = { 0, 1, 2, 3, N, N + 2 };
	const struct hdAlgebra *library = hdAlgebra;

	for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) {
		pes = counts[i];
		testCholesky();
		testLu();
		hdAlgebra = &hdAlgebraPlain;
		testCholesky();
		testLu();
		hdAlgebra = library;
	}
	pes = 1;
}

/* One that is there is used. */
static void testLibrary(void)
{
	void *handle = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);

	if (!handle) {
		g_test_skip("there is no OpenBLAS (Debian: "
			    "libopenblas0-pthread)");
		return;
	}
	g_assert_cmpstr(hdKernelBlasName(), ==, "libopenblas.so.0");
	g_assert_true(hdAlgebra != &hdAlgebraPlain);
	dlclose(handle);
}

int main(int argc, char **argv)
{
	int status;

	g_test_init(&argc, &argv, NULL);
	g_unsetenv("HDTRACE_BLAS");
	g_assert_cmpint(hdKernelSetNew(NULL, &set), ==, 0);
	g_test_message("linear algebra by %s", hdKernelBlasName());
	g_test_add_func("/library", testLibrary);
	g_test_add_func("/factors", testBoth);
	g_test_add_func("/stencil", testStencil);
	g_test_add_func("/wrong", testWrong);
	g_test_add_func("/ring", testRing);
	g_test_add_func("/objects", testObjects);
	status = g_test_run();
	hdKernelSetFree(set);
	return status;
}
