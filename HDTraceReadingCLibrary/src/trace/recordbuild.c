/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What records are made of: texts, elements, attributes, times. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "HDTraceReadingCLibrary/src/timeparse.h"
#include "HDTraceReadingCLibrary/src/trace/trace.h"

void *hdITraceGrow(void *array, size_t count, size_t *room, size_t size)
{
	size_t wanted = *room;
	void *result;

	if (count < *room)
		return array;
	wanted = wanted ? 2 * wanted : 64;
	if (wanted > SIZE_MAX / 2 / size)
		return NULL;
	result = realloc(array, wanted * size);
	if (result)
		*room = wanted;
	return result;
}

/* ---- Texts ------------------------------------------------------------- */

static int recordBuildIsBlank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

int hdITraceAddText(struct hdITraceReader *reader, const char *text)
{
	struct hdIFrame *frame = hdITraceTop(reader);
	size_t length;

	if (frame->kind != HDI_FRAME_RECORD && frame->kind != HDI_FRAME_ELEMENT)
		return 0;
	if (reader->textSize == frame->textStart)
		while (recordBuildIsBlank(*text))
			text++;
	length = strlen(text);
	if (length == 0)
		return 0;
	while (reader->textRoom - reader->textSize < length) {
		char *texts = hdITraceGrow(reader->texts, reader->textRoom,
					   &reader->textRoom, 1);

		if (!texts)
			return -ENOMEM;
		reader->texts = texts;
	}
	memcpy(reader->texts + reader->textSize, text, length);
	reader->textSize += length;
	return 0;
}

/* Take the text of an element that ends; NULL: no memory. */
static const char *recordBuildMoveText(struct hdITraceReader *reader,
				       const struct hdIFrame *frame)
{
	size_t length = reader->textSize - frame->textStart;
	const char *text;

	if (length == 0)
		return "";
	text = reader->texts + frame->textStart;
	reader->textSize = frame->textStart;
	while (length > 0 && recordBuildIsBlank(text[length - 1]))
		length--;
	return hdIArenaCopy(&reader->arena, text, length);
}

/* ---- Elements of records ----------------------------------------------- */

int hdITraceCopyAttributes(struct hdITraceReader *reader,
			   struct hdIFrame *frame, const struct hdITag *tag)
{
	size_t count = tag->attributeCount;
	const hdIAttribute *from = tag->attributes;
	hdIAttribute *to;

	to = hdIArenaAllocArray(&reader->arena, count, sizeof(*to));
	if (!to)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		to[i].name = from[i].name;
		to[i].value = hdIArenaCopy(&reader->arena, from[i].value,
					   strlen(from[i].value));
		if (!to[i].value)
			return -ENOMEM;
	}
	frame->attributes = to;
	frame->attributeCount = count;
	return 0;
}

/* Take the child elements of an element that ends. */
static int recordBuildMoveElements(struct hdITraceReader *reader,
				   const struct hdIFrame *frame,
				   const hdIElement **elements, size_t *count)
{
	hdIElement *copy;

	*count = reader->elementCount - frame->elementStart;
	reader->elementCount = frame->elementStart;
	*elements = NULL;
	if (*count == 0)
		return 0;
	copy = hdIArenaAllocArray(&reader->arena, *count, sizeof(*copy));
	if (!copy)
		return -ENOMEM;
	memcpy(copy, reader->elements + frame->elementStart,
	       *count * sizeof(*copy));
	*elements = copy;
	return 0;
}

int hdITraceEndElement(struct hdITraceReader *reader,
		       const struct hdIFrame *frame)
{
	hdIElement *elements;
	hdIElement element = {
		.name = frame->name,
		.attributes = frame->attributes,
		.attributeCount = frame->attributeCount,
	};

	element.text = recordBuildMoveText(reader, frame);
	if (!element.text ||
	    recordBuildMoveElements(reader, frame, &element.children,
				    &element.childCount) < 0)
		return -ENOMEM;
	elements = hdITraceGrow(reader->elements, reader->elementCount,
				&reader->elementRoom, sizeof(*elements));
	if (!elements)
		return -ENOMEM;
	reader->elements = elements;
	elements[reader->elementCount++] = element;
	return 0;
}

/* ---- Records ----------------------------------------------------------- */

static void recordBuildReport(struct hdITraceReader *reader,
			      enum hdIRuleId rule, int64_t offset, int64_t line,
			      const char *format, const char *text)
{
	hdIReport(&reader->sink, rule, reader->file, offset, line, format,
		  text);
}

/* Set a time of a record; returns 0 if it is missing or wrong. */
static int recordBuildSetTime(struct hdITraceReader *reader,
			      const hdIRecord *record, int64_t line,
			      const char *name, const char *text, int64_t *time)
{
	if (text && hdITimeParse(text, time) == 0) {
		*time += reader->adjustment;
		return 1;
	}
	hdIReport(&reader->sink, HDI_RULE_TRC_TIME, reader->file,
		  record->offset, line,
		  text ? "<%s> has %s=\"%s\", which is not a time; omitted"
		       : "<%s> has no %s%s; omitted",
		  record->name, name, text ? text : "");
	return 0;
}

int hdITraceFill(struct hdITraceReader *reader, hdIRecord *record,
		 hdIAttribute *attributes, size_t count, int64_t line)
{
	int isEvent = record->name == reader->nameEvent;
	const char *start = NULL;
	const char *end = NULL;
	const char *name = NULL;
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		const char *key = attributes[i].name;

		if (key == reader->nameTime)
			start = attributes[i].value;
		else if (key == reader->nameEnd)
			end = attributes[i].value;
		else if (isEvent && key == reader->nameName)
			name = attributes[i].value;
		else
			attributes[kept++] = attributes[i];
	}
	record->attributes = attributes;
	record->attributeCount = kept;
	record->depth = reader->depth;
	record->kind = isEvent ? HDI_EVENT : HDI_STATE;
	if (!recordBuildSetTime(reader, record, line, "time", start,
				&record->start))
		return 0;
	record->end = record->start;
	if (!isEvent &&
	    !recordBuildSetTime(reader, record, line, "end", end, &record->end))
		return 0;
	if (record->end < record->start)
		recordBuildReport(reader, HDI_RULE_TRC_TIME_ORDER,
				  record->offset, line,
				  "<%s> ends before it starts", record->name);
	if (isEvent && !name)
		recordBuildReport(reader, HDI_RULE_TRC_NAME, record->offset,
				  line, "<%s> has no name", record->name);
	if (isEvent)
		record->name = name ? name : "";
	return 1;
}

int hdITraceEndRecord(struct hdITraceReader *reader,
		      const struct hdIFrame *frame, int64_t endOffset)
{
	hdIRecord *record = &reader->record;

	memset(record, 0, sizeof(*record));
	record->name = frame->name;
	record->offset = frame->offset;
	record->endOffset = endOffset;
	record->text = recordBuildMoveText(reader, frame);
	if (!record->text ||
	    recordBuildMoveElements(reader, frame, &record->elements,
				    &record->elementCount) < 0)
		return -ENOMEM;
	return reader->dialect.fill(reader, record, frame->attributes,
				    frame->attributeCount, frame->line);
}
