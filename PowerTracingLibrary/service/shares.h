/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The slots of the power service, and its counters and streams, by
 * net/service/places.h.
 *
 * A connection has a slot (clients=) once it is known who it is: by its socket,
 * by a token, or as a client of a network that may speak pmlib. As many may be
 * pending, for timeout= at most. Of slots, and of counters and streams, a user
 * and an address of another host have a share. A client that records nothing
 * gives way to users with tokens and to root.
 */
#ifndef PT_SHARES_H
#define PT_SHARES_H

#include "PowerTracingLibrary/service/core/client.h"

/** Take the limits of the site of a service. */
void ptShareSetup(struct ptService *service);

/** Find out whose a connection is; it is pending. */
void ptShareOpen(struct ptClient *client, const struct sockaddr *address);

/**
 * Take one of the counters and streams.
 *
 * @return NULL, or why there is none.
 */
const char *ptShareCount(struct ptClient *client);

/** Give it back. */
void ptShareUncount(struct ptClient *client);

#endif
