/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Relations and their states.
 *
 * Each call makes one element of the file, in the scratch text of its thread,
 * and puts it into the thread's ring.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "HDTraceWritingCLibrary/src/relation/relationwrite.h"
#include "HDTraceWritingCLibrary/src/error.h"
#include "HDTraceWritingCLibrary/src/relation/relation.h"
#include "HDTraceWritingCLibrary/src/settings.h"
#include "common/clock.h"
#include "common/format/escape.h"
#include "common/number.h"
#include "common/pool.h"

/* Relations that end elsewhere than they begin, as many as are often open. */
#define POOL_TOKENS 256

HD_POOL(tokenPool, struct _hdR_token, POOL_TOKENS);

/* ---- Elements ---------------------------------------------------------- */

/* Put an attribute for which there is room. */
static void elementPutPlain(struct hdText *text, const char *key,
			    const char *value, size_t length)
{
	hdTextPut(text, key, strlen(key));
	hdTextPut(text, value, length);
	hdTextPutc(text, '"');
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

void hdRelTokenFree(hdR_token token)
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

int hdRelTextEscape(struct hdText *text, const char *bytes, size_t length)
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
	int64_t time = 0;
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

int hdRelTokenWriteEnd(hdR_token token)
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
	ret = (*token)->isEnded ? 0 : hdRelTokenWriteEnd(*token);
	hdRelTokenFree(*token);
	*token = NULL;
	return hdResult(ret);
}
