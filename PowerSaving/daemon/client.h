/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Clients of the service: their requests, and the process behind each.
 */
#ifndef HD_POWER_CLIENT_H
#define HD_POWER_CLIENT_H

#include "PowerSaving/daemon/server.h"

struct powerClient {
	struct hdConnection connection; /**< First. */
	struct hdPlace place;
	struct hdPoll process; /**< The pidfd of the owner. */
	int pidfd;             /**< -1: none. */
	pid_t pid;
	uid_t uid;
	struct lease lease;
	bool hasLease;
	bool isRevoked; /**< By a restoration: no lease after it. */
	struct powerServer *server;
	struct powerClient *next;
};

/** Take over a connection. */
void powerClientOpen(struct powerServer *server, int fd,
		     const struct sockaddr *address);

/** Close it if it takes too long. */
void powerClientSweep(struct powerClient *self, int64_t nowNs);

/** Close it now, and end its lease. */
void powerClientClose(struct powerClient *self);

/** Free one that is closed. */
void powerClientFree(struct powerClient *self);

#endif
