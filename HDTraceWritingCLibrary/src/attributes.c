/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Attributes of XML elements; see attributes.h. */
#include <config.h>

#include <stdbool.h>

#include "attributes.h"
#include "escape.h"
#include "hdError.h"

/* Whether ` key='` stands in the start tag. Values hold no apostrophe. */
static bool attributeIsThere(const struct hdText *text, size_t element,
			     const char *key, size_t length)
{
	const char *at = text->bytes + element;
	const char *end = text->bytes + text->used;

	while ((at = memmem(at, (size_t)(end - at), key, length))) {
		if (at[-1] == ' ' && end - at > (ptrdiff_t)length + 1 &&
		    at[length] == '=' && at[length + 1] == '\'')
			return true;
		at += length;
	}
	return false;
}

/* Names that the format uses itself. */
static bool attributeIsReserved(const char *key, size_t length)
{
	return (length == 4 && memcmp(key, "time", 4) == 0) ||
	       (length == 3 && memcmp(key, "end", 3) == 0);
}

int hdAttributeBegin(struct hdText *text, size_t element, uint64_t *seen,
		     const char *key, size_t length, size_t room)
{
	uint32_t hash = (uint32_t)length;
	uint64_t bit;

	if (length == 0 || length > HD_NAME_MAX ||
	    !(hdNameBytes[(unsigned char)key[0]] & HD_NAME_START) ||
	    attributeIsReserved(key, length))
		return -HD_ERR_INVALID_ARGUMENT;
	if (hdTextRoom(text, length + room + 3) < 0)
		return -HD_ERR_MALLOC;
	for (size_t i = 0; i < length; i++) {
		if (!hdNameBytes[(unsigned char)key[i]])
			return -HD_ERR_INVALID_ARGUMENT;
		hash = hash * 31 + (unsigned char)key[i];
	}
	bit = UINT64_C(1) << (hash * UINT32_C(2654435769) >> 26);
	if ((*seen & bit) && attributeIsThere(text, element, key, length))
		return -HD_ERR_INVALID_ARGUMENT;
	*seen |= bit;
	hdTextPutc(text, ' ');
	hdTextPut(text, key, length);
	hdTextPut(text, "='", 2);
	return 0;
}

static const char *attributeSkipBlanks(const char *at)
{
	while (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')
		at++;
	return at;
}

/* Whether a quote before @p after ends a value: the list ends there, or a
 * blank and the next key follow. */
static bool attributeEndsValue(const char *after)
{
	const char *next = attributeSkipBlanks(after);
	size_t length;

	if (!*next)
		return true;
	if (next == after)
		return false;
	length = hdNameLength(next);
	return length > 0 && next[length] == '=' &&
	       (next[length + 1] == '\'' || next[length + 1] == '"');
}

int hdAttributeList(struct hdText *text, size_t element, uint64_t *seen,
		    const char *list)
{
	size_t used = text->used;
	uint64_t seenBefore = *seen;
	const char *at = attributeSkipBlanks(list);
	int ret = 0;

	while (*at && ret == 0) {
		size_t length = hdNameLength(at);
		const char *value = at + length + 2;
		const char *end;

		if (length == 0 || at[length] != '=' ||
		    (value[-1] != '\'' && value[-1] != '"')) {
			ret = -HD_ERR_INVALID_ARGUMENT;
			break;
		}
		end = value;
		while (*end &&
		       !(*end == value[-1] && attributeEndsValue(end + 1)))
			end++;
		if (!*end) {
			ret = -HD_ERR_INVALID_ARGUMENT;
			break;
		}
		ret = hdAttributeBegin(text, element, seen, at, length, 1);
		if (ret == 0)
			ret = hdEscape(text, value, (size_t)(end - value));
		if (ret == 0)
			ret = hdTextRoom(text, 1);
		if (ret == 0)
			hdTextPutc(text, '\'');
		at = attributeSkipBlanks(end + 1);
	}
	if (ret < 0) {
		text->used = used;
		*seen = seenBefore;
	}
	return ret;
}
