/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Traces of states and events.
 *
 * A state is written when it ends, and what it held stands in one <Nested>
 * block before it. Until then its start tag lives in the trace's "tags" text,
 * its child elements in "elements"; both are stacks, since only the innermost
 * state can get more. The tags hold, for each open state, what may have to
 * precede it as well, so that a record is mostly one piece:
 *
 *     \t</Nested>\n\t<name key='value'
 *                  ^ level.tag
 *
 * "Blocks" are the <Nested> that are open in the file: those of the outermost
 * states, as many as have something inside.
 */
#include <config.h>

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attributes.h"
#include "clock.h"
#include "error.h"
#include "escape.h"
#include "hdTrace.h"
#include "log.h"
#include "number.h"
#include "outfile.h"
#include "settings.h"
#include "text.h"
#include "topology.h"

/* Deeper nesting is not indented further, lest files grow with its square. */
#define TRACE_INDENT_MAX 16

#define TRACE_OPEN "<Nested>\n"
#define TRACE_CLOSE "</Nested>\n"
#define TRACE_END "</Program>\n"

/* Text of a literal and its length. */
#define LITERAL(text) text, sizeof(text) - 1

/* Most that ends a record besides its elements and name: the times, brackets
 * and the name's slash. */
#define TRACE_TAIL_MAX (2 * HD_TIME_LENGTH_MAX + 32)

/* An open state that is recorded. */
struct traceLevel {
	size_t start;    /* In the tags: where its part begins. */
	size_t tag;      /* In the tags: where the start tag begins. */
	size_t elements; /* In the elements: where its part begins. */
	size_t nameLength;
	size_t reserved;      /* Of the file, while its block is open. */
	uint64_t keys;        /* Filter of its attributes' names. */
	int64_t time;         /* Its start, relative. */
	unsigned int skipped; /* Open states in it that are not recorded. */
};

struct _hdTrace {
	struct hdOutfile *file;
	struct hdOutfile *info; /* NULL until something is written. */
	char *infoPath;
	bool isEnabled;
	unsigned int maxDepth;
	unsigned int depth;  /* Open states, recorded or not. */
	unsigned int blocks; /* Open <Nested>. */
	unsigned int used;   /* Levels in use; level 0 stands for the file. */
	unsigned int size;   /* Levels allocated. */
	struct traceLevel *levels;
	struct hdText tags;
	struct hdText elements;
	struct hdText scratch;
	int64_t epoch; /* timeAdjustment. */
	int64_t last;  /* Last time in the file, relative. */
	uint64_t clamped;
};

/* ---- Time -------------------------------------------------------------- */

/* Make a time relative and not decreasing. */
static int64_t traceTime(hdTrace *trace, int64_t now)
{
	now -= trace->epoch;
	if (__builtin_expect(now < trace->last, 0)) {
		trace->clamped++;
		return trace->last;
	}
	trace->last = now;
	return now;
}

/* ---- Putting records into the file ------------------------------------- */

static size_t traceIndent(unsigned int depth)
{
	return depth < TRACE_INDENT_MAX ? depth : TRACE_INDENT_MAX;
}

static const char traceTabs[TRACE_INDENT_MAX + 1] = "\t\t\t\t\t\t\t\t"
						    "\t\t\t\t\t\t\t\t";

/* Room that the end of a level's state needs at most. */
static size_t traceReserve(const hdTrace *trace, unsigned int level)
{
	const struct traceLevel *at = &trace->levels[level];
	bool isTop = level + 1 == trace->used;
	size_t tagsEnd = isTop ? trace->tags.used : at[1].start;
	size_t elementsEnd = isTop ? trace->elements.used : at[1].elements;

	return tagsEnd - at->start + elementsEnd - at->elements +
	       at->nameLength + TRACE_TAIL_MAX;
}

/*
 * Put a record that lies in `level` recorded states into the file, with the
 * <Nested> that it needs before it.
 *
 * The end of a state whose block is open must not be dropped, or what lies in
 * the block would belong to the next one. So room for it is reserved.
 */
static int tracePut(hdTrace *trace, unsigned int level, const char *bytes,
		    size_t length, enum hdOutfileNeed need)
{
	struct hdOutfile *file = trace->file;
	size_t size = length;
	size_t reserve = 0;
	int ret;

	if (__builtin_expect(trace->blocks >= level, 1))
		return hdOutfilePut(file, bytes, length, need);

	for (unsigned int i = trace->blocks; i < level; i++) {
		size += traceIndent(i) + sizeof(TRACE_OPEN) - 1;
		if (file->dropOnFull)
			reserve += traceReserve(trace, i + 1);
	}
	ret = hdOutfileBegin(file, size + reserve, need);
	if (ret != 0)
		return ret;
	for (unsigned int i = trace->blocks; i < level; i++) {
		hdOutfileAdd(file, traceTabs, traceIndent(i));
		hdOutfileAdd(file, LITERAL(TRACE_OPEN));
		if (file->dropOnFull) {
			struct traceLevel *at = &trace->levels[i + 1];

			at->reserved = traceReserve(trace, i + 1);
			file->reserved += at->reserved;
		}
	}
	hdOutfileAdd(file, bytes, length);
	hdOutfileCommit(file);
	trace->blocks = level;
	return 0;
}

/* ---- Creation ---------------------------------------------------------- */

/* Refuse, or remove, what an earlier run left in the place of the .info. */
static int traceClearInfo(const char *path)
{
	int saved = errno;

	if (access(path, F_OK) < 0) {
		errno = saved;
		return 0;
	}
	if (!hdSettingsGet()->overwrite) {
		hdLog(HD_LOG_ERROR, "%s: exists", path);
		return -HD_ERR_CREATE_FILE;
	}
	if (unlink(path) < 0) {
		hdLog(HD_LOG_ERROR, "%s: cannot be replaced: %s", path,
		      strerror(errno));
		return -HD_ERR_CREATE_FILE;
	}
	errno = saved;
	return 0;
}

static int traceWriteHeader(hdTrace *trace, const hdTopoNode *node)
{
	char seconds[HD_INT64_MAX + 1];
	struct hdText *header = &trace->scratch;
	int ret;

	*hdNumberInt64(seconds, trace->epoch / HD_NS_PER_S) = '\0';
	ret = hdTextAdd(header, "<Program timeAdjustment='");
	if (ret == 0)
		ret = hdTextAdd(header, seconds);
	if (ret == 0 && *node->levels) {
		ret = hdTextAdd(header, "' levels='");
		if (ret == 0)
			ret = hdTextAdd(header, node->levels);
	}
	if (ret == 0)
		ret = hdTextAdd(header, "'>\n");
	if (ret == 0)
		ret = hdOutfilePut(trace->file, header->bytes, header->used,
				   HD_OUTFILE_KEEP);
	if (ret == 0)
		ret = hdOutfileFlush(trace->file);
	header->used = 0;
	return ret;
}

static void traceFree(hdTrace *trace)
{
	hdTextClear(&trace->tags);
	hdTextClear(&trace->elements);
	hdTextClear(&trace->scratch);
	free(trace->levels);
	free(trace->infoPath);
	free(trace);
}

hdTrace *hdT_createTrace(hdTopoNode *node)
{
	int64_t now;
	char *path;
	hdTrace *trace;
	int ret;

	if (!node)
		return hdFailNull(-HD_ERR_INVALID_ARGUMENT);
	now = hdClockNow();
	if (now < 0)
		return hdFailNull(-HD_ERR_GET_TIME);
	hdNumberPrepare();
	trace = calloc(1, sizeof(*trace));
	if (!trace)
		return hdFailNull(-HD_ERR_MALLOC);
	trace->isEnabled = true;
	trace->maxDepth = (unsigned int)hdSettingsGet()->maxDepth;
	trace->epoch = now / HD_NS_PER_S * HD_NS_PER_S;
	trace->last = now - trace->epoch;
	trace->size = 16;
	trace->used = 1;
	trace->levels = calloc(trace->size, sizeof(*trace->levels));
	trace->infoPath = hdTopoNodeFile(node, node->length, NULL, ".info");
	path = hdTopoNodeFile(node, node->length, NULL, ".trc");
	if (!trace->levels || !trace->infoPath || !path) {
		free(path);
		ret = -HD_ERR_MALLOC;
		goto fail;
	}
	ret = traceClearInfo(trace->infoPath);
	if (ret < 0) {
		free(path);
		goto fail;
	}
	ret = hdOutfileOpen(path, true, &trace->file);
	if (ret < 0)
		goto fail;
	ret = traceWriteHeader(trace, node);
	if (ret < 0) {
		hdOutfileRemove(trace->file);
		goto fail;
	}
	return trace;

fail:
	traceFree(trace);
	return hdFailNull(ret);
}

/* ---- Settings ---------------------------------------------------------- */

int hdT_setNestedDepth(hdTrace *trace, int depth)
{
	if (!trace || depth < 0)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	trace->maxDepth = (unsigned int)depth;
	return 0;
}

int hdT_setForceFlush(hdTrace *trace, int flag)
{
	if (!trace)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	trace->file->forceFlush = flag != 0;
	return 0;
}

static int traceSetEnabled(hdTrace *trace, bool isEnabled)
{
	bool was;

	if (!trace)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	was = trace->isEnabled;
	trace->isEnabled = isEnabled;
	return was == isEnabled;
}

int hdT_enableTrace(hdTrace *trace)
{
	return traceSetEnabled(trace, true);
}

int hdT_disableTrace(hdTrace *trace)
{
	return traceSetEnabled(trace, false);
}

int hdT_isEnabled(const hdTrace *trace)
{
	if (!trace)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	return trace->isEnabled && !hdOutfileIsForeign(trace->file);
}

int hdT_getLosses(const hdTrace *trace, hdLosses *losses)
{
	if (!trace || !losses)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	losses->records = hdOutfileLost(trace->file);
	if (trace->info)
		losses->records += hdOutfileLost(trace->info);
	losses->times = trace->clamped;
	return 0;
}

/* ---- States ------------------------------------------------------------ */

/* A level below the innermost one; the file's level 0 is always there. */
static int traceGrowLevels(hdTrace *trace)
{
	int saved = errno;
	struct traceLevel *levels;

	if (trace->used < trace->size)
		return 0;
	levels = realloc(trace->levels,
			 2 * (size_t)trace->size * sizeof(*levels));
	errno = saved;
	if (!levels)
		return -HD_ERR_MALLOC;
	trace->levels = levels;
	trace->size *= 2;
	return 0;
}

/* Names that have a meaning of their own in the file. */
static bool traceNameIsReserved(const char *name)
{
	return strcmp(name, "Nested") == 0 || strcmp(name, "Event") == 0 ||
	       strcmp(name, "Program") == 0;
}

/* Open a state whose name is known to be one. */
static int traceStart(hdTrace *trace, const char *name, size_t nameLength,
		      int64_t now)
{
	size_t indent = traceIndent(trace->used - 1);
	struct hdText *tags = &trace->tags;
	struct traceLevel *level;

	if (traceGrowLevels(trace) < 0 ||
	    hdTextRoom(tags, 2 * indent + sizeof(TRACE_CLOSE) + nameLength +
				     TRACE_TAIL_MAX) < 0)
		return -HD_ERR_MALLOC;
	level = &trace->levels[trace->used];
	level->start = tags->used;
	hdTextPut(tags, traceTabs, indent);
	hdTextPut(tags, LITERAL(TRACE_CLOSE));
	level->tag = tags->used;
	hdTextPut(tags, traceTabs, indent);
	hdTextPutc(tags, '<');
	hdTextPut(tags, name, nameLength);
	level->nameLength = nameLength;
	level->elements = trace->elements.used;
	level->reserved = 0;
	level->keys = 0;
	level->skipped = 0;
	level->time = traceTime(trace, now);
	trace->used++;
	trace->depth++;
	return 0;
}

/* Whether a state that starts now is recorded. */
static inline bool traceIsOn(const hdTrace *trace)
{
	return trace->isEnabled && trace->depth <= trace->maxDepth &&
	       !hdOutfileIsForeign(trace->file);
}

/* Whether an event is recorded now: also in the deepest recorded states. */
static inline bool traceIsOnForEvents(const hdTrace *trace)
{
	return trace->isEnabled &&
	       (trace->depth == 0 || trace->depth - 1 <= trace->maxDepth) &&
	       !hdOutfileIsForeign(trace->file);
}

static int traceSkip(hdTrace *trace)
{
	trace->levels[trace->used - 1].skipped++;
	trace->depth++;
	return 0;
}

/* Report a file that failed since the last call, once. */
static int traceReport(hdTrace *trace)
{
	struct hdOutfile *file = trace->file;

	if (__builtin_expect(atomic_load_explicit(&file->error,
						  memory_order_relaxed) == 0,
			     1) ||
	    file->errorReported)
		return 0;
	file->errorReported = true;
	return hdFail(-HD_ERR_WRITE_FILE);
}

static int traceStartChecked(hdTrace *trace, const char *name, int64_t now,
			     int clockError)
{
	size_t length = hdNameLength(name);

	if (length == 0 || name[length] != '\0' || traceNameIsReserved(name))
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	if (now < 0)
		return hdFail(clockError);
	if (traceStart(trace, name, length, now) < 0)
		return hdFail(-HD_ERR_MALLOC);
	return traceReport(trace);
}

int hdT_logStateStart(hdTrace *trace, const char *name)
{
	if (!trace || !name)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	if (!traceIsOn(trace))
		return traceSkip(trace);
	return traceStartChecked(trace, name, hdClockNow(), -HD_ERR_GET_TIME);
}

int hdT_logStateStartAt(hdTrace *trace, const char *name,
			const struct timespec *when)
{
	if (!trace || !name)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	if (!traceIsOn(trace))
		return traceSkip(trace);
	return traceStartChecked(trace, name, hdClockToNs(when),
				 -HD_ERR_INVALID_ARGUMENT);
}

/* Write the element of the innermost recorded state into the tags, behind its
 * start tag, and from there into the file. */
static int traceEnd(hdTrace *trace, int64_t now)
{
	struct traceLevel *level = &trace->levels[--trace->used];
	unsigned int outside = trace->used - 1;
	struct hdText *tags = &trace->tags;
	struct hdText *elements = &trace->elements;
	size_t inside = elements->used - level->elements;
	bool isBlock = trace->blocks > outside;
	enum hdOutfileNeed need =
		isBlock ? HD_OUTFILE_KEEP : HD_OUTFILE_MAY_DROP;
	size_t from;
	char *to;
	int memory, ret;

	trace->depth--;
	trace->file->reserved -= level->reserved;
	now = traceTime(trace, now);
	memory = hdTextRoom(tags, TRACE_TAIL_MAX + inside + level->nameLength);
	if (memory < 0) {
		/* Drop what the state holds rather than the state, which may
		 * own a block: for its name and times there is room. */
		inside = 0;
		tags->used = level->tag + traceIndent(outside) + 1 +
			     level->nameLength;
	}
	to = tags->bytes + tags->used;
	memcpy(to, "  time='", 8);
	to = hdNumberTime(to + 8, level->time);
	memcpy(to, "' end='", 7);
	to = hdNumberTime(to + 7, now);
	if (inside > 0) {
		memcpy(to, "'>", 2);
		memcpy(to + 2, elements->bytes + level->elements, inside);
		to += 2 + inside;
		memcpy(to, "</", 2);
		memcpy(to + 2,
		       tags->bytes + level->tag + traceIndent(outside) + 1,
		       level->nameLength);
		to += 2 + level->nameLength;
		memcpy(to, ">\n", 2);
		to += 2;
	} else {
		memcpy(to, "'/>\n", 4);
		to += 4;
	}
	from = isBlock ? level->start : level->tag;
	ret = tracePut(trace, outside, tags->bytes + from,
		       (size_t)(to - tags->bytes) - from, need);
	if (isBlock)
		trace->blocks = outside;
	tags->used = level->start;
	elements->used = level->elements;
	return hdResult(ret < 0 ? ret : memory);
}

/* Tell whether logStateEnd() has a recorded state to end: 1, or what it
 * returns. */
static inline int traceCanEnd(hdTrace *trace)
{
	struct traceLevel *top;

	if (!trace)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	if (trace->depth == 0)
		return hdFail(-HD_ERR_INVALID_CONTEXT);
	top = &trace->levels[trace->used - 1];
	if (top->skipped > 0) {
		top->skipped--;
		trace->depth--;
		return 0;
	}
	if (hdOutfileIsForeign(trace->file)) {
		trace->used--;
		trace->depth--;
		trace->tags.used = top->start;
		trace->elements.used = top->elements;
		return 0;
	}
	return 1;
}

int hdT_logStateEnd(hdTrace *trace)
{
	int ret = traceCanEnd(trace);
	int64_t now;

	if (ret <= 0)
		return ret;
	now = hdClockNow();
	if (__builtin_expect(now < 0, 0)) {
		traceEnd(trace, trace->epoch + trace->last);
		return hdFail(-HD_ERR_GET_TIME);
	}
	return traceEnd(trace, now);
}

int hdT_logStateEndAt(hdTrace *trace, const struct timespec *when)
{
	int64_t now = hdClockToNs(when);
	int ret;

	if (now < 0)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	ret = traceCanEnd(trace);
	return ret <= 0 ? ret : traceEnd(trace, now);
}

/* ---- Attributes and elements ------------------------------------------- */

/* Get the innermost state: 1, or what the caller returns. */
static inline int traceCurrent(hdTrace *trace, struct traceLevel **level)
{
	if (__builtin_expect(trace->depth == 0, 0))
		return hdFail(-HD_ERR_INVALID_CONTEXT);
	*level = &trace->levels[trace->used - 1];
	return (*level)->skipped == 0 && !hdOutfileIsForeign(trace->file);
}

/*
 * A state whose block is open has grown: reserve room for that as well, or,
 * where buffers may drop and there is none, take it back.
 */
static int traceReserveMore(hdTrace *trace, struct traceLevel *level,
			    struct hdText *text, size_t before)
{
	size_t more = text->used - before;
	int ret;

	if (__builtin_expect(!level->reserved, 1))
		return 0;
	ret = hdOutfileBegin(trace->file, more, HD_OUTFILE_MAY_DROP);
	if (ret != 0) {
		text->used = before;
		return hdResult(ret);
	}
	level->reserved += more;
	trace->file->reserved += more;
	return 0;
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
			       key, strlen(key), room);
	return ret < 0 ? hdFail(ret) : 1;
}

int hdT_logAttributeInt64(hdTrace *trace, const char *key, int64_t value)
{
	size_t before = trace ? trace->tags.used : 0;
	struct traceLevel *level;
	struct hdText *tags;
	int ret = traceAttribute(trace, key, &value, HD_INT64_MAX + 1, &level);

	if (ret <= 0)
		return ret;
	tags = &trace->tags;
	tags->used = (size_t)(hdNumberInt64(tags->bytes + tags->used, value) -
			      tags->bytes);
	hdTextPutc(tags, '\'');
	return traceReserveMore(trace, level, tags, before);
}

int hdT_logAttributeDouble(hdTrace *trace, const char *key, double value)
{
	size_t before = trace ? trace->tags.used : 0;
	struct traceLevel *level;
	struct hdText *tags;
	int ret = traceAttribute(trace, key, &value, HD_DOUBLE_MAX + 1, &level);

	if (ret <= 0)
		return ret;
	tags = &trace->tags;
	tags->used = (size_t)(hdNumberDouble(tags->bytes + tags->used, value) -
			      tags->bytes);
	hdTextPutc(tags, '\'');
	return traceReserveMore(trace, level, tags, before);
}

int hdT_logAttributeString(hdTrace *trace, const char *key, const char *value)
{
	size_t before = trace ? trace->tags.used : 0;
	struct traceLevel *level;
	uint64_t keys;
	int ret;

	keys = trace ? trace->levels[trace->used - 1].keys : 0;
	ret = traceAttribute(trace, key, value, 1, &level);
	if (ret <= 0)
		return ret;
	ret = hdEscape(&trace->tags, value, strlen(value));
	if (ret == 0)
		ret = hdTextRoom(&trace->tags, 1);
	if (ret < 0) {
		trace->tags.used = before;
		level->keys = keys;
		return hdFail(ret);
	}
	hdTextPutc(&trace->tags, '\'');
	return traceReserveMore(trace, level, &trace->tags, before);
}

/* Format a caller's list of attributes into the scratch text. */
static int traceFormat(hdTrace *trace, const char *format, va_list arguments)
{
	trace->scratch.used = 0;
	return hdTextPrintf(&trace->scratch, format, arguments);
}

int hdT_logAttributes(hdTrace *trace, const char *format, ...)
{
	struct traceLevel *level;
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
	ret = traceFormat(trace, format, arguments);
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
	struct traceLevel *level;
	va_list arguments;
	size_t before;
	uint64_t keys = 0;
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
	ret = traceFormat(trace, format ? format : "", arguments);
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
	hdTextPut(text, traceTabs, traceIndent(outside));
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
	return hdResult(tracePut(trace, outside, text->bytes, text->used,
				 HD_OUTFILE_MAY_DROP));
}

int hdT_logEvent(hdTrace *trace, const char *name)
{
	int64_t now;

	if (!trace || !name)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	if (!traceIsOnForEvents(trace))
		return 0;
	now = hdClockNow();
	if (now < 0)
		return hdFail(-HD_ERR_GET_TIME);
	return traceEvent(trace, name, now);
}

int hdT_logEventAt(hdTrace *trace, const char *name,
		   const struct timespec *when)
{
	int64_t now = hdClockToNs(when);

	if (!trace || !name || now < 0)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	if (!traceIsOnForEvents(trace))
		return 0;
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
	}
	va_start(arguments, format);
	ret = traceFormat(trace, format, arguments);
	va_end(arguments);
	if (ret == 0)
		ret = hdOutfilePut(trace->info, trace->scratch.bytes,
				   trace->scratch.used, HD_OUTFILE_KEEP);
	return hdResult(ret);
}

/* ---- Flush and end ----------------------------------------------------- */

int hdT_flush(hdTrace *trace)
{
	int ret;

	if (!trace)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	ret = hdOutfileFlush(trace->file);
	if (trace->info && hdOutfileFlush(trace->info) < 0)
		ret = -HD_ERR_WRITE_FILE;
	return hdResult(ret);
}

int hdT_finalize(hdTrace *trace)
{
	int saved = errno;
	int64_t now;
	int ret;

	if (!trace)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	if (!hdOutfileIsForeign(trace->file)) {
		/* What fails here shows when the file is closed. */
		now = hdClockNow();
		while (trace->used > 1)
			traceEnd(trace,
				 now < 0 ? trace->epoch + trace->last : now);
		hdOutfilePut(trace->file, LITERAL(TRACE_END), HD_OUTFILE_KEEP);
	}
	ret = hdOutfileClose(trace->file);
	if (trace->info) {
		int infoRet = hdOutfileClose(trace->info);

		if (ret == 0)
			ret = infoRet;
	}
	traceFree(trace);
	errno = saved;
	return hdResult(ret);
}
