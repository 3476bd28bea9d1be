/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A trace at several levels of detail, for the viewer.
 *
 * Level 0 has the attributes of all states and events, and level 1 the states
 * and events themselves, in the order of their start. Above, a level has a
 * width, in ns: states that last at least so long are there as they are; of
 * the others there is, for each step of this length, how much time was spent in
 * which one. Steps begin at multiples of the width since 1970. A level is 4
 * times coarser than the one below, or 16, 64, ..., if that makes it smaller.
 *
 * Parts of a chunk, as columns of pack.h:
 *   level 0:   lengths of texts, and the texts: NAME 1f VALUE 1e ..., in the
 *              order of level 1; of children ELEMENT / NAME, of what is between
 *              tags no NAME
 *   states:    time since the start of the one before, or of the chunk; length;
 *              name; depth; name of the state around it plus 1, or 0; 1 for
 *              events
 *   sums:      step; depth (65535: events); name of the state around plus 1;
 *              name; time in it; how many of them started
 * A chunk of level 1 has the first one, those above both.
 */
#ifndef HD_STATELEVELS_H
#define HD_STATELEVELS_H

#include "HDTraceTools/model/ordered.h"
#include "HDTraceTools/pages/track.h"

struct stateLevels;

/** Start on a trace; @p isStored is whether levels 0 and 1 are. */
struct stateLevels *stateLevelsNew(struct track *track, bool isStored);

/** Add what happens next; 0 or a negative errno. */
int stateLevelsAdd(struct stateLevels *self, const struct orderedStep *step);

/** All was added: make the other levels. 0 or a negative errno. */
int stateLevelsFinish(struct stateLevels *self);

/** Free it; the track stays. */
void stateLevelsFree(struct stateLevels *self);

#endif
