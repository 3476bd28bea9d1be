/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Two ranks that send, receive, poll in turn and meet; each call and its time
 * are compared with what a tool counts (count.sh).
 */
#include <mpi.h>

enum { MESSAGES = 2000, POLLS = 10000, LARGE = 100000 };

static int rank, large[LARGE];

static void sendAndReceive(int other)
{
	for (int i = 0; i < MESSAGES; i++) {
		if (rank == 0)
			MPI_Send(large, i, MPI_INT, other, i, MPI_COMM_WORLD);
		else
			MPI_Recv(large, LARGE, MPI_INT, other, i,
				 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
}

static void poll(int other)
{
	MPI_Request request;
	int data, flag;

	MPI_Irecv(&data, 1, MPI_INT, other, 1, MPI_COMM_WORLD, &request);
	for (int i = 0; i < POLLS; i++)
		MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
	for (int i = 0; i < POLLS; i++) {
		MPI_Iprobe(other, 2, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
		MPI_Testall(1, &request, &flag, MPI_STATUSES_IGNORE);
	}
	MPI_Sendrecv(&rank, 1, MPI_INT, other, 3, &data, 1, MPI_INT, other, 3,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Ssend(&rank, 1, MPI_INT, other, 1, MPI_COMM_WORLD);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	sendAndReceive(1 - rank);
	poll(1 - rank);
	for (int i = 0; i < 100; i++)
		MPI_Alltoall(large, LARGE / 4, MPI_INT, large + LARGE / 2,
			     LARGE / 4, MPI_INT, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
