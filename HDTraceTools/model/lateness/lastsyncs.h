/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * When two traces synchronized last: in a message between them, or in a
 * collective call of both.
 *
 * Messages and calls are sorted on disk, 40 bytes for each end. When ranks left
 * calls is on disk, too, 16 bytes each. The memory grows with the number of
 * traces that one trace exchanges messages with, and of its communicators, and
 * with the messages that others leave while it waits.
 */
#ifndef HD_LASTSYNCS_H
#define HD_LASTSYNCS_H

#include "HDTraceTools/model/causes/dependencies.h"

struct lastSyncs;

/** Start with none. */
struct lastSyncs *lastSyncsNew(void);

/** Free it; NULL does nothing. */
void lastSyncsFree(struct lastSyncs *self);

/** Take what belongs together. 0 or a negative errno. */
int lastSyncsTake(struct lastSyncs *self, const struct dependencyMatch *match);

/** Two traces and times. */
struct lastSync {
	uint32_t trace;
	int64_t time;
	uint32_t other;
	int64_t otherTime;
};

/**
 * Find the last synchronization that a trace left not later than a time, and
 * another trace not later than another time: of several the one that the first
 * one left last, then the other one. After the first call nothing may be taken;
 * calls come by traces, and of these the first time never goes back. The other
 * time is later than that.
 *
 * @param[in,out] sync Its times become those of leaving; INT64_MIN: there is
 *        none.
 *
 * @return 0 or a negative errno.
 */
int lastSyncsFind(struct lastSyncs *self, struct lastSync *sync);

#endif
