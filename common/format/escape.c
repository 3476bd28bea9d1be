/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names and text in XML; see escape.h. */
#include "config.h"

#include <errno.h>
#include <stdint.h>

#include "common/format/escape.h"

#define START (HD_NAME_START | HD_NAME_MORE)

const unsigned char hdNameBytes[256] = {
	['A' ... 'Z'] = START, ['a' ... 'z'] = START,
	['_'] = START,         ['0' ... '9'] = HD_NAME_MORE,
	['.'] = HD_NAME_MORE,  ['-'] = HD_NAME_MORE,
};

const unsigned char hdPlainBytes[256] = {
	[' ' ... '!'] = 1, ['#' ... '%'] = 1,  ['(' ... ';'] = 1,
	['='] = 1,         ['?' ... 0x7f] = 1,
};

size_t hdNameLength(const char *name)
{
	size_t length = 0;

	if (!(hdNameBytes[(unsigned char)name[0]] & HD_NAME_START))
		return 0;
	while (hdNameBytes[(unsigned char)name[length]])
		if (++length > HD_NAME_MAX)
			return 0;
	return length;
}

size_t hdEscapeSequence(const unsigned char *s, size_t left)
{
	uint32_t character;
	size_t length;

	if (s[0] >= 0xc2 && s[0] <= 0xdf) {
		length = 2;
		character = s[0] & 0x1f;
	} else if (s[0] >= 0xe0 && s[0] <= 0xef) {
		length = 3;
		character = s[0] & 0x0f;
	} else if (s[0] >= 0xf0 && s[0] <= 0xf4) {
		length = 4;
		character = s[0] & 0x07;
	} else {
		return 0;
	}
	if (length > left)
		return 0;
	for (size_t i = 1; i < length; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		character = character << 6 | (s[i] & 0x3f);
	}
	if ((length == 3 && character < 0x800) ||
	    (length == 4 && character < 0x10000) || character > 0x10ffff ||
	    (character >= 0xd800 && character <= 0xdfff) ||
	    character == 0xfffe || character == 0xffff)
		return 0;
	return length;
}

/* What stands for a byte below 0x80 that is not plain. */
static const char *escapeReference(unsigned char byte)
{
	switch (byte) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '\'':
		return "&apos;";
	case '"':
		return "&quot;";
	case '\t':
		return "&#9;";
	case '\n':
		return "&#10;";
	case '\r':
		return "&#13;";
	default:
		return "\xef\xbf\xbd";
	}
}

size_t hdEscapeNext(const char *bytes, size_t length, const char **piece,
		    size_t *pieceLength)
{
	const unsigned char *s = (const unsigned char *)bytes;
	size_t taken = 0;

	while (taken < length && hdPlainBytes[s[taken]])
		taken++;
	if (taken == 0 && length > 0 && s[0] >= 0x80)
		taken = hdEscapeSequence(s, length);
	*piece = bytes;
	*pieceLength = taken;
	if (taken == 0 && length > 0) {
		*piece = escapeReference(s[0]);
		*pieceLength = strlen(*piece);
		taken = 1;
	}
	return taken;
}

void hdEscapeTo(FILE *file, const char *text)
{
	size_t length = strlen(text), taken, pieceLength;
	const char *piece;

	while ((taken = hdEscapeNext(text, length, &piece, &pieceLength)) > 0) {
		fwrite(piece, 1, pieceLength, file);
		text += taken;
		length -= taken;
	}
}

int hdEscape(struct hdText *text, const char *bytes, size_t length)
{
	while (length > 0) {
		const char *piece;
		size_t pieceLength;
		size_t taken =
			hdEscapeNext(bytes, length, &piece, &pieceLength);

		if (hdTextRoom(text, pieceLength) < 0)
			return -ENOMEM;
		hdTextPut(text, piece, pieceLength);
		bytes += taken;
		length -= taken;
	}
	return 0;
}
