/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Waiting until a machine is as warm as it becomes.
 */
#ifndef HD_PREDICT_MEASURE_STEADY_H
#define HD_PREDICT_MEASURE_STEADY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <inttypes.h>

/** How a temperature went. */
struct steady {
	int64_t begin;  /**< In ns, of any clock that goes on. */
	int64_t risen;  /**< When it had last risen by a degree. */
	double highest; /**< What it was then; NAN: nobody tells. */
	int64_t still;  /**< So long it must not rise; 0: a minute, or three
			 *   where nobody tells. */
};

/** The highest temperature of all zones, in degrees Celsius; NAN: nobody tells.
 *  @param root As of steadyWait(). */
double steadyTemperature(const char *root);

/** Begin with a temperature. */
void steadyBegin(struct steady *self, int64_t now, double celsius);

/** Whether it is steady, now that it is that. */
bool steadyIsReached(struct steady *self, int64_t now, double celsius);

/**
 * Load all CPUs until no temperature has risen by a degree for a time; half an
 * hour at most, or twice that time.
 *
 * @param still That time, in ns; 0: a minute, or three where the machine tells
 *        no temperature.
 * @param root Stands before /sys; NULL: nothing.
 * @return 0, -EINTR if @p stop is set, or a negative errno of the load.
 */
int steadyWait(const char *root, int64_t still, const atomic_int *stop);

#endif
