/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls of a client: state machines that ask all servers which have a part of
 * what is written or read. A call of this interface returns when that is done.
 */
#ifndef CALL_H
#define CALL_H

#include "bmi.h"
#include "machine.h"
#include "wire.h"

#define CALL_SERVERS_MAX 64

/* Who calls: a thread that has a connection to each server. */
struct caller {
	struct machinePool *pool;
	struct bmi *bmi;
	int servers;
	int sockets[CALL_SERVERS_MAX];
};

/* Each returns 0, or a value of errno. A caller whose call has failed by its
 * connection is of no use any more. */
int callCreate(struct caller *caller, const char *name);
int callWrite(struct caller *caller, const char *name, uint64_t offset,
	      char *memory, uint64_t size);
int callRead(struct caller *caller, const char *name, uint64_t offset,
	     char *memory, uint64_t size);

#endif
