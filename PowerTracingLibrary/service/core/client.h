/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A client of the service: its connection, what came, and what is to be sent.
 *
 * The protocol is found out from the first bytes. A protocol takes whole
 * requests from what came, and puts answers where there is room; all else is
 * done by its connection: reading, sending, TLS, and giving up who takes too
 * long.
 */
#ifndef PT_CLIENT_H
#define PT_CLIENT_H

#include <sys/socket.h>

#include "PowerTracingLibrary/service/core/service.h"
#include "PowerTracingLibrary/service/store/store.h"
#include "net/connection.h"
#include "net/service/places.h"
#include "net/service/rate.h"

/** What is to be sent may be as long; answers that come as one may be longer.
 */
#define PT_CLIENT_OUT ((size_t)1 << 18)
/** Longest answer that comes as one. */
#define PT_CLIENT_ANSWER_MAX ((size_t)1 << 24)
/** Longest request. */
#define PT_CLIENT_IN (HD_FRAME_HEADER_SIZE + 65536)

struct ptClient;

/** What a protocol does; news, fill, check and end may be NULL. */
struct ptProtocol {
	const char *name;
	/** Take a request from client->connection.in, if there is a whole one;
	 * returns whether there was. */
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

struct ptClient {
	struct hdConnection connection; /**< First: it is what its calls get. */
	struct ptService *service;
	struct ptClient *next, **link; /**< In the list of all. */
	struct hdPlace place;          /**< Where it comes from, and
					*   its slot. */
	struct hdRate rate;            /**< Of requests of pmlib. */
	bool isUnix;
	char user[PT_SITE_NAME_MAX];       /**< "" if nobody knows. */
	const struct ptProtocol *protocol; /**< NULL until it is known. */
	void *session;
	int64_t dueNs; /**< When due() is to be called; 0 never. */
	struct ptAccount account;
};

/** Say how connections are treated, before there are any. */
void ptClientSetup(struct ptService *service);

/** Take over a connection that was accepted; closes it if that fails. */
void ptClientCreate(struct ptService *service, int fd,
		    const struct sockaddr *address);

/** Free one that is dead. */
void ptClientFree(struct ptClient *client);

/** Give up who takes too long; the loop calls it now and then. */
void ptClientSweep(struct ptClient *client, int64_t nowNs);

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

#endif
