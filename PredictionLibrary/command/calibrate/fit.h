/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Times of messages as a function of their size: linear in segments.
 *
 * Network models of SMPI have such functions, since MPI libraries change their
 * protocol with the size of a message (Degomme et al., Simulating MPI
 * applications: the SMPI approach, IEEE TPDS 28(8), 2017).
 */
#ifndef HD_CALIBRATE_FIT_H
#define HD_CALIBRATE_FIT_H

#include <stddef.h>
#include <glib.h>

/** A size and its time in seconds. */
struct fitPoint {
	double size;
	double time;
};

/** time = start + perByte * size, from a size on. */
struct fitSegment {
	double from;  /**< Smallest size that was measured. */
	double until; /**< Largest size that was measured. */
	double start;
	double perByte;
	double error; /**< Root mean square of relative errors. */
	size_t count; /**< Points. */
};

/**
 * Fit segments; both parameters of each are 0 or more.
 *
 * Relative errors count. The number of segments is the one with the smallest
 * Bayesian information criterion.
 *
 * @param points By size; times are above 0.
 * @param most Segments at most.
 *
 * @return Array of struct fitSegment; empty if there are no points.
 */
GArray *fitSegments(const struct fitPoint *points, size_t count, size_t most);

/** Get the segment of a size: the last one that begins there or before; the
 *  first one for smaller sizes; NULL: there are none. */
const struct fitSegment *fitSegmentOf(const GArray *segments, double size);

/** Get the time of a size; 0: there are no segments. */
double fitTime(const GArray *segments, double size);

/** Compare the numbers that two pointers point to, for qsort(). */
int fitCompareNumbers(const void *a, const void *b);

/** Get the lower quartile of times, which are sorted by this: other programs
 *  make single messages late, but never early. NaN: there are none. */
double fitQuartile(GArray *times);

#endif
