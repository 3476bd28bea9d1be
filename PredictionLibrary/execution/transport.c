/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Data sets between processes, by MPI; see execute.h.
 *
 * A message is a head, which names it, and the data. A bridge takes one message
 * after the other, of those that wait the one with the lowest number; it is
 * over when the receiver has begun to take the data (MPI_Issend), with a pace
 * not before its time. The receiver, too, waits that time before it passes the
 * data on: so a pace holds whatever the network takes less than it.
 *
 * With a pace, the last bridge of a path takes one message after the other,
 * too: where several senders meet, one asks first, keeps its own bridge, and is
 * let in when the bridge of the receiver is free: of those that ask the one
 * with the lowest number. Who was let in has all that it needs, so none waits
 * for ever.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include "PredictionLibrary/execution/transport.h"
#include "common/clock.h"

enum { TAG_HEAD = 1, TAG_DATA = 2 };

/* Waits between two looks for what others send. Each look is CPU time, and
 * energy, that no model has: so they become rarer with the time that nothing
 * came, up to a part of it, by which what comes is late at most. Where no task
 * waits for a message that does not matter, until one does, and says so. */
#define MOVING_PART 8
#define MOVING_LEAST_NS 20000
#define MOVING_WAIT_NS 100000
#define AWAITED_PART 32
#define AWAITED_WAIT_NS 20000
#define RARE_WAIT_NS 1000000
/* Who is alone gets nothing, and is woken for all else. */
#define ALONE_WAIT_NS 100000000

static const char noMemory[] = "not enough memory for messages";

void hdExecuteAbort(const char *what)
{
	fprintf(stderr, "hdexecute: %s\n", what);
	MPI_Abort(MPI_COMM_WORLD, HD_EXECUTE_FAILED);
	abort();
}

MPI_Request *hdTransportAddRequest(struct hdTransport *self,
				   struct hdTransportOperation operation)
{
	/* What is late had its place among them. */
	if (self->count + self->lateCount >= self->room) {
		int room = 2 * self->room + 16;
		size_t n = (size_t)room;
		void *requests =
			realloc(self->requests, n * sizeof(*self->requests));
		void *operations =
			realloc(self->operations, n * sizeof(operation));
		void *indices =
			realloc(self->indices, n * sizeof(*self->indices));
		void *late = realloc(self->late, n * sizeof(operation));

		if (!requests || !operations || !indices || !late)
			hdExecuteAbort(noMemory);
		self->requests = requests;
		self->operations = operations;
		self->indices = indices;
		self->late = late;
		self->room = room;
	}
	self->operations[self->count] = operation;
	return &self->requests[self->count++];
}

int64_t hdExecutePaceNs(const struct hdExecution *self, size_t size)
{
	double seconds = self->pace.latency;

	if (self->pace.rate > 0)
		seconds += (double)size / self->pace.rate;
	return (int64_t)llround(seconds * 1e9);
}

static int64_t due(const struct hdTransport *self, uint32_t message)
{
	const struct hdExecutePlan *plan = &self->run->plan;

	return hdMonotonicNow() +
	       hdExecutePaceNs(
		       self->run,
		       hdExecuteSize(plan, plan->messages[message].dataSet));
}

void hdTransportSendHead(struct hdTransport *self, uint32_t to,
			 enum hdTransportWord word, uint32_t message)
{
	struct hdTransportHead *head = malloc(sizeof(*head));

	if (!head)
		hdExecuteAbort(noMemory);
	*head = (struct hdTransportHead){ word, message };
	self->own.sent++;
	MPI_Isend(head, sizeof(*head), MPI_BYTE, (int)to, TAG_HEAD,
		  MPI_COMM_WORLD,
		  hdTransportAddRequest(self,
					(struct hdTransportOperation){
						.kind = HD_TRANSPORT_HEAD_OUT,
						.head = head }));
}

/* It has to be let in where it goes. */
static bool hasToAsk(const struct hdExecution *run, uint32_t message)
{
	return (run->pace.rate > 0 || run->pace.latency > 0) &&
	       run->plan.messages[message].isShared;
}

/* ---- Receiving --------------------------------------------------------- */

static void transportListenHead(struct hdTransport *self)
{
	MPI_Request *request = hdTransportAddRequest(
		self,
		(struct hdTransportOperation){ .kind = HD_TRANSPORT_HEAD_IN });

	MPI_Irecv(&self->headIn, sizeof(self->headIn), MPI_BYTE, MPI_ANY_SOURCE,
		  TAG_HEAD, MPI_COMM_WORLD, request);
}

/* Data follow; there must be a place for them, also if all stops. */
static void transportReceiveData(struct hdTransport *self, uint32_t number)
{
	struct hdExecution *run = self->run;
	const struct hdExecuteMessage *message = &run->plan.messages[number];
	size_t size = hdExecuteSize(&run->plan, message->dataSet);
	int ret = hdTransportNeedsRoom(self, number)
			  ? 0
			  : hdExecuteAllocate(run, message->dataSet);
	MPI_Request *request;

	if (ret == -ENOSPC) {
		hdExecuteFail(run, HD_EXECUTE_INVALID,
			      run->plan.graph->consumerTask[message->consumer],
			      "not enough memory for an input of %zu bytes: "
			      "%lld of %.0f bytes are in use",
			      size, (long long)atomic_load(&run->used),
			      run->limit);
		run->buffers[message->dataSet].data = malloc(size + 1);
	}
	if (!run->buffers[message->dataSet].data)
		hdExecuteAbort(noMemory);
	request = hdTransportAddRequest(
		self, (struct hdTransportOperation){ HD_TRANSPORT_DATA_IN,
						     number, hdMonotonicNow(),
						     due(self, number), NULL });
	MPI_Irecv(run->buffers[message->dataSet].data, (int)size, MPI_BYTE,
		  (int)message->from, TAG_DATA, MPI_COMM_WORLD, request);
}

/* Let in the next one by a bridge; after a stop nobody. */
static void transportAdmit(struct hdTransport *self, uint32_t edge)
{
	struct hdExecution *run = self->run;
	struct hdExecuteOutbox *outbox = &run->outboxes[edge];
	uint32_t number;

	if (outbox->isTaken || !outbox->arriving.count ||
	    atomic_load(&run->isStopped))
		return;
	outbox->isTaken = true;
	number = hdPredictEventsTake(&outbox->arriving).id;
	hdTransportSendHead(self, run->plan.messages[number].from,
			    HD_TRANSPORT_MAY_COME, number);
}

static void takeAsking(struct hdTransport *self, uint32_t number)
{
	const struct hdExecuteMessage *message =
		&self->run->plan.messages[number];
	uint32_t edge = hdExecuteLastEdge(message);

	hdPredictEventsSet(&self->run->outboxes[edge].arriving, number,
			   message->number);
	transportAdmit(self, edge);
}

/* ---- Sending ----------------------------------------------------------- */

static void sendData(struct hdTransport *self, uint32_t number)
{
	struct hdExecution *run = self->run;
	const struct hdExecuteMessage *message = &run->plan.messages[number];
	int64_t dueNs = due(self, number);
	size_t size = hdExecuteSize(&run->plan, message->dataSet);

	if (!hdExecuteLogMessage(run, run->outboxes[message->edge].trace,
				 number))
		hdExecuteFail(
			run, HD_EXECUTE_FAILED,
			hdPredictProducer(run->plan.graph, message->dataSet),
			"cannot record its message");
	hdTransportSendHead(self, message->to, HD_TRANSPORT_COMES, number);
	MPI_Issend(
		run->buffers[message->dataSet].data, (int)size, MPI_BYTE,
		(int)message->to, TAG_DATA, MPI_COMM_WORLD,
		hdTransportAddRequest(self, (struct hdTransportOperation){
						    HD_TRANSPORT_DATA_OUT,
						    number, 0, dueNs, NULL }));
}

/* There is memory for it where it goes. */
static void transportSendRoomy(struct hdTransport *self, uint32_t number)
{
	const struct hdExecuteMessage *message =
		&self->run->plan.messages[number];
	struct hdExecuteOutbox *outbox = &self->run->outboxes[message->edge];

	if (outbox->asking != number)
		return;
	if (hasToAsk(self->run, number)) {
		hdTransportSendHead(self, message->to, HD_TRANSPORT_ASKS,
				    number);
		return;
	}
	outbox->asking = HD_PREDICT_NONE;
	sendData(self, number);
}

/* There is none: others may go by its bridge. */
static void transportPutOff(struct hdTransport *self, uint32_t number)
{
	struct hdExecuteOutbox *outbox =
		&self->run->outboxes[self->run->plan.messages[number].edge];

	self->waiting++;
	if (outbox->asking != number)
		return;
	outbox->asking = HD_PREDICT_NONE;
	outbox->isBusy = false;
	self->sending--;
}

/* It may ask again. */
static void transportAskAgain(struct hdTransport *self, uint32_t number)
{
	struct hdExecution *run = self->run;
	const struct hdExecuteMessage *message = &run->plan.messages[number];

	self->waiting--;
	pthread_mutex_lock(&run->lock);
	hdPredictEventsSet(&run->outboxes[message->edge].waiting, number,
			   message->number);
	pthread_mutex_unlock(&run->lock);
}

/* It was let in; unless it has given up. */
static void sendAsked(struct hdTransport *self, uint32_t number)
{
	struct hdExecuteOutbox *outbox =
		&self->run->outboxes[self->run->plan.messages[number].edge];

	if (outbox->asking != number)
		return;
	outbox->asking = HD_PREDICT_NONE;
	sendData(self, number);
}

/* Begin with a message whose bridge is free. */
static void transportBeginMessage(struct hdTransport *self, uint32_t number)
{
	const struct hdExecuteMessage *message =
		&self->run->plan.messages[number];
	struct hdExecuteOutbox *outbox = &self->run->outboxes[message->edge];

	outbox->isBusy = true;
	self->sending++;
	if (hdTransportNeedsRoom(self, number)) {
		outbox->asking = number;
		hdTransportSendHead(self, message->to, HD_TRANSPORT_NEEDS_ROOM,
				    number);
	} else if (hasToAsk(self->run, number)) {
		outbox->asking = number;
		hdTransportSendHead(self, message->to, HD_TRANSPORT_ASKS,
				    number);
	} else {
		sendData(self, number);
	}
}

/* Who stops is let in by nobody. */
static void transportGiveUp(struct hdTransport *self,
			    struct hdExecuteOutbox *outbox)
{
	if (outbox->asking == HD_PREDICT_NONE ||
	    !atomic_load(&self->run->isStopped))
		return;
	outbox->asking = HD_PREDICT_NONE;
	outbox->isBusy = false;
	self->sending--;
}

/* Begin what can begin; after a stop nothing does. */
static bool sendNext(struct hdTransport *self)
{
	struct hdExecution *run = self->run;
	bool hasSent = false;

	for (uint32_t i = 0; i < run->ownCount; i++) {
		struct hdExecuteOutbox *outbox = &run->outboxes[run->own[i]];
		uint32_t number = HD_PREDICT_NONE;

		transportGiveUp(self, outbox);
		if (outbox->isBusy)
			continue;
		pthread_mutex_lock(&run->lock);
		if (atomic_load(&run->isStopped))
			hdPredictEventsClear(&outbox->waiting);
		else if (outbox->waiting.count)
			number = hdPredictEventsTake(&outbox->waiting).id;
		pthread_mutex_unlock(&run->lock);
		if (number == HD_PREDICT_NONE) {
			outbox->isIdle = true;
			continue;
		}
		hasSent = true;
		transportBeginMessage(self, number);
	}
	return hasSent;
}

static void transportSendStop(struct hdTransport *self)
{
	const struct hdExecutePlan *plan = &self->run->plan;

	self->isTold = true;
	for (uint32_t s = 0; s < plan->platform->serverCount; s++) {
		if (s != plan->server)
			hdTransportSendHead(self, s, HD_TRANSPORT_STOP,
					    HD_PREDICT_NONE);
	}
}

/* ---- What is over ------------------------------------------------------ */

static void finishMessage(struct hdTransport *self,
			  struct hdTransportOperation operation)
{
	struct hdExecution *run = self->run;
	const struct hdExecuteMessage *message =
		&run->plan.messages[operation.message];
	struct hdExecuteOutbox *outbox = &run->outboxes[message->edge];

	if (operation.kind == HD_TRANSPORT_DATA_IN) {
		if (!hdExecuteLogTransfer(run, operation.message,
					  operation.startNs))
			hdExecuteFail(run, HD_EXECUTE_FAILED,
				      run->plan.graph
					      ->consumerTask[message->consumer],
				      "cannot record its received data");
		hdExecuteDeliver(run, message->dataSet,
				 hdExecuteActivity(run, operation.message));
		if (hasToAsk(run, operation.message)) {
			run->outboxes[hdExecuteLastEdge(message)].isTaken =
				false;
			transportAdmit(self, hdExecuteLastEdge(message));
		}
		return;
	}
	hdExecuteLogEnd(outbox->trace);
	outbox->isBusy = outbox->isIdle = false;
	self->sending--;
	if (run->record) {
		pthread_mutex_lock(&run->lock);
		hdExecuteRecordPending(
			run->record, -1,
			(int64_t)hdExecuteSize(&run->plan, message->dataSet));
		pthread_mutex_unlock(&run->lock);
	}
	hdExecuteRelease(run, message->dataSet);
}

static void transportHandleHead(struct hdTransport *self)
{
	struct hdTransportHead head = self->headIn;

	self->own.received++;
	switch ((enum hdTransportWord)head.word) {
	case HD_TRANSPORT_COMES:
		transportReceiveData(self, head.message);
		break;
	case HD_TRANSPORT_ASKS:
		takeAsking(self, head.message);
		break;
	case HD_TRANSPORT_MAY_COME:
		sendAsked(self, head.message);
		break;
	case HD_TRANSPORT_NEEDS_ROOM:
		hdTransportTakeNeed(self, head.message);
		break;
	case HD_TRANSPORT_HAS_ROOM:
		transportSendRoomy(self, head.message);
		break;
	case HD_TRANSPORT_NO_ROOM:
		transportPutOff(self, head.message);
		break;
	case HD_TRANSPORT_RETRY:
		transportAskAgain(self, head.message);
		break;
	case HD_TRANSPORT_STOP:
		hdExecuteStop(self->run);
		break;
	}
	transportListenHead(self);
}

static void transportFinishRequest(struct hdTransport *self,
				   struct hdTransportOperation operation)
{
	self->own.steps += operation.kind != HD_TRANSPORT_WAVE;
	switch (operation.kind) {
	case HD_TRANSPORT_HEAD_IN:
		transportHandleHead(self);
		break;
	case HD_TRANSPORT_DATA_IN:
	case HD_TRANSPORT_DATA_OUT:
		if (operation.dueNs > hdMonotonicNow())
			self->late[self->lateCount++] = operation;
		else
			finishMessage(self, operation);
		break;
	case HD_TRANSPORT_BARRIER:
		self->isDone = true;
		break;
	case HD_TRANSPORT_WAVE:
		hdTransportEndWave(self);
		break;
	case HD_TRANSPORT_HEAD_OUT:
		free(operation.head);
		break;
	}
}

/* Take out what is over, the last ones first as places are filled from the
 * end. */
static bool test(struct hdTransport *self)
{
	int count = 0;

	MPI_Testsome(self->count, self->requests, &count, self->indices,
		     MPI_STATUSES_IGNORE);
	if (count == MPI_UNDEFINED || count == 0)
		return false;
	/* What follows an operation may add others. */
	for (int i = 0; i < count; i++) {
		struct hdTransportOperation operation =
			self->operations[self->indices[i]];

		self->requests[self->indices[i]] = MPI_REQUEST_NULL;
		transportFinishRequest(self, operation);
	}
	for (int i = self->count - 1; i >= 0; i--) {
		if (self->requests[i] != MPI_REQUEST_NULL)
			continue;
		self->count--;
		self->requests[i] = self->requests[self->count];
		self->operations[i] = self->operations[self->count];
	}
	return true;
}

static bool finishLate(struct hdTransport *self)
{
	int64_t now = hdMonotonicNow();
	bool isOver = false;

	for (int i = self->lateCount - 1; i >= 0; i--) {
		struct hdTransportOperation operation = self->late[i];

		if (operation.dueNs > now)
			continue;
		self->late[i] = self->late[--self->lateCount];
		finishMessage(self, operation);
		isOver = true;
	}
	return isOver;
}

/* ---- The loop ---------------------------------------------------------- */

/* Sleep until woken, which is returned, or for a time, or until something is
 * due. */
static bool transportRestUntil(struct hdTransport *self, int64_t waitNs)
{
	struct hdExecution *run = self->run;
	int64_t until = hdMonotonicNow() + waitNs;
	struct timespec when;
	bool isWoken;

	for (int i = 0; i < self->lateCount; i++) {
		if (self->late[i].dueNs < until)
			until = self->late[i].dueNs;
	}
	when = hdClockToTimespec(until);
	pthread_mutex_lock(&run->lock);
	if (!run->isWoken)
		pthread_cond_timedwait(&run->wake, &run->lock, &when);
	isWoken = run->isWoken;
	run->isWoken = false;
	pthread_mutex_unlock(&run->lock);
	return isWoken;
}

/* Nothing is left to do here but to take what others send. */
static bool transportHasEnded(struct hdTransport *self)
{
	struct hdExecution *run = self->run;
	bool isEmpty = self->sending == 0 && self->lateCount == 0 &&
		       (self->waiting == 0 || atomic_load(&run->isStopped));

	if (atomic_load(&run->working) || !isEmpty)
		return false;
	for (uint32_t i = 0; i < run->ownCount; i++) {
		if (run->outboxes[run->own[i]].waiting.count)
			return false;
	}
	return true;
}

static void transportLeave(struct hdTransport *self)
{
	self->isLeaving = true;
	MPI_Ibarrier(MPI_COMM_WORLD,
		     hdTransportAddRequest(
			     self, (struct hdTransportOperation){
					   .kind = HD_TRANSPORT_BARRIER }));
}

/* Whether a task waits for a message. */
static bool isAwaited(const struct hdExecution *run)
{
	for (uint32_t w = 0; w < run->workerCount; w++) {
		uint32_t task = atomic_load(&run->marks[w].awaited);

		if (task != HD_PREDICT_NONE &&
		    run->plan.arriving[task] != HD_PREDICT_NONE)
			return true;
	}
	return false;
}

static int64_t transportPartOf(int64_t ns, int64_t part, int64_t least,
			       int64_t most)
{
	ns /= part;
	if (ns < least)
		return least;
	return ns < most ? ns : most;
}

int64_t hdExecuteLongestWait(int64_t idleNs)
{
	return transportPartOf(idleNs, MOVING_PART, MOVING_LEAST_NS,
			       MOVING_WAIT_NS);
}

void hdExecuteWaitExactly(void)
{
	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
}

/* The longest wait, after nothing came for a time. One request is for what may
 * never come, and one for the end of the others. */
static int64_t last(const struct hdTransport *self, int64_t idleNs)
{
	if (self->count > 1 + self->isLeaving + self->waveParts)
		return hdExecuteLongestWait(idleNs);
	if (self->run->plan.platform->serverCount == 1)
		return self->isScarce ? RARE_WAIT_NS : ALONE_WAIT_NS;
	return isAwaited(self->run)
		       ? transportPartOf(idleNs, AWAITED_PART, AWAITED_WAIT_NS,
					 RARE_WAIT_NS)
		       : RARE_WAIT_NS;
}

static void transportLoop(struct hdTransport *self)
{
	int64_t waitNs = HD_EXECUTE_FIRST_WAIT_NS;
	int64_t sinceNs = hdMonotonicNow(), longest;

	while (!self->isDone) {
		bool goesOn = sendNext(self);

		goesOn = test(self) || goesOn;
		goesOn = finishLate(self) || goesOn;
		goesOn = hdTransportRetry(self) || goesOn;
		hdTransportJoinWave(self);
		if (atomic_load(&self->run->isCulprit) && !self->isTold) {
			transportSendStop(self);
			goesOn = true;
		}
		if (!self->isLeaving && transportHasEnded(self)) {
			transportLeave(self);
			goesOn = true;
		}
		longest = last(self, hdMonotonicNow() - sinceNs);
		if (waitNs > longest)
			waitNs = longest;
		if (goesOn || transportRestUntil(self, waitNs)) {
			waitNs = HD_EXECUTE_FIRST_WAIT_NS;
			sinceNs = hdMonotonicNow();
		} else {
			waitNs *= 2;
		}
	}
}

/* The last head never comes. */
static void transportEnd(struct hdTransport *self)
{
	for (int i = 0; i < self->count; i++) {
		if (self->operations[i].kind == HD_TRANSPORT_HEAD_IN)
			MPI_Cancel(&self->requests[i]);
		MPI_Wait(&self->requests[i], MPI_STATUS_IGNORE);
		free(self->operations[i].head);
	}
}

/* CPU time of this thread. */
static int64_t transportCpuTime(void)
{
	struct timespec time = { 0 };

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (int64_t)time.tv_sec * HD_NS_PER_S + time.tv_nsec;
}

void hdExecuteTransport(struct hdExecution *self)
{
	struct hdTransport transport = { .run = self };

	hdExecuteWaitExactly();
	hdTransportScarceBegin(&transport);
	self->movingNs = -transportCpuTime();
	transportListenHead(&transport);
	transportLoop(&transport);
	hdTransportScarceEnd(&transport);
	transportEnd(&transport);
	self->movingNs += transportCpuTime();
	free(transport.requests);
	free(transport.operations);
	free(transport.indices);
	free(transport.late);
}
