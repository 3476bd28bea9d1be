/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Time and energy of the states of a trace, by their names.
 *
 * Power is measured at hosts, and states are those of ranks and threads; what
 * part of it a trace is charged with, attribution.h says.
 */
#ifndef HD_PROFILE_H
#define HD_PROFILE_H

#include <inttypes.h>
#include <glib.h>

#include <hdReading.h>
#include "HDTraceTools/model/attribution.h"
#include "HDTraceTools/model/diagnostics.h"

/** Power that a trace is charged with. */
struct profileSource {
	struct attributionCursor *cursor; /**< NULL: not known. */
};

/** Time, and energy from each source. */
struct profileCost {
	int64_t time;
	struct attributionAmount *amounts;
};

/** States of one name. */
struct profileState {
	char *name;
	uint64_t count;  /**< All. */
	int64_t longest; /**< Of any. */
	uint64_t outer;  /**< Those that lie in no other one of this name. */
	struct profileCost total; /**< Of these, with all that lies in them. */
	struct profileCost own; /**< Of all, without states that lie in them. */
};

struct profile {
	size_t sources;
	GPtrArray *states; /**< struct profileState, as they are met. */
	GHashTable *names; /**< To their position + 1. */
	uint64_t stateCount;
	uint64_t eventCount;
	uint64_t epochs; /**< Those with a number; see messages.h. */
	int64_t start; /**< Of the first record; INT64_MAX if there is none. */
	int64_t end;
};

/** Called for each record. */
typedef void profileProgress(void *data, const hdIRecord *record);

/**
 * Read a trace, in memory that grows with the number of names and the depth.
 *
 * @param sink Takes the diagnostics; NULL: the project's handler.
 * @param sources What it is charged with; with NULL cursors as well.
 * @param count Number of sources.
 * @param start Only the time in ]start, end] counts.
 * @param end As start.
 * @param progress May be NULL.
 * @param[out] profile To be freed with profileFree().
 *
 * @retval 0 Success, as far as messages of the reader say.
 * @return The negative errno of opening the trace.
 */
int profileRead(const hdIProject *project, const hdITraceFile *trace,
		const struct diagnosticSink *sink,
		const struct profileSource *sources, size_t count,
		int64_t start, int64_t end, profileProgress *progress,
		void *data, struct profile **profile);

/** Free a profile; NULL does nothing. */
void profileFree(struct profile *self);

/** Find the states of a name; NULL if there are none. */
struct profileState *profileFind(const struct profile *self, const char *name);

/** Make an empty profile, to add others to it. */
struct profile *profileNew(size_t sources);

/** Add states of one name, of a profile with as many sources. */
void profileAddState(struct profile *self, const struct profileState *state);

/** Add a profile with as many sources. */
void profileAdd(struct profile *self, const struct profile *other);

#endif
