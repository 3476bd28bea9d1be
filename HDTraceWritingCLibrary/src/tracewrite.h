/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A trace that is written: its state, and the few functions that every record
 * takes, which are inlined.
 */
#ifndef HD_TRACEWRITE_H
#define HD_TRACEWRITE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <hdTrace.h>

#include "HDTraceWritingCLibrary/src/attributes.h"
#include "HDTraceWritingCLibrary/src/keylist.h"
#include "HDTraceWritingCLibrary/src/known.h"
#include "HDTraceWritingCLibrary/src/outfile.h"
#include "HDTraceWritingCLibrary/src/settings.h"
#include "HDTraceWritingCLibrary/src/timesource.h"
#include "common/format/text.h"
#include "common/clock.h"
#include "common/number.h"

/** Deeper nesting is not indented further, lest files grow with its square. */
#define TRACE_INDENT_MAX 16

/** Text of a literal and its length. */
#define LITERAL(text) text, sizeof(text) - 1

/** Lists of keys that a trace remembers: 2 to the power of these bits. Each is
 * at one of so many places. */
#define TRACE_KEYLIST_BITS 6

/** Most that ends a record besides its elements and name: the times, brackets
 * and the name's slash. */
#define TRACE_TAIL_MAX (2 * HD_TIME_LENGTH_MAX + 32)

/** An open state that is recorded. */
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

extern const char hdTraceTabs[TRACE_INDENT_MAX + 1];

/** Put a record that lies in `level` recorded states into the file, and close
 * the block that is its own or open those that it lies in. */
int hdTracePutSlowly(hdTrace *trace, unsigned int level, const char *bytes,
		     size_t length);

void hdTraceFree(hdTrace *trace);

/* Make a time relative and not decreasing. */
static inline int64_t traceTime(hdTrace *trace, int64_t now)
{
	now -= trace->epoch;
	if (__builtin_expect(now < trace->last, 0)) {
		trace->clamped++;
		return trace->last;
	}
	trace->last = now;
	return now;
}

static inline size_t traceIndent(unsigned int depth)
{
	return depth < TRACE_INDENT_MAX ? depth : TRACE_INDENT_MAX;
}

static inline int tracePut(hdTrace *trace, unsigned int level,
			   const char *bytes, size_t length)
{
	if (__builtin_expect(trace->blocks != level, 0))
		return hdTracePutSlowly(trace, level, bytes, length);
	return hdOutfilePut(trace->file, bytes, length, HD_OUTFILE_MAY_DROP);
}

/* Count a record that lies too deep, but was not left out on demand. */
static inline void traceCountDeep(hdTrace *trace)
{
	trace->file->lost +=
		trace->isEnabled && trace->maxDepth == HD_DEPTH_MAX &&
		trace->depth > HD_DEPTH_MAX && !hdOutfileIsForeign(trace->file);
}

#endif
