/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Statistics groups: creation, structure, enabling and disabling.
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
#include "HDTraceWritingCLibrary/src/settings.h"
#include "HDTraceWritingCLibrary/src/stats.h"
#include "HDTraceWritingCLibrary/src/timesource.h"
#include "common/format/entry.h"
#include "common/format/statheader.h"
#include "HDTraceWritingCLibrary/src/topology.h"
#include "common/clock.h"

#define STATS_NONE 0x1f /* There is none, but an entry may begin. */

static const unsigned char statsOpen[] = { STATS_OPEN };

static const unsigned char statsDisabled[] = { STATS_DISABLED };

/* ---- Creation and structure -------------------------------------------- */

static bool statsNameIsValid(const char *name)
{
	return hdNameIsValid(name) && !strchr(name, '_');
}

void hdStatsFree(hdStatsGroup *group)
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
		hdStatsFree(group);
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
	if (!hdEntryStampNow(&now))
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
	return statsEnable(group, hdEntryStampNow(&now) ? now : group->last);
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
