/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Which cycles of a meter are missing, from when its messages arrive.
 *
 * For meters that do not count their cycles. When the next message is due
 * follows from those before: from when they came, and from how long the cycles
 * of this meter are in truth, which is learnt on the way; so neither cycles
 * that are shorter now and longer then by less than half of one, nor a meter
 * whose clock is off, make a loss.
 *
 * A message that is late by more than half a cycle may have been delayed, or be
 * the one after one that is lost. What follows it tells: the next one comes
 * when it is due if it was delayed, and half a cycle or more later if not.
 *
 * Works on times alone: no clock, no device.
 */
#ifndef PT_LMGDUE_H
#define PT_LMGDUE_H

#include <stdbool.h>
#include <stdint.h>

struct ptLmgDue {
	int64_t cycleNs;  /**< As it was asked for. */
	int64_t periodNs; /**< As it seems to be. */
	int64_t lastNs;   /**< When the last message should have come. */
	bool hasLast;
};

/** Begin; nothing has arrived yet. */
void ptLmgDueStart(struct ptLmgDue *due, int64_t cycleNs);

/**
 * Tell how many messages are missing before one, if it was not delayed.
 *
 * @param arrivedNs When it arrived.
 */
uint64_t ptLmgDueMissing(const struct ptLmgDue *due, int64_t arrivedNs);

/** Tell until when the next message comes if this one was delayed. */
int64_t ptLmgDueUntil(const struct ptLmgDue *due, int64_t arrivedNs);

/**
 * Take a message.
 *
 * @param arrivedNs When it arrived.
 * @param missing What ptLmgDueMissing() told, or 0 if it was delayed.
 */
void ptLmgDueTake(struct ptLmgDue *due, int64_t arrivedNs, uint64_t missing);

#endif
