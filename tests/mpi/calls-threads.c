/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads, regions, and very many handles. */
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "tests/mpi/calls.h"

enum { ROUNDS = 50 };

static void *talk(void *data)
{
	int other = 1 - rank, tag = *(int *)data, number = 0;

	for (int i = 0; rank < 2 && i < ROUNDS; i++) {
		if (rank == 0) {
			MPI_Send(&i, 1, MPI_INT, other, tag, WORLD);
			MPI_Recv(&number, 1, MPI_INT, other, tag, WORLD,
				 MPI_STATUS_IGNORE);
		} else {
			MPI_Recv(&number, 1, MPI_INT, other, tag, WORLD,
				 MPI_STATUS_IGNORE);
			MPI_Send(&number, 1, MPI_INT, other, tag, WORLD);
		}
		require(number == i, "a thread got another one's message");
	}
	return NULL;
}

static void expectTalk(int thread, int tag)
{
	char sent[100], received[100];

	snprintf(sent, sizeof(sent),
		 "Send size=4 count=1 tid=0 toRank=%d toTag=%d cid=0", 1 - rank,
		 tag);
	snprintf(received, sizeof(received),
		 "Recv fromRank=%d fromTag=%d size=4 count=1 tid=0 cid=0",
		 1 - rank, tag);
	for (int i = 0; rank < 2 && i < ROUNDS; i++) {
		expectOf(thread, "%s", rank == 0 ? sent : received);
		expectOf(thread, "%s", rank == 0 ? received : sent);
	}
}

/* One after the other threads take over one trace. At the same time each has
 * one; which is which is not known: the script looks for what they did. */
void callsThreads(void)
{
	pthread_t threads[2];
	int tags[] = { 10, 11 };

	require(level == MPI_THREAD_MULTIPLE, "no MPI_THREAD_MULTIPLE");
	for (int i = 0; i < 2; i++) {
		pthread_create(&threads[0], NULL, talk, &tags[i]);
		pthread_join(threads[0], NULL);
		expectTalk(1, tags[i]);
	}
	expect("Barrier cid=0");
	MPI_Barrier(WORLD);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, talk, &tags[i]);
	talk(&(int){ 12 });
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	expectTalk(0, 12);
}

void callsRegions(void)
{
	int flag;

	expect("  Barrier cid=0");
	expect("    Barrier cid=0");
	expect("  Inner");
	expect("  event half way");
	expect("Outer steps=7 error=0.5 method=a b");
	require(hdMPI_regionStart("Outer") == 0, "a region starts");
	require(hdMPI_attributeInt("steps", 7) == 0, "an attribute");
	require(hdMPI_attributeInt("steps", 8) == 1, "one given twice");
	MPI_Barrier(WORLD);
	hdMPI_regionStart("Inner");
	MPI_Barrier(WORLD);
	require(hdMPI_regionEnd() == 0, "a region ends");
	hdMPI_event("half way");
	hdMPI_attributeDouble("error", 0.5);
	hdMPI_attributeString("method", "a b");
	hdMPI_regionEnd();
	require(hdMPI_regionEnd() == 1, "there is no region to end");
	expect("time_step_1 name=time step/1");
	hdMPI_regionStart("time step/1");
	hdMPI_regionEnd();
	expect("Nested_ name=Nested");
	hdMPI_regionStart("Nested");
	hdMPI_regionEnd();

	/* What is disabled is not recorded; what was open then is. */
	expect("Kept");
	hdMPI_regionStart("Kept");
	require(hdMPI_disable() == 0, "recording is disabled");
	require(hdMPI_disable() == 1, "it is disabled already");
	MPI_Barrier(WORLD);
	require(hdMPI_regionStart("Lost") == 1, "nothing is recorded");
	require(hdMPI_attributeInt("lost", 1) == 1, "nothing is recorded");
	require(hdMPI_event("lost") == 1, "nothing is recorded");
	hdMPI_regionEnd();
	hdMPI_regionEnd();
	require(hdMPI_enable() == 0, "recording is enabled");
	expect("Barrier part=1 cid=0");
	MPI_Barrier(WORLD);
	MPI_Pcontrol(0);
	MPI_Barrier(WORLD);
	MPI_Pcontrol(1);
	expect("Iprobe flag=0 cid=0");
	MPI_Iprobe(MPI_ANY_SOURCE, 1, WORLD, &flag, MPI_STATUS_IGNORE);
	/* More regions than can be kept in mind. */
	hdMPI_disable();
	for (int i = 0; i < 1000; i++)
		hdMPI_regionStart("Deep");
	for (int i = 0; i < 1000; i++)
		hdMPI_regionEnd();
	hdMPI_enable();
	expect("Flat");
	hdMPI_regionStart("Flat");
	hdMPI_regionEnd();
	expect("Barrier part=3 cid=0");
	MPI_Barrier(WORLD);
}

/* ---- Many
 * -------------------------------------------------------------------- */

/* Whether a sanitizer keeps what was freed. */
static bool isSanitized(void)
{
	const char *sanitize = getenv("HD_SANITIZE");

	return sanitize && *sanitize;
}

/* In kilobytes; 0 where it means nothing. */
static long memory(void)
{
	struct rusage usage;

	if (isSanitized())
		return 0;
	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss;
}

/* Requests of its own that MPICH can have outstanding at a time; there is no
 * limit for those that are complete from the beginning. */
#ifdef MPICH_VERSION
#define REQUESTS_REAL 200000
#else
#define REQUESTS_REAL INT_MAX
#endif

/* They are completed in another order. */
static void manyRequests(int count)
{
	int real = count < REQUESTS_REAL ? count : REQUESTS_REAL;
	MPI_Request *requests = malloc((size_t)count * sizeof(MPI_Request));

	require(requests != NULL, "no memory");
	for (int i = 0; i < count; i++)
		MPI_Irecv(NULL, 0, MPI_INT, i < real ? rank : MPI_PROC_NULL, 0,
			  WORLD, &requests[i]);
	for (int i = 0; i < real; i++)
		MPI_Send(NULL, 0, MPI_INT, rank, 0, WORLD);
	MPI_Waitall(count / 2, requests + count / 2, MPI_STATUSES_IGNORE);
	for (int i = 0; i < count / 2; i++)
		MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
	free(requests);
}

static void manyComms(int count)
{
	MPI_Datatype type;
	MPI_Comm comm;

	for (int i = 0; i < count; i++) {
		MPI_Comm_dup(MPI_COMM_SELF, &comm);
		MPI_Barrier(comm);
		MPI_Comm_free(&comm);
		MPI_Type_contiguous(2, MPI_INT, &type);
		MPI_Type_commit(&type);
		MPI_Type_free(&type);
	}
}

/* HDTRACE_TEST_REQUESTS are outstanding at a time, and there are a tenth as
 * many communicators and datatypes one after the other. */
void callsMany(void)
{
	const char *given = getenv("HDTRACE_TEST_REQUESTS");
	int requests = given ? atoi(given) : 100000, comms = requests / 10;
	long before, grown;

	/* What the first ones took is used again by the next ones. */
	manyRequests(requests);
	before = memory();
	manyRequests(requests);
	grown = memory() - before;
	printf("%d requests, again: %ld KiB\n", requests, grown);
	require(grown <= requests / 50, "memory grows with requests");
	manyComms(2000);
	before = memory();
	manyComms(comms);
	grown = memory() - before;
	printf("%d communicators and datatypes: %ld KiB\n", comms, grown);
	/* What that many of anything take is more. */
	require(grown <= 200 + comms / 50,
		"memory grows with communicators or datatypes");
}
