/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What is recorded of a host: its utilization and its power, by one process of
 * it a project. That is whoever makes the file; it exists for all others.
 */
#ifndef HDG_MACHINE_H
#define HDG_MACHINE_H

#include <hdTopology.h>

struct machine;

/** What to record of a host. */
struct machineWhat {
	int utilizationMs; /**< Interval; 0: nothing. */
	const char *power; /**< Configuration file of libPT, or NULL. */
};

/**
 * Begin to record, if nobody does so: in a thread, so that it does not matter
 * how long a meter takes to answer.
 *
 * @param project Path and name of the project.
 * @param topology Of the project; if it is begun, machineEnd() frees it.
 * @param host Label of the host.
 *
 * @return NULL: nothing is to be done, or it cannot be.
 */
struct machine *machineStart(const char *project, hdTopology *topology,
			     const char *host, const struct machineWhat *what);

/** End it. What takes long, such as a meter that has not answered yet, is not
 *  waited for; that thread ends it then. */
void machineEnd(struct machine *machine);

/** How many end later than machineEnd() returned. */
int machineCountEnding(void);

#endif
