/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the files of the server share.
 */
#ifndef HD_NODE_PARTS_H
#define HD_NODE_PARTS_H

#include <sys/socket.h>

#include "NodeStatus/daemon/server.h"
#include "NodeStatus/wire/wire.h"
#include "net/connection.h"
#include "net/http.h"
#include "net/listen.h"
#include "net/service/places.h"
#include "net/service/session.h"
#include "net/tokens.h"

/** A connection that has not said anything. */
struct nodeAccepted {
	struct hdPoll poll; /**< First: it is what the loop knows. */
	struct hdNodeServer *server;
	struct nodeAccepted *next; /**< Of those that are closed. */
	struct hdPlace place;
	int fd;
	bool isDead;
};

/** A connection that speaks our protocol. */
struct nodeClient {
	struct hdConnection connection; /**< First: it is what its calls get. */
	struct hdNodeServer *server;
	struct nodeClient *next, **link;
	struct hdPlace place;     /**< Whose it is. */
	struct hdSession session; /**< Its user, and its requests. */
	uint64_t ticket;          /**< Of probes that it waits for; or 0. */
	uint16_t askTag;          /**< Of its request for them, which is: */
	struct hdNodeWireGet ask;
};

struct hdNodeServer {
	struct hdLoop loop; /**< First: it is what woken() gets. */
	struct hdNodeServerSetup setup;
	struct hdConnectionSetup connections;
	struct hdListener *listeners;
	struct hdTokens *tokens;
	struct hdTls *tls;
	struct hdHttp *http;
	struct nodeLater *later;
	struct hdPlaces places;
	struct nodeAccepted *deadAccepted;
	struct nodeClient *clients, *dead;
	int64_t sweepNs;
	int64_t startedWall;
	char boot[40]; /**< The kernel's, or "". */
	char host[256];
	uint64_t accepted, refused, requests;
};

/** Say how connections are treated, before there are any. */
void nodeClientSetup(struct hdNodeServer *server);

/** Take over a connection, and its place; closes it if that fails. */
void nodeClientCreate(struct nodeAccepted *accepted);

/** Give up who takes too long. */
void nodeClientSweep(struct nodeClient *client, int64_t nowNs);

/** Send what it has waited for: probes as JSON, or NULL. */
void nodeClientProbes(struct nodeClient *client, const char *probes);

/** Tell who has a token that is not valid any more. */
void nodeClientCheck(struct nodeClient *client);

/** End it, and say why if that is possible. */
void nodeClientEnd(struct nodeClient *client, enum hdFrameError code,
		   const char *why);

/** Free one that is dead. */
void nodeClientFree(struct nodeClient *client);

/** Take over a connection that was accepted. */
void nodeAcceptedOpen(struct hdNodeServer *server, int fd,
		      const struct sockaddr *address);

/** Close those that say nothing. */
void nodeAcceptedSweep(struct hdNodeServer *server, int64_t nowNs);

/** Close all. */
void nodeAcceptedEnd(struct hdNodeServer *server);

/** Free those that are closed. */
void nodeAcceptedBury(struct hdNodeServer *server);

/** Prepare for answers that take a while; 0 or a negative errno value. */
int nodeLaterOpen(struct hdNodeServer *server);

/** Ask for probes, for a client that will wait for the ticket; 0: no memory. */
uint64_t nodeLaterAsk(const struct nodeClient *client, bool isReset);

/** Let answers that come later go nowhere. */
void nodeLaterClose(struct hdNodeServer *server);

/** Metrics as text. */
char *nodeServerMetrics(void *context, bool isOpenMetrics, size_t *length);

#endif
