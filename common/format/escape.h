/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Names and text in XML.
 */
#ifndef HD_ESCAPE_H
#define HD_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/format/text.h"

/** Longest name of a state, element or attribute. */
#define HD_NAME_MAX 1000

/** What a byte may be in a name. */
#define HD_NAME_START 1
#define HD_NAME_MORE 2
extern const unsigned char hdNameBytes[256];

/**
 * Measure a name.
 *
 * A name starts with `A-Z a-z _` and goes on with these and `0-9 . -`.
 *
 * @return Its length where it ends at a byte that cannot be in a name (which
 *         is for the caller to judge), 0 if it does not start as one or is
 *         longer than HD_NAME_MAX.
 */
size_t hdNameLength(const char *name);

/** Whether a whole string is a name. */
static inline bool hdNameIsValid(const char *name)
{
	size_t length = hdNameLength(name);

	return length > 0 && name[length] == '\0';
}

/** Length of the UTF-8 sequence at the beginning, or 0 if there is none or XML
 *  does not allow its character. Bytes above 0x7f only. */
size_t hdEscapeSequence(const unsigned char *s, size_t left);

/** Bytes that stand for themselves in an attribute; '\0' is none. */
extern const unsigned char hdPlainBytes[256];

/** Bytes of a string that hdEscapePlain() appends at most. */
#define HD_PLAIN_MAX 32

/**
 * Append what a string begins with, as long as it stands for itself; there
 * must be room for HD_PLAIN_MAX bytes.
 *
 * @return The rest of the string: "" for most strings there are.
 */
static inline const char *hdEscapePlain(struct hdText *text, const char *string)
{
	char *to = text->bytes + text->used;
	size_t length = 0;

	while (length < HD_PLAIN_MAX &&
	       hdPlainBytes[(unsigned char)string[length]]) {
		to[length] = string[length];
		length++;
	}
	text->used += length;
	return string + length;
}

/** Bytes that are looked at together. */
typedef unsigned char hdPlainBlock __attribute__((__vector_size__(16)));

/** Which of these bytes do not stand for themselves: they are not 0. */
static inline hdPlainBlock hdPlainNot(hdPlainBlock bytes)
{
	typedef signed char block __attribute__((__vector_size__(16)));

	/* Also those above 0x7f; & and ', < and >. */
	return (hdPlainBlock)(((block)bytes < ' ') | (bytes == '"') |
			      ((bytes & 0xfe) == '&') |
			      ((bytes & 0xfd) == '<'));
}

/** Whether none of them is set. */
static inline bool hdPlainIsNone(hdPlainBlock bytes)
{
	uint64_t halves[2];

	memcpy(halves, &bytes, sizeof(halves));
	return (halves[0] | halves[1]) == 0;
}

/** Copy so many bytes of a text, and say which do not stand for themselves. */
static inline hdPlainBlock hdPlainCopyBlock(char *to, const char *from)
{
	hdPlainBlock block;

	memcpy(&block, from, sizeof(block));
	memcpy(to, &block, sizeof(block));
	return hdPlainNot(block);
}

/** hdPlainCopy() of 4 to 15 bytes: four pieces of four, some of them twice. */
static inline bool hdPlainCopyFew(char *to, const char *from, size_t length)
{
	size_t step = length / 8 * 4;
	uint32_t words[4];
	hdPlainBlock block;

	memcpy(&words[0], from, 4);
	memcpy(&words[1], from + step, 4);
	memcpy(&words[2], from + length - 4 - step, 4);
	memcpy(&words[3], from + length - 4, 4);
	memcpy(to, &words[0], 4);
	memcpy(to + step, &words[1], 4);
	memcpy(to + length - 4 - step, &words[2], 4);
	memcpy(to + length - 4, &words[3], 4);
	memcpy(&block, words, sizeof(block));
	return hdPlainIsNone(hdPlainNot(block));
}

/**
 * Copy bytes and say whether all of them stand for themselves. Reads and writes
 * no others.
 */
static inline bool hdPlainCopy(char *to, const char *from, size_t length)
{
	hdPlainBlock others;

	if (length >= 16) {
		others = hdPlainCopyBlock(to + length - 16, from + length - 16);
		for (size_t i = 0; i + 16 < length; i += 16)
			others |= hdPlainCopyBlock(to + i, from + i);
		return hdPlainIsNone(others);
	}
	if (length >= 4)
		return hdPlainCopyFew(to, from, length);
	for (size_t i = 0; i < length; i++) {
		to[i] = from[i];
		if (!hdPlainBytes[(unsigned char)from[i]])
			return false;
	}
	return true;
}

/**
 * Begin to put text as it has to stand in an attribute.
 *
 * Blanks other than ' ' become references, so that a parser does not change
 * them; bytes that XML cannot express become U+FFFD.
 *
 * @param[out] piece, pieceLength What to put for the bytes that were taken.
 *
 * @return How many bytes were taken; 0 if there are none.
 */
size_t hdEscapeNext(const char *bytes, size_t length, const char **piece,
		    size_t *pieceLength);

/** Write text as it has to stand in an attribute; see hdEscapeNext(). */
void hdEscapeTo(FILE *file, const char *text);

/**
 * Append text as it has to stand in an attribute; see hdEscapeNext().
 *
 * @return 0, or -ENOMEM with a part of it appended.
 */
int hdEscape(struct hdText *text, const char *bytes, size_t length);

#endif
