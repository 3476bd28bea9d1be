/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Just enough XML to change one attribute or to close what was cut off.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/edit/xmlscan.h"
#include "common/format/escape.h"

static bool isSpace(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool startsWith(const char *text, size_t size, size_t at,
		       const char *prefix)
{
	size_t length = strlen(prefix);

	return size - at >= length && memcmp(text + at, prefix, length) == 0;
}

/** Find a string behind a position; sets end behind it. */
static bool xmlScanFindEnd(const char *text, size_t size, size_t at,
			   const char *string, size_t *end)
{
	size_t length = strlen(string);

	for (; size - at >= length; at++) {
		const char *found = memchr(text + at, string[0], size - at);

		if (!found)
			return false;
		at = (size_t)(found - text);
		if (startsWith(text, size, at, string)) {
			*end = at + length;
			return true;
		}
	}
	return false;
}

/** The end of a tag: the next '>' that is not in quotes. */
static bool findTagEnd(const char *text, size_t size, size_t at, size_t *end)
{
	char quote = '\0';

	for (; at < size; at++) {
		if (quote && text[at] == quote) {
			quote = '\0';
		} else if (!quote && (text[at] == '"' || text[at] == '\'')) {
			quote = text[at];
		} else if (!quote && text[at] == '>') {
			*end = at + 1;
			return true;
		} else if (!quote && text[at] == '<') {
			return false;
		}
	}
	return false;
}

static bool tag(const char *text, size_t size, struct xmlPiece *piece)
{
	size_t name = piece->start + 1;
	bool isEnd = name < size && text[name] == '/';

	name += isEnd;
	if (!findTagEnd(text, size, name, &piece->end))
		return false;
	piece->name = name;
	while (name < piece->end && !isSpace(text[name]) && text[name] != '>' &&
	       text[name] != '/')
		name++;
	piece->nameLength = name - piece->name;
	piece->kind = isEnd ? XML_END : XML_START;
	if (!isEnd && text[piece->end - 2] == '/')
		piece->kind = XML_EMPTY;
	return piece->nameLength > 0;
}

bool xmlNext(const char *text, size_t size, size_t at, struct xmlPiece *piece)
{
	const char *open;

	if (at >= size)
		return false;
	*piece = (struct xmlPiece){ .kind = XML_OTHER, .start = at };
	if (text[at] != '<') {
		open = memchr(text + at, '<', size - at);
		piece->kind = XML_TEXT;
		piece->end = open ? (size_t)(open - text) : size;
		return true;
	}
	if (startsWith(text, size, at, "<!--"))
		return xmlScanFindEnd(text, size, at + 4, "-->", &piece->end);
	if (startsWith(text, size, at, "<![CDATA[")) {
		piece->kind = XML_TEXT;
		return xmlScanFindEnd(text, size, at + 9, "]]>", &piece->end);
	}
	if (startsWith(text, size, at, "<?"))
		return xmlScanFindEnd(text, size, at + 2, "?>", &piece->end);
	if (startsWith(text, size, at, "<!"))
		return findTagEnd(text, size, at + 2, &piece->end);
	return tag(text, size, piece);
}

bool xmlHasName(const char *text, const struct xmlPiece *piece,
		const char *name)
{
	return strlen(name) == piece->nameLength &&
	       g_ascii_strncasecmp(text + piece->name, name,
				   piece->nameLength) == 0;
}

bool xmlFindTag(const char *text, size_t size, size_t at, const char *name,
		struct xmlPiece *tag)
{
	for (; xmlNext(text, size, at, tag); at = tag->end) {
		if ((tag->kind == XML_START || tag->kind == XML_EMPTY) &&
		    (!name || xmlHasName(text, tag, name)))
			return true;
	}
	return false;
}

bool xmlFindAttribute(const char *text, const struct xmlPiece *piece,
		      const char *name, size_t *start, size_t *end)
{
	size_t at = piece->name + piece->nameLength;

	while (at < piece->end) {
		size_t key;
		size_t length;
		char quote;

		while (at < piece->end && isSpace(text[at]))
			at++;
		key = at;
		while (at < piece->end && !isSpace(text[at]) &&
		       text[at] != '=' && text[at] != '>' && text[at] != '/')
			at++;
		length = at - key;
		while (at < piece->end && isSpace(text[at]))
			at++;
		if (length == 0 || at == piece->end || text[at] != '=')
			return false;
		at++;
		while (at < piece->end && isSpace(text[at]))
			at++;
		if (at == piece->end || (text[at] != '"' && text[at] != '\''))
			return false;
		quote = text[at++];
		*start = at;
		while (at < piece->end && text[at] != quote)
			at++;
		if (at == piece->end)
			return false;
		*end = at++;
		if (strlen(name) == length &&
		    memcmp(text + key, name, length) == 0)
			return true;
	}
	return false;
}

void xmlAppend(GString *out, const char *text)
{
	size_t length = strlen(text), taken, pieceLength;
	const char *piece;

	while ((taken = hdEscapeNext(text, length, &piece, &pieceLength)) > 0) {
		g_string_append_len(out, piece, (gssize)pieceLength);
		text += taken;
		length -= taken;
	}
}
