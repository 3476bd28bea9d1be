/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * When to try again what did not work: soon, then after twice the time, and so
 * on, up to half a minute.
 */
#ifndef HD_BACKOFF_H
#define HD_BACKOFF_H

#include <stdbool.h>
#include <stdint.h>

#include "common/clock.h"

/** The first wait, and the longest. */
#define HD_BACKOFF_MIN_NS (HD_NS_PER_S / 4)
#define HD_BACKOFF_MAX_NS (30 * HD_NS_PER_S)

/** Times are of hdMonotonicNow(). */
struct hdBackoff {
	int64_t retryNs; /**< When to try again. */
	int64_t delayNs; /**< How long to wait after that. */
};

/** It has just failed, or, if it is @p isUntried, is to be tried at once. */
static inline void hdBackoffBegin(struct hdBackoff *backoff, bool isUntried)
{
	backoff->delayNs = HD_BACKOFF_MIN_NS;
	backoff->retryNs =
		hdMonotonicNow() + (isUntried ? 0 : HD_BACKOFF_MIN_NS);
}

/** It was tried again, and has failed again. */
static inline void hdBackoffFail(struct hdBackoff *backoff)
{
	backoff->retryNs = hdMonotonicNow() + backoff->delayNs;
	backoff->delayNs *= 2;
	if (backoff->delayNs > HD_BACKOFF_MAX_NS)
		backoff->delayNs = HD_BACKOFF_MAX_NS;
}

/** Whether it is time to try again. */
static inline bool hdBackoffIsDue(const struct hdBackoff *backoff)
{
	return hdMonotonicNow() >= backoff->retryNs;
}

#endif
