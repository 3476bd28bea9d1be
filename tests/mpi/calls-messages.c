/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages: blocking, non-blocking, persistent. */
#include <stdlib.h>

#include "tests/mpi/calls.h"

void callsPointToPoint(void)
{
	int next = (rank + 1) % size, last = (rank + size - 1) % size;
	int data[4] = { rank }, more[4] = { 0 }, flag = 0;
	char buffer[1000 + MPI_BSEND_OVERHEAD];
	void *detached;
	int bytes;
	MPI_Message message;
	MPI_Request request;
	MPI_Status status;

	if (rank == 0) {
		expect("Send size=16 count=4 tid=0 toRank=1 toTag=7 cid=0");
		MPI_Send(data, 4, MPI_INT, 1, 7, WORLD);
		expect("Ssend size=2 count=2 tid=1 toRank=1 toTag=8 cid=0");
		MPI_Ssend(data, 2, MPI_CHAR, 1, 8, WORLD);
	} else if (rank == 1) {
		/* What was received, not what there was room for; and no
		 * status is asked for. */
		expect("Recv fromRank=0 fromTag=7 size=16 count=4 tid=0 cid=0");
		MPI_Recv(more, 4, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD,
			 MPI_STATUS_IGNORE);
		expect("Recv fromRank=0 fromTag=8 size=2 count=16 tid=1 cid=0");
		MPI_Recv(more, 16, MPI_CHAR, MPI_ANY_SOURCE, 8, WORLD, &status);
		require(status.MPI_SOURCE == 0 && status.MPI_TAG == 8,
			"the status of a receive");
	}
	expect("Barrier cid=0");
	MPI_Barrier(WORLD);

	expect("Buffer_attach size=%d", (int)sizeof(buffer));
	MPI_Buffer_attach(buffer, (int)sizeof(buffer));
	expect("Bsend size=8 count=2 tid=%d toRank=%d toTag=1 cid=0",
	       rank < 2 ? 0 : 0, next);
	MPI_Bsend(data, 2, MPI_INT, next, 1, WORLD);
	expect("Probe fromRank=%d fromTag=1 size=8 cid=0", last);
	MPI_Probe(last, MPI_ANY_TAG, WORLD, &status);
	expect("Iprobe flag=1 fromRank=%d fromTag=1 size=8 cid=0", last);
	MPI_Iprobe(MPI_ANY_SOURCE, 1, WORLD, &flag, MPI_STATUS_IGNORE);
	require(flag, "a message that was probed is there");
	expect("Recv fromRank=%d fromTag=1 size=8 count=4 tid=0 cid=0", last);
	MPI_Recv(more, 4, MPI_INT, last, 1, WORLD, &status);
	expect("Buffer_detach size=%d", (int)sizeof(buffer));
	MPI_Buffer_detach(&detached, &bytes);
	expect("Iprobe flag=0 cid=0");
	MPI_Iprobe(MPI_ANY_SOURCE, 99, WORLD, &flag, MPI_STATUS_IGNORE);

	expect("Sendrecv size=4 count=1 sendTid=0 toRank=%d toTag=2 "
	       "fromRank=%d fromTag=2 recvSize=4 recvCount=4 recvTid=0 cid=0",
	       next, last);
	MPI_Sendrecv(data, 1, MPI_INT, next, 2, more, 4, MPI_INT,
		     MPI_ANY_SOURCE, 2, WORLD, MPI_STATUS_IGNORE);
	require(more[0] == last, "what Sendrecv moves");
	expect("Sendrecv_replace size=4 count=1 sendTid=0 toRank=%d toTag=3 "
	       "fromRank=%d fromTag=3 recvSize=4 recvCount=1 recvTid=0 cid=0",
	       next, last);
	MPI_Sendrecv_replace(data, 1, MPI_INT, next, 3, last, 3, WORLD,
			     &status);

	expect("Send size=4 count=1 tid=0 toRank=%d toTag=4 cid=0", rank);
	expect("Mprobe fromRank=%d fromTag=4 size=4 cid=0", rank);
	expect("Mrecv cid=0 fromRank=%d fromTag=4 size=4 count=4 tid=0", rank);
	MPI_Send(data, 1, MPI_INT, rank, 4, WORLD);
	MPI_Mprobe(MPI_ANY_SOURCE, 4, WORLD, &message, MPI_STATUS_IGNORE);
	MPI_Mrecv(more, 4, MPI_INT, &message, MPI_STATUS_IGNORE);
	/* To and from nobody. */
	expect("Send size=4 count=1 tid=0 toRank=-2 toTag=0 cid=0");
	MPI_Send(data, 1, MPI_INT, MPI_PROC_NULL, 0, WORLD);
	expect("Recv fromRank=-2 fromTag=-1 size=0 count=1 tid=0 cid=0");
	MPI_Recv(data, 1, MPI_INT, MPI_PROC_NULL, 0, WORLD, &status);
	/* A message from nobody is one of no communicator. */
	expect("Mprobe fromRank=-2 fromTag=-1 size=0 cid=0");
	MPI_Mprobe(MPI_PROC_NULL, 0, WORLD, &message, MPI_STATUS_IGNORE);
	require(message == MPI_MESSAGE_NO_PROC, "it comes from nobody");
	expect("Mrecv fromRank=-2 fromTag=-1 size=0 count=1 tid=0");
	MPI_Mrecv(data, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
	expect("Improbe flag=1 fromRank=-2 fromTag=-1 size=0 cid=0");
	MPI_Improbe(MPI_PROC_NULL, 0, WORLD, &flag, &message,
		    MPI_STATUS_IGNORE);
	require(flag && message == MPI_MESSAGE_NO_PROC, "nor does this");
	expect("Imrecv count=1 tid=0 rid=0");
	MPI_Imrecv(data, 1, MPI_INT, &message, &request);
	expect("Wait rid=0 fromRank=-2 fromTag=-1 size=0");
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Requests to itself: what is complete when does not depend on others. */
static void sendToSelf(int tag, MPI_Request *request, int rid)
{
	static int data[2];

	expect("Isend size=8 count=2 tid=0 toRank=%d toTag=%d cid=0 rid=%d",
	       rank, tag, rid);
	MPI_Isend(data, 2, MPI_INT, rank, tag, WORLD, request);
}

static void receiveAny(int tag, MPI_Request *request, int rid)
{
	static int data[4];

	expect("Irecv size=16 count=4 tid=0 fromRank=-1 fromTag=%d cid=0 "
	       "rid=%d",
	       tag, rid);
	MPI_Irecv(data, 4, MPI_INT, MPI_ANY_SOURCE, tag, WORLD, request);
}

void callsRequests(void)
{
	MPI_Request requests[4];
	MPI_Status statuses[4], status;
	int index, flag = 0, count = 0, indices[4], data = 1;
	MPI_Message message;

	receiveAny(1, &requests[0], 0);
	sendToSelf(1, &requests[1], 1);
	expect("Wait rid=0 fromRank=%d fromTag=1 size=8 cid=0", rank);
	MPI_Wait(&requests[0], &status);
	require(status.MPI_SOURCE == rank, "the status of a request");
	expect("Wait rid=1");
	MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
	/* There is nothing to wait for. */
	expect("Wait");
	MPI_Wait(&requests[1], MPI_STATUS_IGNORE);

	receiveAny(2, &requests[0], 2);
	sendToSelf(2, &requests[1], 3);
	requests[2] = MPI_REQUEST_NULL;
	expect("Waitall count=3 completed=2 <Request rid=2 fromRank=%d "
	       "fromTag=2 size=8 cid=0/> <Request rid=3/>",
	       rank);
	MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);

	receiveAny(3, &requests[0], 4);
	sendToSelf(3, &requests[1], 5);
	expect("Wait rid=5");
	MPI_Wait(&requests[1], &status);
	expect("Waitany count=2 flag=1 rid=4 fromRank=%d fromTag=3 size=8 "
	       "cid=0",
	       rank);
	MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
	require(index == 0, "the index of Waitany");
	expect("Waitany count=2 flag=1");
	MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);

	/* Not complete before it is sent; then Waitsome knows. */
	receiveAny(4, &requests[0], 6);
	receiveAny(5, &requests[1], 7);
	expect("Test flag=0");
	MPI_Test(&requests[0], &flag, &status);
	expect("Testall count=2 completed=0");
	MPI_Testall(2, requests, &flag, statuses);
	expect("Testany count=2 flag=0");
	MPI_Testany(2, requests, &index, &flag, &status);
	expect("Testsome count=2 completed=0");
	MPI_Testsome(2, requests, &count, indices, statuses);
	expect("Send size=4 count=1 tid=0 toRank=%d toTag=5 cid=0", rank);
	MPI_Send(&data, 1, MPI_INT, rank, 5, WORLD);
	expect("Waitsome count=2 completed=1 <Request rid=7 fromRank=%d "
	       "fromTag=5 size=4 cid=0/>",
	       rank);
	MPI_Waitsome(2, requests, &count, indices, MPI_STATUSES_IGNORE);
	require(count == 1 && indices[0] == 1, "the index of Waitsome");
	expect("Cancel rid=6");
	MPI_Cancel(&requests[0]);
	expect("Wait rid=6 fromRank=-2 fromTag=-1 size=0 cid=0");
	MPI_Wait(&requests[0], &status);

	sendToSelf(6, &requests[0], 8);
	expect("Mprobe fromRank=%d fromTag=6 size=8 cid=0", rank);
	MPI_Mprobe(rank, 6, WORLD, &message, &status);
	expect("Imrecv cid=0 count=1 tid=%d rid=9", 1);
	MPI_Imrecv(statuses, 1, MPI_DOUBLE, &message, &requests[1]);
	expect("Waitall count=2 completed=2 <Request rid=8/> <Request rid=9 "
	       "fromRank=%d fromTag=6 size=8 cid=0/>",
	       rank);
	MPI_Waitall(2, requests, statuses);
}

void callsPersistent(void)
{
	MPI_Request requests[2];
	int data[2] = { 0 }, more[2];

	expect("Recv_init size=8 count=2 tid=0 fromRank=-1 fromTag=-1 cid=0 "
	       "rid=0");
	MPI_Recv_init(more, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD,
		      &requests[0]);
	expect("Send_init size=4 count=1 tid=0 toRank=%d toTag=9 cid=0 rid=1",
	       rank);
	MPI_Send_init(data, 1, MPI_INT, rank, 9, WORLD, &requests[1]);
	/* Not active: nothing to wait for. */
	expect("Wait");
	MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
	for (int i = 0; i < 3; i++) {
		expect("Start rid=0");
		MPI_Start(&requests[0]);
		expect("Start rid=1");
		MPI_Start(&requests[1]);
		expect("Wait rid=0 fromRank=%d fromTag=9 size=4 cid=0", rank);
		MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
		expect("Wait rid=1");
		MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
	}
	expect("Startall count=2 <Request rid=0/> <Request rid=1/>");
	MPI_Startall(2, requests);
	expect("Waitall count=2 completed=2 <Request rid=0 fromRank=%d "
	       "fromTag=9 size=4 cid=0/> <Request rid=1/>",
	       rank);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	expect("Request_free rid=0");
	MPI_Request_free(&requests[0]);
	expect("Request_free rid=1");
	MPI_Request_free(&requests[1]);
}

/* ---- Other modes ------------------------------------------------------------
 */

/* The receive is there before what needs it ready. */
static void receiveFirst(int tag, MPI_Request *request, int rid)
{
	static int data[4];

	expect("Irecv size=16 count=4 tid=0 fromRank=%d fromTag=%d cid=0 "
	       "rid=%d",
	       rank, tag, rid);
	MPI_Irecv(data, 4, MPI_INT, rank, tag, WORLD, request);
}

static void finishBoth(MPI_Request requests[2], int rid, int tag)
{
	expect("Waitall count=2 completed=2 <Request rid=%d fromRank=%d "
	       "fromTag=%d size=8 cid=0/> <Request rid=%d/>",
	       rid, rank, tag, rid + 1);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

typedef int sendFunction(const void *data, int count, MPI_Datatype type, int to,
			 int tag, MPI_Comm comm, MPI_Request *request);

/* Send in a mode, without blocking and persistently. */
static void sendModes(void)
{
	static const struct {
		const char *name;
		sendFunction *send;
		bool isPersistent;
	} modes[] = {
		{ "Ibsend", MPI_Ibsend, false },
		{ "Issend", MPI_Issend, false },
		{ "Irsend", MPI_Irsend, false },
		{ "Bsend_init", MPI_Bsend_init, true },
		{ "Ssend_init", MPI_Ssend_init, true },
		{ "Rsend_init", MPI_Rsend_init, true },
	};
	int data[2] = { rank };
	MPI_Request requests[2];

	for (int i = 0; i < 6; i++) {
		receiveFirst(i, &requests[0], 2 * i);
		expect("%s size=8 count=2 tid=0 toRank=%d toTag=%d cid=0 "
		       "rid=%d",
		       modes[i].name, rank, i, 2 * i + 1);
		modes[i].send(data, 2, MPI_INT, rank, i, WORLD, &requests[1]);
		if (modes[i].isPersistent) {
			expect("Start rid=%d", 2 * i + 1);
			MPI_Start(&requests[1]);
		}
		finishBoth(requests, 2 * i, i);
		if (modes[i].isPersistent) {
			expect("Request_free rid=%d", 2 * i + 1);
			MPI_Request_free(&requests[1]);
		}
	}
}

/* ---- Requests of the program's own ------------------------------------------
 */

static int queryOwn(void *data, MPI_Status *status)
{
	(void)data;
	MPI_Status_set_elements(status, MPI_BYTE, 0);
	MPI_Status_set_cancelled(status, 0);
	status->MPI_SOURCE = MPI_UNDEFINED;
	status->MPI_TAG = MPI_UNDEFINED;
	return MPI_SUCCESS;
}

static int freeOwn(void *data)
{
	(void)data;
	return MPI_SUCCESS;
}

static int cancelOwn(void *data, int complete)
{
	(void)data;
	(void)complete;
	return MPI_SUCCESS;
}

void callsModes(void)
{
	char buffer[1000 + MPI_BSEND_OVERHEAD];
	int data[2] = { rank }, flag = 0, bytes;
	MPI_Request request;
	MPI_Message message;
	void *detached;

	expect("Buffer_attach size=%d", (int)sizeof(buffer));
	MPI_Buffer_attach(buffer, (int)sizeof(buffer));
	sendModes();
	expect("Buffer_detach size=%d", (int)sizeof(buffer));
	MPI_Buffer_detach(&detached, &bytes);

	receiveFirst(20, &request, 12);
	expect("Request_get_status rid=12 flag=0");
	MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
	expect("Rsend size=8 count=2 tid=0 toRank=%d toTag=20 cid=0", rank);
	MPI_Rsend(data, 2, MPI_INT, rank, 20, WORLD);
	expect("Wait rid=12 fromRank=%d fromTag=20 size=8 cid=0", rank);
	MPI_Wait(&request, MPI_STATUS_IGNORE);

	expect("Improbe flag=0 cid=0");
	MPI_Improbe(rank, 21, WORLD, &flag, &message, MPI_STATUS_IGNORE);
	expect("Isend size=8 count=2 tid=0 toRank=%d toTag=21 cid=0 rid=13",
	       rank);
	MPI_Isend(data, 2, MPI_INT, rank, 21, WORLD, &request);
	expect("Probe fromRank=%d fromTag=21 size=8 cid=0", rank);
	MPI_Probe(rank, 21, WORLD, MPI_STATUS_IGNORE);
	expect("Improbe flag=1 fromRank=%d fromTag=21 size=8 cid=0", rank);
	MPI_Improbe(rank, 21, WORLD, &flag, &message, MPI_STATUS_IGNORE);
	expect("Mrecv cid=0 fromRank=%d fromTag=21 size=8 count=2 tid=0", rank);
	MPI_Mrecv(data, 2, MPI_INT, &message, MPI_STATUS_IGNORE);
	expect("Wait rid=13");
	MPI_Wait(&request, MPI_STATUS_IGNORE);

	expect("Grequest_start rid=14");
	MPI_Grequest_start(queryOwn, freeOwn, cancelOwn, NULL, &request);
	expect("Grequest_complete rid=14 flag=1");
	MPI_Grequest_complete(request);
	expect("Wait rid=14");
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}
