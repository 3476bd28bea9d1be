/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tags that need no parser; see plain.h. */
#include "config.h"

#include <string.h>

#include "HDTraceReadingCLibrary/src/trace/plain.h"

/* What a byte may be. */
enum {
	PLAIN_START = 1, /* The first of a name. */
	PLAIN_NAME = 2,  /* Another one; no colon: names have no prefix. */
	PLAIN_VALUE = 4, /* In a value, besides quotes. */
};

static const unsigned char kinds[256] = {
	[' '] = PLAIN_VALUE,
	['!'] = PLAIN_VALUE,
	['#' ... '%'] = PLAIN_VALUE,
	['(' ... ','] = PLAIN_VALUE,
	['-' ... '.'] = PLAIN_NAME | PLAIN_VALUE,
	['/'] = PLAIN_VALUE,
	['0' ... '9'] = PLAIN_NAME | PLAIN_VALUE,
	[':' ... ';'] = PLAIN_VALUE,
	['=' ... '@'] = PLAIN_VALUE,
	['A' ... 'Z'] = PLAIN_START | PLAIN_NAME | PLAIN_VALUE,
	['[' ... '^'] = PLAIN_VALUE,
	['_'] = PLAIN_START | PLAIN_NAME | PLAIN_VALUE,
	['`'] = PLAIN_VALUE,
	['a' ... 'z'] = PLAIN_START | PLAIN_NAME | PLAIN_VALUE,
	['{' ... '~'] = PLAIN_VALUE,
};

static inline char *plainSkipKind(char *at, unsigned char kind)
{
	while (kinds[(unsigned char)*at] & kind)
		at++;
	return at;
}

static inline char *plainSkipBlanks(char *at)
{
	while (*at == ' ')
		at++;
	return at;
}

/* Take a name; NULL: it has other characters. */
static inline char *plainParseName(char *at, struct hdIPlainText *name)
{
	char *end;

	if (!(kinds[(unsigned char)*at] & PLAIN_START))
		return NULL;
	end = plainSkipKind(at + 1, PLAIN_NAME);
	name->start = at;
	name->length = (size_t)(end - at);
	return end;
}

/* Take what stands between quotes; of quotes, the other ones may. */
static inline char *plainParseValue(char *at, struct hdIPlainText *value)
{
	char quote = *at++;
	char *end = at;

	if (quote != '\'' && quote != '"')
		return NULL;
	for (end = plainSkipKind(at, PLAIN_VALUE); *end != quote;
	     end = plainSkipKind(end + 1, PLAIN_VALUE))
		if (*end != '\'' && *end != '"')
			return NULL;
	value->start = at;
	value->length = (size_t)(end - at);
	return end + 1;
}

/* Those of XML itself mean something. */
static inline int plainIsReserved(const struct hdIPlainText *name)
{
	return name->length >= 3 && memcmp(name->start, "xml", 3) == 0;
}

/* Take `</name>`, of which the first two bytes are known. */
static char *plainParseEnd(char *at, struct hdIPlainTag *tag)
{
	tag->kind = HDI_PLAIN_END;
	tag->attributeCount = 0;
	at = plainParseName(at + 2, &tag->name);
	return at && *at == '>' ? at + 1 : NULL;
}

char *hdIPlainTake(char *at, struct hdIPlainTag *tag)
{
	char *next;
	size_t count = 0;

	if (*at != '<')
		return NULL;
	if (at[1] == '/')
		return plainParseEnd(at, tag);
	at = plainParseName(at + 1, &tag->name);
	if (!at)
		return NULL;
	for (;;) {
		next = plainSkipBlanks(at);
		if (*next == '/' || *next == '>')
			break;
		if (next == at || count == HDI_PLAIN_MAX)
			return NULL;
		at = plainParseName(next, &tag->attributes[count].name);
		if (!at || *at != '=' ||
		    plainIsReserved(&tag->attributes[count].name))
			return NULL;
		at = plainParseValue(at + 1, &tag->attributes[count].value);
		if (!at)
			return NULL;
		count++;
	}
	tag->attributeCount = count;
	tag->kind = *next == '>' ? HDI_PLAIN_START : HDI_PLAIN_LEAF;
	if (tag->kind == HDI_PLAIN_LEAF)
		next++;
	return *next == '>' ? next + 1 : NULL;
}

char *hdIPlainSkip(char *at, int *lines)
{
	for (;; at++) {
		if (*at == '\n')
			++*lines;
		else if (*at != ' ' && *at != '\t')
			return at;
	}
}
