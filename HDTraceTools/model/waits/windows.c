/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Waits for windows of MPI, but for fences.
 */
#include "config.h"

#include <glib.h>

#include "HDTraceTools/model/waits/candidates.h"

/** A call of an origin that waits for an exposure. */
static int waitsForPost(struct waits *self, const struct dependencyMatch *match,
			const struct dependencyPart *call,
			const struct dependencyPart *post)
{
	struct waitCandidate candidate = waitsCandidate(match, call);

	waitsSet(&candidate.wait, WAIT_LATE_POST, call, post, call->waited,
		 post->start);
	return candidate.wait.end > candidate.wait.start
		       ? waitsAdd(self, &candidate)
		       : 0;
}

int waitsOfAccess(struct waits *self, const struct dependencyMatch *match)
{
	const struct dependencyPart *complete = &match->parts[1];
	const struct dependencyPart *post = &match->parts[2];
	const struct dependencyPart *target = &match->parts[3];
	struct waitCandidate candidate = waitsCandidate(match, target);
	int ret = waitsForPost(self, match, &match->parts[0], post);

	if (ret == 0)
		ret = waitsForPost(self, match, complete, post);
	waitsSet(&candidate.wait, WAIT_EARLY_WAIT, target, complete,
		 target->waited, complete->waited);
	if (candidate.wait.end > candidate.wait.start)
		waitsSet(&candidate.completion, WAIT_LATE_COMPLETE, target,
			 complete, MAX(target->waited, complete->start),
			 complete->waited);
	return ret == 0 && candidate.wait.end > candidate.wait.start
		       ? waitsAdd(self, &candidate)
		       : ret;
}

int waitsOfLock(struct waits *self, const struct dependencyMatch *match)
{
	const struct dependencyPart *holder = &match->parts[0];
	const struct dependencyPart *call = &match->parts[1];
	struct waitCandidate candidate = waitsCandidate(match, call);

	waitsSet(&candidate.wait, WAIT_RMA_LOCK, call, holder, call->waited,
		 holder->end);
	return candidate.wait.end > candidate.wait.start
		       ? waitsAdd(self, &candidate)
		       : 0;
}
