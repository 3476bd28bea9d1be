/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Comparing the clocks of the hosts. */
#include "config.h"

#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "MPITracingLibrary/src/host/clocksync.h"
#include "common/clock.h"
#include "common/clockfit.h"

/* Round trips of a comparison: at least so many, and more while they take no
 * longer than this; or than the other time, where none was short: processes
 * share a processor then, and it depends on luck who has it. */
#define CLOCK_TRIPS_MIN 16
#define CLOCK_TRIPS_MAX 128
#define CLOCK_TRIPS_NS 20000000
#define CLOCK_LUCK_NS 100000000
#define CLOCK_SHORT_NS 1000000
#define CLOCK_TAG 1
/* At every so many collective calls, or more often, rank 0 says whether it is
 * time. */
#define CLOCK_CALLS_MAX 16

atomic_bool hdmpiClockIsRepeated;

static struct {
	MPI_Comm world;
	const struct hdmpiProcess *process;
	unsigned int calls; /* Until rank 0 says again whether it is time. */
	/* Of rank 0: */
	int64_t last;      /* When clocks were compared. */
	int64_t asked;     /* When it was said last whether it is time. */
	unsigned int step; /* Calls since then. */
} repeat;

/* ---- Round trips -----------------------------------------------------------
 */

/* Receive, and give the processor away while waiting: the answer may come from
 * a process that has none. */
static int clockSyncReceive(void *data, MPI_Datatype type, int source,
			    MPI_Comm world, MPI_Status *status)
{
	MPI_Request request;
	int isThere = 0;

	if (PMPI_Irecv(data, 1, type, source, CLOCK_TAG, world, &request) !=
	    MPI_SUCCESS)
		return -1;
	for (;;) {
		if (PMPI_Test(&request, &isThere, status) != MPI_SUCCESS)
			return -1;
		if (isThere)
			return 0;
		sched_yield();
	}
}

/* Ask rank 0 for the time, once; tell it whether that was the last time. */
static int askOnce(MPI_Comm world, int isLast, struct hdClockTrip *trip)
{
	trip->sent = hdClockNow();
	if (PMPI_Send(&isLast, 1, MPI_INT, 0, CLOCK_TAG, world) !=
		    MPI_SUCCESS ||
	    clockSyncReceive(&trip->reference, MPI_INT64_T, 0, world,
			     MPI_STATUS_IGNORE) < 0)
		return -1;
	trip->received = hdClockNow();
	/* Where a clock could not be read there is no trip. */
	if (trip->sent < 0 || trip->reference < 0)
		trip->received = trip->sent - 1;
	return 0;
}

static int clockSyncAskLeader(MPI_Comm world, struct hdClockPoint *point)
{
	struct hdClockTrip trips[CLOCK_TRIPS_MAX];
	int64_t limit = CLOCK_LUCK_NS;
	int64_t start = 0;
	int isLast = 0;
	size_t count = 0;

	while (!isLast) {
		isLast = count + 1 == CLOCK_TRIPS_MAX ||
			 (count >= CLOCK_TRIPS_MIN &&
			  hdMonotonicNow() - start > limit);
		if (askOnce(world, isLast, &trips[count]) < 0)
			return -1;
		if (trips[count].received - trips[count].sent < CLOCK_SHORT_NS)
			limit = CLOCK_TRIPS_NS;
		/* Before the first answer others may have been answered. */
		if (count++ == 0)
			start = hdMonotonicNow();
	}
	return hdClockEstimate(trips, count, point) < 0 ? -1 : 0;
}

/* Answer one leader after the other, in whatever order they ask. */
static int clockSyncAnswerLeaders(MPI_Comm world, int leaders)
{
	for (int i = 0; i < leaders; i++) {
		int source = MPI_ANY_SOURCE;
		int isLast = 0;

		while (!isLast) {
			MPI_Status status;
			int64_t now;

			if (clockSyncReceive(&isLast, MPI_INT, source, world,
					     &status) < 0)
				return -1;
			now = hdClockNow();
			source = status.MPI_SOURCE;
			if (PMPI_Send(&now, 1, MPI_INT64_T, source, CLOCK_TAG,
				      world) != MPI_SUCCESS)
				return -1;
		}
	}
	return 0;
}

static void clockSyncRecordPoint(struct hdmpiThread *self,
				 const struct hdClockPoint *point,
				 const char *method)
{
	long long offset = llabs(point->offset);

	if (!self || !self->trace)
		return;
	hdT_writeInfo(self->trace,
		      "Clock time=%lld.%09lld offset=%s%lld.%09lld "
		      "error=%lld.%09lld method='%s'\n",
		      (long long)(point->time / HD_NS_PER_S),
		      (long long)(point->time % HD_NS_PER_S),
		      point->offset < 0 ? "-" : "", offset / HD_NS_PER_S,
		      offset % HD_NS_PER_S,
		      (long long)(point->error / HD_NS_PER_S),
		      (long long)(point->error % HD_NS_PER_S), method);
}

int hdmpiClockMeasure(MPI_Comm world, const struct hdmpiProcess *process,
		      struct hdmpiThread *self)
{
	int isOther = process->isLeader && process->rank != 0;
	int others = 0;
	struct hdClockPoint point = { .error = 0 };

	if (PMPI_Reduce(&isOther, &others, 1, MPI_INT, MPI_SUM, 0, world) !=
	    MPI_SUCCESS)
		return -1;
	if (isOther) {
		if (clockSyncAskLeader(world, &point) < 0)
			return -1;
		clockSyncRecordPoint(self, &point, "ping-pong");
	} else if (process->rank == 0 && others > 0) {
		point.time = hdClockNow();
		if (clockSyncAnswerLeaders(world, others) < 0 || point.time < 0)
			return -1;
		clockSyncRecordPoint(self, &point, "reference");
	}
	return 0;
}

/* ---- Again and again -------------------------------------------------------
 */

void hdmpiClockRepeatStart(MPI_Comm world, const struct hdmpiProcess *process,
			   bool isAble)
{
	int able = isAble, allAble = 0;

	if (hdmpiOptions.clockNs <= 0 ||
	    PMPI_Allreduce(&able, &allAble, 1, MPI_INT, MPI_MIN, world) !=
		    MPI_SUCCESS ||
	    !allAble)
		return;
	repeat.world = world;
	repeat.process = process;
	repeat.calls = 1;
	repeat.step = 1;
	repeat.last = repeat.asked = hdMonotonicNow();
	atomic_store(&hdmpiClockIsRepeated, true);
}

void hdmpiClockRepeatEnd(void)
{
	atomic_store(&hdmpiClockIsRepeated, false);
}

/* Rank 0: whether it is time, and after how many calls to ask again: about
 * half of those that are made until it is. */
static void decide(unsigned int plan[2])
{
	int64_t now = hdMonotonicNow();
	int64_t left = repeat.last + hdmpiOptions.clockNs - now;
	int64_t each = (now - repeat.asked) / repeat.step;
	int64_t calls;

	plan[0] = left <= 0;
	if (plan[0]) {
		repeat.last = now;
		left = hdmpiOptions.clockNs;
	}
	calls = left / 2 / (each > 0 ? each : 1);
	if (calls > CLOCK_CALLS_MAX)
		calls = CLOCK_CALLS_MAX;
	plan[1] = calls > 0 ? (unsigned int)calls : 1;
	repeat.asked = now;
	repeat.step = plan[1];
}

int64_t hdmpiClockRepeat(struct hdmpiThread *self)
{
	unsigned int plan[2] = { 0, CLOCK_CALLS_MAX };
	int64_t start;

	if (--repeat.calls > 0)
		return -1;
	start = hdClockNow();
	if (repeat.process->rank == 0)
		decide(plan);
	if (PMPI_Bcast(plan, 2, MPI_UNSIGNED, 0, repeat.world) != MPI_SUCCESS) {
		hdmpiClockRepeatEnd();
		return start;
	}
	repeat.calls = plan[1];
	if (plan[0])
		hdmpiClockMeasure(repeat.world, repeat.process, self);
	return start;
}
