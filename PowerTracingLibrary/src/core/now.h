/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The clock of drivers, and the seam where tests set it.
 */
#ifndef PT_NOW_H
#define PT_NOW_H

#include <stdint.h>

/** CLOCK_MONOTONIC in nanoseconds; tests replace it. */
extern int64_t (*ptNow)(void);

/** What the wall clock is ahead of that one. */
int64_t ptWallAhead(void);

/** Sleep so long, or until a file descriptor (or -1) is readable; tests replace
 *  it. */
extern void (*ptSleep)(int wakeFd, int64_t ns);

#endif
