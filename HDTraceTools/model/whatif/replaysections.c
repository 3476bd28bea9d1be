/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Sections of a replay: what ranks compute between two calls in which all wait
 * for each other, and in the intervals between messages in them.
 */
#include "config.h"

#include "HDTraceTools/base/comparekeys.h"
#include "HDTraceTools/model/whatif/replaysections.h"

/** Means that are kept, of sections together. */
#define REPLAY_INTERVALS (1 << 22)

/** A rank's computation in a section is known. */
static void replayAddSection(struct replay *self, guint section, uint32_t trace,
			     double own)
{
	struct replaySection *sum = replaySectionAt(self, section);

	sum->sum += own;
	sum->hostSum += own;
	sum->hostRanks++;
	if (own > sum->largest) {
		sum->largest = own;
		sum->trace = trace;
	}
}

/** The sections of a trace, while they are found. */
struct replaySplit {
	struct replay *self;
	struct callsCursor *cursor;
	uint32_t trace;
	guint section;
	guint interval; /**< Of the section. */
	double own;     /**< Computation in it so far. */
	int64_t start;
	int64_t busy;
};

/** A rank's computation in an interval is known. */
static void replayAddInterval(const struct replaySplit *split, double own)
{
	struct replay *self = split->self;
	struct replaySection *section = replaySectionAt(self, split->section);
	double part = own / self->events->ranks;

	if (!section->owner) {
		section->owner = split->trace + 1;
		section->first = self->means->len;
	}
	if (section->owner == split->trace + 1 &&
	    self->means->len < REPLAY_INTERVALS) {
		g_array_append_val(self->means, part);
		section->intervals++;
	} else if (split->interval < section->intervals) {
		g_array_index(self->means, double,
			      section->first + split->interval) += part;
	} else {
		section->isUneven = true;
	}
}

static void replaySplitAt(struct replaySplit *split,
			  const struct replayEvent *event)
{
	int64_t end = MAX(replayReached(event), split->start);
	int64_t busy = callsUntil(split->cursor, end);
	double own = (double)(end - split->start - (busy - split->busy));

	replayAddInterval(split, own);
	split->own += own;
	split->interval++;
	split->start = end;
	split->busy = busy;
	if (!replayEndsSection(event))
		return;
	replayAddSection(split->self, split->section, split->trace, split->own);
	if (split->interval !=
	    replaySectionAt(split->self, split->section)->intervals)
		replaySectionAt(split->self, split->section)->isUneven = true;
	split->section++;
	split->interval = 0;
	split->own = 0;
}

static int replaySplitTrace(struct replay *self, uint32_t trace)
{
	const struct replayList *list = &self->lists[trace];
	struct replaySplit split = {
		.self = self,
		.cursor = callsCursorNew(self->calls, trace),
		.trace = trace,
		.start = callsOf(self->calls, trace)->start,
	};
	struct replayEvent event;
	int ret = 0;

	for (uint64_t i = 0; i < list->count && ret == 0; i++) {
		ret = spoolRead(self->spool, list->offset + i * sizeof(event),
				&event, sizeof(event));
		if (ret == 0)
			replaySplitAt(&split, &event);
	}
	callsCursorFree(split.cursor);
	return ret;
}

/** All ranks of a host are known, of which one is a trace. */
static void replayEndHost(struct replay *self, uint32_t trace)
{
	for (guint i = 0; i < self->sections->len; i++) {
		struct replaySection *section = replaySectionAt(self, i);
		double mean = section->hostRanks
				      ? section->hostSum / section->hostRanks
				      : 0;

		if (mean > section->hostLargest) {
			section->hostLargest = mean;
			section->hostTrace = trace;
		}
		section->hostSum = 0;
		section->hostRanks = 0;
	}
}

/** A trace and its host. */
struct replayPlace {
	uint32_t host;
	uint32_t trace;
};

static gint replayComparePlaces(gconstpointer a, gconstpointer b)
{
	const struct replayPlace *x = a;
	const struct replayPlace *y = b;

	COMPARE_KEYS(x->host, y->host);
	COMPARE_KEYS(x->trace, y->trace);
	return 0;
}

/** The traces, with those of a host after each other. */
static GArray *replayPlaces(const struct replay *self)
{
	GArray *places = g_array_new(FALSE, FALSE, sizeof(struct replayPlace));

	for (uint32_t i = 0; i < self->traces; i++) {
		const struct replayPlace place = { self->hosts[i], i };

		g_array_append_val(places, place);
	}
	g_array_sort(places, replayComparePlaces);
	return places;
}

static int replaySplitAll(struct replay *self)
{
	GArray *places = replayPlaces(self);
	const struct replayPlace *last = NULL;
	int ret = 0;

	for (guint i = 0; i < places->len && ret == 0; i++) {
		const struct replayPlace *place =
			&g_array_index(places, struct replayPlace, i);

		if (last && last->host != place->host)
			replayEndHost(self, last->trace);
		ret = replaySplitTrace(self, place->trace);
		last = place;
	}
	if (last)
		replayEndHost(self, last->trace);
	for (guint i = 0; i < self->sections->len; i++) {
		struct replaySection *section = replaySectionAt(self, i);

		section->mean = section->sum / self->events->ranks;
	}
	g_array_unref(places);
	return ret;
}

const GArray *replaySections(struct replay *self, int *error)
{
	*error = 0;
	if (self->sections)
		return self->sections;
	self->sections = g_array_new(FALSE, TRUE, sizeof(struct replaySection));
	self->means = g_array_new(FALSE, FALSE, sizeof(double));
	*error = replaySplitAll(self);
	return *error ? NULL : self->sections;
}
