/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A group of statistics at several degrees of detail, called zooms, for the
 * viewer.
 *
 * Zoom 0 has the entries. An item of zoom 1 aggregates up to 16 entries, one
 * of zoom 2 up to 16 of those, and so on to one of all. What lies
 * on both sides of a long gap is kept apart, so that the gap can be seen;
 * entries that take no time belong to the item that ends then, or are one of
 * their own, as far as there are few such gaps and entries.
 *
 * Parts of a chunk of zoom 0, as columns of pack.h:
 *   times:  time between the end of the entry before and the start of this one;
 *           length. The first entry starts when the chunk does.
 *   value:  the values; of strings their lengths, and then all bytes; of
 *           counters what they grew by, and enum entriesGrowth.
 * Parts of other chunks:
 *   times:  as above; and of that, the length of entries; number of entries
 *   value:  entries without a value, length of these; then of
 *           gauges    integral in value times ns, squared deviation from the
 *                     mean times ns, minimum, maximum
 *           deltas    lowest and highest rate (NaN: none), minimum, maximum,
 *                     sum (of integers its lower and its upper 64 bits)
 *           counters  lowest and highest rate (NaN: none), readings without
 *                     growth (these are entries without a value, too), resets,
 *                     growth and, of integers, what a double cannot hold of it;
 *           nothing of strings
 *
 * Rates are in rateUnit() of kind.h.
 *
 * Numbers are those of moments.h: what is merged here is what hdtrace stat
 * would find.
 */
#ifndef HD_GROUPPYRAMID_H
#define HD_GROUPPYRAMID_H

#include <hdReading.h>
#include "HDTraceTools/pages/track.h"

struct groupPyramid;

/**
 * Start on a group.
 *
 * @param isStored Whether the entries are stored; if not, zoom 0 says where
 *        they stand in the file.
 */
struct groupPyramid *groupPyramidNew(struct track *track, const hdIGroup *group,
				     bool isStored);

/** Add entries; 0 or a negative errno. */
int groupPyramidAdd(struct groupPyramid *self, const hdIBlock *block);

/** All were added. 0 or a negative errno. */
int groupPyramidFinish(struct groupPyramid *self);

/** Free it; the track stays. */
void groupPyramidFree(struct groupPyramid *self);

#endif
