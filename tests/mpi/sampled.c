/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions that take 90, 9 and 1 % of the computation of a rank, called by one
 * function between its MPI calls. Waiting, in poll() and nanosleep(), must not
 * end early. With an argument, one of them is called by as many functions
 * inside each other, in one go.
 */
#include <errno.h>
#include <mpi.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Samples are taken when the kernel's clock ticks, and a process that was
 * stopped goes on then; so a round takes several ticks. A timer of CPU time
 * expires every 4 ms on some kernels: a fast CPU needs so many rounds for 50
 * samples. */
enum { UNIT = 400000, ROUNDS = 24 };

static volatile unsigned int sum;

/* Of libhdMPI, if it is there. */
__attribute__((__weak__)) int hdMPI_regionStart(const char *name);
__attribute__((__weak__)) int hdMPI_regionEnd(void);

#define SPENDS(name, units)                                                \
	static __attribute__((__noinline__)) void name(void)               \
	{                                                                  \
		for (unsigned int i = 0; i < (units) * (unsigned int)UNIT; \
		     i++)                                                  \
			sum += i * i;                                      \
	}
SPENDS(spendsMost, 90)
SPENDS(spendsSome, 9)
SPENDS(spendsLittle, 1)

static __attribute__((__noinline__)) void computes(void)
{
	spendsMost();
	spendsSome();
	spendsLittle();
	sum++;
}

static __attribute__((__noinline__)) int deepens(int depth)
{
	volatile int kept = depth;

	if (depth > 0)
		return deepens(depth - 1) + kept;
	for (int i = 0; i < 4 * ROUNDS; i++)
		spendsSome();
	return kept;
}

/* A child that computes: whatever samples its parent, it ends as usual. */
static int forks(void)
{
	pid_t child = fork();
	int status = 1;

	if (child == 0) {
		spendsLittle();
		_exit(0);
	}
	return waitpid(child, &status, 0) != child || status != 0;
}

static int waits(void)
{
	struct timespec time = { .tv_nsec = 1000000 };

	return nanosleep(&time, NULL) < 0 || poll(NULL, 0, 1) < 0;
}

int main(int argc, char **argv)
{
	int ret = 0, isThere;

	MPI_Init(&argc, &argv);
	MPI_Barrier(MPI_COMM_WORLD);
	if (argc > 1) {
		ret = forks();
		/* A call that finds nothing ends like others. */
		MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &isThere,
			   MPI_STATUS_IGNORE);
		if (hdMPI_regionStart)
			hdMPI_regionStart("Deep");
		sum += (unsigned int)deepens(atoi(argv[1]));
		if (hdMPI_regionEnd)
			hdMPI_regionEnd();
		MPI_Barrier(MPI_COMM_WORLD);
		MPI_Finalize();
		return ret;
	}
	for (int i = 0; i < ROUNDS; i++) {
		computes();
		ret |= waits();
		MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return ret;
}
