/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Three ranks whose waits their own clocks know. A section for each kind of
 * wait begins at the same time in all ranks, which sleep instead of computing.
 * Each rank prints a line for each call: SECTION RANK SECONDS, when it entered.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SECTION 0.2
#define LATE 0.1

static double begin;
static int rank;
static int section;

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Sleep until a time of the section. */
static void sleepUntil(double time)
{
	double left = begin + section * SECTION + time - now();
	struct timespec rest = { .tv_sec = (time_t)left };

	if (left <= 0)
		return;
	rest.tv_nsec = (long)((left - (double)rest.tv_sec) * 1e9);
	nanosleep(&rest, NULL);
}

/* The next section; a rank is late, or -1. */
static void start(int late)
{
	section++;
	sleepUntil(rank == late ? LATE : 0);
}

static void enter(void)
{
	printf("%d %d %.9f\n", section, rank, now());
}

static void receive(int from, int tag)
{
	char byte;

	enter();
	MPI_Recv(&byte, 1, MPI_CHAR, from, tag, MPI_COMM_WORLD,
		 MPI_STATUS_IGNORE);
}

static void sendTo(int to, int tag)
{
	char byte = 0;

	enter();
	MPI_Send(&byte, 1, MPI_CHAR, to, tag, MPI_COMM_WORLD);
}

/* Sections 1 to 4: messages. */
static void messages(void)
{
	MPI_Request request;
	char byte = 0;

	start(1);
	if (rank == 0)
		receive(1, 1);
	else if (rank == 1)
		sendTo(0, 1);
	start(1);
	if (rank == 0) {
		enter();
		MPI_Ssend(&byte, 1, MPI_CHAR, 1, 2, MPI_COMM_WORLD);
	} else if (rank == 1) {
		receive(0, 2);
	}
	start(1);
	if (rank == 2)
		sleepUntil(LATE / 2);
	if (rank == 0) {
		receive(1, 3);
		receive(2, 4);
	} else {
		sendTo(0, rank == 1 ? 3 : 4);
	}
	start(1);
	if (rank == 0) {
		MPI_Irecv(&byte, 1, MPI_CHAR, 1, 5, MPI_COMM_WORLD, &request);
		enter();
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	} else if (rank == 1) {
		sendTo(0, 5);
	}
}

/* Sections 5 to 9: all ranks. */
static void collectives(void)
{
	int own = rank, sum = 0;

	start(2);
	enter();
	MPI_Barrier(MPI_COMM_WORLD);
	start(1);
	enter();
	MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	start(1);
	enter();
	MPI_Bcast(&sum, 1, MPI_INT, 1, MPI_COMM_WORLD);
	start(2);
	enter();
	MPI_Reduce(&own, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	start(0);
	enter();
	MPI_Scan(&own, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

/* Sections 10 to 14: windows. */
static void windows(void)
{
	int other = 1 - rank, data = rank, *memory;
	MPI_Group all, group;
	MPI_Win win, second;

	MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL,
			 MPI_COMM_WORLD, &memory, &win);
	MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL,
			 MPI_COMM_WORLD, &memory, &second);
	start(-1);
	enter();
	MPI_Win_fence(0, win);
	start(2);
	enter();
	MPI_Win_fence(0, win);
	MPI_Comm_group(MPI_COMM_WORLD, &all);
	start(1);
	if (rank < 2)
		MPI_Group_incl(all, 1, &other, &group);
	if (rank == 0) {
		enter();
		MPI_Win_start(group, 0, win);
		MPI_Put(&data, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
		sleepUntil(LATE + LATE / 2);
		enter();
		MPI_Win_complete(win);
	} else if (rank == 1) {
		enter();
		MPI_Win_post(group, 0, win);
		enter();
		MPI_Win_wait(win);
	}
	start(-1);
	if (rank == 0) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
		sleepUntil(LATE);
		MPI_Win_unlock(0, win);
		enter();
	} else if (rank == 1) {
		sleepUntil(LATE / 4);
		enter();
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
		MPI_Put(&data, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
		MPI_Win_unlock(0, win);
	}
	start(-1);
	/* Another window: rank 1 may not have left its unlock. */
	if (rank == 0) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, second);
		sleepUntil(LATE);
		MPI_Win_unlock(0, second);
		enter();
	} else if (rank == 2) {
		sleepUntil(LATE / 4);
		enter();
		MPI_Win_lock_all(0, second);
		MPI_Put(&data, 1, MPI_INT, 0, 0, 1, MPI_INT, second);
		MPI_Win_unlock_all(second);
	}
	MPI_Win_free(&second);
	MPI_Win_free(&win);
}

/* Sections 15 to 17: a file. */
static void files(void)
{
	MPI_File file;

	start(-1);
	enter();
	MPI_File_open(MPI_COMM_WORLD, "data", MPI_MODE_CREATE | MPI_MODE_WRONLY,
		      MPI_INFO_NULL, &file);
	start(1);
	enter();
	MPI_File_write_at_all(file, rank * (MPI_Offset)sizeof(rank), &rank, 1,
			      MPI_INT, MPI_STATUS_IGNORE);
	start(-1);
	enter();
	MPI_File_close(&file);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	begin = now();
	enter();
	MPI_Bcast(&begin, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	messages();
	collectives();
	windows();
	files();
	start(-1);
	enter();
	MPI_Finalize();
	return EXIT_SUCCESS;
}
