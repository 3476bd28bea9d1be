/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* XML of the caller; see fragment.h. The rules are those of XML 1.0, sections
 * 2.2, 3.1 and 4.1; names are of ASCII, as everywhere (escape.h). */
#include "config.h"

#include <stdint.h>
#include <string.h>

#include "HDTraceWritingCLibrary/src/fragment.h"
#include "common/format/escape.h"

struct fragment {
	const char *at;
	const char *end;
	/* Names of the elements that are open. */
	const char *names[HD_FRAGMENT_DEPTH];
	size_t lengths[HD_FRAGMENT_DEPTH];
	size_t depth;
};

static bool fragmentIsBlank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void fragmentSkipBlanks(struct fragment *f)
{
	while (f->at < f->end && fragmentIsBlank(*f->at))
		f->at++;
}

static bool fragmentSkipText(struct fragment *f, const char *text)
{
	size_t length = strlen(text);

	if ((size_t)(f->end - f->at) < length ||
	    memcmp(f->at, text, length) != 0)
		return false;
	f->at += length;
	return true;
}

/* Take a name; its length, or 0. The text ends with a '\0'. */
static size_t fragmentScanName(struct fragment *f)
{
	size_t length = f->at < f->end ? hdNameLength(f->at) : 0;

	f->at += length;
	return length;
}

/* Take the reference to a character that XML allows. */
static bool fragmentScanNumber(struct fragment *f)
{
	bool isHex = fragmentSkipText(f, "x");
	unsigned int base = isHex ? 16 : 10;
	uint32_t value = 0;
	size_t digits = 0;

	for (; f->at < f->end && *f->at != ';'; f->at++, digits++) {
		char c = *f->at;
		unsigned int digit =
			c >= '0' && c <= '9'   ? (unsigned)(c - '0')
			: c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
			: c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
					       : 99;

		if (digit >= base || value > 0x10ffff)
			return false;
		value = value * base + digit;
	}
	return digits > 0 && fragmentSkipText(f, ";") &&
	       (value == 9 || value == 10 || value == 13 ||
		(value >= 0x20 && value <= 0xd7ff) ||
		(value >= 0xe000 && value <= 0xfffd) ||
		(value >= 0x10000 && value <= 0x10ffff));
}

/* Take what stands for a character. */
static bool takeReference(struct fragment *f)
{
	static const char *const names[] = { "amp;", "lt;", "gt;", "apos;",
					     "quot;" };

	if (fragmentSkipText(f, "#"))
		return fragmentScanNumber(f);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (fragmentSkipText(f, names[i]))
			return true;
	return false;
}

/* Take one character of text or of a value. */
static bool takeCharacter(struct fragment *f)
{
	size_t length = (size_t)(f->end - f->at), pieceLength, taken;
	const char *piece;

	if (*f->at == '&') {
		f->at++;
		return takeReference(f);
	}
	if (fragmentIsBlank(*f->at) || *f->at == '\'' || *f->at == '"' ||
	    *f->at == '>') {
		f->at++;
		return true;
	}
	/* What would not stand for itself is not allowed. */
	taken = hdEscapeNext(f->at, length, &piece, &pieceLength);
	if (piece != f->at || *f->at == '<')
		return false;
	f->at += hdPlainBytes[(unsigned char)*f->at] ? 1 : taken;
	return true;
}

static bool fragmentScanValue(struct fragment *f)
{
	char quote = f->at < f->end ? *f->at++ : '\0';

	if (quote != '\'' && quote != '"')
		return false;
	while (f->at < f->end && *f->at != quote)
		if (*f->at == '<' || !takeCharacter(f))
			return false;
	if (f->at == f->end)
		return false;
	f->at++;
	return true;
}

/* The attributes of a start tag, each of them once, and its end. */
static bool takeAttributes(struct fragment *f)
{
	const char *names[64];
	size_t lengths[64], count = 0;

	for (;;) {
		bool isApart = f->at < f->end && fragmentIsBlank(*f->at);
		const char *name;
		size_t length;

		fragmentSkipBlanks(f);
		if (fragmentSkipText(f, "/>")) {
			f->depth--;
			return true;
		}
		if (fragmentSkipText(f, ">"))
			return true;
		name = f->at;
		length = fragmentScanName(f);
		if (!isApart || length == 0 || count == 64)
			return false;
		for (size_t i = 0; i < count; i++)
			if (lengths[i] == length &&
			    memcmp(names[i], name, length) == 0)
				return false;
		names[count] = name;
		lengths[count++] = length;
		fragmentSkipBlanks(f);
		if (!fragmentSkipText(f, "="))
			return false;
		fragmentSkipBlanks(f);
		if (!fragmentScanValue(f))
			return false;
	}
}

static bool fragmentScanTag(struct fragment *f)
{
	const char *name;
	size_t length;

	if (fragmentSkipText(f, "</")) {
		name = f->at;
		length = fragmentScanName(f);
		fragmentSkipBlanks(f);
		if (f->depth == 0 || length != f->lengths[f->depth - 1] ||
		    memcmp(name, f->names[f->depth - 1], length) != 0 ||
		    !fragmentSkipText(f, ">"))
			return false;
		f->depth--;
		return true;
	}
	f->at++;
	name = f->at;
	length = fragmentScanName(f);
	if (length == 0 || f->depth == HD_FRAGMENT_DEPTH)
		return false;
	f->names[f->depth] = name;
	f->lengths[f->depth++] = length;
	return takeAttributes(f);
}

bool hdFragmentIsValid(const char *text, size_t length)
{
	struct fragment f = { .at = text, .end = text + length };

	while (f.at < f.end) {
		if (*f.at == '<') {
			if (!fragmentScanTag(&f))
				return false;
		} else if (f.depth == 0 && !fragmentIsBlank(*f.at)) {
			return false;
		} else if ((size_t)(f.end - f.at) >= 3 &&
			   memcmp(f.at, "]]>", 3) == 0) {
			return false;
		} else if (!takeCharacter(&f)) {
			return false;
		}
	}
	return f.depth == 0;
}
