/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages between servers; see simulate.h.
 *
 * Messages of one pair of servers are a class, and take the same path: only the
 * one with the lowest number matters. A class whose path is not free waits at
 * one bridge that is busy, and is looked at again when that one gets free.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "PredictionLibrary/simulation/simulate.h"

/* Servers up to which pairs have a table. */
#define TABLE_SERVERS 1024

static uint32_t newClass(struct hdPredictSim *sim, uint32_t from, uint32_t to)
{
	struct hdPredictClass class = { .from = from, .to = to };
	const uint32_t *edges;
	int length = hdPredictRoute(sim->routes, from, to, &edges);

	if (length < 0 || hdPredictGrow(&sim->classes, sim->classCount,
					&sim->classRoom, sizeof(class)) < 0)
		return HD_PREDICT_NONE;
	while (sim->pathRoom < sim->pathCount + (size_t)length) {
		if (hdPredictGrow(&sim->paths, sim->pathRoom, &sim->pathRoom,
				  sizeof(uint32_t)) < 0)
			return HD_PREDICT_NONE;
	}
	memcpy(sim->paths + sim->pathCount, edges,
	       (size_t)length * sizeof(*edges));
	class.path = (uint32_t)sim->pathCount;
	class.length = (uint32_t)length;
	sim->pathCount += (size_t)length;
	sim->classes[sim->classCount] = class;
	return (uint32_t)sim->classCount++;
}

static uint32_t classOf(struct hdPredictSim *sim, uint32_t from, uint32_t to)
{
	uint32_t servers = sim->platform->serverCount, number;
	uint32_t key[] = { from, to };

	if (servers <= TABLE_SERVERS) {
		uint32_t *cell;

		if (!sim->classOf) {
			size_t size = (size_t)servers * servers * 4;

			sim->classOf = malloc(size);
			if (!sim->classOf)
				return HD_PREDICT_NONE;
			memset(sim->classOf, 0xff, size);
		}
		cell = &sim->classOf[(size_t)from * servers + to];
		if (*cell == HD_PREDICT_NONE)
			*cell = newClass(sim, from, to);
		return *cell;
	}
	switch (hdPredictNamesAdd(&sim->classNames, (const char *)key,
				  sizeof(key), &number)) {
	case 0:
		return number;
	case 1:
		/* Numbers of names are numbers of classes. */
		return newClass(sim, from, to);
	default:
		return HD_PREDICT_NONE;
	}
}

static void addCandidate(struct hdPredictSim *sim, uint32_t class)
{
	if (sim->classes[class].isCandidate)
		return;
	if (hdPredictGrow(&sim->candidates, sim->candidateCount,
			  &sim->candidateRoom, sizeof(uint32_t)) < 0) {
		hdPredictFailed(sim, -ENOMEM);
		return;
	}
	sim->classes[class].isCandidate = true;
	sim->candidates[sim->candidateCount++] = class;
}

void hdPredictRetry(struct hdPredictSim *sim, uint32_t class)
{
	addCandidate(sim, class);
}

void hdPredictSend(struct hdPredictSim *sim, uint32_t from, uint32_t to,
		   const struct hdPredictParcel *parcel)
{
	uint32_t number = classOf(sim, from, to);
	struct hdPredictClass *class;
	uint32_t i;

	if (number == HD_PREDICT_NONE) {
		hdPredictFailed(sim, -ENOMEM);
		return;
	}
	class = &sim->classes[number];
	if (hdPredictGrow(&class->heap, class->count, &class->room,
			  sizeof(*parcel)) < 0) {
		hdPredictFailed(sim, -ENOMEM);
		return;
	}
	i = class->count++;
	while (i > 0 && class->heap[(i - 1) / 2].number > parcel->number) {
		class->heap[i] = class->heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	class->heap[i] = *parcel;
	if (!class->isWaiting)
		addCandidate(sim, number);
}

static struct hdPredictParcel takeFirst(struct hdPredictClass *class)
{
	struct hdPredictParcel first = class->heap[0];
	struct hdPredictParcel last = class->heap[--class->count];
	uint32_t i = 0;

	for (;;) {
		uint32_t child = 2 * i + 1;

		if (child >= class->count)
			break;
		if (child + 1 < class->count &&
		    class->heap[child + 1].number < class->heap[child].number)
			child++;
		if (class->heap[child].number >= last.number)
			break;
		class->heap[i] = class->heap[child];
		i = child;
	}
	class->heap[i] = last;
	return first;
}

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
	sim->flowCount++;
	return flow;
}

/* Charge packets, and keep what is asked for. */
static void account(struct hdPredictSim *sim,
		    const struct hdPredictClass *class,
		    const struct hdPredictParcel *parcel)
{
	hdPTotals *totals = &sim->result->totals;

	for (uint32_t i = 0; i < class->length; i++) {
		uint32_t number = sim->paths[class->path + i];
		const struct hdPredictEdgeOf *edge =
			&sim->platform->edges[number];
		double energy = hdPredictPackets(edge, parcel->size) *
				edge->energy * 1e-9;
		struct hdPredictUse *use =
			&sim->result->uses[HDP_BRIDGES][number];
		uint32_t node = sim->platform->bridges[edge->bridge].node;

		use->tasks++;
		use->bytes += parcel->size;
		use->transfers += energy;
		totals->communication += energy;
		if (node == HD_PREDICT_NONE)
			continue;
		node = sim->platform->nodes[node].server;
		if (node != HD_PREDICT_NONE)
			sim->result->uses[HDP_SERVERS][node].transfers +=
				energy;
	}
	totals->messages++;
	totals->bytes += parcel->size;
	totals->queued += sim->now - parcel->ready;
}

static void begin(struct hdPredictSim *sim, uint32_t number)
{
	struct hdPredictClass *class = &sim->classes[number];
	struct hdPredictParcel parcel = takeFirst(class);
	uint32_t flow = newFlow(sim);
	double init = 0, time;

	if (flow == HD_PREDICT_NONE) {
		hdPredictFailed(sim, -ENOMEM);
		return;
	}
	account(sim, class, &parcel);
	hdPredictTakeMemory(sim, class->to, parcel.size,
			    sim->graph->consumerTask[parcel.first]);
	sim->flows[flow] = (struct hdPredictFlow){ .parcel = parcel,
						   .class = number,
						   .start = sim->now };
	if (sim->options->sharing == HDP_SHARE) {
		for (uint32_t i = 0; i < class->length; i++)
			init += sim->platform
					->edges[sim->paths[class->path + i]]
					.init;
		time = init / 1e9;
	} else {
		for (uint32_t i = 0; i < class->length; i++)
			sim->isBusy[sim->paths[class->path + i]] = true;
		time = hdPredictPathTime(sim->platform,
					 sim->paths + class->path,
					 (int)class->length, parcel.size);
	}
	hdPredictEventsSet(&sim->events, sim->platform->peCount + flow,
			   sim->now + time);
}

/* Begin the first message of a class, or find out what it waits for. */
static void tryClass(struct hdPredictSim *sim, uint32_t number)
{
	struct hdPredictClass *class = &sim->classes[number];

	while (class->count) {
		for (uint32_t i = 0; i < class->length; i++) {
			uint32_t edge = sim->paths[class->path + i];

			if (!sim->isBusy[edge])
				continue;
			class->isWaiting = true;
			class->next = sim->watcher[edge];
			sim->watcher[edge] = number;
			return;
		}
		if (!hdPredictHasMemory(sim, class->to, class->heap[0].size)) {
			class->isWaiting = true;
			class->next = sim->stores[class->to].waiting;
			sim->stores[class->to].waiting = number;
			return;
		}
		begin(sim, number);
		class = &sim->classes[number];
		if (sim->error)
			return;
	}
}

static uint32_t lowest(const struct hdPredictSim *sim, uint32_t class)
{
	return sim->classes[class].heap[0].number;
}

/* Candidates by their lowest number; a heap, since only few may begin. */
static void siftDown(struct hdPredictSim *sim, size_t i)
{
	uint32_t moved = sim->candidates[i];

	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= sim->candidateCount)
			break;
		if (child + 1 < sim->candidateCount &&
		    lowest(sim, sim->candidates[child + 1]) <
			    lowest(sim, sim->candidates[child]))
			child++;
		if (lowest(sim, sim->candidates[child]) >= lowest(sim, moved))
			break;
		sim->candidates[i] = sim->candidates[child];
		i = child;
	}
	sim->candidates[i] = moved;
}

void hdPredictSendAll(struct hdPredictSim *sim)
{
	for (size_t i = sim->candidateCount / 2; i-- > 0;)
		siftDown(sim, i);
	while (sim->candidateCount && !sim->error) {
		uint32_t class = sim->candidates[0];

		sim->candidates[0] = sim->candidates[--sim->candidateCount];
		if (sim->candidateCount)
			siftDown(sim, 0);
		sim->classes[class].isCandidate = false;
		tryClass(sim, class);
	}
}

static void wake(struct hdPredictSim *sim, uint32_t *first)
{
	uint32_t class = *first;

	*first = HD_PREDICT_NONE;
	while (class != HD_PREDICT_NONE) {
		sim->classes[class].isWaiting = false;
		addCandidate(sim, class);
		class = sim->classes[class].next;
	}
}

static void deliver(struct hdPredictSim *sim, struct hdPredictFlow *flow)
{
	struct hdPredictClass *class = &sim->classes[flow->class];
	hdPResult *result = sim->result;

	result->totals.transferring += sim->now - flow->start;
	for (uint32_t i = 0; i < class->length; i++) {
		uint32_t edge = sim->paths[class->path + i];

		result->uses[HDP_BRIDGES][edge].busy += sim->now - flow->start;
		if (sim->options->sharing == HDP_SHARE)
			continue;
		sim->isBusy[edge] = false;
		wake(sim, &sim->watcher[edge]);
	}
	for (uint32_t c = flow->parcel.first; c != HD_PREDICT_NONE;
	     c = sim->chain[c])
		hdPredictArrive(sim, sim->graph->consumerTask[c]);
	if (--sim->users[flow->parcel.dataSet] == 0)
		hdPredictGiveMemory(sim, class->from, flow->parcel.size);
	if (!sim->options->recordsTransfers)
		return;
	if (hdPredictGrow(&result->transfers, result->transferCount,
			  &result->transferRoom,
			  sizeof(*result->transfers)) < 0) {
		hdPredictFailed(sim, -ENOMEM);
		return;
	}
	result->transfers[result->transferCount++] =
		(struct hdPredictTransfer){ flow->parcel.first,
					    flow->parcel.dataSet,
					    class->from,
					    class->to,
					    flow->parcel.ready,
					    flow->start,
					    sim->now };
}

void hdPredictFlowEvent(struct hdPredictSim *sim, uint32_t number)
{
	struct hdPredictFlow *flow = &sim->flows[number];

	/* With shared bridges, first the latencies, then the payload. */
	if (sim->options->sharing == HDP_SHARE && !flow->isOpen) {
		const struct hdPredictClass *class = &sim->classes[flow->class];
		bool isTimed = false;

		for (uint32_t i = 0; i < class->length; i++) {
			const struct hdPredictEdgeOf *edge =
				&sim->platform
					 ->edges[sim->paths[class->path + i]];

			isTimed = isTimed ||
				  hdPredictPackets(edge, flow->parcel.size) *
						  edge->latency >
					  0;
		}
		if (isTimed) {
			flow->isOpen = true;
			flow->left = flow->parcel.size;
			flow->rate = 0;
			flow->last = sim->now;
			sim->isShareStale = true;
			return;
		}
	}
	if (flow->isOpen)
		sim->isShareStale = true;
	flow->isOpen = false;
	deliver(sim, flow);
	flow = &sim->flows[number];
	flow->next = sim->freeFlow;
	sim->freeFlow = number;
}
