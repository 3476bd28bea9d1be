/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace view: lets those in who know the token.
 *
 * All users of a host can connect to its ports. So a connection takes none of
 * the server's places before its first line has shown the token: until then it
 * waits here, with a deadline, and where too many wait the oldest goes.
 */
#ifndef HD_VIEWGATE_H
#define HD_VIEWGATE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

/** Digits of a token. */
#define GATE_TOKEN_LENGTH 48

/** Takes a connection that has shown the token, of which nothing was read; it
 *  is its own from now on. */
typedef void gateTake(int fd, const struct sockaddr *address, socklen_t length,
		      void *data);

struct gate;

/**
 * Start to let in.
 *
 * @param listening Socket that listens; stays the caller's.
 * @param token Stays.
 * @param take Called in a thread of the gate.
 *
 * @return 0 or a negative errno.
 */
int gateStart(struct gate **gate, int listening, const char *token,
	      gateTake *take, void *data);

/** Close what waits, and free it; NULL does nothing. */
void gateStop(struct gate *gate);

/** Whether a path begins with "/TOKEN/"; takes the same time for all that do
 *  not. */
bool gateHasToken(const char *path, size_t length, const char *token);

#endif
