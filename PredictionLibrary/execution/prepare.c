/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a run needs before it begins; see execute.h. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "PredictionLibrary/execution/execute.h"
#include "PredictionLibrary/execution/watch.h"

/* The memory that this node has for data sets. */
static void prepareMemory(struct hdExecution *self)
{
	const struct hdPredictServer *server =
		&self->plan.platform->servers[self->plan.server];

	pthread_mutex_init(&self->memoryLock, NULL);
	pthread_cond_init(&self->memoryFreed, NULL);
	self->limit = server->size > 0 ? server->size : HUGE_VAL;
	self->delays =
		server->size > 0 && server->full == HD_PREDICT_FULL_DELAY;
}

static int prepareBuffers(struct hdExecution *self)
{
	const hdPGraph *graph = self->plan.graph;
	size_t tasks = graph->taskCount;

	self->buffers =
		calloc((size_t)graph->outputCount + 1, sizeof(*self->buffers));
	self->missing = calloc(tasks + 1, sizeof(*self->missing));
	self->last = calloc(tasks + 1, sizeof(*self->last));
	if (!self->buffers || !self->missing || !self->last)
		return -ENOMEM;
	for (uint32_t t = 0; t < tasks; t++)
		atomic_init(&self->missing[t],
			    graph->input[t + 1] - graph->input[t]);
	return 0;
}

/* A kernel replaces in place what the graph says, or nothing; else it would
 * find its own results among its inputs. */
static bool prepareIsInPlace(const struct hdPredictKernel *kernel,
			     const hdKernel *found)
{
	for (uint32_t i = 0; i < kernel->outputs.count; i++) {
		uint32_t inout = kernel->outputs.ports[i].inout;

		if (inout != HD_PREDICT_NONE &&
		    (i > 0 || found->inout != inout + 1)) {
			fprintf(stderr,
				"hdexecute: kernel %s: the graph lets it "
				"replace %s in place, but its code does not; "
				"remove inout of %s from the graph\n",
				kernel->id, kernel->inputs.ports[inout].id,
				kernel->outputs.ports[i].id);
			return false;
		}
	}
	return true;
}

static int prepareArchitectures(struct hdExecution *self)
{
	const struct hdPredictNames *names =
		&self->plan.platform->peArchitectures;

	self->architectures =
		calloc((size_t)names->count + 1, sizeof(*self->architectures));
	for (uint32_t a = 0; a < names->count && self->architectures; a++) {
		self->architectures[a] = hdPredictNameCopy(names, a);
		if (!self->architectures[a])
			return -ENOMEM;
	}
	return self->architectures ? 0 : -ENOMEM;
}

/* Those of the tasks that run here; who has none says so. */
static int findKernels(struct hdExecution *self, struct hdKernelSet *set)
{
	const struct hdExecutePlan *plan = &self->plan;
	const hdPGraph *graph = plan->graph;
	uint32_t architectures = plan->platform->peArchitectures.count;
	bool *isSaid = calloc((size_t)graph->kernelCount + 1, sizeof(*isSaid));
	int ret = 0;

	self->kernels = calloc((size_t)graph->kernelCount * architectures + 1,
			       sizeof(*self->kernels));
	if (!self->kernels || !isSaid) {
		free(isSaid);
		return -ENOMEM;
	}
	for (uint32_t t = 0; t < graph->taskCount; t++) {
		uint32_t k = graph->configs[graph->config[t]].kernel;
		uint32_t a = hdExecuteArchitecture(plan, t);
		const hdKernel **kernel =
			&self->kernels[(size_t)k * architectures + a];
		char why[1000], name[200];
		int found;

		if (*kernel || isSaid[k] ||
		    hdExecuteServer(plan, t) != plan->server)
			continue;
		found = hdKernelFind(set, graph->kernels[k].id,
				     self->architectures[a], kernel, why,
				     sizeof(why));
		if (found == 0) {
			if (!prepareIsInPlace(&graph->kernels[k], *kernel))
				ret = -ENOENT;
			continue;
		}
		fprintf(stderr, "hdexecute: task %s: kernel %s: %s\n",
			hdExecuteTaskName(self, t, name, sizeof(name)),
			graph->kernels[k].id, why);
		isSaid[k] = true;
		ret = -ENOENT;
	}
	free(isSaid);
	return ret;
}

static uint32_t countWorkers(const struct hdExecution *self)
{
	const uint32_t *first = self->plan.base.serverFirst;

	return first[self->plan.server + 1] - first[self->plan.server];
}

/* Room for what the largest kernel takes. */
static int prepareWorker(struct hdExecution *self,
			 struct hdExecuteWorker *worker)
{
	const hdPGraph *graph = self->plan.graph;
	size_t ins = 1, outs = 1, variables = 1;

	for (uint32_t k = 0; k < graph->kernelCount; k++) {
		const struct hdPredictKernel *kernel = &graph->kernels[k];

		if (kernel->inputs.count > ins)
			ins = kernel->inputs.count;
		if (kernel->outputs.count > outs)
			outs = kernel->outputs.count;
		if (kernel->variableCount > variables)
			variables = kernel->variableCount;
	}
	worker->execution = self;
	worker->cpu = -1;
	pthread_mutex_init(&worker->lock, NULL);
	pthread_cond_init(&worker->wake, NULL);
	worker->in = calloc(ins, sizeof(*worker->in));
	worker->out = calloc(outs, sizeof(*worker->out));
	worker->isReplaced = calloc(outs, sizeof(*worker->isReplaced));
	worker->variables = calloc(variables, sizeof(*worker->variables));
	worker->cpus =
		calloc((size_t)countWorkers(self) + 1, sizeof(*worker->cpus));
	return worker->in && worker->out && worker->isReplaced &&
			       worker->variables && worker->cpus
		       ? 0
		       : -ENOMEM;
}

static int prepareWorkers(struct hdExecution *self)
{
	const struct hdPredictBase *base = &self->plan.base;
	uint32_t first = base->serverFirst[self->plan.server];
	uint32_t count = countWorkers(self);

	self->workers = calloc((size_t)count + 1, sizeof(*self->workers));
	self->workerOf = calloc((size_t)self->plan.platform->peCount + 1,
				sizeof(uint32_t));
	self->marks = hdExecuteMarksNew(count);
	if (base->plan.place)
		self->teams = calloc((size_t)self->plan.graph->taskCount + 1,
				     sizeof(*self->teams));
	if (!self->workers || !self->workerOf || !self->marks ||
	    (base->plan.place && !self->teams))
		return -ENOMEM;
	for (uint32_t w = 0; w < count; w++) {
		uint32_t pe = base->serverPes[first + w];

		self->workers[w].pe = pe;
		self->workers[w].mark = &self->marks[w];
		self->workerOf[pe] = w;
		self->workerCount++;
		if (prepareWorker(self, &self->workers[w]) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int prepareOutboxes(struct hdExecution *self)
{
	const struct hdExecutePlan *plan = &self->plan;
	uint32_t edges = plan->platform->edgeCount;

	self->outboxes = calloc((size_t)edges + 1, sizeof(*self->outboxes));
	self->own = malloc(((size_t)edges + 1) * sizeof(*self->own));
	if (!self->outboxes || !self->own)
		return -ENOMEM;
	for (uint32_t e = 0; e < edges; e++) {
		self->outboxes[e].asking = HD_PREDICT_NONE;
		self->outboxes[e].isIdle = true;
		if (plan->lane[e] == HD_PREDICT_NONE)
			continue;
		self->own[self->ownCount++] = e;
		if (hdPredictEventsRoom(&self->outboxes[e].waiting,
					plan->messageCount) < 0)
			return -ENOMEM;
	}
	for (uint32_t m = 0; m < plan->messageCount; m++) {
		const struct hdExecuteMessage *message = &plan->messages[m];
		struct hdExecuteOutbox *outbox =
			&self->outboxes[hdExecuteLastEdge(message)];

		if (message->isShared && message->to == plan->server &&
		    hdPredictEventsRoom(&outbox->arriving, plan->messageCount) <
			    0)
			return -ENOMEM;
	}
	return 0;
}

int hdExecutePrepare(struct hdExecution *self, struct hdKernelSet *set)
{
	pthread_condattr_t monotonic;
	int ret;

	pthread_mutex_init(&self->lock, NULL);
	/* Its waits end at times of the clock that nobody sets. */
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&self->wake, &monotonic);
	pthread_condattr_destroy(&monotonic);
	prepareMemory(self);
	ret = prepareBuffers(self);
	if (ret == 0)
		ret = prepareWorkers(self);
	if (ret == 0)
		ret = prepareOutboxes(self);
	if (ret == 0)
		ret = prepareArchitectures(self);
	return ret == 0 ? findKernels(self, set) : ret;
}

void hdExecuteFree(struct hdExecution *self)
{
	for (uint32_t w = 0; w < self->workerCount; w++) {
		free(self->workers[w].in);
		free(self->workers[w].out);
		free(self->workers[w].isReplaced);
		free(self->workers[w].variables);
		free(self->workers[w].cpus);
	}
	for (uint32_t a = 0; self->architectures && self->architectures[a]; a++)
		free(self->architectures[a]);
	free(self->architectures);
	free(self->teams);
	for (uint64_t d = 0; self->buffers && d < self->plan.graph->outputCount;
	     d++)
		free(self->buffers[d].data);
	for (uint32_t e = 0;
	     self->outboxes && e < self->plan.platform->edgeCount; e++) {
		hdPredictEventsFree(&self->outboxes[e].waiting);
		hdPredictEventsFree(&self->outboxes[e].arriving);
	}
	free(self->outboxes);
	free(self->own);
	if (self->workers)
		hdExecuteMarksFree(self->marks, countWorkers(self));
	free(self->workers);
	free(self->workerOf);
	free(self->buffers);
	free(self->missing);
	free(self->last);
	free(self->kernels);
	hdExecutePlanFree(&self->plan);
}
