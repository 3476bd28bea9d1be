/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Relations: attributes of them and of their states.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "HDTraceWritingCLibrary/src/relation/relationwrite.h"
#include "HDTraceWritingCLibrary/src/error.h"
#include "HDTraceWritingCLibrary/src/literal.h"
#include "HDTraceWritingCLibrary/src/relation/relation.h"
#include "common/clock.h"
#include "common/format/escape.h"
#include "common/number.h"
#include "common/pool.h"

/* ---- Attributes -------------------------------------------------------- */

static bool keyIs(const char *key, size_t length, const char *name)
{
	return strlen(name) == length && memcmp(key, name, length) == 0;
}

/* Length of a key; 0: it is none. */
static size_t keyLength(const char *key)
{
	size_t length = hdNameLength(key);

	if (key[length] || (length == 1 && *key == 't') ||
	    (length == 4 &&
	     (memcmp(key, "name", 4) == 0 || memcmp(key, "time", 4) == 0)))
		return 0;
	return length;
}

static inline size_t keyFind(struct hdRelThread *thread, const char *key)
{
	struct hdRelKey *known = &thread->keys[(uintptr_t)key % REL_KEYS];
	size_t length;

	if (__builtin_expect(known->literal == key, 1))
		return known->length;
	length = keyLength(key);
	if (length > 0 && hdLiteralIs(key)) {
		known->literal = key;
		known->length = (uint32_t)length;
	}
	return length;
}

/* Append ` key="`, for which there is room and REL_KEY_ROOM. */
static inline void keyAdd(struct hdText *text, const struct hdRelKey *key)
{
	if (__builtin_expect(key->used > 0, 1)) {
		memcpy(text->bytes + text->used, key->text, REL_KEY_ROOM);
		text->used += key->used;
		return;
	}
	hdTextPutc(text, ' ');
	hdTextPut(text, key->literal, key->length);
	hdTextPut(text, "=\"", 2);
}

/* Append `value"`. */
static int valueAdd(struct hdText *text, const char *value, size_t length)
{
	if (hdRelTextEscape(text, value, length) < 0 || hdTextRoom(text, 1) < 0)
		return -HD_ERR_MALLOC;
	hdTextPutc(text, '"');
	return 0;
}

/* Append ` key="value"`. */
static int attributeAdd(struct hdText *text, const struct hdRelKey *key,
			const char *value)
{
	size_t length = strnlen(value, HDR_MAX_VALUE_LENGTH + 1);

	if (length > HDR_MAX_VALUE_LENGTH)
		return -HD_ERR_BUFFER_OVERFLOW;
	if (hdTextRoom(text, key->length + length + REL_KEY_ROOM) < 0)
		return -HD_ERR_MALLOC;
	keyAdd(text, key);
	return valueAdd(text, value, length);
}

/* Append ` key="number"`, for which there is NUMBER_ROOM besides the key. */
#define NUMBER_ROOM (REL_KEY_ROOM + HD_INT64_MAX + 4)

static inline void attributePutNumber(struct hdText *text,
				      const struct hdRelKey *key,
				      int64_t number)
{
	char *end;

	keyAdd(text, key);
	end = text->bytes + text->used;
	end = number >= 0 ? relationPutNumber(end, (uint64_t)number)
			  : hdNumberInt64(end, number);
	*end++ = '"';
	text->used = (size_t)(end - text->bytes);
}

static inline const char *attributeKey(const struct attributes *list, int i)
{
	return list->list ? list->list[i].key : list->keys[i];
}

/* Keep a key as it stands in elements. */
static void keyKeep(struct hdRelKey *known, const char *key, size_t length)
{
	*known =
		(struct hdRelKey){ .literal = key, .length = (uint32_t)length };
	if (length + 3 > REL_KEY_ROOM)
		return;
	known->text[0] = ' ';
	memcpy(known->text + 1, key, length);
	memcpy(known->text + 1 + length, "=\"", 2);
	known->used = (uint32_t)length + 3;
}

/* Keep a list that was found good, if all its keys are literals. */
static void listKeep(struct hdRelThread *thread, const struct attributes *list,
		     const struct keyLengths *lengths)
{
	struct hdRelList *known;

	if (!thread || !list->list || list->count == 0 ||
	    list->count >= REL_LISTS)
		return;
	known = &thread->lists[list->count];
	known->count = 0;
	for (int i = 0; i < list->count; i++) {
		if (!hdLiteralIs(list->list[i].key))
			return;
		keyKeep(&known->keys[i], list->list[i].key, lengths->of[i]);
	}
	known->count = (uint32_t)list->count;
}

/* Find the keys of a list that was found good, or NULL. */
static const struct hdRelKey *listFind(const struct hdRelThread *thread,
				       const struct attributes *list)
{
	const struct hdRelList *known;

	if (!thread || list->count <= 0 || list->count >= REL_LISTS ||
	    !list->list)
		return NULL;
	known = &thread->lists[list->count];
	if (known->count == 0)
		return NULL;
	for (int i = 0; i < list->count; i++)
		if (known->keys[i].literal != list->list[i].key)
			return NULL;
	return known->keys;
}

int hdRelAttributesCheck(struct hdRelThread *thread,
			 const struct attributes *list,
			 struct keyLengths *lengths,
			 const struct hdRelKey **known)
{
	*known = listFind(thread, list);
	if (__builtin_expect(*known != NULL, 1))
		return 0;
	if (list->count < 0 ||
	    (list->count > 0 && !list->list && (!list->keys || !list->values)))
		return -HD_ERR_INVALID_ARGUMENT;
	if (list->count > HDR_MAX_ATTRIBUTES)
		return -HD_ERR_BUFFER_OVERFLOW;
	for (int i = 0; i < list->count; i++) {
		const char *key = attributeKey(list, i);
		size_t length;

		if (!key || (!list->list && !list->values[i]))
			return -HD_ERR_INVALID_ARGUMENT;
		length = thread ? keyFind(thread, key) : keyLength(key);
		if (length == 0)
			return -HD_ERR_INVALID_ARGUMENT;
		lengths->of[i] = (uint32_t)length;
		for (int k = 0; k < i; k++)
			if (lengths->of[k] == length &&
			    *attributeKey(list, k) == *key &&
			    memcmp(attributeKey(list, k), key, length) == 0)
				return -HD_ERR_INVALID_ARGUMENT;
	}
	listKeep(thread, list, lengths);
	return 0;
}

/* Append attributes that are known, numbers and texts. */
static int attributesAddKnown(struct hdText *text,
			      const struct attributes *list,
			      const struct hdRelKey *known)
{
	size_t room = 0;

	for (int i = 0; i < list->count; i++)
		room += known[i].length + NUMBER_ROOM;
	if (hdTextRoom(text, room) < 0)
		return -HD_ERR_MALLOC;
	for (int i = 0; i < list->count; i++) {
		const hdR_attribute *one = &list->list[i];
		int ret;

		room -= known[i].length + NUMBER_ROOM;
		if (!one->text) {
			attributePutNumber(text, &known[i], one->number);
			continue;
		}
		ret = attributeAdd(text, &known[i], one->text);
		if (ret < 0)
			return ret;
		if (hdTextRoom(text, room) < 0)
			return -HD_ERR_MALLOC;
	}
	return 0;
}

int hdRelAttributesAdd(struct hdText *text, const struct attributes *list,
		       const struct keyLengths *lengths,
		       const struct hdRelKey *known)
{
	int ret = 0;

	if (__builtin_expect(known != NULL, 1))
		return attributesAddKnown(text, list, known);
	for (int i = 0; i < list->count && ret == 0; i++) {
		struct hdRelKey key = { .literal = attributeKey(list, i),
					.length = lengths->of[i] };
		char number[HD_INT64_MAX + 1];

		if (!list->list) {
			ret = attributeAdd(text, &key, list->values[i]);
		} else if (list->list[i].text) {
			ret = attributeAdd(text, &key, list->list[i].text);
		} else {
			*hdNumberInt64(number, list->list[i].number) = '\0';
			ret = attributeAdd(text, &key, number);
		}
	}
	return ret;
}

static bool attributesHave(const struct attributes *list, const char *key,
			   size_t length)
{
	for (int i = 0; i < list->count; i++)
		if (keyIs(key, length, attributeKey(list, i)))
			return true;
	return false;
}

/* ---- Attributes that wait for the end of their state ------------------- */

/* Where the attributes of the innermost state begin that wait. */
static struct hdRelPlace *pendingPlace(hdR_token token)
{
	return &token->pending->places[token->depth - 1];
}

/* Make a place for each open state: 0 or negative. */
static int pendingMake(hdR_token token)
{
	struct hdRelPending *pending = token->pending;
	uint32_t had = pending ? pending->depth : 0;
	uint32_t depth = token->depth + 4;

	if (had >= token->depth)
		return 0;
	pending = realloc(pending,
			  sizeof(*pending) + depth * sizeof(*pending->places));
	if (!pending)
		return -HD_ERR_MALLOC;
	if (!token->pending)
		pending->text = (struct hdText){ 0 };
	token->pending = pending;
	/* The states that are open have nothing yet; it is known where what
	 * they get will begin. */
	for (uint32_t i = had; i < depth; i++)
		pending->places[i] =
			(struct hdRelPlace){ pending->text.used, 0 };
	pending->depth = depth;
	return 0;
}

void hdRelPendingOpen(hdR_token token)
{
	struct hdRelPending *pending = token->pending;

	if (pending && token->depth <= pending->depth)
		*pendingPlace(token) =
			(struct hdRelPlace){ pending->text.used, 0 };
}

int hdRelPendingAdd(struct hdText *text, hdR_token token,
		    const struct attributes *list)
{
	struct hdRelPending *pending = token->pending;
	size_t at;

	if (!pending || token->depth > pending->depth)
		return 0;
	at = pendingPlace(token)->start;
	while (at < pending->text.used) {
		const char *key = pending->text.bytes + at + 1;
		size_t left = pending->text.used - at - 1;
		const char *equals = memchr(key, '=', left);
		const char *value = equals + 2;
		const char *end =
			memchr(value, '"', left - (size_t)(value - key));
		size_t length = (size_t)(end + 1 - key) + 1;

		if (!attributesHave(list, key, (size_t)(equals - key))) {
			if (hdTextRoom(text, length) < 0)
				return -HD_ERR_MALLOC;
			hdTextPut(text, key - 1, length);
		}
		at += length;
	}
	return 0;
}

void hdRelPendingClose(hdR_token token)
{
	struct hdRelPending *pending = token->pending;

	if (!pending || token->depth > pending->depth)
		return;
	pending->text.used = pendingPlace(token)->start;
	pendingPlace(token)->count = 0;
}

static bool pendingHas(hdR_token token, const char *key)
{
	const struct hdRelPending *pending = token->pending;
	const char *at = pending->text.bytes + pendingPlace(token)->start;
	const char *end = pending->text.bytes + pending->text.used;

	while (at && at < end) {
		const char *equals =
			memchr(at + 1, '=', (size_t)(end - at - 1));

		if (keyIs(at + 1, (size_t)(equals - at - 1), key))
			return true;
		at = memchr(equals + 2, '"', (size_t)(end - equals - 2));
		at++;
	}
	return false;
}

int hdR_logAttributeString(hdR_token token, const char *key, const char *value)
{
	int saved = errno;
	struct hdText *text;
	size_t before, length;
	int ret;

	if (!token)
		return -1;
	length = key && value ? keyLength(key) : 0;
	if (length == 0)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	if (token->depth == 0)
		return hdFail(-HD_ERR_INVALID_CONTEXT);
	if (token->skipped > 0)
		return 0;
	if (pendingMake(token) < 0)
		return hdFail(-HD_ERR_MALLOC);
	if (pendingHas(token, key))
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	if (pendingPlace(token)->count == HDR_MAX_ATTRIBUTES)
		return hdFail(-HD_ERR_BUFFER_OVERFLOW);
	text = &token->pending->text;
	before = text->used;
	ret = attributeAdd(text,
			   &(struct hdRelKey){ .literal = key,
					       .length = (uint32_t)length },
			   value);
	if (ret < 0) {
		text->used = before;
		return hdFail(ret);
	}
	pendingPlace(token)->count++;
	errno = saved;
	return 0;
}

int hdR_logAttributeInt64(hdR_token token, const char *key, int64_t value)
{
	char text[HD_INT64_MAX + 1];

	if (!token)
		return -1;
	*hdNumberInt64(text, value) = '\0';
	return hdR_logAttributeString(token, key, text);
}

int hdR_logAttributeDouble(hdR_token token, const char *key, double value)
{
	char text[HD_DOUBLE_MAX + 1];

	if (!token)
		return -1;
	*hdNumberDouble(text, value) = '\0';
	return hdR_logAttributeString(token, key, text);
}
