/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Attributes of headers that say where the times of a file are from, if not
 * from the system's clock.
 *
 * How wrong they are is known in the end: until then there is room.
 */
#ifndef HD_TIMESOURCE_H
#define HD_TIMESOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include "HDTraceWritingCLibrary/src/outfile.h"

/** Room for the attributes. */
#define HD_TIME_SOURCE_SIZE 96

/**
 * Get the attributes as they are in the beginning.
 *
 * @param[out] text They, with a blank before each.
 * @param quote What values stand in.
 *
 * @return Whether there are any.
 */
bool hdTimeSourceBegin(char text[HD_TIME_SOURCE_SIZE], char quote);

/**
 * Say how wrong the times are, in a file that is about to be closed. What fails
 * here shows when that is done.
 *
 * @param at Where its attributes are; 0: it has none.
 */
void hdTimeSourceEnd(struct hdOutfile *file, size_t at, char quote);

#endif
