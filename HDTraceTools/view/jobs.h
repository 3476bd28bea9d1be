/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace view: reads all tracks in the background, those that are looked at
 * first.
 */
#ifndef HD_VIEWJOBS_H
#define HD_VIEWJOBS_H

#include "HDTraceTools/pages/tracks.h"
#include "HDTraceTools/findings/findings.h"

struct viewJobs;

/** How far everything was read. */
struct viewProgress {
	int64_t done; /**< Bytes of files. */
	int64_t total;
	bool hasTracks; /**< All tracks are complete. */
	bool hasReport; /**< The report is, too; it does not change any more. */
	bool hasFailed;
	bool hasStart; /**< With the report: times count from start. */
	int64_t start;
};

/**
 * Get ready to read.
 *
 * @param findings They were started, and are complete when all tracks were
 * read.
 */
struct viewJobs *viewJobsNew(struct tracks *tracks, struct findings *findings);

/**
 * Start reading; from now on the report belongs to others until it is there.
 *
 * @param isStored Whether entries are stored, as those of a file that grows;
 * else they are read from the file again.
 * @param isAtOnce Whether tracks are read that none looks at.
 */
void viewJobsStart(struct viewJobs *self, bool isStored, bool isAtOnce);

/** Make the report when all tracks were read; it cannot be stopped. Only one
 *  thread does this. */
void viewJobsReport(struct viewJobs *self);

/** Whether it can be freed without waiting for the report. Any thread. */
bool viewJobsAreIdle(struct viewJobs *self);

/** A track is looked at: read it before those that are not. Any thread. */
void viewJobsWant(struct viewJobs *self, const struct track *track);

/** A page waits for something else: tracks that are not looked at are read
 *  later. Any thread. */
void viewJobsRest(struct viewJobs *self);

/** Any thread. */
struct viewProgress viewJobsProgress(struct viewJobs *self);

/** Stop reading and free everything; NULL does nothing. */
void viewJobsFree(struct viewJobs *self);

#endif
