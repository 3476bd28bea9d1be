/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels with inputs; see call.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <glib.h>

#include "PredictionLibrary/command/measure/call.h"

#define ALIGNMENT 64
/* So many tasks one behind the other are run for inputs; data from before are
 * numbers like any others. */
#define DEPTH_MAX 64

struct measureCalls {
	const hdPGraph *graph;
	struct hdKernelSet *set;
	const char *architecture;
	GHashTable *calls; /* By task + 1: struct measureCall. */
};

static void freeCall(gpointer data)
{
	struct measureCall *call = data;

	for (uint32_t i = 0; i < call->call.outCount; i++)
		free(call->buffers[call->call.inCount + i].data);
	g_free(call->buffers);
	g_free(call->variables);
	g_free(call->task);
	g_free(call);
}

struct measureCalls *measureCallsNew(const hdPGraph *graph,
				     struct hdKernelSet *set,
				     const char *architecture)
{
	struct measureCalls *self = g_new0(struct measureCalls, 1);

	self->graph = graph;
	self->set = set;
	self->architecture = architecture;
	self->calls = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL,
					    freeCall);
	return self;
}

void measureCallsFree(struct measureCalls *self)
{
	if (self)
		g_hash_table_unref(self->calls);
	g_free(self);
}

static void measureCallSetVariables(struct measureCall *call,
				    const hdPGraph *graph,
				    const struct hdPredictConfig *config)
{
	const struct hdPredictKernel *kernel = &graph->kernels[config->kernel];

	call->variables = g_new0(hdKernelVariable, kernel->variableCount + 1);
	for (uint32_t i = 0; i < kernel->variableCount; i++)
		call->variables[i] =
			(hdKernelVariable){ kernel->variables[i],
					    graph->values[config->values + i] };
	call->call.variables = call->variables;
	call->call.variableCount = kernel->variableCount;
}

/* Memory that is there, with numbers in it that no kernel minds. */
static bool setOutput(hdKernelBuffer *buffer, double size)
{
	size_t bytes = ((size_t)size / ALIGNMENT + 1) * ALIGNMENT;
	double *numbers = size < 1e12 ? aligned_alloc(ALIGNMENT, bytes) : NULL;

	for (size_t i = 0; numbers && i < bytes / sizeof(double); i++)
		numbers[i] = 1 / (double)(i % 97 + 2);
	buffer->data = numbers;
	buffer->size = (size_t)size;
	return numbers != NULL;
}

static bool setOutputs(struct measureCall *call, const hdPGraph *graph,
		       const struct hdPredictConfig *config, uint32_t task)
{
	uint32_t ins = graph->kernels[config->kernel].inputs.count;
	uint32_t outs = graph->kernels[config->kernel].outputs.count;
	bool isThere = true;

	call->call.inCount = ins;
	call->buffers = g_new0(hdKernelBuffer, (size_t)ins + outs + 1);
	for (uint32_t i = 0; i < outs && isThere; i++) {
		hdKernelBuffer *out = &call->buffers[ins + i];

		call->call.outCount++;
		isThere = setOutput(out, graph->sizes[config->sizes + ins + i]);
		hdPredictTile(graph, task, &out->row, &out->column);
	}
	return isThere;
}

static struct measureCall *makeCall(struct measureCalls *self, uint32_t task,
				    char **why)
{
	const hdPGraph *graph = self->graph;
	const struct hdPredictConfig *config =
		&graph->configs[graph->config[task]];
	const char *id = graph->kernels[config->kernel].id;
	struct measureCall *call = g_new0(struct measureCall, 1);
	size_t length = 0;
	const char *name = hdP_getTaskId(graph, task, &length);
	char reason[256] = "";

	g_hash_table_insert(self->calls, GUINT_TO_POINTER(task + 1), call);
	call->task = g_strndup(name, length);
	call->call.kernel = id;
	call->call.task = call->task;
	call->call.architecture = self->architecture;
	hdPredictTile(graph, task, &call->call.row, &call->call.column);
	measureCallSetVariables(call, graph, config);
	if (hdKernelFind(self->set, id, self->architecture, &call->kernel,
			 reason, sizeof(reason)) != 0)
		*why = g_strdup_printf("%s: %s", id, reason);
	else if (!setOutputs(call, graph, config, task))
		*why = g_strdup_printf("%s: not enough memory for its data",
				       id);
	call->call.in = call->buffers;
	call->call.out =
		call->buffers ? call->buffers + call->call.inCount : NULL;
	return *why ? NULL : call;
}

static struct measureCall *measureCallPrepare(struct measureCalls *self,
					      uint32_t task, unsigned int depth,
					      char **why);

/* An input is what the task before has made. */
static bool setInput(struct measureCalls *self, struct measureCall *call,
		     uint32_t task, uint32_t input, unsigned int depth,
		     char **why)
{
	const hdPGraph *graph = self->graph;
	uint32_t set = graph->source[graph->input[task] + input];
	uint32_t producer = hdPredictProducer(graph, set);
	struct measureCall *maker =
		measureCallPrepare(self, producer, depth + 1, why);
	int ret = 0;

	if (!maker)
		return false;
	/* At the greatest depth it has no inputs. */
	if (!maker->isMade && depth + 1 < DEPTH_MAX) {
		ret = hdKernelRun(maker->kernel, &maker->call);
		maker->isMade = ret == 0;
	}
	if (ret != 0)
		*why = g_strdup_printf("%s: %s", maker->task,
				       ret < 0 ? g_strerror(-ret) : "failed");
	call->buffers[input] = maker->call.out[set - graph->output[producer]];
	return ret == 0;
}

static struct measureCall *measureCallPrepare(struct measureCalls *self,
					      uint32_t task, unsigned int depth,
					      char **why)
{
	struct measureCall *call =
		g_hash_table_lookup(self->calls, GUINT_TO_POINTER(task + 1));

	/* One without inputs was at the greatest depth. */
	if (call && (call->call.inCount == 0 || call->buffers[0].data))
		return call;
	if (!call)
		call = makeCall(self, task, why);
	for (uint32_t i = 0;
	     call && depth < DEPTH_MAX && i < call->call.inCount; i++) {
		if (!setInput(self, call, task, i, depth, why))
			return NULL;
	}
	return call;
}

struct measureCall *measureCallOf(struct measureCalls *self, uint32_t task,
				  char **why)
{
	*why = NULL;
	return measureCallPrepare(self, task, 0, why);
}
