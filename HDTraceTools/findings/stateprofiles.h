/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The table of states of any interval, as hdtrace report has it for one: for
 * callers that ask again and again, while the project is read by others, too.
 */
#ifndef HD_FINDINGS_STATEPROFILES_H
#define HD_FINDINGS_STATEPROFILES_H

#include "HDTraceTools/findings/findings.h"

/** Power of the nodes of a project, to charge states with. */
struct stateProfiles;

/** How a table is made. */
struct stateProfilesWatch {
	/** So many more bytes were read; any thread. false: end it. */
	bool (*progress)(void *data, int64_t bytes);
	/** A trace was added, by the thread that called; its time is clipped
	 *  to the interval. */
	void (*take)(void *data, const struct profile *trace);
	void *data;
};

/** Whether a project can have tables of intervals: none with relations, whose
 *  energy is divided over all of their time. */
bool stateProfilesArePossible(const hdIProject *project);

/**
 * Get ready.
 *
 * @param findings After findingsStart(). Only what that set is read.
 */
struct stateProfiles *stateProfilesNew(const struct findings *findings);

/** Free them; NULL does nothing. */
void stateProfilesFree(struct stateProfiles *self);

/** Bytes that stateProfilesRead() reads. */
int64_t stateProfilesSize(const struct stateProfiles *self);

/** An empty profile, to add those of traces to. */
struct profile *stateProfilesSum(const struct stateProfiles *self);

/**
 * Read the states in ]start, end] of all traces, in their order.
 *
 * @retval 0 Success; what is damaged is left out, as a report does.
 * @retval -ECANCELED progress returned false.
 * @return The negative errno of a file.
 */
int stateProfilesRead(struct stateProfiles *self, int64_t start, int64_t end,
		      const struct stateProfilesWatch *watch);

#endif
