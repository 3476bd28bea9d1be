/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What a replay and its sections share: the events of traces, and what ranks
 * compute between calls in which all wait for each other.
 */
#ifndef HD_WHATIFREPLAYSECTIONS_H
#define HD_WHATIFREPLAYSECTIONS_H

#include "HDTraceTools/base/spool.h"
#include "HDTraceTools/model/whatif/replay.h"

/** The events of a trace. */
struct replayList {
	uint64_t offset;
	uint64_t count;
};

struct replay {
	const struct calls *calls;
	size_t traces;
	struct events *events;
	struct spool *spool; /**< struct replayEvent, trace by trace. */
	struct replayList *lists;
	int64_t smallest; /**< What the fastest message took; INT64_MAX. */
	GArray *sections; /**< struct replaySection; or NULL. */
	GArray *means;    /**< double, of intervals of sections. */
	uint32_t *hosts;  /**< Of traces. */
	int64_t spared;   /**< Computation, in the last run. */
};

/** A section by its number, which is made if it is new. */
static inline struct replaySection *replaySectionAt(struct replay *self,
						    guint section)
{
	if (self->sections->len <= section)
		g_array_set_size(self->sections, section + 1);
	return &g_array_index(self->sections, struct replaySection, section);
}

/** Whether a section ends with an event. */
static inline bool replayEndsSection(const struct replayEvent *event)
{
	return event->kind == EVENT_TAKE && event->isOfAll;
}

/** When a rank stops to compute for an event. */
static inline int64_t replayReached(const struct replayEvent *event)
{
	return event->kind == EVENT_GIVE ? event->time : event->call;
}

#endif
