/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Efficiencies of parts of a run: of regions, and of windows of time.
 *
 * A part consists of intervals of each rank. Its time is that of a window, or
 * the longest that a rank is in a region; its ideal time the longest that a
 * rank is in it while the whole run is replayed with calls that take no time
 * (doc/findings.md).
 */
#ifndef HD_EFFICIENCYPARTS_H
#define HD_EFFICIENCYPARTS_H

#include "HDTraceTools/model/efficiency/efficiency.h"
#include "HDTraceTools/model/regions/regions.h"

struct efficiencyParts;

/** Start with all regions that have calls in them; after regionsEnd(). What is
 *  pointed to stays. */
struct efficiencyParts *efficiencyPartsNew(const struct regions *regions,
					   const struct calls *calls,
					   size_t traces);

/** Free it; NULL does nothing. */
void efficiencyPartsFree(struct efficiencyParts *self);

/** Add a window without any time; its number, from 0 on. */
size_t efficiencyPartsAddWindow(struct efficiencyParts *self);

/** Add the time ]from, to] to a window. */
void efficiencyPartsAddTime(struct efficiencyParts *self, size_t window,
			    int64_t from, int64_t to);

/** All windows have their times: find useful computation of all parts in ]from,
 * to]. 0 or a negative errno. */
int efficiencyPartsFind(struct efficiencyParts *self, int64_t from, int64_t to);

/** What a replay with calls that take no time is to tell, after
 *  efficiencyPartsFind(). */
struct replayWatch efficiencyPartsWatch(struct efficiencyParts *self);

/** Get what was found of a region, by its number from 1 on, or of a window. */
struct efficiency efficiencyOfRegion(const struct efficiencyParts *self,
				     uint32_t region);
struct efficiency efficiencyOfWindow(const struct efficiencyParts *self,
				     size_t window);

#endif
