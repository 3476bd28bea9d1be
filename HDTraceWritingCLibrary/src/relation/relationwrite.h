/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Elements of relations that are written; the small functions are inlined.
 */
#ifndef HD_RELATIONWRITE_H
#define HD_RELATIONWRITE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "HDTraceWritingCLibrary/src/literal.h"
#include "HDTraceWritingCLibrary/src/relation/relation.h"
#include "common/clock.h"
#include "common/format/escape.h"
#include "common/number.h"
#include "common/pool.h"

/** Text of a literal and its length. */
#define LITERAL(text) text, sizeof(text) - 1

/** Room for what an element has besides texts of the caller. */
#define ELEMENT_ROOM (HDR_TOKEN_SIZE + 2 * REL_TRACE_SIZE + 96)

/** Attributes of a state, as a call gives them. */
struct attributes {
	int count;
	const char *const *keys;
	const char *const *values;
	const hdR_attribute *list; /* In place of both; or NULL. */
};

/** How long their keys are. */
struct keyLengths {
	uint32_t of[HDR_MAX_ATTRIBUTES];
};

/** The name of a state. */
struct name {
	const char *text;
	size_t length;
};

void hdRelTokenFree(hdR_token token);

/** Put text as it has to stand in an attribute; most stands for itself. */
int hdRelTextEscape(struct hdText *text, const char *bytes, size_t length);

int hdRelTokenWriteEnd(hdR_token token);

/** What is known of their keys is put into @p known, or NULL. */
int hdRelAttributesCheck(struct hdRelThread *thread,
			 const struct attributes *list,
			 struct keyLengths *lengths,
			 const struct hdRelKey **known);

/** The same of any. */
int hdRelAttributesAdd(struct hdText *text, const struct attributes *list,
		       const struct keyLengths *lengths,
		       const struct hdRelKey *known);

/** A state has been opened: nothing waits for it. */
void hdRelPendingOpen(hdR_token token);

/** Append what waits for the end of the innermost state, without what the call
 * that ends it gives. What waits is ` key="value"`, and no value has a '"'. */
int hdRelPendingAdd(struct hdText *text, hdR_token token,
		    const struct attributes *list);

/** The innermost state has been ended. */
void hdRelPendingClose(hdR_token token);

static inline bool tokenIsOpen(hdR_token token)
{
	return atomic_load_explicit(&token->node->epoch,
				    memory_order_relaxed) == token->epoch;
}

/* Get the time of a token's next record, which is to go into a ring. A record
 * that another thread wrote has another time, so that the order of the two is
 * seen from the times. */
static inline int tokenTime(hdR_token token, const struct hdRelRing *ring,
			    int64_t *time)
{
	int64_t now = hdClockNow();
	int ret = 0;

	if (__builtin_expect(now < 0, 0)) {
		now = token->last;
		ret = -HD_ERR_GET_TIME;
	}
	if (__builtin_expect(now < token->last, 0)) {
		atomic_fetch_add_explicit(&token->node->clamped, 1,
					  memory_order_relaxed);
		now = token->last;
	}
	if (token->ringSerial != ring->serial && now == token->last)
		now++;
	*time = now;
	return ret;
}

/* Put a number, mostly a small one, and up to three bytes more. */
static inline char *relationPutNumber(char *to, uint64_t number)
{
	return __builtin_expect(number < HD_NUMBER_SHORT, 1)
		       ? hdNumberPutShort(to, (uint32_t)number)
		       : hdNumberUint64(to, number);
}

/* Put the ids and the time that each element has: ` t="1" time="0.123"`. */
static inline void elementPutTime(struct hdText *text, hdR_token token,
				  int64_t time)
{
	char *to = text->bytes + text->used;

	memcpy(to, " t=\"", 4);
	to = relationPutNumber(to + 4, token->id);
	memcpy(to, "\" time=\"", 8);
	to = hdNumberTime(to + 8,
			  time > token->start ? time - token->start : 0);
	*to++ = '"';
	text->used = (size_t)(to - text->bytes);
}

/* Put the scratch text into the ring, as the token's next record; `last` is as
 * of struct hdRelRecord. */
static inline int tokenPut(hdR_token token, struct hdRelRing *ring,
			   const struct hdText *text, size_t last, int64_t time,
			   enum hdOutfileNeed need)
{
	struct hdRelRecord record = { .bytes = text->bytes,
				      .length = text->used,
				      .last = last,
				      .time = time };
	int ret;

	if (__builtin_expect(token->ringSerial != ring->serial, 0)) {
		record.afterRing = token->ringSerial;
		record.afterEnd = token->ringEnd;
	}
	ret = hdRelRingPut(ring, &record, need);
	token->last = time;
	if (__builtin_expect(ret == 0, 1)) {
		token->ringSerial = ring->serial;
		token->ringEnd = ring->head;
	}
	return ret;
}

/* What a call that records needs: 0 or negative. @p thread may be NULL, or what
 * the caller has of it. */
static inline int tokenBegin(hdR_token token, struct hdRelThread **thread,
			     struct hdRelRing **ring)
{
	if (!tokenIsOpen(token))
		return -HD_ERR_TRACE_DISABLED;
	if (__builtin_expect(token->isEnded, 0))
		return -HD_ERR_INVALID_CONTEXT;
	if (!*thread)
		*thread = hdRelThreadGet();
	*ring = *thread ? hdRelRingGet(*thread, token->node, token->epoch)
			: NULL;
	if (!*ring)
		return tokenIsOpen(token) ? -HD_ERR_MALLOC
					  : -HD_ERR_TRACE_DISABLED;
	(*thread)->scratch.used = 0;
	return hdTextRoom(&(*thread)->scratch, ELEMENT_ROOM);
}

/* Put ` t="1" time="0.123"` as it stands in the element before. */
static inline void elementPutTimeAgain(struct hdText *text, size_t from,
				       size_t length)
{
	hdTextPut(text, text->bytes + from, length);
}

static inline struct hdRelName *nameKnown(struct hdRelThread *thread,
					  const char *text)
{
	return &thread->names[(uintptr_t)text % REL_NAMES];
}

/* @p thread may be NULL. */
static inline int nameSet(struct name *name, const char *text,
			  struct hdRelThread *thread)
{
	if (!text || !*text)
		return -HD_ERR_INVALID_ARGUMENT;
	name->text = text;
	if (thread && nameKnown(thread, text)->literal == text) {
		name->length = nameKnown(thread, text)->length;
		return 0;
	}
	name->length = strnlen(text, HDR_MAX_NAME_LENGTH + 1);
	return name->length > HDR_MAX_NAME_LENGTH ? -HD_ERR_BUFFER_OVERFLOW : 0;
}

/* Put what an element of a state begins with. */
static inline int nameAdd(struct hdText *text, const struct name *name,
			  struct hdRelThread *thread)
{
	struct hdRelName *known = nameKnown(thread, name->text);
	size_t before;
	int ret;

	hdTextPut(text, LITERAL("<s name=\""));
	if (__builtin_expect(known->literal == name->text, 1)) {
		ret = hdTextRoom(text, name->length + ELEMENT_ROOM);
		if (ret < 0)
			return ret;
		hdTextPut(text, name->text, name->length);
		hdTextPutc(text, '"');
		return 0;
	}
	before = text->used;
	ret = hdRelTextEscape(text, name->text, name->length);
	if (ret == 0)
		ret = hdTextRoom(text, ELEMENT_ROOM);
	if (ret < 0)
		return ret;
	if (text->used - before == name->length &&
	    memcmp(text->bytes + before, name->text, name->length) == 0 &&
	    hdLiteralIs(name->text))
		*known = (struct hdRelName){ name->text, name->length };
	hdTextPutc(text, '"');
	return 0;
}

#endif
