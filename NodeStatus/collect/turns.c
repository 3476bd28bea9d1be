/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Turns of long answers; see turns.h. */
#include "config.h"

#include "NodeStatus/collect/turns.h"
#include "common/clock.h"

/* How long a node may at least take to send a long answer. */
#define TURN_MIN_NS (HD_NS_PER_S / 10)

void hdNodeTurnBegin(struct nodeTurns *turns, int64_t deadlineNs)
{
	struct nodeTurn *turn = turns->queue;
	int64_t now = hdMonotonicNow();
	int64_t left = deadlineNs > now ? deadlineNs - now : 0;

	if (turns->now || !turn)
		return;
	turns->untilNs = now + left / (int64_t)(1 + turns->length);
	if (turns->untilNs < now + TURN_MIN_NS)
		turns->untilNs = now + TURN_MIN_NS;
	turns->queue = turn->next;
	turns->length--;
	turns->now = turn;
	turn->isQueued = false;
	turn->connection->setup = &turns->large;
	hdConnectionKick(turn->connection);
}

void hdNodeTurnWait(struct nodeTurns *turns, struct nodeTurn *turn)
{
	struct nodeTurn **last = &turns->queue;

	if (turn->isQueued || turns->now == turn)
		return;
	while (*last)
		last = &(*last)->next;
	*last = turn;
	turn->next = NULL;
	turn->isQueued = true;
	turns->length++;
}

void hdNodeTurnEnd(struct nodeTurns *turns, struct nodeTurn *turn)
{
	struct nodeTurn **at = &turns->queue;

	if (turn->isQueued) {
		while (*at != turn)
			at = &(*at)->next;
		*at = turn->next;
		turn->isQueued = false;
		turns->length--;
	}
	if (turns->now == turn) {
		turns->now = NULL;
		turn->connection->setup = &turns->usual;
	}
}

bool hdNodeTurnIsOver(const struct nodeTurns *turns,
		      const struct nodeTurn *turn, int64_t nowNs)
{
	return turns->now == turn && turns->queue && nowNs >= turns->untilNs;
}
