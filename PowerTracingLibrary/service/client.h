/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A client of the service: its connection, what came, and what is to be sent.
 *
 * The protocol is found out from the first bytes. A protocol takes whole
 * requests from what came, and puts answers where there is room; all else is
 * done here: reading, sending, TLS, and giving up who takes too long.
 */
#ifndef PT_CLIENT_H
#define PT_CLIENT_H

#include "PowerTracingLibrary/secure/tls.h"
#include "PowerTracingLibrary/service/service.h"
#include "PowerTracingLibrary/service/store/store.h"

/** What is to be sent may be as long; answers that come as one may be longer.
 */
#define PT_CLIENT_OUT ((size_t)1 << 18)
/** Longest answer that comes as one. */
#define PT_CLIENT_ANSWER_MAX ((size_t)1 << 24)
/** Longest request. */
#define PT_CLIENT_IN (PT_WIRE_HEADER_SIZE + 65536)

struct ptClient;

/** What a protocol does; news, fill, check and end may be NULL. */
struct ptProtocol {
	const char *name;
	/** Take a request from client->in, if there is a whole one; returns
	 * whether there was. */
	bool (*receive)(struct ptClient *client);
	/** Put something into the room that there is; returns whether there
	 * was anything. */
	bool (*fill)(struct ptClient *client);
	/** It is client->dueNs. */
	void (*due)(struct ptClient *client, int64_t nowNs);
	/** Devices that are watched have readings. */
	void (*news)(struct ptClient *client);
	/** The configuration has changed, or a device is going to end; returns
	 * false if the client cannot go on. */
	bool (*check)(struct ptClient *client, const struct ptServed *ending);
	/** The service ends: tell the client. */
	void (*end)(struct ptClient *client);
	/** Whether it records: then it may be silent for any time. */
	bool (*isBusy)(const struct ptClient *client);
	/** Whether it owes an answer to what was asked. */
	bool (*owes)(const struct ptClient *client);
	/** Free the session. */
	void (*destroy)(struct ptClient *client);
};

/** Bytes that come or go. */
struct ptBuffer {
	unsigned char *bytes;
	size_t used, size;
};

struct ptClient {
	struct ptPoll poll; /**< First: it is what the loop knows. */
	struct ptService *service;
	struct ptClient *next, **link; /**< In the list of all. */
	int fd;
	struct ptTlsSession *tls; /**< NULL for none. */
	char peer[128];           /**< Who it is, for messages. */
	bool isUnix, isLocal;
	bool mayPmlib;                     /**< Its address may speak pmlib. */
	char user[PT_SITE_NAME_MAX];       /**< "" if nobody knows. */
	const struct ptProtocol *protocol; /**< NULL until it is known. */
	void *session;
	struct ptBuffer in, out;
	size_t sent;        /**< Of out. */
	bool isEof, isOver; /**< Nothing comes; close when all is sent. */
	bool isBroken;      /**< There was no memory for an answer: close it. */
	bool isDead;        /**< Closed; freed by the loop. */
	int64_t messageNs;  /**< Since when a message is being received. */
	int64_t progressNs; /**< Since when nothing could be sent. */
	int64_t activeNs;   /**< When something came or went. */
	int64_t dueNs;      /**< When due() is to be called; 0 never. */
	uint32_t events;    /**< That the loop waits for. */
	struct ptAccount account;
};

/** Take over a connection that was accepted; closes it if that fails. */
void ptClientCreate(struct ptService *service, int fd,
		    const struct sockaddr *address);

/** End it now, what it has is freed by the loop. */
void ptClientClose(struct ptClient *client);

/** Free one that is dead. */
void ptClientFree(struct ptClient *client);

/** Give up who takes too long; the loop calls it now and then. */
void ptClientSweep(struct ptClient *client, int64_t nowNs);

/** Go on with it after something has changed that is not the connection. */
void ptClientKick(struct ptClient *client);

/** Drop bytes from the begin of what came. */
void ptClientTake(struct ptClient *client, size_t size);

/**
 * Get room for something that is to be sent.
 *
 * @return NULL if there is no memory, or more than PT_CLIENT_ANSWER_MAX waits;
 *         the client will be closed.
 */
unsigned char *ptClientRoom(struct ptClient *client, size_t size);

/** Say that bytes were put into the room. */
void ptClientPut(struct ptClient *client, size_t size);

/** Get how much may be put before the client must read. */
size_t ptClientLeft(const struct ptClient *client);

/** Send bytes: ptClientRoom() and ptClientPut(). */
void ptClientSend(struct ptClient *client, const void *bytes, size_t size);

/** Let due() be called, if not before, at this time. */
void ptClientDue(struct ptClient *client, int64_t atNs);

/**
 * Say who was refused what, and count it; not more often than some times a
 * second.
 */
void ptClientRefuse(struct ptClient *client, const char *format, ...)
	__attribute__((__format__(__printf__, 2, 3)));

/** Tell whether the client may see a node. */
bool ptClientSees(const struct ptClient *client, const char *node);

/** Get the shortest time between readings that the client may get of a device,
 * in nanoseconds. */
int64_t ptClientCycle(const struct ptClient *client, struct ptServed *served);

/** Get how many readings become one so that there are @p frequency a second,
 * or as many as the client may get; 0 Hz are all. */
uint64_t ptClientEvery(const struct ptClient *client, struct ptServed *served,
		       double frequency);

/** Take one of the service's counters; false if there are none left. */
bool ptClientCount(struct ptClient *client);

/** Give it back. */
void ptClientUncount(struct ptClient *client);

#endif
