/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace view: serves the viewer and its data to a browser on this host.
 *
 * Everything stands below a path that nobody can guess, and only requests to
 * the loopback address by its name are answered, so that no page of others gets
 * at the data (DNS rebinding included). Paths behind the token:
 *
 *     (nothing)                   the page, with the JSON of meta.h
 *     track?id=ID                 description of a track (track.h), as far as
 * it was read part?at=N&size=N            bytes of the store
 *     entries?id=ID&chunk=N&part=N   entries of a chunk of zoom 0
 *     states?from=NS&to=NS        JSON: the states of an interval, as far as
 *                                 they were read: done, total, isComplete,
 *                                 hasFailed, hasEnergy, states
 *     pairs?from=NS&to=NS         JSON: messages between ranks: done, total,
 *                                 isComplete, hasFailed, pairs
 *     notes                       the notes (notes.h); with POST and a line of
 *                                 them: notes?do=add, notes?do=remove
 *     progress                    JSON: done, total (bytes), isComplete, start,
 *                                 report (as of hdtrace report, or null)
 */
#ifndef HD_VIEWSERVER_H
#define HD_VIEWSERVER_H

#include "HDTraceTools/pages/tracks.h"
#include "HDTraceTools/findings/findings.h"
#include "HDTraceTools/view/jobs.h"
#include "HDTraceTools/view/notes.h"
#include "HDTraceTools/view/tables.h"

struct viewServer;

/** A project that is served. */
struct viewServed {
	struct tracks *tracks;
	struct findings *findings;
	struct viewJobs *jobs;
	struct viewNotes *notes;
	struct viewTables *tables;
	bool hasStart; /**< Times count from start, as far as it is known. */
	int64_t start;
	int64_t shift; /**< Is added to its times, in ns. */
};

/** Open libmicrohttpd; NULL, or why it is missing. To be asked first. */
const char *viewServerMissing(void);

/**
 * Start to serve.
 *
 * @param port 0: any.
 * @param served The projects; they stay the caller's.
 * @param align As metaBeginSeveral() takes it.
 * @param[out] url To be freed with g_free().
 *
 * @return 0 or a negative errno.
 */
int viewServerStart(struct viewServer **server, uint16_t port,
		    const struct viewServed *served, size_t count,
		    const char *align, char **url);

/** Stop serving; NULL does nothing. */
void viewServerStop(struct viewServer *self);

#endif
