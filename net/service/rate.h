/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * How often a client may ask: a number a second on the average, and some at
 * once.
 */
#ifndef HD_RATE_H
#define HD_RATE_H

#include <stdbool.h>
#include <stdint.h>

/** How often. */
struct hdRateLimit {
	unsigned int perSecond, burst;
};

/** Of a client; all zero at first. */
struct hdRate {
	/** When the next request would come if they came one by one at the
	 * rate; it is behind now by the burst at most. */
	int64_t nextNs;
};

static inline int64_t hdRateStep(const struct hdRateLimit *limit)
{
	return INT64_C(1000000000) / limit->perSecond;
}

/** Whether it may ask now. */
static inline bool hdRateIsFree(const struct hdRate *rate, int64_t nowNs)
{
	return rate->nextNs <= nowNs;
}

/** It has asked. */
static inline void hdRateTake(struct hdRate *rate,
			      const struct hdRateLimit *limit, int64_t nowNs)
{
	int64_t earliest = nowNs - limit->burst * hdRateStep(limit);

	if (rate->nextNs < earliest)
		rate->nextNs = earliest;
	rate->nextNs += hdRateStep(limit);
}

#endif
