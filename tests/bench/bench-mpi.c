/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program that does nothing but call MPI, for bench-mpi.sh to run with and
 * without tracing: it knows nothing of tracing.
 *
 *     bench-mpi pingpong|allreduce|isend|poll|clock BATCHES CALLS
 *     bench-mpi memory STEPS CALLS
 *
 * Rank 0 prints the time of a call in ns: elapsed, the median over the batches;
 * processor time of the calling thread; and that of all threads. A round trip
 * counts as four calls, since they come one after the other; Isend, to the rank
 * itself, comes with Irecv and two Waits; polls find nothing. With "memory" the
 * resident size in KiB follows the number of calls, after every step.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Each does something so that it takes about as many calls as are asked for. */

static void pingpong(int rank, long calls)
{
	double value = 0;

	for (long i = 0; i < calls / 4; i++) {
		if (rank == 0)
			MPI_Send(&value, 1, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
		if (rank < 2)
			MPI_Recv(&value, 1, MPI_DOUBLE, !rank, 1,
				 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (rank == 1)
			MPI_Send(&value, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
	}
}

static void allreduce(int rank, long calls)
{
	double value = rank, sum;

	for (long i = 0; i < calls; i++)
		MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM,
			      MPI_COMM_WORLD);
}

static void isend(int rank, long calls)
{
	double out = rank, in;
	MPI_Request requests[2];

	for (long i = 0; i < calls / 4; i++) {
		MPI_Irecv(&in, 1, MPI_DOUBLE, 0, 1, MPI_COMM_SELF,
			  &requests[0]);
		MPI_Isend(&out, 1, MPI_DOUBLE, 0, 1, MPI_COMM_SELF,
			  &requests[1]);
		MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
		MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
	}
}

static void pollAlone(int rank, long calls)
{
	MPI_Request request;
	int value, index, flag;

	MPI_Irecv(&value, 1, MPI_INT, 0, 2, MPI_COMM_SELF, &request);
	for (long i = 0; i < calls - 2; i++)
		MPI_Testany(1, &request, &index, &flag, MPI_STATUS_IGNORE);
	MPI_Send(&rank, 1, MPI_INT, 0, 2, MPI_COMM_SELF);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* What each call that is recorded reads: the clock, at both ends. */
static void readClocks(int rank, long calls)
{
	struct timespec now;

	(void)rank;
	for (long i = 0; i < calls; i++) {
		clock_gettime(CLOCK_BOOTTIME, &now);
		clock_gettime(CLOCK_BOOTTIME, &now);
	}
}

static long residentKiB(void)
{
	FILE *file = fopen("/proc/self/status", "r");
	char line[256];
	long size = 0;

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "VmRSS: %ld", &size) == 1)
			break;
	}
	if (file)
		fclose(file);
	return size;
}

static int compare(const void *a, const void *b)
{
	const double *x = a;
	const double *y = b;

	return (*x > *y) - (*x < *y);
}

static void measure(int rank, void (*operation)(int rank, long calls),
		    int batches, long calls)
{
	double *times = calloc((size_t)batches, sizeof(*times));
	double thread, process;

	if (!times)
		MPI_Abort(MPI_COMM_WORLD, 1);
	operation(rank, calls);
	thread = seconds(CLOCK_THREAD_CPUTIME_ID);
	process = seconds(CLOCK_PROCESS_CPUTIME_ID);
	for (int i = 0; i < batches; i++) {
		double start;

		MPI_Barrier(MPI_COMM_WORLD);
		start = seconds(CLOCK_MONOTONIC);
		operation(rank, calls);
		times[i] = (seconds(CLOCK_MONOTONIC) - start) / (double)calls;
	}
	thread = seconds(CLOCK_THREAD_CPUTIME_ID) - thread;
	process = seconds(CLOCK_PROCESS_CPUTIME_ID) - process;
	qsort(times, (size_t)batches, sizeof(*times), compare);
	if (rank == 0)
		printf("%.1f %.1f %.1f\n", times[batches / 2] * 1e9,
		       thread / batches / (double)calls * 1e9,
		       process / batches / (double)calls * 1e9);
	free(times);
}

int main(int argc, char **argv)
{
	const char *what = argc > 3 ? argv[1] : "";
	int count = argc > 3 ? atoi(argv[2]) : 0;
	long calls = argc > 3 ? atol(argv[3]) : 0;
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (strcmp(what, "pingpong") == 0)
		measure(rank, pingpong, count, calls);
	else if (strcmp(what, "allreduce") == 0)
		measure(rank, allreduce, count, calls);
	else if (strcmp(what, "isend") == 0)
		measure(rank, isend, count, calls);
	else if (strcmp(what, "poll") == 0)
		measure(rank, pollAlone, count, calls);
	else if (strcmp(what, "clock") == 0)
		measure(rank, readClocks, count, calls);
	for (int i = 0; strcmp(what, "memory") == 0 && i < count; i++) {
		isend(rank, calls);
		if (rank == 0)
			printf("%ld %ld\n", (i + 1) * calls, residentKiB());
	}
	MPI_Finalize();
	return 0;
}
