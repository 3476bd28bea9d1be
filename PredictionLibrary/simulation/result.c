/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Walking the result of a simulation; see hdPredict.h. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "PredictionLibrary/simulation/power.h"
#include "PredictionLibrary/simulation/simulate.h"

void hdP_destroyResult(hdPResult *result)
{
	if (!result)
		return;
	free(result->start);
	free(result->end);
	hdPredictPlanFree(&result->plan);
	free(result->energy);
	for (size_t i = 0; i < 4; i++)
		free(result->uses[i]);
	free(result->transfers);
	free(result->fills);
	if (result->changes)
		hdPredictChangesFree(*result->changes);
	free(result->changes);
	free(result);
}

void hdP_getTotals(const hdPResult *result, hdPTotals *totals)
{
	*totals = result->totals;
}

int hdP_getTaskTimes(const hdPResult *result, int64_t task, hdPTaskTimes *times)
{
	if (!result || task < 0 || task >= result->graph->taskCount)
		return -EINVAL;
	times->start = result->start[task];
	times->end = result->end[task];
	times->pe = result->plan.pe[task];
	return 0;
}

int64_t hdP_getTaskPes(const hdPResult *result, int64_t task, int64_t *pes,
		       size_t room)
{
	const uint32_t *list;
	uint32_t count;

	if (!result || task < 0 || task >= result->graph->taskCount ||
	    (room && !pes))
		return -EINVAL;
	list = hdPredictPlanPes(&result->plan, result->platform, (uint32_t)task,
				&count);
	for (uint32_t i = 0; i < count && i < room; i++)
		pes[i] = list[i];
	return count;
}

int64_t hdP_getUseCount(const hdPResult *result, hdPWhat what)
{
	if (!result)
		return 0;
	switch (what) {
	case HDP_KERNELS:
		return result->graph->kernelCount;
	case HDP_PES:
		return result->platform->peCount;
	case HDP_SERVERS:
		return result->platform->serverCount;
	case HDP_BRIDGES:
		return result->platform->edgeCount;
	}
	return 0;
}

int hdP_getUse(const hdPResult *result, hdPWhat what, int64_t number,
	       hdPUse *use)
{
	const struct hdPredictUse *from;

	if (number < 0 || number >= hdP_getUseCount(result, what))
		return -EINVAL;
	from = &result->uses[what][number];
	*use = (hdPUse){ .tasks = from->tasks,
			 .busy = from->busy,
			 .waitData = from->waitData,
			 .waitPe = from->waitPe,
			 .energy = from->energy,
			 .transfers = from->transfers,
			 .bytes = from->bytes };
	switch (what) {
	case HDP_KERNELS:
		use->id = result->graph->kernels[number].id;
		break;
	case HDP_PES:
		use->id = result->platform->peIds[number];
		break;
	case HDP_BRIDGES:
		use->id = result->platform->bridgeIds[number];
		break;
	case HDP_SERVERS:
		use->id = result->platform->serverIds[number];
		use->idle = hdPredictIdleOf(result, (uint32_t)number) *
			    result->totals.makespan;
		use->memory = result->platform->servers[number].size;
		use->peak = from->peak;
		break;
	}
	return 0;
}

static uint32_t rootOf(uint32_t *parent, uint32_t task)
{
	while (parent[task] != task)
		task = parent[task] = parent[parent[task]];
	return task;
}

/* The first task of each is its root. */
static void simResultJoinTasks(const hdPGraph *graph, uint32_t *parent)
{
	for (uint32_t t = 0; t < graph->taskCount; t++)
		parent[t] = t;
	for (uint32_t t = 0; t < graph->taskCount; t++) {
		for (uint32_t c = graph->consumer[graph->output[t]];
		     c < graph->consumer[graph->output[t + 1]]; c++) {
			uint32_t a = rootOf(parent, t);
			uint32_t b = rootOf(parent, graph->consumerTask[c]);

			parent[a > b ? a : b] = a > b ? b : a;
		}
	}
}

int64_t hdP_getSubgraphs(const hdPResult *result, hdPSubgraph *list,
			 size_t room)
{
	uint32_t n = result ? result->graph->taskCount : 0, *parent, *place;
	int64_t count = 0;

	if (!result || (room && !list))
		return -EINVAL;
	parent = malloc(((size_t)n + 1) * sizeof(*parent));
	place = malloc(((size_t)n + 1) * sizeof(*place));
	if (!parent || !place) {
		free(parent);
		free(place);
		return -ENOMEM;
	}
	simResultJoinTasks(result->graph, parent);
	for (uint32_t t = 0; t < n; t++) {
		uint32_t root = rootOf(parent, t);
		hdPSubgraph *one;

		if (root == t)
			place[t] = (uint32_t)count++;
		if (place[root] >= room)
			continue;
		one = &list[place[root]];
		if (root == t)
			*one = (hdPSubgraph){ .task = t,
					      .start = result->start[t],
					      .end = result->end[t] };
		one->tasks++;
		one->start = fmin(one->start, result->start[t]);
		one->end = fmax(one->end, result->end[t]);
	}
	free(parent);
	free(place);
	return count;
}

int64_t hdP_getTransferCount(const hdPResult *result)
{
	return result ? (int64_t)result->transferCount : 0;
}

int hdP_getTransfer(const hdPResult *result, int64_t number,
		    hdPTransfer *transfer)
{
	const struct hdPredictTransfer *from;
	const hdPGraph *graph;
	uint32_t producer;

	if (number < 0 || number >= hdP_getTransferCount(result))
		return -EINVAL;
	from = &result->transfers[number];
	graph = result->graph;
	producer = hdPredictProducer(graph, from->dataSet);
	*transfer = (hdPTransfer){
		.producer = producer,
		.consumer = graph->consumerTask[from->consumer],
		.dependency =
			graph->number[graph->consumerInput[from->consumer]],
		.source = from->source,
		.destination = from->destination,
		.bytes = hdPredictOutputSize(graph, producer,
					     from->dataSet -
						     graph->output[producer]),
		.ready = from->ready,
		.start = from->start,
		.end = from->end
	};
	return 0;
}
