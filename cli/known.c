/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Of how much of a time something is known, and what may be said then.
 */
#include "config.h"

#include <math.h>

#include "cli/known.h"

/** Shares of the time, in thousandths. */
enum { KNOWN_ALL = 1000, KNOWN_WHOLE = 995, KNOWN_MEAN = 500 };

/** Whether so much is known; exact, whatever the lengths. */
static bool knownReaches(struct known known, int share)
{
	return (__int128)known.knownNs * KNOWN_ALL >=
	       (__int128)known.durationNs * share;
}

bool knownIsWhole(struct known known)
{
	return knownReaches(known, KNOWN_WHOLE);
}

bool knownHasMean(struct known known)
{
	return known.knownNs > 0 && knownReaches(known, KNOWN_MEAN);
}

const char *knownMark(struct known known)
{
	return knownIsWhole(known) ? "" : ">= ";
}

double knownTotal(struct known known, double total)
{
	return known.knownNs > 0 ? total : NAN;
}

double knownMean(struct known known, double mean)
{
	return knownHasMean(known) ? mean : NAN;
}

struct known knownOfAll(struct known a, struct known b)
{
	return (struct known){
		.knownNs = a.knownNs < b.knownNs ? a.knownNs : b.knownNs,
		.durationNs = a.durationNs > b.durationNs ? a.durationNs
							  : b.durationNs,
	};
}
