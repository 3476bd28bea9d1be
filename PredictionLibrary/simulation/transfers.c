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

/* Charge packets; the time of the message alone on its path, in s. */
static double transfersAccountParcel(struct hdPredictSim *sim,
				     const struct hdPredictParcel *parcel,
				     const uint32_t *path, uint32_t length)
{
	hdPTotals *totals = &sim->result->totals;
	double init = 0, worst = 0;

	for (uint32_t i = 0; i < length; i++) {
		struct hdPredictLane *lane = &sim->lanes[path[i]];
		double packets = hdPredictPacketsOf(parcel->size, lane->size);
		double energy = packets * lane->energy * 1e-9;

		lane->messages++;
		lane->bytes += parcel->size;
		lane->transfers += energy;
		totals->communication += energy;
		init += lane->init;
		if (packets * lane->latency > worst)
			worst = packets * lane->latency;
	}
	totals->messages++;
	totals->bytes += parcel->size;
	totals->queued += sim->now - parcel->ready;
	return (init + (sim->options.sharing == HDP_SHARE ? 0 : worst)) / 1e9;
}

static int transfersSetPath(struct hdPredictFlow *flow, const uint32_t *path,
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
	double time;

	if (number == HD_PREDICT_NONE ||
	    transfersSetPath(&sim->flows[number], path, length) < 0) {
		hdPredictFailed(sim, -ENOMEM);
		return;
	}
	flow = &sim->flows[number];
	flow->parcel = *parcel;
	flow->start = sim->now;
	flow->isOpen = false;
	time = transfersAccountParcel(sim, parcel, path, length);
	hdPredictTakeMemory(sim, parcel->to, parcel->size,
			    sim->graph->consumerTask[parcel->first]);
	/* Of bridges that are shared, this is until the payload goes. */
	for (uint32_t i = 0; i < length; i++)
		sim->lanes[path[i]].isBusy = sim->options.sharing != HDP_SHARE;
	hdPredictEventsSet(&sim->events, sim->platform->peCount + number,
			   sim->now + time);
}

static void transfersDeliverParcel(struct hdPredictSim *sim,
				   const struct hdPredictFlow *flow)
{
	const struct hdPredictParcel *parcel = &flow->parcel;
	hdPResult *result = sim->result;

	result->totals.transferring += sim->now - flow->start;
	hdPredictPending(sim, parcel->from, -1);
	for (uint32_t i = 0; i < flow->length; i++) {
		uint32_t edge = flow->path[i];

		sim->lanes[edge].busy += sim->now - flow->start;
		if (sim->options.sharing != HDP_SHARE)
			hdPredictVacate(sim, edge);
	}
	for (uint32_t c = parcel->first; c != HD_PREDICT_NONE;
	     c = sim->chain[c])
		hdPredictArrive(sim, sim->graph->consumerTask[c]);
	if (--sim->users[parcel->dataSet] == 0)
		hdPredictGiveMemory(sim, parcel->from, parcel->size);
	else if (sim->users[parcel->dataSet] == 1)
		hdPredictWakeWaiting(sim, parcel->from);
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
	transfersDeliverParcel(sim, flow);
	flow->next = sim->freeFlow;
	sim->freeFlow = number;
}
