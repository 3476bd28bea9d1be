/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The entries of a .stat file. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bytes.h"
#include "file.h"
#include "project.h"

/* So much that calls do not count, and so little that it stays in the cache
 * while columns are taken out of it. */
#define BUFFER_SIZE (256 << 10)
#define ENTRIES_MAX 8192

#define STAMP_SIZE 8
#define GAP_SIZE 16
#define GAP_MARK UINT64_MAX

struct hdIStatReader {
	const struct hdISink *sink;
	const hdIGroup *group;
	const struct hdIGroupData *groupData;
	int fd;
	int isEnd;  /* The file has no more bytes. */
	int isOver; /* The end or an error was reported. */
	int error;  /* That error. */
	int hasStart;
	int isAfterGap;
	int64_t start; /* The initial time stamp. */
	int64_t last;  /* The last time stamp. */
	/* The window of the file that is in memory: what is used up, and what
	 * comes next. */
	char *buffer;
	size_t room;
	size_t used;
	size_t size;
	int64_t offset;  /* Of the buffer in the file. */
	size_t capacity; /* Entries of a block. */
	hdIBlock block;
	int64_t *starts;
	int64_t *ends;
	int64_t *offsets;
	uint8_t *gaps;
	void **columns;
	hdIColumn *publicColumns;
};

static size_t sizeOf(hdIType type)
{
	switch (type) {
	case HDI_INT32:
	case HDI_FLOAT:
		return 4;
	case HDI_STRING:
		return sizeof(hdIBytes);
	default:
		return 8;
	}
}

static int64_t offsetAt(const struct hdIStatReader *reader, size_t position)
{
	return reader->offset + (int64_t)position;
}

/* ---- Input ------------------------------------------------------------- */

/* An error was reported, and ends the reading. */
static int fail(struct hdIStatReader *reader, int error)
{
	reader->error = error;
	reader->isOver = 1;
	return error;
}

/* Read more bytes behind those that are there; at least one, or it is the
 * end. */
static int readMore(struct hdIStatReader *reader)
{
	ssize_t n = hdIFileRead(reader->fd, reader->buffer + reader->size,
				reader->room - reader->size);

	if (n < 0) {
		hdIReport(reader->sink, HDI_RULE_FILE_READ, reader->group->file,
			  offsetAt(reader, reader->size), 0, "%s",
			  strerror((int)-n));
		return fail(reader, (int)n);
	}
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
		hdIReport(reader->sink, HDI_RULE_STAT_TIME_INVALID,
			  reader->group->file, offsetAt(reader, position), 0,
			  "a time stamp has %" PRIu32 " nanoseconds",
			  hdIBytes32(p + 4));
		return fail(reader, -EBADMSG);
	}
	time += reader->group->timeAdjustment;
	if (reader->hasStart && time < reader->last) {
		hdIReport(reader->sink, HDI_RULE_STAT_TIME_DECREASES,
			  reader->group->file, offsetAt(reader, position), 0,
			  "a time stamp is %" PRId64 " ns before the one "
			  "before it",
			  reader->last - time);
		return fail(reader, -EBADMSG);
	}
	*stamp = time;
	return 0;
}

/* ---- Entries of one size ----------------------------------------------- */

/* Take the time stamps of as many entries as there are without a gap or an
 * error between them; returns their number. */
static size_t takeTimes(struct hdIStatReader *reader, size_t first,
			size_t limit)
{
	const char *p = reader->buffer + reader->used;
	const size_t step = reader->group->entrySize;
	const int64_t adjustment = reader->group->timeAdjustment;
	int64_t last = reader->last;
	size_t i = 0;

	for (; i < limit; i++, p += step) {
		int64_t time;

		if (hdIBytesStamp(p, &time) < 0)
			break;
		time += adjustment;
		if (time < last)
			break;
		reader->starts[first + i] = last;
		reader->ends[first + i] = time;
		last = time;
	}
	reader->last = last;
	return i;
}

static void take32(uint32_t *to, const char *from, size_t step, size_t count)
{
	for (size_t i = 0; i < count; i++, from += step)
		to[i] = hdIBytes32(from);
}

static void take64(uint64_t *to, const char *from, size_t step, size_t count)
{
	for (size_t i = 0; i < count; i++, from += step)
		to[i] = hdIBytes64(from);
}

/* Take as many entries as there are up to the next gap or error. */
static size_t takeRun(struct hdIStatReader *reader)
{
	const size_t step = reader->group->entrySize;
	const char *from = reader->buffer + reader->used + STAMP_SIZE;
	size_t limit = (reader->size - reader->used) / step;
	size_t count;

	if (limit > reader->capacity)
		limit = reader->capacity;
	count = takeTimes(reader, 0, limit);
	for (size_t i = 0; i < reader->group->valueCount; i++) {
		size_t size = sizeOf(reader->group->values[i].type);

		if (size == 4)
			take32(reader->columns[i], from, step, count);
		else
			take64(reader->columns[i], from, step, count);
		from += size;
	}
	for (size_t i = 0; i < count; i++)
		reader->offsets[i] = offsetAt(reader, reader->used + i * step);
	reader->used += count * step;
	return count;
}

/* ---- Entries with strings ---------------------------------------------- */

/* The bytes of the entry that comes next; 0 if it is not there as a whole;
 * -EBADMSG if a string has a negative length, at *position. */
static ssize_t measureEntry(const struct hdIStatReader *reader,
			    size_t *position)
{
	*position = reader->used + STAMP_SIZE;
	for (size_t i = 0; i < reader->group->valueCount; i++) {
		hdIType type = reader->group->values[i].type;
		size_t size = type == HDI_STRING ? 2 : sizeOf(type);

		if (*position + size > reader->size)
			return 0;
		if (type == HDI_STRING) {
			uint16_t length =
				hdIBytes16(reader->buffer + *position);

			if (length > INT16_MAX)
				return -EBADMSG;
			size += length;
		}
		*position += size;
	}
	if (*position > reader->size)
		return 0;
	return (ssize_t)(*position - reader->used);
}

static void takeValues(struct hdIStatReader *reader, size_t index)
{
	const char *from = reader->buffer + reader->used + STAMP_SIZE;

	for (size_t i = 0; i < reader->group->valueCount; i++) {
		hdIType type = reader->group->values[i].type;
		void *to = (char *)reader->columns[i] + index * sizeOf(type);

		if (type == HDI_STRING) {
			hdIBytes *string = to;

			string->length = hdIBytes16(from);
			string->bytes = from + 2;
			from += 2 + string->length;
		} else if (sizeOf(type) == 4) {
			take32(to, from, 0, 1);
			from += 4;
		} else {
			take64(to, from, 0, 1);
			from += 8;
		}
	}
}

/* Take one entry after another, up to the next gap or error. */
static size_t takeVarying(struct hdIStatReader *reader)
{
	size_t count = 0;

	for (; count < reader->capacity; count++) {
		size_t position;
		ssize_t size;

		if (reader->size - reader->used < STAMP_SIZE)
			break;
		size = measureEntry(reader, &position);
		if (size <= 0 || takeTimes(reader, count, 1) == 0)
			break;
		takeValues(reader, count);
		reader->offsets[count] = offsetAt(reader, reader->used);
		reader->used += (size_t)size;
	}
	return count;
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

	if (rest < STAMP_SIZE)
		return 0;
	if (hdIBytes64(reader->buffer + reader->used) == GAP_MARK) {
		if (rest < GAP_SIZE)
			return 0;
		ret = takeStamp(reader, reader->used + STAMP_SIZE, &stamp);
		if (ret < 0)
			return ret;
		reader->last = stamp;
		reader->isAfterGap = 1;
		reader->used += GAP_SIZE;
		return 1;
	}
	if (isCut(reader))
		return 0;
	ret = takeStamp(reader, reader->used, &stamp);
	if (ret == 0 && reader->group->entrySize == 0 &&
	    measureEntry(reader, &position) < 0) {
		hdIReport(reader->sink, HDI_RULE_STAT_STRING,
			  reader->group->file, offsetAt(reader, position), 0,
			  "the length of a string is %d",
			  (int16_t)hdIBytes16(reader->buffer + position));
		ret = fail(reader, -EBADMSG);
	}
	return ret;
}

/* ---- Blocks ------------------------------------------------------------ */

/* The file ends here. */
static void finish(struct hdIStatReader *reader)
{
	size_t rest = reader->size - reader->used;

	reader->isOver = 1;
	if (!reader->hasStart && reader->groupData->hasStart)
		hdIReport(reader->sink, HDI_RULE_STAT_NO_START,
			  reader->group->file, reader->group->dataOffset, 0,
			  "the file ends before its initial time stamp: %zu "
			  "bytes are left over",
			  rest);
	else if (rest > 0)
		hdIReport(reader->sink, HDI_RULE_STAT_CUT_TAIL,
			  reader->group->file, offsetAt(reader, reader->used),
			  0, "the last record is cut: %zu bytes are left over",
			  rest);
}

static int deliver(struct hdIStatReader *reader, size_t count,
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
static int takeStart(struct hdIStatReader *reader)
{
	int isOld = !reader->groupData->hasStart;
	int ret;

	if (reader->size - reader->used < STAMP_SIZE ||
	    (isOld && isCut(reader)))
		return 0;
	ret = takeStamp(reader, reader->used, &reader->start);
	if (ret < 0)
		return ret;
	reader->last = reader->start;
	reader->hasStart = 1;
	reader->used += isOld ? 0 : STAMP_SIZE;
	return 1;
}

int hdI_readStat(struct hdIStatReader *reader, const hdIBlock **block)
{
	int ret = 0;

	while (!reader->isOver) {
		size_t count = 0;

		if (!reader->hasStart) {
			ret = takeStart(reader);
		} else {
			count = reader->group->entrySize > 0
					? takeRun(reader)
					: takeVarying(reader);
			if (count > 0)
				return deliver(reader, count, block);
			ret = takeOther(reader);
		}
		if (ret != 0)
			continue;
		if (reader->isEnd)
			finish(reader);
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
		void *column = calloc(capacity, sizeOf(group->values[i].type));

		if (!column)
			return -ENOMEM;
		reader->columns[i] = column;
		reader->publicColumns[i].int64 = column;
	}
	return 0;
}

static int allocate(struct hdIStatReader *reader)
{
	const hdIGroup *group = reader->group;
	size_t entry = STAMP_SIZE;
	size_t capacity;

	for (size_t i = 0; i < group->valueCount; i++)
		entry += sizeOf(group->values[i].type);
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

static int openFile(struct hdIStatReader *reader)
{
	const char *file = reader->group->file;
	int64_t size;
	int fd = hdIFileOpen(file, &size);

	if (fd < 0) {
		if (fd != -ENOMEM)
			hdIReport(reader->sink, HDI_RULE_FILE_OPEN, file, -1, 0,
				  "%s", hdIFileError(fd));
		return fd;
	}
	reader->fd = fd;
	reader->offset = reader->group->dataOffset;
	if (lseek(fd, (off_t)reader->offset, SEEK_SET) < 0)
		return -errno;
	return 0;
}

struct hdIStatReader *hdI_openStat(const hdIProject *project,
				   const hdIGroup *group)
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
	reader->sink = &((const struct hdIProjectData *)project)->sink;
	reader->group = group;
	reader->groupData = (const struct hdIGroupData *)group;
	reader->fd = -1;
	ret = allocate(reader);
	if (ret == 0)
		ret = openFile(reader);
	/* Errors of the content show when entries are read. */
	while (ret == 0 && !reader->isEnd && !reader->isOver &&
	       reader->size < STAMP_SIZE)
		ret = refill(reader);
	if (ret < 0 && !reader->isOver) {
		hdI_closeStat(reader);
		errno = -ret;
		return NULL;
	}
	takeStart(reader);
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
	if (reader->fd >= 0)
		close(reader->fd);
	free(reader);
}
