/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Waits of threads of OpenMP.
 */
#include "config.h"

#include "HDTraceTools/model/waits/candidates.h"

int waitsOfTeam(struct waits *self, const struct dependencyMatch *match)
{
	const struct dependencyPart *last = NULL;
	int ret = 0;

	for (guint i = 0; i < match->count; i++) {
		if (!last || match->parts[i].start > last->start)
			last = &match->parts[i];
	}
	for (guint i = 0; i < match->count && ret == 0; i++) {
		const struct dependencyPart *part = &match->parts[i];
		struct waitCandidate candidate = waitsCandidate(match, part);

		waitsSet(&candidate.wait, WAIT_TEAM, part, last, part->waited,
			 last->start);
		if (candidate.wait.end > candidate.wait.start)
			ret = waitsAdd(self, &candidate);
	}
	return ret;
}

int waitsOfFork(struct waits *self, const struct dependencyMatch *match)
{
	const struct dependencyPart *part = &match->parts[1];
	struct waitCandidate candidate = waitsCandidate(match, part);

	waitsSet(&candidate.wait, WAIT_IDLE, part, &match->parts[0],
		 part->waited, part->end);
	return candidate.wait.end > candidate.wait.start
		       ? waitsAdd(self, &candidate)
		       : 0;
}
