/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Attributes of XML elements; see attributes.h. */
#include "config.h"

#include "HDTraceWritingCLibrary/src/attributes.h"

/* The values hold no apostrophe, so ` key='` cannot stand in one. */
bool hdAttributeIsThere(const struct hdText *text, size_t element,
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

int hdAttributeBeginLong(struct hdText *text, size_t element,
			 struct hdKeys *keys, const char *key, char terminator,
			 size_t room)
{
	size_t length = hdNameLength(key);

	if (length == 0 || !hdAttributeIsGood(key, length, terminator) ||
	    hdAttributeIsThere(text, element, key, length))
		return -HD_ERR_INVALID_ARGUMENT;
	if (hdTextRoom(text, length + 3 + room) < 0)
		return -HD_ERR_MALLOC;
	/* From now on each key is looked for. */
	keys->first = UINT64_MAX;
	keys->second = UINT64_MAX;
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

int hdAttributeList(struct hdText *text, size_t element, struct hdKeys *keys,
		    const char *list)
{
	size_t used = text->used;
	struct hdKeys keysBefore = *keys;
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
		ret = hdAttributeBegin(text, element, keys, at, '=', 1);
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
		*keys = keysBefore;
	}
	return ret;
}
