/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Who has a place: slots, and what of them a user or an address may have.
 *
 * A connection is pending until it is known who it is: by its Unix socket, by a
 * token, or as somebody who need not say, from this host or a network that may
 * speak pmlib. Only then it has one of the slots (clients=). As many may be
 * pending, for timeout= at most; one more replaces one of them, so that nobody
 * who says nothing keeps others out. What came from an address that has its
 * share of the pending gives way first.
 *
 * Of the slots, and of counters and streams, a user and an address of another
 * host have a share. A user who finds no slot gets that of the anonymous client
 * that records nothing and was silent for longest.
 */
#ifndef PT_SHARES_H
#define PT_SHARES_H

#include "PowerTracingLibrary/service/core/client.h"

/** Make room for a connection that is pending. */
void ptShareRoom(struct ptService *service, const struct sockaddr *address);

/** Close a connection, for its descriptor. */
void ptShareShed(struct ptService *service);

/**
 * Give a client a slot, once it is known who it is; also when it becomes
 * another user.
 *
 * @return NULL, or why there is none.
 */
const char *ptShareAdmit(struct ptClient *client);

/**
 * Take one of the counters and streams.
 *
 * @return NULL, or why there is none.
 */
const char *ptShareCount(struct ptClient *client);

/** Give it back. */
void ptShareUncount(struct ptClient *client);

#endif
