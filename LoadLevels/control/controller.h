/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The controller of a load: from what was reached to what workers do next.
 *
 * Pure computation. All shares are fractions, where 1 is full load.
 */
#ifndef HD_LOAD_CONTROLLER_H
#define HD_LOAD_CONTROLLER_H

#include <stdbool.h>

/** State of a controller. Zero-initialise. */
struct hdLoadController {
	double deficit; /**< Load that is owed, in full load times seconds. */
	double others;  /**< Smoothed share of other processes. */
	bool isPrimed;
};

/** Begin a new mean: what was owed before is forgotten. */
void hdLoadControllerReset(struct hdLoadController *self);

/**
 * Take a measurement, and get the share that the workers use next.
 *
 * @param target Requested share of all processes.
 * @param all Measured share of all processes.
 * @param own Measured share of the workers.
 * @param seconds Length of the measurement.
 *
 * @return From 0 to 1.
 */
double hdLoadControl(struct hdLoadController *self, double target, double all,
		     double own, double seconds);

#endif
