/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Skipping entries of a compressed .stat file by its frames.
 *
 * Frames of HDTrace begin with a record (doc/format). Other programs may split
 * a file anywhere, so the frame at which reading goes on must consist of whole
 * records whose times do not decrease. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "HDTraceReadingCLibrary/src/bytes.h"
#include "HDTraceReadingCLibrary/src/file.h"
#include "HDTraceReadingCLibrary/src/stat/stat.h"

/* Where reading goes on: behind the first record of a frame. */
struct statSkipPlace {
	int64_t offset;
	int64_t stamp; /* Of that record. */
	int isGap;     /* Whether it is a gap. */
};

/* Get the bytes and the time stamp of a record: the bytes, or 0 if it is
 * truncated or invalid. */
static size_t statSkipRecord(const struct hdIStatReader *reader,
			     const char *bytes, size_t size, int64_t *stamp)
{
	size_t length = reader->group->entrySize;

	if (size < HDI_STAMP_SIZE)
		return 0;
	if (hdIBytes64(bytes) == HDI_GAP_MARK) {
		length = HDI_GAP_SIZE;
		bytes += HDI_STAMP_SIZE;
	}
	if (size < length || hdIBytesStamp(bytes, stamp) < 0)
		return 0;
	*stamp += reader->group->timeAdjustment;
	return length;
}

static size_t statSkipSize(const struct hdIStatReader *reader, size_t index)
{
	return (size_t)(hdIFileFrameStart(reader->input, index + 1) -
			hdIFileFrameStart(reader->input, index));
}

/* Read the beginning of a frame; whether all of it is there. */
static int statSkipRead(struct hdIStatReader *reader, size_t index, char *to,
			size_t size)
{
	int64_t start = hdIFileFrameStart(reader->input, index);

	return hdIFileSeek(reader->input, start) == 0 &&
	       hdIFileRead(reader->input, to, size) == (ssize_t)size;
}

/* Find the last frame from @p low on that begins at or before a time; 0: there
 * is none, or a frame is not as it should be. */
static size_t statSkipFind(struct hdIStatReader *reader, size_t low,
			   int64_t time)
{
	size_t high = hdIFileFrameCount(reader->input), found = 0;
	size_t entry = reader->group->entrySize;
	size_t size = entry > HDI_GAP_SIZE ? entry : HDI_GAP_SIZE;
	char *record = malloc(size);

	while (record && low < high) {
		size_t middle = low + (high - low) / 2;
		size_t some = statSkipSize(reader, middle);
		int64_t stamp;

		if (some > size)
			some = size;
		if (!statSkipRead(reader, middle, record, some) ||
		    statSkipRecord(reader, record, some, &stamp) == 0) {
			found = 0;
			break;
		}
		if (stamp <= time) {
			found = middle;
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	free(record);
	return found;
}

/* Whether a frame has whole records in order, none of them behind a time. */
static int statSkipVerify(struct hdIStatReader *reader, size_t index,
			  int64_t time, struct statSkipPlace *place)
{
	size_t size = statSkipSize(reader, index), at = 0;
	char *bytes = malloc(size);
	int64_t last = reader->start;
	int isGood = bytes && statSkipRead(reader, index, bytes, size);

	place->offset = -1;
	while (isGood && at < size) {
		int64_t stamp = last;
		size_t length =
			statSkipRecord(reader, bytes + at, size - at, &stamp);

		isGood = length > 0 && last <= stamp && stamp <= time;
		if (isGood && place->offset < 0) {
			place->isGap = hdIBytes64(bytes + at) == HDI_GAP_MARK;
			place->stamp = stamp;
			place->offset =
				hdIFileFrameStart(reader->input, index) +
				(int64_t)length;
		}
		last = stamp;
		at += length;
	}
	free(bytes);
	return isGood && place->offset >= 0;
}

/* Find the place; 0: there is none. */
static int statSkipPlaceFind(struct hdIStatReader *reader, int64_t time,
			     struct statSkipPlace *place)
{
	int64_t here = hdIStatOffset(reader, reader->used);
	size_t count = hdIFileFrameCount(reader->input), low = 0, high = count;
	size_t found;

	/* The first frame behind what was delivered. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (hdIFileFrameStart(reader->input, middle) < here)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == count)
		return 0;
	found = statSkipFind(reader, low, time);
	/* The frame before has the readings that precede the time. */
	return found > low && statSkipVerify(reader, found - 1, time, place);
}

int hdI_skipStat(struct hdIStatReader *reader, int64_t time)
{
	int64_t here = reader->offset + (int64_t)reader->size;
	struct statSkipPlace place;
	int isFound, ret;

	/* Groups of old files have no start; they are never compressed. */
	if (reader->isOver || !reader->hasStart ||
	    !reader->groupData->hasStart || reader->group->entrySize == 0 ||
	    reader->last >= time || hdIFileFrameCount(reader->input) == 0)
		return 0;
	hdIFileSilence(reader->input, 1);
	isFound = statSkipPlaceFind(reader, time, &place);
	hdIFileSilence(reader->input, 0);
	ret = hdIFileSeek(reader->input, isFound ? place.offset : here);
	if (ret < 0) {
		errno = -ret;
		return -1;
	}
	if (!isFound)
		return 0;
	reader->offset = place.offset;
	reader->used = 0;
	reader->size = 0;
	reader->isEnd = 0;
	reader->isResumed = 0;
	reader->isAfterGap = place.isGap;
	reader->last = place.stamp;
	reader->block.first = 0;
	reader->block.count = 0;
	return 1;
}
