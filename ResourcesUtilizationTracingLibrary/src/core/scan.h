/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Read numbers and words out of the kernel's text, without copying it.
 */
#ifndef RUT_SCAN_H
#define RUT_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** A place in a text. */
struct rutScan {
	const char *at;
	const char *end;
};

/** A piece of a text, not terminated. */
struct rutWord {
	const char *bytes;
	size_t length;
};

/** Skip blanks of the line; tell whether anything is left in it. */
static inline bool rutScanBlanks(struct rutScan *scan)
{
	while (scan->at < scan->end && (*scan->at == ' ' || *scan->at == '\t'))
		scan->at++;
	return scan->at < scan->end && *scan->at != '\n';
}

/**
 * Read a number after blanks. Fails, at the same place, where there is none or
 * it does not fit.
 */
static inline bool rutScanNumber(struct rutScan *scan, uint64_t *number)
{
	uint64_t value = 0;
	const char *at, *safe;

	if (!rutScanBlanks(scan))
		return false;
	/* So many digits fit. */
	at = scan->at;
	safe = scan->end - at > 19 ? at + 19 : scan->end;
	while (at < safe && *at >= '0' && *at <= '9')
		value = 10 * value + (uint64_t)(*at++ - '0');
	while (at < scan->end && *at >= '0' && *at <= '9') {
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*at - '0'),
					   &value))
			return false;
		at++;
	}
	if (at == scan->at)
		return false;
	scan->at = at;
	*number = value;
	return true;
}

/** Read @p count numbers. */
static inline bool rutScanNumbers(struct rutScan *scan, uint64_t *numbers,
				  size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!rutScanNumber(scan, &numbers[i]))
			return false;
	}
	return true;
}

/** Read what stands before a blank, the end of the line, or @p stop. */
static inline bool rutScanWord(struct rutScan *scan, char stop,
			       struct rutWord *word)
{
	if (!rutScanBlanks(scan))
		return false;
	word->bytes = scan->at;
	while (scan->at < scan->end && *scan->at != ' ' && *scan->at != '\t' &&
	       *scan->at != '\n' && *scan->at != stop)
		scan->at++;
	word->length = (size_t)(scan->at - word->bytes);
	return word->length > 0;
}

/** Go on if the text goes on with a literal. */
static inline bool rutScanLiteral(struct rutScan *scan, const char *literal)
{
	size_t length = strlen(literal);

	if ((size_t)(scan->end - scan->at) < length ||
	    memcmp(scan->at, literal, length) != 0)
		return false;
	scan->at += length;
	return true;
}

/** Go to the next line; tell whether there is one. */
static inline bool rutScanNextLine(struct rutScan *scan)
{
	const char *end = (const char *)memchr(scan->at, '\n',
					       (size_t)(scan->end - scan->at));

	scan->at = end ? end + 1 : scan->end;
	return scan->at < scan->end;
}

/** Tell whether a word is a string. */
static inline bool rutWordIs(const struct rutWord *word, const char *string)
{
	return strlen(string) == word->length &&
	       memcmp(word->bytes, string, word->length) == 0;
}

#endif
