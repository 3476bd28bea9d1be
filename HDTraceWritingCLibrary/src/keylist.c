/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists of keys that are used again and again; see keylist.h. */
#include "config.h"

#include "HDTraceWritingCLibrary/src/keylist.h"
#include "HDTraceWritingCLibrary/src/literal.h"
#include "common/number.h"

/* Whether the list may go on after a key: with one blank and the next one. */
static bool listGoesOn(const char **at)
{
	if (**at != ' ')
		return false;
	(*at)++;
	return true;
}

int hdKeyListAddSlowly(const char *list, struct hdText *text, size_t element,
		       struct hdKeys *keys, const int64_t *values)
{
	size_t used = text->used;
	struct hdKeys before = *keys;
	const char *at = list;
	int ret;

	do {
		size_t length = hdNameLength(at);

		ret = hdAttributeBegin(text, element, keys, at, at[length],
				       HD_INT64_MAX + 1);
		if (ret < 0)
			break;
		text->used = (size_t)(hdNumberInt64(text->bytes + text->used,
						    *values++) -
				      text->bytes);
		hdTextPutc(text, '\'');
		at += length;
	} while (listGoesOn(&at));
	if (ret == 0 && *at)
		ret = -HD_ERR_INVALID_ARGUMENT;
	if (ret < 0) {
		text->used = used;
		*keys = before;
	}
	return ret;
}

int hdKeyListMake(struct hdKeyList *list, const char *keys)
{
	struct hdText text = { .bytes = list->text, .size = SIZE_MAX };
	const char *at = keys;

	*list->keys = '\0';
	list->literal = NULL;
	list->filter = (struct hdKeys){ 0, 0 };
	list->count = 0;
	if (strnlen(keys, HD_KEYLIST_LENGTH + 1) > HD_KEYLIST_LENGTH)
		return 1;
	do {
		size_t length = hdNameLength(at);
		int ret;

		if (length > HD_KEY_SHORT || list->count == HD_KEYLIST_KEYS)
			return 1;
		if (list->count > 0)
			hdTextPutc(&text, '\'');
		ret = hdAttributeBegin(&text, 0, &list->filter, at, at[length],
				       0);
		if (ret < 0)
			return ret;
		list->ends[list->count++] = (unsigned char)text.used;
		at += length;
	} while (listGoesOn(&at));
	if (*at)
		return -HD_ERR_INVALID_ARGUMENT;
	list->room = (unsigned int)text.used + HD_KEYLIST_PIECE +
		     list->count * (HD_INT64_MAX + 1) + 1;
	strcpy(list->keys, keys);
	list->literal = hdLiteralIs(keys) ? keys : NULL;
	return 0;
}

int hdKeyListAdd(const struct hdKeyList *list, struct hdText *text,
		 size_t element, struct hdKeys *keys, const int64_t *values)
{
	size_t begin = 0;
	char *to;

	/* A key may have been given before. */
	if (__builtin_expect((keys->first & list->filter.first) &&
				     (keys->second & list->filter.second),
			     0))
		return hdKeyListAddSlowly(list->keys, text, element, keys,
					  values);
	if (__builtin_expect(hdTextRoom(text, list->room) < 0, 0))
		return -HD_ERR_MALLOC;
	to = text->bytes + text->used;
	for (unsigned int i = 0; i < list->count; i++) {
		size_t length = list->ends[i] - begin;

		/* A copy of known size is a move. */
		if (__builtin_expect(length <= HD_KEYLIST_PIECE, 1))
			memcpy(to, list->text + begin, HD_KEYLIST_PIECE);
		else
			memcpy(to, list->text + begin, length);
		to += length;
		begin = list->ends[i];
		to = hdNumberPutInt64(to, values[i]);
	}
	*to++ = '\'';
	text->used = (size_t)(to - text->bytes);
	keys->first |= list->filter.first;
	keys->second |= list->filter.second;
	return 0;
}
