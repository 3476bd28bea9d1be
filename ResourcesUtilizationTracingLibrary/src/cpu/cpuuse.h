/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * From the kernel's counters to utilization. Pure computation, no files.
 */
#ifndef RUT_CPUUSE_H
#define RUT_CPUUSE_H

#include <stdbool.h>
#include <stdint.h>

/**
 * A fine counter that may lag, corrected with a coarse one that does not.
 *
 * The kernel adds to idle-state residency when a CPU wakes, and to the
 * scheduler's run time when a task leaves the CPU: exact then, but silent for
 * as long as a CPU sleeps or a task computes. /proc/stat goes on meanwhile, in
 * ticks. Once the fine counter may have been silent for two ticks, the coarse
 * one tells how far it lags; it is set so low that the result never runs ahead.
 */
struct rutMerge {
	bool isPrimed;
	int64_t fineNs;
	int64_t lastNs;
	int64_t freshAtNs; /**< The fine counter has moved since then. */
	int64_t rotatedAtNs;
	int64_t low[2]; /**< Least distance of the two: now, and before. */
	int64_t resultNs;
};

/**
 * Get the best estimate; it never decreases.
 *
 * @param nowNs When the counters were read.
 * @param tickNs The coarse counter is behind the truth by less than this, and
 *        advances by it.
 */
int64_t rutMergeTake(struct rutMerge *merge, int64_t nowNs, int64_t fineNs,
		     int64_t coarseNs, int64_t tickNs);

/**
 * Busy time that a counter reported too early or late for the entry it belongs
 * to.
 */
struct rutUse {
	int64_t carryNs;
};

/**
 * Get how much of an interval was busy: from 0 to its length.
 *
 * What does not fit, because the counter had lagged, is carried over to the
 * next intervals, up to @p limitNs.
 *
 * @param wallNs Length of the interval, positive.
 * @param busyNs What the counter says; any number.
 */
int64_t rutUseTake(struct rutUse *use, int64_t wallNs, int64_t busyNs,
		   int64_t limitNs);

/** Get what part of a whole is in percent: from 0 to 100, never above. */
static inline float rutPercent(int64_t part, int64_t whole)
{
	if (part <= 0 || whole <= 0)
		return 0;
	return part >= whole ? 100
			     : (float)(100.0 * (double)part / (double)whole);
}

#endif
