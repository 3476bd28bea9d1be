/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The numbers in a line of text that a program prints.
 *
 * The line is divided into words by white space, quotes, brackets and the
 * characters `,;=|`, and by a colon that does not follow a digit. A word is a
 * number if it begins with a decimal number and no digit follows it: "212",
 * "-3.5e2", "212W" and "45.3%" are numbers; "2026-01-31", "12:30:01", "0x1f"
 * and "GPU-0" are not.
 */
#ifndef PT_LINEPARSE_H
#define PT_LINEPARSE_H

#include <stddef.h>

/**
 * Get the numbers of a line.
 *
 * @param[out] values Room for @p max numbers; further ones are not parsed.
 *
 * @return The count of numbers.
 */
size_t ptLineParse(const char *line, double *values, size_t max);

#endif
