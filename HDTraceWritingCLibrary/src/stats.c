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
#include "HDTraceWritingCLibrary/src/error.h"
#include "common/format/escape.h"
#include "HDTraceWritingCLibrary/src/outfile.h"
#include "HDTraceWritingCLibrary/src/settings.h"
#include "HDTraceWritingCLibrary/src/stats.h"
#include "HDTraceWritingCLibrary/src/timesource.h"
#include "common/format/entry.h"
#include "common/format/statheader.h"
#include "HDTraceWritingCLibrary/src/topology.h"
#include "common/clock.h"

/* What is expected next, besides a type. */
#define STATS_FIRST 0x10    /* Added to the type of the first value. */
#define STATS_LAST 0x20     /* Added to the type of the last value. */
#define STATS_NONE 0x1f     /* There is none, but an entry may begin. */
#define STATS_DISABLED 0x80 /* The group is committed, but not enabled. */
#define STATS_OPEN 0x81     /* The group is not committed. */
#define STATS_END 0xff      /* Behind the last value. */
#define STATS_TYPE(next) ((next) & ~(STATS_FIRST | STATS_LAST))

/* No stamp: what is written gets the time of the clock. */
#define STATS_NOW UINT64_MAX

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

static const unsigned char statsOpen[] = { STATS_OPEN };
static const unsigned char statsDisabled[] = { STATS_DISABLED };

/* Get the type of the next value, or why there is none. */
static inline unsigned char statsNext(const hdStatsGroup *group)
{
	return *(const unsigned char *)((uintptr_t)group->cursor + group->away);
}

/* The next value goes to the cursor, and is to be what stands there. */
static inline void statsExpect(hdStatsGroup *group, char *cursor,
			       const unsigned char *next)
{
	group->cursor = cursor;
	group->away = (uintptr_t)next - (uintptr_t)cursor;
}

/* ---- Times ------------------------------------------------------------- */

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

/* Read the wall clock; false if that fails. */
static inline bool statsNow(uint64_t *stamp)
{
	struct timespec now;

	if (__builtin_expect(hdClockRead(CLOCK_REALTIME, &now) != 0 ||
				     (uint64_t)now.tv_sec > UINT32_MAX,
			     0))
		return false;
	*stamp = hdEntryStamp((uint64_t)now.tv_sec, (uint64_t)now.tv_nsec);
	return true;
}

/* Make nanoseconds a stamp; STATS_NOW if they are negative. */
static uint64_t statsStampOf(int64_t ns)
{
	return ns < 0 ? STATS_NOW : hdEntryStampOf(ns);
}

/* ---- Creation and structure -------------------------------------------- */

static bool statsNameIsValid(const char *name)
{
	return hdNameIsValid(name) && !strchr(name, '_');
}

static void statsFree(hdStatsGroup *group)
{
	hdTextClear(&group->header.text);
	free(group->types);
	free(group->places);
	free(group->entry);
	free(group);
}

/* Begin the header. */
static int statsHeader(hdStatsGroup *group, const hdTopoNode *node, int depth,
		       const char *name)
{
	struct hdText *text = &group->header.text;
	char source[HD_TIME_SOURCE_SIZE];
	int ret = hdStatHeaderBegin(
		&group->header, (const char *const *)node->labels, depth, name);

	if (ret < 0 || !hdTimeSourceBegin(source, '"'))
		return ret;
	group->sourceAt = text->used;
	return hdTextAdd(text, source);
}

hdStatsGroup *hdS_createGroup(const char *groupName, hdTopoNode *topoNode,
			      int topoLevel)
{
	hdStatsGroup *group;
	char *path;
	int ret;

	if (!groupName || !topoNode || topoLevel < 0 ||
	    topoLevel > topoNode->length)
		return hdFailNull(-HD_ERR_INVALID_ARGUMENT);
	if (strlen(groupName) > HDS_MAX_GROUP_NAME_LENGTH)
		return hdFailNull(-HD_ERR_BUFFER_OVERFLOW);
	if (!statsNameIsValid(groupName))
		return hdFailNull(-HD_ERR_INVALID_ARGUMENT);

	group = calloc(1, sizeof(*group));
	if (!group)
		return hdFailNull(-HD_ERR_MALLOC);
	statsExpect(group, NULL, statsOpen);
	group->stamp = STATS_NOW;
	group->entrySize = HD_STAMP_SIZE;
	group->types = malloc(1);
	path = hdTopoNodeFile(topoNode, topoLevel, groupName, ".stat");
	ret = statsHeader(group, topoNode, topoLevel, groupName);
	if (ret == 0 && group->types && path) {
		group->types[0] = STATS_END;
		ret = hdOutfileOpen(path, false, &group->file);
	} else {
		free(path);
		ret = -HD_ERR_MALLOC;
	}
	if (ret < 0) {
		statsFree(group);
		return hdFailNull(ret);
	}
	return group;
}

int hdS_addValue(hdStatsGroup *group, const char *name, hdStatsValueType type,
		 const char *unit, const char *grouping)
{
	int saved = errno;
	unsigned char *types;
	int ret;

	if (!group || !name || !*name || (unsigned int)type > STRING)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	if (group->isCommitted)
		return hdFail(-HDS_ERR_GROUP_COMMIT_STATE);
	types = realloc(group->types, group->valueCount + 2);
	if (!types)
		return hdFail(-HD_ERR_MALLOC);
	group->types = types;
	ret = hdStatHeaderAddValue(&group->header, name, (enum hdEntryType)type,
				   unit, grouping);
	if (ret < 0)
		return hdFail(ret);
	types[group->valueCount] = (unsigned char)type | STATS_LAST;
	if (group->valueCount > 0)
		types[group->valueCount - 1] &= (unsigned char)~STATS_LAST;
	else
		types[0] |= STATS_FIRST;
	group->valueCount++;
	types[group->valueCount] = STATS_END;
	group->entrySize += hdEntryTypes[type].size;
	if (type == STRING)
		group->hasStrings = true;
	errno = saved;
	return 0;
}

/* Take the integer that all columns have for "no value". */
static void statsSetMissing(hdStatsGroup *group, const char *value)
{
	int saved = errno;
	char *end;
	long long number;

	errno = 0;
	number = strtoll(value, &end, 10);
	if (end != value && !*end && errno == 0)
		group->missing = number;
	errno = saved;
}

int hdS_addAttribute(hdStatsGroup *group, const char *key, const char *value)
{
	if (!group || !key || !value)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	if (group->isCommitted)
		return hdFail(-HDS_ERR_GROUP_COMMIT_STATE);
	if (group->valueCount == 0 && strcmp(key, "missing") == 0)
		statsSetMissing(group, value);
	return hdResult(hdStatHeaderAddAttribute(&group->header, key, value));
}

/* Length of the entry or gap that begins at a place in the file's ring. */
static size_t statsMeasure(const struct hdOutfile *file, size_t at)
{
	const hdStatsGroup *group = file->measureData;
	size_t length = HD_STAMP_SIZE;
	bool isGap = true;

	for (size_t i = 0; i < HD_STAMP_SIZE && isGap; i++)
		isGap = (unsigned char)file->ring[(at + i) & file->mask] ==
			0xff;
	if (isGap)
		return 2 * HD_STAMP_SIZE;
	if (!group->hasStrings)
		return group->entrySize;
	for (const unsigned char *type = group->types; *type != STATS_END;
	     type++) {
		const char *ring = file->ring;
		size_t high = (at + length) & file->mask;
		size_t low = (at + length + 1) & file->mask;
		int plain = STATS_TYPE(*type);

		if (plain == STRING)
			length += 2 + ((size_t)(unsigned char)ring[high] << 8 |
				       (unsigned char)ring[low]);
		else
			length += plain == INT32 || plain == FLOAT ? 4 : 8;
	}
	return length;
}

/* Make the room for an entry, and say where which value is. */
static int statsMakeEntry(hdStatsGroup *group)
{
	size_t at = 0;

	free(group->entry);
	free(group->places);
	group->entryRoom = group->entrySize;
	group->entry = malloc(group->entryRoom);
	group->places = malloc(group->entrySize);
	if (!group->entry || !group->places)
		return -HD_ERR_MALLOC;
	memset(group->places, STATS_END, group->entrySize);
	group->places[0] = STATS_NONE;
	for (size_t i = 0; i < group->valueCount; i++) {
		group->places[at] = group->types[i];
		at += hdEntryTypes[STATS_TYPE(group->types[i])].size;
	}
	group->wanted = group->hasStrings ? INTPTR_MAX : group->entrySize;
	return 0;
}

/* Where the cursor is between two entries. */
static void statsSetIdle(hdStatsGroup *group)
{
	group->begin = group->entry;
	group->idleCursor = group->entry + HD_STAMP_SIZE;
	group->idleAway =
		(uintptr_t)group->places - (uintptr_t)group->idleCursor;
}

int hdS_commitGroup(hdStatsGroup *group)
{
	struct hdText *header;
	char stamp[HD_STAMP_SIZE];
	uint64_t now;
	int ret;

	if (!group)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	if (group->isCommitted || hdOutfileIsForeign(group->file))
		return hdFail(-HDS_ERR_GROUP_COMMIT_STATE);
	if (!statsNow(&now))
		return hdFail(-HD_ERR_GET_TIME);
	ret = statsMakeEntry(group);
	if (ret == 0)
		ret = hdStatHeaderEnd(&group->header);
	if (ret < 0)
		return hdFail(ret);

	/* From here on the group is committed, even if its file fails. */
	header = &group->header.text;
	group->isCommitted = true;
	group->initOffset = (int64_t)header->used;
	group->last = now;
	statsSetIdle(group);
	statsExpect(group, group->idleCursor, statsDisabled);
	hdEntryPut64(stamp, now);
	ret = hdOutfileBegin(group->file, header->used + sizeof(stamp),
			     HD_OUTFILE_KEEP);
	if (ret == 0) {
		hdOutfileAdd(group->file, header->bytes, header->used);
		hdOutfileAdd(group->file, stamp, sizeof(stamp));
		hdOutfileCommit(group->file);
		ret = hdOutfileFlush(group->file);
	}
	/* From here on what goes to the file are entries and gaps. */
	group->file->measureData = group;
	group->file->measure = statsMeasure;
	hdTextClear(header);
	return hdResult(ret);
}

/* ---- Enabling and disabling -------------------------------------------- */

/* Begin the next entry. */
static inline void statsRewind(hdStatsGroup *group)
{
	group->cursor = group->idleCursor;
	group->away = group->idleAway;
}

/* Write an entry without values: NaN, 0 or what is stated, "". */
static void statsPutFiller(hdStatsGroup *group, uint64_t now)
{
	char *to = group->entry;

	hdEntryPut64(to, now);
	to += HD_STAMP_SIZE;
	for (const unsigned char *type = group->types; *type != STATS_END;
	     type++) {
		switch (STATS_TYPE(*type)) {
		case INT32:
			hdEntryPut32(to, (uint32_t)group->missing);
			to += 4;
			break;
		case INT64:
			hdEntryPut64(to, (uint64_t)group->missing);
			to += 8;
			break;
		case FLOAT:
			hdEntryPut32(to, UINT32_C(0x7fc00000));
			to += 4;
			break;
		case DOUBLE:
			hdEntryPut64(to, UINT64_C(0x7ff8000000000000));
			to += 8;
			break;
		default:
			memset(to, 0, 2);
			to += 2;
			break;
		}
	}
	hdOutfilePut(group->file, group->entry, (size_t)(to - group->entry),
		     HD_OUTFILE_KEEP);
}

/* Tell the file that the group starts, or starts again. */
static void statsPutStart(hdStatsGroup *group, uint64_t now)
{
	char gap[2 * HD_STAMP_SIZE];

	if (!group->wasEnabled) {
		/* The commit's time may be later than a measurement's. */
		group->last = now;
		hdEntryPut64(gap, now);
		hdOutfileOverwrite(group->file, group->initOffset, gap,
				   HD_STAMP_SIZE);
		return;
	}
	now = statsTime(group, now);
	switch (hdSettingsGet()->gaps) {
	case HD_GAPS_MARKER:
		memset(gap, 0xff, HD_STAMP_SIZE);
		hdEntryPut64(gap + HD_STAMP_SIZE, now);
		hdOutfilePut(group->file, gap, sizeof(gap), HD_OUTFILE_KEEP);
		break;
	case HD_GAPS_ENTRY:
		statsPutFiller(group, now);
		break;
	case HD_GAPS_NONE:
		break;
	}
}

static int statsEnable(hdStatsGroup *group, uint64_t now)
{
	if (group->isEnabled)
		return 1;
	group->isEnabled = true;
	group->stamp = STATS_NOW;
	statsRewind(group);
	/* What fails here shows at the next entry, and at the end. */
	if (!hdOutfileIsForeign(group->file)) {
		bool wasReported = group->file->errorReported;

		statsPutStart(group, now);
		group->file->errorReported = wasReported;
	}
	group->wasEnabled = true;
	return 0;
}

int hdS_enableGroup(hdStatsGroup *group)
{
	uint64_t now;

	if (!group)
		return -2;
	if (!group->isCommitted)
		return -1;
	return statsEnable(group, statsNow(&now) ? now : group->last);
}

int hdS_enableGroupAt(hdStatsGroup *group, const struct timespec *when)
{
	uint64_t now;

	if (!group)
		return -2;
	if (!group->isCommitted)
		return -1;
	now = statsStampOf(hdTimeGiven(&group->base, when));
	if (now == STATS_NOW)
		return -3;
	return statsEnable(group, now);
}

int hdS_setTimeBase(hdStatsGroup *group, int64_t base)
{
	if (!group)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	hdTimeBaseSet(&group->base, base);
	return 0;
}

int hdS_disableGroup(hdStatsGroup *group)
{
	if (!group)
		return -2;
	if (!group->isCommitted)
		return -1;
	if (!group->isEnabled)
		return 1;
	if (group->cursor != group->idleCursor)
		group->file->lost++;
	group->isEnabled = false;
	statsExpect(group, group->idleCursor, statsDisabled);
	return 0;
}

int hdS_isEnabled(const hdStatsGroup *group)
{
	if (!group)
		return -2;
	if (!group->isCommitted)
		return -1;
	return group->isEnabled && !hdOutfileIsForeign(group->file);
}

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

	if (__builtin_expect(stamp == STATS_NOW && !statsNow(&stamp), 0)) {
		statsRewind(group);
		return hdFail(-HD_ERR_GET_TIME);
	}
	group->stamp = STATS_NOW;
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
 * now. */
static inline int statsWriteWhole(hdStatsGroup *group, const void *entry,
				  size_t length, uint64_t stamp)
{
	struct hdOutfile *file;
	char *to;

	if (__builtin_expect(!group || !(statsNext(group) & STATS_FIRST), 0))
		return statsRefuseWhole(group);
	file = group->file;
	if (__builtin_expect(hdOutfileIsForeign(file), 0))
		return hdFail(-HD_ERR_TRACE_DISABLED);
	if (__builtin_expect(!entry && length > 0, 0))
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	if (__builtin_expect(length + HD_STAMP_SIZE != group->wanted, 0) &&
	    !statsLengthFits(group, entry, length))
		return hdFail(-HDS_ERR_UNEXPECTED_ARGVALUE);
	if (stamp == STATS_NOW)
		stamp = group->stamp;
	if (__builtin_expect(stamp == STATS_NOW && !statsNow(&stamp), 0))
		return hdFail(-HD_ERR_GET_TIME);
	group->stamp = STATS_NOW;
	stamp = statsTime(group, stamp);
	if (__builtin_expect(
		    length == 0 ||
			    !hdOutfileHasRoom(file, length + HD_STAMP_SIZE),
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
	statsFree(group);
	return hdResult(ret);
}
