/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Numbers in texts of attributes.
 */
#ifndef HD_TABLES_NUMBER_H
#define HD_TABLES_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Room for an integer. */
#define TABLE_NUMBER_SIZE 24
/** Room for the name of a column with its final NUL. */
#define TABLE_NAME_SIZE 4096

/** Print an integer; returns the length of the text. */
size_t tableIntegerPrint(char *buffer, int64_t number);

/** Parse an integer; false if the text is not the one that would be printed. */
bool tableIntegerParse(const char *text, size_t length, int64_t *number);

/** Parse a number of XML Schema (1.5, 2e3, NaN, INF, -INF); false for any other
 *  text, and for integers that a double may not hold exactly. */
bool tableDoubleParse(const char *text, size_t length, double *number);

#endif
