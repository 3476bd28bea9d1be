/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Utilization of the CPUs of a node as a series, and its mean and steadiness.
 */
#ifndef HD_LOADS_UTILIZATION_H
#define HD_LOADS_UTILIZATION_H

#include "HDTraceTools/command/core/scan.h"

/** Windows for the steadiness of a series. */
#define UTILIZATION_WINDOW_NS INT64_C(1000000000)

/** Whether a node itself has a value of its utilization. */
bool utilizationIsAt(const hdINode *node);

/**
 * Read the utilization of a node, or of the nearest node above it.
 *
 * @param[out] series Full load for 1 s is 1; to be freed. NULL: there is none.
 *
 * @return 0, or the negative errno of a temporary file.
 */
int utilizationRead(const struct scan *scan, const hdINode *node,
		    struct powerSeries **series);

/** Get the mean over ]start, end]; NaN if too little is known. */
double utilizationMean(struct powerCursor *cursor, int64_t start, int64_t end);

/** Get standard deviation by mean of the means of all whole windows of 1 s in
 *  ]start, end]; NaN if there are fewer than two, or the mean is 0. */
double utilizationSteadiness(struct powerCursor *cursor, int64_t start,
			     int64_t end);

#endif
