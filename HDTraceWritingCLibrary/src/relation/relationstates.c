/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Relations: their states.
 */
#include "config.h"

#include <stdarg.h>
#include <string.h>

#include "HDTraceWritingCLibrary/src/relation/relationwrite.h"
#include "HDTraceWritingCLibrary/src/error.h"
#include "HDTraceWritingCLibrary/src/fragment.h"
#include "HDTraceWritingCLibrary/src/relation/relation.h"
#include "HDTraceWritingCLibrary/src/settings.h"
#include "common/clock.h"
#include "common/number.h"
#include "common/pool.h"

static const struct attributes noAttributes;

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
	hdRelPendingOpen(token);
}

static int stateStart(hdR_token token, const char *name,
		      const struct attributes *list, const struct hdText *xml)
{
	const struct hdRelKey *known;
	struct keyLengths lengths;
	struct hdRelThread *thread = hdRelThreadOwn;
	struct hdRelRing *ring = NULL;
	struct hdText *text;
	struct name state;
	int64_t time;
	int ret = nameSet(&state, name, thread);

	if (ret == 0)
		ret = hdRelAttributesCheck(thread, list, &lengths, &known);
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
	ret = hdRelAttributesAdd(text, list, &lengths, known);
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
	hdRelPendingClose(token);
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

	ret = hdRelAttributesCheck(thread, list, &lengths, &known);
	if (ret < 0)
		return ret;
	if (token->depth == 0)
		return -HD_ERR_INVALID_CONTEXT;
	ret = tokenBegin(token, &thread, &ring);
	if (ret < 0)
		return ret;
	if (token->skipped > 0) {
		ret = isLast ? hdRelTokenWriteEnd(token) : 0;
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
	ret = hdRelPendingAdd(text, token, list);
	if (ret == 0)
		ret = hdRelAttributesAdd(text, list, &lengths, known);
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
		hdRelTokenFree(*token);
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
				     : hdRelTokenWriteEnd(token);
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
