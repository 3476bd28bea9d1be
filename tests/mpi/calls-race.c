/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads that make, use and free handles at the same time, for sanitizers; and
 * one that does not know when MPI_Finalize() is called. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "tests/mpi/calls.h"

enum { WORKERS = 4, ROUNDS = 50, INTS_MAX = 7 };

struct worker {
	pthread_t thread;
	MPI_Comm comm;
};

static pthread_t lateThread;
static atomic_bool isLate;

static void workOnce(MPI_Comm comm, int round)
{
	int in[INTS_MAX] = { 0 }, out[INTS_MAX] = { round };
	MPI_Request requests[2];
	MPI_Datatype type;
	MPI_Comm other;

	hdMPI_regionStart("Work");
	hdMPI_attributeInt("round", round);
	MPI_Type_contiguous(round % INTS_MAX + 1, MPI_INT, &type);
	MPI_Type_commit(&type);
	MPI_Irecv(in, 1, type, 0, 1, comm, &requests[0]);
	MPI_Isend(out, 1, type, 0, 1, comm, &requests[1]);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	require(in[0] == round, "a thread got another one's message");
	MPI_Comm_dup(comm, &other);
	MPI_Barrier(other);
	MPI_Comm_free(&other);
	MPI_Type_free(&type);
	if (round % 10 == 0)
		MPI_Pcontrol(2);
	hdMPI_regionEnd();
}

static void *work(void *data)
{
	struct worker *worker = data;

	for (int i = 0; i < ROUNDS; i++)
		workOnce(worker->comm, i);
	return NULL;
}

static void *beLate(void *unused)
{
	while (hdMPI_event("late") == 0)
		isLate = true;
	return unused;
}

void callsRace(void)
{
	struct worker workers[WORKERS];

	require(level == MPI_THREAD_MULTIPLE, "no MPI_THREAD_MULTIPLE");
	for (int i = 0; i < WORKERS; i++)
		MPI_Comm_dup(MPI_COMM_SELF, &workers[i].comm);
	for (int i = 0; i < WORKERS; i++)
		pthread_create(&workers[i].thread, NULL, work, &workers[i]);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(workers[i].thread, NULL);
	for (int i = 0; i < WORKERS; i++)
		MPI_Comm_free(&workers[i].comm);
	pthread_create(&lateThread, NULL, beLate, NULL);
	while (!isLate)
		;
}

void callsAfter(void)
{
	if (isLate)
		pthread_join(lateThread, NULL);
}
