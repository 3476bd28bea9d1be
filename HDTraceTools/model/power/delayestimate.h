/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * How far a power lags behind the load that causes it.
 *
 * An entry of power is the mean of an interval that ends at its stamp. If the
 * meter is late by d, that was the power of the interval d earlier; so power is
 * compared with the mean load of exactly that interval, which is a difference
 * of two integrals and needs no common grid: d may be any part of a cycle. The
 * power of the idle node may drift: constant, line and parabola over time are
 * taken out of both. Of what is left, the correlation over d is looked through,
 * and its maximum refined.
 *
 * The uncertainty is that of a least squares fit of
 *
 *     power = c0 + c1 t + c2 t^2 + b load(d)
 *
 * in d, whose residuals may depend on each other for some entries (Newey and
 * West, 1987), with what is not known of the edges of the load inside its
 * entries beside it. See thesis 2009, section 6.2.3: there power was seen to
 * follow utilization, and nobody could say by how much.
 */
#ifndef HD_DELAY_DELAYESTIMATE_H
#define HD_DELAY_DELAYESTIMATE_H

#include <inttypes.h>
#include <stdbool.h>

#include "HDTraceTools/model/powerseries.h"

/** What is compared. */
struct delayInput {
	/** Its energy is load times time: 1 s of full load is 1. */
	const struct powerSeries *load;
	/** By how much the entries of load are late by themselves, in ns: half
	 *  of the time before an entry that its mean reaches back to. */
	int64_t loadLateNs;
	/** Edges of load have a time of their own, as those of states. */
	bool isLoadExact;
	const struct powerSeries *power;
	int64_t leastNs; /**< The delays that are looked through. */
	int64_t mostNs;
	int64_t start; /**< Entries of power in ]start, end] count. */
	int64_t end;
};

/** Why there is no result. */
enum delayReason {
	DELAY_FOUND,
	DELAY_ALONE,     /**< There is no load to compare with. */
	DELAY_FEW,       /**< There are too few entries of both at a time. */
	DELAY_STEADY,    /**< Load, or power, does not change. */
	DELAY_UNRELATED, /**< Power does not follow load. */
	DELAY_BORDER,    /**< It is at the end of what was looked through. */
	DELAY_REPEATED,  /**< Load repeats itself: several fit as well. */
	DELAY_FAILED,    /**< A temporary file. */
};

/** What came of it. */
struct delayEstimate {
	enum delayReason reason;
	double delay; /**< In s; of DELAY_REPEATED the one that fits best,
			  else only if it was found. */
	double error; /**< In s: 95 of 100 such intervals have the truth. */
	double correlation; /**< At that delay. */
	double without;     /**< The correlation if there were none. */
	double other;       /**< Of DELAY_REPEATED another one, in s. */
	double idle;        /**< Power without load, in W, at the middle. */
	double perLoad;     /**< How much more at full load. */
	double cycle;       /**< The usual length of an entry of power, in s. */
	uint64_t entries;   /**< Of power, that were compared. */
};

/** Entries at least. */
#define DELAY_ENTRIES 20

/** Find it. */
struct delayEstimate delayFind(const struct delayInput *input);

/** A reason in words. */
const char *delayReasonText(enum delayReason reason);

#endif
