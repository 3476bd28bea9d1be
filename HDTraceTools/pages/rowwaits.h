/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The waits that rows show, trace by trace. Waits of a trace do not overlap:
 * time in which several things are waited for belongs to the wait that starts
 * first, and waits that are parts of others are left out. So their sum is the
 * time of waiting in the account.
 */
#ifndef HD_ROWWAITS_H
#define HD_ROWWAITS_H

#include <stdbool.h>

#include "HDTraceTools/model/waits/waits.h"

/** A wait. */
struct rowWait {
	int64_t start;
	int64_t end;
	uint32_t trace;
	enum waitKind kind;
};

struct rowWaits;

/** Start with none, between two times. */
struct rowWaits *rowWaitsNew(int64_t from, int64_t to);

/** Free them; NULL does nothing. */
void rowWaitsFree(struct rowWaits *self);

/** Add a wait, in any order; 0 or a negative errno. */
int rowWaitsAdd(struct rowWaits *self, const struct wait *wait);

/** The next wait of a trace; NULL: that was all, or it failed. Traces are asked
 *  in their order. */
const struct rowWait *rowWaitsGet(struct rowWaits *self, size_t trace);

/** Go on after the wait of rowWaitsGet(). */
void rowWaitsNext(struct rowWaits *self);

/** 0, or the negative errno of what failed. */
int rowWaitsError(const struct rowWaits *self);

#endif
