/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Scales of a picture: round ranges, and where their marks are.
 */
#ifndef HD_PLOTSCALE_H
#define HD_PLOTSCALE_H

#include <stdbool.h>
#include <stdint.h>

/** Where the marks of a scale are. */
struct plotScale {
	double first;
	double step;
	int count;
	int decimals;
	double factor; /**< Of what is shown: 1e-9 for GB. */
	char unit[64]; /**< "GB", "10\302\263"; "" if there is none. */
};

/** Widen a range to round numbers. */
void plotRoundRange(double *min, double *max, bool hasZero);
/** Marks of a scale for values. */
struct plotScale plotScaleOf(double min, double max, int marks,
			     const char *unit);
/** Marks of a scale of time, in ns since the start of the picture's time. */
struct plotScale plotTimeScale(int64_t min, int64_t max, int marks);

#endif
