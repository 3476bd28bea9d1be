/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Known time: the part of an interval for which a quantity is known.
 *
 * All commands use this rule for energies and means. An energy is power x time
 * over the known time. If less than 99.5 % of the interval is known, the energy
 * is marked as a lower bound. If less than half is known, there is no mean. If
 * nothing is known, the energy is unknown. A few clock ticks at the borders are
 * ignored.
 */
#ifndef HD_CLI_KNOWN_H
#define HD_CLI_KNOWN_H

#include <stdbool.h>
#include <inttypes.h>

/** An interval and its known part, in ns. */
struct known {
	int64_t knownNs;
	int64_t durationNs;
};

/** Whether the interval counts as completely known. */
bool knownIsWhole(struct known known);

/** Whether enough is known for a mean. */
bool knownHasMean(struct known known);

/** The mark before an energy or another total: ">= " or "". */
const char *knownMark(struct known known);

/** A total, or NaN if nothing is known. */
double knownTotal(struct known known, double total);

/** A mean over the known time, or NaN if too little is known. */
double knownMean(struct known known, double mean);

/**
 * Combine quantities of the same interval: the result has the smallest known
 * time.
 */
struct known knownOfAll(struct known a, struct known b);

#endif
