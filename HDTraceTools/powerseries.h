/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file powerseries.h
 * A value over time, in memory, whose integral over any interval is known.
 *
 * NaN, and the time in which a group was stopped, count neither in the integral
 * nor as time that was measured.
 */
#ifndef HD_POWERSERIES_H
#define HD_POWERSERIES_H

#include <stddef.h>

#include "tool.h"

/** An integral. */
struct powerAmount {
	double energy;    /**< In value times s. */
	int64_t measured; /**< Length of what has a value, in ns. */
};

struct powerSeries;

/**
 * Read a column of a group into memory.
 *
 * @return The series, to be freed with powerSeriesFree(); it is empty if the
 *         group cannot be read, which was said.
 */
struct powerSeries *powerSeriesRead(struct tool *tool,
				    const hdIProject *project,
				    const hdIGroup *group, size_t column);

/** Free a series; NULL does nothing. */
void powerSeriesFree(struct powerSeries *self);

/** Integrate over ]start, end]. */
struct powerAmount powerSeriesGet(const struct powerSeries *self, int64_t start,
				  int64_t end);

#endif
