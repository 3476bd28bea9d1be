/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Where a node is: a socket of this host, or all addresses of a name, of which
 * one after the other is tried.
 *
 * Names are looked up by threads, which say so in the loop, so that a name
 * server that is silent keeps nobody waiting. What was found is used until a
 * connection fails; then the name is looked up again.
 */
#ifndef HD_NODE_WHERE_H
#define HD_NODE_WHERE_H

#include <stdbool.h>
#include <sys/un.h>

#include "common/net.h"
#include "net/loop.h"

struct nodeWhere;

/** Names that are looked up for all nodes of a collector. */
struct nodeSearches {
	struct hdLoop *loop;
	unsigned int count; /**< That are not done. */
	/** In the loop: a name was found, or not. */
	void (*done)(struct nodeWhere *where);
};

struct nodeWhere {
	struct hdPoll poll; /**< First: it is what the loop knows. */
	struct nodeSearches *searches;
	char host[HD_NET_HOST_MAX], port[HD_NET_PORT_MAX];
	bool isPath, isSearching;
	struct sockaddr_un path;
	struct hdNetSearch *search; /**< NULL: nothing is known. */
	const struct addrinfo *at;  /**< What is tried, or used; or NULL. */
};

/**
 * Take an address of hdNode_add() apart.
 *
 * @param where All zero.
 *
 * @retval -EINVAL It is none.
 */
int hdNodeWhereInit(struct nodeWhere *where, struct nodeSearches *searches,
		    const char *address);

/** Forget what was found, or is being looked up: also at the end. */
void hdNodeWhereForget(struct nodeWhere *where);

/**
 * Have an address that can be tried.
 *
 * @param[out] why A text, where there is no such host.
 *
 * @retval 0 There is one.
 * @retval -EINPROGRESS It is being looked up, or others are: ask again.
 * @retval -ENOENT There is no such host; the next time it is looked up again.
 * @retval -ENOMEM (Or another error: it cannot be looked up.)
 */
int hdNodeWhereFind(struct nodeWhere *where, const char **why);

/** Get how many addresses there are from the one that is tried on. */
unsigned int hdNodeWhereLeft(const struct nodeWhere *where);

/** The one that was tried is of no use. False: there is none left, and the name
 *  is looked up again the next time. */
bool hdNodeWhereNext(struct nodeWhere *where);

/** Begin to connect to the address; a socket or a negative errno value. */
int hdNodeWhereConnect(const struct nodeWhere *where);

#endif
