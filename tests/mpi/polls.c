/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program that asks again and again whether something has come, for polls.sh.
 * All readings of the clocks of times by its thread are counted, the tracer's,
 * too.
 *
 * Prints a line for each function: its name, how many calls found nothing, how
 * often the clock was read meanwhile, and two times in ns around them.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define CALLS 5000

static __thread long readings;
/* That of libc, which asks the kernel only where it has to. */
static int (*readClock)(clockid_t clock, struct timespec *now);

/* Called by whoever has no other: libraries find that of the program first. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
	readings += clock == CLOCK_REALTIME || clock == CLOCK_BOOTTIME;
	if (readClock)
		return readClock(clock, now);
	return (int)syscall(SYS_clock_gettime, clock, now);
}

/* Before that the kernel is asked. */
static __attribute__((constructor)) void findClock(void)
{
	void *found = dlsym(RTLD_NEXT, "clock_gettime");

	__builtin_memcpy(&readClock, &found, sizeof(readClock));
}

static long long nanoseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* The time, when what was before is so long ago that times by the counter are
 * before it: they may be wrong by what reading the clock may take. */
static long long nanosecondsLater(void)
{
	long long begin = nanoseconds(), now;

	do
		now = nanoseconds();
	while (now - begin < 1000);
	return now;
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

/* Two in turn, as the NBX algorithm does. */
static int askTwo(void)
{
	return askIprobe() || askTestall();
}

/* With a function that asks so many times. */
static void ask(const char *name, int (*function)(void), int each)
{
	long long begin = nanoseconds(), end;
	long before = readings;

	for (int i = 0; i < CALLS; i++)
		if (function())
			MPI_Abort(MPI_COMM_WORLD, 1);
	before = readings - before;
	end = nanosecondsLater();
	/* So that the last state has an end that does not come from here. */
	MPI_Barrier(MPI_COMM_SELF);
	printf("%s %d %ld %lld %lld\n", name, CALLS * each, before, begin, end);
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
	end = nanosecondsLater();
	printf("found %d 0 %lld %lld\n", CALLS + calls - 1, begin, end);
	MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
}

/* Nanoseconds that a reading of the clock takes at best. */
static long long cost(void)
{
	long long least = 1000000000, then = nanoseconds(), now;

	for (int i = 0; i < 1000; i++) {
		now = nanoseconds();
		if (now - then > 0 && now - then < least)
			least = now - then;
		then = now;
	}
	return least;
}

/* With an argument: print what reading the clock costs here. */
int main(int argc, char **argv)
{
	if (argc > 1) {
		printf("%lld\n", cost());
		return 0;
	}
	MPI_Init(&argc, &argv);
	for (int i = 0; i < 2; i++)
		MPI_Irecv(&data[i], 1, MPI_INT, 0, i, MPI_COMM_SELF,
			  &requests[i]);
	ask("Iprobe", askIprobe, 1);
	ask("Test", askTest, 1);
	ask("Testany", askTestany, 1);
	ask("Testall", askTestall, 1);
	ask("Testsome", askTestsome, 1);
	ask("Request_get_status", askStatus, 1);
	ask("Polls", askTwo, 2);
	find();
	MPI_Finalize();
	return 0;
}
