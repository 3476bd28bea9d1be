/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <stdbool.h>
#include <string.h>

#include "PowerTracingLibrary/src/drivers/command/lineparse.h"
#include "common/number.h"

/* Longest number; a longer one is not a measurement. */
#define NUMBER_MAX 48

static bool lineIsDigit(char c)
{
	return c >= '0' && c <= '9';
}

static bool lineIsSeparator(const char *begin, const char *at)
{
	if (*at == ':')
		return at == begin || !lineIsDigit(at[-1]);
	return *at && strchr(" \t\r\n\v\f,;=|()[]{}<>\"'", *at);
}

static size_t lineDigits(const char *text, size_t length, size_t at)
{
	while (at < length && lineIsDigit(text[at]))
		at++;
	return at;
}

/* Get the length of the number that a word begins with; 0: none. */
static size_t lineNumberLength(const char *word, size_t length)
{
	size_t at = length > 0 && (*word == '-' || *word == '+');
	size_t digits = lineDigits(word, length, at) - at, end;

	at += digits;
	if (at < length && word[at] == '.') {
		end = lineDigits(word, length, at + 1);
		digits += end - at - 1;
		at = end;
	}
	if (digits == 0)
		return 0;
	if (at < length && (word[at] == 'e' || word[at] == 'E')) {
		size_t sign = at + 1 < length &&
			      (word[at + 1] == '-' || word[at + 1] == '+');

		end = lineDigits(word, length, at + 1 + sign);
		if (end > at + 1 + sign)
			at = end;
	}
	return at;
}

/* Whether a word is a number. */
static bool lineWord(const char *word, size_t length, double *value)
{
	size_t used = lineNumberLength(word, length);
	char text[NUMBER_MAX];

	if (used == 0 || used >= sizeof(text))
		return false;
	for (size_t i = used; i < length; i++)
		if (lineIsDigit(word[i]))
			return false;
	/* The parser of numbers takes no plus. */
	if (*word == '+') {
		word++;
		used--;
	}
	memcpy(text, word, used);
	text[used] = '\0';
	return hdNumberParse(text, value) == 0;
}

size_t ptLineParse(const char *line, double *values, size_t max)
{
	const char *at = line;
	size_t count = 0;

	while (*at && count < max) {
		const char *word = at;

		while (*at && !lineIsSeparator(line, at))
			at++;
		if (at > word &&
		    lineWord(word, (size_t)(at - word), &values[count]))
			count++;
		if (*at)
			at++;
	}
	return count;
}
