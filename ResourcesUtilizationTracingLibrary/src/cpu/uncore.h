/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What goes through the memory controllers, by the kernel's perf: events of
 * uncore_imc_0, and so on (common/pmu.h).
 */
#ifndef RUT_UNCORE_H
#define RUT_UNCORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/perf.h"

/** Directions. */
enum { RUT_UNCORE_READ, RUT_UNCORE_WRITE, RUT_UNCORE_WAYS };

/** A counter of a controller. */
struct rutUncoreCounter {
	int way;
	int handle;
	uint64_t id;  /**< Of the event, as the descriptor may be another's. */
	double bytes; /**< Of one. */
	struct hdPerfReading before;
};

struct rutUncore {
	struct rutUncoreCounter *counters;
	size_t count;
	double sums[RUT_UNCORE_WAYS]; /**< Bytes of the interval so far. */
	/** Why there are none, if there should be: a positive errno, or 0. */
	int error;
};

/** Open all counters below a root: 0; or -ENOENT or -ENOMEM, and there are
 *  none. */
int rutUncoreOpen(struct rutUncore *self, const char *root);

/** Add up, or @p isBegin: begin. */
void rutUncoreRead(struct rutUncore *self, bool isBegin);

void rutUncoreClose(struct rutUncore *self);

/** Bytes of a line of the last cache, 64 where it is not said. */
unsigned int rutUncoreLine(const char *root);

#endif
