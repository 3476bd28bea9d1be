/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How many attributes tags have, in one run over most bytes that looks at few
 * of them; see tagscan.h. */
#include "config.h"

#include <string.h>

#include <hdReading.h>
#include "HDTraceReadingCLibrary/src/tagscan.h"

/* An attribute has five bytes at least (` a=''`), so what is shorter than this
 * needs not to be looked at. */
#define TAG_MIN (5 * HDI_ATTRIBUTES_MAX)

/* Take a byte. No '<' can stand in a value, and one in a comment or in CDATA
 * has to be followed by thousands of quotes to be taken for a tag. */
static void tagScanAddByte(struct hdITagScan *scan, char c)
{
	int64_t at = scan->offset++;

	if (c == '<') {
		scan->tag = at;
		scan->attributes = 0;
		scan->quote = 0;
		scan->isInTag = 1;
	} else if (!scan->isInTag) {
		return;
	} else if (scan->quote) {
		if (c == scan->quote)
			scan->quote = 0;
	} else if (c == '"' || c == '\'') {
		scan->quote = c;
		scan->attributes++;
	} else if (c == '>' ||
		   ((c == '!' || c == '?') && at == scan->tag + 1)) {
		scan->isInTag = 0;
	}
}

/* Take bytes, up to too many attributes. */
static void walk(struct hdITagScan *scan, const char *p, const char *end)
{
	while (p < end && scan->attributes <= HDI_ATTRIBUTES_MAX)
		tagScanAddByte(scan, *p++);
	scan->isTooMany = scan->attributes > HDI_ATTRIBUTES_MAX;
}

static const char *findTag(const char *p, const char *end)
{
	const char *tag = memchr(p, '<', (size_t)(end - p));

	return tag ? tag : end;
}

/* The last tag of all that begin soon: none before it can be long. */
static const char *skipShort(const char *tag, const char *end)
{
	for (;;) {
		size_t room = (size_t)(end - tag) - 1;
		const char *last;

		if (room > TAG_MIN)
			room = TAG_MIN;
		last = memrchr(tag + 1, '<', room);
		if (!last)
			return tag;
		tag = last;
	}
}

size_t hdITagScan(struct hdITagScan *scan, const char *data, size_t size)
{
	int64_t start = scan->offset;
	const char *end = data + size;
	const char *p = findTag(data, end);

	walk(scan, data, p);
	while (p < end && !scan->isTooMany) {
		const char *tag = skipShort(p, end);

		p = findTag(tag + 1, end);
		scan->offset = start + (tag - data);
		walk(scan, tag, p);
	}
	if (!scan->isTooMany)
		return size;
	return scan->tag > start ? (size_t)(scan->tag - start) : 0;
}
