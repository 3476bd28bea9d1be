/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Turns of connections to nodes: one at a time receives an answer that is
 * longer than those without probes may be, so that memory does not grow with
 * the number of nodes. Each has a share of the time that is left.
 */
#ifndef HD_NODE_TURNS_H
#define HD_NODE_TURNS_H

#include "net/connection.h"

/** Of a connection; all zero but for the first. */
struct nodeTurn {
	struct hdConnection *connection;
	struct nodeTurn *next; /**< In the queue. */
	bool isQueued;
};

/** All zero but for the first two. */
struct nodeTurns {
	/** Of connections, and of the one that has its turn. */
	struct hdConnectionSetup usual, large;
	struct nodeTurn *now, *queue;
	size_t length;   /**< Of the queue. */
	int64_t untilNs; /**< When the turn is over, if others wait. */
};

/** Let the first one that waits receive a long answer. */
void hdNodeTurnBegin(struct nodeTurns *turns, int64_t deadlineNs);

/** Wait for a turn, unless it has one. */
void hdNodeTurnWait(struct nodeTurns *turns, struct nodeTurn *turn);

/** Give up the turn, or the place in the queue, if there is one. */
void hdNodeTurnEnd(struct nodeTurns *turns, struct nodeTurn *turn);

/** Whether it has a turn, but no time left, and others wait. */
bool hdNodeTurnIsOver(const struct nodeTurns *turns,
		      const struct nodeTurn *turn, int64_t nowNs);

#endif
