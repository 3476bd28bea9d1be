/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Relations and their states.
 *
 * Each call makes one element of the file, in the scratch text of its thread,
 * and puts it into the thread's ring.
 */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "HDTraceWritingCLibrary/src/error.h"
#include "HDTraceWritingCLibrary/src/fragment.h"
#include "HDTraceWritingCLibrary/src/literal.h"
#include "HDTraceWritingCLibrary/src/relation.h"
#include "HDTraceWritingCLibrary/src/settings.h"
#include "common/clock.h"
#include "common/format/escape.h"
#include "common/number.h"
#include "common/pool.h"

/* Relations that end elsewhere than they begin, as many as are often open. */
#define POOL_TOKENS 256
HD_POOL(tokenPool, struct _hdR_token, POOL_TOKENS);

/* Text of a literal and its length. */
#define LITERAL(text) text, sizeof(text) - 1
/* Room for what an element has besides texts of the caller. */
#define ELEMENT_ROOM (HDR_TOKEN_SIZE + 2 * REL_TRACE_SIZE + 96)

/* Attributes of a state, as a call gives them. */
struct attributes {
	int count;
	const char *const *keys;
	const char *const *values;
	const hdR_attribute *list; /* In place of both; or NULL. */
};

/* How long their keys are. */
struct keyLengths {
	uint32_t of[HDR_MAX_ATTRIBUTES];
};

static const struct attributes noAttributes;

/* ---- Elements ---------------------------------------------------------- */

static bool tokenIsOpen(hdR_token token)
{
	return atomic_load_explicit(&token->node->epoch,
				    memory_order_relaxed) == token->epoch;
}

/* Get the time of a token's next record, which is to go into a ring. A record
 * that another thread wrote has another time, so that the order of the two is
 * seen from the times. */
static int tokenTime(hdR_token token, const struct hdRelRing *ring,
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
static void elementPutTime(struct hdText *text, hdR_token token, int64_t time)
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

/* Put an attribute for which there is room. */
static void elementPutPlain(struct hdText *text, const char *key,
			    const char *value, size_t length)
{
	hdTextPut(text, key, strlen(key));
	hdTextPut(text, value, length);
	hdTextPutc(text, '"');
}

/* Put the scratch text into the ring, as the token's next record; `last` is as
 * of struct hdRelRecord. */
static int tokenPut(hdR_token token, struct hdRelRing *ring,
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
static int tokenBegin(hdR_token token, struct hdRelThread **thread,
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

/* ---- Nodes ------------------------------------------------------------- */

int hdR_initTopology(hdTopoNode *node, hdR_topoToken *out)
{
	int saved = errno;
	int ret;

	if (out)
		*out = NULL;
	if (!node || !out)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	if (!hdSettingsGet()->hasRelations)
		return 0;
	ret = hdRelNodeOpen(node, out);
	if (ret == 0)
		errno = saved;
	return hdResult(ret);
}

int hdR_finalize(hdR_topoToken *topology)
{
	int saved = errno;
	int ret;

	if (!topology || !*topology)
		return -1;
	ret = hdRelNodeClose(*topology);
	*topology = NULL;
	errno = saved;
	return hdResult(ret);
}

int hdR_closeAPI(void)
{
	int saved = errno;
	int ret = hdRelNodesFree();

	errno = saved;
	return hdResult(ret);
}

int hdR_flush(hdR_topoToken topology)
{
	if (!topology)
		return -1;
	return hdResult(
		hdRelNodeFlush(topology, atomic_load(&topology->epoch)));
}

int hdR_getLosses(hdR_topoToken topology, hdLosses *losses)
{
	if (!topology)
		return -1;
	if (!losses)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	*losses = (hdLosses){ 0 };
	if (topology->generation != hdOutfileGeneration)
		return 0;
	losses->records = hdRelNodeLost(topology);
	losses->times = atomic_load(&topology->clamped);
	return 0;
}

/* ---- Relations --------------------------------------------------------- */

/* Who caused a relation, as it stands in its element. */
struct cause {
	const char *key;  /* ` r="`, or NULL. */
	const char *text; /* Of `length` bytes, which need no escaping. */
	size_t length;
	const char *span; /* That a traceparent named, or NULL. */
	const struct hdRelTrace *trace;
	hdR_token parent; /* Of this process, or of one it is a fork() of. */
};

static uint64_t ringGiveId(struct hdRelRing *ring)
{
	if (ring->nextId == ring->endId) {
		ring->nextId = atomic_fetch_add_explicit(
			&ring->node->nextId, REL_IDS, memory_order_relaxed);
		ring->endId = ring->nextId + REL_IDS;
	}
	return ring->nextId++;
}

/* The text of a host may hold what has to be escaped. */
static int causeAdd(struct hdText *text, const struct cause *cause)
{
	char trace[REL_TRACE_SIZE];
	int ret;

	if (cause->key) {
		hdTextPut(text, cause->key, strlen(cause->key));
		ret = hdEscape(text, cause->text, cause->length);
		if (ret == 0)
			ret = hdTextRoom(text, ELEMENT_ROOM);
		if (ret < 0)
			return ret;
		hdTextPutc(text, '"');
	}
	if (cause->trace) {
		hdRelTracePut(cause->trace, trace);
		elementPutPlain(text, " w=\"", trace, sizeof(trace) - 1);
	}
	if (cause->span)
		elementPutPlain(text, " ws=\"", cause->span, REL_SPAN_SIZE - 1);
	return 0;
}

static void tokenFree(hdR_token token)
{
	if (token->pending)
		hdTextClear(&token->pending->text);
	free(token->pending);
	hdPoolGive(&tokenPool, token);
}

/* Set what a relation has of who caused it. */
static void tokenSetRoot(hdR_token token, const struct cause *cause)
{
	const struct _hdR_token *parent = cause->parent;

	token->rootIdentity = parent ? parent->rootIdentity : token->identity;
	token->rootNumber = parent ? parent->rootNumber : token->number;
	token->rootId = parent ? parent->rootId : token->id;
	token->hasTrace = cause->trace || (parent && parent->hasTrace);
	if (cause->trace)
		token->trace = *cause->trace;
	else if (token->hasTrace)
		token->trace = parent->trace;
}

/* Put ` t="1" time="0.123"` as it stands in the element before. */
static void elementPutTimeAgain(struct hdText *text, size_t from, size_t length)
{
	hdTextPut(text, text->bytes + from, length);
}

/* The name of a state. */
struct name {
	const char *text;
	size_t length;
};

static struct hdRelName *nameKnown(struct hdRelThread *thread, const char *text)
{
	return &thread->names[(uintptr_t)text % REL_NAMES];
}

/* @p thread may be NULL. */
static int nameSet(struct name *name, const char *text,
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

/* Put text as it has to stand in an attribute; most stands for itself. */
static int textEscape(struct hdText *text, const char *bytes, size_t length)
{
	if (hdTextRoom(text, length) < 0)
		return -HD_ERR_MALLOC;
	if (__builtin_expect(
		    hdPlainCopy(text->bytes + text->used, bytes, length), 1)) {
		text->used += length;
		return 0;
	}
	return hdEscape(text, bytes, length) < 0 ? -HD_ERR_MALLOC : 0;
}

/* Put what an element of a state begins with. */
static int nameAdd(struct hdText *text, const struct name *name,
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
	ret = textEscape(text, name->text, name->length);
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

/* @p state is one that begins at once, or NULL. */
static int tokenWriteBegin(hdR_token token, const struct cause *cause,
			   const struct name *state)
{
	size_t timeAt, timeEnd, last = 0;
	struct hdRelThread *thread = NULL;
	struct hdRelRing *ring;
	struct hdText *text;
	int64_t time;
	int ret = tokenBegin(token, &thread, &ring);

	if (ret < 0)
		return ret;
	text = &thread->scratch;
	token->id = ringGiveId(ring);
	tokenSetRoot(token, cause);
	token->ringSerial = ring->serial;
	ret = tokenTime(token, ring, &time);
	if (ret < 0)
		return ret;
	hdTextPut(text, LITERAL("<rel"));
	timeAt = text->used;
	elementPutTime(text, token, time);
	timeEnd = text->used;
	ret = causeAdd(text, cause);
	if (ret < 0)
		return ret;
	hdTextPut(text, LITERAL("/>"));
	if (state) {
		last = text->used;
		ret = nameAdd(text, state, thread);
		if (ret < 0)
			return ret;
		elementPutTimeAgain(text, timeAt, timeEnd - timeAt);
		hdTextPut(text, LITERAL("/>"));
		last = text->used - last;
	}
	ret = tokenPut(token, ring, text, last, time, HD_OUTFILE_MAY_DROP);
	/* What is lost is followed all the same. */
	token->isLost = ret != 0;
	token->depth = state != NULL;
	token->skipped = state && ret != 0;
	return ret;
}

static hdR_token tokenMake(hdR_topoToken node, const struct cause *cause,
			   const struct name *state)
{
	int saved = errno;
	uint64_t epoch =
		atomic_load_explicit(&node->epoch, memory_order_relaxed);
	hdR_token token;
	int ret;

	/* Inherited by fork(): not traced. */
	if (node->generation != hdOutfileGeneration)
		return NULL;
	token = hdPoolTake(&tokenPool);
	if (!token)
		return hdFailNull(-HD_ERR_MALLOC);
	token->node = node;
	token->epoch = epoch;
	token->start = node->start;
	token->last = 0;
	token->ringEnd = 0;
	token->depth = 0;
	token->skipped = 0;
	token->isLost = false;
	token->isEnded = false;
	token->number = node->number;
	token->identity = node->identity;
	token->pending = NULL;
	ret = tokenWriteBegin(token, cause, state);
	if (ret < 0 && ret != -HD_ERR_WRITE_FILE) {
		hdPoolGive(&tokenPool, token);
		return hdFailNull(ret);
	}
	errno = saved;
	return token;
}

hdR_token hdR_createTopLevelRelation(hdR_topoToken topology)
{
	static const struct cause none;

	return topology ? tokenMake(topology, &none, NULL) : NULL;
}

hdR_token hdR_relateTopologyInternalToken(hdR_token parent)
{
	struct cause cause = { .key = " i=\"", .parent = parent };
	char text[HD_INT64_MAX + 1];

	if (!parent)
		return NULL;
	if (!tokenIsOpen(parent))
		return hdFailNull(-HD_ERR_TRACE_DISABLED);
	cause.text = text;
	cause.length = (size_t)(hdNumberUint64(text, parent->id) - text);
	return tokenMake(parent->node, &cause, NULL);
}

/* Room for the text of a cause of this process. */
#define CAUSE_SIZE \
	(sizeof(((struct hdRelIdentity *)NULL)->local) + 2 * HD_INT64_MAX + 6)

/* Set a cause of this process, whose text has CAUSE_SIZE bytes. */
static void causeSetLocal(struct cause *cause, hdR_topoToken topology,
			  hdR_token parent, char *text)
{
	char *to = text;

	*cause = (struct cause){ .key = " p=\"", .parent = parent };
	if (parent->identity != topology->identity) {
		cause->key = " l=\"";
		to = stpcpy(to, parent->identity->local);
		*to++ = ':';
	}
	to = relationPutNumber(to, parent->number);
	*to++ = ':';
	to = relationPutNumber(to, parent->id);
	cause->text = text;
	cause->length = (size_t)(to - text);
}

hdR_token hdR_relateProcessLocalToken(hdR_topoToken topology, hdR_token parent)
{
	char text[CAUSE_SIZE];
	struct cause cause;

	if (!topology || !parent)
		return NULL;
	causeSetLocal(&cause, topology, parent, text);
	return tokenMake(topology, &cause, NULL);
}

/* Say that somebody sent what is not a token; what it is may be anything. */
static void *refuseText(const char *what, const char *text)
{
	hdMessage(HD_LOG_ERROR, "relation: not a %s token (%zu bytes)", what,
		  strlen(text));
	return hdFailNull(-HD_ERR_INVALID_ARGUMENT);
}

hdR_token hdR_relateLocalToken(hdR_topoToken topology, const char *parent)
{
	struct cause cause = { .key = " l=\"" };
	struct hdRelTokenText parts;

	if (!topology || !parent)
		return NULL;
	if (!hdRelTokenParse(parent, false, &parts))
		return refuseText("local", parent);
	cause.text = parts.rest;
	cause.length = parts.restLength;
	return tokenMake(topology, &cause, NULL);
}

/* Set a cause that is anywhere, from its text, and what the text is taken apart
 * into; false if it is none. */
static bool causeSetRemote(struct cause *cause, const char *text,
			   struct hdRelTokenText *parts)
{
	if (!hdRelTokenParse(text, true, parts)) {
		refuseText("remote", text);
		return false;
	}
	*cause = (struct cause){
		.key = " r=\"",
		.text = parts->host,
		.length = parts->hostLength + 1 + parts->restLength,
		.trace = parts->hasTrace ? &parts->trace : NULL,
	};
	return true;
}

hdR_token hdR_relateRemoteToken(hdR_topoToken topology, const char *parent)
{
	struct hdRelTokenText parts;
	struct cause cause;

	if (!topology || !parent || !causeSetRemote(&cause, parent, &parts))
		return NULL;
	return tokenMake(topology, &cause, NULL);
}

hdR_token hdR_relateTraceparent(hdR_topoToken topology, const char *parent)
{
	char span[REL_SPAN_SIZE];
	struct hdRelTrace trace;
	struct cause cause = { .span = span, .trace = &trace };

	if (!topology || !parent)
		return NULL;
	if (!hdRelTraceparentParse(parent, &trace, span))
		return refuseText("traceparent", parent);
	return tokenMake(topology, &cause, NULL);
}

hdR_token hdR_startRelation(hdR_topoToken topology, hdR_token parent,
			    const char *text, const char *name)
{
	struct cause cause = { 0 };
	struct hdRelTokenText parts;
	char local[CAUSE_SIZE];
	struct name state;
	int ret;

	if (!topology)
		return NULL;
	ret = nameSet(&state, name, hdRelThreadOwn);
	if (ret < 0)
		return hdFailNull(ret);
	if (parent)
		causeSetLocal(&cause, topology, parent, local);
	else if (text && !causeSetRemote(&cause, text, &parts))
		return NULL;
	return tokenMake(topology, &cause, &state);
}

int hdR_link(hdR_token token, const char *text)
{
	struct hdRelTokenText parts;
	struct hdRelThread *thread = NULL;
	struct hdRelRing *ring;
	struct cause cause;
	int64_t time;
	int ret;

	if (!token || !text || !causeSetRemote(&cause, text, &parts))
		return -1;
	ret = tokenBegin(token, &thread, &ring);
	if (ret == 0)
		ret = tokenTime(token, ring, &time);
	if (ret < 0)
		return hdFail(ret);
	if (token->isLost) {
		atomic_fetch_add(&token->node->lost, 1);
		return 0;
	}
	hdTextPut(&thread->scratch, LITERAL("<link"));
	elementPutTime(&thread->scratch, token, time);
	ret = causeAdd(&thread->scratch, &cause);
	if (ret < 0)
		return hdFail(ret);
	hdTextPut(&thread->scratch, LITERAL("/>"));
	return hdResult(tokenPut(token, ring, &thread->scratch, 0, time,
				 HD_OUTFILE_MAY_DROP));
}

static int tokenWriteEnd(hdR_token token)
{
	struct hdRelThread *thread = NULL;
	struct hdRelRing *ring;
	int64_t time;
	int ret, late;

	if (!tokenIsOpen(token))
		return -HD_ERR_TRACE_DISABLED;
	if (token->isLost) {
		atomic_fetch_add(&token->node->lost, 1);
		return 0;
	}
	ret = tokenBegin(token, &thread, &ring);
	if (ret < 0)
		return ret;
	late = tokenTime(token, ring, &time);
	hdTextPut(&thread->scratch, LITERAL("<un"));
	elementPutTime(&thread->scratch, token, time);
	hdTextPut(&thread->scratch, LITERAL("/>"));
	ret = tokenPut(token, ring, &thread->scratch, 0, time, HD_OUTFILE_KEEP);
	return ret < 0 ? ret : late;
}

int hdR_destroyRelation(hdR_token *token)
{
	int ret;

	if (!token || !*token)
		return -1;
	ret = (*token)->isEnded ? 0 : tokenWriteEnd(*token);
	tokenFree(*token);
	*token = NULL;
	return hdResult(ret);
}

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
	if (textEscape(text, value, length) < 0 || hdTextRoom(text, 1) < 0)
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

/* What is known of their keys is put into @p known, or NULL. */
static int attributesCheck(struct hdRelThread *thread,
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

/* The same of any. */
static int attributesAdd(struct hdText *text, const struct attributes *list,
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

/* A state has been opened: nothing waits for it. */
static void pendingOpen(hdR_token token)
{
	struct hdRelPending *pending = token->pending;

	if (pending && token->depth <= pending->depth)
		*pendingPlace(token) =
			(struct hdRelPlace){ pending->text.used, 0 };
}

/* Append what waits for the end of the innermost state, without what the call
 * that ends it gives. What waits is ` key="value"`, and no value has a '"'. */
static int pendingAdd(struct hdText *text, hdR_token token,
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

/* The innermost state has been ended. */
static void pendingClose(hdR_token token)
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

/* ---- States ------------------------------------------------------------ */

/* Append the further XML, or only the end of the tag. */
static int elementEnd(struct hdText *text, const char *element,
		      const struct hdText *xml)
{
	size_t length = xml ? xml->used : 0;

	if (hdTextRoom(text, length + 16) < 0)
		return -HD_ERR_MALLOC;
	if (length == 0) {
		hdTextPut(text, LITERAL("/>"));
		return 0;
	}
	hdTextPutc(text, '>');
	hdTextPut(text, xml->bytes, length);
	hdTextPut(text, LITERAL("</"));
	hdTextPut(text, element, strlen(element));
	hdTextPutc(text, '>');
	return 0;
}

/* Whether a state that begins now is not to be recorded, and count it. */
static bool stateIsSkipped(hdR_token token)
{
	if (__builtin_expect(!token->isLost && token->skipped == 0 &&
				     token->depth < HD_DEPTH_MAX,
			     1))
		return false;
	atomic_fetch_add(&token->node->lost, 1);
	return true;
}

static void stateOpen(hdR_token token, bool isSkipped)
{
	token->depth++;
	token->skipped += isSkipped;
	pendingOpen(token);
}

static int stateStart(hdR_token token, const char *name,
		      const struct attributes *list, const struct hdText *xml)
{
	const struct hdRelKey *known;
	struct keyLengths lengths;
	struct hdRelThread *thread = hdRelThreadOwn;
	struct hdRelRing *ring;
	struct hdText *text;
	struct name state;
	int64_t time;
	int ret = nameSet(&state, name, thread);

	if (ret == 0)
		ret = attributesCheck(thread, list, &lengths, &known);
	if (ret == 0)
		ret = tokenBegin(token, &thread, &ring);
	if (ret < 0)
		return ret;
	if (stateIsSkipped(token)) {
		stateOpen(token, true);
		return 0;
	}
	text = &thread->scratch;
	ret = tokenTime(token, ring, &time);
	if (ret < 0)
		return ret;
	ret = nameAdd(text, &state, thread);
	if (ret < 0)
		return ret;
	elementPutTime(text, token, time);
	ret = attributesAdd(text, list, &lengths, known);
	if (ret == 0)
		ret = elementEnd(text, "s", xml);
	if (ret < 0)
		return ret;
	ret = tokenPut(token, ring, text, 0, time, HD_OUTFILE_MAY_DROP);
	stateOpen(token, ret != 0);
	return ret < 0 ? ret : 0;
}

static void stateClose(hdR_token token)
{
	pendingClose(token);
	token->depth--;
	if (token->skipped > 0)
		token->skipped--;
}

/* @p isLast says that the relation ends, too. */
static int stateEnd(hdR_token token, const struct attributes *list,
		    const struct hdText *xml, bool isLast)
{
	size_t timeEnd, last = 0;
	const struct hdRelKey *known;
	struct keyLengths lengths;
	struct hdRelThread *thread = hdRelThreadOwn;
	struct hdRelRing *ring;
	struct hdText *text;
	int64_t time;
	int ret, late;

	ret = attributesCheck(thread, list, &lengths, &known);
	if (ret < 0)
		return ret;
	if (token->depth == 0)
		return -HD_ERR_INVALID_CONTEXT;
	ret = tokenBegin(token, &thread, &ring);
	if (ret < 0)
		return ret;
	if (token->skipped > 0) {
		ret = isLast ? tokenWriteEnd(token) : 0;
		if (ret < 0)
			return ret;
		atomic_fetch_add(&token->node->lost, 1);
		stateClose(token);
		return ret;
	}
	text = &thread->scratch;
	late = tokenTime(token, ring, &time);
	hdTextPut(text, LITERAL("<e"));
	elementPutTime(text, token, time);
	timeEnd = text->used;
	ret = pendingAdd(text, token, list);
	if (ret == 0)
		ret = attributesAdd(text, list, &lengths, known);
	if (ret == 0)
		ret = elementEnd(text, "e", xml);
	if (ret == 0 && isLast)
		ret = hdTextRoom(text, ELEMENT_ROOM);
	if (ret < 0)
		return ret;
	if (isLast) {
		last = text->used;
		hdTextPut(text, LITERAL("<un"));
		elementPutTimeAgain(text, 2, timeEnd - 2);
		hdTextPut(text, LITERAL("/>"));
		last = text->used - last;
	}
	ret = tokenPut(token, ring, text, last, time, HD_OUTFILE_KEEP);
	stateClose(token);
	return ret < 0 ? ret : late;
}

int hdR_startS(hdR_token token, const char *name)
{
	if (!token)
		return -1;
	return hdResult(stateStart(token, name, &noAttributes, NULL));
}

int hdR_start(hdR_token token, const char *name, int n, const char *const *keys,
	      const char *const *values)
{
	struct attributes list = { n, keys, values, NULL };

	if (!token)
		return -1;
	return hdResult(stateStart(token, name, &list, NULL));
}

/* Make the further XML of a call; 0 or negative. */
static int formatXml(const char *format, va_list arguments, struct hdText **xml)
{
	struct hdRelThread *thread = hdRelThreadGet();
	int ret;

	if (!thread)
		return -HD_ERR_MALLOC;
	*xml = &thread->xml;
	(*xml)->used = 0;
	ret = hdTextPrintf(*xml, format ? format : "", arguments);
	if (ret < 0)
		return ret;
	if ((*xml)->used > HDR_MAX_XML_LENGTH)
		return -HD_ERR_BUFFER_OVERFLOW;
	return hdFragmentIsValid((*xml)->bytes, (*xml)->used)
		       ? 0
		       : -HD_ERR_INVALID_ARGUMENT;
}

int hdR_startE(hdR_token token, const char *name, int n,
	       const char *const *keys, const char *const *values,
	       const char *format, ...)
{
	struct attributes list = { n, keys, values, NULL };
	struct hdText *xml;
	va_list arguments;
	int ret;

	if (!token)
		return -1;
	va_start(arguments, format);
	ret = formatXml(format, arguments, &xml);
	va_end(arguments);
	if (ret == 0)
		ret = stateStart(token, name, &list, xml);
	return hdResult(ret);
}

int hdR_endS(hdR_token token)
{
	if (!token)
		return -1;
	return hdResult(stateEnd(token, &noAttributes, NULL, false));
}

int hdR_end(hdR_token token, int n, const char *const *keys,
	    const char *const *values)
{
	struct attributes list = { n, keys, values, NULL };

	if (!token)
		return -1;
	return hdResult(stateEnd(token, &list, NULL, false));
}

/* Whether what stateEnd() returned means that nothing has ended. */
static bool isNotEnded(int ret)
{
	return ret == -HD_ERR_INVALID_CONTEXT ||
	       ret == -HD_ERR_INVALID_ARGUMENT ||
	       ret == -HD_ERR_BUFFER_OVERFLOW || ret == -HD_ERR_MALLOC;
}

int hdR_endRelation(hdR_token *token, int n, const char *const *keys,
		    const char *const *values)
{
	struct attributes list = { n, keys, values, NULL };
	int ret;

	if (!token || !*token)
		return -1;
	ret = stateEnd(*token, &list, NULL, true);
	if (!isNotEnded(ret)) {
		tokenFree(*token);
		*token = NULL;
	}
	return hdResult(ret);
}

int hdR_finishRelation(hdR_token token, int n, const hdR_attribute *attributes)
{
	struct attributes list = { n, NULL, NULL, attributes };
	int ret;

	if (!token)
		return -1;
	if (n > 0 && !attributes)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	if (token->depth == 0 && n == 0)
		ret = token->isEnded ? -HD_ERR_INVALID_CONTEXT
				     : tokenWriteEnd(token);
	else
		ret = stateEnd(token, &list, NULL, true);
	if (!isNotEnded(ret)) {
		token->isEnded = true;
		token->depth = 0;
	}
	return hdResult(ret);
}

int hdR_endE(hdR_token token, int n, const char *const *keys,
	     const char *const *values, const char *format, ...)
{
	struct attributes list = { n, keys, values, NULL };
	struct hdText *xml;
	va_list arguments;
	int ret;

	if (!token)
		return -1;
	va_start(arguments, format);
	ret = formatXml(format, arguments, &xml);
	va_end(arguments);
	if (ret == 0)
		ret = stateEnd(token, &list, xml, false);
	return hdResult(ret);
}

int hdR_endFailed(hdR_token token, const char *why)
{
	static const char *const keys[] = { HDR_ERROR_KEY };
	struct attributes list = { 1, keys, &why, NULL };

	if (!token)
		return -1;
	return hdResult(stateEnd(token, &list, NULL, false));
}
