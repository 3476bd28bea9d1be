/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A connection that was accepted: what came, and what is to be sent.
 *
 * Its owner takes whole requests from what came, and puts answers where there
 * is room; all else is done here: reading, sending, TLS, and finding out who
 * takes too long.
 */
#ifndef HD_CONNECTION_H
#define HD_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/loop.h"
#include "net/tls.h"

struct hdConnection;

/** What the owner of a connection does. */
struct hdConnectionCalls {
	/** Take a request from what came, if there is a whole one; returns
	 * whether there was. */
	bool (*take)(struct hdConnection *connection);
	/** Put something into the room that there is; returns whether there
	 * was anything. */
	bool (*fill)(struct hdConnection *connection);
	/** Whether it may be silent for any time. */
	bool (*isBusy)(const struct hdConnection *connection);
	/** Whether it owes an answer to what was asked. */
	bool (*owes)(const struct hdConnection *connection);
	/** Say why it is refused. */
	void (*refuse)(struct hdConnection *connection, const char *why);
	/** It is closed; its memory is still needed until the next step of the
	 * loop. */
	void (*closed)(struct hdConnection *connection);
};

/** How connections are treated. */
struct hdConnectionSetup {
	const struct hdConnectionCalls *calls;
	struct hdLoop *loop;
	struct hdTls *const *tls; /**< What speaks TLS; NULL in it: nothing. */
	size_t inMax;             /**< Longest request. */
	size_t outMax;            /**< That waits to be sent, usually. */
	size_t answerMax;         /**< Longest answer that comes as one. */
};

/** Bytes that come or go. */
struct hdBuffer {
	unsigned char *bytes;
	size_t used, size;
};

struct hdConnection {
	struct hdPoll poll; /**< First: it is what the loop knows. */
	const struct hdConnectionSetup *setup;
	int fd;
	struct hdTlsSession *tls; /**< NULL for none. */
	char peer[128];           /**< Who it is, for messages. */
	struct hdBuffer in, out;
	size_t sent;        /**< Of out. */
	bool isKnown;       /**< What is spoken is known: TLS does not begin. */
	bool isEof, isOver; /**< Nothing comes; close when all is sent. */
	bool isBroken;      /**< There was no memory for an answer: close it. */
	bool isDead;        /**< Closed. */
	int error;          /**< That it has failed with, negative; else 0. */
	int64_t messageNs;  /**< Since when a message is being received. */
	int64_t progressNs; /**< Since when nothing could be sent. */
	int64_t activeNs;   /**< When something came or went. */
	uint32_t events;    /**< That the loop waits for. */
};

/**
 * Begin with a connection whose socket does not block.
 *
 * @param connection All zero.
 *
 * @return 0 or a negative errno value after a message; the socket is not
 *         closed then.
 */
int hdConnectionOpen(struct hdConnection *connection,
		     const struct hdConnectionSetup *setup, int fd);

/** End it now; hdConnectionFree() frees what it has. */
void hdConnectionClose(struct hdConnection *connection);

/** Free what one has that is closed, but not itself. */
void hdConnectionFree(struct hdConnection *connection);

/** Go on with it after something has changed that is not the connection. */
void hdConnectionKick(struct hdConnection *connection);

/**
 * Find out why it is to be given up.
 *
 * @param timeoutNs What a message may take, or to read an answer.
 * @param idleNs How long it may be silent, if it is not busy.
 *
 * @return NULL if it may go on.
 */
const char *hdConnectionLate(const struct hdConnection *connection,
			     int64_t nowNs, int64_t timeoutNs, int64_t idleNs);

/** Drop bytes from the begin of what came. */
void hdConnectionTake(struct hdConnection *connection, size_t size);

/**
 * Get room for something that is to be sent.
 *
 * @return NULL if there is no memory, or more than the longest answer waits;
 *         the connection will be closed.
 */
unsigned char *hdConnectionRoom(struct hdConnection *connection, size_t size);

/** Say that bytes were put into the room. */
void hdConnectionPut(struct hdConnection *connection, size_t size);

/** Get how much may be put before the other side must read. */
size_t hdConnectionLeft(const struct hdConnection *connection);

/** Send bytes: hdConnectionRoom() and hdConnectionPut(). */
void hdConnectionSend(struct hdConnection *connection, const void *bytes,
		      size_t size);

#endif
