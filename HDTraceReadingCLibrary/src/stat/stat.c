/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading .stat files in blocks of entries. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "HDTraceReadingCLibrary/src/bytes.h"
#include "HDTraceReadingCLibrary/src/file.h"
#include "HDTraceReadingCLibrary/src/stat/stat.h"

/* So much that calls do not count, and so little that it stays in the cache
 * while columns are taken out of it. */
#define BUFFER_SIZE (256 << 10)
#define ENTRIES_MAX 8192

/* ---- Input ------------------------------------------------------------- */

/* An error was reported, and ends the reading. */
static int statReaderFail(struct hdIStatReader *reader, int error)
{
	reader->error = error;
	reader->isOver = 1;
	return error;
}

/* Go on behind a damaged frame, which was reported; frames hold whole
 * records. */
static int statReaderSkip(struct hdIStatReader *reader)
{
	int64_t next = hdIFileSkip(reader->input);

	if (next < 0 || !reader->hasStart)
		return 0;
	reader->offset = next;
	reader->used = 0;
	reader->size = 0;
	reader->isResumed = 1;
	return 1;
}

/* Read more bytes behind those that are there; at least one, or it is the
 * end. */
static int readMore(struct hdIStatReader *reader)
{
	ssize_t n = hdIFileRead(reader->input, reader->buffer + reader->size,
				reader->room - reader->size);

	if (n == -ENOMEM)
		return -ENOMEM;
	if (n == -EBADMSG && statReaderSkip(reader))
		return 0;
	if (n < 0)
		return statReaderFail(reader, (int)n);
	if (n == 0)
		reader->isEnd = 1;
	reader->size += (size_t)n;
	return 0;
}

/* Move what is left to the beginning, and fill the buffer. */
static int refill(struct hdIStatReader *reader)
{
	size_t rest = reader->size - reader->used;

	memmove(reader->buffer, reader->buffer + reader->used, rest);
	reader->offset += (int64_t)reader->used;
	reader->used = 0;
	reader->size = rest;
	if (rest == reader->room) {
		char *buffer = realloc(reader->buffer, 2 * reader->room);

		if (!buffer)
			return -ENOMEM;
		reader->buffer = buffer;
		reader->room *= 2;
	}
	return reader->isEnd ? 0 : readMore(reader);
}

/* ---- Time stamps ------------------------------------------------------- */

/* Take a time stamp at a position; it may not be before the last one. */
static int takeStamp(struct hdIStatReader *reader, size_t position,
		     int64_t *stamp)
{
	const char *p = reader->buffer + position;
	int64_t time;

	if (hdIBytesStamp(p, &time) < 0) {
		hdIReport(&reader->sink, HDI_RULE_STAT_TIME_INVALID,
			  reader->group->file, hdIStatOffset(reader, position),
			  0, "a time stamp has %" PRIu32 " nanoseconds",
			  hdIBytes32(p + 4));
		return statReaderFail(reader, -EBADMSG);
	}
	time += reader->group->timeAdjustment;
	if (reader->hasStart && time < reader->last) {
		hdIReport(&reader->sink, HDI_RULE_STAT_TIME_DECREASES,
			  reader->group->file, hdIStatOffset(reader, position),
			  0,
			  "a time stamp is %" PRId64 " ns before the "
			  "previous time stamp",
			  reader->last - time);
		return statReaderFail(reader, -EBADMSG);
	}
	*stamp = time;
	return 0;
}

/* ---- What lies between entries ----------------------------------------- */

/* Whether an entry of fixed size is cut. */
static int isCut(const struct hdIStatReader *reader)
{
	return reader->size - reader->used < reader->group->entrySize;
}

/* Deal with what is no entry.
 *
 * @retval 1 A gap was taken.
 * @retval 0 More bytes are needed.
 * @retval -errno Error, which was reported.
 */
static int takeOther(struct hdIStatReader *reader)
{
	size_t rest = reader->size - reader->used;
	size_t position;
	int64_t stamp;
	int ret;

	if (rest < HDI_STAMP_SIZE)
		return 0;
	if (hdIBytes64(reader->buffer + reader->used) == HDI_GAP_MARK) {
		if (rest < HDI_GAP_SIZE)
			return 0;
		ret = takeStamp(reader, reader->used + HDI_STAMP_SIZE, &stamp);
		if (ret < 0)
			return ret;
		reader->last = stamp;
		reader->isAfterGap = 1;
		reader->used += HDI_GAP_SIZE;
		return 1;
	}
	if (isCut(reader))
		return 0;
	ret = takeStamp(reader, reader->used, &stamp);
	if (ret == 0 && reader->group->entrySize == 0 &&
	    hdIStatMeasure(reader, &position) < 0) {
		hdIReport(&reader->sink, HDI_RULE_STAT_STRING,
			  reader->group->file, hdIStatOffset(reader, position),
			  0, "the length of a string is %d",
			  (int16_t)hdIBytes16(reader->buffer + position));
		ret = statReaderFail(reader, -EBADMSG);
	}
	return ret;
}

/* ---- Blocks ------------------------------------------------------------ */

/* The file ends here. */
static void statReaderFinish(struct hdIStatReader *reader)
{
	size_t rest = reader->size - reader->used;

	reader->isOver = 1;
	if (!reader->hasStart && reader->groupData->hasStart)
		hdIReport(&reader->sink, HDI_RULE_STAT_NO_START,
			  reader->group->file, reader->group->dataOffset, 0,
			  "the file ends before its initial time stamp: %zu "
			  "bytes are left over",
			  rest);
	else if (rest > 0)
		hdIReport(&reader->sink, HDI_RULE_STAT_CUT_TAIL,
			  reader->group->file,
			  hdIStatOffset(reader, reader->used), 0,
			  "the last record is cut: %zu bytes are left over",
			  rest);
}

static int statReaderDeliverBlock(struct hdIStatReader *reader, size_t count,
				  const hdIBlock **block)
{
	reader->block.first += reader->block.count;
	reader->block.count = count;
	/* Gaps end blocks, so only the first entry can follow one. */
	reader->gaps[0] = (uint8_t)reader->isAfterGap;
	reader->isAfterGap = 0;
	*block = &reader->block;
	return 1;
}

/* Take the initial time stamp; old files have none, and their first interval
 * has no length. */
static int statReaderReadStart(struct hdIStatReader *reader)
{
	int isOld = !reader->groupData->hasStart;
	int ret;

	if (reader->size - reader->used < HDI_STAMP_SIZE ||
	    (isOld && isCut(reader)))
		return 0;
	ret = takeStamp(reader, reader->used, &reader->start);
	if (ret < 0)
		return ret;
	reader->last = reader->start;
	reader->hasStart = 1;
	reader->used += isOld ? 0 : HDI_STAMP_SIZE;
	return 1;
}

/* Take the first record behind a damaged frame: it is not known when an entry
 * started, so only its end is used. Results as of takeOther(). */
static int statReaderResume(struct hdIStatReader *reader)
{
	size_t rest = reader->size - reader->used;
	size_t position, size = reader->group->entrySize;
	int ret;

	if (rest < HDI_STAMP_SIZE)
		return 0;
	if (hdIBytes64(reader->buffer + reader->used) != HDI_GAP_MARK) {
		ssize_t measured = size ? (ssize_t)size
					: hdIStatMeasure(reader, &position);

		if (measured == 0 || measured > (ssize_t)rest)
			return 0;
		ret = takeStamp(reader, reader->used, &reader->last);
		if (ret < 0)
			return ret;
		/* A string without a length is found by what follows. */
		if (measured > 0)
			reader->used += (size_t)measured;
	}
	reader->isAfterGap = 1;
	reader->isResumed = 0;
	return 1;
}

int hdI_readStat(struct hdIStatReader *reader, const hdIBlock **block)
{
	int ret = 0;

	while (!reader->isOver) {
		size_t count = 0;

		if (!reader->hasStart) {
			ret = statReaderReadStart(reader);
		} else if (reader->isResumed) {
			ret = statReaderResume(reader);
		} else {
			count = reader->group->entrySize > 0
					? hdIStatTakeRun(reader)
					: hdIStatTakeVarying(reader);
			if (count > 0)
				return statReaderDeliverBlock(reader, count,
							      block);
			ret = takeOther(reader);
		}
		if (ret != 0)
			continue;
		if (reader->isEnd)
			statReaderFinish(reader);
		else
			ret = refill(reader);
		if (ret == -ENOMEM)
			break;
	}
	if (reader->isOver)
		ret = reader->error;
	if (ret == 0)
		return 0;
	errno = -ret;
	return -1;
}

int hdI_seekStat(struct hdIStatReader *reader, int64_t offset, int64_t start,
		 uint64_t number)
{
	if (offset < reader->group->dataOffset) {
		errno = EINVAL;
		return -1;
	}
	int ret = hdIFileSeek(reader->input, offset);

	if (ret < 0) {
		errno = -ret;
		return -1;
	}
	reader->offset = offset;
	reader->used = 0;
	reader->size = 0;
	reader->isEnd = 0;
	reader->isOver = 0;
	reader->error = 0;
	reader->hasStart = 1;
	reader->isAfterGap = 0;
	reader->isResumed = 0;
	reader->last = start;
	reader->block.first = number;
	reader->block.count = 0;
	return 0;
}

int hdI_getStatStart(const struct hdIStatReader *reader, int64_t *start)
{
	if (!reader->hasStart)
		return 0;
	*start = reader->start;
	return 1;
}

/* ---- Opening and closing ----------------------------------------------- */

static int allocateColumns(struct hdIStatReader *reader, size_t capacity)
{
	const hdIGroup *group = reader->group;
	size_t count = group->valueCount;

	reader->columns = calloc(count + 1, sizeof(*reader->columns));
	reader->publicColumns =
		calloc(count + 1, sizeof(*reader->publicColumns));
	if (!reader->columns || !reader->publicColumns)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		void *column =
			calloc(capacity, hdIStatSizeOf(group->values[i].type));

		if (!column)
			return -ENOMEM;
		reader->columns[i] = column;
		reader->publicColumns[i].int64 = column;
	}
	return 0;
}

static int statReaderAllocate(struct hdIStatReader *reader)
{
	const hdIGroup *group = reader->group;
	size_t entry = HDI_STAMP_SIZE;
	size_t capacity;

	for (size_t i = 0; i < group->valueCount; i++)
		entry += hdIStatSizeOf(group->values[i].type);
	capacity = BUFFER_SIZE / entry;
	if (capacity > ENTRIES_MAX)
		capacity = ENTRIES_MAX;
	if (capacity == 0)
		capacity = 1;
	reader->capacity = capacity;
	reader->room = BUFFER_SIZE;
	reader->buffer = malloc(reader->room);
	reader->starts = calloc(capacity, sizeof(*reader->starts));
	reader->ends = calloc(capacity, sizeof(*reader->ends));
	reader->offsets = calloc(capacity, sizeof(*reader->offsets));
	reader->gaps = calloc(capacity, sizeof(*reader->gaps));
	if (!reader->buffer || !reader->starts || !reader->ends ||
	    !reader->offsets || !reader->gaps ||
	    allocateColumns(reader, capacity) < 0)
		return -ENOMEM;
	reader->block.start = reader->starts;
	reader->block.end = reader->ends;
	reader->block.offset = reader->offsets;
	reader->block.isAfterGap = reader->gaps;
	reader->block.columns = reader->publicColumns;
	return 0;
}

static int statReaderOpenFile(struct hdIStatReader *reader)
{
	int ret =
		hdIFileOpen(reader->group->file, &reader->sink, &reader->input);

	reader->offset = reader->group->dataOffset;
	return ret < 0 ? ret : hdIFileSeek(reader->input, reader->offset);
}

struct hdIStatReader *hdI_openStat(const hdIProject *project,
				   const hdIGroup *group)
{
	const struct hdIProjectData *data =
		(const struct hdIProjectData *)project;

	return hdI_openStatWith(project, group,
				project ? data->sink.handler : NULL,
				project ? data->sink.data : NULL);
}

struct hdIStatReader *hdI_openStatWith(const hdIProject *project,
				       const hdIGroup *group,
				       hdIMessageHandler handler, void *data)
{
	struct hdIStatReader *reader;
	int ret;

	if (!project || !group || !group->isReadable) {
		errno = project && group ? EBADMSG : EINVAL;
		return NULL;
	}
	reader = calloc(1, sizeof(*reader));
	if (!reader)
		return NULL;
	reader->sink = (struct hdISink){ handler, data };
	reader->group = group;
	reader->groupData = (const struct hdIGroupData *)group;
	ret = statReaderAllocate(reader);
	if (ret == 0)
		ret = statReaderOpenFile(reader);
	/* Errors of the content show when entries are read. */
	while (ret == 0 && !reader->isEnd && !reader->isOver &&
	       reader->size < HDI_STAMP_SIZE)
		ret = refill(reader);
	if (ret < 0 && !reader->isOver) {
		hdI_closeStat(reader);
		errno = -ret;
		return NULL;
	}
	statReaderReadStart(reader);
	return reader;
}

void hdI_closeStat(struct hdIStatReader *reader)
{
	if (!reader)
		return;
	for (size_t i = 0; reader->columns && i < reader->group->valueCount;
	     i++)
		free(reader->columns[i]);
	free(reader->columns);
	free(reader->publicColumns);
	free(reader->starts);
	free(reader->ends);
	free(reader->offsets);
	free(reader->gaps);
	free(reader->buffer);
	hdIFileClose(reader->input);
	free(reader);
}
