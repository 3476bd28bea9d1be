/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * When a cycle of the meter ended, from when its message arrived.
 *
 * The meter ends a cycle by its own clock, evenly, and then sends. A message
 * can arrive late, since the host was busy or an adapter collects bytes, but
 * never early. So the meter's cycles are laid on a grid as even as they are,
 * and the grid to where, of the last PT_PACE_WINDOW messages, the least late
 * one was on time. What delays fewer messages in a row than that moves nothing;
 * a clock that is slow by 100 ppm makes the times lag by 0.3 % of a cycle at
 * most, and one that is fast is followed at once.
 *
 * Where the grid itself moves (the meter paused), that is followed after
 * PT_PACE_SOON messages. No time lies behind the arrival it is made from.
 */
#ifndef PT_PACE_H
#define PT_PACE_H

#include <stdint.h>

#define PT_PACE_WINDOW 32
#define PT_PACE_SOON 8

struct ptPace {
	int64_t cycleNs;
	int64_t gridNs;           /**< Where the last message is on the grid. */
	unsigned int count, next; /**< Of what is in late[]. */
	int64_t lateNs[PT_PACE_WINDOW]; /**< Behind the grid; a ring. */
};

/** Begin; nothing has arrived yet. */
void ptPaceStart(struct ptPace *pace, int64_t cycleNs);

/**
 * Take a message.
 *
 * @param arrivedNs When its first byte arrived at the latest; of a clock that
 *        is not set.
 * @param cycles Cycles since the message before; of no meaning for the first.
 * @return When its cycle ended, by the same clock.
 */
int64_t ptPaceEnd(struct ptPace *pace, int64_t arrivedNs, uint64_t cycles);

/** Go on with another cycle: it was measured. */
void ptPaceSetCycle(struct ptPace *pace, int64_t cycleNs);

#endif
