/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * How often a sensor has a new value, by watching it.
 */
#ifndef PT_PERIOD_H
#define PT_PERIOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A sensor that is watched; begins as zeros. */
struct ptPeriod {
	bool hasValue;
	double value;
	unsigned int reads, changes;
	int64_t firstReadNs, lastReadNs;
	int64_t firstChangeNs, lastChangeNs;
};

/** Take a value that was read at a time. */
void ptPeriodAdd(struct ptPeriod *period, double value, int64_t ns);

/** Whether there were enough changes for a good mean. */
bool ptPeriodIsKnown(const struct ptPeriod *period);

/**
 * Append what was found to a text of the resolution: "every 12 ms (measured)",
 * "every 0.3 ms or less (measured)", or "no update in 100 ms".
 */
void ptPeriodDescribe(const struct ptPeriod *period, char *text, size_t size);

#endif
