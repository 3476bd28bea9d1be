/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory of data sets; see execute.h.
 *
 * What is in use is counted under a lock. Where full="delay", who finds too
 * little waits until some is released: a task in its thread, a message by its
 * sender, which asks again (see transport.c).
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <stdlib.h>

#include "PredictionLibrary/execution/execute.h"

/* Less is taken from what was freed before; more glibc does not allow. */
#define MAPPED_FROM (32 << 20)

void hdExecuteKeepMemory(void)
{
	/* Those of threads are given back, in pieces of 64 MiB, when empty. */
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_MMAP_THRESHOLD, MAPPED_FROM);
	mallopt(M_TRIM_THRESHOLD, INT_MAX);
}

/* ---- What is in use ---------------------------------------------------- */

static void bufferChangeUse(struct hdExecution *self, int64_t change)
{
	int64_t before = atomic_load(&self->used);

	if (change && self->record)
		hdExecuteRecordMemory(self->record, before);
	atomic_store(&self->used, before + change);
}

/* With the lock. */
static bool bufferReserve(struct hdExecution *self, size_t size)
{
	if ((double)atomic_load(&self->used) + (double)size > self->limit)
		return false;
	bufferChangeUse(self, (int64_t)size);
	return true;
}

/* There is more memory, or a task needs less: who waits looks again. */
static void bufferWake(struct hdExecution *self)
{
	bool hasRefused;

	pthread_mutex_lock(&self->memoryLock);
	self->releases++;
	if (self->starving)
		pthread_cond_broadcast(&self->memoryFreed);
	hasRefused = atomic_load(&self->refused) > 0;
	pthread_mutex_unlock(&self->memoryLock);
	if (hasRefused) {
		atomic_store(&self->hasRoom, true);
		hdExecuteWake(self);
	}
}

static void bufferGiveBack(struct hdExecution *self, size_t size)
{
	pthread_mutex_lock(&self->memoryLock);
	bufferChangeUse(self, -(int64_t)size);
	pthread_mutex_unlock(&self->memoryLock);
	if (self->delays)
		bufferWake(self);
}

static int bufferNew(struct hdExecution *self, uint32_t dataSet)
{
	size_t size = hdExecuteSize(&self->plan, dataSet);
	void *data;

	if (posix_memalign(&data, 64, size ? size : 1) != 0)
		return -ENOMEM;
	self->buffers[dataSet].data = data;
	return 0;
}

int hdExecuteAllocate(struct hdExecution *self, uint32_t dataSet)
{
	size_t size = hdExecuteSize(&self->plan, dataSet);
	bool hasMemory;
	int ret;

	pthread_mutex_lock(&self->memoryLock);
	hasMemory = bufferReserve(self, size);
	pthread_mutex_unlock(&self->memoryLock);
	if (!hasMemory)
		return -ENOSPC;
	ret = bufferNew(self, dataSet);
	if (ret < 0)
		bufferGiveBack(self, size);
	return ret;
}

void hdExecuteRelease(struct hdExecution *self, uint32_t dataSet)
{
	struct hdExecuteBuffer *buffer = &self->buffers[dataSet];
	unsigned int users = atomic_fetch_sub(&buffer->users, 1);

	if (users == 2 && self->delays)
		bufferWake(self);
	if (users != 1)
		return;
	free(buffer->data);
	buffer->data = NULL;
	bufferGiveBack(self, hdExecuteSize(&self->plan, dataSet));
}

/* ---- Outputs ----------------------------------------------------------- */

uint32_t hdExecuteReplaced(const struct hdExecution *self, uint32_t task,
			   uint32_t output)
{
	const hdPGraph *graph = self->plan.graph;
	uint32_t input =
		hdPredictKernelOf(graph, task)->outputs.ports[output].inout;

	return input == HD_PREDICT_NONE
		       ? HD_PREDICT_NONE
		       : graph->source[graph->input[task] + input];
}

/* Whether an output gets the buffer of an input, which only this task needs:
 * who else could become one? */
static bool bufferIsReplaced(const struct hdExecution *self, uint32_t task,
			     uint32_t output)
{
	uint32_t from = hdExecuteReplaced(self, task, output);

	return from != HD_PREDICT_NONE &&
	       atomic_load(&self->buffers[from].users) == 1;
}

/* Bytes of outputs with buffers of their own. Which these are is decided here
 * once: who needs an input may get fewer afterwards. */
static size_t bufferSizeOfOutputs(struct hdExecuteWorker *worker, uint32_t task)
{
	const struct hdExecution *self = worker->execution;
	const hdPGraph *graph = self->plan.graph;
	uint32_t count = graph->output[task + 1] - graph->output[task];
	size_t size = 0;

	for (uint32_t i = 0; i < count; i++) {
		worker->isReplaced[i] = bufferIsReplaced(self, task, i);
		if (!worker->isReplaced[i])
			size += hdExecuteSize(&self->plan,
					      graph->output[task] + i);
	}
	return size;
}

/* Wait until there is memory for all outputs. */
static int bufferReserveOutputs(struct hdExecuteWorker *worker, uint32_t task,
				size_t *size)
{
	struct hdExecution *self = worker->execution;
	bool isBlocked = false;
	int ret = 0;

	pthread_mutex_lock(&self->memoryLock);
	while (*size = bufferSizeOfOutputs(worker, task),
	       !bufferReserve(self, *size)) {
		if (!self->delays || atomic_load(&self->isStopped)) {
			ret = self->delays ? -ECANCELED : -ENOSPC;
			break;
		}
		if (!isBlocked && worker->trace)
			isBlocked = hdT_logStateStart(worker->trace,
						      "Blocked") == 0;
		self->starving++;
		worker->seen = self->releases;
		atomic_store(&worker->mark->starved, task);
		pthread_cond_wait(&self->memoryFreed, &self->memoryLock);
		atomic_store(&worker->mark->starved, HD_PREDICT_NONE);
		self->starving--;
	}
	pthread_mutex_unlock(&self->memoryLock);
	if (isBlocked)
		hdT_logStateEnd(worker->trace);
	return ret;
}

int hdExecuteAllocateOutputs(struct hdExecuteWorker *worker, uint32_t task,
			     size_t *size)
{
	struct hdExecution *self = worker->execution;
	const hdPGraph *graph = self->plan.graph;
	uint32_t first = graph->output[task];
	uint32_t count = graph->output[task + 1] - first;
	int ret = bufferReserveOutputs(worker, task, size);

	if (ret < 0)
		return ret;
	for (uint32_t i = 0; i < count && ret == 0; i++) {
		if (!worker->isReplaced[i])
			ret = bufferNew(self, first + i);
	}
	for (uint32_t i = 0; i < count; i++) {
		if (ret < 0) {
			free(self->buffers[first + i].data);
			self->buffers[first + i].data = NULL;
		} else if (worker->isReplaced[i]) {
			self->buffers[first + i].data =
				self->buffers[hdExecuteReplaced(self, task, i)]
					.data;
		}
	}
	if (ret < 0)
		bufferGiveBack(self, *size);
	return ret;
}

bool hdExecuteIsStarved(struct hdExecution *self,
			const struct hdExecuteWorker *worker)
{
	bool isStarved;

	pthread_mutex_lock(&self->memoryLock);
	isStarved = atomic_load(&worker->mark->starved) != HD_PREDICT_NONE &&
		    worker->seen == self->releases;
	pthread_mutex_unlock(&self->memoryLock);
	return isStarved;
}
