/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Places of tasks: single PEs, and sets of PEs that run a task together.
 *
 * A place is a number: below the number of PEs it is a PE, above it is a set.
 * All PEs of a set are different, have one architecture and are in one node.
 */
#ifndef HD_PREDICT_SETS_H
#define HD_PREDICT_SETS_H

#include "PredictionLibrary/model/platform.h"

/** Sets of PEs. All zero: none. */
struct hdPredictSets {
	struct hdPredictNames lists; /**< Their PEs as bytes, ascending. */
};

/** Number of the place of PEs, which are sorted; 0 or -ENOMEM. They form a
 *  set: see hdPredictSetsReason(). */
int hdPredictSetsAdd(struct hdPredictSets *sets, const hdPPlatform *platform,
		     uint32_t *pes, uint32_t count, uint32_t *place);

/** PEs of a place, ascending, which stay until the next set is added. A place
 *  that is a PE is its own list, so it is passed by its address. */
const uint32_t *hdPredictSetsPes(const struct hdPredictSets *sets,
				 const hdPPlatform *platform,
				 const uint32_t *place, uint32_t *count);

/** Why PEs, in ascending order, do not form a set, with ": "; NULL: they do. */
const char *hdPredictSetsReason(const hdPPlatform *platform,
				const uint32_t *pes, uint32_t count);

/** Find the place that a text names: the id of a PE, or several of them with
 *  commas between.
 *
 *  @param[out] reason Why the text does not name a place; NULL: it does, or a
 *              PE is missing.
 *  @retval -ENOENT There is no such PE.
 *  @retval -EINVAL The PEs do not form a set.
 *  @return 0, or -ENOMEM.
 */
int hdPredictSetsFind(struct hdPredictSets *sets, const hdPPlatform *platform,
		      const char *text, size_t length, uint32_t *place,
		      const char **reason);

/** Name of a place, as hdPredictSetsFind() reads it, to be freed; NULL: no
 *  memory. */
char *hdPredictSetsName(const hdPPlatform *platform, const uint32_t *pes,
			uint32_t count);

/** Free what is in it. */
void hdPredictSetsFree(struct hdPredictSets *sets);

#endif
