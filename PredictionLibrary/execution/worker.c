/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PEs that run their tasks in order; see execute.h. */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "PredictionLibrary/execution/execute.h"
#include "common/clock.h"
#include "common/thread.h"
#include "recording/record.h"

/* For so long a task is looked at before its thread sleeps; if another PE of
 * the process is to wake it, on a CPU that nobody else wants, for about as long
 * as waking a thread takes: then waiting costs twice the least at most. */
#define LOOKING_NS 5000
#define LOOKING_AT_OTHERS_NS 50000

const char *hdExecuteTaskName(const struct hdExecution *self, uint32_t task,
			      char *name, size_t size)
{
	size_t length;
	const char *id = hdPredictName(&self->plan.graph->ids, task, &length);

	if (length >= size)
		length = size - 1;
	memcpy(name, id, length);
	name[length] = '\0';
	return name;
}

/* ---- Stopping ---------------------------------------------------------- */

void hdExecuteWake(struct hdExecution *self)
{
	pthread_mutex_lock(&self->lock);
	self->isWoken = true;
	pthread_cond_signal(&self->wake);
	pthread_mutex_unlock(&self->lock);
}

void hdExecuteStop(struct hdExecution *self)
{
	atomic_store(&self->isStopped, true);
	for (uint32_t w = 0; w < self->workerCount; w++) {
		pthread_mutex_lock(&self->workers[w].lock);
		pthread_cond_signal(&self->workers[w].wake);
		pthread_mutex_unlock(&self->workers[w].lock);
	}
	pthread_mutex_lock(&self->memoryLock);
	pthread_cond_broadcast(&self->memoryFreed);
	pthread_mutex_unlock(&self->memoryLock);
	hdExecuteWake(self);
}

void hdExecuteFail(struct hdExecution *self, int status, uint32_t task,
		   const char *format, ...)
{
	char name[200], text[600];
	bool isFirst;
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	pthread_mutex_lock(&self->lock);
	isFirst = !atomic_load(&self->isCulprit) &&
		  !atomic_load(&self->isStopped);
	if (isFirst) {
		self->status = status;
		atomic_store(&self->isCulprit, true);
	}
	pthread_mutex_unlock(&self->lock);
	if (isFirst)
		fprintf(stderr, "hdexecute: task %s (kernel %s, node %s): %s\n",
			hdExecuteTaskName(self, task, name, sizeof(name)),
			hdPredictKernelOf(self->plan.graph, task)->id,
			self->plan.platform->serverIds[self->plan.server],
			text);
	hdExecuteStop(self);
}

/* ---- Data sets --------------------------------------------------------- */

/* An input of a task is here. Of two at the same time either is the last. */
static void arrive(struct hdExecution *self, uint32_t task, uint64_t activity)
{
	struct hdExecuteWorker *worker =
		&self->workers[self->workerOf[self->plan.base.plan.pe[task]]];

	atomic_store(&self->last[task], activity);
	if (atomic_fetch_sub(&self->missing[task], 1) != 1)
		return;
	/* Afterwards: see scarceIsIdle(). */
	atomic_fetch_add(&self->complete, 1);
	pthread_mutex_lock(&worker->lock);
	if (atomic_load(&worker->mark->awaited) == task)
		pthread_cond_signal(&worker->wake);
	pthread_mutex_unlock(&worker->lock);
}

/* Inputs of tasks of this server, and messages where it is made here. */
static unsigned int countUsers(const struct hdExecution *self, uint32_t dataSet)
{
	const struct hdExecutePlan *plan = &self->plan;
	const hdPGraph *graph = plan->graph;
	uint32_t from = hdExecuteServer(plan, plan->producer[dataSet]);
	unsigned int users = 0;

	for (uint32_t c = graph->consumer[dataSet];
	     c < graph->consumer[dataSet + 1]; c++)
		users += hdExecuteServer(plan, graph->consumerTask[c]) ==
			 plan->server;
	if (from == plan->server)
		users +=
			plan->messageOf[dataSet + 1] - plan->messageOf[dataSet];
	return users;
}

void hdExecuteDeliver(struct hdExecution *self, uint32_t dataSet,
		      uint64_t activity)
{
	const struct hdExecutePlan *plan = &self->plan;
	const hdPGraph *graph = plan->graph;
	unsigned int users = countUsers(self, dataSet);

	/* The first that gets it may be the last one that needs it. */
	atomic_store(&self->buffers[dataSet].users, users ? users : 1);
	for (uint32_t c = graph->consumer[dataSet];
	     c < graph->consumer[dataSet + 1]; c++) {
		uint32_t task = graph->consumerTask[c];

		if (hdExecuteServer(plan, task) == plan->server)
			arrive(self, task, activity);
	}
	if (!users && !self->keepsResults)
		hdExecuteRelease(self, dataSet);
}

/* Messages of a data set; it is kept until they have gone. */
static void post(struct hdExecution *self, uint32_t dataSet)
{
	uint32_t first = self->plan.messageOf[dataSet];
	uint32_t end = self->plan.messageOf[dataSet + 1];

	if (first == end)
		return;
	pthread_mutex_lock(&self->lock);
	for (uint32_t m = first; m < end; m++) {
		const struct hdExecuteMessage *message =
			&self->plan.messages[m];

		hdPredictEventsSet(&self->outboxes[message->edge].waiting, m,
				   message->number);
	}
	if (self->record)
		hdExecuteRecordPending(self->record, end - first, 0);
	self->isWoken = true;
	pthread_cond_signal(&self->wake);
	pthread_mutex_unlock(&self->lock);
}

/* ---- Tasks ------------------------------------------------------------- */

/* Wait until all inputs are here; false: stopped. */
static bool workerAwaitInputs(struct hdExecuteWorker *worker, uint32_t task)
{
	struct hdExecution *self = worker->execution;
	atomic_uint *missing = &self->missing[task];
	int64_t until;

	if (!atomic_load(missing))
		return !atomic_load(&self->isStopped);
	until = hdMonotonicNow() +
		(self->hasOwnCpus &&
				 self->plan.arriving[task] == HD_PREDICT_NONE
			 ? LOOKING_AT_OTHERS_NS
			 : LOOKING_NS);
	while (atomic_load(missing) && hdMonotonicNow() < until) {
		if (atomic_load(&self->isStopped))
			return false;
	}
	if (atomic_load(missing)) {
		pthread_mutex_lock(&worker->lock);
		atomic_store(&worker->mark->awaited, task);
		/* From now on messages are looked for more often. */
		if (self->plan.arriving[task] != HD_PREDICT_NONE)
			hdExecuteWake(self);
		while (atomic_load(missing) && !atomic_load(&self->isStopped))
			pthread_cond_wait(&worker->wake, &worker->lock);
		atomic_store(&worker->mark->awaited, HD_PREDICT_NONE);
		pthread_mutex_unlock(&worker->lock);
	}
	return !atomic_load(&self->isStopped);
}

/* Keep why the first of some records could not be written. */
static void workerNoteError(bool isLogged, int *error)
{
	if (!isLogged && !*error)
		*error = errno ? errno : EIO;
}

/* ---- Tasks on several PEs ---------------------------------------------- */

bool hdExecuteIsGathered(const struct hdExecuteWorker *worker, uint32_t task)
{
	const struct hdExecution *self = worker->execution;
	struct hdExecuteTeam *team = &self->teams[task];
	uint32_t count;

	if (self->plan.base.plan.pe[task] != worker->pe)
		return atomic_load(&team->isOver);
	hdPredictPlanPes(&self->plan.base.plan, self->plan.platform, task,
			 &count);
	return atomic_load(&team->joined) + 1 == count;
}

/* Wait for the other PEs of a task, or for its end; false: stopped. */
static bool workerGather(struct hdExecuteWorker *worker, uint32_t task)
{
	struct hdExecution *self = worker->execution;
	int64_t until = hdMonotonicNow() +
			(self->hasOwnCpus ? LOOKING_AT_OTHERS_NS : LOOKING_NS);

	while (!hdExecuteIsGathered(worker, task) && hdMonotonicNow() < until) {
		if (atomic_load(&self->isStopped))
			return false;
	}
	pthread_mutex_lock(&worker->lock);
	atomic_store(&worker->mark->gathering, task);
	while (!hdExecuteIsGathered(worker, task) &&
	       !atomic_load(&self->isStopped))
		pthread_cond_wait(&worker->wake, &worker->lock);
	atomic_store(&worker->mark->gathering, HD_PREDICT_NONE);
	pthread_mutex_unlock(&worker->lock);
	return !atomic_load(&self->isStopped);
}

/* Wake a PE of a task. */
static void workerWake(struct hdExecuteWorker *worker)
{
	/* What it waits for has changed: see scarceIsIdle(). */
	atomic_fetch_add(&worker->execution->complete, 1);
	pthread_mutex_lock(&worker->lock);
	pthread_cond_signal(&worker->wake);
	pthread_mutex_unlock(&worker->lock);
}

/* Be a further PE of a task, until it has ended; false: stopped. */
static bool workerJoin(struct hdExecuteWorker *worker, uint32_t task)
{
	struct hdExecution *self = worker->execution;
	struct hdExecuteTeam *team = &self->teams[task];
	uint32_t first = self->workerOf[self->plan.base.plan.pe[task]];

	if (!hdExecuteLogJoin(worker)) {
		hdExecuteFail(self, HD_EXECUTE_FAILED, task,
			      "cannot record it: %s",
			      hdRecordReason(errno ? errno : EIO));
		return false;
	}
	atomic_store(&team->last, (uint32_t)(worker - self->workers));
	atomic_fetch_add(&team->joined, 1);
	workerWake(&self->workers[first]);
	return workerGather(worker, task);
}

/* The activity by which the last PE of a task came: the task before it there.
 */
static uint64_t workerLastCause(const struct hdExecution *self, uint32_t task)
{
	const struct hdExecuteWorker *last =
		&self->workers[atomic_load(&self->teams[task].last)];

	return last->before == HD_PREDICT_NONE ? HD_EXECUTE_NO_CAUSE
					       : last->before;
}

/* Wait until all PEs of a task are there. @p cause: of its begin; an input, or
 * the task before it on a PE. */
static bool workerGatherAll(struct hdExecuteWorker *worker, uint32_t task,
			    uint64_t *cause, int *error)
{
	struct hdExecution *self = worker->execution;

	*cause = self->plan.graph->input[task + 1] >
				 self->plan.graph->input[task]
			 ? atomic_load(&self->last[task])
			 : HD_EXECUTE_NO_CAUSE;
	if (hdExecuteIsGathered(worker, task))
		return !atomic_load(&self->isStopped);
	workerNoteError(hdExecuteLogGather(worker), error);
	if (!workerGather(worker, task))
		return false;
	*cause = workerLastCause(self, task);
	workerNoteError(hdExecuteLogGathered(worker, *cause), error);
	return true;
}

/* The task begins, or has ended, on its further PEs. */
static void workerBeginParts(struct hdExecuteWorker *worker, uint32_t task,
			     uint64_t cause, int *error)
{
	struct hdExecution *self = worker->execution;
	uint32_t count;
	const uint32_t *pes = hdPredictPlanPes(
		&self->plan.base.plan, self->plan.platform, task, &count);

	for (uint32_t i = 1; i < count; i++)
		workerNoteError(
			hdExecuteLogPart(&self->workers[self->workerOf[pes[i]]],
					 task, cause),
			error);
}

static void workerEndParts(struct hdExecuteWorker *worker, uint32_t task,
			   const struct timespec *when, int *error)
{
	struct hdExecution *self = worker->execution;
	uint32_t count;
	const uint32_t *pes = hdPredictPlanPes(
		&self->plan.base.plan, self->plan.platform, task, &count);

	for (uint32_t i = 1; i < count; i++)
		workerNoteError(hdExecuteLogPartEnd(
					&self->workers[self->workerOf[pes[i]]],
					task, when),
				error);
}

/* They go on. */
static void workerRelease(struct hdExecuteWorker *worker, uint32_t task)
{
	struct hdExecution *self = worker->execution;
	uint32_t count;
	const uint32_t *pes = hdPredictPlanPes(
		&self->plan.base.plan, self->plan.platform, task, &count);

	atomic_store(&self->teams[task].isOver, true);
	for (uint32_t i = 1; i < count; i++)
		workerWake(&self->workers[self->workerOf[pes[i]]]);
}

/* CPUs of the PEs of a task; their number, or 0: these are not known. */
static uint32_t workerCpus(struct hdExecuteWorker *worker, uint32_t task)
{
	struct hdExecution *self = worker->execution;
	uint32_t count;
	const uint32_t *pes = hdPredictPlanPes(
		&self->plan.base.plan, self->plan.platform, task, &count);

	for (uint32_t i = 0; i < count; i++) {
		worker->cpus[i] = self->workers[self->workerOf[pes[i]]].cpu;
		if (worker->cpus[i] < 0)
			return 0;
	}
	return count;
}

/* Memory for outputs; false: there is none, or all stops. */
static bool workerAllocateOutputs(struct hdExecuteWorker *worker, uint32_t task)
{
	struct hdExecution *self = worker->execution;
	const hdPGraph *graph = self->plan.graph;
	bool isOne = graph->output[task + 1] - graph->output[task] == 1;
	size_t size;
	int ret = hdExecuteAllocateOutputs(worker, task, &size);

	if (ret == -ENOSPC)
		hdExecuteFail(self, HD_EXECUTE_INVALID, task,
			      "not enough memory for %s of %zu bytes: %lld of "
			      "%.0f bytes are in use",
			      isOne ? "an output" : "outputs", size,
			      (long long)atomic_load(&self->used), self->limit);
	else if (ret == -ENOMEM)
		hdExecuteFail(self, HD_EXECUTE_INVALID, task,
			      "not enough memory for %s of %zu bytes: %lld "
			      "bytes in use, limit %.0f",
			      isOne ? "an output" : "outputs", size,
			      (long long)atomic_load(&self->used), self->limit);
	return ret == 0;
}

static void workerDescribeCall(struct hdExecuteWorker *worker, uint32_t task,
			       hdKernelCall *call)
{
	const struct hdExecution *self = worker->execution;
	const hdPGraph *graph = self->plan.graph;
	const struct hdPredictConfig *config =
		&graph->configs[graph->config[task]];
	const struct hdPredictKernel *kernel = &graph->kernels[config->kernel];

	call->kernel = kernel->id;
	call->in = worker->in;
	call->out = worker->out;
	call->variables = worker->variables;
	call->inCount = graph->input[task + 1] - graph->input[task];
	call->outCount = graph->output[task + 1] - graph->output[task];
	call->variableCount = kernel->variableCount;
	call->architecture =
		self->architectures[hdExecuteArchitecture(&self->plan, task)];
	call->pe = self->plan.platform->peIds[worker->pe];
	call->cpus = worker->cpus;
	call->cpuCount = workerCpus(worker, task);
	hdPredictPlanPes(&self->plan.base.plan, self->plan.platform, task,
			 &call->peCount);
	hdPredictTile(graph, task, &call->row, &call->column);
	for (uint32_t i = 0; i < call->inCount; i++) {
		uint32_t source = graph->source[graph->input[task] + i];
		hdKernelBuffer *in = &worker->in[i];

		in->data = self->buffers[source].data;
		in->size = (size_t)graph->sizes[config->sizes + i];
		hdPredictTile(graph, self->plan.producer[source], &in->row,
			      &in->column);
	}
	for (uint32_t i = 0; i < call->outCount; i++)
		worker->out[i] = (hdKernelBuffer){
			self->buffers[graph->output[task] + i].data,
			(size_t)hdPredictOutputSize(graph, task, i), call->row,
			call->column
		};
	for (uint32_t v = 0; v < kernel->variableCount; v++)
		worker->variables[v] =
			(hdKernelVariable){ kernel->variables[v],
					    graph->values[config->values + v] };
}

/* Whether an output of a task has the buffer of a data set. */
static bool workerIsReplaced(const struct hdExecuteWorker *worker,
			     uint32_t task, uint32_t dataSet)
{
	const hdPGraph *graph = worker->execution->plan.graph;
	uint32_t count = graph->output[task + 1] - graph->output[task];

	for (uint32_t i = 0; i < count; i++) {
		if (worker->isReplaced[i] &&
		    hdExecuteReplaced(worker->execution, task, i) == dataSet)
			return true;
	}
	return false;
}

/* Inputs are not needed any more, and outputs are there. */
static void passOn(struct hdExecuteWorker *worker, uint32_t task)
{
	struct hdExecution *self = worker->execution;
	const hdPGraph *graph = self->plan.graph;

	for (uint32_t j = graph->input[task]; j < graph->input[task + 1]; j++) {
		uint32_t source = graph->source[j];

		/* What holds an output now is not to be freed, nor a result. */
		if (workerIsReplaced(worker, task, source))
			self->buffers[source].data = NULL;
		else if (!self->keepsResults ||
			 graph->output[task] < graph->output[task + 1])
			hdExecuteRelease(self, source);
	}
	for (uint32_t d = graph->output[task]; d < graph->output[task + 1];
	     d++) {
		hdExecuteDeliver(self, d, task);
		post(self, d);
	}
}

static bool workerCallKernel(struct hdExecuteWorker *worker, uint32_t task,
			     const hdKernel *kernel)
{
	struct hdExecution *self = worker->execution;
	char name[1000];
	hdKernelCall what = {
		.task = hdExecuteTaskName(self, task, name, sizeof(name)),
	};
	int ret;

	workerDescribeCall(worker, task, &what);
	atomic_store(&worker->mark->current, task);
	if (what.peCount > 1 && what.cpuCount)
		hdExecutePinAll(what.cpus, what.cpuCount);
	ret = hdKernelRun(kernel, &what);
	if (what.peCount > 1)
		hdExecutePin(worker->cpu);
	atomic_store(&worker->mark->current, HD_PREDICT_NONE);
	if (ret < 0)
		hdExecuteFail(self, HD_EXECUTE_INVALID, task, "it failed: %s",
			      strerror(-ret));
	else if (ret > 0)
		hdExecuteFail(self, HD_EXECUTE_INVALID, task, "failed with %d",
			      ret);
	return ret == 0;
}

/* Whether the next task may be run. */
static bool runTask(struct hdExecuteWorker *worker, uint32_t task)
{
	struct hdExecution *self = worker->execution;
	const hdPGraph *graph = self->plan.graph;
	const hdKernel *kernel =
		self->kernels
			[(size_t)graph->configs[graph->config[task]].kernel *
				 self->plan.platform->peArchitectures.count +
			 hdExecuteArchitecture(&self->plan, task)];
	bool isSet = hdPredictPlanIsSet(&self->plan.base.plan, task), isGood;
	uint64_t cause = HD_EXECUTE_NO_CAUSE;
	struct timespec now;
	int error = 0;

	if (isSet && self->plan.base.plan.pe[task] != worker->pe)
		return workerJoin(worker, task);

	workerNoteError(hdExecuteLogWait(worker, task), &error);
	if (!workerAwaitInputs(worker, task)) {
		hdExecuteLogArrived(worker, task);
		return false;
	}
	workerNoteError(hdExecuteLogArrived(worker, task), &error);
	if (isSet && !workerGatherAll(worker, task, &cause, &error))
		return false;
	if (!workerAllocateOutputs(worker, task))
		return false;
	workerNoteError(hdExecuteLogTask(worker, task), &error);
	if (isSet)
		workerBeginParts(worker, task, cause, &error);
	isGood = workerCallKernel(worker, task, kernel);
	worker->endNs = hdMonotonicNow();
	now = hdClockToTimespec(hdClockNow());
	workerNoteError(hdExecuteLogTaskEnd(worker, task, &now), &error);
	if (isSet)
		workerEndParts(worker, task, &now, &error);
	if (isGood && error)
		hdExecuteFail(self, HD_EXECUTE_FAILED, task,
			      "cannot record it: %s", hdRecordReason(error));
	passOn(worker, task);
	if (isSet)
		workerRelease(worker, task);
	return isGood && !error;
}

static void *workerLoop(void *context)
{
	struct hdExecuteWorker *worker = context;
	struct hdExecution *self = worker->execution;
	const struct hdPredictPlan *plan = &self->plan.base.plan;

	hdExecutePin(worker->cpu);
	worker->before = HD_PREDICT_NONE;
	for (uint32_t i = plan->first[worker->pe];
	     i < plan->first[worker->pe + 1]; i++) {
		if (!runTask(worker, plan->order[i]))
			break;
		worker->before = plan->order[i];
	}
	atomic_fetch_sub(&self->working, 1);
	hdExecuteWake(self);
	return NULL;
}

int hdExecuteStart(struct hdExecution *self)
{
	int ret = 0;

	atomic_store(&self->working, self->workerCount);
	for (uint32_t w = 0; w < self->workerCount; w++) {
		struct hdExecuteWorker *worker = &self->workers[w];

		if (ret == 0)
			ret = hdThreadStart(&worker->thread, workerLoop,
					    worker);
		worker->isRunning = ret == 0;
		if (ret < 0)
			atomic_fetch_sub(&self->working, 1);
	}
	if (ret < 0)
		hdExecuteStop(self);
	return ret;
}

void hdExecuteJoin(struct hdExecution *self)
{
	for (uint32_t w = 0; w < self->workerCount; w++) {
		if (self->workers[w].isRunning)
			pthread_join(self->workers[w].thread, NULL);
		self->workers[w].isRunning = false;
	}
}
