/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Finding of collective calls of one element in a loop.
 */
#include "config.h"

#include "HDTraceTools/findings/habits/habits.h"

/** When one of a call can begin to be done: nobody is waited for. */
static int64_t tinyReady(const struct dependencyMatch *match, guint place,
			 int64_t last)
{
	bool isRoot = place == match->root;

	switch (match->pattern) {
	case PATTERN_ONE2ALL:
		return isRoot || match->root == match->count
			       ? INT64_MIN
			       : match->parts[match->root].start;
	case PATTERN_ALL2ONE:
		return isRoot ? last : INT64_MIN;
	default:
		return last;
	}
}

/** What is neither a wait nor a completion counts. */
void habitsTakeTiny(struct habits *self, const struct dependencyMatch *match)
{
	bool isPrefix = match->pattern == PATTERN_PREFIX;
	int64_t last = INT64_MIN, first = INT64_MAX;

	for (guint i = 0; i < match->count; i++) {
		if (!isPrefix)
			last = MAX(last, match->parts[i].start);
		if (match->pattern == PATTERN_ALL2ALL)
			first = MIN(first, match->parts[i].end);
	}
	self->tiny++;
	for (guint i = 0; i < match->count; i++) {
		const struct dependencyPart *part = &match->parts[i];
		int64_t ready = MAX(part->waited, tinyReady(match, i, last));
		int64_t end = MIN(part->end, MAX(first, ready));

		self->tinyTimes[part->trace] += MAX(end - ready, 0);
		if (isPrefix)
			last = MAX(last, part->start);
	}
}

void findingsFindCollectives(struct findings *findings)
{
	const struct habits *habits = findings->habits;

	habitsAdd(findings,
		  (struct finding){
			  .kind = FINDING_TINY_COLLECTIVES,
			  .title = "Ranks call many collective operations of "
				   "one element",
			  .advice = "Combine the elements of several calls in "
				    "one array and call the operation once.",
			  .count = habits->tiny,
		  },
		  habits->tinyTimes);
}
