/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Traces of states and events.
 *
 * A state is written when it ends, and what it held stands in one <Nested>
 * block before it. Until then its start tag lives in the trace's "tags" text,
 * its child elements in "elements"; both are stacks, since only the innermost
 * state can get more.
 *
 * "Blocks" are the <Nested> that are open in the file: those of the outermost
 * states, as many as have something inside.
 */
#include "config.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <hdTrace.h>

#include "HDTraceWritingCLibrary/src/tracewrite.h"
#include "HDTraceWritingCLibrary/src/attributes.h"
#include "HDTraceWritingCLibrary/src/error.h"
#include "common/format/escape.h"
#include "HDTraceWritingCLibrary/src/known.h"
#include "HDTraceWritingCLibrary/src/outfile.h"
#include "HDTraceWritingCLibrary/src/timesource.h"
#include "common/format/text.h"
#include "common/clock.h"
#include "common/number.h"

#define TRACE_OPEN "<Nested>\n"
#define TRACE_CLOSE "</Nested>\n"
#define TRACE_END "</Program>\n"

/* For the two functions that are called all the time. */
#define HD_ALWAYS_INLINE inline __attribute__((__always_inline__))

/* Room for a start tag as it begins, and for what ends it. */
#define TRACE_NAME_ROOM (TRACE_INDENT_MAX + HD_NAME_MAX + TRACE_TAIL_MAX)

_Static_assert(HD_TEXT_PIECE <= TRACE_TAIL_MAX, "tags are copied in pieces");

/* ---- Time -------------------------------------------------------------- */

/* ---- Putting records into the file ------------------------------------- */

const char hdTraceTabs[TRACE_INDENT_MAX + 1] = "\t\t\t\t\t\t\t\t"
					       "\t\t\t\t\t\t\t\t";

/* Room that the end of a level's state needs at most. */
static size_t traceReserve(const hdTrace *trace, unsigned int level)
{
	const struct traceLevel *at = &trace->levels[level];
	bool isTop = level + 1 == trace->used;
	size_t tagsEnd = isTop ? trace->tags.used : at[1].tag;
	size_t elementsEnd = isTop ? trace->elements.used : at[1].elements;

	return tagsEnd - at->tag + elementsEnd - at->elements + at->nameLength +
	       TRACE_TAIL_MAX + TRACE_INDENT_MAX + sizeof(TRACE_CLOSE);
}

/* Write one bracket of a block of the level. */
static void traceBracket(hdTrace *trace, unsigned int level,
			 const char *bracket, size_t length)
{
	hdOutfileAdd(trace->file, hdTraceTabs, traceIndent(level));
	hdOutfileAdd(trace->file, bracket, length);
}

int hdTracePutSlowly(hdTrace *trace, unsigned int level, const char *bytes,
		     size_t length)
{
	struct hdOutfile *file = trace->file;
	bool isOwner = trace->blocks > level;
	size_t size = length;
	size_t reserve = 0;
	int ret;

	if (isOwner)
		size += traceIndent(level) + sizeof(TRACE_CLOSE) - 1;
	for (unsigned int i = trace->blocks; i < level; i++) {
		size += traceIndent(i) + sizeof(TRACE_OPEN) - 1;
		if (file->dropOnFull)
			reserve += traceReserve(trace, i + 1);
	}
	/* The end of a state that owns a block must not be dropped, or what is
	 * in the block would belong to the next state. So there is room
	 * reserved for it since the block was opened. */
	ret = hdOutfileBegin(file, size + reserve,
			     isOwner ? HD_OUTFILE_KEEP : HD_OUTFILE_MAY_DROP);
	if (ret == 0) {
		if (isOwner)
			traceBracket(trace, level, LITERAL(TRACE_CLOSE));
		for (unsigned int i = trace->blocks; i < level; i++) {
			struct traceLevel *at = &trace->levels[i + 1];

			traceBracket(trace, i, LITERAL(TRACE_OPEN));
			if (file->dropOnFull) {
				at->reserved = traceReserve(trace, i + 1);
				hdOutfileReserve(file, at->reserved);
			}
		}
		hdOutfileAdd(file, bytes, length);
		hdOutfileCommit(file);
	}
	if (ret == 0 || isOwner)
		trace->blocks = level;
	return ret;
}

/* ---- States ------------------------------------------------------------ */

/* A level below the innermost one; the file's level 0 is always there. */
static __attribute__((__noinline__)) int traceGrowLevels(hdTrace *trace)
{
	int saved = errno;
	struct traceLevel *levels;

	levels = realloc(trace->levels,
			 2 * (size_t)trace->size * sizeof(*levels));
	errno = saved;
	if (!levels)
		return -HD_ERR_MALLOC;
	trace->levels = levels;
	trace->top = &levels[trace->used - 1];
	trace->size *= 2;
	return 0;
}

/* Names that have a meaning of their own in the file. */
static inline bool traceNameIsReserved(const char *name, size_t length)
{
	if (__builtin_expect(length < 5 || length > 7, 1))
		return false;
	return (length == 6 && memcmp(name, "Nested", 6) == 0) ||
	       (length == 5 && memcmp(name, "Event", 5) == 0) ||
	       (length == 7 && memcmp(name, "Program", 7) == 0);
}

/* Copy one byte of a name, or go to its end. */
#define TRACE_COPY_BYTE                                        \
	do {                                                   \
		if (!hdNameBytes[(unsigned char)name[length]]) \
			goto end;                              \
		to[length] = name[length];                     \
		length++;                                      \
	} while (0)

/* Copy a state's name; its length, or 0 if it is not one. Most are short. */
static HD_ALWAYS_INLINE size_t traceCopyName(char *to, const char *name)
{
	size_t length = 0;

	if (!(hdNameBytes[(unsigned char)name[0]] & HD_NAME_START))
		return 0;
	while (length < HD_NAME_MAX) {
		TRACE_COPY_BYTE;
		TRACE_COPY_BYTE;
		TRACE_COPY_BYTE;
		TRACE_COPY_BYTE;
	}
end:
	return name[length] || traceNameIsReserved(name, length) ? 0 : length;
}

_Static_assert(HD_NAME_MAX % 4 == 0, "names are copied four bytes at a time");

/* Whether a state that starts now is recorded. */
static inline bool traceIsOn(const hdTrace *trace)
{
	return trace->isEnabled && trace->depth <= trace->maxDepth &&
	       !hdOutfileIsForeign(trace->file);
}

static int traceSkip(hdTrace *trace)
{
	traceCountDeep(trace);
	trace->top->skipped++;
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

/* Whether there is room for one more level, and its name. */
static inline bool traceHasRoom(const hdTrace *trace)
{
	return trace->used < trace->size &&
	       trace->tags.size - trace->tags.used >= TRACE_NAME_ROOM;
}

/* A state has been opened; its start tag, `<name` behind tabs, is there. */
static inline int traceOpen(hdTrace *trace, size_t indent, size_t length,
			    int64_t now)
{
	struct hdText *tags = &trace->tags;
	struct traceLevel *level = ++trace->top;

	trace->used++;
	level->tag = tags->used;
	level->nameLength = length - 1;
	level->elements = trace->elements.used;
	level->keys = (struct hdKeys){ 0, 0 };
	level->reserved = 0;
	level->skipped = 0;
	level->time = traceTime(trace, now);
	tags->used += indent + length;
	trace->depth++;
	return traceReport(trace);
}

/* Open a state, where room has to be made or its name is not known. */
static __attribute__((__noinline__)) int traceStartSlowly(hdTrace *trace,
							  const char *name,
							  int64_t now)
{
	const struct hdKnown *known = hdKnownFind(trace->names, name);
	size_t indent = traceIndent(trace->used - 1), length;
	char *to;

	if ((trace->used == trace->size && traceGrowLevels(trace) < 0) ||
	    hdTextRoom(&trace->tags, TRACE_NAME_ROOM) < 0)
		return hdFail(-HD_ERR_MALLOC);
	to = trace->tags.bytes + trace->tags.used;
	memcpy(to, hdTraceTabs, TRACE_INDENT_MAX);
	if (known) {
		memcpy(to + indent, known->text, HD_KNOWN_LENGTH);
		return traceOpen(trace, indent, known->length, now);
	}
	to[indent] = '<';
	length = traceCopyName(to + indent + 1, name);
	if (__builtin_expect(length == 0, 0))
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	hdKnownAddName(trace->names, name);
	return traceOpen(trace, indent, length + 1, now);
}

/* Open a state. What is slow is a call at the end, or no call at all would
 * have to save registers. */
static __attribute__((__noinline__)) int traceStartAt(hdTrace *trace,
						      const char *name,
						      int64_t now)
{
	const struct hdKnown *known = hdKnownFirst(trace->names, name);
	size_t indent = traceIndent(trace->used - 1);
	char *to = trace->tags.bytes + trace->tags.used;

	if (__builtin_expect(known->literal != name || !traceHasRoom(trace), 0))
		return traceStartSlowly(trace, name, now);
	memcpy(to, hdTraceTabs, TRACE_INDENT_MAX);
	memcpy(to + indent, known->text, HD_KNOWN_LENGTH);
	return traceOpen(trace, indent, known->length, now);
}

/* Apart from its caller, so that a disabled trace saves no registers. */
static __attribute__((__noinline__)) int traceStartNow(hdTrace *trace,
						       const char *name)
{
	int64_t now = hdClockNow();

	if (__builtin_expect(now < 0, 0))
		return hdFail(-HD_ERR_GET_TIME);
	return traceStartAt(trace, name, now);
}

int hdT_logStateStart(hdTrace *trace, const char *name)
{
	if (!trace || !name)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	if (!traceIsOn(trace))
		return traceSkip(trace);
	return traceStartNow(trace, name);
}

int hdT_logStateStartAt(hdTrace *trace, const char *name,
			const struct timespec *when)
{
	int64_t now = trace ? hdTimeGiven(&trace->base, when) : -1;

	if (!name || now < 0)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	if (!traceIsOn(trace))
		return traceSkip(trace);
	return traceStartAt(trace, name, now);
}

/* Write what follows a state's name and attributes. */
static char *tracePutTail(hdTrace *trace, const struct traceLevel *level,
			  const char *name, size_t inside, int64_t now,
			  char *to)
{
	memcpy(to, "  time='", 8);
	to = hdTimeTextPut(&trace->time, to + 8, level->time);
	memcpy(to, "' end='", 8);
	to = hdTimeTextPut(&trace->time, to + 7, now);
	if (inside == 0) {
		memcpy(to, "'/>\n", 4);
		return to + 4;
	}
	memcpy(to, "'>", 2);
	memcpy(to + 2, trace->elements.bytes + level->elements, inside);
	to += 2 + inside;
	memcpy(to, "</", 2);
	memcpy(to + 2, name, level->nameLength);
	to += 2 + level->nameLength;
	memcpy(to, ">\n", 2);
	return to + 2;
}

/* Forget the innermost recorded state, in which there is nothing. */
static inline void tracePop(hdTrace *trace, const struct traceLevel *level)
{
	trace->tags.used = level->tag;
	trace->top--;
	trace->used--;
	trace->depth--;
}

/* Write the element of a state outside of the file's buffer, and put it. */
static int traceEndApart(hdTrace *trace, const struct traceLevel *level,
			 size_t inside, int64_t now)
{
	unsigned int outside = trace->used - 2;
	size_t nameEnd = traceIndent(outside) + 1 + level->nameLength;
	struct hdText *tags = &trace->tags;
	int memory, ret;
	char *to;

	memory = hdTextRoom(tags, TRACE_TAIL_MAX + inside + level->nameLength);
	if (memory < 0) {
		/* Drop what the state holds rather than the state, which may
		 * own a block: for its name and times there is room. */
		inside = 0;
		tags->used = level->tag + nameEnd;
	}
	to = tracePutTail(trace, level,
			  tags->bytes + level->tag + nameEnd -
				  level->nameLength,
			  inside, now, tags->bytes + tags->used);
	trace->file->reserved -= level->reserved;
	ret = tracePut(trace, outside, tags->bytes + level->tag,
		       (size_t)(to - tags->bytes) - level->tag);
	trace->file->reserved += level->reserved;
	return ret < 0 ? ret : memory;
}

/* Write the element of the innermost recorded state, whatever it holds and
 * wherever the file's buffer is, and forget the state. */
static __attribute__((__noinline__)) int traceEndSlowly(hdTrace *trace,
							int64_t now)
{
	const struct traceLevel *level = trace->top;
	unsigned int outside = trace->used - 2;
	const char *tag = trace->tags.bytes + level->tag;
	size_t length = trace->tags.used - level->tag;
	size_t inside = trace->elements.used - level->elements;
	char *to = NULL;
	int ret = 0;

	now = traceTime(trace, now);
	if (trace->blocks == outside)
		to = hdOutfileRoom(trace->file, length + inside +
							level->nameLength +
							TRACE_TAIL_MAX);
	if (to) {
		memcpy(to, tag, length);
		to = tracePutTail(trace, level, tag + traceIndent(outside) + 1,
				  inside, now, to + length);
		hdOutfileCommitTo(trace->file, to);
	} else {
		ret = hdResult(traceEndApart(trace, level, inside, now));
	}
	trace->elements.used = level->elements;
	trace->file->reserved -= level->reserved;
	tracePop(trace, level);
	return ret;
}

/* Whether the innermost recorded state is one of most: nothing is in it, it is
 * in a block already, and it began and ends in the millisecond of the last
 * one. */
static inline bool traceEndsAsMost(const hdTrace *trace,
				   const struct traceLevel *level, int64_t now)
{
	return trace->blocks == trace->used - 2 &&
	       trace->elements.used == level->elements && now >= trace->last &&
	       hdTimeTextIsOf(&trace->time, now) &&
	       level->time >= trace->time.ms;
}

/* Write the element of the innermost recorded state, and forget the state. What
 * is slow is a call at the end, as in traceStartAt(). */
static __attribute__((__noinline__)) int traceEnd(hdTrace *trace, int64_t now)
{
	const struct traceLevel *level = trace->top;
	const char *tag = trace->tags.bytes + level->tag;
	size_t length = trace->tags.used - level->tag;
	int64_t relative = now - trace->epoch;
	struct hdOutfile *file = trace->file;
	char *to;

	if (__builtin_expect(
		    !traceEndsAsMost(trace, level, relative) ||
			    !hdOutfileHasRoom(file, length + TRACE_TAIL_MAX),
		    0))
		return traceEndSlowly(trace, now);
	trace->last = relative;
	to = hdOutfileAt(file);
	for (size_t i = 0; i < length; i += HD_TEXT_PIECE)
		memcpy(to + i, tag + i, HD_TEXT_PIECE);
	to += length;
	memcpy(to, "  time='", 8);
	to = hdTimeTextPutNear(&trace->time, to + 8, level->time);
	memcpy(to, "' end='", 8);
	to = hdTimeTextPutNear(&trace->time, to + 7, relative);
	memcpy(to, "'/>\n", 4);
	tracePop(trace, level);
	return hdOutfileCommitTo(file, to + 4);
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
	top = trace->top;
	if (top->skipped > 0) {
		top->skipped--;
		trace->depth--;
		return 0;
	}
	if (hdOutfileIsForeign(trace->file)) {
		trace->elements.used = top->elements;
		tracePop(trace, top);
		return 0;
	}
	return 1;
}

static __attribute__((__noinline__)) int traceEndNow(hdTrace *trace)
{
	int64_t now = hdClockNow();

	if (__builtin_expect(now < 0, 0)) {
		traceEnd(trace, trace->epoch + trace->last);
		return hdFail(-HD_ERR_GET_TIME);
	}
	return traceEnd(trace, now);
}

int hdT_logStateEnd(hdTrace *trace)
{
	int ret = traceCanEnd(trace);

	return ret <= 0 ? ret : traceEndNow(trace);
}

int hdT_logStateEndAt(hdTrace *trace, const struct timespec *when)
{
	int64_t now = trace ? hdTimeGiven(&trace->base, when) : -1;
	int ret;

	if (now < 0)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	ret = traceCanEnd(trace);
	return ret <= 0 ? ret : traceEnd(trace, now);
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
		hdTimeSourceEnd(trace->file, trace->sourceAt, '\'',
				&trace->base);
	}
	ret = hdOutfileClose(trace->file);
	if (trace->info) {
		int infoRet = hdOutfileClose(trace->info);

		if (ret == 0)
			ret = infoRet;
	}
	hdTraceFree(trace);
	errno = saved;
	return hdResult(ret);
}
