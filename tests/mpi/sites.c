/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program whose calls of MPI say where they are: sites.sh takes from its
 * comments what a project must say of them. "at REGION FUNCTION COUNT" stands
 * before a call, with how often a rank comes to it. Loops are not to be
 * unrolled, since each copy of a call is a site.
 *
 *     sites PLUGIN PLUGIN
 *
 * Each plugin is loaded, called, and closed again, so that the next one may lie
 * in its place, but not every third one: something else is there then. With
 * -DPLUGIN=N it is one, with -DLIBRARY the library that the program is linked
 * with.
 */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <sys/mman.h>

double summed(double value);
void plugin(void);

#if defined(PLUGIN)

int pluginNumber = PLUGIN;

void plugin(void)
{
	/* at Barrier plugin 4 */
	MPI_Barrier(MPI_COMM_WORLD);
	__asm__ volatile("" ::: "memory");
}

#elif defined(LIBRARY)

double summed(double value)
{
	MPI_Comm world = MPI_COMM_WORLD;
	double sum;

	/* at Reduce summed 2 */
	MPI_Reduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, world);
	return sum;
}

#else

static inline __attribute__((__always_inline__)) void meet(MPI_Comm world)
{
	/* at Barrier meet 1 */
	MPI_Barrier(world);
}

static __attribute__((__noinline__)) int exchange(MPI_Comm world)
{
	int value = 1;

	for (volatile int i = 0; i < 5; i++)
		/* at Bcast exchange 5 */
		MPI_Bcast(&value, 1, MPI_INT, 0, world);
	meet(world); /* around */
	return value;
}

static __attribute__((__noinline__)) int poll(MPI_Comm world)
{
	MPI_Status status;
	int flag;

	for (volatile int i = 0; i < 3; i++) {
		/* at Iprobe poll 3 */
		MPI_Iprobe(0, 9, world, &flag, &status);
		/* at Iprobe poll 3 */
		MPI_Iprobe(0, 9, world, &flag, &status);
	}
	return flag;
}

static int plugged(const char *path)
{
	void *loaded = dlopen(path, RTLD_NOW);
	void (*call)(void);

	if (loaded)
		*(void **)&call = dlsym(loaded, "plugin");
	if (!loaded || !call) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	for (int i = 0; i < 2; i++)
		call();
	return dlclose(loaded);
}

int main(int argc, char **argv)
{
	int wrong = 0;

	/* at Init main 1 */
	MPI_Init(&argc, &argv);
	wrong = exchange(MPI_COMM_WORLD) != 1; /* called */
	wrong |= poll(MPI_COMM_WORLD);
	for (int i = 0; i < 2; i++)
		summed(i);
	for (int i = 1; i < argc; i++) {
		wrong |= plugged(argv[i]);
		if (i % 3 == 0)
			mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
			     -1, 0);
	}
	/* at Finalize main 1 */
	MPI_Finalize();
	return wrong;
}

#endif
