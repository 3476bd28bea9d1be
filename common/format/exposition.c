/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Texts in exposition formats; see exposition.h. */
#include "config.h"

#include <string.h>

#include "common/format/escape.h"
#include "common/format/exposition.h"

static size_t takeSequence(const char **text, char *piece)
{
	const unsigned char *at = (const unsigned char *)*text;
	size_t left = strnlen(*text, HD_EXPOSITION_PIECE);
	size_t length = hdEscapeSequence(at, left);

	if (length == 0) {
		memcpy(piece, "\xef\xbf\xbd", 3);
		++*text;
		return 3;
	}
	memcpy(piece, at, length);
	*text += length;
	return length;
}

size_t hdExpositionPiece(enum hdExposition where, const char **text,
			 char piece[HD_EXPOSITION_PIECE])
{
	char byte = **text;
	bool isEscaped = byte == '\n' || byte == '\\' ||
			 (byte == '"' && where != HD_EXPOSITION_HELP);

	if ((unsigned char)byte > 0x7f)
		return takeSequence(text, piece);
	++*text;
	piece[0] = isEscaped ? '\\' : byte;
	piece[1] = byte == '\n' ? 'n' : byte;
	return isEscaped ? 2 : 1;
}

size_t hdExpositionNamePiece(unsigned char byte,
			     char piece[HD_EXPOSITION_PIECE])
{
	static const char digits[] = "0123456789abcdef";

	piece[0] = (char)byte;
	if (byte >= 'A' && byte <= 'Z')
		piece[0] = (char)(byte - 'A' + 'a');
	else if ((byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9'))
		return 1;
	else if (byte >= ' ' && byte < 0x7f && !strchr("\\\"'`", byte))
		piece[0] = '_';
	else {
		piece[0] = 'x';
		piece[1] = digits[byte >> 4];
		piece[2] = digits[byte & 0xf];
		return 3;
	}
	return 1;
}
