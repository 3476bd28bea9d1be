/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The index of a compressed trace; see traceindex.h. */
#include "config.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

#include "common/format/traceindex.h"

#define INDEX_VERSION 1
#define INDEX_HEAD 8
#define INDEX_ENTRY 32

static uint64_t traceIndexGet(const unsigned char *bytes, size_t size)
{
	uint64_t n = 0;

	memcpy(&n, bytes, size);
	return le64toh(n);
}

static char *traceIndexPut(char *to, uint64_t n, size_t size)
{
	n = htole64(n);
	memcpy(to, &n, size);
	return to + size;
}

size_t hdTraceIndexSize(size_t count)
{
	return INDEX_HEAD + count * INDEX_ENTRY;
}

void hdTraceIndexWrite(char *to, const struct hdTracePart *parts, size_t count)
{
	to = traceIndexPut(to, INDEX_VERSION, 4);
	to = traceIndexPut(to, count, 4);
	for (size_t i = 0; i < count; i++) {
		to = traceIndexPut(to, (uint64_t)parts[i].first, 8);
		to = traceIndexPut(to, (uint64_t)parts[i].last, 8);
		to = traceIndexPut(to, parts[i].plain, 4);
		to = traceIndexPut(to, parts[i].lines, 4);
		to = traceIndexPut(to, parts[i].records, 4);
		to = traceIndexPut(to, parts[i].depth, 2);
		to = traceIndexPut(to, parts[i].flags, 2);
	}
}

static struct hdTracePart traceIndexGetPart(const unsigned char *bytes)
{
	return (struct hdTracePart){
		.first = (int64_t)traceIndexGet(bytes, 8),
		.last = (int64_t)traceIndexGet(bytes + 8, 8),
		.plain = (uint32_t)traceIndexGet(bytes + 16, 4),
		.lines = (uint32_t)traceIndexGet(bytes + 20, 4),
		.records = (uint32_t)traceIndexGet(bytes + 24, 4),
		.depth = (uint16_t)traceIndexGet(bytes + 28, 2),
		.flags = (uint16_t)traceIndexGet(bytes + 30, 2),
	};
}

/* What is wrong with a part, behind which records do not end before a time; or
 * NULL. */
static const char *traceIndexCheck(const struct hdTracePart *part, int64_t last)
{
	if (part->flags & ~(HD_TRACE_PART_START | HD_TRACE_PART_NEEDED))
		return "a reserved flag is set";
	if (part->depth > HD_TRACE_DEPTH_MAX)
		return "states are nested too deep";
	if (part->lines > part->plain || part->records > part->plain)
		return "a frame has more records or lines than bytes";
	if (part->records == 0)
		return part->first == INT64_MAX && part->last == INT64_MIN
			       ? NULL
			       : "a frame without records has times";
	if (part->first < -HD_TRACE_TIME_MAX ||
	    part->last > HD_TRACE_TIME_MAX || part->first > part->last)
		return "the times of a frame are not valid";
	return part->last < last ? "times decrease" : NULL;
}

int hdTraceIndexRead(const unsigned char *bytes, size_t size,
		     struct hdTracePart *parts, size_t count, const char **why)
{
	int64_t last = INT64_MIN;

	*why = "it is too short";
	if (size < INDEX_HEAD)
		return -EBADMSG;
	if (traceIndexGet(bytes, 4) > INDEX_VERSION)
		return -ENOTSUP;
	*why = "its version is not valid";
	if (traceIndexGet(bytes, 4) != INDEX_VERSION)
		return -EBADMSG;
	*why = "it describes another number of frames";
	if (traceIndexGet(bytes + 4, 4) != count ||
	    size != hdTraceIndexSize(count))
		return -EBADMSG;
	bytes += INDEX_HEAD;
	for (size_t i = 0; i < count; i++, bytes += INDEX_ENTRY) {
		parts[i] = traceIndexGetPart(bytes);
		*why = traceIndexCheck(&parts[i], last);
		if (*why)
			return -EBADMSG;
		if (parts[i].records > 0)
			last = parts[i].last;
	}
	return 0;
}
