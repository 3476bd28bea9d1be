/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Samples at even times, which the search for a period works with.
 */
#ifndef HD_PERIODGRID_H
#define HD_PERIODGRID_H

#include <glib.h>
#include <stdint.h>

/** A value over time. */
struct periodGrid {
	int64_t start;
	double step; /**< In ns. */
	size_t count;
	double *values; /**< Less mean and trend; 0 where it is not known. */
	double *known;  /**< 1: it is known; else 0. */
	double mean;
	double variance;
};

/** Free what is in it. */
void periodGridClear(struct periodGrid *self);

/** The same with so many samples taken together. */
struct periodGrid periodGridCoarse(const struct periodGrid *self, size_t by);

/**
 * Follow a period through the samples.
 *
 * @param period In samples.
 * @param strength Autocorrelation at it.
 *
 * @return Array of struct iteration.
 */
GArray *periodFollow(const struct periodGrid *grid, double period,
		     double strength);

#endif
