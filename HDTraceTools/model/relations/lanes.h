/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Relations of a file in lanes, in each of which they do not overlap: each in
 * the first one that is free when it begins. There are no more lanes than
 * relations that are there at a time.
 *
 * An object belongs to one thread at a time, as its forest does.
 */
#ifndef HD_MODEL_RELATIONS_LANES_H
#define HD_MODEL_RELATIONS_LANES_H

#include "HDTraceTools/model/relations/forest.h"

/** A relation in its lane. */
struct lanesItem {
	int64_t start;
	int64_t end;     /**< As forestLasted(), but not before the start. */
	uint32_t file;   /**< Of which file, by number, */
	uint32_t lane;   /**< in which of its lanes, from 0, */
	uint32_t number; /**< and which relation it is. */
};

struct lanes;

/** Start; @p forest has ended, and outlives it. */
struct lanes *lanesNew(struct forest *forest);
/** Free it; NULL does nothing. */
void lanesFree(struct lanes *self);

/** Find the lanes of all relations. 0, or the negative errno of a temporary
 *  file. */
int lanesFind(struct lanes *self);

/** How many lanes a file has. */
uint32_t lanesCount(const struct lanes *self, size_t file);

/**
 * Get the next relation, by file, lane, and start.
 *
 * @retval 1 @p item is set.
 * @retval 0 That was all.
 * @return A negative errno.
 */
int lanesNext(struct lanes *self, struct lanesItem *item);

#endif
