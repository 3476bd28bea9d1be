/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace cut: a part of a statistics group.
 *
 * The header stays as it is. Of an entry that crosses a border, a gauge keeps
 * its number, a delta has its share, and the readings of a counter are
 * interpolated at the border. A part that begins behind the first entry begins
 * with an entry of no length if there are counters, which has their readings at
 * the border: growth counts from there.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "HDTraceTools/cut/cut.h"
#include "HDTraceTools/edit/content.h"
#include "HDTraceTools/model/column.h"
#include "HDTraceTools/model/diagnostics.h"
#include "HDTraceTools/model/kind.h"
#include "common/format/entry.h"

/** A number; of a float in number, else in integer. */
struct cutNumber {
	bool isKnown;
	outInt128 integer;
	double number;
};

/** A group that is being written. */
struct cutGroupState {
	struct cut *cut;
	const hdIGroup *group;
	FILE *out;
	enum hdKind *kinds;
	struct cutNumber
		*last; /**< Reading of each counter, of entries before. */
	bool hasCounters;
	bool isStarted; /**< The initial time stamp is written. */
	bool isOld;     /**< The format has none. */
	bool isAny;     /**< There was an entry, in the part or not. */
};

/* ---- Numbers ----------------------------------------------------------- */

static struct cutNumber cutNumberOf(const hdIValue *value,
				    const hdIColumn *column, size_t entry)
{
	struct cutNumber result = { .isKnown = true };

	switch (value->type) {
	case HDI_INT32:
		result.integer = column->int32[entry];
		break;
	case HDI_INT64:
		result.integer = column->int64[entry];
		break;
	case HDI_UINT64:
		result.integer = column->uint64[entry];
		break;
	case HDI_FLOAT:
	case HDI_DOUBLE:
		result.number = columnNumber(value, column, entry);
		result.isKnown = isfinite(result.number);
		break;
	case HDI_STRING:
		result.isKnown = false;
		break;
	}
	if (columnIsMissing(value, column, entry))
		result.isKnown = false;
	return result;
}

static void cutPut32(FILE *out, uint32_t bits)
{
	char bytes[sizeof(bits)];

	hdEntryPut32(bytes, bits);
	fwrite(bytes, 1, sizeof(bytes), out);
}

static void cutPut64(FILE *out, uint64_t bits)
{
	char bytes[sizeof(bits)];

	hdEntryPut64(bytes, bits);
	fwrite(bytes, 1, sizeof(bytes), out);
}

static void cutPutNumber(FILE *out, hdIType type, const struct cutNumber *from)
{
	float single = (float)from->number;
	uint32_t bits32;
	uint64_t bits64;

	switch (type) {
	case HDI_INT32:
		cutPut32(out, (uint32_t)(int32_t)from->integer);
		break;
	case HDI_INT64:
	case HDI_UINT64:
		cutPut64(out, (uint64_t)from->integer);
		break;
	case HDI_FLOAT:
		memcpy(&bits32, &single, sizeof(bits32));
		cutPut32(out, bits32);
		break;
	case HDI_DOUBLE:
		memcpy(&bits64, &from->number, sizeof(bits64));
		cutPut64(out, bits64);
		break;
	case HDI_STRING:
		break;
	}
}

/** Write a value as it is. */
static void cutPutValue(FILE *out, const hdIValue *value,
			const hdIColumn *column, size_t entry)
{
	struct cutNumber number = cutNumberOf(value, column, entry);
	char length[2];

	if (value->type != HDI_STRING) {
		cutPutNumber(out, value->type, &number);
		return;
	}
	length[0] = (char)(column->string[entry].length >> 8);
	length[1] = (char)(column->string[entry].length & 0xff);
	fwrite(length, 1, sizeof(length), out);
	fwrite(column->string[entry].bytes, 1, column->string[entry].length,
	       out);
}

/** A part of a number: @p part of @p all. Parts that follow each other add up,
 *  since each is the difference of two of these. */
static struct cutNumber cutShare(const struct cutNumber *from, int64_t part,
				 int64_t all)
{
	struct cutNumber share = *from;

	if (part == all)
		return share;
	/* The product may need more than 128 bits. */
	share.integer =
		from->integer / all * part + from->integer % all * part / all;
	share.number = from->number * ((double)part / (double)all);
	return share;
}

/** The interval of an entry, and its part inside. */
struct cutInterval {
	int64_t start;
	int64_t end;
	int64_t from;
	int64_t to;
	bool isAfterGap;
};

/** The amount of a delta inside. */
static struct cutNumber cutDelta(const struct cutNumber *amount,
				 const struct cutInterval *at)
{
	int64_t length = at->end - at->start;
	struct cutNumber share, before;

	if (length <= 0 || !amount->isKnown)
		return *amount;
	share = cutShare(amount, at->to - at->start, length);
	before = cutShare(amount, at->from - at->start, length);
	share.integer -= before.integer;
	share.number -= before.number;
	return share;
}

static bool cutIsReset(const struct cutNumber *last,
		       const struct cutNumber *now)
{
	return now->integer < last->integer || now->number < last->number;
}

/** The reading of a counter at a time in an entry. @p isBase: growth counts
 *  from there on; what began again at 0 grew by all of its reading. */
static struct cutNumber cutReading(const struct cutNumber *last,
				   const struct cutNumber *now,
				   const struct cutInterval *at, int64_t time,
				   bool isBase)
{
	struct cutNumber growth = *now;

	if (!now->isKnown || !last->isKnown || at->isAfterGap)
		return *now;
	if (isBase && cutIsReset(last, now))
		return (struct cutNumber){ .isKnown = true };
	if (isBase && time == at->start)
		return *last;
	if (time == at->end)
		return *now;
	if (cutIsReset(last, now))
		return *last;
	growth.integer -= last->integer;
	growth.number -= last->number;
	growth = cutShare(&growth, time - at->start, at->end - at->start);
	growth.integer += last->integer;
	growth.number += last->number;
	return growth;
}

/** No reading, where a number can say so. */
static struct cutNumber cutUnknown(const hdIValue *value,
				   const struct cutNumber *now)
{
	struct cutNumber unknown = *now;

	unknown.number = NAN;
	if (value->hasMissing)
		unknown.integer = value->missing;
	return unknown;
}

/* ---- Entries ----------------------------------------------------------- */

static void cutPutStamp(const struct cutGroupState *self, int64_t time)
{
	char stamp[HD_STAMP_SIZE];

	time -= self->group->timeAdjustment;
	hdEntryPutStamp(stamp, CLAMP(time, 0, HD_TIME_MAX));
	fwrite(stamp, 1, sizeof(stamp), self->out);
}

/** Write an entry of no length where the part begins. */
static void cutPutBase(struct cutGroupState *self, const hdIBlock *block,
		       size_t entry, const struct cutInterval *at)
{
	cutPutStamp(self, at->from);
	for (size_t i = 0; i < self->group->valueCount; i++) {
		const hdIValue *value = &self->group->values[i];
		struct cutNumber number =
			cutNumberOf(value, &block->columns[i], entry);

		if (value->type == HDI_STRING ||
		    self->kinds[i] == HD_KIND_GAUGE || !number.isKnown) {
			cutPutValue(self->out, value, &block->columns[i],
				    entry);
			continue;
		}
		if (self->kinds[i] == HD_KIND_DELTA)
			number = (struct cutNumber){ .isKnown = true };
		else if (!self->last[i].isKnown)
			number = cutUnknown(value, &number);
		else
			number = cutReading(&self->last[i], &number, at,
					    at->from, true);
		cutPutNumber(self->out, value->type, &number);
	}
}

static void cutPutEntry(struct cutGroupState *self, const hdIBlock *block,
			size_t entry, const struct cutInterval *at)
{
	cutPutStamp(self, at->to);
	for (size_t i = 0; i < self->group->valueCount; i++) {
		const hdIValue *value = &self->group->values[i];
		struct cutNumber number =
			cutNumberOf(value, &block->columns[i], entry);

		if (value->type == HDI_STRING || !number.isKnown ||
		    self->kinds[i] == HD_KIND_GAUGE) {
			cutPutValue(self->out, value, &block->columns[i],
				    entry);
			continue;
		}
		number = self->kinds[i] == HD_KIND_DELTA
				 ? cutDelta(&number, at)
				 : cutReading(&self->last[i], &number, at,
					      at->to, false);
		cutPutNumber(self->out, value->type, &number);
	}
}

/** Keep the readings of an entry. */
static void cutSeeReadings(struct cutGroupState *self, const hdIBlock *block,
			   size_t entry)
{
	for (size_t i = 0; i < self->group->valueCount; i++) {
		if (self->kinds[i] == HD_KIND_COUNTER)
			self->last[i] = cutNumberOf(&self->group->values[i],
						    &block->columns[i], entry);
	}
}

static void cutAddEntry(struct cutGroupState *self, const hdIBlock *block,
			size_t entry)
{
	const struct selection *selection = &self->cut->selection;
	struct cutInterval at = {
		.start = block->start[entry],
		.end = block->end[entry],
		.isAfterGap = block->isAfterGap[entry],
	};
	bool isFirst = !self->isStarted;

	at.from = MAX(at.start, selection->start);
	at.to = MIN(at.end, selection->end);
	if (isFirst && !self->isOld)
		cutPutStamp(self, at.from);
	self->isStarted = true;
	if (isFirst && ((self->isOld && at.from < at.to) ||
			(self->hasCounters && self->isAny && !at.isAfterGap)))
		cutPutBase(self, block, entry, &at);
	if (!isFirst && at.isAfterGap) {
		cutPut64(self->out, UINT64_MAX);
		cutPutStamp(self, at.from);
	}
	cutPutEntry(self, block, entry, &at);
}

/** Add the entries of a block; false: the part is over. */
static bool cutAddBlock(const hdIBlock *block, void *data)
{
	struct cutGroupState *self = data;
	const struct selection *selection = &self->cut->selection;

	if (!self->isAny)
		self->isOld = block->offset[0] == self->group->dataOffset;
	for (size_t i = 0; i < block->count; i++) {
		if (block->start[i] >= selection->end &&
		    block->end[i] > selection->end)
			return false;
		if (selectionHasTime(selection, block->start[i], block->end[i]))
			cutAddEntry(self, block, i);
		cutSeeReadings(self, block, i);
		self->isAny = true;
	}
	return true;
}

static int cutReadGroup(struct cutGroupState *self)
{
	const struct selection *selection = &self->cut->selection;
	struct scan scan = cutScan(self->cut);
	hdIStatReader *reader =
		diagnosticsOpenStat(self->cut->project, self->group, NULL);
	int64_t start;
	bool hasStart;

	if (!reader)
		return -errno;
	hasStart = hdI_getStatStart(reader, &start) == 1;
	hdI_skipStat(reader, selection->start);
	scanBlocks(&scan, reader, cutAddBlock, self);
	/* An empty group has the time where it begins. */
	if (!self->isStarted && hasStart && !self->isOld)
		cutPutStamp(self,
			    CLAMP(start, selection->start, selection->end));
	hdI_closeStat(reader);
	return 0;
}

bool cutGroup(struct cut *cut, const hdIGroup *group)
{
	struct newFile *new = cutStartFile(cut, group->file);
	struct cutGroupState self = { .cut = cut, .group = group };
	int ret;

	if (!new)
		return false;
	self.out = new->file;
	self.kinds = g_new0(enum hdKind, group->valueCount + 1);
	self.last = g_new0(struct cutNumber, group->valueCount + 1);
	for (size_t i = 0; i < group->valueCount; i++) {
		self.kinds[i] = valueKind(group, &group->values[i], NULL);
		self.hasCounters |= self.kinds[i] == HD_KIND_COUNTER;
	}
	ret = group->isReadable ? contentCopy(group->file, 0, group->dataOffset,
					      new->file)
				: -EBADMSG;
	if (ret == 0)
		ret = cutReadGroup(&self);
	g_free(self.kinds);
	g_free(self.last);
	return cutEndFile(cut, group->file, new, ret);
}
