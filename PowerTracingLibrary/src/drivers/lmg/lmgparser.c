/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parser of what an LMG450 sends; see lmgparser.h. */
#include "config.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "PowerTracingLibrary/src/drivers/lmg/lmgparser.h"

/* What came of looking at bytes: the length of a message, or one of these. */
#define MORE 0
#define BAD (-1)

/* ---- Packed values ----------------------------------------------------- */

/* Read `#` D LEN; the length of the header. */
static int scanHeader(const uint8_t *bytes, size_t size, size_t *length)
{
	size_t digits;

	if (bytes[0] != '#')
		return BAD;
	if (size < 2)
		return MORE;
	if (bytes[1] < '1' || bytes[1] > '9')
		return BAD;
	digits = (size_t)(bytes[1] - '0');
	*length = 0;
	for (size_t i = 0; i < digits; i++) {
		if (2 + i >= size)
			return MORE;
		if (bytes[2 + i] < '0' || bytes[2 + i] > '9')
			return BAD;
		*length = 10 * *length + (size_t)(bytes[2 + i] - '0');
	}
	/* Blocks of nothing could go on for ever. */
	return *length == 0 ? BAD : (int)(2 + digits);
}

/*
 * Look at blocks and the LF behind them.
 *
 * @param limit Bytes of data there can be at the most.
 * @param data Gets them if not NULL.
 * @param why Gets the reason of BAD.
 */
static int lmgParserScanBlocks(const uint8_t *bytes, size_t size, size_t limit,
			       uint8_t *data, size_t *total, const char **why)
{
	size_t at = 0;

	*total = 0;
	while (at < size) {
		size_t length = 0;
		int header;

		if (at > 0 && bytes[at] == '\n')
			return (int)at + 1;
		header = scanHeader(bytes + at, size - at, &length);
		if (header == MORE)
			return MORE;
		if (header == BAD) {
			*why = at > 0 ? "a block is not followed by another "
					"block or the end"
				      : "invalid start of a block";
			return BAD;
		}
		if (length > limit - *total) {
			*why = "more data than requested";
			return BAD;
		}
		at += (size_t)header;
		if (length > size - at)
			return MORE;
		if (data)
			memcpy(data + *total, bytes + at, length);
		*total += length;
		at += length;
	}
	return MORE;
}

static int scanPacked(const uint8_t *bytes, size_t size, size_t count,
		      uint32_t *values, const char **why)
{
	uint8_t data[4 * PT_LMG_VALUES_MAX];
	size_t total;
	int ret =
		lmgParserScanBlocks(bytes, size, 4 * count, data, &total, why);

	if (ret == BAD && bytes[0] != '#')
		*why = "missing block";
	if (ret <= 0)
		return ret;
	if (total != 4 * count) {
		*why = "less data than requested";
		return BAD;
	}
	for (size_t i = 0; i < count; i++)
		values[i] = (uint32_t)data[4 * i] |
			    (uint32_t)data[4 * i + 1] << 8 |
			    (uint32_t)data[4 * i + 2] << 16 |
			    (uint32_t)data[4 * i + 3] << 24;
	return ret;
}

/* ---- Text -------------------------------------------------------------- */

/* Find the end of a text; a LF in double quotes does not count. */
static int scanText(const uint8_t *bytes, size_t size)
{
	bool isQuoted = false;

	for (size_t i = 0; i < size; i++) {
		if (bytes[i] == '"')
			isQuoted = !isQuoted;
		else if (bytes[i] == '\n' && !isQuoted)
			return (int)i + 1;
	}
	return MORE;
}

static size_t scanDigits(const char *text)
{
	return strspn(text, "0123456789");
}

/* The length of a number: [+-] digits [. digits] [E [+-] digits], or 0. */
static size_t lmgParserScanNumber(const char *text)
{
	size_t at = strspn(text, "+-") == 1, digits = scanDigits(text + at);

	if (digits == 0)
		return 0;
	at += digits;
	if (text[at] == '.') {
		digits = scanDigits(text + at + 1);
		if (digits == 0)
			return 0;
		at += 1 + digits;
	}
	if (text[at] == 'E' || text[at] == 'e') {
		size_t sign = strspn(text + at + 1, "+-");

		digits = scanDigits(text + at + 1 + sign);
		if (sign > 1 || digits == 0)
			return 0;
		at += 1 + sign + digits;
	}
	return at;
}

/* Read exactly @p count numbers from a line that ends with a zero. */
static bool readNumbers(const char *text, size_t count, uint32_t *values)
{
	/* The system's own; made without memory. */
	locale_t locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	bool isGood = locale != (locale_t)0;

	for (size_t i = 0; i < count && isGood; i++) {
		size_t length = lmgParserScanNumber(text);
		float value = strtof_l(text, NULL, locale);

		isGood = length > 0 && isfinite(value) &&
			 text[length] == (i + 1 < count ? ';' : '\0');
		memcpy(&values[i], &value, sizeof(values[i]));
		text += length + 1;
	}
	if (locale)
		freelocale(locale);
	return isGood;
}

static int scanAscii(uint8_t *bytes, size_t size, size_t count,
		     uint32_t *values, const char **why)
{
	uint8_t *end = memchr(bytes, '\n', size);

	if (!end)
		return MORE;
	*end = '\0';
	if (!memchr(bytes, '\0', (size_t)(end - bytes)) &&
	    readNumbers((const char *)bytes, count, values))
		return (int)(end - bytes) + 1;
	*end = '\n';
	*why = bytes[0] == '#' ? "there is a block instead of text"
			       : "the ASCII values do not match the request";
	return BAD;
}

/* ---- Messages ---------------------------------------------------------- */

void ptLmgInit(struct ptLmgParser *parser)
{
	parser->position = 0;
	parser->begin = parser->end = 0;
	ptLmgExpect(parser, PT_LMG_TEXT, 0);
}

static void lmgParserDropBytes(struct ptLmgParser *parser, size_t size)
{
	parser->begin += size;
	parser->position += size;
}

void ptLmgExpect(struct ptLmgParser *parser, enum ptLmgKind kind, size_t count)
{
	lmgParserDropBytes(parser, ptLmgPending(parser));
	parser->kind = kind;
	parser->count = count;
	parser->isLost = parser->isTail = false;
}

size_t ptLmgPush(struct ptLmgParser *parser, const void *bytes, size_t size)
{
	size_t pending = ptLmgPending(parser);

	if (size > sizeof(parser->bytes) - parser->end) {
		memmove(parser->bytes, parser->bytes + parser->begin, pending);
		parser->begin = 0;
		parser->end = pending;
	}
	if (size > sizeof(parser->bytes) - parser->end)
		size = sizeof(parser->bytes) - parser->end;
	if (size > 0)
		memcpy(parser->bytes + parser->end, bytes, size);
	parser->end += size;
	return size;
}

/* Drop what begins here and is no message: @p whole bytes if that is known. */
static void lmgParserSkipJunk(struct ptLmgParser *parser, size_t whole)
{
	uint8_t *bytes = parser->bytes + parser->begin, *next;
	size_t size = ptLmgPending(parser);

	if (whole > 0) {
		lmgParserDropBytes(parser, whole);
	} else if (parser->kind == PT_LMG_PACKED) {
		next = memchr(bytes + 1, '#', size - 1);
		lmgParserDropBytes(parser,
				   next ? (size_t)(next - bytes) : size);
	} else {
		next = memchr(bytes, '\n', size);
		lmgParserDropBytes(parser,
				   next ? (size_t)(next - bytes) + 1 : size);
		parser->isTail = !next;
	}
}

/* Text, or a block of values that was on its way. */
static int scanReply(uint8_t *bytes, size_t size, const char **text,
		     const char **why, size_t *whole)
{
	size_t total;
	int ret;

	if (bytes[0] == '#') {
		ret = lmgParserScanBlocks(bytes, size, PT_LMG_MESSAGE_MAX, NULL,
					  &total, why);
		if (ret == MORE)
			return MORE;
		*whole = ret > 0 ? (size_t)ret : 0;
		*why = "there is a block instead of text";
		return BAD;
	}
	ret = scanText(bytes, size);
	if (ret > 0) {
		bytes[ret - 1] = '\0';
		*text = (const char *)bytes;
	}
	return ret;
}

/* @p whole gets the length of what is BAD, if that is known. */
static int scan(struct ptLmgParser *parser, struct ptLmgMessage *message,
		const char **why, size_t *whole)
{
	uint8_t *bytes = parser->bytes + parser->begin;
	size_t size = ptLmgPending(parser);
	int ret;

	/* However many bytes came at once, the outcome is the same. */
	if (size > PT_LMG_MESSAGE_MAX)
		size = PT_LMG_MESSAGE_MAX;
	if (parser->kind == PT_LMG_PACKED)
		ret = scanPacked(bytes, size, parser->count, message->values,
				 why);
	else if (parser->kind == PT_LMG_ASCII)
		ret = scanAscii(bytes, size, parser->count, message->values,
				why);
	else
		ret = scanReply(bytes, size, &message->text, why, whole);
	if (ret == MORE && size == PT_LMG_MESSAGE_MAX) {
		*why = "a reply has no terminator";
		return BAD;
	}
	return ret;
}

int ptLmgNext(struct ptLmgParser *parser, struct ptLmgMessage *message)
{
	while (ptLmgPending(parser) > 0) {
		const char *why = "";
		size_t whole = 0;
		int ret;

		if (parser->isTail) {
			lmgParserSkipJunk(parser, 0);
			continue;
		}
		ret = scan(parser, message, &why, &whole);
		if (ret == MORE)
			return 0;
		message->position = parser->position;
		if (ret > 0) {
			message->length = (size_t)ret;
			lmgParserDropBytes(parser, (size_t)ret);
			parser->isLost = false;
			return 1;
		}
		lmgParserSkipJunk(parser, whole);
		if (!parser->isLost) {
			parser->isLost = true;
			snprintf(message->why, sizeof(message->why), "%s", why);
			return -EPROTO;
		}
	}
	return 0;
}
