/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What was given in a replay and is not taken by all yet.
 */
#ifndef HD_WHATIFMEETINGS_H
#define HD_WHATIFMEETINGS_H

#include <stdbool.h>
#include <glib.h>

#include "HDTraceTools/model/whatif/events.h"

struct meetings;

/** Start with none. */
struct meetings *meetingsNew(void);

/** Free it; NULL does nothing. */
void meetingsFree(struct meetings *self);

/** Something is given at a time; traces that wait for it (uint32_t) are added
 * to a list. */
void meetingsGive(struct meetings *self, const struct replayEvent *event,
		  int64_t time, GArray *woken);

/** Take it: true, and when it was given; false: it is not there, and the trace
 *  waits. */
bool meetingsTake(struct meetings *self, const struct replayEvent *event,
		  int64_t *time);

#endif
