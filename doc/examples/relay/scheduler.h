/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The request scheduler: of the requests that change a directory one is worked
 * on at a time, the others are blocked, and count in BREQ instead of REQ. Reads
 * and writes go in parallel.
 */
#ifndef SCHEDULER_H
#define SCHEDULER_H

#include "machine.h"

/* A request's place in the scheduler. */
struct schedulerEntry {
	char key[256]; /* What nobody else may change; "" for none. */
	struct machine *machine;
	struct schedulerEntry *next;
};

/* Schedule a request: MACHINE_COMPLETE, or MACHINE_DEFERRED while it is
 * blocked. */
enum machineResult schedulerPost(struct schedulerEntry *entry);

/* A request that was scheduled is over; one that it has blocked may go on. */
void schedulerRelease(struct schedulerEntry *entry);

#endif
