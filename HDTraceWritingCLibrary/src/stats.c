/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Statistics groups.
 *
 * An entry is put together in "entry", as it has to stand in the file, and
 * then handed to the file in one piece. What may be written next is known from
 * one byte: the type of the next value, or why there is none.
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
#include "common/format/entry.h"
#include "common/format/statheader.h"
#include "HDTraceWritingCLibrary/src/topology.h"
#include "common/clock.h"

/* What is expected next, besides a type. */
#define STATS_FIRST 0x10    /* Added to the type of the first value. */
#define STATS_END 0xfd      /* Behind the last value. */
#define STATS_DISABLED 0xfe /* The group is committed, but not enabled. */
#define STATS_OPEN 0xff     /* The group is not committed. */
#define STATS_TYPE(next) ((next) & ~STATS_FIRST)

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
	const unsigned char *next; /* What is expected. */
	struct hdOutfile *file;
	char *cursor;         /* Where the next value goes. */
	char *entry;          /* The time stamp, then the values. */
	unsigned char *types; /* STATS_END is behind the last. */
	size_t valueCount;
	size_t entrySize; /* With the time stamp; of a string its length. */
	size_t entryRoom;
	bool hasStrings;
	bool isCommitted;
	bool isEnabled;
	bool wasEnabled;
	int64_t entryTime; /* As set by the user, or -1. */
	int64_t last;      /* Last time in the file. */
	int64_t initOffset;
	uint64_t clamped;
	struct hdStatHeader header; /* Until the commit. */
};

static const unsigned char statsOpen[] = { STATS_OPEN };
static const unsigned char statsDisabled[] = { STATS_DISABLED };

/* ---- Bytes and times --------------------------------------------------- */

/* Make a time not decreasing, and remember it. */
static inline int64_t statsTime(hdStatsGroup *group, int64_t now)
{
	if (__builtin_expect(now < group->last, 0)) {
		group->clamped++;
		return group->last;
	}
	group->last = now;
	return now;
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
	free(group->entry);
	free(group);
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
	group->next = statsOpen;
	group->entryTime = -1;
	group->entrySize = HD_STAMP_SIZE;
	group->types = malloc(1);
	path = hdTopoNodeFile(topoNode, topoLevel, groupName, ".stat");
	ret = hdStatHeaderBegin(&group->header,
				(const char *const *)topoNode->labels,
				topoLevel, groupName);
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
	types[group->valueCount] = (unsigned char)type;
	if (group->valueCount++ == 0)
		types[0] |= STATS_FIRST;
	types[group->valueCount] = STATS_END;
	group->entrySize += hdEntryTypes[type].size;
	if (type == STRING)
		group->hasStrings = true;
	errno = saved;
	return 0;
}

int hdS_addAttribute(hdStatsGroup *group, const char *key, const char *value)
{
	if (!group || !key || !value)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	if (group->isCommitted)
		return hdFail(-HDS_ERR_GROUP_COMMIT_STATE);
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

int hdS_commitGroup(hdStatsGroup *group)
{
	struct hdText *header;
	char stamp[HD_STAMP_SIZE];
	int64_t now;
	int ret;

	if (!group)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	if (group->isCommitted || hdOutfileIsForeign(group->file))
		return hdFail(-HDS_ERR_GROUP_COMMIT_STATE);
	now = hdClockNow();
	if (now < 0)
		return hdFail(-HD_ERR_GET_TIME);
	group->entryRoom = group->entrySize;
	free(group->entry);
	group->entry = malloc(group->entryRoom);
	if (!group->entry)
		return hdFail(-HD_ERR_MALLOC);
	ret = hdStatHeaderEnd(&group->header);
	if (ret < 0)
		return hdFail(ret);

	/* From here on the group is committed, even if its file fails. */
	header = &group->header.text;
	group->isCommitted = true;
	group->initOffset = (int64_t)header->used;
	group->last = now;
	group->cursor = group->entry;
	group->next = statsDisabled;
	hdEntryPutStamp(stamp, now);
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
	group->cursor = group->entry;
	group->next = group->types;
}

/* Write an entry without values: NaN, 0, "". */
static void statsPutFiller(hdStatsGroup *group, int64_t now)
{
	char *to = group->entry;

	hdEntryPutStamp(to, now);
	to += HD_STAMP_SIZE;
	for (const unsigned char *type = group->types; *type != STATS_END;
	     type++) {
		switch (STATS_TYPE(*type)) {
		case INT32:
			hdEntryPut32(to, 0);
			to += 4;
			break;
		case INT64:
			hdEntryPut64(to, 0);
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
static void statsPutStart(hdStatsGroup *group, int64_t now)
{
	char gap[2 * HD_STAMP_SIZE];

	if (!group->wasEnabled) {
		/* The commit's time may be later than a measurement's. */
		group->last = now;
		hdEntryPutStamp(gap, now);
		hdOutfileOverwrite(group->file, group->initOffset, gap,
				   HD_STAMP_SIZE);
		return;
	}
	now = statsTime(group, now);
	switch (hdSettingsGet()->gaps) {
	case HD_GAPS_MARKER:
		memset(gap, 0xff, HD_STAMP_SIZE);
		hdEntryPutStamp(gap + HD_STAMP_SIZE, now);
		hdOutfilePut(group->file, gap, sizeof(gap), HD_OUTFILE_KEEP);
		break;
	case HD_GAPS_ENTRY:
		statsPutFiller(group, now);
		break;
	case HD_GAPS_NONE:
		break;
	}
}

static int statsEnable(hdStatsGroup *group, int64_t now)
{
	if (group->isEnabled)
		return 1;
	group->isEnabled = true;
	group->entryTime = -1;
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
	int64_t now;

	if (!group)
		return -2;
	if (!group->isCommitted)
		return -1;
	now = hdClockNow();
	return statsEnable(group, now < 0 ? group->last : now);
}

int hdS_enableGroupAt(hdStatsGroup *group, const struct timespec *when)
{
	int64_t now = hdClockToNs(when);

	if (!group)
		return -2;
	if (!group->isCommitted)
		return -1;
	if (now < 0)
		return -3;
	return statsEnable(group, now);
}

int hdS_disableGroup(hdStatsGroup *group)
{
	if (!group)
		return -2;
	if (!group->isCommitted)
		return -1;
	if (!group->isEnabled)
		return 1;
	if (group->cursor != group->entry)
		group->file->lost++;
	group->isEnabled = false;
	group->next = statsDisabled;
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
static inline int statsRefuse(const hdStatsGroup *group)
{
	if (!group)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	if (*group->next == STATS_DISABLED || hdOutfileIsForeign(group->file))
		return hdFail(-HD_ERR_TRACE_DISABLED);
	if (*group->next == STATS_OPEN)
		return hdFail(-HDS_ERR_GROUP_COMMIT_STATE);
	return hdFail(-HDS_ERR_ENTRY_STATE);
}

/* Put a time stamp before the first value; 0, or what the caller returns. */
static int statsBegin(hdStatsGroup *group)
{
	int64_t now = group->entryTime;

	if (hdOutfileIsForeign(group->file))
		return hdFail(-HD_ERR_TRACE_DISABLED);
	if (now < 0) {
		now = hdClockNow();
		if (__builtin_expect(now < 0, 0))
			return hdFail(-HD_ERR_GET_TIME);
	}
	group->entryTime = -1;
	hdEntryPutStamp(group->cursor, statsTime(group, now));
	group->cursor += HD_STAMP_SIZE;
	return 0;
}

/* Hand the complete entry to the file. */
static int statsComplete(hdStatsGroup *group)
{
	size_t size = (size_t)(group->cursor - group->entry);

	statsRewind(group);
	if (hdOutfileIsForeign(group->file))
		return hdFail(-HD_ERR_TRACE_DISABLED);
	return hdResult(hdOutfilePut(group->file, group->entry, size,
				     HD_OUTFILE_MAY_DROP));
}

/* The current value has been put and ends at the cursor. */
static inline int statsAdvance(hdStatsGroup *group, const unsigned char *next,
			       char *cursor)
{
	group->cursor = cursor;
	group->next = next + 1;
	if (__builtin_expect(next[1] == STATS_END, 0))
		return statsComplete(group);
	return 0;
}

/* Put a value that is expected. */
static inline int statsPut(hdStatsGroup *group, unsigned char type,
			   uint64_t bits)
{
	const unsigned char *next = group->next;
	char *cursor = group->cursor;

	if (type == INT32 || type == FLOAT) {
		hdEntryPut32(cursor, (uint32_t)bits);
		return statsAdvance(group, next, cursor + 4);
	}
	hdEntryPut64(cursor, bits);
	return statsAdvance(group, next, cursor + 8);
}

/* Put a value that is the first of its entry, or refuse it. */
static __attribute__((__noinline__)) int statsWriteFirst(hdStatsGroup *group,
							 unsigned char type,
							 uint64_t bits)
{
	if (!group || *group->next != (type | STATS_FIRST))
		return statsRefuse(group);
	if (statsBegin(group) < 0)
		return -1;
	return statsPut(group, type, bits);
}

static inline int statsWrite(hdStatsGroup *group, unsigned char type,
			     uint64_t bits)
{
	if (__builtin_expect(group && *group->next == type, 1))
		return statsPut(group, type, bits);
	if (__builtin_expect(group && *group->next == STATS_DISABLED, 1))
		return statsRefuseDisabled();
	return statsWriteFirst(group, type, bits);
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
	group->cursor = entry + used;
	group->entryRoom = room;
	return 0;
}

int hdS_writeString(hdStatsGroup *group, const char *str)
{
	size_t length;

	if (!group || STATS_TYPE(*group->next) != STRING)
		return statsRefuse(group);
	length = str ? strlen(str) : SIZE_MAX;
	if (length > HDS_MAX_STRING_LENGTH)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	if (statsGrowEntry(group, length + HD_STAMP_SIZE) < 0)
		return hdFail(-HD_ERR_MALLOC);
	if ((*group->next & STATS_FIRST) && statsBegin(group) < 0)
		return -1;
	group->cursor[0] = (char)(length >> 8);
	group->cursor[1] = (char)length;
	memcpy(group->cursor + 2, str, length);
	return statsAdvance(group, group->next, group->cursor + 2 + length);
}

int hdS_setEntryTime(hdStatsGroup *group, const struct timespec *when)
{
	int64_t time = hdClockToNs(when);

	if (!group || time < 0)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	if (*group->next >= STATS_DISABLED || group->cursor != group->entry ||
	    hdOutfileIsForeign(group->file))
		return statsRefuse(group);
	group->entryTime = time;
	return 0;
}

/* Whether the values have the length that their types say. */
static bool statsLengthFits(const hdStatsGroup *group, const char *entry,
			    size_t length)
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

/* Write an entry that was measured at a time, or, if that is -1, now. */
static int statsWriteEntry(hdStatsGroup *group, const void *entry,
			   size_t length, int64_t now)
{
	size_t size = HD_STAMP_SIZE + length;
	struct hdOutfile *file;
	char stamp[HD_STAMP_SIZE];
	char *to;
	int ret;

	if (__builtin_expect(!group || *group->next >= STATS_DISABLED ||
				     group->cursor != group->entry ||
				     hdOutfileIsForeign(group->file),
			     0))
		return statsRefuse(group);
	file = group->file;
	if (__builtin_expect(!entry && length > 0, 0))
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	if (__builtin_expect(!statsLengthFits(group, entry, length), 0))
		return hdFail(-HDS_ERR_UNEXPECTED_ARGVALUE);
	if (now < 0)
		now = group->entryTime;
	if (now < 0) {
		now = hdClockNow();
		if (__builtin_expect(now < 0, 0))
			return hdFail(-HD_ERR_GET_TIME);
	}
	group->entryTime = -1;
	now = statsTime(group, now);
	to = hdOutfileRoom(file, size);
	if (__builtin_expect(to != NULL, 1)) {
		hdEntryPutStamp(to, now);
		if (length > 0)
			memcpy(to + HD_STAMP_SIZE, entry, length);
		hdOutfileCommitTo(file, to + size);
		return 0;
	}
	ret = hdOutfileBegin(file, size, HD_OUTFILE_MAY_DROP);
	if (ret != 0)
		return hdResult(ret);
	hdEntryPutStamp(stamp, now);
	hdOutfileAdd(file, stamp, sizeof(stamp));
	if (length > 0)
		hdOutfileAdd(file, entry, length);
	hdOutfileCommit(file);
	return 0;
}

int hdS_writeEntry(hdStatsGroup *group, void *entry, size_t entryLength)
{
	if (__builtin_expect(group && *group->next == STATS_DISABLED, 0))
		return statsRefuseDisabled();
	return statsWriteEntry(group, entry, entryLength, -1);
}

int hdS_writeEntryAt(hdStatsGroup *group, const void *entry, size_t entryLength,
		     const struct timespec *when)
{
	int64_t now = hdClockToNs(when);

	if (!group || now < 0)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	return statsWriteEntry(group, entry, entryLength, now);
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
		ret = hdOutfileClose(group->file);
	} else {
		hdOutfileRemove(group->file);
		ret = -HDS_ERR_GROUP_COMMIT_STATE;
	}
	statsFree(group);
	return hdResult(ret);
}
