/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Constructs of OpenMP, again and again: what does a tool add to one? Prints
 * the CPU time of each in nanoseconds: KIND COUNT. The team has one thread:
 * what threads cost that wait for each other differs more than what is
 * measured. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double cpuNow(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static void regions(long count)
{
	for (long i = 0; i < count; i++) {
#pragma omp parallel num_threads(1)
		__asm__ volatile("");
	}
}

static void barriers(long count)
{
#pragma omp parallel num_threads(1)
	for (long i = 0; i < count; i++) {
#pragma omp barrier
	}
}

static void loops(long count)
{
#pragma omp parallel num_threads(1)
	for (long i = 0; i < count; i++) {
#pragma omp for nowait
		for (int j = 0; j < 1; j++)
			__asm__ volatile("");
	}
}

static void tasks(long count)
{
#pragma omp parallel num_threads(1)
#pragma omp single
	for (long i = 0; i < count; i++) {
#pragma omp task
		__asm__ volatile("");
	}
}

int main(int argc, char **argv)
{
	long count = argc > 2 ? atol(argv[2]) : 0;
	void (*run)(long count) = argc < 2                          ? NULL
				  : strcmp(argv[1], "region") == 0  ? regions
				  : strcmp(argv[1], "barrier") == 0 ? barriers
				  : strcmp(argv[1], "loop") == 0    ? loops
				  : strcmp(argv[1], "task") == 0    ? tasks
								    : NULL;
	double start;

	if (!run || count <= 0)
		return 2;
	run(1);
	start = cpuNow();
	run(count);
	printf("%.1f\n", (cpuNow() - start) / (double)count);
	return 0;
}
