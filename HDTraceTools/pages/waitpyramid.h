/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The waits of a trace, for the viewer: zooms as those of tracepyramid.h,
 * whose items are waits.
 *
 * The columns have another meaning:
 *   name:      the innermost state that has all of the wait in it; "" if no
 *              state has
 *   depth:     of this state; 0 if there is none
 *   name of the state around: instead, the kind of the wait
 *   in a state of its name: instead, 1 for a wait whose state is nested; its
 *              depth is 0 then, and its name that of the outermost state. So a
 *              summary of the outermost states needs these only. Each such wait
 *              is there once more, at its own depth.
 *
 * There are no texts and no energy.
 */
#ifndef HD_WAITPYRAMID_H
#define HD_WAITPYRAMID_H

#include "HDTraceTools/pages/rowwaits.h"
#include "HDTraceTools/pages/tracepyramid.h"

/** Tells whether to go on. */
typedef bool waitPyramidProgress(int64_t offset, void *data);

/**
 * Make the track of a trace's waits: reads the trace again if there are any.
 *
 * @param progress May be NULL.
 *
 * @return 0 or a negative errno; -ECANCELED if it was stopped.
 */
int waitPyramidMake(struct track *track, const hdIProject *project,
		    size_t trace, struct rowWaits *waits,
		    waitPyramidProgress *progress, void *data);

#endif
