/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls that fail, whose handler of errors goes back into the program, as
 * exceptions of C++ do: what the program does then is no part of them.
 */
#include <mpi.h>
#include <setjmp.h>
#include <time.h>

enum { ROUNDS = 5, BAD_RANK = 1000 };

static jmp_buf back;

/* Of libhdMPI, if it is there. */
__attribute__((__weak__)) int hdMPI_regionStart(const char *name);
__attribute__((__weak__)) int hdMPI_regionEnd(void);

static void goesBack(MPI_Comm *comm, int *error, ...)
{
	(void)comm;
	(void)error;
	longjmp(back, 1);
}

static void fails(int isLong)
{
	int value = 0;

	if (setjmp(back))
		return;
	if (isLong)
		MPI_Sendrecv(&value, 1, MPI_INT, BAD_RANK, 0, &value, 1,
			     MPI_INT, BAD_RANK, 0, MPI_COMM_WORLD,
			     MPI_STATUS_IGNORE);
	else
		MPI_Send(&value, 1, MPI_INT, BAD_RANK, 0, MPI_COMM_WORLD);
}

/* In a function inside of others, whose frames are where those calls were. */
static __attribute__((__noinline__)) void works(int depth)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	volatile int kept = depth;

	if (depth > 0) {
		works(depth - 1);
	} else {
		nanosleep(&pause, NULL);
		MPI_Barrier(MPI_COMM_SELF);
	}
	kept--;
}

int main(int argc, char **argv)
{
	MPI_Errhandler handler;

	MPI_Init(&argc, &argv);
	MPI_Comm_create_errhandler(goesBack, &handler);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
	for (int i = 0; i < ROUNDS; i++) {
		fails(i % 2);
		if (hdMPI_regionStart)
			hdMPI_regionStart("Work");
		works(i % 2 ? 0 : 3 * i);
		fails(!(i % 2));
		if (hdMPI_regionEnd)
			hdMPI_regionEnd();
		works(0);
	}
	MPI_Errhandler_free(&handler);
	MPI_Finalize();
	return 0;
}
