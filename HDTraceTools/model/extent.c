/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * From when to when a run lasted: the time of all its files.
 */
#include "config.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <glib.h>

#include "HDTraceTools/base/plainfile.h"
#include "HDTraceTools/model/diagnostics.h"
#include "HDTraceTools/model/extent.h"
#include "common/format/frame.h"
#include "common/format/seconds.h"

/** Of traces beyond this only the beginning, and so much of the end, is read:
 *  records come in the order in which they ended. */
#define TAIL_SIZE (64 * 1024)
/** So much is looked at for the outermost record that comes first. */
#define START_SIZE (16 * 1024 * 1024)

void extentAdd(struct extent *extent, int64_t start, int64_t end)
{
	extent->start = MIN(extent->start, start);
	extent->end = MAX(extent->end, end);
}

void extentAddGroup(struct extent *extent, const hdIProject *project,
		    const hdIGroup *group)
{
	hdIStatReader *reader =
		group->isReadable ? diagnosticsOpenStat(project, group,
							&diagnosticsDropped)
				  : NULL;
	const hdIBlock *block;
	bool isFirst = true;

	if (!reader)
		return;
	while (hdI_readStat(reader, &block) == 1) {
		extentAdd(extent, block->start[0],
			  block->end[block->count - 1]);
		if (isFirst)
			hdI_skipStat(reader, INT64_MAX);
		isFirst = false;
	}
	hdI_closeStat(reader);
}

/* ---- Traces ------------------------------------------------------------ */

/** A time as the writers have it, "12.345678901" in quotes; behind them, or
 *  NULL. */
static const char *extentParseTime(const char *text, int64_t *time)
{
	char number[32];
	size_t length;
	const char *point;

	if (*text != '\'' && *text != '"')
		return NULL;
	length = strcspn(text + 1, "'\"");
	if (length >= sizeof(number) || text[length + 1] != *text)
		return NULL;
	memcpy(number, text + 1, length);
	number[length] = '\0';
	point = strchr(number, '.');
	if (!point || strlen(point) != 10 || hdSecondsParse(number, time) < 0)
		return NULL;
	return text + length + 2;
}

/** The latest time in the end of a trace; false if there is none. */
static bool latestOf(const char *text, int64_t *latest)
{
	static const char *const names[] = { " time=", " end=" };
	bool isFound = false;
	int64_t time;

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		size_t length = strlen(names[i]);

		for (const char *at = text; (at = strstr(at, names[i]));) {
			const char *next = extentParseTime(at + length, &time);

			at = next ? next : at + length;
			if (!next || (isFound && time <= *latest))
				continue;
			*latest = time;
			isFound = true;
		}
	}
	return isFound;
}

static bool readTail(const hdITraceFile *trace, int64_t *latest)
{
	hdIFile *file = hdI_openFile(trace->file, NULL, NULL);
	int64_t size = file ? hdI_getFileSize(file) : 0;
	char *text;
	ssize_t length;
	bool isFound;

	if (!file)
		return false;
	text = g_malloc(TAIL_SIZE + 1);
	length = hdI_readFile(file, MAX(size - TAIL_SIZE, 0), text, TAIL_SIZE);
	hdI_closeFile(file);
	length = MAX(length, 0);
	for (ssize_t i = 0; i < length; i++) {
		/* Let the rest be seen. */
		if (text[i] == '\0' || isspace((unsigned char)text[i]))
			text[i] = ' ';
	}
	text[length] = '\0';
	isFound = latestOf(text, latest);
	g_free(text);
	return isFound;
}

/** The part of a file that is looked at. A plain file is mapped, so only what
 *  is looked at is read; of other files pieces are read, and the part moves on.
 */
struct extentWindow {
	GMappedFile *mapped; /**< Or NULL. */
	hdIFile *file;       /**< Where nothing is mapped; or NULL. */
	char *piece;         /**< TAIL_SIZE bytes for what is read, or NULL. */
	const char *text;    /**< Bytes of the file, */
	size_t size;         /**< so many. */
	size_t at;           /**< What comes next. */
	int64_t read;        /**< Bytes that were read. */
};

/** Read more behind what comes next: whether there is more. */
static bool extentFill(struct extentWindow *self)
{
	ssize_t got;

	if (!self->file)
		return false;
	self->size -= self->at;
	memmove(self->piece, self->piece + self->at, self->size);
	self->at = 0;
	got = hdI_readFile(self->file, self->read, self->piece + self->size,
			   (size_t)MIN(TAIL_SIZE - self->size,
				       (size_t)(START_SIZE - self->read)));
	if (got <= 0)
		return false;
	self->size += (size_t)got;
	self->read += got;
	return true;
}

/** Go to the next place of a text, which has the byte before it, too, unless it
 *  is where the search began. */
static bool extentFind(struct extentWindow *self, const char *text)
{
	size_t length = strlen(text);
	const char *found;

	while (!(found = memmem(self->text + self->at, self->size - self->at,
				text, length))) {
		if (self->size - self->at > length)
			self->at = self->size - length;
		if (!extentFill(self))
			return false;
	}
	self->at = (size_t)(found - self->text);
	return true;
}

/** Whether the record that comes next says when it starts. */
static bool extentTakeTime(struct extentWindow *self, int64_t *start)
{
	char head[256];
	const char *time;
	size_t size;

	while (self->size - self->at < sizeof(head) && extentFill(self))
		;
	size = MIN(self->size - self->at, sizeof(head) - 1);
	memcpy(head, self->text + self->at, size);
	head[size] = '\0';
	time = strstr(head, " time=");
	return time && time < head + strcspn(head, ">") &&
	       extentParseTime(time + strlen(" time="), start);
}

/** Whether "<Nested>" comes next. */
static bool extentIsNested(struct extentWindow *self)
{
	static const char tag[] = "<Nested>";
	const size_t length = sizeof(tag) - 1;

	while (self->size - self->at < length && extentFill(self))
		;
	return self->size - self->at >= length &&
	       memcmp(self->text + self->at, tag, length) == 0;
}

/**
 * When the first outermost record of a trace starts: what comes before it lies
 * in it. Only what says where it is, is looked at.
 *
 * @return False if that is not found out like this.
 */
static bool extentFindStart(struct extentWindow *self, int64_t *start)
{
	static const char tag[] = "Nested>";
	size_t depth = 0;

	/* Behind the tag of the trace. */
	if (!extentFind(self, "<Program") || !extentFind(self, ">"))
		return false;
	while (extentFind(self, "<")) {
		if (depth == 0 && !extentIsNested(self))
			return extentTakeTime(self, start);
		if (!extentFind(self, tag))
			return false;
		if (self->text[self->at - 1] == '<')
			depth++;
		else if (self->text[self->at - 1] == '/' && depth > 0)
			depth--;
		else
			return false;
		self->at += sizeof(tag) - 1;
	}
	return false;
}

/** Look at the beginning of a file that may be compressed or in an archive. */
static void extentOpen(struct extentWindow *self, const char *path)
{
	if (!hdFrameIsCompressed(path) &&
	    plainFileMap(path, &self->mapped) == 0) {
		self->text = g_mapped_file_get_contents(self->mapped);
		self->size =
			MIN(g_mapped_file_get_length(self->mapped), START_SIZE);
		return;
	}
	self->file = hdI_openFile(path, NULL, NULL);
	self->text = self->piece = g_malloc(TAIL_SIZE);
}

static void extentClose(struct extentWindow *self)
{
	if (self->mapped)
		g_mapped_file_unref(self->mapped);
	g_free(self->piece);
	hdI_closeFile(self->file);
}

static bool readStart(const hdITraceFile *trace, int64_t *start)
{
	struct extentWindow window = { 0 };
	bool isFound;

	extentOpen(&window, trace->file);
	isFound = window.text && extentFindStart(&window, start);
	extentClose(&window);
	return isFound;
}

static int64_t extentAdjustmentOf(hdITraceReader *reader)
{
	size_t count = 0;
	const hdIAttribute *attributes = hdI_getTraceAttributes(reader, &count);
	int64_t adjustment = 0;

	for (size_t i = 0; attributes && i < count; i++) {
		if (strcmp(attributes[i].name, "timeAdjustment") == 0 &&
		    hdAdjustmentParse(attributes[i].value, &adjustment) < 0)
			adjustment = 0;
	}
	return adjustment;
}

void extentAddTrace(struct extent *extent, const hdIProject *project,
		    const hdITraceFile *trace)
{
	hdITraceReader *reader =
		diagnosticsOpenTrace(project, trace, &diagnosticsDropped);
	bool isLarge = trace->fileSize > 2 * TAIL_SIZE;
	const hdIRecord *record;
	int64_t latest = 0;
	int64_t start;

	if (!reader)
		return;
	if (hdI_getTraceTimes(reader, &start, &latest)) {
		extentAdd(extent, start, latest);
		hdI_closeTrace(reader);
		return;
	}
	isLarge = isLarge && readTail(trace, &latest);
	if (isLarge) {
		latest += extentAdjustmentOf(reader);
		extentAdd(extent, latest, latest);
	}
	if (isLarge && readStart(trace, &start)) {
		start += extentAdjustmentOf(reader);
		extentAdd(extent, start, start);
		hdI_closeTrace(reader);
		return;
	}
	while (hdI_readTrace(reader, &record) == 1) {
		extentAdd(extent, record->start, record->end);
		/* At one depth they do not overlap. */
		if (isLarge && record->depth == 0)
			break;
	}
	hdI_closeTrace(reader);
}

/* ---- Relations --------------------------------------------------------- */

void extentAddRelations(struct extent *extent, const hdIProject *project,
			const hdIRelationFile *file)
{
	hdIRelationReader *reader =
		diagnosticsOpenRelations(project, file, &diagnosticsDropped);
	const hdIRelationRecord *record;

	while (reader && hdI_readRelationRecord(reader, &record) == 1)
		extentAdd(extent, record->time, record->time);
	hdI_closeRelations(reader);
}

/* ---- All of it --------------------------------------------------------- */

struct extent extentOfProject(const hdIProject *project)
{
	struct extent extent = EXTENT_NONE;

	for (size_t i = 0; i < project->groupCount; i++)
		extentAddGroup(&extent, project, project->groups[i]);
	for (size_t i = 0; i < project->traceCount; i++)
		extentAddTrace(&extent, project, project->traces[i]);
	for (size_t i = 0; i < project->relationCount; i++)
		extentAddRelations(&extent, project, project->relations[i]);
	return extent;
}

int64_t extentLength(const struct extent *extent, int64_t start, int64_t end)
{
	start = MAX(start, extent->start);
	end = MIN(end, extent->end);
	return end > start ? end - start : 0;
}

void extentSkipTrace(hdITraceReader *reader, int64_t start, int64_t end)
{
	if (start != INT64_MIN || end != INT64_MAX)
		hdI_skipTrace(reader, start, end);
}
