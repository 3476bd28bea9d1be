/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The signal by which a thread is sampled arrives all the time, so at all
 * instructions of wrappers: a timer would take such samples once in many runs.
 * The program works between its calls, so that it has a part of the samples,
 * too.
 */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <time.h>

static atomic_bool isOver;

/* The highest one that has a handler. */
static int sampleSignal(void)
{
	struct sigaction action;

	for (int number = SIGRTMAX; number > SIGRTMIN; number--)
		if (sigaction(number, NULL, &action) == 0 &&
		    action.sa_flags & SA_SIGINFO)
			return number;
	return 0;
}

static void *sends(void *context)
{
	const struct timespec pause = { .tv_nsec = 1000 };
	int number = sampleSignal();

	prctl(PR_SET_TIMERSLACK, 1);
	while (number && !atomic_load(&isOver)) {
		pthread_kill(*(pthread_t *)context, number);
		nanosleep(&pause, NULL);
	}
	return NULL;
}

static __attribute__((__noinline__)) void calls(void)
{
	volatile int own = 0;
	int isThere;

	for (int i = 0; i < 20; i++) {
		for (int k = 0; k < 30; k++)
			own++;
		MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &isThere,
			   MPI_STATUS_IGNORE);
		MPI_Barrier(MPI_COMM_SELF);
	}
	isThere++;
}

int main(int argc, char **argv)
{
	pthread_t self = pthread_self(), sender;
	int provided;
	double end;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
	MPI_Pcontrol(1);
	pthread_create(&sender, NULL, sends, &self);
	end = MPI_Wtime() + 0.5;
	while (MPI_Wtime() < end)
		calls();
	atomic_store(&isOver, 1);
	pthread_join(sender, NULL);
	MPI_Finalize();
	return 0;
}
