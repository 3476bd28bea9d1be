/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Numbers as text, whatever the locale, at the cost of a memory copy.
 *
 * printf() takes about a microsecond for a double and may write a comma.
 */
#ifndef HD_NUMBER_H
#define HD_NUMBER_H

#include <stdint.h>

/** Longest result of hdNumberInt64() and hdNumberUint64(). */
#define HD_INT64_MAX 20
/** Longest result of hdNumberDouble(): -1.2345678901234567e-308. */
#define HD_DOUBLE_MAX 32
/** Room that hdNumberTime() needs: 10 digits, a point, 9 digits and one. */
#define HD_TIME_LENGTH_MAX 22

/** Write an integer; returns the end of it, where no zero byte is put. */
char *hdNumberInt64(char *to, int64_t value);
/** Write an integer without sign. */
char *hdNumberUint64(char *to, uint64_t value);

/** Prepare what is below; any thread, costs some ten microseconds once. */
void hdNumberPrepare(void);

/** Write nanoseconds (not negative) as seconds with 9 decimals. */
char *hdNumberTime(char *to, int64_t ns);

/**
 * Write a double with the fewest digits that read back as the same value.
 *
 * NaN, INF and -INF as in XML Schema; exponents ("1.5e-07" as 1.5e-7) only
 * below 1e-5 and from 1e17.
 */
char *hdNumberDouble(char *to, double value);

/** Write a float with the fewest digits that read back as the same float. */
char *hdNumberFloat(char *to, float value);

#endif
