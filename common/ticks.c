/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Times between two readings of a clock; see ticks.h. */
#include "config.h"

#include <math.h>

#include "common/clock.h"
#include "common/ticks.h"
#include "common/tsc.h"

/* Tries to read both. */
#define TRIES 4
/* What the line may be off by: a part of it, and what a reading takes. */
#define OFF_PART 100
#define OFF_NS 2000

static int64_t wallNow(void)
{
	return hdClockNow();
}

static int64_t ticksMonotonicNow(void)
{
	return hdMonotonicNow();
}

const struct hdTickSource hdTicksOfWall = { hdTscReadEarly, wallNow };
const struct hdTickSource hdTicksOfMonotonic = { hdTscReadEarly,
						 ticksMonotonicNow };

bool hdTickPointTake(const struct hdTickSource *source, uint64_t width,
		     struct hdTickPoint *point)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < TRIES && least > width; i++) {
		uint64_t before = source->ticks();
		int64_t ns = source->clock();
		uint64_t passed = source->ticks() - before;

		if (ns < 0) {
			point->ns = ns;
			return false;
		}
		if (i == 0 || passed < least) {
			least = passed;
			point->ticks = before + passed / 2;
			point->ns = ns;
		}
	}
	return least <= width;
}

double hdTicksRatio(const struct hdTickPoint *from,
		    const struct hdTickPoint *to, double usual)
{
	double ticks = (double)(to->ticks - from->ticks);
	double ns = (double)(to->ns - from->ns);

	if (to->ticks <= from->ticks ||
	    fabs(ns - ticks * usual) > ticks * usual / OFF_PART + OFF_NS)
		return usual;
	return ns / ticks;
}
