/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Read numbers and words out of the kernel's text, without copying it: the one
 * parser for the files of /proc and /sys, whose table of cases is
 * tests/common/test-scan.c.
 */
#ifndef HD_SCAN_H
#define HD_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** A place in a text. */
struct hdScan {
	const char *at;
	const char *end;
};

/** A piece of a text, not terminated. */
struct hdWord {
	const char *bytes;
	size_t length;
};

/** Skip blanks of the line; tell whether anything is left in it. */
static inline bool hdScanBlanks(struct hdScan *scan)
{
	while (scan->at < scan->end && (*scan->at == ' ' || *scan->at == '\t'))
		scan->at++;
	return scan->at < scan->end && *scan->at != '\n';
}

/**
 * Read a number after blanks. Fails, at the same place, where there is none or
 * it does not fit.
 */
static inline bool hdScanNumber(struct hdScan *scan, uint64_t *number)
{
	uint64_t value = 0;
	const char *at, *safe;

	if (!hdScanBlanks(scan))
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

/** The same of a number that may have a sign. */
static inline bool hdScanSigned(struct hdScan *scan, int64_t *number)
{
	struct hdScan at = *scan;
	bool isNegative = hdScanBlanks(&at) && *at.at == '-';
	uint64_t size;

	at.at += isNegative;
	if (at.at == at.end || *at.at < '0' || *at.at > '9' ||
	    !hdScanNumber(&at, &size) || size > INT64_MAX)
		return false;
	*number = isNegative ? -(int64_t)size : (int64_t)size;
	*scan = at;
	return true;
}

/** Tell whether nothing but blanks and an end of line is left. */
static inline bool hdScanIsEnd(struct hdScan *scan)
{
	return !hdScanBlanks(scan) &&
	       (scan->at == scan->end || scan->at + 1 == scan->end);
}

/** Read a text that is one number, of a file with a single value. */
static inline bool hdScanOnly(struct hdScan *scan, uint64_t *number)
{
	uint64_t value;

	if (!hdScanNumber(scan, &value) || !hdScanIsEnd(scan))
		return false;
	*number = value;
	return true;
}

/** Read @p count numbers. */
static inline bool hdScanNumbers(struct hdScan *scan, uint64_t *numbers,
				 size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!hdScanNumber(scan, &numbers[i]))
			return false;
	}
	return true;
}

/** Read what stands before a blank, the end of the line, or @p stop. */
static inline bool hdScanWord(struct hdScan *scan, char stop,
			      struct hdWord *word)
{
	if (!hdScanBlanks(scan))
		return false;
	word->bytes = scan->at;
	while (scan->at < scan->end && *scan->at != ' ' && *scan->at != '\t' &&
	       *scan->at != '\n' && *scan->at != stop)
		scan->at++;
	word->length = (size_t)(scan->at - word->bytes);
	return word->length > 0;
}

/** Go on if the text goes on with a literal. */
static inline bool hdScanLiteral(struct hdScan *scan, const char *literal)
{
	size_t length = strlen(literal);

	if ((size_t)(scan->end - scan->at) < length ||
	    memcmp(scan->at, literal, length) != 0)
		return false;
	scan->at += length;
	return true;
}

/** Go to the next line; tell whether there is one. */
static inline bool hdScanNextLine(struct hdScan *scan)
{
	const char *end = (const char *)memchr(scan->at, '\n',
					       (size_t)(scan->end - scan->at));

	scan->at = end ? end + 1 : scan->end;
	return scan->at < scan->end;
}

/** Tell whether a word is a string. */
static inline bool hdWordIs(const struct hdWord *word, const char *string)
{
	return strlen(string) == word->length &&
	       memcmp(word->bytes, string, word->length) == 0;
}

#endif
