/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The attributes of one XML element while they are collected.
 */
#ifndef HD_ATTRIBUTES_H
#define HD_ATTRIBUTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hdError.h>
#include "common/format/escape.h"
#include "common/format/text.h"

/** Keys up to this length go the short way. */
#define HD_KEY_SHORT 48

/** Filter that knows most keys that an element does not have. */
struct hdKeys {
	uint64_t first;
	uint64_t second;
};

/** Whether a key of which `length` bytes can be in a name is one, and free. */
static inline bool hdAttributeIsGood(const char *key, size_t length,
				     char terminator)
{
	return key[length] == terminator &&
	       (hdNameBytes[(unsigned char)key[0]] & HD_NAME_START) &&
	       !(length == 4 && memcmp(key, "time", 4) == 0) &&
	       !(length == 3 && memcmp(key, "end", 3) == 0);
}

/** Whether the element has the attribute. */
bool hdAttributeIsThere(const struct hdText *text, size_t element,
			const char *key, size_t length);

/** hdAttributeBegin() for long keys. */
int hdAttributeBeginLong(struct hdText *text, size_t element,
			 struct hdKeys *keys, const char *key, char terminator,
			 size_t room);

/**
 * Append ` key='`, after checking the key.
 *
 * @param text Text that ends in the element's start tag, as far as it is.
 * @param element Where that start tag stands in @p text.
 * @param keys Of that element; all zero for a new one.
 * @param key Name of the attribute.
 * @param terminator What must follow the name in @p key.
 * @param room Bytes to make room for after it.
 *
 * @return 0, -HD_ERR_MALLOC or -HD_ERR_INVALID_ARGUMENT (the key is not a
 *         name, is reserved, or was there before) with nothing appended.
 */
static inline int hdAttributeBegin(struct hdText *text, size_t element,
				   struct hdKeys *keys, const char *key,
				   char terminator, size_t room)
{
	uint64_t hash = 0;
	uint64_t first, second;
	size_t length = 0;
	char *to;

	/* Most keys are short: make room for one of those first. */
	if (__builtin_expect(hdTextRoom(text, HD_KEY_SHORT + 16 + room) < 0, 0))
		return -HD_ERR_MALLOC;
	to = text->bytes + text->used;
	*to++ = ' ';
	while (hdNameBytes[(unsigned char)key[length]]) {
		if (__builtin_expect(length == HD_KEY_SHORT, 0))
			return hdAttributeBeginLong(text, element, keys, key,
						    terminator, room);
		to[length] = key[length];
		hash = (hash << 9 | hash >> 55) ^ (unsigned char)key[length];
		length++;
	}
	hash *= UINT64_C(0x9e3779b97f4a7c15);
	first = UINT64_C(1) << (hash >> 58);
	second = UINT64_C(1) << (hash >> 52 & 63);
	if (__builtin_expect(!hdAttributeIsGood(key, length, terminator), 0))
		return -HD_ERR_INVALID_ARGUMENT;
	if (__builtin_expect((keys->first & first) && (keys->second & second),
			     0) &&
	    hdAttributeIsThere(text, element, key, length))
		return -HD_ERR_INVALID_ARGUMENT;
	keys->first |= first;
	keys->second |= second;
	memcpy(to + length, "='", 2);
	text->used += length + 3;
	return 0;
}

/**
 * Append a list of attributes, `key='value' key="value"`, escaped.
 *
 * @param text, element, keys As of hdAttributeBegin().
 * @param list The list.
 *
 * @return 0, -HD_ERR_MALLOC or -HD_ERR_INVALID_ARGUMENT with nothing appended.
 */
int hdAttributeList(struct hdText *text, size_t element, struct hdKeys *keys,
		    const char *list);

#endif
