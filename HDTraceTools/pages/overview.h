/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The power of all nodes together, for the strip above the time lines.
 *
 * Its maximum cannot be told from those of the nodes, which need not come at
 * the same time, nor from means over steps: all entries of all nodes must be
 * gone through. So this is done once, and there is one zoom of few steps.
 *
 * The part of its chunk, as columns of pack.h: the largest power, in W; for
 * each step the largest power and the mean, as 1 plus a share of 65534 of that
 * (0: not known). The power at a time is that of the nodes that are known then.
 */
#ifndef HD_OVERVIEW_H
#define HD_OVERVIEW_H

#include "HDTraceTools/model/powerseries.h"
#include "HDTraceTools/pages/track.h"

/** Make it of the power of nodes; nothing if there is none. 0 or a negative
 *  errno. */
int overviewMake(struct track *track, const struct powerSeries *const *series,
		 size_t count);

#endif
