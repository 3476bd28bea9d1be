/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The thread that looks at what belongs to users: processes and their probes.
 *
 * A user may make that slow. Nobody waits for it: the thread that takes samples
 * says when it is time, and who wants probes is called when they have been
 * read.
 */
#ifndef HD_NODE_WATCH_H
#define HD_NODE_WATCH_H

#include "NodeStatus/local/core/local.h"

struct nodeWatch;

/**
 * Begin.
 *
 * @param local Whose processes and results these are; its mutex must be there.
 *
 * @retval -EAGAIN No thread could be created.
 */
int nodeWatchStart(struct hdNodeLocal *local, struct nodeWatch **result);

/** It is time to look at processes. Any thread; waits for nothing. */
void nodeWatchLook(struct nodeWatch *watch);

/** Read probes; as hdNodeLocalAskProbes(). */
void nodeWatchAsk(struct nodeWatch *watch, bool isReset, hdNodeProbesDone *done,
		  void *context);

/** End it, after all that was asked for; takes NULL. */
void nodeWatchStop(struct nodeWatch *watch);

#endif
