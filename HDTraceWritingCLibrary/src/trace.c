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

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hdTrace.h>
#include "HDTraceWritingCLibrary/src/attributes.h"
#include "HDTraceWritingCLibrary/src/error.h"
#include "common/format/escape.h"
#include "HDTraceWritingCLibrary/src/keylist.h"
#include "HDTraceWritingCLibrary/src/known.h"
#include "HDTraceWritingCLibrary/src/literal.h"
#include "HDTraceWritingCLibrary/src/outfile.h"
#include "HDTraceWritingCLibrary/src/settings.h"
#include "HDTraceWritingCLibrary/src/timesource.h"
#include "common/format/text.h"
#include "HDTraceWritingCLibrary/src/topology.h"
#include "common/clock.h"
#include "common/number.h"

/* Deeper nesting is not indented further, lest files grow with its square. */
#define TRACE_INDENT_MAX 16

#define TRACE_OPEN "<Nested>\n"
#define TRACE_CLOSE "</Nested>\n"
#define TRACE_END "</Program>\n"

/* For the two functions that are called all the time. */
#define HD_ALWAYS_INLINE inline __attribute__((__always_inline__))

/* Text of a literal and its length. */
#define LITERAL(text) text, sizeof(text) - 1

/* Lists of keys that a trace remembers: 2 to the power of these bits. Each is
 * at one of so many places. */
#define TRACE_KEYLIST_BITS 6
#define TRACE_KEYLISTS (1U << TRACE_KEYLIST_BITS)
#define TRACE_KEYLIST_PLACES 4

/* Most that ends a record besides its elements and name: the times, brackets
 * and the name's slash. */
#define TRACE_TAIL_MAX (2 * HD_TIME_LENGTH_MAX + 32)

/* Room for a start tag as it begins, and for what ends it. */
#define TRACE_NAME_ROOM (TRACE_INDENT_MAX + HD_NAME_MAX + TRACE_TAIL_MAX)
_Static_assert(HD_TEXT_PIECE <= TRACE_TAIL_MAX, "tags are copied in pieces");

/* An open state that is recorded. */
struct traceLevel {
	size_t tag;      /* In the tags: where its part begins, indented. */
	size_t elements; /* In the elements: where its part begins. */
	size_t nameLength;
	int64_t time; /* Its start, relative. */
	/* What is nothing to begin with. */
	struct hdKeys keys;
	size_t reserved;  /* Of the file, while its block is open. */
	uint64_t skipped; /* Open states in it that are not recorded; in the
			   * file, which takes no attributes, one more. */
};

struct _hdTrace {
	struct hdOutfile *file;
	struct hdTimeBase base; /* Of times that are given. */
	struct hdOutfile *info; /* NULL until something is written. */
	char *infoPath;
	bool isEnabled;
	unsigned int maxDepth;
	unsigned int depth;  /* Open states, recorded or not. */
	unsigned int blocks; /* Open <Nested>. */
	unsigned int used;   /* Levels in use; level 0 stands for the file. */
	unsigned int size;   /* Levels allocated. */
	struct traceLevel *levels;
	struct traceLevel *top; /* The innermost that is in use. */
	struct hdText tags;
	struct hdText elements;
	struct hdText scratch;
	struct hdKeyList *lists; /* NULL until there is one. */
	int64_t epoch;           /* timeAdjustment. */
	int64_t last;            /* Last time in the file, relative. */
	struct hdTimeText time;
	uint64_t clamped;
	struct timespec given; /* Of hdT_createTraceAt(); else 0. */
	off_t headerSize;
	size_t sourceAt; /* In the file: where times are from; 0: not said. */
	struct hdKnown names[HD_KNOWNS]; /* Of states. */
	struct hdKnown keys[HD_KNOWNS];
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
	size_t tagsEnd = isTop ? trace->tags.used : at[1].tag;
	size_t elementsEnd = isTop ? trace->elements.used : at[1].elements;

	return tagsEnd - at->tag + elementsEnd - at->elements + at->nameLength +
	       TRACE_TAIL_MAX + TRACE_INDENT_MAX + sizeof(TRACE_CLOSE);
}

/* Write one bracket of a block of the level. */
static void traceBracket(hdTrace *trace, unsigned int level,
			 const char *bracket, size_t length)
{
	hdOutfileAdd(trace->file, traceTabs, traceIndent(level));
	hdOutfileAdd(trace->file, bracket, length);
}

/* Put a record that lies in `level` recorded states into the file, and close
 * the block that is its own or open those that it lies in. */
static int tracePutSlowly(hdTrace *trace, unsigned int level, const char *bytes,
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

static inline int tracePut(hdTrace *trace, unsigned int level,
			   const char *bytes, size_t length)
{
	if (__builtin_expect(trace->blocks != level, 0))
		return tracePutSlowly(trace, level, bytes, length);
	return hdOutfilePut(trace->file, bytes, length, HD_OUTFILE_MAY_DROP);
}

/* ---- Creation ---------------------------------------------------------- */

/* Refuse, or remove, what an earlier run left in the place of the .info. Steps
 * of the clock may be of this run: of a statistics group of the node. */
static int traceClearInfo(const char *path)
{
	int saved = errno;

	if (hdStepsAreAll(path))
		return 0;
	if (access(path, F_OK) < 0) {
		errno = saved;
		return 0;
	}
	if (!hdSettingsGet()->overwrite) {
		hdLoss("%s: " HD_EXISTS, path);
		return -HD_ERR_CREATE_FILE;
	}
	if (unlink(path) < 0) {
		hdLoss("%s: not recorded: cannot replace the file: %s", path,
		       strerror(errno));
		return -HD_ERR_CREATE_FILE;
	}
	errno = saved;
	return 0;
}

/* What a trace without records begins with is of its clock, too: it was taken
 * for a time of the wall clock, which may have been set meanwhile. */
static void traceBeginAgain(hdTrace *trace)
{
	int64_t now = hdTimeGiven(&trace->base, &trace->given) - trace->epoch;
	struct stat is;

	if (trace->given.tv_sec > 0 && trace->used == 1 &&
	    hdOutfileFlush(trace->file) == 0 &&
	    fstat(trace->file->fd, &is) == 0 && is.st_size == trace->headerSize)
		trace->last = now > 0 ? now : 0;
}

static int traceWriteHeader(hdTrace *trace, const hdTopoNode *node)
{
	char seconds[HD_INT64_MAX + 1], source[HD_TIME_SOURCE_SIZE];
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
		ret = hdTextAdd(header, "'");
	if (ret == 0 && hdTimeSourceBegin(source, '\'')) {
		trace->sourceAt = header->used;
		ret = hdTextAdd(header, source);
	}
	if (ret == 0)
		ret = hdTextAdd(header, ">\n");
	if (ret == 0)
		ret = hdOutfilePut(trace->file, header->bytes, header->used,
				   HD_OUTFILE_KEEP);
	if (ret == 0)
		ret = hdOutfileFlush(trace->file);
	trace->headerSize = (off_t)header->used;
	header->used = 0;
	return ret;
}

static void traceFree(hdTrace *trace)
{
	hdTextClear(&trace->tags);
	hdTextClear(&trace->elements);
	hdTextClear(&trace->scratch);
	free(trace->levels);
	free(trace->lists);
	free(trace->infoPath);
	free(trace);
}

/* Create a trace whose first time is now, with room for times from another one
 * on. */
static hdTrace *traceCreate(hdTopoNode *node, int64_t now, int64_t earliest)
{
	char *path;
	hdTrace *trace;
	int ret;

	hdNumberPrepare();
	hdLiteralPrepare();
	trace = calloc(1, sizeof(*trace));
	if (!trace)
		return hdFailNull(-HD_ERR_MALLOC);
	trace->isEnabled = true;
	trace->maxDepth = (unsigned int)hdSettingsGet()->maxDepth;
	trace->epoch = earliest / HD_NS_PER_S * HD_NS_PER_S;
	trace->last = now - trace->epoch;
	trace->time = HD_TIME_TEXT_NONE;
	trace->size = 16;
	trace->used = 1;
	trace->levels = calloc(trace->size, sizeof(*trace->levels));
	trace->top = trace->levels;
	hdKnownInit(trace->names);
	hdKnownInit(trace->keys);
	trace->infoPath = hdTopoNodeFile(node, node->length, NULL, ".info");
	path = hdTopoNodeFile(node, node->length, NULL, ".trc");
	if (!trace->levels || !trace->infoPath || !path) {
		free(path);
		ret = -HD_ERR_MALLOC;
		goto fail;
	}
	trace->levels[0].skipped = 1;
	ret = hdOutfileOpen(path, true, &trace->file);
	if (ret < 0)
		goto fail;
	/* Not before: the other may be that of a trace of this place. */
	ret = traceClearInfo(trace->infoPath);
	if (ret == 0)
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

hdTrace *hdT_createTrace(hdTopoNode *node)
{
	int64_t now;

	if (!node)
		return hdFailNull(-HD_ERR_INVALID_ARGUMENT);
	now = hdClockNow();
	if (now < 0)
		return hdFailNull(-HD_ERR_GET_TIME);
	return traceCreate(node, now, now);
}

hdTrace *hdT_createTraceAt(hdTopoNode *node, const struct timespec *when)
{
	const struct hdTimeBase wall = { 0 };
	int64_t now = hdTimeGiven(&wall, when), given;
	hdTrace *trace;

	if (!node || now < 0)
		return hdFailNull(-HD_ERR_INVALID_ARGUMENT);
	given = hdClockToNs(when);
	trace = traceCreate(node, now, now < given ? now : given);
	if (trace)
		trace->given = *when;
	return trace;
}

int hdT_setTimeBase(hdTrace *trace, int64_t base)
{
	if (!trace)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	hdTimeBaseSet(&trace->base, base);
	traceBeginAgain(trace);
	return 0;
}

/* ---- Settings ---------------------------------------------------------- */

int hdT_setNestedDepth(hdTrace *trace, int depth)
{
	if (!trace || depth < 0)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	trace->maxDepth =
		(unsigned int)(depth < HD_DEPTH_MAX ? depth : HD_DEPTH_MAX);
	return 0;
}

int hdT_setForceFlush(hdTrace *trace, int flag)
{
	if (!trace)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	hdOutfileForceFlush(trace->file, flag != 0);
	if (trace->info)
		hdOutfileForceFlush(trace->info, flag != 0);
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

int64_t hdT_getSize(const hdTrace *trace)
{
	if (!trace)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	return (int64_t)hdOutfileSize(trace->file);
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

/* Whether an event is recorded now: also in the deepest recorded states. */
static inline bool traceIsOnForEvents(const hdTrace *trace)
{
	return trace->isEnabled &&
	       (trace->depth == 0 || trace->depth - 1 <= trace->maxDepth) &&
	       !hdOutfileIsForeign(trace->file);
}

/* Count a record that lies too deep, but was not left out on demand. */
static void traceCountDeep(hdTrace *trace)
{
	trace->file->lost +=
		trace->isEnabled && trace->maxDepth == HD_DEPTH_MAX &&
		trace->depth > HD_DEPTH_MAX && !hdOutfileIsForeign(trace->file);
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
	memcpy(to, traceTabs, TRACE_INDENT_MAX);
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
	memcpy(to, traceTabs, TRACE_INDENT_MAX);
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
static int traceFormat(hdTrace *trace, const char *format, va_list arguments)
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
		hdTimeSourceEnd(trace->file, trace->sourceAt, '\'',
				&trace->base);
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
