/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The sockets that clients connect to.
 */
#ifndef HD_LISTEN_H
#define HD_LISTEN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "net/address.h"
#include "net/loop.h"
#include "net/socketfile.h"

/** What becomes of connections; all get the context of the setup. */
struct hdListenCalls {
	/** Whether one more may be served, that comes from @p address; else it
	 * is closed. */
	bool (*hasRoom)(void *context, const struct sockaddr *address);
	/** There are no file descriptors left. */
	void (*shed)(void *context);
	/** Take over a connection; @p address is who it comes from. */
	void (*accepted)(void *context, int fd, const struct sockaddr *address);
};

/** Where to listen, and how. */
struct hdListenSetup {
	struct hdLoop *loop;
	const struct hdAddress *addresses;
	size_t count;
	mode_t socketMode;       /**< Of Unix sockets. */
	const char *socketGroup; /**< NULL for that of the process. */
	const struct hdListenCalls *calls;
	void *context;
};

/** A socket. */
struct hdListener {
	struct hdPoll poll; /**< First: it is what the loop knows. */
	const struct hdListenCalls *calls;
	void *context;
	int fd;
	struct hdAddress address;
	char text[128];           /**< As configured, or the usual one. */
	struct hdSocketFile file; /**< Of a Unix socket. */
	bool isSaid;
	struct hdListener *next;
};

/**
 * Listen where a setup says, and nowhere else from now on. What is listened at
 * already stays.
 *
 * @param[in,out] all The sockets that there are.
 *
 * @return 0, or a negative errno value after a message; then nothing has
 *         changed.
 */
int hdListen(struct hdListener **all, const struct hdListenSetup *setup);

/**
 * Say where is listened, where that has not been said: once all is served, so
 * that who waits for this message can ask for everything.
 */
void hdListenSay(struct hdListener *all);

/** Listen no more. */
void hdListenEnd(struct hdListener **all);

#endif
