/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The times of the meter's cycles; see pace.h. */
#include "config.h"

#include "PowerTracingLibrary/src/meter/pace.h"

void ptPaceStart(struct ptPace *pace, int64_t cycleNs)
{
	pace->cycleNs = cycleNs;
	pace->gridNs = 0;
	pace->count = pace->next = 0;
}

/* The least of the last @p count. */
static int64_t paceLeastLate(const struct ptPace *pace, unsigned int count)
{
	int64_t least = INT64_MAX;

	for (unsigned int i = 1; i <= count; i++) {
		int64_t late = pace->lateNs[(pace->next - i) % PT_PACE_WINDOW];

		if (late < least)
			least = late;
	}
	return least;
}

int64_t ptPaceEnd(struct ptPace *pace, int64_t arrivedNs, uint64_t cycles)
{
	int64_t least, soon;

	if (pace->count == 0)
		pace->gridNs = arrivedNs;
	else
		pace->gridNs += (int64_t)cycles * pace->cycleNs;
	pace->lateNs[pace->next++ % PT_PACE_WINDOW] = arrivedNs - pace->gridNs;
	if (pace->count < PT_PACE_WINDOW)
		pace->count++;
	least = paceLeastLate(pace, pace->count);
	if (pace->count > PT_PACE_SOON) {
		soon = paceLeastLate(pace, PT_PACE_SOON);
		if (soon - least > pace->cycleNs / 2) {
			pace->count = PT_PACE_SOON;
			least = soon;
		}
	}
	return pace->gridNs + least;
}

void ptPaceSetCycle(struct ptPace *pace, int64_t cycleNs)
{
	int64_t least = paceLeastLate(pace, pace->count);

	pace->cycleNs = cycleNs;
	if (pace->count == 0)
		return;
	/* What was late by the old cycle says nothing by the new one. */
	pace->count = 1;
	pace->lateNs[(pace->next - 1) % PT_PACE_WINDOW] = least;
}
