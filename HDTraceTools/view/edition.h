/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace view: a project as it was at a time, with all that is read of it.
 *
 * A project that grows has one edition after another. Each is read from its
 * files like any project, so that all of its tracks, messages, relations and
 * powers are of the same state of the files.
 */
#ifndef HD_VIEWEDITION_H
#define HD_VIEWEDITION_H

#include "HDTraceTools/findings/findings.h"
#include "HDTraceTools/pages/tracks.h"
#include "HDTraceTools/view/growth.h"
#include "HDTraceTools/view/jobs.h"
#include "HDTraceTools/view/notes.h"
#include "HDTraceTools/view/tables.h"

/** What is served of an edition. */
struct viewServed {
	struct tracks *tracks;
	struct findings *findings;
	struct viewJobs *jobs;
	struct viewNotes *notes; /**< Not owned. */
	struct viewTables *tables;
	bool hasStart; /**< Times count from start, as far as it is known. */
	int64_t start;
	int64_t shift; /**< Is added to its times, in ns. */
	/** Equal in editions whose nodes, groups and traces have the same
	 *  numbers. */
	const char *layout;
};

/** How a project is opened. */
struct viewOpening {
	const char *path;
	struct tool *tool;               /**< Of the command. */
	const struct findings *findings; /**< Options. */
	struct store *store;
};

struct viewEdition {
	struct viewServed served;
	uint64_t number; /**< Of the store. */
	guint users;     /**< Counts requests that use it; for its owner. */
	/** The files, as they were before it was opened. */
	struct viewFiles *files;
	struct tool tool;
	struct findings findings;
	hdIProject *project;
	char *layout;
};

/**
 * Open a project as it is now.
 *
 * @return NULL if that fails. The reason is said if @p isFirst.
 */
struct viewEdition *viewEditionNew(const struct viewOpening *opening,
				   bool isFirst);

/** Stop reading and free it; NULL does nothing. Waits for its report. */
void viewEditionFree(struct viewEdition *self);

#endif
