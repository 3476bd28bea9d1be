/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * How far a clock is from another one, and what its times are in the other's:
 * the arithmetic, without the messages.
 *
 * A round trip is the proof: the reference read its clock at some moment
 * between the sending of the question and the receipt of the answer. So the
 * offset in the middle of the round trip is known up to half its length,
 * however unequal the two ways are. doc/format says how offsets are applied.
 *
 * All times are in nanoseconds; those of clocks count from the epoch.
 */
#ifndef HD_CLOCKFIT_H
#define HD_CLOCKFIT_H

#include <stddef.h>
#include <stdint.h>

/** Clocks are taken to drift no faster than this, in parts per million. */
#define HD_CLOCK_DRIFT_MAX 500

/** A round trip to the reference. */
struct hdClockTrip {
	int64_t sent;      /**< By the local clock. */
	int64_t reference; /**< When it was answered, by the reference. */
	int64_t received;  /**< By the local clock. */
};

/** What a clock showed at one moment. */
struct hdClockPoint {
	int64_t time;   /**< By the local clock. */
	int64_t offset; /**< To be added for the time of the reference. */
	int64_t error;  /**< The offset is wrong by no more than this. */
};

/**
 * Turn round trips into a point: the shortest is the best.
 *
 * @param trips Round trips; those that end before they start are left out.
 *
 * @retval 0 @p point is set.
 * @retval -ENODATA There is no usable round trip.
 */
int hdClockEstimate(const struct hdClockTrip *trips, size_t count,
		    struct hdClockPoint *point);

/**
 * Prepare points for hdClockCorrect(): put them in order, and leave out those
 * that would let the corrected time run backwards (of two the one that is
 * less exact).
 *
 * @return Number of points that are left, at the beginning of @p points.
 */
size_t hdClockFit(struct hdClockPoint *points, size_t count);

/**
 * Correct a time: linear between two points. Before the first and behind the
 * last point the clock drifts as from the first to the last, but no faster
 * than HD_CLOCK_DRIFT_MAX; from a single point on it does not drift.
 *
 * The result never decreases when @p time grows, and lies between 1970 and
 * 2106.
 *
 * @param points Points after hdClockFit().
 */
int64_t hdClockCorrect(const struct hdClockPoint *points, size_t count,
		       int64_t time);

/** The largest error of the points. */
int64_t hdClockError(const struct hdClockPoint *points, size_t count);

#endif
