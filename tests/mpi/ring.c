/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ring [END]: passes a number around, knowing nothing of HDTrace, and ends:
 * as it should, without MPI_Finalize ("exit"), by MPI_Abort of rank 1
 * ("abort") or by a signal that cannot be caught ("kill"). "thread" calls MPI
 * from a thread only, "bare" has taken its environment, its arguments, its
 * names and its standard files away before MPI_Finalize, "away" changes its
 * directory, "fork" has a child that does other things, and with "full" files
 * of rank 1 cannot become larger than 16 KiB, and every rank sends 1000
 * messages to itself. */
#define _GNU_SOURCE
#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/mpi/keeploaded.h"

static const char *end;

/* A child that ends as programs do, and its own child. */
static void child(void)
{
	pid_t pid = fork();
	int status = -1;

	if (pid == 0) {
		free(malloc(100));
		exit(system("true") == 0 ? 5 : 6);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) ||
	    WEXITSTATUS(status) != 5)
		MPI_Abort(MPI_COMM_WORLD, 4);
}

/* Record more than the files of rank 1 can hold. */
static void fill(int rank)
{
	const struct rlimit small = { 16384, 16384 };

	if (rank == 1)
		setrlimit(RLIMIT_FSIZE, &small);
	for (int i = 0; i < 1000; i++) {
		MPI_Send(&i, 1, MPI_INT, rank, 1, MPI_COMM_WORLD);
		MPI_Recv(&i, 1, MPI_INT, rank, 1, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
	}
}

/* Take away what a library might look at. */
static void undress(void)
{
	static char empty[] = "";

	clearenv();
	program_invocation_name = program_invocation_short_name = empty;
	fclose(stdin);
	fclose(stdout);
	fclose(stderr);
}

static void *ring(void *unused)
{
	int rank, size, number = 0, level;

	MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (strcmp(end, "fork") == 0)
		child();
	if (strcmp(end, "away") == 0 && chdir("/") != 0)
		MPI_Abort(MPI_COMM_WORLD, 5);
	for (int i = 0; i < 10; i++) {
		if (rank > 0)
			MPI_Recv(&number, 1, MPI_INT, rank - 1, 0,
				 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		number++;
		MPI_Send(&number, 1, MPI_INT, (rank + 1) % size, 0,
			 MPI_COMM_WORLD);
		if (rank == 0)
			MPI_Recv(&number, 1, MPI_INT, size - 1, 0,
				 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		printf("ring: %d\n", number);
	fflush(stdout);
	if (strcmp(end, "full") == 0)
		fill(rank);
	if (strcmp(end, "bare") == 0)
		undress();
	if (strcmp(end, "exit") == 0)
		exit(0);
	if (rank == 1 && strcmp(end, "abort") == 0)
		MPI_Abort(MPI_COMM_WORLD, 3);
	if (rank == 1 && strcmp(end, "kill") == 0)
		kill(getpid(), SIGKILL);
	MPI_Finalize();
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	end = argc > 1 ? argv[1] : "";
	if (strcmp(end, "thread") != 0) {
		ring(NULL);
	} else {
		pthread_create(&thread, NULL, ring, NULL);
		pthread_join(thread, NULL);
	}
	return 0;
}
