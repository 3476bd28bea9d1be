/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Relations at several degrees of detail, called zooms, for the viewer: a track
 * for each file of them, whose depth is how many of its relations are there at
 * a time.
 *
 * Zoom 0 has all, in the order of their start. Of 16 of them the one that
 * lasted longest is in zoom 1 as well, and so on; the time of a chunk is that
 * of all of them.
 *
 * Parts of a chunk, as columns of pack.h:
 *   relations:  time since the start of the one before, or of the chunk;
 * length; lane (model/relations/lanes.h); name; 1 if it did not end, plus 2 if
 *               it failed, plus 4 if what caused it is not in the project; its
 *               number, and that of the topmost one that led to it, among all
 * of the project; file of the one that caused it, or -1, lane of that, for how
 * long that was there before, and its length; for how long anything that the
 * topmost one led to was there before, and will be from its start on texts: of
 * zoom 0: lengths, and NAME 1f VALUE 1e ..., of which the first are its token,
 * and that of what caused it, if any density:    of the others: how many of
 * zoom 0 began in each of 256 equal parts of the time from the first start to
 * the last one in the chunk
 */
#ifndef HD_RELATIONPYRAMID_H
#define HD_RELATIONPYRAMID_H

#include "HDTraceTools/pages/track.h"

#include <hdReading.h>

/** Read all relations of a project, and make a track of each file; 0 or a
 * negative errno. */
int relationPyramidsMake(const hdIProject *project, struct track *tracks);

#endif
