/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages on their way between servers; see simulate.h. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "PredictionLibrary/simulation/simulate.h"

static uint32_t newFlow(struct hdPredictSim *sim)
{
	uint32_t flow = sim->freeFlow;

	if (flow != HD_PREDICT_NONE) {
		sim->freeFlow = sim->flows[flow].next;
		return flow;
	}
	flow = (uint32_t)sim->flowCount;
	if (hdPredictGrow(&sim->flows, sim->flowCount, &sim->flowRoom,
			  sizeof(*sim->flows)) < 0 ||
	    hdPredictEventsRoom(&sim->events, sim->platform->peCount + flow) <
		    0)
		return HD_PREDICT_NONE;
	sim->flows[flow] = (struct hdPredictFlow){ .next = HD_PREDICT_NONE };
	sim->flowCount++;
	return flow;
}

/* Charge packets. */
static void account(struct hdPredictSim *sim,
		    const struct hdPredictParcel *parcel, const uint32_t *path,
		    uint32_t length)
{
	hdPTotals *totals = &sim->result->totals;

	for (uint32_t i = 0; i < length; i++) {
		const struct hdPredictEdgeOf *edge =
			&sim->platform->edges[path[i]];
		double energy = hdPredictPackets(edge, parcel->size) *
				edge->energy * 1e-9;
		struct hdPredictUse *use =
			&sim->result->uses[HDP_BRIDGES][path[i]];
		uint32_t server = sim->lanes[path[i]].server;

		use->tasks++;
		use->bytes += parcel->size;
		use->transfers += energy;
		totals->communication += energy;
		if (server != HD_PREDICT_NONE)
			sim->result->uses[HDP_SERVERS][server].transfers +=
				energy;
	}
	totals->messages++;
	totals->bytes += parcel->size;
	totals->queued += sim->now - parcel->ready;
}

static int setPath(struct hdPredictFlow *flow, const uint32_t *path,
		   uint32_t length)
{
	while (flow->pathRoom < length) {
		if (hdPredictGrow(&flow->path, flow->pathRoom, &flow->pathRoom,
				  sizeof(*path)) < 0)
			return -ENOMEM;
	}
	memcpy(flow->path, path, length * sizeof(*path));
	flow->length = length;
	return 0;
}

void hdPredictBegin(struct hdPredictSim *sim,
		    const struct hdPredictParcel *parcel, const uint32_t *path,
		    uint32_t length)
{
	uint32_t number = newFlow(sim);
	struct hdPredictFlow *flow;
	double init = 0, time;

	if (number == HD_PREDICT_NONE ||
	    setPath(&sim->flows[number], path, length) < 0) {
		hdPredictFailed(sim, -ENOMEM);
		return;
	}
	flow = &sim->flows[number];
	flow->parcel = *parcel;
	flow->start = sim->now;
	flow->isOpen = false;
	account(sim, parcel, path, length);
	hdPredictTakeMemory(sim, parcel->to, parcel->size,
			    sim->graph->consumerTask[parcel->first]);
	if (sim->options.sharing == HDP_SHARE) {
		for (uint32_t i = 0; i < length; i++)
			init += sim->platform->edges[path[i]].init;
		time = init / 1e9;
	} else {
		for (uint32_t i = 0; i < length; i++)
			sim->lanes[path[i]].isBusy = true;
		time = hdPredictPathTime(sim->platform, path, (int)length,
					 parcel->size);
	}
	hdPredictEventsSet(&sim->events, sim->platform->peCount + number,
			   sim->now + time);
}

static void deliver(struct hdPredictSim *sim, const struct hdPredictFlow *flow)
{
	const struct hdPredictParcel *parcel = &flow->parcel;
	hdPResult *result = sim->result;

	result->totals.transferring += sim->now - flow->start;
	for (uint32_t i = 0; i < flow->length; i++) {
		uint32_t edge = flow->path[i];

		result->uses[HDP_BRIDGES][edge].busy += sim->now - flow->start;
		if (sim->options.sharing != HDP_SHARE)
			hdPredictVacate(sim, edge);
	}
	for (uint32_t c = parcel->first; c != HD_PREDICT_NONE;
	     c = sim->chain[c])
		hdPredictArrive(sim, sim->graph->consumerTask[c]);
	if (--sim->users[parcel->dataSet] == 0)
		hdPredictGiveMemory(sim, parcel->from, parcel->size);
	if (!sim->options.recordsTransfers)
		return;
	if (hdPredictGrow(&result->transfers, result->transferCount,
			  &result->transferRoom,
			  sizeof(*result->transfers)) < 0) {
		hdPredictFailed(sim, -ENOMEM);
		return;
	}
	result->transfers[result->transferCount++] = (struct hdPredictTransfer){
		parcel->first, parcel->dataSet, parcel->from, parcel->to,
		parcel->ready, flow->start,     sim->now
	};
}

/* Whether its payload takes time. */
static bool isTimed(const struct hdPredictSim *sim,
		    const struct hdPredictFlow *flow)
{
	for (uint32_t i = 0; i < flow->length; i++) {
		const struct hdPredictEdgeOf *edge =
			&sim->platform->edges[flow->path[i]];

		if (hdPredictPackets(edge, flow->parcel.size) * edge->latency >
		    0)
			return true;
	}
	return false;
}

void hdPredictFlowEvent(struct hdPredictSim *sim, uint32_t number)
{
	struct hdPredictFlow *flow = &sim->flows[number];

	/* With shared bridges, first the latencies, then the payload. */
	if (sim->options.sharing == HDP_SHARE && !flow->isOpen &&
	    isTimed(sim, flow)) {
		flow->isOpen = true;
		flow->left = flow->parcel.size;
		flow->rate = 0;
		flow->last = sim->now;
		sim->isShareStale = true;
		return;
	}
	if (flow->isOpen)
		sim->isShareStale = true;
	flow->isOpen = false;
	deliver(sim, flow);
	flow->next = sim->freeFlow;
	sim->freeFlow = number;
}
