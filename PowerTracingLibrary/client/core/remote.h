/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A connection to a power service, in its own protocol
 * (doc/format/power-service.md).
 *
 * Used by one thread at a time. Functions that can fail return a negative errno
 * value after a message; -EINTR (wakeFd is readable) and -ETIMEDOUT (of
 * ptRemoteReceive()) come without one. After -EREMOTEIO, -ENOENT, -EACCES and
 * -EBUSY the server has said no, and the connection can be used on; after any
 * other error it is only to be closed.
 */
#ifndef PT_REMOTE_H
#define PT_REMOTE_H

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

#include "PowerTracingLibrary/client/core/remoteclock.h"
#include "PowerTracingLibrary/wire/wire.h"
#include "common/net.h"

/** How long a server may take to answer. */
#define PT_REMOTE_PATIENCE_NS INT64_C(10000000000)

/** Where a service is. */
struct ptRemoteAddress {
	bool isPath; /**< host is the path of a Unix socket. */
	char host[HD_NET_HOST_MAX];
	char port[HD_NET_PORT_MAX];
	char text[HD_NET_HOST_MAX + HD_NET_PORT_MAX + 8]; /**< For messages. */
};

/** How to get to a service; texts live as long as connections. */
struct ptRemoteSetup {
	struct ptRemoteAddress address;
	const char *user;      /**< NULL: the first that the file has. */
	const char *tokenFile; /**< NULL: do not authenticate. */
	bool isEncrypted;
	const char *caFile;      /**< As of hdTlsCreateClient(). */
	const char *fingerprint; /**< As of hdTlsCreateClient(). */
};

/** A frame that was received; the payload is valid until the next one. */
struct ptRemoteFrame {
	struct hdFrameHeader header;
	const unsigned char *payload;
};

struct ptRemote;

/**
 * Read an address: "HOST", "HOST:PORT", "[HOST6]:PORT", "unix:/PATH", "/PATH".
 *
 * @param text NULL for the usual ones: the socket of a pt of this user, that of
 *        the system, else port 6526 of this host.
 *
 * @retval -EINVAL It is none; without a message.
 */
int ptRemoteParse(const char *text, struct ptRemoteAddress *address);

/**
 * Connect, greet, authenticate, and compare the clocks.
 *
 * @param wakeFd Makes calls that wait return -EINTR; or -1.
 */
int ptRemoteOpen(const struct ptRemoteSetup *setup, int wakeFd,
		 struct ptRemote **result);

/**
 * The same with a connection that is there.
 *
 * @param fd Its socket, which does not block; closed in any case.
 */
int ptRemoteTake(const struct ptRemoteSetup *setup, int fd, int wakeFd,
		 struct ptRemote **result);

/** Close; takes NULL. */
void ptRemoteClose(struct ptRemote *remote);

/** Let something else make calls return -EINTR from now on. */
void ptRemoteSetWake(struct ptRemote *remote, int wakeFd);

/**
 * Send a request.
 *
 * @param[out] tag Its tag; NULL if nobody wants to know.
 */
int ptRemoteSend(struct ptRemote *remote, enum ptWireType type,
		 const void *message, uint16_t *tag);

/**
 * Receive a frame; those of the clock are taken inside.
 *
 * @retval -ETIMEDOUT There is none until the deadline.
 * @retval -ECONNRESET The server is gone.
 * @retval -EPROTO It sends nonsense.
 */
int ptRemoteReceive(struct ptRemote *remote, int64_t deadlineNs,
		    struct ptRemoteFrame *frame);

/**
 * Receive the next frame of an answer, and decode it.
 *
 * @param type What it must be; 0 for anything that is no error.
 * @param[out] message The struct of its type.
 * @param[out] found The type; NULL if that is known.
 *
 * @retval -ENOENT -EACCES -EBUSY -EREMOTEIO The server says no, by the code of
 *         its error: unknown, forbidden, limit, another one.
 */
int ptRemoteAnswer(struct ptRemote *remote, uint16_t tag, unsigned int type,
		   void *message, unsigned int *found);

/** Decode a frame. */
int ptRemoteDecode(struct ptRemote *remote, const struct ptRemoteFrame *frame,
		   void *message);

/** Tell what an error frame says; returns the negative errno value. */
int ptRemoteRefused(struct ptRemote *remote, const struct ptRemoteFrame *frame);

/** Ask for the server's clock; the answer comes with other frames. */
int ptRemotePing(struct ptRemote *remote);

/** Tell when it was pinged without an answer, monotonic; 0 for not. */
int64_t ptRemoteUnanswered(const struct ptRemote *remote);

/** Get its clock. */
struct ptRemoteClock *ptRemoteGetClock(struct ptRemote *remote);

/** Get its address, for messages. */
const char *ptRemoteName(const struct ptRemote *remote);

/** Copy a text. To be freed. */
char *ptRemoteText(struct hdFieldText text);

#endif
