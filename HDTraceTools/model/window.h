/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Merges the entries of a group over windows: blocks in, blocks out.
 *
 * What comes out are the blocks of a group that has the same name and node, but
 * other values, all of the type DOUBLE; NaN: not known. An entry is a window:
 * of a gauge it has the mean over the known time, of a delta the sum of the
 * amounts, those of entries on a border by the share inside, and of a counter
 * the last reading. There are no strings. Windows without entries are left out,
 * as time in which the group was stopped; a window after these is after a gap.
 *
 * Memory does not grow with the number of windows: only as many are made as a
 * block has, and then somebody takes them.
 */
#ifndef HD_MODEL_WINDOW_H
#define HD_MODEL_WINDOW_H

#include <stdbool.h>

#include "HDTraceTools/choice/selection.h"
#include "HDTraceTools/model/extent.h"
#include "HDTraceTools/model/phases.h"

struct window;

/** What windowNew() needs; what is pointed to stays. */
struct windowSource {
	const hdIGroup *group;
	const struct selection *selection; /**< Of its values; NULL: all. */
	const struct phases *phases;       /**< Windows. */
	struct extent run;
	/** Add the known time of each value in s, as NAME_known, and of gauges
	 *  the range of their entries, as NAME_min and NAME_max. */
	bool hasDetails;
};

/** Start before the first entry. */
struct window *windowNew(const struct windowSource *source);

/** Free it, and what came from it; NULL does nothing. */
void windowFree(struct window *self);

/** The group as it is after merging. */
const hdIGroup *windowGroup(const struct window *self);

/** Take the next block; all that windowRead() has must have been read. It must
 *  stay until that is so again. */
void windowTake(struct window *self, const hdIBlock *block);

/** There is no other block. */
void windowEnd(struct window *self);

/** Whether that was said. */
bool windowIsEnded(const struct window *self);

/** Read windows that are complete; NULL: more is to be taken, or that was all.
 *  They stay until the next call. */
const hdIBlock *windowRead(struct window *self);

/** Entries that were merged so far, and integers that a double cannot hold. */
uint64_t windowMerged(const struct window *self);
uint64_t windowRounded(const struct window *self);

#endif
