/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What happens when: a heap of numbered things, each at one time at most.
 */
#ifndef HD_PREDICT_EVENTS_H
#define HD_PREDICT_EVENTS_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "PredictionLibrary/model/names.h"

/** A thing and its time. */
struct hdPredictEvent {
	double at;
	uint32_t id;
};

/** All of them. All zero is empty. */
struct hdPredictEvents {
	struct hdPredictEvent *heap;
	size_t count, room;
	uint32_t *place; /**< By thing: in the heap, or NONE. */
	size_t placeRoom;
};

static inline void hdPredictEventsFree(struct hdPredictEvents *events)
{
	free(events->heap);
	free(events->place);
}

/** Forget all; the room stays. */
static inline void hdPredictEventsClear(struct hdPredictEvents *events)
{
	events->count = 0;
	if (events->placeRoom)
		memset(events->place, 0xff,
		       events->placeRoom * sizeof(uint32_t));
}

/** Make room for a thing; 0 or -ENOMEM. */
static inline int hdPredictEventsRoom(struct hdPredictEvents *events,
				      uint32_t id)
{
	size_t before = events->placeRoom;

	while (id >= events->placeRoom) {
		if (hdPredictGrow(&events->place, events->placeRoom,
				  &events->placeRoom, sizeof(uint32_t)) < 0)
			return -ENOMEM;
	}
	if (before < events->placeRoom)
		memset(events->place + before, 0xff,
		       (events->placeRoom - before) * sizeof(uint32_t));
	while (events->room < events->placeRoom) {
		if (hdPredictGrow(&events->heap, events->room, &events->room,
				  sizeof(*events->heap)) < 0)
			return -ENOMEM;
	}
	return 0;
}

static inline void hdPredictEventsUp(struct hdPredictEvents *events, size_t i,
				     struct hdPredictEvent event)
{
	while (i > 0) {
		size_t parent = (i - 1) / 4;

		if (events->heap[parent].at <= event.at)
			break;
		events->heap[i] = events->heap[parent];
		events->place[events->heap[i].id] = (uint32_t)i;
		i = parent;
	}
	events->heap[i] = event;
	events->place[event.id] = (uint32_t)i;
}

static inline void hdPredictEventsDown(struct hdPredictEvents *events, size_t i,
				       struct hdPredictEvent event)
{
	for (;;) {
		size_t child = 4 * i + 1, least = child;

		if (child >= events->count)
			break;
		for (size_t k = child + 1; k < child + 4 && k < events->count;
		     k++) {
			if (events->heap[k].at < events->heap[least].at)
				least = k;
		}
		if (events->heap[least].at >= event.at)
			break;
		events->heap[i] = events->heap[least];
		events->place[events->heap[i].id] = (uint32_t)i;
		i = least;
	}
	events->heap[i] = event;
	events->place[event.id] = (uint32_t)i;
}

/** Set the time of a thing that there is room for. */
static inline void hdPredictEventsSet(struct hdPredictEvents *events,
				      uint32_t id, double at)
{
	struct hdPredictEvent event = { at, id };
	size_t i = events->place[id];

	if (i == HD_PREDICT_NONE)
		hdPredictEventsUp(events, events->count++, event);
	else if (at < events->heap[i].at)
		hdPredictEventsUp(events, i, event);
	else
		hdPredictEventsDown(events, i, event);
}

/** Take out the first; there is one. */
static inline struct hdPredictEvent hdPredictEventsTake(
	struct hdPredictEvents *events)
{
	struct hdPredictEvent first = events->heap[0];

	events->place[first.id] = HD_PREDICT_NONE;
	events->count--;
	if (events->count)
		hdPredictEventsDown(events, 0, events->heap[events->count]);
	return first;
}

#endif
