/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Why others came late: what a trace that was waited for did longer than the
 * one that waited, since they synchronized last (doc/findings.md).
 */
#ifndef HD_LATENESS_H
#define HD_LATENESS_H

#include <glib.h>

#include "HDTraceTools/model/waits/waits.h"

/** A part of a wait. */
struct latenessCause {
	uint32_t state; /**< Its number; see latenessState(). */
	double time;    /**< In ns. */
};

struct lateness;
struct ownStatesReader;

/** Start with nothing, of so many traces. */
struct lateness *latenessNew(size_t traces);

/** Free it; NULL does nothing. */
void latenessFree(struct lateness *self);

/** The records that follow are those of a trace, for ownStatesNote(). */
struct ownStatesReader *latenessEnter(struct lateness *self, uint32_t trace);

/** Take what belongs together; 0 or a negative errno. */
int latenessTake(struct lateness *self, const struct dependencyMatch *match);

/** All traces and matches were taken: take the waits, which are known then, and
 *  hand them on by latenessNext() only. 0 or a negative errno. */
int latenessTakeWaits(struct lateness *self, struct waits *waits);

/** Whether the waits of a kind last until another trace enters a call: only
 *  these have causes. */
bool latenessHasCauses(enum waitKind kind);

/** The next wait, as waitsNext(). */
int latenessNext(struct lateness *self, struct wait *wait);

/**
 * Find the causes of a wait, of which latenessNext() told last.
 *
 * @param[out] causes struct latenessCause; empty if its kind has none.
 * @param[out] indirect The part that comes from waits of the cause, and as it
 *        left the last synchronization late, in ns.
 *
 * @return 0 or a negative errno.
 */
int latenessFind(struct lateness *self, const struct wait *wait, GArray *causes,
		 double *indirect);

/** The name of a state; NULL: outside of all. */
const char *latenessState(const struct lateness *self, uint32_t state);

#endif
