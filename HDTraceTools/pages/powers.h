/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The power that traces are charged with, while tracks are made.
 *
 * A trace needs all of the power of its node before its zooms can be made. Who
 * reads the group that tells it fills the series in passing; a trace that comes
 * first reads the group for this alone, and one that comes meanwhile waits. A
 * series is forgotten when the last of its traces is done; those that are part
 * of the power of all nodes when that is.
 *
 * Any thread may use them.
 */
#ifndef HD_POWERS_H
#define HD_POWERS_H

#include <stdbool.h>

#include "HDTraceTools/findings/findings.h"

struct powers;

/** Start with nothing; findings must have been started. */
struct powers *powersNew(const struct findings *findings);
/** Free them; NULL does nothing. */
void powersFree(struct powers *self);

/** A group is about to be read: a series to add its entries to, and then
 *  powersFilled(); or NULL if nobody needs it, or has it already. */
struct powerSeries *powersFill(struct powers *self, size_t group);

/** The series of a group has all entries that there are: what relations do not
 *  get of it is for ranks. 0, or the negative errno of the temporary file. */
int powersFilled(struct powers *self, size_t group);

/**
 * Get the power of a trace; powersDone() in any case.
 *
 * @param goesOn Asked with @p data whether to go on reading; may be NULL.
 * @param[out] series NULL if nothing tells it.
 * @param[out] share The part of it that the trace is charged with, to be freed;
 *             NULL if nothing tells it.
 *
 * @return 0 or a negative errno, of the file or the temporary file.
 */
int powersTake(struct powers *self, size_t trace,
	       bool (*goesOn)(int64_t offset, void *data), void *data,
	       const struct powerSeries **series,
	       struct attributionShare **share);

/** After powersTake(): whether relations get some of that power, too. */
bool powersAreShared(const struct powers *self, size_t trace);

/** A trace needs its power no longer. */
void powersDone(struct powers *self, size_t trace);

/**
 * Everything was read: get the power of all nodes; powersTotalDone() when they
 * are needed no longer.
 *
 * @return GPtrArray of const struct powerSeries, to be freed.
 */
GPtrArray *powersTotal(struct powers *self);
void powersTotalDone(struct powers *self);

#endif
