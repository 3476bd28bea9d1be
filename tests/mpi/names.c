/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The functions of names-lib.c are called, and must say what they say; for
 * names.sh. With LATER it is a program that does not know them, and calls
 * callAll() in the file that its argument names.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#ifdef LATER
static void callAll(const char *file)
{
	void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	void (*called)(void) = NULL;

	if (handle)
		*(void **)&called = dlsym(handle, "callAll");
	if (!called) {
		puts(dlerror());
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	called();
}
#else
typedef const char *function(const char *text);
function mpi_barrier, mpi_barrier_, mpi_barrier__, MPI_BARRIER;
double mpi_bcast_(double a, int b, float c, long d, int e, int f, int g, int h,
		  int i, double j);
void callAll(const char *file);

static void check(int isGood, const char *name)
{
	if (isGood)
		return;
	printf("%s: not what the library says\n", name);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

void callAll(const char *file)
{
	(void)file;
	check(strcmp(mpi_barrier("mine"), "ine") == 0, "mpi_barrier");
	check(strcmp(mpi_barrier_("mine"), "ine") == 0, "mpi_barrier_");
	check(strcmp(mpi_barrier__("mine"), "ine") == 0, "mpi_barrier__");
	check(strcmp(MPI_BARRIER("mine"), "ine") == 0, "MPI_BARRIER");
	check(mpi_bcast_(0.5, 1, 0.25F, 2, 3, 4, 5, 6, 7, 0.125) == 28.875,
	      "mpi_bcast_");
	puts("good");
}
#endif

#ifndef CALLED
int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	callAll(argv[1]);
	MPI_Finalize();
	return 0;
}
#endif
