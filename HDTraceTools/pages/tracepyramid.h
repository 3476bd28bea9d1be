/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A trace at several degrees of detail, called zooms, for the viewer.
 *
 * Zoom 0 has the attributes of all states and events, and zoom 1 the states
 * and events themselves, in the order of their start. Above, a zoom has a
 * width, in ns: states that last at least so long are there as they are; of
 * the others there is, for each step of this length, how much time was spent in
 * which one. Steps begin at multiples of the width since 1970. A zoom is 4
 * times coarser than the one below, or 16, 64, ..., if that makes it smaller.
 *
 * Parts of a chunk, as columns of pack.h:
 *   zoom 0:   lengths of texts, and the texts: NAME 1f VALUE 1e ..., in the
 *              order of zoom 1; of children ELEMENT / NAME, of what is between
 *              tags no NAME
 *   states:    time since the start of the one before, or of the chunk; length;
 *              name; depth; name of the state around it plus 1, or 0; 1 for
 *              events, plus 2 for what lies in a state of its name
 *   sums:      step; depth (65535: events); name of the state around plus 1;
 *              name; time in it; how many of them started; 1 for those that lie
 *              in a state of their name
 *   energy:    of the states, and then of the sums: mean power that the trace
 * is charged with, in W, while that is known; time in which it is not; mean
 * power of the node then A chunk of zoom 1 has the first one, those above the
 * first two, and the third if anything tells the power of the trace.
 *
 * The energy of a sum is that of its states, each by the power while it was in
 * it: a mean over the step would be wrong wherever power depends on what is
 * done. Of zoom 1 there is none, since who needs states one by one needs few,
 * and can ask the power itself; unless relations share that: then there is a
 * zoom above in any case.
 */
#ifndef HD_TRACEPYRAMID_H
#define HD_TRACEPYRAMID_H

#include <pthread.h>

#include "HDTraceTools/model/ordered.h"
#include "HDTraceTools/model/attribution.h"
#include "HDTraceTools/pages/track.h"
#include "HDTraceTools/sites/sites.h"

struct tracePyramid;

/** What call sites are, of all traces: programs are opened once. */
struct trackPlaces {
	pthread_mutex_t mutex;       /**< Protects what follows. */
	struct addresses *addresses; /**< NULL: none was asked for yet. */
};

/** Start on a trace; @p places stay, NULL without texts. @p isStored is whether
 * zooms 0 and 1 are.
 */
struct tracePyramid *tracePyramidNew(struct track *track,
				     struct trackPlaces *places, bool isStored);

/** A wait as waitpyramid.h tells it. */
struct traceWait {
	int64_t start;
	int64_t end;
	const char *state;
	const char *kind;
	guint depth;
	bool isOutermost;
};

/** Add the next wait, instead of steps; 0 or a negative errno. */
int tracePyramidAddWait(struct tracePyramid *self,
			const struct traceWait *wait);

/** Add what happens next; 0 or a negative errno. */
int tracePyramidAdd(struct tracePyramid *self, const struct orderedStep *step);

/** All was added: make the other zooms, with the energy that this power tells
 *  unless it is NULL, and the share of it; isShared is whether relations get
 *  some of that power, too. 0 or a negative errno. */
int tracePyramidFinish(struct tracePyramid *self,
		       const struct powerSeries *power,
		       const struct attributionShare *share, bool isShared);

/** Free it; the track stays. */
void tracePyramidFree(struct tracePyramid *self);

#endif
