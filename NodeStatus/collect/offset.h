/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * How far the clock of a node is from ours, and how wrong that may be.
 *
 * A round trip tells both: the node has read its clock somewhere between the
 * question and the answer, so it is wrong by half of the round trip at most. Of
 * several trips the shortest one counts; an older one counts less, since clocks
 * may drift apart. Where one of the clocks was set, what was before does not
 * count at all. Times are in nanoseconds.
 */
#ifndef HD_NODE_OFFSET_H
#define HD_NODE_OFFSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Trips that are kept. */
#define NODE_TRIPS 8

/** A round trip. */
struct nodeTrip {
	int64_t offset; /**< The node's wall clock minus ours. */
	int64_t error;  /**< It was wrong by no more than this. */
	int64_t mono;   /**< When, by our monotonic clock. */
};

struct nodeOffset {
	struct nodeTrip trips[NODE_TRIPS];
	size_t count, next;
	/** Wall minus monotonic clock of both, at the last trip. */
	int64_t ownBase, otherBase;
};

/**
 * Add a round trip.
 *
 * @param sentWall When it was asked, by our wall clock.
 * @param sentMono The same by our monotonic clock.
 * @param gotMono When the answer was there.
 * @param wall The node's wall clock in it.
 * @param mono Its monotonic clock in it.
 */
void hdNodeOffsetAdd(struct nodeOffset *offset, int64_t sentWall,
		     int64_t sentMono, int64_t gotMono, int64_t wall,
		     int64_t mono);

/** Forget all: the node is another one. */
void hdNodeOffsetClear(struct nodeOffset *offset);

/**
 * Get what is known.
 *
 * @param nowMono Our monotonic clock.
 *
 * @retval false Nothing.
 */
bool hdNodeOffsetGet(const struct nodeOffset *offset, int64_t nowMono,
		     int64_t *value, int64_t *error);

#endif
