/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The messages of a project at several degrees of detail, called zooms, for the
 * viewer.
 *
 * Zoom 0 has all, in the order of sending. Of 16 of them the one that took
 * longest is in zoom 1 as well, and so on.
 *
 * The part of a chunk, as columns of pack.h: time since the one before was
 * sent, or the start of the chunk; time from sending to receiving; trace that
 * sent, trace that received it, as numbers in the project; size in bytes, -1 if
 * not known; tag; number of the communicator.
 */
#ifndef HD_MESSAGEPYRAMID_H
#define HD_MESSAGEPYRAMID_H

#include "HDTraceTools/model/causes/dependencies.h"
#include "HDTraceTools/pages/track.h"

/** Make the zooms of all messages, in the order of their causes; 0 or a
 * negative errno. */
int messagePyramidMake(struct track *track, struct dependencies *dependencies);

#endif
