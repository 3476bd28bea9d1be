/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Hints: a small list of keys and values, which carries tokens.
 *
 * As bytes a list is the letters "HDh1" and the number of hints in one byte;
 * each hint is the length of its key in one byte, that of its value in two (the
 * higher one first), the key and the value. Keys are sorted as they were added,
 * none is there twice.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <hdRelation.h>
#include "HDTraceWritingCLibrary/src/error.h"

#define HINTS_MAGIC "HDh1"
#define HINTS_MAGIC_SIZE (sizeof(HINTS_MAGIC) - 1)
/* Bytes before the first hint, and before the key of each. */
#define HINTS_HEAD (HINTS_MAGIC_SIZE + 1)
#define HINT_HEAD 3

struct hint {
	char *key;
	size_t keyLength;
	unsigned char *value; /* Behind the key, in the same memory. */
	size_t length;
};

struct _hdR_hints {
	struct hint hints[HDR_MAX_HINTS];
	size_t count;
};

static struct hint *hintFind(const hdR_hints *hints, const char *key,
			     size_t length)
{
	for (size_t i = 0; hints && i < hints->count; i++)
		if (hints->hints[i].keyLength == length &&
		    memcmp(hints->hints[i].key, key, length) == 0)
			return (struct hint *)&hints->hints[i];
	return NULL;
}

static int hintMake(struct hint *hint, const char *key, size_t keyLength,
		    const void *value, size_t length)
{
	hint->key = malloc(keyLength + length + 2);
	if (!hint->key)
		return -HD_ERR_MALLOC;
	hint->keyLength = keyLength;
	memcpy(hint->key, key, keyLength);
	hint->key[keyLength] = '\0';
	hint->value = (unsigned char *)hint->key + keyLength + 1;
	hint->length = length;
	if (length > 0)
		memcpy(hint->value, value, length);
	hint->value[length] = '\0';
	return 0;
}

static int hintsAdd(hdR_hints **hints, const char *key, size_t keyLength,
		    const void *value, size_t length)
{
	hdR_hints *list = *hints;
	struct hint *old = hintFind(list, key, keyLength), hint;
	int ret;

	if (keyLength > HDR_MAX_HINT_KEY_LENGTH ||
	    length > HDR_MAX_HINT_LENGTH ||
	    (!old && list && list->count == HDR_MAX_HINTS))
		return -HD_ERR_BUFFER_OVERFLOW;
	ret = hintMake(&hint, key, keyLength, value, length);
	if (ret < 0)
		return ret;
	if (!list) {
		list = calloc(1, sizeof(*list));
		if (!list) {
			free(hint.key);
			return -HD_ERR_MALLOC;
		}
		*hints = list;
	}
	if (old)
		free(old->key);
	else
		old = &list->hints[list->count++];
	*old = hint;
	return 0;
}

int hdR_addHint(hdR_hints **hints, const char *key, const void *value,
		size_t length)
{
	int saved = errno;
	int ret;

	if (!hints || !key || !*key || (!value && length > 0))
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	ret = hintsAdd(hints, key, strlen(key), value, length);
	if (ret == 0)
		errno = saved;
	return hdResult(ret);
}

int hdR_addTokenHint(hdR_hints **hints, hdR_token token)
{
	char text[HDR_TOKEN_SIZE];
	int length;

	if (!token)
		return -1;
	length = hdR_putRemoteToken(token, text, sizeof(text));
	if (length < 0)
		return -1;
	return hdR_addHint(hints, HDR_HINT_TOKEN, text, (size_t)length);
}

const void *hdR_getHint(const hdR_hints *hints, const char *key, size_t *length)
{
	const struct hint *hint =
		key ? hintFind(hints, key, strlen(key)) : NULL;

	if (length)
		*length = hint ? hint->length : 0;
	return hint ? hint->value : NULL;
}

hdR_token hdR_relateHint(hdR_topoToken topology, const hdR_hints *hints)
{
	size_t length;
	const char *text = hdR_getHint(hints, HDR_HINT_TOKEN, &length);

	if (!topology || !text)
		return NULL;
	/* Others may have put a '\0' into it. */
	if (strlen(text) != length)
		return hdFailNull(-HD_ERR_INVALID_ARGUMENT);
	return hdR_relateRemoteToken(topology, text);
}

size_t hdR_encodeHints(const hdR_hints *hints, void *buffer, size_t size)
{
	size_t needed = HINTS_HEAD;
	unsigned char *to = buffer;

	for (size_t i = 0; hints && i < hints->count; i++)
		needed += HINT_HEAD + hints->hints[i].keyLength +
			  hints->hints[i].length;
	if (needed > size || !buffer)
		return needed;
	memcpy(to, HINTS_MAGIC, HINTS_MAGIC_SIZE);
	to += HINTS_MAGIC_SIZE;
	*to++ = (unsigned char)(hints ? hints->count : 0);
	for (size_t i = 0; hints && i < hints->count; i++) {
		const struct hint *hint = &hints->hints[i];

		*to++ = (unsigned char)hint->keyLength;
		*to++ = (unsigned char)(hint->length >> 8);
		*to++ = (unsigned char)hint->length;
		memcpy(to, hint->key, hint->keyLength);
		to += hint->keyLength;
		memcpy(to, hint->value, hint->length);
		to += hint->length;
	}
	return needed;
}

/* Decode the hint that begins at @p at of @p left bytes; its size, or negative.
 */
static int hintDecode(hdR_hints **hints, const unsigned char *at, size_t left)
{
	size_t keyLength, length;
	int ret;

	if (left < HINT_HEAD)
		return -HD_ERR_INVALID_ARGUMENT;
	keyLength = at[0];
	length = (size_t)at[1] << 8 | at[2];
	if (keyLength == 0 || left - HINT_HEAD < keyLength + length ||
	    memchr(at + HINT_HEAD, '\0', keyLength) ||
	    hintFind(*hints, (const char *)at + HINT_HEAD, keyLength))
		return -HD_ERR_INVALID_ARGUMENT;
	ret = hintsAdd(hints, (const char *)at + HINT_HEAD, keyLength,
		       at + HINT_HEAD + keyLength, length);
	if (ret == -HD_ERR_BUFFER_OVERFLOW)
		return -HD_ERR_INVALID_ARGUMENT;
	return ret < 0 ? ret : (int)(HINT_HEAD + keyLength + length);
}

int hdR_decodeHints(hdR_hints **hints, const void *bytes, size_t length)
{
	const unsigned char *at = bytes;
	hdR_hints *list = NULL;
	int saved = errno;
	size_t count;

	if (!hints)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	*hints = NULL;
	if (!bytes || length < HINTS_HEAD ||
	    memcmp(bytes, HINTS_MAGIC, HINTS_MAGIC_SIZE) != 0)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	count = at[HINTS_MAGIC_SIZE];
	at += HINTS_HEAD;
	length -= HINTS_HEAD;
	for (size_t i = 0; i < count; i++) {
		int ret = hintDecode(&list, at, length);

		if (ret < 0) {
			hdR_freeHints(&list);
			return hdFail(ret);
		}
		at += ret;
		length -= (size_t)ret;
	}
	if (length > 0) {
		hdR_freeHints(&list);
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	}
	*hints = list;
	errno = saved;
	return 0;
}

void hdR_freeHints(hdR_hints **hints)
{
	if (!hints || !*hints)
		return;
	for (size_t i = 0; i < (*hints)->count; i++)
		free((*hints)->hints[i].key);
	free(*hints);
	*hints = NULL;
}
