/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Replays a run by its dependencies: what ranks compute between calls, and what
 * calls need of other ranks, with times that are changed.
 *
 * All ranks go on until they need something that was not given yet, a few
 * events at a time, so that the memory grows with what is on its way only.
 */
#ifndef HD_WHATIFREPLAY_H
#define HD_WHATIFREPLAY_H

#include <glib.h>

#include "HDTraceTools/model/whatif/calls.h"
#include "HDTraceTools/model/whatif/events.h"

/** Is told the time of traces in a replay when they reach recorded times. */
struct replayWatch {
	/** The next time of a trace that is of interest; INT64_MAX: none. */
	int64_t (*next)(void *data, uint32_t trace);
	/** It is reached: the time in the replay. */
	void (*reach)(void *data, uint32_t trace, int64_t clock);
	void *data;
};

/** What is changed; all times of a run that is as it was come out the same. */
struct replayModel {
	/** Calls take no time of their own, and only useful computation
	 *  between these counts. */
	bool isIdeal;
	int64_t from; /**< Only computation between counts. */
	int64_t to;
	const double *factors; /**< Of computation, by trace; or NULL. */
	/** All ranks compute the mean between two calls in which all wait for
	 *  each other. */
	bool isBalanced;
	/** Computation in states of a name takes so much of its time. */
	const struct calls *states; /**< Or NULL. */
	double statesFactor;
	double latency;   /**< Of the smallest message: a factor. */
	double bandwidth; /**< Likewise, of what more others take. */
	const struct replayWatch *watch; /**< Or NULL. */
};

/** As it was. */
#define REPLAY_MODEL                              \
	((struct replayModel){ .from = INT64_MIN, \
			       .to = INT64_MAX,   \
			       .latency = 1,      \
			       .bandwidth = 1 })

struct replay;

/** All traces were read: get ready; @p events are used up. */
struct replay *replayNew(const struct calls *calls, size_t traces,
			 struct events *events);

/** Free it; NULL does nothing. */
void replayFree(struct replay *self);

/** Take the events, once; 0 or a negative errno. */
int replayRead(struct replay *self);

/**
 * Run it.
 *
 * @param[out] time Of the trace that ends last, since the first one begins or
 *        since the start of the time that counts.
 *
 * @retval 0 Success.
 * @retval -EDEADLK What was recorded makes no sense.
 * @return Another negative errno.
 */
int replayRun(struct replay *self, const struct replayModel *model,
	      int64_t *time);

/** By how much less all traces computed in the last run than as recorded. */
int64_t replaySpared(const struct replay *self);

/** Computation between two calls in which all ranks wait for each other. */
struct replaySection {
	double mean;        /**< Of all ranks ... */
	double sum;         /**< ... together. */
	double largest;     /**< Of any ... */
	uint32_t trace;     /**< ... which is that one. */
	double hostLargest; /**< The largest mean of the ranks of a host ... */
	uint32_t hostTrace; /**< ... which has that one. */
	double hostSum;     /**< While they are found: of a host, ... */
	uint32_t hostRanks; /**< ... of so many ranks. */
	/** Where the means of its intervals begin: times between what ranks
	 *  give and take; and how many each rank has. */
	guint first;
	guint intervals;
	uint32_t owner; /**< The trace that was first to have them, plus 1. */
	bool isUneven;  /**< Ranks do not have the same number of these. */
};

/** Tell on which hosts the traces are: a number for each, from 0 on. */
void replaySetHosts(struct replay *self, const uint32_t *hosts);

/** Find all of these: array of struct replaySection, of @p self; NULL after an
 *  error, which is told by @p error. */
const GArray *replaySections(struct replay *self, int *error);

/** Useful computation of a trace in ]from, to]; INT64_MIN after an error. */
int64_t replayUseful(const struct replay *self, size_t trace, int64_t from,
		     int64_t to);

#endif
