/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The lines of a DCMeter: twelve hexadecimal numbers, each with a semicolon
 * behind it, then CR and LF.
 *
 * A frame is taken from the LF before it, so that the end of a line that was
 * damaged is never taken for a line. The first one that is heard has none.
 */
#ifndef PT_HEXLINE_H
#define PT_HEXLINE_H

#include "PowerTracingLibrary/src/meter/frames.h"

#define PT_HEXLINE_NUMBERS 12
/** Most digits of a number. */
#define PT_HEXLINE_DIGITS 4

/** What is known of the lines that come. */
struct ptHexlineFormat {
	/** Whether each number has all its digits, so that one that has not is
	 *  damaged. */
	bool isPadded;
};

/** Lines; the format is a struct ptHexlineFormat. */
extern const struct ptFraming ptHexlineFraming;

/**
 * Get the numbers of a line.
 *
 * @return Whether each has all its digits.
 */
bool ptHexlineParse(const struct ptFrame *frame,
		    double numbers[PT_HEXLINE_NUMBERS]);

#endif
