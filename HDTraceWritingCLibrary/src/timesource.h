/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Attributes of headers that say where the times of a file are from: the base
 * of the clock, how often and by how much the wall clock was set meanwhile,
 * and, with the time stamp counter, how wrong that is.
 *
 * What is known in the end has room until then.
 */
#ifndef HD_TIMESOURCE_H
#define HD_TIMESOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "HDTraceWritingCLibrary/src/outfile.h"

/** Room for the attributes. */
#define HD_TIME_SOURCE_SIZE 256

/**
 * Get the attributes as they are in the beginning.
 *
 * @param[out] text They, with a blank before each.
 * @param quote What values stand in.
 *
 * @return Whether there are any.
 */
bool hdTimeSourceBegin(char text[HD_TIME_SOURCE_SIZE], char quote);

/** Of which clock the times are that a caller gives: all zero for the wall
 * clock as it is set when they are given. */
struct hdTimeBase {
	bool isSteady;
	/** All are of no clock of this machine, such as simulated ones. */
	bool isAsGiven;
	int64_t shift; /**< To the clock of files. */
};

/**
 * Say what is known in the end, in a file that is about to be closed. What
 * fails here shows when that is done.
 *
 * @param at Where its attributes are; 0: it has none.
 * @param base Of times that were given; NULL: there are none. Times of no clock
 *        of this machine leave blanks in the place of the attributes.
 */
void hdTimeSourceEnd(struct hdOutfile *file, size_t at, char quote,
		     const struct hdTimeBase *base);

/** Say that times are of a clock with a base (hdT_setTimeBase()). */
void hdTimeBaseSet(struct hdTimeBase *self, int64_t baseNs);

/** Make a time that was given one of the clock of files; -1: it is none. */
int64_t hdTimeGiven(const struct hdTimeBase *self, const struct timespec *when);

#endif
