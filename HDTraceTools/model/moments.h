/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Mean, deviation, sum and time integral of a value, in one pass.
 *
 * Every entry weighs as much as its interval is long. NaN means "no value":
 * such an entry is counted as missing and takes part in nothing else, its
 * interval included. Of an interval that lies partly inside a phase the part
 * inside counts: as weight, and as the share of the value that goes into the
 * sum.
 */
#ifndef HD_MOMENTS_H
#define HD_MOMENTS_H

#include <stddef.h>
#include <inttypes.h>

#include <hdReading.h>
#include "cli/output.h"

/** A sum in twice the precision of double. */
struct momentsSum {
	double high;
	double low;
};

/** What is known about a value so far. Zero-initialise. */
struct moments {
	uint64_t count;   /**< Entries with a value. */
	uint64_t missing; /**< Entries without one. */
	uint64_t weight;  /**< Length of the intervals with a value, in ns. */
	double min;
	double max;
	/** The same, and the sum, for integers; exact. */
	outInt128 minInteger;
	outInt128 maxInteger;
	outInt128 sumInteger;
	struct momentsSum sum;      /**< Of floats, and of shares. */
	struct momentsSum integral; /**< In value times ns. */
	double mean; /**< Running mean and squared deviation (West). */
	double squares;
	uint64_t shares; /**< Entries that count with a share in the sum. */
	/** Of a counter: readings before which nothing is known, and those that
	 *  are smaller than the one before. */
	uint64_t bare;
	uint64_t resets;
};

/** Results; NaN where there is none. */
struct momentsResult {
	double mean;
	double deviation;
	double sum;
	double integral; /**< In value times s. */
};

/** Get value times time, in value times ns: the one definition for all that
 *  reads. Sums of many are in twice the precision, in moments.c. */
static inline double momentsOver(double value, int64_t lengthNs)
{
	return value * (double)lengthNs;
}

/**
 * Add entries that lie inside as a whole.
 *
 * @param moments Where to add.
 * @param type Type of the column; of strings only the count is kept.
 * @param column Values of a block.
 * @param block The block.
 * @param first First entry to add.
 * @param last Entry behind the last one.
 */
void momentsAdd(struct moments *moments, hdIType type, const hdIColumn *column,
		const hdIBlock *block, size_t first, size_t last);

/** Add the part of an entry that lies inside, in ns. */
void momentsAddPart(struct moments *moments, hdIType type,
		    const hdIColumn *column, const hdIBlock *block,
		    size_t entry, int64_t part);

/**
 * Add what a counter grew by in an interval, or the part of it that lies
 * inside. Sum and weight are those of growth, minimum and maximum those of its
 * rate, in value/s; there is no mean and no integral.
 *
 * @param length Of the whole interval, in ns.
 */
void momentsAddGrowth(struct moments *moments, double growth, int64_t length,
		      int64_t part);

/** Get the entries with a value. */
static inline uint64_t momentsCount(const struct moments *moments)
{
	return moments->count + moments->bare;
}

/** Add other entries of the same value. */
void momentsMerge(struct moments *moments, const struct moments *other);

/** Get the size of the largest value, without its sign; 0 if there is none. */
double momentsLargest(const struct moments *moments, hdIType type);

/** Get the results. */
struct momentsResult momentsGet(const struct moments *moments, hdIType type);

/**
 * Name the unit of a time integral.
 *
 * W gives J, with the same prefix; X/s gives X; anything else "X s".
 *
 * @return The unit, to be freed with g_free().
 */
char *momentsIntegralUnit(const char *unit);

#endif
