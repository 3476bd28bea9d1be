/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The sockets that clients connect to.
 */
#ifndef PT_LISTEN_H
#define PT_LISTEN_H

#include <stdbool.h>

#include "PowerTracingLibrary/service/service.h"

/** A socket. */
struct ptListener {
	struct ptPoll poll; /**< First: it is what the loop knows. */
	struct ptService *service;
	int fd;
	struct ptSiteAddress address;
	char text[128]; /**< As configured, or the usual one. */
	ino_t inode;    /**< Of a Unix socket, to be removed. */
	bool isSaid;
	struct ptListener *next;
};

/**
 * Listen where a configuration says, and nowhere else from now on. What is
 * listened at already stays.
 *
 * @return 0, or a negative errno value after a message; then nothing has
 *         changed.
 */
int ptListen(struct ptService *service, const struct ptSite *site);

/**
 * Say where the service listens, where that has not been said: once it serves,
 * so that who waits for this message can ask for everything.
 */
void ptListenSay(struct ptService *service);

/** Listen no more. */
void ptListenEnd(struct ptService *service);

#endif
