/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Statistics groups.
 *
 * The values of an entry are put where it has to stand in the file's ring, or,
 * where there is no room for it in one piece, or nobody knows how much it
 * needs, into "entry", from where it is then handed to the file. What may be
 * written next is known from one byte: the type of the next value, or why there
 * is none. These bytes, "places", are as far from each other as the values are,
 * so that one address tells both.
 */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <hdStats.h>

#include "HDTraceWritingCLibrary/src/statswrite.h"
#include "HDTraceWritingCLibrary/src/error.h"
#include "common/format/escape.h"
#include "HDTraceWritingCLibrary/src/outfile.h"
#include "HDTraceWritingCLibrary/src/stats.h"
#include "HDTraceWritingCLibrary/src/timesource.h"
#include "common/format/entry.h"
#include "common/format/statheader.h"
#include "common/clock.h"

/* More than any string needs with its length. */
#define STATS_STRING_ROOM (HDS_MAX_STRING_LENGTH + 2)

_Static_assert((int)INT32 == HD_ENTRY_INT32 && (int)INT64 == HD_ENTRY_INT64 &&
		       (int)FLOAT == HD_ENTRY_FLOAT &&
		       (int)DOUBLE == HD_ENTRY_DOUBLE &&
		       (int)STRING == HD_ENTRY_STRING,
	       "types are those of the format");

_Static_assert(HDS_MAX_VALUE_NAME_LENGTH == HD_STAT_TEXT_MAX &&
		       HDS_MAX_UNIT_NAME_LENGTH == HD_STAT_TEXT_MAX &&
		       HDS_MAX_GROUPING_NAME_LENGTH == HD_STAT_TEXT_MAX &&
		       HDS_MAX_HEADER_LENGTH == HD_STAT_HEADER_MAX,
	       "limits are those of the format");

/* Get the type of the next value, or why there is none. */
static inline unsigned char statsNext(const hdStatsGroup *group)
{
	return *(const unsigned char *)((uintptr_t)group->cursor + group->away);
}

/* ---- Times ------------------------------------------------------------- */

/* ---- Entries ----------------------------------------------------------- */

/* Where errno is; it does not change, and to ask each time would double the
 * price of what is refused. */
static __thread int *statsErrno;

static __attribute__((__noinline__)) int statsRefuseFirst(void)
{
	statsErrno = &errno;
	*statsErrno = HD_ERR_TRACE_DISABLED;
	return -1;
}

/* Refuse what is written to a disabled group. */
static inline int statsRefuseDisabled(void)
{
	if (__builtin_expect(!statsErrno, 0))
		return statsRefuseFirst();
	*statsErrno = HD_ERR_TRACE_DISABLED;
	return -1;
}

/* Say why nothing, or nothing of that type, can be written now. */
static int statsRefuse(const hdStatsGroup *group)
{
	unsigned char next;

	if (!group)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	next = statsNext(group);
	if (next == STATS_DISABLED || hdOutfileIsForeign(group->file))
		return hdFail(-HD_ERR_TRACE_DISABLED);
	if (next == STATS_OPEN)
		return hdFail(-HDS_ERR_GROUP_COMMIT_STATE);
	return hdFail(-HDS_ERR_ENTRY_STATE);
}

/* Put the stamp before the first value; 0, or what the caller returns, with no
 * entry begun. */
static inline int statsPutStamp(hdStatsGroup *group)
{
	uint64_t stamp = group->stamp;

	if (__builtin_expect(stamp != STATS_NOW, 0)) {
		group->stamp = STATS_NOW;
	} else if (__builtin_expect(!hdEntryStampNow(&stamp), 0)) {
		statsRewind(group);
		return hdFail(-HD_ERR_GET_TIME);
	}
	hdEntryPut64(group->begin, statsTime(group, stamp));
	return 0;
}

/* Hand the complete entry to the file, where it is not in the ring, or the file
 * has failed since it was begun. */
static __attribute__((__noinline__)) int statsCompleteSlowly(
	hdStatsGroup *group, size_t size)
{
	bool isApart = group->begin == group->entry;
	char *to = isApart ? hdOutfileRoom(group->file, size) : NULL;

	if (!to)
		return hdResult(hdOutfilePut(group->file, group->begin, size,
					     HD_OUTFILE_MAY_DROP));
	memcpy(to, group->begin, size);
	return hdOutfileCommitTo(group->file, to + size);
}

/* The entry ends here. */
static inline int statsComplete(hdStatsGroup *group, char *end)
{
	struct hdOutfile *file = group->file;
	size_t size = (size_t)(end - group->begin);

	statsRewind(group);
	if (__builtin_expect(hdOutfileIsForeign(file), 0))
		return hdFail(-HD_ERR_TRACE_DISABLED);
	if (__builtin_expect(
		    group->begin == group->entry ||
			    atomic_load_explicit(&file->error,
						 memory_order_relaxed) != 0,
		    0))
		return statsCompleteSlowly(group, size);
	return hdOutfileCommitTo(file, end);
}

/* Put a value; behind it. */
static inline char *statsPut(char *cursor, unsigned char type, uint64_t bits)
{
	if (type == INT32 || type == FLOAT) {
		hdEntryPut32(cursor, (uint32_t)bits);
		return cursor + 4;
	}
	hdEntryPut64(cursor, bits);
	return cursor + 8;
}

/* Begin an entry at a place; the value first, as it is at hand. */
static inline int statsBegin(hdStatsGroup *group, char *begin,
			     unsigned char type, uint64_t bits)
{
	char *first = begin + HD_STAMP_SIZE;

	group->begin = begin;
	statsExpect(group, first, group->places);
	group->cursor = statsPut(first, type, bits);
	return statsPutStamp(group);
}

/* Begin an entry where there may be no room for it in the ring. */
static __attribute__((__noinline__)) int statsBeginSlowly(hdStatsGroup *group,
							  unsigned char type,
							  uint64_t bits)
{
	char *to = NULL;

	if (hdOutfileIsForeign(group->file))
		return hdFail(-HD_ERR_TRACE_DISABLED);
	if (!group->hasStrings)
		to = hdOutfileRoom(group->file, group->wanted);
	return statsBegin(group, to ? to : group->entry, type, bits);
}

/* Begin an entry. What is slow is a call at the end, or no call at all would
 * have to save registers. */
static __attribute__((__noinline__)) int statsWriteFirst(hdStatsGroup *group,
							 unsigned char type,
							 uint64_t bits)
{
	struct hdOutfile *file = group->file;

	if (__builtin_expect(hdOutfileIsForeign(file) ||
				     !hdOutfileHasRoom(file, group->wanted),
			     0))
		return statsBeginSlowly(group, type, bits);
	return statsBegin(group, hdOutfileAt(file), type, bits);
}

/* Write an entry of one value. */
static __attribute__((__noinline__)) int statsWriteOnly(hdStatsGroup *group,
							unsigned char type,
							uint64_t bits)
{
	if (statsWriteFirst(group, type, bits) < 0)
		return -1;
	return statsComplete(group, group->cursor);
}

/* Put a value that is the first or last of its entry, or refuse it. */
static __attribute__((__noinline__)) int statsWriteEdge(hdStatsGroup *group,
							unsigned char type,
							uint64_t bits)
{
	unsigned char edge;

	if (!group)
		return statsRefuse(group);
	edge = statsNext(group) ^ type;
	if (edge == STATS_LAST)
		return statsComplete(group,
				     statsPut(group->cursor, type, bits));
	if (edge == STATS_FIRST)
		return statsWriteFirst(group, type, bits);
	if (statsNext(group) == STATS_DISABLED)
		return statsRefuseDisabled();
	if (edge == (STATS_FIRST | STATS_LAST))
		return statsWriteOnly(group, type, bits);
	return statsRefuse(group);
}

static inline int statsWrite(hdStatsGroup *group, unsigned char type,
			     uint64_t bits)
{
	char *cursor;

	if (__builtin_expect(!group || statsNext(group) != type, 0))
		return statsWriteEdge(group, type, bits);
	cursor = group->cursor;
	group->cursor += statsPut(cursor, type, bits) - cursor;
	return 0;
}

int hdS_writeInt32Value(hdStatsGroup *group, int32_t value)
{
	return statsWrite(group, INT32, (uint32_t)value);
}

int hdS_writeInt64Value(hdStatsGroup *group, int64_t value)
{
	return statsWrite(group, INT64, (uint64_t)value);
}

int hdS_writeFloatValue(hdStatsGroup *group, float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return statsWrite(group, FLOAT, bits);
}

int hdS_writeDoubleValue(hdStatsGroup *group, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return statsWrite(group, DOUBLE, bits);
}

/* Make room in the entry for a string and for what follows it at least. */
static int statsGrowEntry(hdStatsGroup *group, size_t length)
{
	const unsigned char *next =
		(unsigned char *)((uintptr_t)group->cursor + group->away);
	size_t used = (size_t)(group->cursor - group->entry);
	size_t room = used + length + group->entrySize;
	int saved = errno;
	char *entry;

	if (room <= group->entryRoom)
		return 0;
	room *= 2;
	entry = realloc(group->entry, room);
	errno = saved;
	if (!entry)
		return -HD_ERR_MALLOC;
	group->entry = entry;
	group->entryRoom = room;
	statsSetIdle(group);
	statsExpect(group, entry + used, next);
	return 0;
}

/* Groups that have strings have all their entries in "entry". */
int hdS_writeString(hdStatsGroup *group, const char *str)
{
	unsigned char next;
	size_t length;

	if (!group || STATS_TYPE(statsNext(group)) != STRING)
		return statsRefuse(group);
	length = str ? strlen(str) : SIZE_MAX;
	if (length > HDS_MAX_STRING_LENGTH)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	if (statsGrowEntry(group, length + HD_STAMP_SIZE) < 0)
		return hdFail(-HD_ERR_MALLOC);
	next = statsNext(group);
	if (next & STATS_FIRST) {
		if (hdOutfileIsForeign(group->file))
			return hdFail(-HD_ERR_TRACE_DISABLED);
		if (statsPutStamp(group) < 0)
			return -1;
	}
	group->cursor[0] = (char)(length >> 8);
	group->cursor[1] = (char)length;
	memcpy(group->cursor + 2, str, length);
	group->cursor += 2 + length;
	group->away -= length;
	return next & STATS_LAST ? statsComplete(group, group->cursor) : 0;
}

int hdS_setEntryTime(hdStatsGroup *group, const struct timespec *when)
{
	uint64_t stamp = group ? statsStampOf(hdTimeGiven(&group->base, when))
			       : STATS_NOW;

	if (stamp == STATS_NOW)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	if (!(statsNext(group) & STATS_FIRST) ||
	    hdOutfileIsForeign(group->file))
		return statsRefuse(group);
	group->stamp = stamp;
	return 0;
}

/* Whether the values have the length that their types say. */
static __attribute__((__noinline__)) bool statsLengthFits(
	const hdStatsGroup *group, const char *entry, size_t length)
{
	size_t at = 0;

	if (!group->hasStrings)
		return length == group->entrySize - HD_STAMP_SIZE;
	for (const unsigned char *type = group->types; *type != STATS_END;
	     type++) {
		int plain = STATS_TYPE(*type);
		size_t size = plain == INT32 || plain == FLOAT ? 4 : 8;

		if (plain == STRING) {
			if (length - at < 2)
				return false;
			size = 2 + ((size_t)(unsigned char)entry[at] << 8 |
				    (unsigned char)entry[at + 1]);
			if (size > STATS_STRING_ROOM)
				return false;
		}
		if (length - at < size)
			return false;
		at += size;
	}
	return at == length;
}

/* Write an entry that does not go into the ring in one piece. */
static __attribute__((__noinline__)) int statsWriteSlowly(hdStatsGroup *group,
							  const void *entry,
							  size_t length,
							  uint64_t stamp)
{
	struct hdOutfile *file = group->file;
	char bytes[HD_STAMP_SIZE], *to;
	int ret;

	to = hdOutfileRoom(file, sizeof(bytes) + length);
	if (to) {
		hdEntryPut64(to, stamp);
		if (length > 0)
			memcpy(to + sizeof(bytes), entry, length);
		return hdOutfileCommitTo(file, to + sizeof(bytes) + length);
	}
	ret = hdOutfileBegin(file, sizeof(bytes) + length, HD_OUTFILE_MAY_DROP);
	if (ret != 0)
		return hdResult(ret);
	hdEntryPut64(bytes, stamp);
	hdOutfileAdd(file, bytes, sizeof(bytes));
	if (length > 0)
		hdOutfileAdd(file, entry, length);
	return hdOutfileCommit(file);
}

/* Why an entry cannot be written. */
static __attribute__((__noinline__)) int statsRefuseWhole(
	const hdStatsGroup *group)
{
	if (__builtin_expect(group && statsNext(group) == STATS_DISABLED, 1))
		return statsRefuseDisabled();
	return statsRefuse(group);
}

/* Write an entry with a stamp, or, if that is STATS_NOW, the one that is set or
 * now. Inlined, so that who says which of them needs not be asked. */
static inline __attribute__((__always_inline__)) int statsWriteWhole(
	hdStatsGroup *group, const void *entry, size_t length, uint64_t stamp)
{
	struct hdOutfile *file;
	char *to;

	if (__builtin_expect(!group || !(statsNext(group) & STATS_FIRST), 0))
		return statsRefuseWhole(group);
	file = group->file;
	if (__builtin_expect(hdOutfileIsForeign(file), 0))
		return hdFail(-HD_ERR_TRACE_DISABLED);
	if (__builtin_expect(!entry, 0)) {
		if (length > 0)
			return hdFail(-HD_ERR_INVALID_ARGUMENT);
		entry = "";
	}
	if (__builtin_expect(length + HD_STAMP_SIZE != group->wanted, 0) &&
	    !statsLengthFits(group, entry, length))
		return hdFail(-HDS_ERR_UNEXPECTED_ARGVALUE);
	if (__builtin_expect(group->stamp != STATS_NOW, 0)) {
		stamp = stamp == STATS_NOW ? group->stamp : stamp;
		group->stamp = STATS_NOW;
	}
	if (stamp == STATS_NOW && __builtin_expect(!hdEntryStampNow(&stamp), 0))
		return hdFail(-HD_ERR_GET_TIME);
	stamp = statsTime(group, stamp);
	if (__builtin_expect(!hdOutfileHasRoom(file, length + HD_STAMP_SIZE),
			     0))
		return statsWriteSlowly(group, entry, length, stamp);
	to = hdOutfileAt(file);
	hdEntryPut64(to, stamp);
	to = (char *)memcpy(to + HD_STAMP_SIZE, entry, length) + length;
	return hdOutfileCommitTo(file, to);
}

int hdStatsWriteAt(hdStatsGroup *group, const void *entry, size_t length,
		   int64_t now)
{
	return statsWriteWhole(group, entry, length, statsStampOf(now));
}

int hdS_writeEntry(hdStatsGroup *group, void *entry, size_t entryLength)
{
	return statsWriteWhole(group, entry, entryLength, STATS_NOW);
}

int hdS_writeEntryAt(hdStatsGroup *group, const void *entry, size_t entryLength,
		     const struct timespec *when)
{
	uint64_t stamp = group ? statsStampOf(hdTimeGiven(&group->base, when))
			       : STATS_NOW;

	if (stamp == STATS_NOW)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	return statsWriteWhole(group, entry, entryLength, stamp);
}

/* ---- Flush and end ----------------------------------------------------- */

struct hdOutfile *hdStatsFile(const hdStatsGroup *group)
{
	return group->file;
}

int hdS_flush(hdStatsGroup *group)
{
	if (!group)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	if (!group->isCommitted)
		return hdFail(-HDS_ERR_GROUP_COMMIT_STATE);
	return hdResult(hdOutfileFlush(group->file));
}

int hdS_getLosses(const hdStatsGroup *group, hdLosses *losses)
{
	if (!group || !losses)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	losses->records = hdOutfileLost(group->file);
	losses->times = group->clamped;
	return 0;
}

int hdS_finalize(hdStatsGroup *group)
{
	int ret;

	if (!group)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	if (group->isCommitted) {
		hdTimeSourceEnd(group->file, group->sourceAt, '"',
				&group->base);
		ret = hdOutfileClose(group->file);
	} else {
		hdOutfileRemove(group->file);
		ret = -HDS_ERR_GROUP_COMMIT_STATE;
	}
	hdStatsFree(group);
	return hdResult(ret);
}
