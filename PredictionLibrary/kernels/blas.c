/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Linear algebra of tiles by BLAS and LAPACK, a library that is opened at run
 * time; see algebra.h. Its functions are called as those in Fortran: the
 * lengths of texts come last.
 */
#include "config.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "PredictionLibrary/kernels/algebra.h"
#include "PredictionLibrary/kernels/kernels.h"
#include "common/environment.h"
#include "common/library.h"

struct blasApi {
	void (*dgemm)(const char *, const char *, const int *, const int *,
		      const int *, const double *, const double *, const int *,
		      const double *, const int *, const double *, double *,
		      const int *, size_t, size_t);
	void (*dsyrk)(const char *, const char *, const int *, const int *,
		      const double *, const double *, const int *,
		      const double *, double *, const int *, size_t, size_t);
	void (*dtrsm)(const char *, const char *, const char *, const char *,
		      const int *, const int *, const double *, const double *,
		      const int *, double *, const int *, size_t, size_t,
		      size_t, size_t);
	void (*dpotrf)(const char *, const int *, double *, const int *, int *,
		       size_t);
	/* Only OpenBLAS has that. */
	void (*setThreads)(int);
};

static struct blasApi blas;
static const char *used; /* NULL: nobody has asked yet. */
static char wrong[500];  /* With what was asked for. */

static const struct hdSymbol symbols[] = {
	{ "dgemm_", offsetof(struct blasApi, dgemm), false },
	{ "dsyrk_", offsetof(struct blasApi, dsyrk), false },
	{ "dtrsm_", offsetof(struct blasApi, dtrsm), false },
	{ "dpotrf_", offsetof(struct blasApi, dpotrf), false },
	{ "openblas_set_num_threads", offsetof(struct blasApi, setThreads),
	  true },
	{ NULL, 0, false },
};

const struct hdAlgebra *hdAlgebra = &hdAlgebraPlain;

static const double one = 1, minusOne = -1;

static void blasMultiply(int n, int from, int to, bool isTransposed,
			 const double *a, const double *b, double *c)
{
	const int columns = to - from;

	blas.dgemm("N", isTransposed ? "T" : "N", &n, &columns, &n, &minusOne,
		   a, &n, isTransposed ? b + from : b + (long)from * n, &n,
		   &one, c + (long)from * n, &n, 1, 1);
}

/* The tile on the diagonal, and what is below it. */
static void blasSquare(int n, int from, int to, const double *a, double *c)
{
	const int columns = to - from, rows = n - to;
	double *corner = c + from + (long)from * n;

	blas.dsyrk("L", "N", &columns, &n, &minusOne, a + from, &n, &one,
		   corner, &n, 1, 1);
	if (rows > 0)
		blas.dgemm("N", "T", &rows, &columns, &n, &minusOne, a + to, &n,
			   a + from, &n, &one, corner + columns, &n, 1, 1);
}

static void blasSolve(int n, int from, int to, enum hdTriangle what,
		      const double *a, double *b)
{
	bool isLeft = what == HD_LEFT_UNIT_LOWER;
	const int count = to - from;

	blas.dtrsm(isLeft ? "L" : "R", what == HD_RIGHT_UPPER ? "U" : "L",
		   what == HD_RIGHT_LOWER_TRANSPOSED ? "T" : "N",
		   isLeft ? "U" : "N", isLeft ? &n : &count,
		   isLeft ? &count : &n, &one, a, &n,
		   isLeft ? b + (long)from * n : b + from, &n, 1, 1, 1, 1);
}

static int blasCholesky(int n, double *a)
{
	int info = 0;

	blas.dpotrf("L", &n, a, &n, &info, 1);
	return info;
}

static const struct hdAlgebra algebraBlas = {
	.multiply = blasMultiply,
	.square = blasSquare,
	.solve = blasSolve,
	.cholesky = blasCholesky,
};

void hdAlgebraOpen(void)
{
	const char *asked = hdEnvironmentText(HD_KERNEL_BLAS);
	const char *name = asked ? asked : "libopenblas.so.0";

	if (used)
		return;
	used = "plain C";
	/* A thread a PE is enough: it would start one for each core. A task on
	 * several PEs has a thread on each, since the number of threads of the
	 * library is one for all tasks. */
	setenv("OPENBLAS_NUM_THREADS", "1", 0);
	if (strcmp(name, "none") == 0)
		return;
	if (!hdLibraryOpen(name, symbols, &blas, wrong, sizeof(wrong))) {
		if (!asked)
			wrong[0] = '\0';
		return;
	}
	if (blas.setThreads)
		blas.setThreads(1);
	hdAlgebra = &algebraBlas;
	used = name;
}

const char *hdKernelBlasName(void)
{
	hdAlgebraOpen();
	return used;
}

const char *hdKernelBlasWrong(void)
{
	hdAlgebraOpen();
	return wrong[0] ? wrong : NULL;
}
