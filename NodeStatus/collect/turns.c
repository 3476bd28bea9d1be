/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Turns of long answers; see turns.h. */
#include "config.h"

#include "NodeStatus/collect/turns.h"
#include "common/clock.h"

/* How long a node may at least take to send a long answer. */
#define TURN_MIN_NS (HD_NS_PER_S / 10)

void hdNodeTurnBegin(struct nodeShared *shared)
{
	struct nodeLink *link = shared->queue;
	int64_t now = hdMonotonicNow();
	int64_t left = shared->deadlineNs > now ? shared->deadlineNs - now : 0;

	if (shared->large || !link)
		return;
	shared->largeNs = now + left / (int64_t)(1 + shared->queueLength);
	if (shared->largeNs < now + TURN_MIN_NS)
		shared->largeNs = now + TURN_MIN_NS;
	shared->queue = link->queued;
	shared->queueLength--;
	shared->large = link;
	link->isQueued = false;
	link->connection.setup = &shared->largeConnections;
	hdConnectionKick(&link->connection);
}

void hdNodeTurnWait(struct nodeLink *link)
{
	struct nodeLink **last = &link->shared->queue;

	if (link->isQueued || link->shared->large == link)
		return;
	while (*last)
		last = &(*last)->queued;
	*last = link;
	link->queued = NULL;
	link->isQueued = true;
	link->shared->queueLength++;
	link->shared->isTicking = true;
}

void hdNodeTurnEnd(struct nodeLink *link)
{
	struct nodeShared *shared = link->shared;
	struct nodeLink **at = &shared->queue;

	if (link->isQueued) {
		while (*at != link)
			at = &(*at)->queued;
		*at = link->queued;
		link->isQueued = false;
		shared->queueLength--;
	}
	if (shared->large == link) {
		shared->large = NULL;
		link->connection.setup = &shared->connections;
	}
}
