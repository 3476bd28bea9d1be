/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Values as JSON: what is not known is null.
 */
#ifndef HD_NODE_JSON_H
#define HD_NODE_JSON_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

/** A number; null if it is none. */
static inline json_t *nodeJsonReal(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

/** A number of something; null if it is negative. */
static inline json_t *nodeJsonCount(int64_t value)
{
	return value >= 0 ? json_integer(value) : json_null();
}

/** A text; null for NULL and "". What is no UTF-8 has "?" in its place. */
json_t *nodeJsonText(const char *text);

/** A truth; null if it is negative. */
static inline json_t *nodeJsonBool(int value)
{
	return value < 0 ? json_null() : json_boolean(value);
}

#endif
