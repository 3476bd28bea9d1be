/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Waits for messages.
 */
#include "config.h"

#include "HDTraceTools/model/waits/candidates.h"

int waitsOfMessage(struct waits *self, const struct dependencyMatch *match)
{
	const struct dependencyPart *sender = &match->parts[0];
	const struct dependencyPart *receiver = &match->parts[1];
	struct waitCandidate received = waitsCandidate(match, receiver);
	struct waitCandidate sent = waitsCandidate(match, sender);
	int ret;

	received.sent = sender->start;
	waitsSet(&received.wait, WAIT_LATE_SENDER, receiver, sender,
		 receiver->waited, sender->start);
	ret = waitsAdd(self, &received);
	/* The send left before, as far as clocks tell. */
	if (ret < 0 || receiver->start - match->residual >= sender->end)
		return ret;
	waitsSet(&sent.wait, WAIT_LATE_RECEIVER, sender, receiver,
		 sender->waited, receiver->start);
	return sent.wait.end > sent.wait.start ? waitsAdd(self, &sent) : 0;
}
