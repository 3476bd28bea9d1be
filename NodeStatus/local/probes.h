/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The probes of programs on this node, as JSON.
 */
#ifndef HD_NODE_PROBES_H
#define HD_NODE_PROBES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <glib.h>
#include <jansson.h>

/** What is kept from one reading to the next: all zero in the beginning. */
struct nodeProbes {
	uid_t nextUser;     /**< Whose probes are read first. */
	GHashTable *missed; /**< Deadlines by pid; NULL: never read. */
};

/**
 * Read the probes of some processes.
 *
 * A process is what its user says. So a page, a user, and all take a limited
 * time and room, and the users take turns: who is not read in time is read
 * first by the next call.
 *
 * @param isReset Whether they begin anew.
 *
 * @return `processes`: of each `pid`, `uid`, `name`, `error` (null), `clock`,
 *         `seconds`, `lost`, `skipped` (slots of counters that were not read;
 *         null: there may be more), and `probes`.
 */
json_t *nodeProbesRead(struct nodeProbes *self, const pid_t *list, size_t count,
		       bool isReset);

/** Get how many deadlines these have missed since the call before; NaN: not
 *  known of any. */
double nodeProbesMissed(struct nodeProbes *self, const pid_t *list,
			size_t count);

/** Free what is kept. */
void nodeProbesClear(struct nodeProbes *self);

#endif
