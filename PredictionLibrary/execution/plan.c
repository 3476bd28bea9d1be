/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which data sets go where, in the order of the simulation; see execute.h. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "PredictionLibrary/execution/execute.h"
#include "PredictionLibrary/simulation/power.h"

/* Messages of a data set: one to each server that has consumers, the first of
 * which have the lowest numbers. @p stamp: of each server, the last data set
 * that went there. @return Their number. */
static uint32_t executePlanListMessages(const struct hdExecutePlan *plan,
					uint32_t dataSet, uint32_t *stamp,
					struct hdExecuteMessage *messages)
{
	const hdPGraph *graph = plan->graph;
	uint32_t from = hdExecuteServer(plan, plan->producer[dataSet]);
	uint32_t count = 0;

	for (uint32_t c = graph->consumer[dataSet];
	     c < graph->consumer[dataSet + 1]; c++) {
		uint32_t to = hdExecuteServer(plan, graph->consumerTask[c]);

		if (to == from || stamp[to] == dataSet)
			continue;
		stamp[to] = dataSet;
		if (messages)
			messages[count] = (struct hdExecuteMessage){
				dataSet,
				from,
				to,
				c,
				graph->number[graph->consumerInput[c]],
				HD_PREDICT_NONE,
				HD_PREDICT_NONE
			};
		count++;
	}
	return count;
}

static int listAll(struct hdExecutePlan *plan)
{
	uint32_t outputs = (uint32_t)plan->graph->outputCount;
	size_t size =
		((size_t)plan->platform->serverCount + 1) * sizeof(uint32_t);
	uint32_t *stamp = malloc(size);

	plan->messageOf = malloc(((size_t)outputs + 1) * sizeof(uint32_t));
	if (!stamp || !plan->messageOf) {
		free(stamp);
		return -ENOMEM;
	}
	/* First to count them, then to write them down. */
	for (int round = 0; round < 2; round++) {
		uint32_t count = 0;

		memset(stamp, 0xff, size);
		for (uint32_t d = 0; d < outputs; d++) {
			plan->messageOf[d] = count;
			count += executePlanListMessages(
				plan, d, stamp,
				round ? plan->messages + count : NULL);
		}
		plan->messageOf[outputs] = plan->messageCount = count;
		if (round == 0)
			plan->messages = calloc((size_t)count + 1,
						sizeof(*plan->messages));
		if (!plan->messages) {
			free(stamp);
			return -ENOMEM;
		}
	}
	free(stamp);
	return 0;
}

/* Lanes of a bridge for each server that sends by it first, by their numbers.
 * @p uses: by server. */
static void addLanes(struct hdExecutePlan *plan, uint32_t edge,
		     const bool *uses)
{
	plan->lane[edge] = HD_PREDICT_NONE;
	for (uint32_t s = 0; s < plan->platform->serverCount; s++) {
		if (!uses[s])
			continue;
		if (s == plan->server)
			plan->lane[edge] = plan->lanes[edge];
		plan->lanes[edge]++;
	}
}

/* One for what one server gets by it; and one in any case. */
static void addInLane(struct hdExecutePlan *plan, uint32_t edge,
		      const bool *gets)
{
	uint32_t receiver = HD_PREDICT_NONE, count = 0;

	for (uint32_t s = 0; s < plan->platform->serverCount; s++) {
		if (gets[s])
			receiver = s;
		count += gets[s];
	}
	plan->inLane[edge] = HD_PREDICT_NONE;
	if (count != 1 && plan->lanes[edge])
		return;
	if (count != 1)
		receiver = hdPredictBridgeServer(plan->platform, edge);
	if (receiver == HD_PREDICT_NONE)
		receiver = 0;
	if (receiver == plan->server)
		plan->inLane[edge] = plan->lanes[edge];
	plan->lanes[edge]++;
}

static int executePlanFindLanes(struct hdExecutePlan *plan)
{
	size_t servers = plan->platform->serverCount;
	size_t pairs = ((size_t)plan->platform->edgeCount + 1) * servers;
	bool *uses = calloc(pairs, sizeof(*uses));
	bool *gets = calloc(pairs, sizeof(*gets));

	for (uint32_t m = 0; m < plan->messageCount && uses && gets; m++) {
		const struct hdExecuteMessage *message = &plan->messages[m];

		uses[message->edge * servers + message->from] = true;
		if (message->lastEdge != HD_PREDICT_NONE)
			gets[message->lastEdge * servers + message->to] = true;
	}
	for (uint32_t e = 0; e < plan->platform->edgeCount && uses && gets;
	     e++) {
		addLanes(plan, e, uses + e * servers);
		addInLane(plan, e, gets + e * servers);
	}
	free(uses);
	free(gets);
	return uses && gets ? 0 : -ENOMEM;
}

/* Bridges where what one sender sends by one of its own meets others. */
static int findShared(struct hdExecutePlan *plan)
{
	size_t size =
		((size_t)plan->platform->edgeCount + 1) * sizeof(uint32_t);
	uint32_t *first = malloc(size);
	bool *isShared = calloc(size, 1);

	if (first)
		memset(first, 0xff, size);
	for (uint32_t m = 0; m < plan->messageCount && first && isShared; m++) {
		const struct hdExecuteMessage *message = &plan->messages[m];
		uint32_t e = hdExecuteLastEdge(message);
		const struct hdExecuteMessage *other;

		if (first[e] == HD_PREDICT_NONE)
			first[e] = m;
		other = &plan->messages[first[e]];
		if (other->from != message->from ||
		    other->edge != message->edge)
			isShared[e] = true;
	}
	for (uint32_t m = 0; m < plan->messageCount && first && isShared; m++)
		plan->messages[m].isShared =
			isShared[hdExecuteLastEdge(&plan->messages[m])];
	free(first);
	free(isShared);
	return first && isShared ? 0 : -ENOMEM;
}

static int route(struct hdExecutePlan *plan)
{
	struct hdPredictRoutes *routes = hdPredictRoutesNew(plan->platform);
	size_t edges = plan->platform->edgeCount;
	int ret = routes ? 0 : -ENOMEM;

	for (uint32_t m = 0; m < plan->messageCount && ret == 0; m++) {
		struct hdExecuteMessage *message = &plan->messages[m];
		const uint32_t *path;
		int count = hdPredictRoute(routes, message->from, message->to,
					   &path);

		if (count < 1)
			ret = -ENOMEM;
		else
			message->edge = path[0];
		if (count > 1)
			message->lastEdge = path[count - 1];
	}
	hdPredictRoutesFree(routes);
	if (ret == 0)
		ret = findShared(plan);
	plan->lanes = calloc(edges + 1, sizeof(uint32_t));
	plan->lane = calloc(edges + 1, sizeof(uint32_t));
	plan->inLane = calloc(edges + 1, sizeof(uint32_t));
	if (ret == 0 && (!plan->lanes || !plan->lane || !plan->inLane))
		ret = -ENOMEM;
	return ret == 0 ? executePlanFindLanes(plan) : ret;
}

/* What arrives for which task. */
static int findArriving(struct hdExecutePlan *plan)
{
	size_t tasks = plan->graph->taskCount;

	plan->arriving = malloc((tasks + 1) * sizeof(uint32_t));
	plan->next =
		malloc(((size_t)plan->messageCount + 1) * sizeof(uint32_t));
	if (!plan->arriving || !plan->next)
		return -ENOMEM;
	memset(plan->arriving, 0xff, tasks * sizeof(uint32_t));
	for (uint32_t m = 0; m < plan->messageCount; m++) {
		const struct hdExecuteMessage *message = &plan->messages[m];
		uint32_t task = plan->graph->consumerTask[message->consumer];

		plan->next[m] = plan->arriving[task];
		plan->arriving[task] = m;
	}
	return 0;
}

/* To search for it at each use took a fifth of what a task takes. */
static int findProducers(struct hdExecutePlan *plan)
{
	const hdPGraph *graph = plan->graph;

	plan->producer = malloc(((size_t)graph->outputCount + 1) *
				sizeof(*plan->producer));
	for (uint32_t t = 0; t < graph->taskCount && plan->producer; t++) {
		for (uint32_t d = graph->output[t]; d < graph->output[t + 1];
		     d++)
			plan->producer[d] = t;
	}
	return plan->producer ? 0 : -ENOMEM;
}

int hdExecutePlanMake(struct hdExecutePlan *plan)
{
	int ret = findProducers(plan);

	if (ret == 0)
		ret = listAll(plan);
	if (ret == 0)
		ret = route(plan);
	return ret == 0 ? findArriving(plan) : ret;
}

void hdExecutePlanFree(struct hdExecutePlan *plan)
{
	free(plan->producer);
	free(plan->messages);
	free(plan->messageOf);
	free(plan->arriving);
	free(plan->next);
	free(plan->lanes);
	free(plan->lane);
	free(plan->inLane);
	hdPredictBaseFree(&plan->base);
}
