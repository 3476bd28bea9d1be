/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From the kernel's counters to utilization; see cpuuse.h. */
#include "config.h"

#include "ResourcesUtilizationTracingLibrary/src/cpu/cpuuse.h"

/* How long a distance of the two counters is held to be valid. */
#define MERGE_ROTATE_NS 250000000

static int64_t mergeMin(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

int64_t rutMergeTake(struct rutMerge *merge, int64_t nowNs, int64_t fineNs,
		     int64_t coarseNs, int64_t tickNs)
{
	int64_t distance = coarseNs - fineNs;
	int64_t result = fineNs;

	if (!merge->isPrimed) {
		merge->isPrimed = true;
		merge->low[0] = merge->low[1] = distance;
		merge->freshAtNs = merge->rotatedAtNs = nowNs;
		merge->resultNs = fineNs;
	} else if (fineNs != merge->fineNs) {
		/* At some time since the last reading. */
		merge->freshAtNs = merge->lastNs;
		if (nowNs - merge->rotatedAtNs > MERGE_ROTATE_NS) {
			merge->low[1] = merge->low[0];
			merge->low[0] = distance;
			merge->rotatedAtNs = nowNs;
		}
		merge->low[0] = mergeMin(merge->low[0], distance);
	}
	merge->fineNs = fineNs;
	merge->lastNs = nowNs;
	if (nowNs - merge->freshAtNs >= 2 * tickNs) {
		int64_t low = mergeMin(merge->low[0], merge->low[1]);

		/* The coarse counter was behind by less than a tick when the
		 * distance was least, and may not be behind now. */
		if (coarseNs - low - tickNs > result)
			result = coarseNs - low - tickNs;
	}
	if (result > merge->resultNs)
		merge->resultNs = result;
	return merge->resultNs;
}

int64_t rutUseTake(struct rutUse *use, int64_t wallNs, int64_t busyNs,
		   int64_t limitNs)
{
	int64_t sum = busyNs + use->carryNs;
	int64_t busy = sum;

	if (busy < 0)
		busy = 0;
	if (busy > wallNs)
		busy = wallNs;
	use->carryNs = sum - busy;
	if (use->carryNs > limitNs)
		use->carryNs = limitNs;
	if (use->carryNs < -limitNs)
		use->carryNs = -limitNs;
	return busy;
}
