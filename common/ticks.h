/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Times that lie between two readings of a clock, by the time stamp counter:
 * to read that takes less than half of what it takes to read a clock.
 *
 * Clock and counter are read together at two points. What was read of the
 * counter between them is on the straight line from one to the other, so that
 * times are in order with all that was read of the clock before and after.
 * Nothing is assumed of how fast the counter goes but that it is about as fast
 * as once measured: where the line says anything else somebody has set the
 * clock meanwhile.
 */
#ifndef HD_TICKS_H
#define HD_TICKS_H

#include <stdbool.h>
#include <stdint.h>

/** Clock and counter at one moment. */
struct hdTickPoint {
	uint64_t ticks;
	int64_t ns;
};

/** What is read; tests make their own. */
struct hdTickSource {
	uint64_t (*ticks)(void);
	int64_t (*clock)(void); /**< In ns, or -1. */
};

/** The wall clock (clock.h) and the counter of this machine. */
extern const struct hdTickSource hdTicksOfWall;

/** The monotonic clock and the counter. */
extern const struct hdTickSource hdTicksOfMonotonic;

/**
 * Read both.
 *
 * @param width So many ticks may lie around the reading of the clock: else it
 *        is tried again, a few times.
 * @param[out] point Both; if it always took longer, where it took least; its
 *        ns are -1 if the clock cannot be read.
 *
 * @return Whether the clock could be read, in as few ticks as that.
 */
bool hdTickPointTake(const struct hdTickSource *source, uint64_t width,
		     struct hdTickPoint *point);

/**
 * Nanoseconds of a tick between two points.
 *
 * @param usual What is about right; it is the answer where the clock was set.
 */
double hdTicksRatio(const struct hdTickPoint *from,
		    const struct hdTickPoint *to, double usual);

/** The clock at a tick, by a point and the nanoseconds of a tick. */
static inline int64_t hdTicksAt(const struct hdTickPoint *point, double ratio,
				uint64_t ticks)
{
	return point->ns +
	       (int64_t)((double)(int64_t)(ticks - point->ticks) * ratio);
}

/** The same at a tick before a second point: not later than the clock was
 *  there, unless it was set back. */
static inline int64_t hdTicksBefore(const struct hdTickPoint *from,
				    const struct hdTickPoint *to, double ratio,
				    uint64_t ticks)
{
	int64_t ns = hdTicksAt(from, ratio, ticks);

	return to->ns >= from->ns && ns > to->ns ? to->ns : ns;
}

#endif
