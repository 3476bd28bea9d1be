/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A host for lmg450-sim in tests: starts it, writes, and reads what comes.
 *
 * Nothing here depends on how fast anything is. What does not come within
 * CLIENT_PATIENCE_S will not come, and the test fails.
 */
#ifndef SIM_CLIENT_H
#define SIM_CLIENT_H

#include <glib.h>

#include "tests/lib/process.h"

/** Seconds after which something will not come. */
#define CLIENT_PATIENCE_S PROCESS_PATIENCE_S

/** A simulator that runs. */
struct client {
	struct process process;
	char *port;      /**< As its "ready" line says. */
	int fd;          /**< The port, open; or -1. */
	char *directory; /**< For its files. */
};

/** A path in the directory of a client; to be freed. */
char *clientPath(const struct client *client, const char *name);

/** Make a directory, and write a file "script" if there is one. */
void clientPrepare(struct client *client, const char *script);

/**
 * Start it in a prepared directory and open its port, which is a link "meter"
 * in that directory unless the options have --tcp.
 *
 * @param options Separated by spaces; @ stands for the directory.
 */
void clientStart(struct client *client, const char *options);

/** clientPrepare(), clientStart(). */
void clientRun(struct client *client, const char *script, const char *options);

/** Open its port; it is not open. */
void clientOpen(struct client *client);

/** Close its port. */
void clientClose(struct client *client);

/** End it with SIGTERM; it must succeed, and remove its link. */
void clientStop(struct client *client);

/** Remove the directory. */
void clientRemove(struct client *client);

/** Write a text. */
void clientSend(struct client *client, const char *text);

/** The next line of its standard output is this one. */
void clientSays(struct client *client, const char *line);

/** Wait until a file in its directory has a text. */
void clientAwaitFile(const struct client *client, const char *name,
		     const char *text);

/** A file in its directory. */
char *clientFile(const struct client *client, const char *name);

/** Read some bytes; their number is 0 when the port is gone. */
gsize clientRead(struct client *client, void *buffer, gsize size);

/** The next bytes are these. */
void clientExpect(struct client *client, const void *bytes, gsize length);

/** The next bytes are this text. */
void clientExpectText(struct client *client, const char *text);

/** Milliseconds of the monotonic clock. */
double clientTime(void);

#endif
