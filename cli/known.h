/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Of how much of a time something is known, and what may be said then.
 *
 * The one rule for energies and means, of all that prints them: an energy is
 * power x time over the time in which power is known. If that is less than
 * 99.5 % of the time asked for, the energy is marked as what it is at least; if
 * it is less than half, no mean is given; if it is nothing, nothing is known.
 * Some ticks of a clock at the borders do not matter.
 */
#ifndef HD_CLI_KNOWN_H
#define HD_CLI_KNOWN_H

#include <stdbool.h>
#include <inttypes.h>

/** Time, and how much of it is known, in ns. */
struct known {
	int64_t knownNs;
	int64_t durationNs;
};

/** Whether all of it is known, as far as that matters. */
bool knownIsWhole(struct known known);

/** Whether what is known is enough for a mean. */
bool knownHasMean(struct known known);

/** What stands before an energy, or another total: ">= " or "". */
const char *knownMark(struct known known);

/** A total, or NaN if nothing is known. */
double knownTotal(struct known known, double total);

/** A mean over the time that is known, or NaN if that is not enough. */
double knownMean(struct known known, double mean);

/**
 * What is known of several that last equally long: as much as of that of which
 * least is known.
 */
struct known knownOfAll(struct known a, struct known b);

#endif
