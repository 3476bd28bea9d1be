/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * How a CPU divides its time among states, told by a counter of time for each.
 *
 * The kernel may add time late: that of a sleep when the CPU wakes up. So what
 * is counted in an interval can be more than the interval. What does not fit is
 * carried to the next ones: no share is over the whole or below nothing, they
 * never add up to more, and no time gets lost or is made.
 *
 * cstates borrows: time that /proc/stat tells was slept, and that cpuidle
 * has not counted, is told as that of the state slept in last, and taken
 * back when it is counted. Otherwise a CPU that sleeps for a second would
 * work for a second and then sleep twice. libRUT's source of the same files
 * carries only; it is for long means.
 */
#ifndef PT_RESIDENCY_H
#define PT_RESIDENCY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** No counter has more: a hundred years. */
#define PT_RESIDENCY_MAX_NS UINT64_C(3155760000000000000)

struct ptResidency {
	size_t count;     /**< States. */
	bool isCounting;  /**< The counters are known. */
	int64_t lastNs;   /**< When they were read. */
	int64_t changeNs; /**< When any of them moved last. */
	size_t longest;   /**< The state that moved most then. */
	/** What was said to be the longest state's before it was counted. */
	int64_t borrowedNs;
	struct ptResidencyState {
		int64_t lastNs;    /**< The counter. */
		int64_t nextNs;    /**< The counter now; set by the caller. */
		int64_t pendingNs; /**< Counted, and not told. */
		int64_t givenNs;   /**< What is told of the interval. */
	} * states;
};

/** Make one; 0 or -ENOMEM. */
int ptResidencyInit(struct ptResidency *residency, size_t count);

/** Free what it holds. */
void ptResidencyClear(struct ptResidency *residency);

/** Forget all: what was before does not count. */
void ptResidencyForget(struct ptResidency *residency);

/** Tell whether a counter (nextNs) has moved since the last reading. */
bool ptResidencyMoved(const struct ptResidency *residency);

/**
 * Take the counters (nextNs) of all states and divide the interval (givenNs).
 *
 * @param nowNs When they were read.
 * @param isAsleep Whether the CPU has slept all the time, without any counter
 *        having moved: its time is taken for that of the state it slept in
 *        last, and set off when it is counted.
 *
 * @return Length of the interval in nanoseconds; 0 if there is none yet: it is
 *         the first, or counters began anew.
 */
int64_t ptResidencyTake(struct ptResidency *residency, int64_t nowNs,
			bool isAsleep);

#endif
