/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Pages of probes that no program has counted in, for tests of who reads pages.
 */
#ifndef TEST_MADEPAGE_H
#define TEST_MADEPAGE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "InstrumentationLibrary/src/core/page.h"

/** Where a slot is in the file. */
off_t madeSlotOffset(unsigned int i);

/** Where a member of a slot is in the file. */
#define MADE_AT(i, member) \
	(madeSlotOffset(i) + (off_t)offsetof(struct hdProbeSlot, member))

/** Write a number of 32 or 64 bit. */
void madePut32(int fd, off_t at, uint32_t value);
void madePut64(int fd, off_t at, uint64_t value);

/**
 * Make a page of this process: timers p1, p2, ..., and slots that are in use by
 * them in turn, each of a lane of its own as far as there are lanes. Nothing is
 * counted. Of a slot that nothing else is written to, the file has one block.
 *
 * @return The descriptor; ends the process after an error.
 */
int madePage(unsigned int probes, unsigned int slots);

#endif
