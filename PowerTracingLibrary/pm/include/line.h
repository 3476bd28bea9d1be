/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Sets of lines of a power meter; a part of pmlib.h.
 *
 * The macros work on line_t as FD_SET() and related macros work on fd_set.
 * Sets are passed by address; lines are numbers from 0. A set contains only
 * lines below PM_LINES_MAX.
 */
#ifndef PM_LINE_H
#define PM_LINE_H

/** Lines that a set can hold. */
#define PM_LINES_MAX 128

/** A set of lines: line l is bit l % 8 of byte l / 8. */
typedef struct {
	unsigned char bits[PM_LINES_MAX / 8];
} line_t;

/** Add a line. */
#define LINE_SET(line, set)                           \
	((void)((unsigned)(line) < PM_LINES_MAX &&    \
		((set)->bits[(unsigned)(line) / 8] |= \
		 (unsigned char)(1U << (unsigned)(line) % 8))))

/** Remove a line. */
#define LINE_CLR(line, set)                           \
	((void)((unsigned)(line) < PM_LINES_MAX &&    \
		((set)->bits[(unsigned)(line) / 8] &= \
		 (unsigned char)~(1U << (unsigned)(line) % 8))))

/** Test whether a set contains a line. */
#define LINE_ISSET(line, set)               \
	((unsigned)(line) < PM_LINES_MAX && \
	 ((set)->bits[(unsigned)(line) / 8] >> (unsigned)(line) % 8 & 1))

/** Add all lines. */
#define LINE_SET_ALL(set) PM_LINE_EACH_((set)->bits[i_] = 0xff)

/** Remove all lines. */
#define LINE_CLR_ALL(set) PM_LINE_EACH_((set)->bits[i_] = 0)

/** Make the intersection of two sets. */
#define LINE_AND(result, a, b) \
	PM_LINE_EACH_((result)->bits[i_] = (a)->bits[i_] & (b)->bits[i_])

/** @cond */
#define PM_LINE_EACH_(statement)                                   \
	do {                                                       \
		for (unsigned i_ = 0; i_ < PM_LINES_MAX / 8; i_++) \
			statement;                                 \
	} while (0)
/** @endcond */

#endif
