/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Making the index of a trace (doc/format).
 *
 * Readers rely on an index without reading what it describes. So a trace has
 * one only if reading it reports nothing, and its records are in the order in
 * which programs log them: no record starts before one ended that is neither
 * inside of it nor around it. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "HDTraceReadingCLibrary/src/trace/trace.h"
#include "common/format/traceindex.h"

/* What is known of the records at a depth. */
struct describeLevel {
	int64_t end;   /* Latest end of those at this depth. */
	int64_t first; /* Earliest start of those since one less deep. */
};

struct describe {
	struct hdITraceReader *reader;
	const hdITraceFrame *frames;
	struct hdTracePart *parts;
	size_t count;
	size_t begun;    /* Frames whose beginning has been passed. */
	size_t current;  /* The frame that the last record ended in. */
	int64_t tagEnd;  /* Of the last tag. */
	int64_t lastEnd; /* Of the last record. */
	int isRegular;
	struct hdITraceNeeds *needs;
	struct describeLevel levels[HDI_NESTING_MAX + 1];
	unsigned int used; /* Levels that were used. */
};

/* Something is reported: readers must see that. */
static void describeTakeMessage(const hdIMessage *message, void *data)
{
	struct describe *self = data;

	(void)message;
	self->isRegular = 0;
}

/* ---- Beginnings of frames ---------------------------------------------- */

/* Whether a reader can start at a place: the last tag ends there, or only a
 * line feed is in between. */
static int describeIsStart(const struct describe *self, size_t frame)
{
	const struct hdITraceReader *reader = self->reader;
	int64_t at = self->frames[frame - 1].end;

	return reader->hasRoot && !reader->isRootClosed &&
	       self->frames[frame - 1].isLine &&
	       (self->tagEnd == at || self->tagEnd == at - 1) &&
	       reader->depth + 1 == reader->frameCount &&
	       reader->depth <= HD_TRACE_DEPTH_MAX;
}

/* Whether a block without records ends. */
static int describeIsEmpty(struct hdITraceReader *reader,
			   const struct hdITag *tag)
{
	const struct hdIFrame *top;

	if (tag->kind == HDI_TAG_LEAF)
		return tag->name == reader->nameNested;
	if (tag->kind != HDI_TAG_END)
		return 0;
	top = hdITraceTop(reader);
	return top->kind == HDI_FRAME_NESTED && !top->hasRecords;
}

/* A tag begins: frames that begin before it have been passed. */
static void describeSee(void *data, const struct hdITag *tag)
{
	struct describe *self = data;

	if (tag->kind == HDI_TAG_TEXT)
		return;
	/* Readers that start inside of a block take it for one with records. */
	if (describeIsEmpty(self->reader, tag))
		self->isRegular = 0;
	while (self->begun < self->count &&
	       self->frames[self->begun - 1].end <= tag->offset) {
		struct hdTracePart *part = &self->parts[self->begun];

		if (describeIsStart(self, self->begun)) {
			part->flags |= HD_TRACE_PART_START;
			part->depth = (uint16_t)self->reader->depth;
		}
		self->begun++;
	}
	self->tagEnd = tag->endOffset;
}

/* ---- Records ----------------------------------------------------------- */

/* Whether a record is in the order of logging: it starts after those before it
 * ended, but for those inside of it. */
static int describeIsOrdered(struct describe *self, const hdIRecord *record)
{
	struct describeLevel *levels = self->levels;
	int64_t first = record->start;

	while (self->used <= record->depth)
		levels[self->used++] =
			(struct describeLevel){ INT64_MIN, INT64_MAX };
	if (record->end < self->lastEnd || record->end < record->start)
		return 0;
	for (unsigned int i = 0; i <= record->depth; i++)
		if (levels[i].end > record->start)
			return 0;
	for (; self->used > record->depth + 1; self->used--)
		if (levels[self->used - 1].first < first)
			return 0;
	if (first < levels[record->depth].first)
		levels[record->depth].first = first;
	levels[record->depth].end = record->end;
	self->lastEnd = record->end;
	return 1;
}

static void describeAdd(struct describe *self, const hdIRecord *record)
{
	int64_t adjustment = self->reader->adjustment;
	struct hdTracePart *part;

	while (self->current + 1 < self->count &&
	       self->frames[self->current].end < record->endOffset)
		self->current++;
	part = &self->parts[self->current];
	if (!describeIsOrdered(self, record) ||
	    hdITraceNeedsIsFull(self->needs))
		self->isRegular = 0;
	if (hdITraceNeedsAdd(self->needs, record))
		part->flags |= HD_TRACE_PART_NEEDED;
	if (record->start - adjustment < part->first)
		part->first = record->start - adjustment;
	if (record->end - adjustment > part->last)
		part->last = record->end - adjustment;
	part->records++;
}

/* ---- The whole --------------------------------------------------------- */

static int describeOpen(struct describe *self, const char *file)
{
	struct hdITraceReader *reader = hdITraceOpen(
		&hdITraceDialectTrace, file, describeTakeMessage, self);

	if (!reader)
		return -errno;
	self->reader = reader;
	reader->observer = (struct hdITraceObserver){ describeSee, self };
	self->needs = hdITraceNeedsCreate(reader->xml);
	return self->needs ? 0 : -ENOMEM;
}

/* Read the trace: 1; 0: it can have no index; or a negative errno value. */
static int describeRead(struct describe *self)
{
	int ret = 1;

	while (self->isRegular && (ret = hdITraceNext(self->reader)) == 1)
		describeAdd(self, &self->reader->record);
	if (ret == -ENOMEM)
		return ret;
	/* A file that is still being written may have become longer. Offsets of
	 * other encodings are not those of the file. */
	return self->isRegular && ret == 0 &&
	       hdITraceXmlIsUtf8(self->reader->xml) &&
	       hdITraceXmlSize(self->reader->xml) ==
		       self->frames[self->count - 1].end;
}

/* Describe the frames; as describeRead(). */
static int describeRun(struct describe *self, const char *file)
{
	int ret;

	for (size_t i = 0; i < self->count; i++)
		self->parts[i] = (struct hdTracePart){
			.first = INT64_MAX,
			.last = INT64_MIN,
			.plain = self->frames[i].plain,
			.lines = self->frames[i].lines,
		};
	ret = describeOpen(self, file);
	if (ret == 0)
		ret = describeRead(self);
	/* It cannot be opened, which its reader is told. */
	return ret < 0 && ret != -ENOMEM ? 0 : ret;
}

int hdI_indexTrace(const char *file, const hdITraceFrame *frames, size_t count,
		   void **index, size_t *size)
{
	struct describe *self = calloc(1, sizeof(*self));
	void *bytes = malloc(hdTraceIndexSize(count));
	int ret = -ENOMEM;

	if (self) {
		self->frames = frames;
		self->count = count;
		self->begun = 1;
		self->isRegular = 1;
		self->lastEnd = INT64_MIN;
		self->parts = malloc((count + 1) * sizeof(*self->parts));
	}
	if (self && self->parts && bytes)
		ret = count > 0 ? describeRun(self, file) : 0;
	if (ret == 1) {
		*size = hdTraceIndexSize(count);
		hdTraceIndexWrite(bytes, self->parts, count);
		*index = bytes;
	} else {
		free(bytes);
	}
	if (self) {
		hdI_closeTrace(self->reader);
		hdITraceNeedsFree(self->needs);
		free(self->parts);
	}
	free(self);
	errno = ret < 0 ? -ret : errno;
	return ret < 0 ? -1 : ret;
}
