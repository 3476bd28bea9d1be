/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Patterns and numbers of queries.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "HDTraceTools/choice/queryterms.h"

/** Bytes that are not UTF-8 count as characters above all others. */
#define QUERY_BYTE 0x110000u

/* ---- Patterns ----------------------------------------------------------- */

/** Take a character. */
static gunichar queryNext(const char **at)
{
	unsigned char byte = (unsigned char)**at;
	gunichar character = byte;

	if (byte >= 0x80)
		character = g_utf8_get_char_validated(*at, -1);
	if (character >= QUERY_BYTE) {
		(*at)++;
		return QUERY_BYTE + byte;
	}
	*at = g_utf8_next_char(*at);
	return character;
}

static gunichar queryFold(gunichar character, bool isFolded)
{
	return isFolded && character >= 'A' && character <= 'Z'
		       ? character - 'A' + 'a'
		       : character;
}

/** Take a character of a pattern, which may be behind a backslash. */
static gunichar queryNextOfPattern(const char **at)
{
	if (**at == '\\' && (*at)[1])
		(*at)++;
	return queryNext(at);
}

static bool queryIsBetween(gunichar character, gunichar low, gunichar high)
{
	return character >= low && character <= high;
}

/** The end of a set that begins at "["; NULL: it is only this character. */
static const char *querySetEnd(const char *set)
{
	const char *at = set + 1;

	at += *at == '!' || *at == '^';
	/* "]" in the first place is a member. */
	if (*at == ']')
		at++;
	while (*at && *at != ']')
		queryNextOfPattern(&at);
	return *at ? at : NULL;
}

/** Whether a set has a character. */
static bool querySetHas(const char *set, const char *end, gunichar character,
			bool isFolded)
{
	const char *at = set + 1;
	bool isInverse = *at == '!' || *at == '^';
	gunichar other = character;
	bool isFound = false;

	if (isFolded && character < 0x80 && g_ascii_isalpha((char)character))
		other = character ^ 0x20;
	at += isInverse;
	while (at < end) {
		gunichar low = queryNextOfPattern(&at);
		gunichar high = low;

		if (*at == '-' && at + 1 < end) {
			at++;
			high = queryNextOfPattern(&at);
		}
		isFound |= queryIsBetween(character, low, high) ||
			   queryIsBetween(other, low, high);
	}
	return isFound != isInverse;
}

/** Match one character of a text, which is not at its end. */
static bool queryMatchOne(const char **pattern, const char **text,
			  bool isFolded)
{
	const char *from = *pattern;
	gunichar character = queryNext(text);
	const char *end = *from == '[' ? querySetEnd(from) : NULL;

	if (*from == '\0')
		return false;
	if (end) {
		*pattern = end + 1;
		return querySetHas(from, end, character, isFolded);
	}
	if (*from == '?') {
		*pattern = from + 1;
		return true;
	}
	return queryFold(queryNextOfPattern(pattern), isFolded) ==
	       queryFold(character, isFolded);
}

bool queryMatchPattern(const char *pattern, const char *text, bool isFolded)
{
	const char *star = NULL; /* Behind the last one. */
	const char *retry = text;

	while (*text) {
		const char *at = text;

		if (*pattern == '*') {
			star = ++pattern;
			retry = text;
		} else if (queryMatchOne(&pattern, &at, isFolded)) {
			text = at;
		} else if (star) {
			/* The star takes one more. */
			queryNext(&retry);
			pattern = star;
			text = retry;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

bool queryIsLiteral(const char *pattern)
{
	return !strpbrk(pattern, "*?[\\");
}

/* ---- Numbers ------------------------------------------------------------ */

/** Skip digits; returns how many there are. */
static size_t querySkipDigits(const char **at)
{
	size_t count = strspn(*at, "0123456789");

	*at += count;
	return count;
}

/** Find the end of a decimal number; NULL: there is none. */
static const char *queryNumberEnd(const char *text, bool *isInteger)
{
	const char *at = text + (*text == '-' || *text == '+');
	size_t digits = querySkipDigits(&at);
	const char *exponent;

	*isInteger = *at != '.';
	if (*at == '.') {
		at++;
		digits += querySkipDigits(&at);
	}
	if (digits == 0)
		return NULL;
	if (*at != 'e' && *at != 'E')
		return at;
	exponent = at + 1;
	exponent += *exponent == '-' || *exponent == '+';
	if (querySkipDigits(&exponent) == 0)
		return at;
	*isInteger = false;
	return exponent;
}

/** The factor of a unit; 0: there is no such unit. */
static int64_t queryFactor(const char *unit)
{
	static const char prefixes[] = "kMGTPE";
	int64_t factor = 1;
	const char *found = *unit ? strchr(prefixes, *unit) : NULL;
	int64_t base = 1000;

	if (*unit == 'K')
		found = prefixes;
	if (found) {
		unit++;
		if (*unit == 'i') {
			base = 1024;
			unit++;
		}
		for (const char *at = prefixes; at <= found; at++)
			factor *= base;
	}
	if (*unit == 'B')
		unit++;
	return *unit ? 0 : factor;
}

/** Set what is whole in a number that was computed. */
static void queryNumberRound(struct queryNumber *number)
{
	/* Beyond this integers have neighbours that are the same double. */
	number->isWhole = fabs(number->real) < 9007199254740992.0 &&
			  number->real == trunc(number->real);
	if (number->isWhole)
		number->whole = (int64_t)number->real;
}

bool queryParseNumber(const char *text, bool hasUnits,
		      struct queryNumber *number)
{
	bool isInteger;
	const char *end = queryNumberEnd(text, &isInteger);
	int64_t factor, whole;
	char *digits;
	bool isExact;

	if (!end)
		return false;
	factor = hasUnits ? queryFactor(end) : *end == '\0';
	if (factor == 0)
		return false;
	digits = g_strndup(text, (gsize)(end - text));
	*number = (struct queryNumber){
		.real = g_ascii_strtod(digits, NULL) * (double)factor,
	};
	isExact = isInteger &&
		  g_ascii_string_to_signed(digits + (*digits == '+'), 10,
					   INT64_MIN, INT64_MAX, &whole, NULL);
	g_free(digits);
	if (isExact && !__builtin_mul_overflow(whole, factor, &number->whole))
		number->isWhole = true;
	else
		queryNumberRound(number);
	return true;
}
