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
#include <stdbool.h>
#include <glib.h>

#include <hdReading.h>
#include "HDTraceTools/model/attribution.h"
#include "HDTraceTools/model/clocksteps.h"
#include "HDTraceTools/model/diagnostics.h"
#include "HDTraceTools/sites/sites.h"

/** Power that a trace is charged with. */
struct profileSource {
	struct attributionCursor *cursor; /**< NULL: not known. */
};

/** What the processor did. */
enum profileEvent {
	PROFILE_CYCLES,
	PROFILE_INSTRUCTIONS,
	PROFILE_CACHE_MISSES,
	PROFILE_EVENTS
};

/** What the processor did in states that say so: those of libhdMPI have
 *  attributes `cycles`, `instructions`, and `cacheMisses` (hdmpirun
 * --counters). They are of the whole state: states in it have none. Or outside
 * of them, since the state before: `outsideCycles`, and so on. */
struct profileEvents {
	uint64_t counted; /**< States that have any. */
	uint64_t with[PROFILE_EVENTS];
	__int128 total[PROFILE_EVENTS];
	uint64_t both; /**< Cycles and instructions, and what they have. */
	__int128 bothCycles;
	__int128 bothInstructions;
};

/** Time, events, and energy from each source. */
struct profileCost {
	int64_t time;
	struct profileEvents events;
	struct profileEvents outside;
	struct attributionAmount *amounts;
};

/** States of one name. One that stands for many calls counts as these, which
 *  are as long as they are on average; see polls.h. */
struct profileState {
	char *name;
	uint64_t count;  /**< All. */
	int64_t longest; /**< Of any. */
	uint64_t outer;  /**< Those that lie in no other one of this name. */
	struct profileCost total; /**< Of these, with all that lies in them. */
	struct profileCost own; /**< Of all, without states that lie in them. */
};

/** States of one name that were called at one place. */
struct profileSite {
	char *name;
	struct site *site;
	uint64_t count;
	int64_t longest;
	struct profileCost own; /**< Without states that lie in them. */
};

struct profile {
	size_t sources;
	GPtrArray *states;     /**< struct profileState, as they are met. */
	GHashTable *names;     /**< To their position + 1. */
	GPtrArray *sites;      /**< struct profileSite, as they are met. */
	GHashTable *siteNames; /**< Names and keys to their position + 1. */
	uint64_t stateCount;
	uint64_t eventCount;
	uint64_t epochs; /**< Those with a number; see messages.h. */
	uint64_t polled; /**< Calls in states that stand for many. */
	/** What each call of MPI takes for tracing, as the tracer measured it;
	 * the most of several traces. */
	int64_t callNs;
	int64_t start; /**< Of the first record; INT64_MAX if there is none. */
	int64_t end;
	struct clockSteps steps; /**< Of the trace; count 0: none. */
};

/** Add what other states have. */
void profileEventsAdd(struct profileEvents *to,
		      const struct profileEvents *from);

/** What the processor did outside of all states, as far as these say. */
struct profileEvents profileOutside(const struct profile *self);

/** Instructions a cycle, of states that have both; NaN: there are none. */
double profileRatio(const struct profileEvents *events);

/** Compare pointers to struct profileSite: those that took most time first. */
gint profileCompareSites(gconstpointer a, gconstpointer b);

/** Called for each record, with the site where it was called, or NULL; false:
 *  no more is read. */
typedef bool profileProgress(void *data, const hdIRecord *record,
			     const struct site *site);

/**
 * Read a trace, in memory that grows with the number of names and the depth.
 *
 * @param sink Takes the diagnostics; NULL: the project's handler.
 * @param sources What it is charged with; with NULL cursors as well.
 * @param count Number of sources.
 * @param start Only the time in ]start, end] counts.
 * @param end As start.
 * @param needsAll Whether @p progress takes records outside of that time, too;
 *        else they may be left out.
 * @param progress May be NULL.
 * @param[out] profile To be freed with profileFree().
 *
 * @retval 0 Success, as far as messages of the reader say.
 * @retval -ECANCELED @p progress returned false; there is no profile.
 * @return The negative errno of opening the trace.
 */
int profileRead(const hdIProject *project, const hdITraceFile *trace,
		const struct diagnosticSink *sink,
		const struct profileSource *sources, size_t count,
		int64_t start, int64_t end, bool needsAll,
		profileProgress *progress, void *data,
		struct profile **profile);

/** Let it begin and end in ]start, end], for which it was read. */
void profileClip(struct profile *self, int64_t start, int64_t end);

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
