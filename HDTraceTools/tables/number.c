/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Numbers in texts of attributes.
 */
#include "config.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#include "HDTraceTools/tables/number.h"
#include "common/number.h"

/** Longest text that is parsed as a number. */
#define NUMBER_TEXT_MAX 40
/** Digits that all doubles hold. */
#define NUMBER_DIGITS 15

size_t tableIntegerPrint(char *buffer, int64_t number)
{
	return (size_t)(hdNumberInt64(buffer, number) - buffer);
}

bool tableIntegerParse(const char *text, size_t length, int64_t *number)
{
	bool isNegative = length > 0 && text[0] == '-';
	size_t i = isNegative;
	int64_t value = 0;

	if (i == length || (text[i] == '0' && length > 1))
		return false;
	for (; i < length; i++) {
		int digit = text[i] - '0';

		if (digit < 0 || digit > 9 ||
		    __builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, isNegative ? -digit : digit,
					   &value))
			return false;
	}
	*number = value;
	return true;
}

static bool numberIs(const char *text, size_t length, const char *word)
{
	return strlen(word) == length && memcmp(text, word, length) == 0;
}

bool tableDoubleParse(const char *text, size_t length, double *number)
{
	char copy[NUMBER_TEXT_MAX + 1];
	size_t digits = 0;
	char *end;

	if (numberIs(text, length, "NaN"))
		*number = (double)NAN;
	else if (numberIs(text, length, "INF"))
		*number = (double)INFINITY;
	else if (numberIs(text, length, "-INF"))
		*number = (double)-INFINITY;
	else if (length == 0 || length > NUMBER_TEXT_MAX)
		return false;
	else {
		memcpy(copy, text, length);
		copy[length] = '\0';
		if (strspn(copy, "0123456789.eE+-") != length)
			return false;
		digits = strspn(copy + (copy[0] == '-'), "0123456789");
		if (digits > NUMBER_DIGITS)
			return false;
		*number = g_ascii_strtod(copy, &end);
		return end == copy + length;
	}
	return true;
}
