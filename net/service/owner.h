/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Whose process is at the other end of a connection of this host.
 */
#ifndef HD_OWNER_H
#define HD_OWNER_H

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>

/**
 * Ask the kernel: it says it of Unix sockets, and knows the owner of each TCP
 * socket. One that was closed belongs to nobody.
 *
 * @param fd Our end.
 * @param peer Address of the other one.
 *
 * @return Whether it is known.
 */
bool hdOwnerOf(int fd, const struct sockaddr_storage *peer, uid_t *uid);

#endif
