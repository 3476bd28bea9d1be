/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages for which there is no memory, and deadlocks for want of it; see
 * transport.h.
 *
 * A message to a node with full="delay" asks when its bridge is free. It is
 * sent if there is memory; otherwise its bridge takes others, and it may ask
 * again when some memory was released.
 *
 * Nothing goes on if all tasks wait and all messages were refused. To find that
 * out over all nodes, those where nothing goes on add up the heads that they
 * sent and received, and their steps. If two such sums are the same, and all
 * heads have arrived, nothing can go on any more.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "PredictionLibrary/execution/transport.h"
#include "common/clock.h"

/* Time between two waves. */
#define WAVE_NS INT64_C(20000000)
/* Tasks of a deadlock that are named. */
#define SHOWN 10

bool hdTransportNeedsRoom(const struct hdTransport *self, uint32_t number)
{
	const struct hdExecuteMessage *message =
		&self->run->plan.messages[number];
	const struct hdPredictServer *server =
		&self->run->plan.platform->servers[message->to];

	return server->full == HD_PREDICT_FULL_DELAY && server->size > 0;
}

/* Whether a message of the same sender, with a lower number, waits. */
static bool scarceIsBehind(const struct hdTransport *self, uint32_t number)
{
	const struct hdExecuteMessage *messages = self->run->plan.messages;

	for (uint32_t i = 0; i < self->refusedCount; i++) {
		const struct hdExecuteMessage *other =
			&messages[self->refused[i].message];

		if (other->from == messages[number].from &&
		    other->number < messages[number].number)
			return true;
	}
	return false;
}

static void scarceForget(struct hdTransport *self, uint32_t number)
{
	for (uint32_t i = 0; i < self->refusedCount; i++) {
		if (self->refused[i].message != number)
			continue;
		self->refused[i] = self->refused[--self->refusedCount];
		return;
	}
}

static void scarceRefuse(struct hdTransport *self, uint32_t number)
{
	if (self->refusedCount == self->refusedRoom) {
		uint32_t room = 2 * self->refusedRoom + 16;
		void *grown =
			realloc(self->refused, room * sizeof(*self->refused));

		if (!grown)
			hdExecuteAbort("not enough memory for messages");
		self->refused = grown;
		self->refusedRoom = room;
	}
	self->refused[self->refusedCount++] =
		(struct hdTransportRefused){ number, false };
}

void hdTransportTakeNeed(struct hdTransport *self, uint32_t number)
{
	struct hdExecution *run = self->run;
	const struct hdExecuteMessage *message = &run->plan.messages[number];
	int ret = -ENOSPC;

	scarceForget(self, number);
	if (!scarceIsBehind(self, number))
		ret = hdExecuteAllocate(run, message->dataSet);
	if (ret == -ENOSPC)
		scarceRefuse(self, number);
	else if (ret < 0)
		hdExecuteAbort("not enough memory for messages");
	atomic_store(&run->refused, self->refusedCount);
	/* Memory may have become free before that was known. */
	atomic_store(&run->hasRoom, true);
	hdTransportSendHead(self, message->from,
			    ret == 0 ? HD_TRANSPORT_HAS_ROOM
				     : HD_TRANSPORT_NO_ROOM,
			    number);
}

bool hdTransportRetry(struct hdTransport *self)
{
	struct hdExecution *run = self->run;
	const struct hdExecutePlan *plan = &run->plan;
	bool mayAny = false;

	if (!self->refusedCount || !atomic_exchange(&run->hasRoom, false) ||
	    atomic_load(&run->isStopped))
		return false;
	for (uint32_t i = 0; i < self->refusedCount; i++) {
		struct hdTransportRefused *refused = &self->refused[i];
		const struct hdExecuteMessage *message =
			&plan->messages[refused->message];

		if (refused->isTold || scarceIsBehind(self, refused->message) ||
		    (double)atomic_load(&run->used) +
				    (double)hdExecuteSize(plan,
							  message->dataSet) >
			    run->limit)
			continue;
		refused->isTold = true;
		hdTransportSendHead(self, message->from, HD_TRANSPORT_RETRY,
				    refused->message);
		mayAny = true;
	}
	return mayAny;
}

/* ---- Deadlocks --------------------------------------------------------- */

void hdTransportScarceBegin(struct hdTransport *self)
{
	const hdPPlatform *platform = self->run->plan.platform;

	for (uint32_t s = 0; s < platform->serverCount; s++)
		self->isScarce |=
			platform->servers[s].full == HD_PREDICT_FULL_DELAY &&
			platform->servers[s].size > 0;
	if (self->isScarce)
		MPI_Comm_dup(MPI_COMM_WORLD, &self->waves);
}

static void scarceStartWave(struct hdTransport *self)
{
	struct hdTransportOperation operation = { .kind = HD_TRANSPORT_WAVE };

	self->waveCount++;
	self->waveParts = 2;
	self->posted = self->own;
	MPI_Iallreduce(&self->posted, &self->sums, 3, MPI_UINT64_T, MPI_SUM,
		       self->waves, hdTransportAddRequest(self, operation));
	MPI_Iallreduce(&self->least, &self->culprit, 1, MPI_INT, MPI_MIN,
		       self->waves, hdTransportAddRequest(self, operation));
}

void hdTransportScarceEnd(struct hdTransport *self)
{
	uint64_t most = self->waveCount;

	free(self->refused);
	if (!self->isScarce)
		return;
	/* All are to have joined as many. */
	MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_UINT64_T, MPI_MAX,
		      MPI_COMM_WORLD);
	if (self->waveCount < most) {
		struct hdTransportWave none = { 0 }, sums;
		int own = INT_MAX, least;
		MPI_Request requests[2];

		MPI_Iallreduce(&none, &sums, 3, MPI_UINT64_T, MPI_SUM,
			       self->waves, &requests[0]);
		MPI_Iallreduce(&own, &least, 1, MPI_INT, MPI_MIN, self->waves,
			       &requests[1]);
		MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	}
	MPI_Comm_free(&self->waves);
}

/* Whether a worker waits for what only others can give it. */
static bool scarceIsStuck(struct hdExecution *run,
			  const struct hdExecuteWorker *worker, bool *isStarved)
{
	uint32_t task = atomic_load(&worker->mark->awaited);
	uint32_t gathering = atomic_load(&worker->mark->gathering);

	if (hdExecuteIsStarved(run, worker)) {
		*isStarved = true;
		return true;
	}
	if (gathering != HD_PREDICT_NONE)
		return !hdExecuteIsGathered(worker, gathering);
	return task != HD_PREDICT_NONE && atomic_load(&run->missing[task]);
}

/* What lets workers that are stuck go on: inputs, and memory. */
static uint64_t scarceProgress(struct hdExecution *run)
{
	uint64_t progress;

	pthread_mutex_lock(&run->memoryLock);
	progress = run->releases + atomic_load(&run->complete);
	pthread_mutex_unlock(&run->memoryLock);
	return progress;
}

/* Whether nothing goes on here until something comes from other nodes. Workers
 * are looked at one after the other: one that was stuck may have got something
 * by another, which is stuck when it is looked at. So there must be no progress
 * while they are. */
static bool scarceIsIdle(struct hdTransport *self)
{
	struct hdExecution *run = self->run;
	bool isStarved = self->refusedCount > 0;
	uint64_t progress = scarceProgress(run);
	uint32_t stuck = 0;

	if (self->count != 1 + self->isLeaving || self->sending ||
	    self->lateCount || atomic_load(&run->isStopped))
		return false;
	for (uint32_t w = 0; w < run->workerCount; w++)
		stuck += scarceIsStuck(run, &run->workers[w], &isStarved);
	if (stuck < atomic_load(&run->working) ||
	    progress != scarceProgress(run))
		return false;
	for (uint32_t i = 0; i < run->ownCount; i++) {
		bool isEmpty;

		pthread_mutex_lock(&run->lock);
		isEmpty = !run->outboxes[run->own[i]].waiting.count;
		pthread_mutex_unlock(&run->lock);
		if (!isEmpty)
			return false;
	}
	self->least = isStarved ? (int)run->plan.server : INT_MAX;
	return true;
}

void hdTransportJoinWave(struct hdTransport *self)
{
	if (!self->isScarce || self->waveParts ||
	    hdMonotonicNow() < self->nextWaveNs || !scarceIsIdle(self))
		return;
	scarceStartWave(self);
}

/* Name who waits for memory here. */
static void scarceReport(struct hdTransport *self)
{
	struct hdExecution *run = self->run;
	const struct hdExecutePlan *plan = &run->plan;
	uint32_t tasks[SHOWN], count = 0;
	char text[500] = "", name[100];
	size_t used = 0;

	for (uint32_t w = 0; w < run->workerCount && count < SHOWN; w++) {
		uint32_t task = atomic_load(&run->marks[w].starved);

		if (task != HD_PREDICT_NONE)
			tasks[count++] = task;
	}
	for (uint32_t i = 0; i < self->refusedCount && count < SHOWN; i++) {
		uint32_t task =
			plan->graph->consumerTask
				[plan->messages[self->refused[i].message]
					 .consumer];
		uint32_t k = 0;

		while (k < count && tasks[k] != task)
			k++;
		if (k == count)
			tasks[count++] = task;
	}
	for (uint32_t i = 1; i < count && used < sizeof(text); i++)
		used += (size_t)snprintf(
			text + used, sizeof(text) - used, "%s %.90s",
			i == 1 ? "; so do" : ",",
			hdExecuteTaskName(run, tasks[i], name, sizeof(name)));
	hdExecuteFail(run, HD_EXECUTE_INVALID, tasks[0],
		      "deadlock: it waits for memory, %lld of %.0f bytes are "
		      "in use%s",
		      (long long)atomic_load(&run->used), run->limit, text);
}

void hdTransportEndWave(struct hdTransport *self)
{
	if (--self->waveParts)
		return;
	self->nextWaveNs = hdMonotonicNow() + WAVE_NS;
	if (self->sums.sent == self->sums.received &&
	    memcmp(&self->sums, &self->before, sizeof(self->sums)) == 0 &&
	    self->culprit == (int)self->run->plan.server)
		scarceReport(self);
	self->before = self->sums;
}
