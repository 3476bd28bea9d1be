/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program that asks again and again whether something has come, for polls.sh.
 * All readings of the wall clock by its thread are counted, the tracer's, too.
 *
 * Prints a line for each function: its name, how many calls found nothing, how
 * often the clock was read meanwhile, and two times in ns around them.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define CALLS 5000

static __thread long readings;

/* Called by whoever has no other: libraries find that of the program first. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
	readings += clock == CLOCK_REALTIME;
	return (int)syscall(SYS_clock_gettime, clock, now);
}

static long long nanoseconds(void)
{
	struct timespec now;

	syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static MPI_Request requests[2];
static int data[2];

static int askIprobe(void)
{
	int flag;

	MPI_Iprobe(0, 9, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
	return flag;
}

static int askTest(void)
{
	int flag;

	MPI_Test(requests, &flag, MPI_STATUS_IGNORE);
	return flag;
}

static int askTestany(void)
{
	int flag, index;

	MPI_Testany(2, requests, &index, &flag, MPI_STATUS_IGNORE);
	return flag;
}

static int askTestall(void)
{
	int flag;

	MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
	return flag;
}

static int askTestsome(void)
{
	int count, indices[2];

	MPI_Testsome(2, requests, &count, indices, MPI_STATUSES_IGNORE);
	return count > 0;
}

static int askStatus(void)
{
	int flag;

	MPI_Request_get_status(requests[0], &flag, MPI_STATUS_IGNORE);
	return flag;
}

static void ask(const char *name, int (*function)(void))
{
	long long begin = nanoseconds(), end;
	long before = readings;

	for (int i = 0; i < CALLS; i++)
		if (function())
			MPI_Abort(MPI_COMM_WORLD, 1);
	before = readings - before;
	end = nanoseconds();
	/* So that the last state has an end that does not come from here. */
	MPI_Barrier(MPI_COMM_SELF);
	printf("%s %d %ld %lld %lld\n", name, CALLS, before, begin, end);
}

/* Until something is found: that state has times, too. */
static void find(void)
{
	long long begin = nanoseconds(), end;
	int sent = 1, flag = 0, calls = 0;

	for (int i = 0; i < CALLS; i++)
		askTest();
	for (int i = 0; i < 2; i++)
		MPI_Send(&sent, 1, MPI_INT, 0, i, MPI_COMM_SELF);
	while (!flag) {
		flag = askTest();
		calls++;
	}
	end = nanoseconds();
	printf("found %d 0 %lld %lld\n", CALLS + calls - 1, begin, end);
	MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	for (int i = 0; i < 2; i++)
		MPI_Irecv(&data[i], 1, MPI_INT, 0, i, MPI_COMM_SELF,
			  &requests[i]);
	ask("Iprobe", askIprobe);
	ask("Test", askTest);
	ask("Testany", askTestany);
	ask("Testall", askTestall);
	ask("Testsome", askTestsome);
	ask("Request_get_status", askStatus);
	find();
	MPI_Finalize();
	return 0;
}
