/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Elements that end, but did not begin; see endscan.h. What is not well-formed
 * is found by the parser later. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <hdReading.h>
#include "HDTraceReadingCLibrary/src/trace/endscan.h"

enum {
	SCAN_TEXT,
	SCAN_OPEN,  /* Behind the '<'. */
	SCAN_START, /* In a start tag. */
	SCAN_END,   /* In the name of an end tag. */
	SCAN_SPACE, /* In an end tag, behind its name. */
	SCAN_OTHER, /* In a comment, or an instruction. */
};

/* An element ends that did not begin. */
static int endScanAdd(struct hdIEndScan *scan)
{
	char **names;

	if (scan->count == HDI_NESTING_MAX)
		return 0;
	if (scan->count == scan->room) {
		size_t room = scan->room ? 2 * scan->room : 4;

		names = realloc(scan->names, room * sizeof(*names));
		if (!names)
			return -ENOMEM;
		scan->names = names;
		scan->room = room;
	}
	scan->names[scan->count] = strndup(scan->name, scan->length);
	if (!scan->names[scan->count])
		return -ENOMEM;
	scan->count++;
	return 0;
}

/* A tag ends. */
static int endScanTag(struct hdIEndScan *scan)
{
	int isStart = scan->state == SCAN_START;
	int isEnd = scan->state == SCAN_END || scan->state == SCAN_SPACE;

	scan->state = SCAN_TEXT;
	if (isStart)
		scan->depth += scan->last != '/';
	if (!isEnd)
		return 0;
	if (scan->depth == 0)
		return endScanAdd(scan);
	scan->depth--;
	return 0;
}

/* Take a byte of a tag. */
static int endScanByte(struct hdIEndScan *scan, char c)
{
	int ret = 0;

	if (scan->quote) {
		if (c == scan->quote)
			scan->quote = 0;
	} else if (c == '>') {
		ret = endScanTag(scan);
	} else if (scan->state == SCAN_OPEN) {
		scan->state = c == '/'               ? SCAN_END
			      : c == '!' || c == '?' ? SCAN_OTHER
						     : SCAN_START;
		scan->length = 0;
	} else if (scan->state == SCAN_START && (c == '"' || c == '\'')) {
		scan->quote = c;
	} else if (scan->state == SCAN_END) {
		if (c == ' ' || c == '\t' || c == '\n' || c == '\r')
			scan->state = SCAN_SPACE;
		else if (scan->length < sizeof(scan->name))
			scan->name[scan->length++] = c;
	}
	scan->last = c;
	return ret;
}

static int endScanTake(struct hdIEndScan *scan, const char *at, const char *end)
{
	int ret = 0;

	while (ret == 0 && at < end) {
		if (scan->state == SCAN_TEXT) {
			at = memchr(at, '<', (size_t)(end - at));
			if (!at)
				break;
			scan->state = SCAN_OPEN;
			at++;
			continue;
		}
		ret = endScanByte(scan, *at++);
	}
	return ret;
}

int hdIEndScanRun(struct hdIEndScan *scan, struct hdIFile *file, char *buffer,
		  size_t size, const char *root)
{
	ssize_t n = 0;
	int ret = 0;

	hdIFileSilence(file, 1);
	while (ret == 0 && (n = hdIFileRead(file, buffer, size)) > 0)
		ret = endScanTake(scan, buffer, buffer + n);
	hdIFileSilence(file, 0);
	if (ret == 0 && scan->count > 0 &&
	    strcmp(scan->names[scan->count - 1], root) == 0)
		free(scan->names[--scan->count]);
	return n == -ENOMEM ? -ENOMEM : ret;
}

void hdIEndScanFree(struct hdIEndScan *scan)
{
	for (size_t i = 0; i < scan->count; i++)
		free(scan->names[i]);
	free(scan->names);
}
