/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tokens as text (doc/format/format.md, "Relations").
 *
 * Ids of W3C traces (https://www.w3.org/TR/trace-context/) that nobody gave us
 * are the FNV-1a hash, of 128 bits for a trace and of 64 for a span,
 * of HOST:PID:TOPOLOGY:ID; so readers find them without being told.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "HDTraceWritingCLibrary/src/error.h"
#include "HDTraceWritingCLibrary/src/relation/relation.h"
#include "common/format/escape.h"
#include "common/format/relationid.h"
#include "common/hex.h"
#include "common/number.h"

/* Longest host name and process identity that are taken from others. */
#define HOST_MAX 255
#define PROCESS_MAX 64
/* Traces that begin here are recorded. */
#define FLAGS_SAMPLED 1

/* ---- Reading ----------------------------------------------------------- */

static int hexValue(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Read `count` bytes in hexadecimal, lower case. */
static bool hexRead(const char *text, unsigned char *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int high = hexValue(text[2 * i]);
		int low = high < 0 ? -1 : hexValue(text[2 * i + 1]);

		if (low < 0)
			return false;
		bytes[i] = (unsigned char)(high << 4 | low);
	}
	return true;
}

static bool isZero(const unsigned char *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (bytes[i] != 0)
			return false;
	return true;
}

/* Read 32 digits, '-' and two more. */
static bool relTokenReadTrace(const char *text, struct hdRelTrace *trace)
{
	return strnlen(text, REL_TRACE_SIZE) == REL_TRACE_SIZE - 1 &&
	       hexRead(text, trace->id, sizeof(trace->id)) && text[32] == '-' &&
	       hexRead(text + 33, &trace->flags, 1) &&
	       !isZero(trace->id, sizeof(trace->id));
}

/* Length of a part of a token that ends with ':' or, the last one, with '\0';
 * 0 if it is not one. */
static size_t partLength(const char *text, size_t max, bool isProcess)
{
	size_t length = 0;

	for (; text[length] && text[length] != ':'; length++) {
		unsigned char c = (unsigned char)text[length];

		if (length == max || c <= ' ' || c == 0x7f ||
		    (isProcess && !hdNameBytes[c]))
			return 0;
	}
	return length;
}

/* Length of a decimal number below a limit, or 0. */
static size_t relTokenNumberLength(const char *text, uint64_t max)
{
	uint64_t value = 0;
	size_t length = 0;

	for (; text[length] >= '0' && text[length] <= '9'; length++) {
		uint64_t digit = (uint64_t)(text[length] - '0');

		if (value > (max - digit) / 10)
			return 0;
		value = value * 10 + digit;
	}
	return length;
}

bool hdRelTokenParse(const char *text, bool isRemote,
		     struct hdRelTokenText *parts)
{
	size_t length;

	*parts = (struct hdRelTokenText){ 0 };
	if (isRemote) {
		length = partLength(text, HOST_MAX, false);
		if (length == 0 || text[length] != ':')
			return false;
		parts->host = text;
		parts->hostLength = length;
		text += length + 1;
	}
	parts->rest = text;
	length = partLength(text, PROCESS_MAX, true);
	if (length == 0 || text[length] != ':')
		return false;
	text += length + 1;
	length = relTokenNumberLength(text, UINT32_MAX);
	if (length == 0 || text[length] != ':')
		return false;
	text += length + 1;
	length = relTokenNumberLength(text, UINT64_MAX);
	if (length == 0)
		return false;
	text += length;
	parts->restLength = (size_t)(text - parts->rest);
	if (!isRemote || !*text)
		return !*text;
	parts->hasTrace =
		*text == ':' && relTokenReadTrace(text + 1, &parts->trace);
	return parts->hasTrace;
}

bool hdRelTraceparentParse(const char *text, struct hdRelTrace *trace,
			   char span[REL_SPAN_SIZE])
{
	unsigned char version, parent[8];
	size_t length = HDR_TRACEPARENT_SIZE - 1;

	/* Later versions may have more behind what is known today. */
	if (strnlen(text, length) < length || !hexRead(text, &version, 1) ||
	    version == 0xff ||
	    (text[length] && (version == 0 || text[length] != '-')))
		return false;
	if (text[2] != '-' || !hexRead(text + 3, trace->id, 16) ||
	    text[35] != '-' || !hexRead(text + 36, parent, 8) ||
	    text[52] != '-' || !hexRead(text + 53, &trace->flags, 1))
		return false;
	if (isZero(trace->id, 16) || isZero(parent, 8))
		return false;
	memcpy(span, text + 36, REL_SPAN_SIZE - 1);
	span[REL_SPAN_SIZE - 1] = '\0';
	return true;
}

/* ---- Writing ----------------------------------------------------------- */

void hdRelTracePut(const struct hdRelTrace *trace, char text[REL_TRACE_SIZE])
{
	char *to = hdHexPut(text, trace->id, sizeof(trace->id));

	*to++ = '-';
	to = hdHexPut(to, &trace->flags, 1);
	*to = '\0';
}

/* Put a number, ':' before it. */
static char *relTokenPutNumber(char *to, uint64_t number)
{
	*to++ = ':';
	return hdNumberUint64(to, number);
}

/* Put HOST:PID:TOPOLOGY:ID, not terminated. */
static char *remotePut(char *to, const struct hdRelIdentity *identity,
		       uint32_t number, uint64_t id)
{
	memcpy(to, identity->remote, identity->remoteLength);
	return relTokenPutNumber(
		relTokenPutNumber(to + identity->remoteLength, number), id);
}

/* The trace of a relation: received, or that of its topmost ancestor. */
static void traceGet(hdR_token token, struct hdRelTrace *trace)
{
	struct hdTraceHash hash;
	char text[2 * (HD_INT64_MAX + 1)];
	char *end;

	if (token->hasTrace) {
		*trace = token->trace;
		return;
	}
	end = relTokenPutNumber(relTokenPutNumber(text, token->rootNumber),
				token->rootId);
	hash = token->rootIdentity->hash;
	hdTraceHashAdd(&hash, text, (size_t)(end - text));
	hdTraceHashGet(&hash, trace->id);
	trace->flags = FLAGS_SAMPLED;
}

static int copyOut(const char *text, size_t length, char *buffer, size_t size)
{
	if (!buffer)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	if (length >= size)
		return hdFail(-HD_ERR_BUFFER_OVERFLOW);
	memcpy(buffer, text, length);
	buffer[length] = '\0';
	return (int)length;
}

int hdR_putRemoteToken(hdR_token token, char *buffer, size_t size)
{
	char text[HDR_TOKEN_SIZE];
	struct hdRelTrace trace;
	char *end;

	if (!token)
		return -1;
	end = remotePut(text, token->identity, token->number, token->id);
	*end++ = ':';
	traceGet(token, &trace);
	hdRelTracePut(&trace, end);
	end += REL_TRACE_SIZE - 1;
	return copyOut(text, (size_t)(end - text), buffer, size);
}

int hdR_putTraceparent(hdR_token token, char *buffer, size_t size)
{
	char text[HDR_TOKEN_SIZE], context[HDR_TRACEPARENT_SIZE];
	unsigned char span[8];
	struct hdRelTrace trace;
	char *end, *to;

	if (!token)
		return -1;
	end = remotePut(text, token->identity, token->number, token->id);
	hdSpanId(text, (size_t)(end - text), span);
	traceGet(token, &trace);
	to = stpcpy(context, "00-");
	to = hdHexPut(to, trace.id, sizeof(trace.id));
	*to++ = '-';
	to = hdHexPut(to, span, sizeof(span));
	*to++ = '-';
	to = hdHexPut(to, &trace.flags, 1);
	return copyOut(context, (size_t)(to - context), buffer, size);
}

static char *relTokenCopyText(const char *text)
{
	int saved = errno;
	char *copy = strdup(text);

	if (!copy)
		return hdFailNull(-HD_ERR_MALLOC);
	errno = saved;
	return copy;
}

char *hdR_getLocalToken(hdR_token token)
{
	char text[HDR_TOKEN_SIZE];

	if (!token)
		return NULL;
	*remotePut(text, token->identity, token->number, token->id) = '\0';
	return relTokenCopyText(text + strlen(token->identity->host) + 1);
}

char *hdR_getRemoteToken(hdR_token token)
{
	char text[HDR_TOKEN_SIZE];

	if (hdR_putRemoteToken(token, text, sizeof(text)) < 0)
		return NULL;
	return relTokenCopyText(text);
}
