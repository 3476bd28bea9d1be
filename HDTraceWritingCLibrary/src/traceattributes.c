/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Traces: attributes, elements, events and information.
 */
#include "config.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <hdTrace.h>

#include "HDTraceWritingCLibrary/src/tracewrite.h"
#include "HDTraceWritingCLibrary/src/attributes.h"
#include "HDTraceWritingCLibrary/src/error.h"
#include "common/format/escape.h"
#include "HDTraceWritingCLibrary/src/keylist.h"
#include "HDTraceWritingCLibrary/src/known.h"
#include "HDTraceWritingCLibrary/src/outfile.h"
#include "HDTraceWritingCLibrary/src/timesource.h"
#include "common/format/text.h"
#include "common/clock.h"
#include "common/number.h"

#define TRACE_KEYLISTS (1U << TRACE_KEYLIST_BITS)
#define TRACE_KEYLIST_PLACES 4

/* Whether an event is recorded now: also in the deepest recorded states. */
static inline bool traceIsOnForEvents(const hdTrace *trace)
{
	return trace->isEnabled &&
	       (trace->depth == 0 || trace->depth - 1 <= trace->maxDepth) &&
	       !hdOutfileIsForeign(trace->file);
}

/* ---- Attributes and elements ------------------------------------------- */

/* Get the innermost state: 1, or what the caller returns. */
static inline int traceCurrent(hdTrace *trace, struct traceLevel **level)
{
	*level = trace->top;
	if (__builtin_expect(trace->depth == 0, 0))
		return hdFail(-HD_ERR_INVALID_CONTEXT);
	return (*level)->skipped == 0 && !hdOutfileIsForeign(trace->file);
}

static __attribute__((__noinline__)) int traceReserveSlowly(
	hdTrace *trace, struct traceLevel *level, struct hdText *text,
	size_t before)
{
	size_t more = text->used - before;
	int ret = hdOutfileBegin(trace->file, more, HD_OUTFILE_MAY_DROP);

	if (ret != 0) {
		text->used = before;
		return hdResult(ret);
	}
	level->reserved += more;
	hdOutfileReserve(trace->file, more);
	return 0;
}

/* A state has grown. Where its block is open and buffers may drop, reserve
 * room for that as well; if there is none, take it back. */
static inline int traceReserveMore(hdTrace *trace, struct traceLevel *level,
				   struct hdText *text, size_t before)
{
	if (__builtin_expect(!level->reserved, 1))
		return 0;
	return traceReserveSlowly(trace, level, text, before);
}

/*
 * Begin ` key='` of the innermost state, where that takes no more than copying
 * it; NULL: go the long way. In a child of fork() nobody will see it.
 */
static inline char *tracePutKey(hdTrace *trace, const struct hdKnown *known,
				size_t room)
{
	struct traceLevel *level = trace->top;
	struct hdText *tags = &trace->tags;

	if (__builtin_expect(level->reserved > 0 ||
				     tags->size - tags->used <
					     HD_KNOWN_LENGTH + room ||
				     hdKnownIsThere(known, &level->keys),
			     0))
		return NULL;
	return hdKnownPutKey(known, &level->keys, tags->bytes + tags->used);
}

/* The same of a key that is a literal at its first place. */
static inline char *traceKnownKey(hdTrace *trace, const char *key, size_t room)
{
	const struct hdKnown *known = hdKnownFirst(trace->keys, key);

	return __builtin_expect(known->literal == key, 1)
		       ? tracePutKey(trace, known, room)
		       : NULL;
}

/* The same of a key that may be any. */
static inline char *traceFoundKey(hdTrace *trace, const char *key, size_t room)
{
	const struct hdKnown *known;

	if (!trace || !key || trace->top->skipped > 0)
		return NULL;
	known = hdKnownFind(trace->keys, key);
	return known ? tracePutKey(trace, known, room) : NULL;
}

/* The innermost state's attribute ends with what ends its value. */
static inline int traceEndAttribute(hdTrace *trace, char *to)
{
	*to++ = '\'';
	trace->tags.used = (size_t)(to - trace->tags.bytes);
	return 0;
}

/* Whether there is a state that takes attributes. */
static inline bool traceTakes(const hdTrace *trace)
{
	return __builtin_expect(trace && trace->top->skipped == 0, 1);
}

/* Whether the innermost state is known not to be recorded. */
static inline bool traceIsSkipping(const hdTrace *trace)
{
	return trace && trace->depth > 0 && trace->top->skipped > 0;
}

/* Begin ` key='` of the innermost state: 1, or what the caller returns. */
static inline int traceAttribute(hdTrace *trace, const char *key,
				 const void *value, size_t room,
				 struct traceLevel **level)
{
	int ret;

	if (!trace || !key || !value)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	ret = traceCurrent(trace, level);
	if (ret <= 0)
		return ret;
	ret = hdAttributeBegin(&trace->tags, (*level)->tag, &(*level)->keys,
			       key, '\0', room);
	if (ret < 0)
		return hdFail(ret);
	hdKnownAddKey(trace->keys, key);
	return 1;
}

/* Apart from its caller, so that what is not recorded saves no registers. */
static __attribute__((__noinline__)) int traceLogInt64(hdTrace *trace,
						       const char *key,
						       int64_t value)
{
	char *to = traceFoundKey(trace, key, HD_INT64_MAX + 1);
	size_t before = trace ? trace->tags.used : 0;
	struct traceLevel *level = NULL;
	struct hdText *tags;
	int ret;

	if (to)
		return traceEndAttribute(trace, hdNumberPutInt64(to, value));
	ret = traceAttribute(trace, key, &value, HD_INT64_MAX + 1, &level);
	if (ret <= 0)
		return ret;
	tags = &trace->tags;
	tags->used = (size_t)(hdNumberInt64(tags->bytes + tags->used, value) -
			      tags->bytes);
	hdTextPutc(tags, '\'');
	return traceReserveMore(trace, level, tags, before);
}

int hdT_logAttributeInt64(hdTrace *trace, const char *key, int64_t value)
{
	char *to;

	if (!traceTakes(trace))
		return traceIsSkipping(trace) && key
			       ? 0
			       : traceLogInt64(trace, key, value);
	if (__builtin_expect((uint64_t)value >= HD_NUMBER_SHORT, 0))
		return traceLogInt64(trace, key, value);
	to = traceKnownKey(trace, key, HD_INT64_MAX + 1);
	if (__builtin_expect(!to, 0))
		return traceLogInt64(trace, key, value);
	return traceEndAttribute(trace, hdNumberPutShort(to, (uint32_t)value));
}

/* Find a list of keys at another place than its first one, or remember it. */
static __attribute__((__noinline__)) int traceKeyListSlowly(
	hdTrace *trace, const char *keys, size_t first, struct hdKeyList **list)
{
	if (!trace->lists) {
		trace->lists = calloc(TRACE_KEYLISTS, sizeof(*trace->lists));
		if (!trace->lists)
			return -HD_ERR_MALLOC;
	}
	for (size_t i = 0; i < TRACE_KEYLIST_PLACES; i++) {
		*list = &trace->lists[(first + i) % TRACE_KEYLISTS];
		if (!*(*list)->keys)
			return hdKeyListMake(*list, keys);
		if (strcmp((*list)->keys, keys) == 0)
			return 0;
	}
	*list = &trace->lists[first];
	return hdKeyListMake(*list, keys);
}

/* Find a list of keys, or remember it: as hdKeyListMake(), or -HD_ERR_MALLOC.
 * Where it stands in memory says where it is; what it says decides, unless it
 * cannot have changed. */
static inline int traceKeyList(hdTrace *trace, const char *keys,
			       struct hdKeyList **list)
{
	size_t first =
		(uint64_t)(uintptr_t)keys * UINT64_C(0x9e3779b97f4a7c15) >>
		(64 - TRACE_KEYLIST_BITS);

	if (__builtin_expect(trace->lists && *keys, 1)) {
		*list = &trace->lists[first];
		if (__builtin_expect((*list)->literal == keys, 1) ||
		    strcmp((*list)->keys, keys) == 0)
			return 0;
	}
	return traceKeyListSlowly(trace, keys, first, list);
}

/* Append the attributes of a list to an element's start tag; 0 or negative. */
static inline int traceAddInt64(hdTrace *trace, struct hdText *text,
				size_t element, struct hdKeys *filter,
				const char *keys, const int64_t *values)
{
	struct hdKeyList *list;
	int ret = traceKeyList(trace, keys, &list);

	if (__builtin_expect(ret > 0, 0))
		return hdKeyListAddSlowly(keys, text, element, filter, values);
	return ret < 0 ? ret
		       : hdKeyListAdd(list, text, element, filter, values);
}

int hdT_logAttributesInt64(hdTrace *trace, const char *keys,
			   const int64_t *values)
{
	struct traceLevel *level = NULL;
	size_t before;
	int ret;

	if (!trace || !keys || !values)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	ret = traceCurrent(trace, &level);
	if (ret <= 0)
		return ret;
	before = trace->tags.used;
	ret = traceAddInt64(trace, &trace->tags, level->tag, &level->keys, keys,
			    values);
	if (__builtin_expect(ret < 0, 0))
		return hdFail(ret);
	return traceReserveMore(trace, level, &trace->tags, before);
}

static __attribute__((__noinline__)) int traceLogDouble(hdTrace *trace,
							const char *key,
							double value)
{
	char *to = traceFoundKey(trace, key, HD_DOUBLE_MAX + 1);
	size_t before = trace ? trace->tags.used : 0;
	struct traceLevel *level = NULL;
	struct hdText *tags;
	int ret;

	if (to)
		return traceEndAttribute(trace, hdNumberDouble(to, value));
	ret = traceAttribute(trace, key, &value, HD_DOUBLE_MAX + 1, &level);
	if (ret <= 0)
		return ret;
	tags = &trace->tags;
	tags->used = (size_t)(hdNumberDouble(tags->bytes + tags->used, value) -
			      tags->bytes);
	hdTextPutc(tags, '\'');
	return traceReserveMore(trace, level, tags, before);
}

int hdT_logAttributeDouble(hdTrace *trace, const char *key, double value)
{
	char *to;

	if (!traceTakes(trace))
		return traceIsSkipping(trace) && key
			       ? 0
			       : traceLogDouble(trace, key, value);
	to = traceKnownKey(trace, key, HD_DOUBLE_MAX + 1);
	if (__builtin_expect(!to, 0))
		return traceLogDouble(trace, key, value);
	return traceEndAttribute(trace, hdNumberDouble(to, value));
}

static __attribute__((__noinline__)) int traceLogString(hdTrace *trace,
							const char *key,
							const char *value)
{
	size_t length = value ? strlen(value) : 0;
	char *to = value ? traceFoundKey(trace, key, length + 1) : NULL;
	size_t before = trace ? trace->tags.used : 0;
	struct traceLevel *level = NULL;
	const char *rest;
	int ret;

	if (to && hdPlainCopy(to, value, length))
		return traceEndAttribute(trace, to + length);
	ret = traceAttribute(trace, key, value, HD_PLAIN_MAX + 1, &level);
	if (ret <= 0)
		return ret;
	rest = hdEscapePlain(&trace->tags, value);
	if (__builtin_expect(*rest != '\0', 0)) {
		ret = hdEscape(&trace->tags, rest, strlen(rest));
		if (ret == 0)
			ret = hdTextRoom(&trace->tags, 1);
		if (ret < 0) {
			trace->tags.used = before;
			return hdFail(ret);
		}
	}
	hdTextPutc(&trace->tags, '\'');
	return traceReserveMore(trace, level, &trace->tags, before);
}

int hdT_logAttributeString(hdTrace *trace, const char *key, const char *value)
{
	size_t length;
	char *to;

	if (!traceTakes(trace) || !value)
		return traceIsSkipping(trace) && key && value
			       ? 0
			       : traceLogString(trace, key, value);
	length = strlen(value);
	to = traceKnownKey(trace, key, length + 1);
	if (__builtin_expect(!to || !hdPlainCopy(to, value, length), 0))
		return traceLogString(trace, key, value);
	return traceEndAttribute(trace, to + length);
}

/* Format a caller's list of attributes into the scratch text. */
static int hdTraceFormat(hdTrace *trace, const char *format, va_list arguments)
{
	trace->scratch.used = 0;
	return hdTextPrintf(&trace->scratch, format, arguments);
}

int hdT_logAttributes(hdTrace *trace, const char *format, ...)
{
	struct traceLevel *level = NULL;
	va_list arguments;
	size_t before;
	int ret;

	if (!trace || !format)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	ret = traceCurrent(trace, &level);
	if (ret <= 0)
		return ret;
	before = trace->tags.used;
	va_start(arguments, format);
	ret = hdTraceFormat(trace, format, arguments);
	va_end(arguments);
	if (ret == 0)
		ret = hdAttributeList(&trace->tags, level->tag, &level->keys,
				      trace->scratch.bytes);
	if (ret < 0)
		return hdFail(ret);
	return traceReserveMore(trace, level, &trace->tags, before);
}

int hdT_logElement(hdTrace *trace, const char *name, const char *format, ...)
{
	struct hdText *elements;
	struct traceLevel *level = NULL;
	va_list arguments;
	size_t before;
	struct hdKeys keys = { 0, 0 };
	int ret;

	if (!trace || !name || !hdNameIsValid(name) ||
	    strcmp(name, "Nested") == 0)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	ret = traceCurrent(trace, &level);
	if (ret <= 0)
		return ret;
	elements = &trace->elements;
	before = elements->used;
	va_start(arguments, format);
	ret = hdTraceFormat(trace, format ? format : "", arguments);
	va_end(arguments);
	if (ret == 0)
		ret = hdTextRoom(elements, strlen(name) + 1);
	if (ret < 0)
		return hdFail(ret);
	hdTextPutc(elements, '<');
	hdTextPut(elements, name, strlen(name));
	ret = hdAttributeList(elements, before, &keys, trace->scratch.bytes);
	if (ret == 0)
		ret = hdTextRoom(elements, 2);
	if (ret < 0) {
		elements->used = before;
		return hdFail(ret);
	}
	hdTextPut(elements, "/>", 2);
	return traceReserveMore(trace, level, elements, before);
}

int hdT_logElementInt64(hdTrace *trace, const char *name, const char *keys,
			const int64_t *values)
{
	struct hdText *elements;
	struct traceLevel *level = NULL;
	struct hdKeys filter = { 0, 0 };
	size_t before, length;
	int ret;

	if (!trace || !name || !keys || !values || !hdNameIsValid(name) ||
	    strcmp(name, "Nested") == 0)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	ret = traceCurrent(trace, &level);
	if (ret <= 0)
		return ret;
	elements = &trace->elements;
	before = elements->used;
	length = strlen(name);
	ret = hdTextRoom(elements, length + 1);
	if (ret < 0)
		return hdFail(ret);
	hdTextPutc(elements, '<');
	hdTextPut(elements, name, length);
	ret = traceAddInt64(trace, elements, before, &filter, keys, values);
	if (ret == 0)
		ret = hdTextRoom(elements, 2);
	if (ret < 0) {
		elements->used = before;
		return hdFail(ret);
	}
	hdTextPut(elements, "/>", 2);
	return traceReserveMore(trace, level, elements, before);
}

/* ---- Events and information -------------------------------------------- */

static int traceEvent(hdTrace *trace, const char *name, int64_t now)
{
	unsigned int outside = trace->used - 1;
	struct hdText *text = &trace->scratch;
	int ret;

	text->used = 0;
	ret = hdTextRoom(text, TRACE_INDENT_MAX + 16);
	if (ret < 0)
		return hdFail(ret);
	hdTextPut(text, hdTraceTabs, traceIndent(outside));
	hdTextPut(text, LITERAL("<Event name='"));
	ret = hdEscape(text, name, strlen(name));
	if (ret == 0)
		ret = hdTextRoom(text, TRACE_TAIL_MAX);
	if (ret < 0)
		return hdFail(ret);
	hdTextPut(text, LITERAL("'  time='"));
	text->used = (size_t)(hdNumberTime(text->bytes + text->used,
					   traceTime(trace, now)) -
			      text->bytes);
	hdTextPut(text, LITERAL("'/>\n"));
	return hdResult(tracePut(trace, outside, text->bytes, text->used));
}

static __attribute__((__noinline__)) int traceEventNow(hdTrace *trace,
						       const char *name)
{
	int64_t now = hdClockNow();

	if (now < 0)
		return hdFail(-HD_ERR_GET_TIME);
	return traceEvent(trace, name, now);
}

int hdT_logEvent(hdTrace *trace, const char *name)
{
	if (!trace || !name)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	if (!traceIsOnForEvents(trace)) {
		traceCountDeep(trace);
		return 0;
	}
	return traceEventNow(trace, name);
}

int hdT_logEventAt(hdTrace *trace, const char *name,
		   const struct timespec *when)
{
	int64_t now = trace ? hdTimeGiven(&trace->base, when) : -1;

	if (!name || now < 0)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	if (!traceIsOnForEvents(trace)) {
		traceCountDeep(trace);
		return 0;
	}
	return traceEvent(trace, name, now);
}

int hdT_writeInfo(hdTrace *trace, const char *format, ...)
{
	va_list arguments;
	int ret;

	if (!trace || !format)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	if (hdOutfileIsForeign(trace->file))
		return 0;
	if (!trace->info) {
		char *path = strdup(trace->infoPath);

		if (!path)
			return hdFail(-HD_ERR_MALLOC);
		ret = hdOutfileOpen(path, true, &trace->info);
		if (ret < 0)
			return hdFail(ret);
		hdOutfileForceFlush(trace->info, trace->file->forceFlush);
	}
	va_start(arguments, format);
	ret = hdTraceFormat(trace, format, arguments);
	va_end(arguments);
	if (ret == 0)
		ret = hdOutfilePut(trace->info, trace->scratch.bytes,
				   trace->scratch.used, HD_OUTFILE_KEEP);
	return hdResult(ret);
}
