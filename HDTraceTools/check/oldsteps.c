/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace check: steps of the clock in files that do not say them.
 *
 * Files of earlier versions follow the clock when it is set: forwards, one
 * interval is longer by the step; backwards, times stand still for as long. Two
 * groups of a host that began together and do not end together disagree; if one
 * of them has such an interval, its clock was set.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "HDTraceTools/check/check.h"
#include "common/clock.h"

/* Groups with fewer entries have no pace. */
#define PACE_ENTRIES 10
/* Times of a group that are no step: so many of its intervals, and at least: */
#define PACE_INTERVALS 3
#define PACE_NS (HD_NS_PER_S / 10)

void checkPaceAdd(struct checkPace *pace, const hdIBlock *block)
{
	if (pace->count == 0)
		pace->start = block->start[0];
	pace->end = block->end[block->count - 1];
	for (size_t i = 0; i < block->count; i++) {
		int64_t length = block->end[i] - block->start[i];

		if (length > pace->longest) {
			pace->longest = length;
			pace->longestAt = pace->count + i;
		}
		pace->still += length == 0;
		pace->isBroken |= block->isAfterGap[i] != 0;
	}
	pace->count += block->count;
}

/* Whether a group is of an earlier version, and regular enough. */
bool checkPaceIsUsed(const struct checkPace *pace, const hdIGroup *group)
{
	for (size_t i = 0; i < group->attributeCount; i++)
		if (strcmp(group->attributes[i].name, "clockBase") == 0)
			return false;
	return pace->count >= PACE_ENTRIES && !pace->isBroken;
}

/* The usual interval, without the longest one and those that stand still. */
static int64_t paceInterval(const struct checkPace *pace)
{
	int64_t moving = (int64_t)(pace->count - pace->still) - 1;

	return moving > 0 ? (pace->end - pace->start - pace->longest) / moving
			  : 0;
}

static int64_t paceTolerance(const struct checkPace *a,
			     const struct checkPace *b)
{
	int64_t longest = MAX(paceInterval(a), paceInterval(b));

	return MAX(PACE_INTERVALS * longest, PACE_NS);
}

/* By how much the clock of the first one was set, if the second one says so; 0:
 * not, or nobody knows. */
static int64_t paceStep(const struct checkPace *pace,
			const struct checkPace *other)
{
	int64_t tolerance = paceTolerance(pace, other);
	int64_t by = pace->end - other->end;
	int64_t still = (int64_t)pace->still * paceInterval(pace);

	if (llabs(pace->start - other->start) > tolerance ||
	    llabs(by) <= tolerance)
		return 0;
	/* The last entry of a group may be long for other reasons. */
	if (by > 0)
		return pace->longestAt + 1 < pace->count &&
				       llabs(pace->longest - by) <= tolerance &&
				       other->longest < by
			       ? by
			       : 0;
	return still >= -by / 2 && other->still <= PACE_INTERVALS ? by : 0;
}

void checkPaces(struct check *check)
{
	const struct checkPace *paces = (void *)check->paces->data;

	for (guint i = 0; i < check->paces->len; i++) {
		const char *host =
			checkLabelAt(paces[i].node, check->hostLevel);
		char by[OUT_NUMBER_SIZE];
		int64_t step = 0;
		guint k = 0;

		for (; host && step == 0 && k < check->paces->len; k++)
			if (g_strcmp0(host, checkLabelAt(paces[k].node,
							 check->hostLevel)) ==
			    0)
				step = paceStep(&paces[i], &paces[k]);
		if (step != 0)
			toolReport(check->tool, "clock.stepped", paces[i].file,
				   -1, 0,
				   "the system clock was probably set by %s%s "
				   "s: %s, of the same host, ends at another "
				   "time",
				   step < 0 ? "" : "+", outSeconds(by, step),
				   paces[k - 1].file);
	}
}
