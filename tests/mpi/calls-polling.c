/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls that ask whether something has happened, again and again. */
#include <stddef.h>

#include "tests/mpi/calls.h"

static MPI_Comm own;

static void probe(MPI_Comm comm)
{
	int flag;

	MPI_Iprobe(MPI_ANY_SOURCE, 99, comm, &flag, MPI_STATUS_IGNORE);
	require(!flag, "nothing was sent with this tag");
}

static void beBusy(double seconds)
{
	double end = MPI_Wtime() + seconds;

	while (MPI_Wtime() < end)
		;
}

/* One after the other, and with some work between them. */
static void pollSame(void)
{
	hdMPI_regionStart("Same");
	for (int i = 0; i < 1000; i++)
		probe(WORLD);
	hdMPI_regionEnd();
	hdMPI_regionStart("Apart");
	for (int i = 0; i < 20; i++) {
		probe(WORLD);
		beBusy(0.001);
	}
	hdMPI_regionEnd();
}

/* Each of its own. */
static void pollKinds(void)
{
	MPI_Request requests[2];
	int flag, index, count, indices[2], data[2], sent = 1;

	for (int i = 0; i < 2; i++)
		MPI_Irecv(&data[i], 1, MPI_INT, 0, i, own, &requests[i]);
	hdMPI_regionStart("Kinds");
	probe(WORLD);
	probe(own);
	MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
	MPI_Testany(1, requests, &index, &flag, MPI_STATUS_IGNORE);
	MPI_Testany(2, requests, &index, &flag, MPI_STATUS_IGNORE);
	MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
	MPI_Testsome(2, requests, &count, indices, MPI_STATUSES_IGNORE);
	MPI_Request_get_status(requests[0], &flag, MPI_STATUS_IGNORE);
	MPI_Request_get_status(requests[1], &flag, MPI_STATUS_IGNORE);
	hdMPI_regionEnd();
	for (int i = 0; i < 2; i++)
		MPI_Send(&sent, 1, MPI_INT, 0, i, own);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

/* What is recorded between them stays between them. */
static void pollBetween(void)
{
	hdMPI_regionStart("Between");
	probe(WORLD);
	hdMPI_event("event");
	probe(WORLD);
	hdMPI_regionStart("Inner");
	probe(WORLD);
	hdMPI_regionEnd();
	probe(WORLD);
	MPI_Barrier(own);
	probe(WORLD);
	hdMPI_disable();
	probe(WORLD);
	hdMPI_enable();
	MPI_Barrier(own);
	hdMPI_regionEnd();
}

/* Until there is something. */
static void pollFound(void)
{
	MPI_Request request;
	int data = 0, sent = 1, flag = 0;

	MPI_Irecv(&data, 1, MPI_INT, 0, 0, own, &request);
	hdMPI_regionStart("Found");
	for (int i = 0; i < 50; i++)
		MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
	require(!flag, "nothing was sent yet");
	MPI_Send(&sent, 1, MPI_INT, 0, 0, own);
	MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
	while (!flag)
		MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
	hdMPI_regionEnd();
}

/* Asks itself. */
static int queryProbing(void *data, MPI_Status *status)
{
	(void)data;
	probe(WORLD);
	MPI_Status_set_elements(status, MPI_BYTE, 0);
	MPI_Status_set_cancelled(status, 0);
	status->MPI_SOURCE = MPI_UNDEFINED;
	status->MPI_TAG = MPI_UNDEFINED;
	return MPI_SUCCESS;
}

static int freeNothing(void *data)
{
	(void)data;
	return MPI_SUCCESS;
}

static int cancelNothing(void *data, int isComplete)
{
	(void)data;
	(void)isComplete;
	return MPI_SUCCESS;
}

static void pollInside(void)
{
	MPI_Request request;
	int flag = 0;

	hdMPI_regionStart("Inside");
	MPI_Grequest_start(queryProbing, freeNothing, cancelNothing, NULL,
			   &request);
	MPI_Grequest_complete(request);
	MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
	require(flag, "the request is complete");
	hdMPI_regionEnd();
}

void callsPolling(void)
{
	int flag;

	MPI_Comm_dup(MPI_COMM_SELF, &own);
	MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
	pollSame();
	pollKinds();
	pollBetween();
	pollFound();
	pollInside();
	hdMPI_regionStart("Wrong");
	require(MPI_Iprobe(size + 7, 0, own, &flag, MPI_STATUS_IGNORE) !=
			MPI_SUCCESS,
		"there is no such rank");
	hdMPI_regionEnd();
	MPI_Comm_free(&own);
	/* The last one, before MPI_Finalize. */
	probe(WORLD);
}
