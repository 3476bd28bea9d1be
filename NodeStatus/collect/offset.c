/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How far the clock of a node is from ours; see offset.h. */
#include "config.h"

#include "NodeStatus/collect/offset.h"

/* Clocks that NTP slews drift apart by 500 in a million at most. */
#define DRIFT(ns) ((ns) / 2000)
/* A clock that is off by more than drift explains was set. */
#define STEP_NS INT64_C(1000000)

static bool isStep(int64_t before, int64_t now, int64_t elapsed)
{
	int64_t moved = now > before ? now - before : before - now;

	return moved > STEP_NS + DRIFT(elapsed);
}

void hdNodeOffsetAdd(struct nodeOffset *offset, int64_t sentWall,
		     int64_t sentMono, int64_t gotMono, int64_t wall,
		     int64_t mono)
{
	int64_t half = (gotMono - sentMono + 1) / 2;
	int64_t elapsed = 0;

	if (offset->count > 0) {
		size_t last = (offset->next + NODE_TRIPS - 1) % NODE_TRIPS;

		elapsed = sentMono - offset->trips[last].mono;
	}
	if (offset->count > 0 &&
	    (isStep(offset->ownBase, sentWall - sentMono, elapsed) ||
	     isStep(offset->otherBase, wall - mono, elapsed)))
		hdNodeOffsetClear(offset);
	offset->ownBase = sentWall - sentMono;
	offset->otherBase = wall - mono;
	offset->trips[offset->next] = (struct nodeTrip){
		.offset = wall - (sentWall + half),
		.error = half,
		.mono = gotMono,
	};
	offset->next = (offset->next + 1) % NODE_TRIPS;
	if (offset->count < NODE_TRIPS)
		offset->count++;
}

void hdNodeOffsetClear(struct nodeOffset *offset)
{
	*offset = (struct nodeOffset){ 0 };
}

bool hdNodeOffsetGet(const struct nodeOffset *offset, int64_t nowMono,
		     int64_t *value, int64_t *error)
{
	*error = INT64_MAX;
	for (size_t i = 0; i < offset->count; i++) {
		const struct nodeTrip *trip = &offset->trips[i];
		int64_t wrong = trip->error + DRIFT(nowMono - trip->mono);

		if (wrong >= *error)
			continue;
		*error = wrong;
		*value = trip->offset;
	}
	return offset->count > 0;
}
