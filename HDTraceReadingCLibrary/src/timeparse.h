/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Times written as decimal numbers, exact to the nanosecond.
 */
#ifndef HDI_TIMEPARSE_H
#define HDI_TIMEPARSE_H

#include <stdint.h>

/**
 * Largest amount of a time, in ns: two of them can be added and the sum
 * still fits. It is a little more than 32 bit of seconds.
 */
#define HDI_TIME_LIMIT INT64_C(4300000000000000000)

/**
 * Read a number of seconds: "1.5", "-0.25".
 *
 * Digits after the ninth decimal place are dropped.
 *
 * @retval 0 @p time is set, in ns.
 * @retval -EINVAL The text is something else, or the number is too large.
 */
int hdITimeParse(const char *text, int64_t *time);

/**
 * Read a time adjustment: like hdITimeParse(), but may have blanks around it,
 * a suffix "s" or "ms", or be empty (0).
 */
int hdITimeParseAdjustment(const char *text, int64_t *time);

#endif
