/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file mergeclock.c
 * hdtrace merge: the clocks of hosts, and the times of files corrected by
 * them.
 *
 * Times are replaced where they stand; all other bytes of a file stay as they
 * are, those behind the place where it cannot be read further included.
 */
#include "config.h"

#include <string.h>

#include "clock.h"
#include "merge.h"
#include "output.h"
#include "select.h"
#include "xmlscan.h"

/* ---- Clocks ------------------------------------------------------------ */

static const struct mergeNode *hostOf(const struct merge *merge,
				      const struct mergeNode *node)
{
	unsigned int level = 1;

	for (unsigned int i = 0; merge->levels[i]; i++) {
		if (g_ascii_strcasecmp(merge->levels[i], "Host") == 0)
			level = i + 1;
	}
	while (node && node->level > level)
		node = node->parent;
	return node && node->level == level ? node : NULL;
}

static struct mergeClock *findClock(const struct merge *merge, const char *path)
{
	for (guint i = 0; i < merge->clocks->len; i++) {
		struct mergeClock *clock = merge->clocks->pdata[i];

		if (strcmp(clock->node->path, path) == 0)
			return clock;
	}
	return NULL;
}

void mergeAddClock(struct merge *merge, const struct mergeFile *file,
		   const struct infoLine *line)
{
	const struct mergeNode *host = hostOf(merge, file->node);
	struct mergeClock *clock;

	if (!host) {
		toolReport(merge->tool, "info.clock", file->path, line->offset,
			   line->line,
			   "a clock of no host: the file belongs to no node "
			   "at level \"Host\"; the line is ignored");
		return;
	}
	clock = findClock(merge, host->path);
	if (!clock) {
		clock = g_new0(struct mergeClock, 1);
		clock->node = host;
		clock->method = g_strdup(line->method);
		clock->points =
			g_array_new(FALSE, FALSE, sizeof(struct hdClockPoint));
		g_ptr_array_add(merge->clocks, clock);
	}
	g_array_append_val(clock->points, line->clock);
}

static gint compareClocks(gconstpointer a, gconstpointer b)
{
	const struct mergeClock *const *x = a;
	const struct mergeClock *const *y = b;
	int order = mergeCompareLabels((*x)->node->path, (*y)->node->path);

	return order ? order : strcmp((*x)->node->path, (*y)->node->path);
}

static struct hdClockPoint *pointsOf(const struct mergeClock *clock)
{
	return (struct hdClockPoint *)(void *)clock->points->data;
}

void mergeFitClocks(struct merge *merge)
{
	g_ptr_array_sort(merge->clocks, compareClocks);
	for (guint i = 0; i < merge->clocks->len; i++) {
		struct mergeClock *clock = merge->clocks->pdata[i];
		size_t count = hdClockFit(pointsOf(clock), clock->points->len);

		g_array_set_size(clock->points, (guint)count);
	}
}

int64_t mergeCorrect(const struct mergeClock *clock, int64_t time)
{
	return hdClockCorrect(pointsOf(clock), clock->points->len, time);
}

/** Whether a clock is the reference itself, or just as good. */
static bool isReference(const struct mergeClock *clock)
{
	for (guint i = 0; i < clock->points->len; i++) {
		if (pointsOf(clock)[i].offset != 0)
			return false;
	}
	return true;
}

/** The clock that the times of a file were taken from; NULL if unknown. */
static const struct mergeClock *clockOf(const struct merge *merge,
					const struct mergeFile *file)
{
	const struct mergeNode *host = hostOf(merge, file->node);

	if (file->clockNode)
		return findClock(merge, file->clockNode);
	return host ? findClock(merge, host->path) : NULL;
}

const struct mergeClock *mergeClockOf(const struct merge *merge,
				      const struct mergeFile *file)
{
	const struct mergeClock *clock = NULL;

	if (!file->isCorrected && file->kind != MERGE_INFO &&
	    !merge->hasRawTimes)
		clock = clockOf(merge, file);
	return clock && !isReference(clock) ? clock : NULL;
}

/** Whether all files of a clock have the times of the reference. */
static bool isApplied(const struct merge *merge, const struct mergeClock *clock)
{
	if (!merge->hasRawTimes || isReference(clock))
		return true;
	for (guint i = 0; i < merge->files->len; i++) {
		const struct mergeFile *file = merge->files->pdata[i];

		if (file->kind != MERGE_INFO && !file->isCorrected &&
		    clockOf(merge, file) == clock)
			return false;
	}
	return true;
}

void mergeWriteClocks(GString *out, const struct merge *merge)
{
	char buffer[OUT_NUMBER_SIZE];
	GString *list = g_string_new(NULL);

	for (guint i = 0; i < merge->clocks->len; i++) {
		const struct mergeClock *clock = merge->clocks->pdata[i];
		const struct hdClockPoint *points = pointsOf(clock);
		guint count = clock->points->len;

		if (!isApplied(merge, clock))
			continue;
		g_string_append(list, "  <Clock node=\"");
		xmlAppend(list, clock->node->path);
		g_string_append(list, "\" method=\"");
		xmlAppend(list, clock->method);
		g_string_append_printf(
			list, "\" error=\"%s\">\n",
			outSeconds(buffer, hdClockError(points, count)));
		for (guint k = 0; k < count; k++) {
			g_string_append_printf(
				list, "   <Point time=\"%s\"",
				outSeconds(buffer, points[k].time));
			g_string_append_printf(
				list, " offset=\"%s\"",
				outSeconds(buffer, points[k].offset));
			g_string_append_printf(
				list, " error=\"%s\" />\n",
				outSeconds(buffer, points[k].error));
		}
		g_string_append(list, "  </Clock>\n");
	}
	if (list->len)
		g_string_append_printf(out, " <ClockList>\n%s </ClockList>\n\n",
				       list->str);
	g_string_free(list, TRUE);
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
	const struct mergeClock *clock;
	const char *text;
	int64_t oldBase;
	int64_t newBase;
	size_t written; /**< The text up to here was written. */
	FILE *out;
};

static void copyTo(struct traceCopy *copy, size_t end)
{
	fwrite(copy->text + copy->written, 1, end - copy->written, copy->out);
	copy->written = end;
}

/** Replace the value of an attribute, if it is a time. */
static void correctAttribute(struct traceCopy *copy, size_t start, size_t end)
{
	char *text = g_strndup(copy->text + start, end - start);
	char buffer[OUT_NUMBER_SIZE];
	int64_t time;

	if (selectParseSeconds(text, &time) == 0 &&
	    !__builtin_add_overflow(time, copy->oldBase, &time)) {
		time = mergeCorrect(copy->clock, time) - copy->newBase;
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

void mergeCorrectTrace(const struct mergeClock *clock, const char *rest,
		       size_t size, int64_t oldBase, int64_t newBase, FILE *out)
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

/* ---- Statistics -------------------------------------------------------- */

static uint32_t get32(const unsigned char *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 |
	       (uint32_t)bytes[2] << 8 | bytes[3];
}

static void put32(uint32_t number, FILE *out)
{
	const unsigned char bytes[] = { (unsigned char)(number >> 24),
					(unsigned char)(number >> 16),
					(unsigned char)(number >> 8),
					(unsigned char)number };

	fwrite(bytes, 1, sizeof(bytes), out);
}

/** Bytes of the values of an entry, or all that are left. */
static size_t valuesSize(const hdIGroup *group, const unsigned char *at,
			 size_t left)
{
	size_t size = 0;

	if (group->entrySize)
		return MIN(group->entrySize - 8, left);
	for (size_t i = 0; i < group->valueCount && size < left; i++) {
		switch (group->values[i].type) {
		case HDI_INT32:
		case HDI_FLOAT:
			size += 4;
			break;
		case HDI_STRING:
			if (left - size < 2 || at[size] >= 0x80)
				return left;
			size += 2 + (size_t)at[size] * 256 + at[size + 1];
			break;
		default:
			size += 8;
		}
	}
	return MIN(size, left);
}

void mergeCorrectStat(const struct mergeClock *clock, const hdIGroup *group,
		      const char *data, size_t size, int64_t adjustment,
		      FILE *out)
{
	const unsigned char *at = (const unsigned char *)data;
	const unsigned char *end = at + size;
	bool isStart = true; /* Of an interval: no values follow. */

	while (end - at >= 8) {
		int64_t seconds = get32(at);
		int64_t ns = get32(at + 4);
		int64_t time;
		size_t length;

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
		put32((uint32_t)(time / HD_NS_PER_S), out);
		put32((uint32_t)(time % HD_NS_PER_S), out);
		at += 8;
		length =
			isStart ? 0 : valuesSize(group, at, (size_t)(end - at));
		isStart = false;
		fwrite(at, 1, length, out);
		at += length;
	}
	fwrite(at, 1, (size_t)(end - at), out);
}
