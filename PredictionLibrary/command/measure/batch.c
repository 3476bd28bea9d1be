/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Batches; see batch.h. */
#include "config.h"

#include <errno.h>
#include <glib.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdbool.h>

#include "LoadLevels/core/load.h"
#include "PredictionLibrary/command/measure/batch.h"
#include "common/clock.h"
#include "common/thread.h"

/* Without a number of repetitions, so many at least. */
#define REPETITIONS_MIN 2

struct runner {
	const struct batch *batch;
	const struct batchWork *work;
	bool isLoad;
	pthread_t thread;
	sem_t ready;           /* Of a load: it runs. */
	const atomic_int *end; /* Of a load: it may end. */
	uint64_t done;
	int64_t ns;
	int error;
};

static void logCall(hdTrace *trace, const struct runner *self)
{
	const hdKernelCall *call = &self->work->call->call;

	hdT_logAttributeString(trace, "kernel", call->kernel);
	hdT_logAttributeString(trace, "architecture",
			       self->batch->architecture);
	for (uint32_t i = 0; i < call->variableCount; i++) {
		char *key = g_strdup_printf("var.%s", call->variables[i].id);

		hdT_logAttributeDouble(trace, key, call->variables[i].value);
		g_free(key);
	}
	if (self->work->cpuCount > 1)
		hdT_logAttributeInt64(trace, "pes", self->work->cpuCount);
	if (self->isLoad || self->batch->loadCount == 0)
		return;
	hdT_logAttributeString(trace, "load",
			       self->batch->loads[0].call->call.kernel);
	hdT_logAttributeInt64(trace, "count", (int64_t)self->batch->loadCount);
}

/* The further PEs of a batch are as busy. */
static void batchBeginParts(const struct batchWork *work)
{
	for (uint32_t i = 0; work->parts && i + 1 < work->cpuCount; i++)
		hdT_logStateStart(work->parts[i], "Batch");
}

static void batchEndParts(const struct batchWork *work,
			  const char *architecture)
{
	for (uint32_t i = 0; work->parts && i + 1 < work->cpuCount; i++) {
		hdT_logAttributeString(work->parts[i], "architecture",
				       architecture);
		hdT_logAttributeInt64(work->parts[i], "partOf", 0);
		hdT_logStateEnd(work->parts[i]);
	}
}

static void batchBegin(const struct runner *self)
{
	hdTrace *trace = self->work->trace;

	if (trace)
		hdT_logStateStart(trace, self->isLoad ? "Load" : "Batch");
	batchBeginParts(self->work);
}

static void batchEnd(const struct runner *self)
{
	hdTrace *trace = self->work->trace;

	if (!trace)
		return;
	logCall(trace, self);
	hdT_logAttributeInt64(trace, "repetitions", (int64_t)self->done);
	if (self->error || *self->batch->stop)
		hdT_logAttributeInt64(trace, "interrupted", 1);
	hdT_logStateEnd(trace);
	batchEndParts(self->work, self->batch->architecture);
}

static bool batchIsOver(const struct runner *self, int64_t start)
{
	const struct batch *batch = self->batch;

	if (self->error || atomic_load(batch->stop))
		return true;
	if (self->isLoad)
		return atomic_load(self->end) != 0;
	/* The clock is read only behind these repetitions, which are most. */
	return self->done >= (batch->repetitions ? batch->repetitions
						 : REPETITIONS_MIN) &&
	       hdMonotonicNow() - start >= batch->lengthNs;
}

/* Let this thread, and those that it starts, run on some CPUs. */
static int batchPinAll(const int *cpus, uint32_t count)
{
	cpu_set_t all;

	CPU_ZERO(&all);
	for (uint32_t i = 0; i < count; i++)
		CPU_SET((size_t)cpus[i], &all);
	return sched_setaffinity(0, sizeof(all), &all) == 0 ? 0 : -errno;
}

/* A load is there when the batch begins: its pages and caches, too. A batch has
 * only what it is charged with. */
static int batchPrepare(const struct runner *self)
{
	const struct batchWork *work = self->work;
	hdKernelCall *call = &work->call->call;
	int ret = work->cpuCount > 1 ? batchPinAll(work->cpus, work->cpuCount)
				     : hdLoadPin(work->cpus[0]);

	call->cpus = work->cpus;
	call->cpuCount = call->peCount = work->cpuCount;
	return ret < 0 || !self->isLoad ? ret
					: hdKernelRun(self->work->call->kernel,
						      &self->work->call->call);
}

static void *batchThreadRun(void *context)
{
	struct runner *self = context;
	const struct measureCall *call = self->work->call;
	int64_t start;

	self->error = batchPrepare(self);
	start = hdMonotonicNow();
	batchBegin(self);
	sem_post(&self->ready);
	while (!batchIsOver(self, start)) {
		self->error = hdKernelRun(call->kernel, &call->call);
		self->done += !self->error;
	}
	self->ns = hdMonotonicNow() - start;
	batchEnd(self);
	return NULL;
}

static int batchStart(struct runner *self)
{
	int ret;

	sem_init(&self->ready, 0, 0);
	ret = hdThreadStart(&self->thread, batchThreadRun, self);
	if (ret < 0)
		sem_destroy(&self->ready);
	return ret;
}

static void batchFinish(struct runner *self)
{
	pthread_join(self->thread, NULL);
	sem_destroy(&self->ready);
}

static int runAlone(struct runner *self, struct batchResult *result)
{
	int ret = batchStart(self);

	if (ret < 0)
		return ret;
	batchFinish(self);
	result->repetitions = self->done;
	result->seconds =
		self->done ? (double)self->ns / 1e9 / (double)self->done : 0;
	if (self->error)
		return self->error < 0 ? self->error : -EIO;
	return atomic_load(self->batch->stop) ? -EINTR : 0;
}

int batchRun(const struct batch *batch, struct batchResult *result)
{
	struct runner *loads = g_new0(struct runner, batch->loadCount + 1);
	struct runner self = { .batch = batch, .work = &batch->work };
	atomic_int isEnd = 0;
	size_t count = 0;
	int ret = 0;

	for (; count < batch->loadCount && ret == 0; count += ret == 0) {
		loads[count] = (struct runner){ .batch = batch,
						.work = &batch->loads[count],
						.isLoad = true,
						.end = &isEnd };
		ret = batchStart(&loads[count]);
	}
	for (size_t i = 0; i < count; i++)
		sem_wait(&loads[i].ready);
	if (ret == 0)
		ret = runAlone(&self, result);
	atomic_store(&isEnd, 1);
	for (size_t i = 0; i < count; i++) {
		batchFinish(&loads[i]);
		if (ret == 0 && loads[i].error)
			ret = loads[i].error < 0 ? loads[i].error : -EIO;
	}
	g_free(loads);
	return ret;
}
