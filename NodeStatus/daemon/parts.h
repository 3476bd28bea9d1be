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
#include "net/tokens.h"

/** A connection that has not said anything. */
struct nodePending {
	struct hdPoll poll; /**< First: it is what the loop knows. */
	struct hdNodeServer *server;
	struct nodePending *next, *before; /**< The oldest is the last. */
	struct sockaddr_storage address;
	int fd;
	bool isDead;
	bool isLocal;
	uid_t uid; /**< Of this host; (uid_t)-1: not known. */
	int64_t sinceNs;
};

/** A connection that speaks our protocol. */
struct nodeClient {
	struct hdConnection connection; /**< First: it is what its calls get. */
	struct hdNodeServer *server;
	struct nodeClient *next, **link;
	struct sockaddr_storage address;
	int64_t sinceNs;
	bool isLocal;
	bool isOurs;       /**< Of this host: root, or who we are. */
	uid_t uid;         /**< Of this host; (uid_t)-1: not known. */
	int64_t allowedNs; /**< What it may ask; see shares.c. */
	bool isPaused;     /**< It asks too much, and waits. */
	bool isGreeted;
	bool isAdmitted; /**< It counts as a client. */
	bool isProven;   /**< It has a token. */
	uint64_t ticket; /**< Of probes that it waits for; 0: of none. */
	uint16_t askTag; /**< Of its request for them, which is: */
	struct hdNodeWireGet ask;
	bool isDenied; /**< It will be told so at deniedNs, and ends. */
	uint16_t deniedTag;
	int64_t deniedNs;
	unsigned char nonce[HD_NONCE_SIZE];
	unsigned char token[HD_SHA256_SIZE]; /**< Its digest, if isProven. */
	char user[HD_FIELD_TEXT_MAX + 1];
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
	struct nodePending *pending, *lastPending, *closedPending;
	size_t pendingCount;
	struct nodeClient *clients, *dead;
	size_t clientCount;  /**< That are admitted. */
	size_t unknownCount; /**< That are not, yet. */
	int64_t sweepNs;
	int64_t startedWall;
	char boot[40]; /**< The kernel's, or "". */
	char host[256];
	uint64_t accepted, refused, requests;
};

/** Say how connections are treated, before there are any. */
void nodeClientSetup(struct hdNodeServer *server);

/** Take over a connection; closes it if that fails. */
void nodeClientCreate(struct hdNodeServer *server,
		      const struct nodePending *waiting);

/** Find a place for a client: one that has been silent for long may give way.
 *  NULL, or why there is none. */
const char *nodeShareAdmit(struct nodeClient *client);

/** Find who of the pending gives way: the oldest of the owner that has most of
 *  them, if that is more than half; else the oldest. NULL: there is none. */
struct nodePending *nodeSharePending(struct hdNodeServer *server);

/** Whether a client may ask something more now; else it is paused. */
bool nodeShareMayAsk(struct nodeClient *client, int64_t nowNs);

/** Let a client that is paused go on, if it may ask again. */
void nodeShareResume(struct nodeClient *client, int64_t nowNs);

/** Give up who takes too long. */
void nodeClientSweep(struct nodeClient *client, int64_t nowNs);

/** Send what it has waited for: probes as JSON, or NULL. */
void nodeClientProbes(struct nodeClient *client, const char *probes);

/** Tell who has a token that is not valid any more. */
void nodeClientCheck(struct nodeClient *client);

/** End it, and say why if that is possible. */
void nodeClientEnd(struct nodeClient *client, enum hdFrameError code,
		   const char *why);

/** Get the oldest that is not admitted, or NULL. */
struct nodeClient *nodeClientUnknown(const struct hdNodeServer *server);

/** Free one that is dead. */
void nodeClientFree(struct nodeClient *client);

/** Take over a connection that was accepted. */
void nodePendingAdd(struct hdNodeServer *server, int fd,
		    const struct sockaddr *address);

/** Close the oldest that has not said who it is, be it nothing that it said, or
 * part of a request. Returns whether there was one. */
bool nodePendingShed(struct hdNodeServer *server);

/** Close those that say nothing. */
void nodePendingSweep(struct hdNodeServer *server, int64_t nowNs);

/** Close all. */
void nodePendingEnd(struct hdNodeServer *server);

/** Free those that are closed. */
void nodePendingFree(struct hdNodeServer *server);

/** Prepare for answers that take a while; 0 or a negative errno value. */
int nodeLaterOpen(struct hdNodeServer *server);

/** Ask for probes, for a client that will wait for the ticket; 0: no memory. */
uint64_t nodeLaterAsk(const struct nodeClient *client, bool isReset);

/** Let answers that come later go nowhere. */
void nodeLaterClose(struct hdNodeServer *server);

/** Metrics as text. */
char *nodeServerMetrics(void *context, bool isOpenMetrics, size_t *length);

#endif
