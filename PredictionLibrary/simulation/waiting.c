/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which messages begin, and what the others wait for; see simulate.h.
 *
 * At each moment messages are tried by their numbers: those that are ready now,
 * and those that waited for what is free now. A message that must wait does so
 * with all others from the same server to the same one, since they take the
 * same path: they are a class, of which only the lowest number matters. A class
 * waits at the first edge of its path that is busy. When that gets free, the
 * lowest class there is tried, and the next one only if it left the edge free:
 * so it does not matter how many wait.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "PredictionLibrary/simulation/simulate.h"

/* ---- Candidates -------------------------------------------------------- */

static void addCandidate(struct hdPredictSim *sim, uint32_t number,
			 enum hdPredictWhat what, uint32_t which)
{
	size_t i = sim->candidateCount;

	if (hdPredictGrow(&sim->candidates, i, &sim->candidateRoom,
			  sizeof(*sim->candidates)) < 0) {
		hdPredictFailed(sim, -ENOMEM);
		return;
	}
	sim->candidateCount++;
	while (i > 0 && sim->candidates[(i - 1) / 2].number > number) {
		sim->candidates[i] = sim->candidates[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	sim->candidates[i] = (struct hdPredictCandidate){ number, what, which };
}

static struct hdPredictCandidate takeCandidate(struct hdPredictSim *sim)
{
	struct hdPredictCandidate *heap = sim->candidates, first = heap[0];
	struct hdPredictCandidate last = heap[--sim->candidateCount];
	size_t i = 0;

	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= sim->candidateCount)
			break;
		if (child + 1 < sim->candidateCount &&
		    heap[child + 1].number < heap[child].number)
			child++;
		if (heap[child].number >= last.number)
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = last;
	return first;
}

/* ---- Classes ----------------------------------------------------------- */

/* The class of a pair, if any of its messages waits; or NONE. */
static uint32_t findClass(const struct hdPredictSim *sim, uint32_t from,
			  uint32_t to)
{
	const uint64_t *class =
		hdMapFind(&sim->classOf, (uint64_t)from << 32 | to);

	return class ? (uint32_t) * class : HD_PREDICT_NONE;
}

static uint32_t newClass(struct hdPredictSim *sim)
{
	uint32_t class = sim->freeClass;

	if (class != HD_PREDICT_NONE) {
		sim->freeClass = sim->classes[class].next;
		return class;
	}
	if (hdPredictGrow(&sim->classes, sim->classCount, &sim->classRoom,
			  sizeof(*sim->classes)) < 0)
		return HD_PREDICT_NONE;
	sim->classes[sim->classCount] = (struct hdPredictClass){ 0 };
	return (uint32_t)sim->classCount++;
}

static uint32_t waitingAddClass(struct hdPredictSim *sim, uint32_t from,
				uint32_t to)
{
	uint32_t number = findClass(sim, from, to);
	struct hdPredictClass *class;

	if (number != HD_PREDICT_NONE)
		return number;
	number = newClass(sim);
	if (number == HD_PREDICT_NONE)
		return HD_PREDICT_NONE;
	class = &sim->classes[number];
	if (hdMapSet(&sim->classOf, (uint64_t)from << 32 | to, number) < 0) {
		class->next = sim->freeClass;
		sim->freeClass = number;
		return HD_PREDICT_NONE;
	}
	class->from = from;
	class->to = to;
	class->wait = HD_PREDICT_NO_WAIT;
	return number;
}

/* None of its messages waits. */
static void removeClass(struct hdPredictSim *sim, uint32_t number)
{
	struct hdPredictClass *class = &sim->classes[number];
	uint64_t removed;

	hdMapRemove(&sim->classOf, (uint64_t) class->from << 32 | class->to,
		    &removed);
	class->next = sim->freeClass;
	sim->freeClass = number;
}

/* The lowest number of those that wait. */
static uint32_t lowest(const struct hdPredictSim *sim, uint32_t class)
{
	return sim->classes[class].heap[0].number;
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

/* ---- Edges that are waited for ----------------------------------------- */

static void waitingPutWatcher(struct hdPredictSim *sim,
			      struct hdPredictLane *lane, uint32_t place,
			      struct hdPredictWatcher watcher)
{
	lane->watchers[place] = watcher;
	sim->classes[watcher.class].place = place;
}

static void watchersUp(struct hdPredictSim *sim, struct hdPredictLane *lane,
		       uint32_t i, uint32_t class)
{
	struct hdPredictWatcher watcher = { lowest(sim, class), class };

	while (i > 0 && lane->watchers[(i - 1) / 2].number > watcher.number) {
		waitingPutWatcher(sim, lane, i, lane->watchers[(i - 1) / 2]);
		i = (i - 1) / 2;
	}
	waitingPutWatcher(sim, lane, i, watcher);
}

static uint32_t takeWatcher(struct hdPredictSim *sim,
			    struct hdPredictLane *lane)
{
	struct hdPredictWatcher *heap = lane->watchers, first = heap[0];
	struct hdPredictWatcher last = heap[--lane->count];
	uint32_t i = 0;

	if (!lane->count)
		return first.class;
	for (;;) {
		uint32_t child = 2 * i + 1;

		if (child >= lane->count)
			break;
		if (child + 1 < lane->count &&
		    heap[child + 1].number < heap[child].number)
			child++;
		if (heap[child].number >= last.number)
			break;
		waitingPutWatcher(sim, lane, i, heap[child]);
		i = child;
	}
	waitingPutWatcher(sim, lane, i, last);
	return first.class;
}

/* A class waits for an edge or, if that is NONE, for memory. */
static void wait(struct hdPredictSim *sim, uint32_t number, uint32_t edge)
{
	struct hdPredictClass *class = &sim->classes[number];
	struct hdPredictLane *lane;

	if (edge == HD_PREDICT_NONE) {
		class->wait = HD_PREDICT_WAIT_MEMORY;
		class->next = sim->stores[class->to].waiting;
		sim->stores[class->to].waiting = number;
		return;
	}
	lane = &sim->lanes[edge];
	if (hdPredictGrow(&lane->watchers, lane->count, &lane->room,
			  sizeof(*lane->watchers)) < 0) {
		hdPredictFailed(sim, -ENOMEM);
		return;
	}
	class->wait = HD_PREDICT_WAIT_EDGE;
	class->edge = edge;
	watchersUp(sim, lane, lane->count++, number);
}

/* One more message of a class waits. */
static void waitingPushParcel(struct hdPredictSim *sim, uint32_t number,
			      const struct hdPredictParcel *parcel)
{
	struct hdPredictClass *class = &sim->classes[number];
	uint32_t i = class->count;

	if (hdPredictGrow(&class->heap, i, &class->room, sizeof(*parcel)) < 0) {
		hdPredictFailed(sim, -ENOMEM);
		return;
	}
	class->count++;
	while (i > 0 && class->heap[(i - 1) / 2].number > parcel->number) {
		class->heap[i] = class->heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	class->heap[i] = *parcel;
	if (i == 0 && class->wait == HD_PREDICT_WAIT_EDGE)
		watchersUp(sim, &sim->lanes[class->edge], class->place, number);
}

/* ---- Trying ------------------------------------------------------------ */

/* The first edge that is busy, or NONE. */
static uint32_t busyOf(const struct hdPredictSim *sim, const uint32_t *path,
		       int length)
{
	for (int i = 0; i < length; i++) {
		if (sim->lanes[path[i]].isBusy)
			return path[i];
	}
	return HD_PREDICT_NONE;
}

/* Begin a message, if it may. @p edge is what it waits for, NONE: memory. */
static bool tryOne(struct hdPredictSim *sim,
		   const struct hdPredictParcel *parcel, uint32_t *edge)
{
	const uint32_t *path;
	int length =
		hdPredictRoute(sim->routes, parcel->from, parcel->to, &path);

	if (length < 0) {
		hdPredictFailed(sim, -ENOMEM);
		return true;
	}
	*edge = busyOf(sim, path, length);
	if (*edge != HD_PREDICT_NONE ||
	    !hdPredictHasMemory(sim, parcel->to, parcel->size))
		return false;
	hdPredictBegin(sim, parcel, path, (uint32_t)length);
	return true;
}

static void tryNew(struct hdPredictSim *sim, uint32_t which)
{
	const struct hdPredictParcel *parcel = &sim->fresh[which];
	uint32_t class = HD_PREDICT_NONE, edge = HD_PREDICT_NONE;

	/* Behind those that wait for memory there. */
	if (sim->stores[parcel->to].waiting != HD_PREDICT_NONE)
		class = findClass(sim, parcel->from, parcel->to);
	if (class == HD_PREDICT_NONE ||
	    sim->classes[class].wait != HD_PREDICT_WAIT_MEMORY) {
		if (tryOne(sim, parcel, &edge))
			return;
		class = waitingAddClass(sim, parcel->from, parcel->to);
	}
	if (class == HD_PREDICT_NONE) {
		hdPredictFailed(sim, -ENOMEM);
		return;
	}
	waitingPushParcel(sim, class, parcel);
	if (!sim->error && sim->classes[class].wait == HD_PREDICT_NO_WAIT)
		wait(sim, class, edge);
}

static void tryClass(struct hdPredictSim *sim, uint32_t number)
{
	struct hdPredictClass *class = &sim->classes[number];
	uint32_t edge;

	class->wait = HD_PREDICT_NO_WAIT;
	while (class->count && !sim->error) {
		if (!tryOne(sim, &class->heap[0], &edge)) {
			wait(sim, number, edge);
			return;
		}
		takeFirst(class);
	}
	if (!class->count)
		removeClass(sim, number);
}

static void waitingOfferEdge(struct hdPredictSim *sim, uint32_t edge)
{
	const struct hdPredictLane *lane = &sim->lanes[edge];

	if (lane->count && !lane->isBusy)
		addCandidate(sim, lane->watchers[0].number, HD_PREDICT_EDGE,
			     edge);
}

static void tryEdge(struct hdPredictSim *sim, uint32_t edge)
{
	struct hdPredictLane *lane = &sim->lanes[edge];

	if (lane->isBusy || !lane->count)
		return;
	tryClass(sim, takeWatcher(sim, lane));
	waitingOfferEdge(sim, edge);
}

/* What changes back at the same moment does not count. */
void hdPredictPending(struct hdPredictSim *sim, uint32_t server, int change)
{
	struct hdPredictStore *store = &sim->stores[server];
	hdPTotals *totals = &sim->result->totals;

	if (sim->now > store->pendingSince &&
	    store->pending > totals->pendingMax)
		totals->pendingMax = store->pending;
	store->pendingSince = sim->now;
	store->pending += (uint64_t)change;
}

void hdPredictSend(struct hdPredictSim *sim,
		   const struct hdPredictParcel *parcel)
{
	hdPredictPending(sim, parcel->from, 1);
	if (hdPredictGrow(&sim->fresh, sim->freshCount, &sim->freshRoom,
			  sizeof(*parcel)) < 0) {
		hdPredictFailed(sim, -ENOMEM);
		return;
	}
	sim->fresh[sim->freshCount] = *parcel;
	addCandidate(sim, parcel->number, HD_PREDICT_NEW,
		     (uint32_t)sim->freshCount++);
}

void hdPredictSendAll(struct hdPredictSim *sim)
{
	while (sim->candidateCount && !sim->error) {
		struct hdPredictCandidate candidate = takeCandidate(sim);

		switch (candidate.what) {
		case HD_PREDICT_NEW:
			tryNew(sim, candidate.which);
			break;
		case HD_PREDICT_CLASS:
			tryClass(sim, candidate.which);
			break;
		case HD_PREDICT_EDGE:
			tryEdge(sim, candidate.which);
			break;
		}
	}
	sim->freshCount = 0;
}

void hdPredictVacate(struct hdPredictSim *sim, uint32_t edge)
{
	sim->lanes[edge].isBusy = false;
	waitingOfferEdge(sim, edge);
}

void hdPredictRetry(struct hdPredictSim *sim, uint32_t server)
{
	uint32_t class = sim->stores[server].waiting;

	sim->stores[server].waiting = HD_PREDICT_NONE;
	for (; class != HD_PREDICT_NONE; class = sim->classes[class].next) {
		sim->classes[class].wait = HD_PREDICT_WAIT_TURN;
		addCandidate(sim, lowest(sim, class), HD_PREDICT_CLASS, class);
	}
}

void hdPredictWaitingReset(struct hdPredictSim *sim)
{
	sim->freshCount = sim->candidateCount = 0;
	sim->freeClass = HD_PREDICT_NONE;
	for (size_t i = sim->classCount; i-- > 0;) {
		sim->classes[i].count = 0;
		sim->classes[i].next = sim->freeClass;
		sim->freeClass = (uint32_t)i;
	}
	hdMapEmpty(&sim->classOf);
	for (uint32_t e = 0; e < sim->platform->edgeCount; e++) {
		const struct hdPredictEdgeOf *edge = &sim->platform->edges[e];
		struct hdPredictLane *lane = &sim->lanes[e];

		*lane = (struct hdPredictLane){ .watchers = lane->watchers,
						.room = lane->room,
						.init = edge->init,
						.size = edge->size,
						.latency = edge->latency,
						.energy = edge->energy };
	}
}

void hdPredictWaitingFree(struct hdPredictSim *sim)
{
	for (size_t i = 0; i < sim->classCount; i++)
		free(sim->classes[i].heap);
	for (uint32_t e = 0; sim->lanes && e < sim->platform->edgeCount; e++)
		free(sim->lanes[e].watchers);
	free(sim->classes);
	free(sim->lanes);
	free(sim->fresh);
	free(sim->candidates);
	hdMapClear(&sim->classOf);
}
