/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A group that is written: its state, and what its creation and its entries
 * share.
 */
#ifndef HD_STATSWRITE_H
#define HD_STATSWRITE_H

#include <stdbool.h>
#include <stdint.h>
#include <hdStats.h>

#include "HDTraceWritingCLibrary/src/outfile.h"
#include "HDTraceWritingCLibrary/src/timesource.h"
#include "common/format/entry.h"
#include "common/format/statheader.h"
#include "common/clock.h"

/** What is expected next, besides a type. */
#define STATS_FIRST 0x10 /* Added to the type of the first value. */

#define STATS_LAST 0x20 /* Added to the type of the last value. */

#define STATS_DISABLED 0x80 /* The group is committed, but not enabled. */

#define STATS_OPEN 0x81 /* The group is not committed. */

#define STATS_END 0xff /* Behind the last value. */

#define STATS_TYPE(next) ((next) & ~(STATS_FIRST | STATS_LAST))

/** No stamp: what is written gets the time of the clock. */
#define STATS_NOW UINT64_MAX

struct _hdStatsGroup {
	char *cursor;   /* Where the next value goes. */
	uintptr_t away; /* How far from there is what is expected. */
	struct hdOutfile *file;
	char *begin;            /* Of the entry that has values, its stamp. */
	uint64_t stamp;         /* As set by the user, or STATS_NOW. */
	uint64_t last;          /* Last time in the file, as a stamp. */
	struct hdTimeBase base; /* Of times that are given. */
	char *entry;            /* Room for one, of as many bytes. */
	size_t entryRoom;
	size_t entrySize; /* With the stamp; of a string its length. */
	size_t wanted;    /* The same, but where nobody knows INTPTR_MAX. */
	/* What cursor and away are between two entries. */
	char *idleCursor;
	uintptr_t idleAway;
	unsigned char *types;  /* One by one; STATS_END is behind the last. */
	unsigned char *places; /* The same, by where the values are. */
	size_t valueCount;
	int64_t missing; /* The integer for "no value", as stated; else 0. */
	bool hasStrings;
	bool isCommitted;
	bool isEnabled;
	bool wasEnabled;
	int64_t initOffset;
	uint64_t clamped;
	struct hdStatHeader header; /* Until the commit. */
	size_t sourceAt; /* In the file: where times are from; 0: not said. */
};

void hdStatsFree(hdStatsGroup *group);

/* The next value goes to the cursor, and is to be what stands there. */
static inline void statsExpect(hdStatsGroup *group, char *cursor,
			       const unsigned char *next)
{
	group->cursor = cursor;
	group->away = (uintptr_t)next - (uintptr_t)cursor;
}

/* Make a time not decreasing, and remember it. */
static inline uint64_t statsTime(hdStatsGroup *group, uint64_t stamp)
{
	if (__builtin_expect(stamp < group->last, 0)) {
		group->clamped++;
		return group->last;
	}
	group->last = stamp;
	return stamp;
}

/* Make nanoseconds a stamp; STATS_NOW if they are negative. */
static inline uint64_t statsStampOf(int64_t ns)
{
	return ns < 0 ? STATS_NOW : hdEntryStampOf(ns);
}

/* Where the cursor is between two entries. */
static inline void statsSetIdle(hdStatsGroup *group)
{
	group->begin = group->entry;
	group->idleCursor = group->entry + HD_STAMP_SIZE;
	group->idleAway =
		(uintptr_t)group->places - (uintptr_t)group->idleCursor;
}

/* Begin the next entry. */
static inline void statsRewind(hdStatsGroup *group)
{
	group->cursor = group->idleCursor;
	group->away = group->idleAway;
}

#endif
