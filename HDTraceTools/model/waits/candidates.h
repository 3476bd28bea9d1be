/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the sources of waits and waits.c share.
 */
#ifndef HD_WAITCANDIDATES_H
#define HD_WAITCANDIDATES_H

#include "HDTraceTools/model/waits/waits.h"

/** What one call waited for: one of several, perhaps. A message that was
 *  received is one even if nobody waited, for the order. */
struct waitCandidate {
	struct wait wait;       /**< None if its end is its start. */
	struct wait completion; /**< Likewise, after it. */
	int64_t call;           /**< When the call began, ... */
	int64_t leave;          /**< ... and its end. */
	int64_t sent; /**< When a message was sent; INT64_MAX: it is none. */
};

/** Add one; 0 or a negative errno. */
int waitsAdd(struct waits *self, const struct waitCandidate *candidate);

/** A candidate of a part, in which nobody waited yet. */
struct waitCandidate waitsCandidate(const struct dependencyMatch *match,
				    const struct dependencyPart *part);

/** Set a wait of a part for another one from a time to another one, as far as
 *  that is in its call. */
void waitsSet(struct wait *wait, enum waitKind kind,
	      const struct dependencyPart *part,
	      const struct dependencyPart *cause, int64_t from, int64_t to);

/* The sources, in files of their names. */
int waitsOfMessage(struct waits *self, const struct dependencyMatch *match);
int waitsOfCollective(struct waits *self, const struct dependencyMatch *match);
int waitsOfTeam(struct waits *self, const struct dependencyMatch *match);
int waitsOfFork(struct waits *self, const struct dependencyMatch *match);
int waitsOfAccess(struct waits *self, const struct dependencyMatch *match);
int waitsOfLock(struct waits *self, const struct dependencyMatch *match);

#endif
