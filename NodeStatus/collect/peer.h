/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A node that is asked, and the connection to it.
 *
 * All is done in the loop of the collector: a peer is told what to ask, and
 * says when that is done, one way or the other.
 */
#ifndef HD_NODE_PEER_H
#define HD_NODE_PEER_H

#include <jansson.h>

#include <hdNode.h>

#include "NodeStatus/collect/answer.h"
#include "NodeStatus/collect/offset.h"
#include "NodeStatus/collect/turns.h"
#include "NodeStatus/collect/where.h"
#include "NodeStatus/wire/wire.h"
#include "common/backoff.h"
#include "net/connection.h"
#include "net/tokens.h"

struct nodePeer;

/** What all peers share. */
struct nodeShared {
	struct hdLoop loop;     /**< First: it is what woken() gets. */
	struct nodeTurns turns; /**< Connections, and who sends much. */
	struct nodeSpool spool; /**< For probes. */
	struct hdTls *tls;      /**< NULL: not encrypted. */
	struct hdTokens *tokens;
	const char *user, *token;
	struct hdTls *none;    /**< NULL: nobody begins TLS with us. */
	struct nodeLink *dead; /**< Connections whose memory is to be freed. */
	struct nodeSearches searches;
	int64_t deadlineNs;     /**< When the answers must be there. */
	int64_t namesNs;        /**< When addresses must be. */
	size_t waiting;         /**< Peers that are not done. */
	bool isTicking;         /**< Some need hdNodePeerTick(). */
	const char *configText; /**< Of a CONFIGURE. */
	size_t configLength;
};

/** What is to be asked. */
struct nodeQuery {
	unsigned int sections; /**< 0 with isConfigure. */
	unsigned int flags;
	bool isConfigure;
};

struct nodePeer {
	struct nodeShared *shared;
	char *address;
	struct nodeWhere where;
	struct nodeLink *link; /**< NULL: not connected. */
	int64_t nextNs;        /**< When the next address has its turn. */
	struct hdBackoff backoff;
	bool hasFailed; /**< Backoff holds. */
	struct nodeQuery query;
	bool isDone; /**< The query is done, or has failed. */
	enum hdNode_State state;
	char why[256];
	struct nodeAnswer answer; /**< What it has said. */
	struct nodeSelf self;     /**< Who it is. */
	int64_t answeredNs;       /**< Monotonic; 0: never. */
	int64_t wallNs;           /**< Its wall clock in that answer. */
	struct nodeOffset offset;
	unsigned long long sent, received;
};

/** Get ready to have peers. */
void hdNodePeersSetup(struct nodeShared *shared);

/**
 * Make one.
 *
 * @retval -EINVAL This is no address.
 * @retval -ENOMEM Out of memory.
 */
int hdNodePeerCreate(struct nodeShared *shared, const char *address,
		     struct nodePeer **result);

/** Close its connection and free it; takes NULL. */
void hdNodePeerDestroy(struct nodePeer *peer);

/** Ask; shared->waiting counts it until that is done. */
void hdNodePeerAsk(struct nodePeer *peer, const struct nodeQuery *query);

/** The time is over: it is late, if it is not done. */
void hdNodePeerExpire(struct nodePeer *peer);

/** Go on to the next address, or give up a name, if it is time for that; some
 *  times in a second while the shared isTicking. */
void hdNodePeerTick(struct nodePeer *peer);

/** Free connections that are closed; outside of a step of the loop. */
void hdNodePeersBury(struct nodeShared *shared);

#endif
