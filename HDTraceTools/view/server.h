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
 *     track?id=ID&layout=LAYOUT   description of a track (track.h), as far as
 *                                 it was read
 *     part?at=N&size=N            bytes of the store
 *     entries?id=ID&layout=LAYOUT&chunk=N&count=N&part=N
 *                                 entries of a chunk of zoom 0
 *     states?from=NS&to=NS        JSON: the states of an interval, as far as
 *                                 they were read: done, total, isComplete,
 *                                 hasFailed, hasEnergy, states
 *     pairs?from=NS&to=NS         JSON: messages between ranks: done, total,
 *                                 isComplete, hasFailed, pairs
 *     notes                       the notes (notes.h); with POST and a line of
 *                                 them: notes?do=add, notes?do=remove
 *     meta                        JSON: what the page has of the projects
 *     live                        JSON: which edition of a project there is,
 * and whether it is written (follow.h) progress                    JSON: done,
 * total (bytes), isComplete, start, report (as of hdtrace report, or null)
 */
#ifndef HD_VIEWSERVER_H
#define HD_VIEWSERVER_H

#include <stddef.h>
#include <stdint.h>

#include "HDTraceTools/view/follow.h"

struct viewServer;

/** Open libmicrohttpd; NULL, or why it is missing. To be asked first. */
const char *viewServerMissing(void);

/**
 * Start to serve.
 *
 * @param port 0: any.
 * @param projects They stay the caller's.
 * @param align As metaBeginSeveral() takes it.
 * @param[out] url To be freed with g_free().
 *
 * @return 0 or a negative errno.
 */
int viewServerStart(struct viewServer **server, uint16_t port,
		    struct viewFollow *const *projects, size_t count,
		    const char *align, char **url);

/** Stop serving; NULL does nothing. */
void viewServerStop(struct viewServer *self);

#endif
