/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A growing piece of text, not terminated.
 *
 * Memory is kept when the text gets shorter, so that a text that is used again
 * and again soon allocates no more.
 */
#ifndef HD_TEXT_H
#define HD_TEXT_H

#include <stdarg.h>
#include <stddef.h>
#include <string.h>

/** Bytes behind the room of a text, for who copies it in pieces. */
#define HD_TEXT_PIECE 32

/** All zero is an empty text. */
struct hdText {
	char *bytes;
	size_t used;
	size_t size;
};

/** Slow part of hdTextRoom(). */
int hdTextGrow(struct hdText *text, size_t more);

/** Make sure that @p more bytes fit; 0 or -ENOMEM. */
static inline int hdTextRoom(struct hdText *text, size_t more)
{
	return text->size - text->used >= more ? 0 : hdTextGrow(text, more);
}

/** Append where hdTextRoom() made room. */
static inline void hdTextPut(struct hdText *text, const char *bytes,
			     size_t length)
{
	memcpy(text->bytes + text->used, bytes, length);
	text->used += length;
}

/** Append one byte where hdTextRoom() made room. */
static inline void hdTextPutc(struct hdText *text, char byte)
{
	text->bytes[text->used++] = byte;
}

/** Append a string; 0 or -ENOMEM with the text unchanged. */
int hdTextAdd(struct hdText *text, const char *string);

/**
 * Append a formatted string and, after it, an uncounted '\0'.
 *
 * @return 0, -ENOMEM or -EINVAL (the format is
 *         faulty), the last two with the text unchanged.
 */
int hdTextPrintf(struct hdText *text, const char *format, va_list arguments);

/** Free the memory; the text is empty then. */
void hdTextClear(struct hdText *text);

#endif
