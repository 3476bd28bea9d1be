/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Value times time, while it is recorded: joules of watts.
 */
#ifndef HD_INTEGRAL_H
#define HD_INTEGRAL_H

#include <math.h>
#include <stdint.h>

/** The total of a value. */
struct hdIntegral {
	double sum;        /**< Of value times seconds. */
	int64_t coveredNs; /**< For so long it is known. */
};

/** Get the integral of a value over a time: value times seconds. */
static inline double hdIntegralOf(double value, int64_t lengthNs)
{
	return value * ((double)lengthNs / 1e9);
}

/** Add a value over a time; what is not finite is none. */
static inline void hdIntegralAdd(struct hdIntegral *integral, double value,
				 int64_t lengthNs)
{
	if (!isfinite(value))
		return;
	integral->sum += hdIntegralOf(value, lengthNs);
	integral->coveredNs += lengthNs;
}

#endif
