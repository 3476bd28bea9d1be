/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Relations by name and layer: how many, how long they take, what they cost.
 *
 * Memory grows with the number of names. An object belongs to one thread at a
 * time.
 */
#ifndef HD_MODEL_RELATIONS_SUMS_H
#define HD_MODEL_RELATIONS_SUMS_H

#include "HDTraceTools/model/relations/joules.h"

/** Quantiles that are found, by nearest rank: 50, 95 and 99 %. */
#define RELATION_QUANTILES 3

/** Relations of a name in a layer. */
struct relationSum {
	char *name; /**< NULL: they have no state. */
	char *layer;
	uint64_t count; /**< Those that ended. */
	uint64_t unended;
	uint64_t failed;
	__int128 ended; /**< Time of those that ended, in ns. */
	__int128 total; /**< Of all, until the end of the file. */
	__int128 self;
	__int128 waited;
	int64_t largest; /**< Of those that ended. */
	int64_t quantiles[RELATION_QUANTILES];
	uint64_t seen; /**< While these are found. */
	int64_t active;
	struct attributionAmount energy;
};

struct relationSums;

/** Start with none; both stay. */
struct relationSums *relationSumsNew(struct forest *forest,
				     struct joules *joules);
/** Free it; NULL does nothing. */
void relationSumsFree(struct relationSums *self);

/** Add a relation; 0, or the negative errno of a temporary file. */
int relationSumsAdd(struct relationSums *self,
		    const struct forestRelation *relation);
/** All were added; as relationSumsAdd(). */
int relationSumsEnd(struct relationSums *self);

/** The sums, those of the longest time first: struct relationSum. */
const GArray *relationSumsAll(const struct relationSums *self);

#endif
