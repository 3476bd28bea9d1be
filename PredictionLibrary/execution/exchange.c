/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages between each two nodes, one after the other, with pauses around:
 * what links take. States are those of doc/format/prediction.md; see execute.h.
 *
 * A message is one of a run: a head, the data by MPI_Issend(), and as much time
 * between two looks for them as transport.c has. So its energy is what a
 * message of a run takes. Who has nothing to do sleeps, and hardly looks: power
 * in pauses is idle power.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "PredictionLibrary/execution/execute.h"
#include "PredictionLibrary/output/project.h"
#include "common/clock.h"

enum { TAG_HEAD = 1, TAG_DATA = 2, TAG_COUNT = 3 };

/* Time between two looks of who waits for others. */
#define QUIET_NS INT64_C(10000000)
/* A trial takes so long at least. */
#define TRIAL_NS (HD_NS_PER_S / 20)

/* What one of two nodes knows. */
struct exchange {
	const struct hdExecution *run;
	const struct hdExecuteLinks *links;
	hdTrace *trace;
	int first, second, other; /* Processes; the first one begins. */
	bool isFirst;
	char *data;
	int size;
	int error; /* Of the trace: the first one, as errno. */
};

static void exchangeNoteError(struct exchange *self, bool isGood)
{
	if (!isGood && !self->error)
		self->error = errno ? errno : EIO;
}

/* ---- Messages ---------------------------------------------------------- */

static void sleepUntil(int64_t ns)
{
	struct timespec when = hdClockToTimespec(ns);

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL) ==
	       EINTR)
		;
}

/* As transport.c waits. */
static void exchangeAwaitAll(MPI_Request *requests, int count)
{
	int64_t sinceNs = hdMonotonicNow();
	int64_t waitNs = HD_EXECUTE_FIRST_WAIT_NS, longestNs;
	int isOver = 0;

	for (;;) {
		MPI_Testall(count, requests, &isOver, MPI_STATUSES_IGNORE);
		if (isOver)
			return;
		sleepUntil(hdMonotonicNow() + waitNs);
		longestNs = hdExecuteLongestWait(hdMonotonicNow() - sinceNs);
		waitNs = 2 * waitNs < longestNs ? 2 * waitNs : longestNs;
	}
}

static void sendOne(struct exchange *self)
{
	int64_t dueNs = hdMonotonicNow() +
			hdExecutePaceNs(self->run, (size_t)self->size);
	MPI_Request requests[2];
	uint64_t head = 0;

	MPI_Isend(&head, sizeof(head), MPI_BYTE, self->other, TAG_HEAD,
		  MPI_COMM_WORLD, &requests[0]);
	MPI_Issend(self->data, self->size, MPI_BYTE, self->other, TAG_DATA,
		   MPI_COMM_WORLD, &requests[1]);
	exchangeAwaitAll(requests, 2);
	sleepUntil(dueNs);
}

static void receiveOne(struct exchange *self)
{
	MPI_Request request;
	uint64_t head;
	int64_t dueNs;

	MPI_Irecv(&head, sizeof(head), MPI_BYTE, self->other, TAG_HEAD,
		  MPI_COMM_WORLD, &request);
	exchangeAwaitAll(&request, 1);
	dueNs = hdMonotonicNow() +
		hdExecutePaceNs(self->run, (size_t)self->size);
	MPI_Irecv(self->data, self->size, MPI_BYTE, self->other, TAG_DATA,
		  MPI_COMM_WORLD, &request);
	exchangeAwaitAll(&request, 1);
	sleepUntil(dueNs);
}

/* There and back, so often. */
static void bounce(struct exchange *self, int64_t count)
{
	for (int64_t i = 0; i < count; i++) {
		if (self->isFirst)
			sendOne(self);
		receiveOne(self);
		if (!self->isFirst)
			sendOne(self);
	}
}

/* A number of the first one, for both. */
static int64_t exchangeShareNumber(const struct exchange *self, int64_t number)
{
	if (self->isFirst)
		MPI_Send(&number, 1, MPI_INT64_T, self->other, TAG_COUNT,
			 MPI_COMM_WORLD);
	else
		MPI_Recv(&number, 1, MPI_INT64_T, self->other, TAG_COUNT,
			 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return number;
}

/* All processes are here; who waits for that takes no CPU time worth that. */
static void meet(void)
{
	MPI_Request request;
	int isOver = 0;

	MPI_Ibarrier(MPI_COMM_WORLD, &request);
	for (;;) {
		MPI_Test(&request, &isOver, MPI_STATUS_IGNORE);
		if (isOver)
			return;
		sleepUntil(hdMonotonicNow() + QUIET_NS);
	}
}

/* ---- States ------------------------------------------------------------ */

static void exchangePauseFor(struct exchange *self)
{
	exchangeNoteError(self, hdT_logStateStart(self->trace, "Pause") == 0);
	sleepUntil(hdMonotonicNow() + llround(self->links->pauseSeconds * 1e9));
	exchangeNoteError(self, hdT_logStateEnd(self->trace) == 0);
}

/* How often a message has to go there and back to fill the time of a batch. */
static int64_t exchangeProbeRounds(struct exchange *self)
{
	double batchNs = self->links->batchSeconds * 1e9;
	int64_t count = 1, tookNs = 0;

	exchangeNoteError(self, hdT_logStateStart(self->trace, "Trial") == 0);
	for (;;) {
		int64_t startNs = hdMonotonicNow();

		bounce(self, count);
		tookNs = hdMonotonicNow() - startNs;
		if (exchangeShareNumber(self, tookNs >= TRIAL_NS))
			break;
		count *= 2;
	}
	exchangeNoteError(self, hdT_logStateEnd(self->trace) == 0);
	return exchangeShareNumber(
		self, (int64_t)ceil(batchNs * (double)count / (double)tookNs));
}

static bool logNode(const struct exchange *self, const char *name, int server)
{
	char *label =
		hdPredictHostLabel(self->run->plan.platform, (uint32_t)server);
	bool isGood =
		label && hdT_logAttributeString(self->trace, name, label) == 0;

	free(label);
	return isGood;
}

static bool logArchitecture(const struct exchange *self)
{
	const hdPPlatform *platform = self->run->plan.platform;
	uint32_t pe = self->run->workers[0].pe;
	char *name = hdPredictNameCopy(&platform->peArchitectures,
				       platform->pes[pe].architecture);
	bool isGood = name && hdT_logAttributeString(self->trace,
						     "architecture", name) == 0;

	free(name);
	return isGood;
}

static void exchange(struct exchange *self, int64_t count)
{
	exchangeNoteError(self,
			  hdT_logStateStart(self->trace, "Exchange") == 0);
	bounce(self, count);
	exchangeNoteError(
		self, logNode(self, "from", self->first) &&
			      logNode(self, "to", self->second) &&
			      hdT_logAttributeInt64(self->trace, "size",
						    self->size) == 0 &&
			      hdT_logAttributeInt64(self->trace, "repetitions",
						    count) == 0 &&
			      logArchitecture(self));
	exchangeNoteError(self, hdT_logStateEnd(self->trace) == 0);
}

/* ---- All of it --------------------------------------------------------- */

static void bounceSizes(struct exchange *self)
{
	for (size_t i = 0; i < self->links->sizeCount; i++) {
		int64_t count;

		self->size = self->links->sizes[i];
		self->data = calloc((size_t)self->size + 1, 1);
		if (!self->data)
			hdExecuteAbort("not enough memory for messages");
		count = exchangeProbeRounds(self);
		exchangePauseFor(self);
		exchange(self, count);
		exchangePauseFor(self);
		free(self->data);
	}
}

int hdExecuteExchange(struct hdExecution *self,
		      const struct hdExecuteLinks *links)
{
	int own = (int)self->plan.server;
	int servers = (int)self->plan.platform->serverCount;
	int error = 0;

	hdExecuteWaitExactly();
	for (int a = 0; a < servers; a++) {
		for (int b = a + 1; b < servers; b++) {
			struct exchange both = { .run = self,
						 .links = links,
						 .trace =
							 self->workers[0].trace,
						 .first = a,
						 .second = b,
						 .other = own == a ? b : a,
						 .isFirst = own == a };

			meet();
			if (own == a || own == b)
				bounceSizes(&both);
			error = error ? error : both.error;
		}
	}
	meet();
	return -error;
}
