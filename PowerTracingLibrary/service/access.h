/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Who a client is, and what it may.
 */
#ifndef PT_ACCESS_H
#define PT_ACCESS_H

#include <sys/socket.h>

#include "PowerTracingLibrary/service/core/client.h"

/** Find out where a client is and, at a Unix socket, who it is. */
void ptAccessFind(struct ptClient *client, const struct sockaddr *address);

/** Tell whether the client must authenticate first. */
bool ptAccessMustAuthenticate(const struct ptClient *client);

/** Tell why it may not go on, or NULL: it must use TLS, say. */
const char *ptAccessForbids(const struct ptClient *client);

/** Tell why it may not speak pmlib, or NULL. */
const char *ptAccessForbidsPmlib(const struct ptClient *client);

#endif
