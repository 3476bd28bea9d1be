/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions that take 90, 9 and 1 % of the computation of a rank, called by one
 * function between its MPI calls. Waiting, in poll() and nanosleep(), must not
 * end early.
 */
#include <errno.h>
#include <mpi.h>
#include <poll.h>
#include <time.h>

/* Samples are taken when the kernel's clock ticks, and a process that was
 * stopped goes on then; so a round takes several ticks. */
enum { UNIT = 400000, ROUNDS = 12 };

static volatile unsigned int sum;

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

static int waits(void)
{
	struct timespec time = { .tv_nsec = 1000000 };

	return nanosleep(&time, NULL) < 0 || poll(NULL, 0, 1) < 0;
}

int main(int argc, char **argv)
{
	int ret = 0;

	MPI_Init(&argc, &argv);
	for (int i = 0; i < ROUNDS; i++) {
		computes();
		ret |= waits();
		MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return ret;
}
