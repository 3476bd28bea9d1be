/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The entries of a .stat file: from bytes to columns. */
#include "config.h"

#include <errno.h>

#include "HDTraceReadingCLibrary/src/bytes.h"
#include "HDTraceReadingCLibrary/src/stat/stat.h"

size_t hdIStatSizeOf(hdIType type)
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

/* ---- Entries of one size ----------------------------------------------- */

/* Take the time stamps of as many entries as there are without a gap or an
 * error between them; returns their number. */
static size_t statEntriesCopyTimes(struct hdIStatReader *reader, size_t first,
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

static void statEntriesCopy32(uint32_t *to, const char *from, size_t step,
			      size_t count)
{
	for (size_t i = 0; i < count; i++, from += step)
		to[i] = hdIBytes32(from);
}

static void statEntriesCopy64(uint64_t *to, const char *from, size_t step,
			      size_t count)
{
	for (size_t i = 0; i < count; i++, from += step)
		to[i] = hdIBytes64(from);
}

size_t hdIStatTakeRun(struct hdIStatReader *reader)
{
	const size_t step = reader->group->entrySize;
	const char *from = reader->buffer + reader->used + HDI_STAMP_SIZE;
	size_t limit = (reader->size - reader->used) / step;
	size_t count;

	if (limit > reader->capacity)
		limit = reader->capacity;
	count = statEntriesCopyTimes(reader, 0, limit);
	for (size_t i = 0; i < reader->group->valueCount; i++) {
		size_t size = hdIStatSizeOf(reader->group->values[i].type);

		if (size == 4)
			statEntriesCopy32(reader->columns[i], from, step,
					  count);
		else
			statEntriesCopy64(reader->columns[i], from, step,
					  count);
		from += size;
	}
	for (size_t i = 0; i < count; i++)
		reader->offsets[i] =
			hdIStatOffset(reader, reader->used + i * step);
	reader->used += count * step;
	return count;
}

/* ---- Entries with strings ---------------------------------------------- */

ssize_t hdIStatMeasure(const struct hdIStatReader *reader, size_t *position)
{
	*position = reader->used + HDI_STAMP_SIZE;
	for (size_t i = 0; i < reader->group->valueCount; i++) {
		hdIType type = reader->group->values[i].type;
		size_t size = type == HDI_STRING ? 2 : hdIStatSizeOf(type);

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

static void statEntriesCopyValues(struct hdIStatReader *reader, size_t index)
{
	const char *from = reader->buffer + reader->used + HDI_STAMP_SIZE;

	for (size_t i = 0; i < reader->group->valueCount; i++) {
		hdIType type = reader->group->values[i].type;
		void *to = (char *)reader->columns[i] +
			   index * hdIStatSizeOf(type);

		if (type == HDI_STRING) {
			hdIBytes *string = to;

			string->length = hdIBytes16(from);
			string->bytes = from + 2;
			from += 2 + string->length;
		} else if (hdIStatSizeOf(type) == 4) {
			statEntriesCopy32(to, from, 0, 1);
			from += 4;
		} else {
			statEntriesCopy64(to, from, 0, 1);
			from += 8;
		}
	}
}

size_t hdIStatTakeVarying(struct hdIStatReader *reader)
{
	size_t count = 0;

	for (; count < reader->capacity; count++) {
		size_t position;
		ssize_t size;

		if (reader->size - reader->used < HDI_STAMP_SIZE)
			break;
		size = hdIStatMeasure(reader, &position);
		if (size <= 0 || statEntriesCopyTimes(reader, count, 1) == 0)
			break;
		statEntriesCopyValues(reader, count);
		reader->offsets[count] = hdIStatOffset(reader, reader->used);
		reader->used += (size_t)size;
	}
	return count;
}
