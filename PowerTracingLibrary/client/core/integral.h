/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Power over a time: energy, mean and peak, of several values.
 *
 * Each value comes in readings over intervals, one after the other. Of those
 * that begin before the time or end behind it only the part inside counts.
 */
#ifndef PT_INTEGRAL_H
#define PT_INTEGRAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recording/integral.h"

/** The totals of one value. */
struct ptIntegralValue {
	struct hdIntegral energy; /**< In joules. */
	double last;              /**< Its last reading; NaN for none. */
	int64_t lastNs;           /**< When that ended. */
	bool isLeftOut;           /**< It does not belong to the sums. */
};

struct ptIntegral {
	int64_t fromNs;
	int64_t toNs; /**< INT64_MAX while it is not known. */
	struct ptIntegralValue *values;
	size_t count;
	double peak; /**< Highest sum of last readings; NaN for none. */
};

/** Prepare for so many values, from a time on. */
void ptIntegralInit(struct ptIntegral *integral, size_t count, int64_t fromNs);

/** Free what it has. */
void ptIntegralClear(struct ptIntegral *integral);

/** Add a reading of a value, in watts; NaN is none. */
void ptIntegralAdd(struct ptIntegral *integral, size_t value, double watts,
		   int64_t endNs, int64_t lengthNs);

/** The same if the mean of the interval is known better than by the reading. */
void ptIntegralAddMean(struct ptIntegral *integral, size_t value, double watts,
		       double mean, int64_t endNs, int64_t lengthNs);

/** Look whether the sum of all is the highest; after those of one moment. */
void ptIntegralPeak(struct ptIntegral *integral);

/** Get the sum of last readings, or NaN. */
double ptIntegralNow(const struct ptIntegral *integral);

/** Tell whether all values are known until the end. */
bool ptIntegralIsComplete(const struct ptIntegral *integral);

/** Add up. */
double ptIntegralJoules(const struct ptIntegral *integral);

/** Mean power: the sum of the means. */
double ptIntegralWatts(const struct ptIntegral *integral);

/** How much of the time is known of all values, in nanoseconds. */
int64_t ptIntegralCovered(const struct ptIntegral *integral);

#endif
