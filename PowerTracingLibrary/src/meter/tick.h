/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Asking a meter at each multiple of the cycle, from the thread that waits for
 * it: for meters that take their time to answer and must not stall others.
 */
#ifndef PT_TICK_H
#define PT_TICK_H

#include <stdint.h>

#include "PowerTracingLibrary/src/core/driver.h"

struct ptTick {
	int64_t cycleNs;
	int64_t nextNs; /**< Monotonic time of the next one. */
	int64_t lastNs; /**< When a reading was taken last. */
};

/** Begin: the first one is a cycle away. */
void ptTickStart(struct ptTick *tick, int64_t cycleNs);

/**
 * Wait until it is time. What has passed meanwhile is left out.
 *
 * @param[out] missed How many.
 *
 * @retval -EINTR @p wakeFd is readable.
 */
int ptTickWait(struct ptTick *tick, int wakeFd, uint64_t *missed);

/**
 * Note that a reading was taken: now there is an answer, and the meter has
 * looked somewhere between question and answer, halfway.
 *
 * @param askedNs When it was asked, by the monotonic clock.
 * @param missed Of ptTickWait().
 * @param[out] reading When it ended, and how long it was: the time since the
 * one before, or since the start.
 */
void ptTickTaken(struct ptTick *tick, int64_t askedNs, uint64_t missed,
		 struct ptReading *reading);

#endif
