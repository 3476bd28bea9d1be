/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * All waits of a project with their causes, for queries and details in the
 * viewer.
 *
 * Zoom 0 has all waits, in the order of their start. Zoom 1 has none: pages
 * that have no room for waits have it.
 *
 * The part of a chunk, as columns of pack.h: time since the start of the one
 * before, or of the chunk; length; trace that waited, as number in the project;
 * trace that it waited for plus 1, 0 if that is not known; kind, a name of the
 * track; flags: 1 if it counts for late-sender-wrong-order, too, 2 if it is not
 * certain.
 */
#ifndef HD_CAUSETRACK_H
#define HD_CAUSETRACK_H

#include "HDTraceTools/base/sorter.h"
#include "HDTraceTools/pages/rowwaits.h"
#include "HDTraceTools/pages/track.h"

/** Make the track of the waits of waitSorterNew(), and add them to those of
 * rows; NULL: nothing is known of them. 0 or a negative errno. */
int causeTrackMake(struct track *track, struct sorter *waits,
		   struct rowWaits *rows);

#endif
