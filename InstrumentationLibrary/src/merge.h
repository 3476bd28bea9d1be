/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * From what threads have counted to what is known of a probe; of the own
 * process, and of pages of others.
 */
#ifndef HD_PROBE_MERGE_H
#define HD_PROBE_MERGE_H

#include "InstrumentationLibrary/src/core/page.h"

/** Since when sums are asked for. */
enum hdProbeSince {
	HD_PROBE_SINCE_RESET,
	HD_PROBE_SINCE_RESET_AND_RESET, /**< And reset afterwards. */
	HD_PROBE_SINCE_BEGIN, /**< Whoever resets; without extremes. */
};

/** Sums of slots, in ticks. */
struct hdProbeTotals {
	uint64_t count, timed, missed, sum, outer;
	unsigned __int128 squares, outerSquares;
	uint64_t min, max; /**< Of what was timed. */
	double weight, decayed;
	uint64_t stamp; /**< When these two were so; 0: never. */
	uint64_t histogram[HD_PROBE_BUCKETS];
	uint64_t events[HDPROBE_EVENTS], counted[HDPROBE_EVENTS];
};

/** Nothing yet. */
void hdProbeTotalsClear(struct hdProbeTotals *totals);

/**
 * Add a slot, while the numbers are locked.
 *
 * @param halfLife Of the decayed mean, ticks.
 * @param since Since when.
 */
void hdProbeTotalsAdd(struct hdProbeTotals *totals, struct hdProbeSlot *slot,
		      uint64_t halfLife, enum hdProbeSince since);

/** Add totals of other slots, whose decayed mean has the same half-life. */
void hdProbeTotalsMerge(struct hdProbeTotals *totals,
			const struct hdProbeTotals *others, uint64_t halfLife);

/** Take off what totals since the begin were earlier: what came since then,
 * with extremes that the histogram says. */
void hdProbeTotalsSubtract(struct hdProbeTotals *totals,
			   const struct hdProbeTotals *before);

/** Find a quantile, in ticks, of totals with something timed. */
double hdProbeTotalsQuantile(const struct hdProbeTotals *totals, double q);

/** Get the figures, but for their name and kind, which has to be set. */
void hdProbeTotalsFigures(const struct hdProbeTotals *totals, double tickNs,
			  struct hdProbeFigures *figures);

#endif
