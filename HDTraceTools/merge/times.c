/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace merge: the times of files, corrected by the clock that they are from.
 *
 * Times are replaced where they stand; all other bytes of a file stay as they
 * are, those behind the place where it cannot be read further included.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/edit/xmlscan.h"
#include "HDTraceTools/merge/merge.h"
#include "HDTraceTools/model/column.h"
#include "cli/output.h"
#include "common/clock.h"
#include "common/format/entry.h"
#include "common/format/seconds.h"

int64_t mergeCorrect(const struct mergeClock *clock, int64_t time)
{
	return hdClockCorrect(
		(const struct hdClockPoint *)(const void *)clock->points->data,
		clock->points->len, time);
}

/* ---- Traces ------------------------------------------------------------ */

/** What an open element of a trace is. */
enum element {
	ELEMENT_BLOCK, /**< Program or Nested: holds states and events. */
	ELEMENT_STATE, /**< A state or an event. */
	ELEMENT_OTHER, /**< Something in a state; has no time. */
};

/** A trace that is being corrected. */
struct traceCopy {
	const struct mergeClock *clock; /**< NULL: only what is added. */
	int64_t add;
	const char *text;
	int64_t oldBase;
	int64_t newBase;
	size_t written; /**< The text up to here was written. */
	FILE *out;
};

static void copyTo(struct traceCopy *copy, size_t end)
{
	if (end > copy->written)
		fwrite(copy->text + copy->written, 1, end - copy->written,
		       copy->out);
	copy->written = end;
}

/** Replace the value of an attribute, if it is a time. */
static void correctAttribute(struct traceCopy *copy, size_t start, size_t end)
{
	char *text = g_strndup(copy->text + start, end - start);
	char buffer[OUT_NUMBER_SIZE];
	int64_t time;

	if (hdSecondsParse(text, &time) == 0 &&
	    !__builtin_add_overflow(time, copy->oldBase, &time)) {
		if (copy->clock)
			time = mergeCorrect(copy->clock, time);
		time += copy->add - copy->newBase;
		copyTo(copy, start);
		fputs(outSeconds(buffer, time), copy->out);
		copy->written = end;
	}
	g_free(text);
}

static void correctTag(struct traceCopy *copy, const struct xmlPiece *tag)
{
	size_t place[2][2];
	bool hasTime = xmlFindAttribute(copy->text, tag, "time", &place[0][0],
					&place[0][1]);
	bool hasEnd = xmlFindAttribute(copy->text, tag, "end", &place[1][0],
				       &place[1][1]);
	bool isSwapped = hasTime && hasEnd && place[1][0] < place[0][0];

	for (int i = 0; i < 2; i++) {
		int which = i ^ isSwapped;

		if (which == 0 ? hasTime : hasEnd)
			correctAttribute(copy, place[which][0],
					 place[which][1]);
	}
}

static bool isNested(const char *text, const struct xmlPiece *tag)
{
	return tag->nameLength == strlen("Nested") &&
	       memcmp(text + tag->name, "Nested", tag->nameLength) == 0;
}

void mergeCorrectTrace(struct tool *tool, const struct mergeClock *clock,
		       const char *rest, size_t size, int64_t oldBase,
		       int64_t newBase, FILE *out)
{
	struct traceCopy copy = {
		.clock = clock,
		.text = rest,
		.oldBase = oldBase,
		.newBase = newBase,
		.out = out,
	};
	GByteArray *open = g_byte_array_new();
	struct xmlPiece piece;
	guint8 kind = ELEMENT_BLOCK;

	g_byte_array_append(open, &kind, 1);
	for (size_t at = 0; open->len && xmlNext(rest, size, at, &piece);
	     at = piece.end) {
		toolProgressAt(tool, (int64_t)at);
		if (piece.kind == XML_END)
			g_byte_array_set_size(open, open->len - 1);
		if (piece.kind != XML_START && piece.kind != XML_EMPTY)
			continue;
		if (open->data[open->len - 1] != ELEMENT_OTHER &&
		    isNested(rest, &piece))
			kind = ELEMENT_BLOCK;
		else if (open->data[open->len - 1] == ELEMENT_BLOCK)
			kind = ELEMENT_STATE;
		else
			kind = ELEMENT_OTHER;
		if (kind == ELEMENT_STATE)
			correctTag(&copy, &piece);
		if (piece.kind == XML_START)
			g_byte_array_append(open, &kind, 1);
	}
	copyTo(&copy, size);
	g_byte_array_unref(open);
}

/* ---- Relations --------------------------------------------------------- */

void mergeCorrectRelations(struct tool *tool, const struct mergeClock *clock,
			   int64_t add, const char *rest, size_t size,
			   int64_t oldBase, int64_t newBase, FILE *out)
{
	struct traceCopy copy = {
		.clock = clock,
		.add = add,
		.text = rest,
		.oldBase = oldBase,
		.newBase = newBase,
		.out = out,
	};
	struct xmlPiece piece;
	size_t depth = 0; /* In a state may be what the program wrote. */

	for (size_t at = 0; xmlNext(rest, size, at, &piece); at = piece.end) {
		size_t start, end;

		toolProgressAt(tool, (int64_t)at);
		if (piece.kind == XML_END && depth-- == 0)
			break;
		if (piece.kind != XML_START && piece.kind != XML_EMPTY)
			continue;
		if (depth == 0 &&
		    xmlFindAttribute(rest, &piece, "time", &start, &end))
			correctAttribute(&copy, start, end);
		depth += piece.kind == XML_START;
	}
	copyTo(&copy, size);
}

/* ---- Statistics -------------------------------------------------------- */

/** Bytes of the values of an entry, or all that are left. */
static size_t valuesSize(const hdIGroup *group, const unsigned char *at,
			 size_t left)
{
	size_t size = 0;

	if (group->entrySize)
		return MIN(group->entrySize - HD_STAMP_SIZE, left);
	for (size_t i = 0; i < group->valueCount && size < left; i++) {
		size_t bytes = columnBytes(group->values[i].type);

		if (group->values[i].type == HDI_STRING) {
			if (left - size < bytes || at[size] >= 0x80)
				return left;
			bytes += (size_t)at[size] * 256 + at[size + 1];
		}
		size += bytes;
	}
	return MIN(size, left);
}

void mergeCorrectStat(struct tool *tool, const struct mergeClock *clock,
		      const hdIGroup *group, const char *data, size_t size,
		      int64_t adjustment, FILE *out)
{
	const unsigned char *at = (const unsigned char *)data;
	const unsigned char *end;
	bool isStart = true; /* Of an interval: no values follow. */

	/* Where there is nothing there may be no pointer. */
	if (!size)
		return;
	end = at + size;
	while (end - at >= 8) {
		int64_t seconds = hdEntryGet32(at);
		int64_t ns = hdEntryGet32(at + 4);
		char stamp[HD_STAMP_SIZE];
		int64_t time;
		size_t length;

		toolProgressAt(tool, at - (const unsigned char *)data);
		if (!isStart && seconds == 0xffffffff && ns == 0xffffffff) {
			fwrite(at, 1, 8, out);
			at += 8;
			isStart = true;
			continue;
		}
		if (ns >= HD_NS_PER_S ||
		    __builtin_add_overflow(seconds * HD_NS_PER_S + ns,
					   adjustment, &time))
			break;
		time = CLAMP(mergeCorrect(clock, time) - adjustment, 0,
			     HD_TIME_MAX);
		hdEntryPutStamp(stamp, time);
		fwrite(stamp, 1, sizeof(stamp), out);
		at += sizeof(stamp);
		length =
			isStart ? 0 : valuesSize(group, at, (size_t)(end - at));
		isStart = false;
		fwrite(at, 1, length, out);
		at += length;
	}
	fwrite(at, 1, (size_t)(end - at), out);
}
