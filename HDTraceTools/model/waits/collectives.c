/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Waits in collective calls, by their patterns.
 */
#include "config.h"

#include "HDTraceTools/model/waits/candidates.h"

/** A collective call while its waits are found. */
struct waitCall {
	const struct dependencyMatch *match;
	const struct dependencyPart *last; /**< That came last, so far. */
	int64_t firstEnd;                  /**< When the first one left. */
};

static void waitsSeePart(struct waitCall *call,
			 const struct dependencyPart *part)
{
	if (!call->last || part->start > call->last->start)
		call->last = part;
	call->firstEnd = MIN(call->firstEnd, part->end);
}

/** What those of a pattern wait for, and how that is called. */
static const struct dependencyPart *waitsCauseOf(
	const struct waitCall *call, const struct dependencyPart *part,
	enum waitKind *kind, enum waitKind *completion)
{
	const struct dependencyMatch *match = call->match;
	const struct dependencyPart *root =
		match->root < match->count ? &match->parts[match->root] : NULL;

	*completion = WAIT_NONE;
	switch (match->pattern) {
	case PATTERN_BARRIER:
		*completion = WAIT_BARRIER_COMPLETION;
		*kind = WAIT_BARRIER;
		return call->last;
	case PATTERN_FINALIZE:
		*kind = WAIT_BARRIER;
		return call->last;
	case PATTERN_FENCE:
		*completion = WAIT_EARLY_FENCE;
		*kind = WAIT_FENCE;
		return call->last;
	case PATTERN_FILES:
		*kind = WAIT_IO;
		return call->last;
	case PATTERN_ALL2ALL:
		*completion = WAIT_NXN_COMPLETION;
		*kind = WAIT_NXN;
		return call->last;
	case PATTERN_ONE2ALL:
		*kind = WAIT_LATE_BROADCAST;
		return root == part ? NULL : root;
	case PATTERN_ALL2ONE:
		*kind = WAIT_EARLY_REDUCE;
		return root == part ? call->last : NULL;
	case PATTERN_PREFIX:
		*kind = WAIT_EARLY_SCAN;
		return call->last;
	case PATTERN_ALONE:
		break;
	}
	return NULL;
}

/** The part of a wait at a fence until the last access to the own window. */
static void waitsSetFence(struct waitCandidate *candidate,
			  const struct dependencyPart *part)
{
	struct dependencyPart toucher = { .trace = part->toucher };

	if (part->touched > part->waited)
		waitsSet(&candidate->completion, WAIT_EARLY_FENCE, part,
			 &toucher, part->waited,
			 MIN(part->touched, candidate->wait.end));
}

static int waitsOfPart(struct waits *self, const struct waitCall *call,
		       const struct dependencyPart *part)
{
	struct waitCandidate candidate = waitsCandidate(call->match, part);
	enum waitKind kind, completion;
	const struct dependencyPart *cause =
		waitsCauseOf(call, part, &kind, &completion);

	if (!cause)
		return 0;
	if (cause != part)
		waitsSet(&candidate.wait, kind, part, cause, part->waited,
			 cause->start);
	if (completion == WAIT_EARLY_FENCE)
		waitsSetFence(&candidate, part);
	else if (completion != WAIT_NONE)
		waitsSet(&candidate.completion, completion, part, cause,
			 MAX(call->firstEnd, cause->start), part->end);
	/* Nobody waits for itself. */
	if (cause == part && completion != WAIT_EARLY_FENCE)
		candidate.completion.cause = WAIT_NO_CAUSE;
	if (candidate.wait.end <= candidate.wait.start &&
	    candidate.completion.end <= candidate.completion.start)
		return 0;
	return waitsAdd(self, &candidate);
}

int waitsOfCollective(struct waits *self, const struct dependencyMatch *match)
{
	bool isPrefix = match->pattern == PATTERN_PREFIX;
	struct waitCall call = { .match = match, .firstEnd = INT64_MAX };
	int ret = 0;

	for (guint i = 0; !isPrefix && i < match->count; i++)
		waitsSeePart(&call, &match->parts[i]);
	for (guint i = 0; i < match->count && ret == 0; i++) {
		ret = waitsOfPart(self, &call, &match->parts[i]);
		if (isPrefix)
			waitsSeePart(&call, &match->parts[i]);
	}
	return ret;
}
