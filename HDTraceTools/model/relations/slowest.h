/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The relations that took longest.
 *
 * Few are kept in memory, many are sorted in a temporary file. An object
 * belongs to one thread at a time.
 */
#ifndef HD_MODEL_RELATIONS_SLOWEST_H
#define HD_MODEL_RELATIONS_SLOWEST_H

#include <glib.h>

#include "HDTraceTools/model/relations/forest.h"

struct slowest;

/** @param top How many are wanted; SIZE_MAX: all. */
struct slowest *slowestNew(size_t top);

/** Free it; NULL does nothing. */
void slowestFree(struct slowest *self);

/** Add a relation; 0, or the negative errno of a temporary file. */
int slowestAdd(struct slowest *self, const struct forestRelation *relation);

/**
 * Take the next one, the slowest first; of the same length the first of the
 * files. After the first call nothing may be added.
 *
 * @retval 1 @p number is set.
 * @retval 0 That was all.
 * @return A negative errno.
 */
int slowestNext(struct slowest *self, uint32_t *number);

#endif
