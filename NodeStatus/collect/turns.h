/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Connections to nodes, and their turns: one at a time receives an answer that
 * is longer than those without probes may be, so that memory does not grow with
 * the number of nodes. Each has a share of the time that is left.
 */
#ifndef HD_NODE_TURNS_H
#define HD_NODE_TURNS_H

#include "NodeStatus/collect/peer.h"

/** What comes next on a connection. */
enum nodeStage { GREETING, PROOF, PONG, READY, ANSWER };

/** A connection; it may outlive its peer until the loop is done with it. */
struct nodeLink {
	struct hdConnection connection; /**< First: it is what its calls get. */
	struct nodeShared *shared;
	struct nodePeer *peer; /**< NULL: no peer has it any more. */
	struct nodeLink *next; /**< Of those that are dead. */
	enum nodeStage stage;
	unsigned int pings;
	uint16_t tag;
	int64_t sentWall, sentMono;
	bool hasCapabilities;
	unsigned int asked;                 /**< Sections. */
	bool isQueued;                      /**< It waits for its turn. */
	struct nodeLink *queued;            /**< The next one that does. */
	unsigned char proof[HD_PROOF_SIZE]; /**< That the node must send. */
};

/** Let the first one that waits receive a long answer. */
void hdNodeTurnBegin(struct nodeShared *shared);

/** Wait for a turn, unless it has one. */
void hdNodeTurnWait(struct nodeLink *link);

/** Give up the turn, or the place in the queue, if there is one. */
void hdNodeTurnEnd(struct nodeLink *link);

#endif
