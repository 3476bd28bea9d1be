/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The states and events of a .trc file. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "project.h"
#include "timeparse.h"
#include "tracexml.h"

/* What an open element is. */
enum frameKind {
	FRAME_PROGRAM,
	FRAME_NESTED,
	FRAME_RECORD,
	FRAME_ELEMENT, /* In a record. */
};

/* An element whose end has not come. */
struct frame {
	enum frameKind kind;
	const char *name;
	int64_t offset;
	int64_t line;
	hdIAttribute *attributes;
	size_t attributeCount;
	struct hdIArenaMark mark; /* Memory to give back at its end. */
	size_t textStart;         /* Its part of the texts. */
	size_t elementStart;      /* Its part of the elements. */
	/* Of Program and Nested: */
	int hasRecords;
	int64_t pending; /* Nested block that waits for its owner, or -1. */
	int64_t pendingLine;
};

struct hdITraceReader {
	const struct hdISink *sink;
	const char *file;
	int fd;
	struct hdITraceXml *xml;
	/* Names as the parser has them, so that addresses can be compared. */
	const char *nameTime;
	const char *nameEnd;
	const char *nameName;
	const char *nameNested;
	const char *nameEvent;
	int isOver;
	int error;
	int hasRoot;
	int isRootClosed;
	int64_t adjustment;
	const hdIAttribute *rootAttributes;
	size_t rootAttributeCount;
	/* Open elements, and beside them what they are made of. All of it
	 * grows and shrinks at the end. */
	struct frame *frames;
	size_t frameCount;
	size_t frameRoom;
	struct hdIArena arena;
	char *texts;
	size_t textSize;
	size_t textRoom;
	hdIElement *elements;
	size_t elementCount;
	size_t elementRoom;
	unsigned int depth;
	/* Memory of the last record, to give back at the next call. */
	int hasMark;
	struct hdIArenaMark mark;
	hdIRecord record;
};

static struct frame *topOf(struct hdITraceReader *reader)
{
	return &reader->frames[reader->frameCount - 1];
}

/* Make room for one more item; returns the array, or NULL: no memory. */
static void *grow(void *array, size_t count, size_t *room, size_t size)
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

static int isBlank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static int addText(struct hdITraceReader *reader, const char *text)
{
	struct frame *frame = topOf(reader);
	size_t length;

	if (frame->kind != FRAME_RECORD && frame->kind != FRAME_ELEMENT)
		return 0;
	if (reader->textSize == frame->textStart)
		while (isBlank(*text))
			text++;
	length = strlen(text);
	if (length == 0)
		return 0;
	while (reader->textRoom - reader->textSize < length) {
		char *texts = grow(reader->texts, reader->textRoom,
				   &reader->textRoom, 1);

		if (!texts)
			return -ENOMEM;
		reader->texts = texts;
	}
	if (length > 0)
		memcpy(reader->texts + reader->textSize, text, length);
	reader->textSize += length;
	return 0;
}

/* Take the text of an element that ends; NULL: no memory. */
static const char *takeText(struct hdITraceReader *reader,
			    const struct frame *frame)
{
	size_t length = reader->textSize - frame->textStart;
	const char *text;

	if (length == 0)
		return "";
	text = reader->texts + frame->textStart;
	reader->textSize = frame->textStart;
	while (length > 0 && isBlank(text[length - 1]))
		length--;
	return hdIArenaCopy(&reader->arena, text, length);
}

/* ---- Elements of records ----------------------------------------------- */

/* Copy attributes from the tape. */
static int copyAttributes(struct hdITraceReader *reader, struct frame *frame,
			  const struct hdITag *tag)
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
static int takeElements(struct hdITraceReader *reader,
			const struct frame *frame, const hdIElement **elements,
			size_t *count)
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

static int endElement(struct hdITraceReader *reader, const struct frame *frame)
{
	hdIElement *elements;
	hdIElement element = {
		.name = frame->name,
		.attributes = frame->attributes,
		.attributeCount = frame->attributeCount,
	};

	element.text = takeText(reader, frame);
	if (!element.text || takeElements(reader, frame, &element.children,
					  &element.childCount) < 0)
		return -ENOMEM;
	elements = grow(reader->elements, reader->elementCount,
			&reader->elementRoom, sizeof(*elements));
	if (!elements)
		return -ENOMEM;
	reader->elements = elements;
	elements[reader->elementCount++] = element;
	return 0;
}

/* ---- Records ----------------------------------------------------------- */

static void report(struct hdITraceReader *reader, enum hdIRuleId rule,
		   int64_t offset, int64_t line, const char *format,
		   const char *text)
{
	hdIReport(reader->sink, rule, reader->file, offset, line, format, text);
}

/* Set a time of a record; returns 0 if it is missing or wrong. */
static int setTime(struct hdITraceReader *reader, const hdIRecord *record,
		   int64_t line, const char *name, const char *text,
		   int64_t *time)
{
	if (text && hdITimeParse(text, time) == 0) {
		*time += reader->adjustment;
		return 1;
	}
	hdIReport(reader->sink, HDI_RULE_TRC_TIME, reader->file, record->offset,
		  line,
		  text ? "<%s> has %s=\"%s\", which is no time; it is left out"
		       : "<%s> has no %s%s; it is left out",
		  record->name, name, text ? text : "");
	return 0;
}

/* Turn attributes into times and the name, and keep the others. Returns 1 if
 * it is a record, 0 if it has to be left out. */
static int fillRecord(struct hdITraceReader *reader, hdIRecord *record,
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
	if (!setTime(reader, record, line, "time", start, &record->start))
		return 0;
	record->end = record->start;
	if (!isEvent &&
	    !setTime(reader, record, line, "end", end, &record->end))
		return 0;
	if (record->end < record->start)
		report(reader, HDI_RULE_TRC_TIME_ORDER, record->offset, line,
		       "<%s> ends before it starts", record->name);
	if (isEvent && !name)
		report(reader, HDI_RULE_TRC_NAME, record->offset, line,
		       "<%s> has no name", record->name);
	if (isEvent)
		record->name = name ? name : "";
	return 1;
}

static int endRecord(struct hdITraceReader *reader, const struct frame *frame,
		     int64_t endOffset)
{
	hdIRecord *record = &reader->record;

	memset(record, 0, sizeof(*record));
	record->name = frame->name;
	record->offset = frame->offset;
	record->endOffset = endOffset;
	record->text = takeText(reader, frame);
	if (!record->text || takeElements(reader, frame, &record->elements,
					  &record->elementCount) < 0)
		return -ENOMEM;
	return fillRecord(reader, record, frame->attributes,
			  frame->attributeCount, frame->line);
}

/* ---- Nested blocks ----------------------------------------------------- */

/* The block that waits gets no owner. */
static void dropPending(struct hdITraceReader *reader, struct frame *frame)
{
	if (frame->pending >= 0)
		report(reader, HDI_RULE_TRC_NESTED_NO_OWNER, frame->pending,
		       frame->pendingLine,
		       "%s block is not followed by the state it belongs to",
		       "this <Nested>");
	frame->pending = -1;
}

static void endNested(struct hdITraceReader *reader, struct frame *frame)
{
	struct frame *parent = frame - 1;

	dropPending(reader, frame);
	reader->depth--;
	if (!frame->hasRecords || parent->kind == FRAME_RECORD)
		return;
	parent->pending = frame->offset;
	parent->pendingLine = frame->line;
}

/* A record begins in Program or Nested: it owns what waits, if it can. */
static void settlePending(struct hdITraceReader *reader, struct frame *parent,
			  const char *name)
{
	parent->hasRecords = 1;
	if (parent->pending < 0)
		return;
	if (name == reader->nameEvent)
		dropPending(reader, parent);
	parent->pending = -1;
}

/* ---- Tags -------------------------------------------------------------- */

static enum frameKind kindOf(const struct hdITraceReader *reader,
			     const struct frame *parent, const char *name)
{
	if (parent->kind == FRAME_ELEMENT)
		return FRAME_ELEMENT;
	if (name == reader->nameNested)
		return FRAME_NESTED;
	return parent->kind == FRAME_RECORD ? FRAME_ELEMENT : FRAME_RECORD;
}

/* Open an element; the parent's address may change. */
static int push(struct hdITraceReader *reader, enum frameKind kind,
		const struct hdITag *tag)
{
	struct frame *frames;
	struct frame *frame;

	frames = grow(reader->frames, reader->frameCount, &reader->frameRoom,
		      sizeof(*frames));
	if (!frames)
		return -ENOMEM;
	reader->frames = frames;
	frame = &frames[reader->frameCount];
	memset(frame, 0, sizeof(*frame));
	frame->kind = kind;
	frame->name = tag->name;
	frame->offset = tag->offset;
	frame->line = tag->line;
	frame->mark = hdIArenaGetMark(&reader->arena);
	frame->textStart = reader->textSize;
	frame->elementStart = reader->elementCount;
	frame->pending = -1;
	if (kind != FRAME_NESTED && copyAttributes(reader, frame, tag) < 0)
		return -ENOMEM;
	reader->frameCount++;
	if (kind == FRAME_NESTED)
		reader->depth++;
	return 0;
}

static int startRoot(struct hdITraceReader *reader, const struct hdITag *tag)
{
	struct frame *frame;

	if (strcmp(tag->name, "Program") != 0) {
		report(reader, HDI_RULE_TRC_ROOT, tag->offset, tag->line,
		       "the root element is <%s>", tag->name);
		return -EBADMSG;
	}
	if (push(reader, FRAME_PROGRAM, tag) < 0)
		return -ENOMEM;
	frame = topOf(reader);
	reader->hasRoot = 1;
	reader->rootAttributes = frame->attributes;
	reader->rootAttributeCount = frame->attributeCount;
	for (size_t i = 0; i < frame->attributeCount; i++)
		if (!strcmp(frame->attributes[i].name, "timeAdjustment") &&
		    hdITimeParseAdjustment(frame->attributes[i].value,
					   &reader->adjustment) < 0)
			report(reader, HDI_RULE_TRC_ADJUSTMENT, tag->offset,
			       tag->line,
			       "the timeAdjustment \"%s\" is not a number of "
			       "seconds; it is taken as 0",
			       frame->attributes[i].value);
	return 0;
}

/* Returns 1 if a record is complete. */
static int endTag(struct hdITraceReader *reader, int64_t endOffset)
{
	struct frame *frame = topOf(reader);
	int ret = 0;

	switch (frame->kind) {
	case FRAME_PROGRAM:
		dropPending(reader, frame);
		reader->isRootClosed = 1;
		break;
	case FRAME_NESTED:
		endNested(reader, frame);
		break;
	case FRAME_ELEMENT:
		ret = endElement(reader, frame);
		break;
	case FRAME_RECORD:
		ret = endRecord(reader, frame, endOffset);
		reader->hasMark = ret == 1;
		reader->mark = frame->mark;
		if (ret == 0)
			hdIArenaRelease(&reader->arena, frame->mark);
		break;
	}
	if (ret >= 0)
		reader->frameCount--;
	return ret;
}

/* A record without anything in it, which most are: no frame is needed, and
 * the attributes can stay on the tape. */
static int takeLeaf(struct hdITraceReader *reader, struct hdITag *tag)
{
	hdIRecord *record = &reader->record;

	memset(record, 0, sizeof(*record));
	record->name = tag->name;
	record->text = "";
	record->offset = tag->offset;
	record->endOffset = tag->endOffset;
	return fillRecord(reader, record, tag->attributes, tag->attributeCount,
			  tag->line);
}

static int startTag(struct hdITraceReader *reader, struct hdITag *tag)
{
	struct frame *parent;
	enum frameKind kind;
	int ret;

	if (!reader->hasRoot) {
		ret = startRoot(reader, tag);
		if (ret == 0 && tag->kind == HDI_TAG_LEAF)
			ret = endTag(reader, tag->endOffset);
		return ret;
	}
	parent = topOf(reader);
	kind = kindOf(reader, parent, tag->name);
	if (kind == FRAME_RECORD) {
		settlePending(reader, parent, tag->name);
		if (tag->kind == HDI_TAG_LEAF)
			return takeLeaf(reader, tag);
	} else if (kind == FRAME_NESTED) {
		dropPending(reader, parent);
	}
	ret = push(reader, kind, tag);
	if (ret == 0 && tag->kind == HDI_TAG_LEAF)
		ret = endTag(reader, tag->endOffset);
	return ret;
}

static int takeTag(struct hdITraceReader *reader, struct hdITag *tag)
{
	switch (tag->kind) {
	case HDI_TAG_TEXT:
		return reader->frameCount ? addText(reader, tag->text) : 0;
	case HDI_TAG_END:
		return endTag(reader, tag->endOffset);
	default:
		return startTag(reader, tag);
	}
}

/* ---- The end ----------------------------------------------------------- */

static void finish(struct hdITraceReader *reader)
{
	int64_t cut = hdITraceXmlTail(reader->xml);
	int64_t size = hdITraceXmlSize(reader->xml);
	const char *name = "an element";

	if (reader->isRootClosed)
		return;
	for (size_t i = 0; i < reader->frameCount; i++) {
		const struct frame *frame = &reader->frames[i];

		/* What is nested in a record that is cut was delivered. */
		if (frame->kind == FRAME_RECORD) {
			cut = frame->offset;
			name = frame->name;
		}
	}
	if (cut >= 0) {
		hdIReport(reader->sink, HDI_RULE_TRC_CUT, reader->file, cut, 0,
			  "the file ends within %s: %" PRId64
			  " bytes are left over",
			  name, size - cut);
		return;
	}
	if (reader->frameCount > 1)
		hdIReport(reader->sink, HDI_RULE_TRC_NO_END, reader->file, size,
			  0,
			  "the file ends without </Program>, with %zu open "
			  "<Nested>",
			  reader->frameCount - 1);
	else
		report(reader, HDI_RULE_TRC_NO_END, size, 0, "the file ends %s",
		       reader->hasRoot ? "without </Program>"
				       : "before <Program>");
}

static int fail(struct hdITraceReader *reader, int error)
{
	const struct hdIXmlError *xml = hdITraceXmlError(reader->xml);

	if (error == -ENOMEM)
		;
	else if (xml->code == error)
		report(reader, HDI_RULE_TRC_XML, xml->offset, xml->line, "%s",
		       xml->text);
	else if (error != -EBADMSG)
		report(reader, HDI_RULE_FILE_READ, hdITraceXmlSize(reader->xml),
		       0, "%s", strerror(-error));
	reader->isOver = 1;
	reader->error = error;
	return error;
}

/* Read up to a record (returns 1), the end (0), an error, or the root. */
static int advance(struct hdITraceReader *reader, int untilRoot)
{
	int ret = 0;

	if (reader->isOver)
		return reader->error;
	if (reader->hasMark)
		hdIArenaRelease(&reader->arena, reader->mark);
	reader->hasMark = 0;
	while (ret == 0 && !(untilRoot && reader->hasRoot)) {
		struct hdITag *tag;

		ret = hdITraceXmlNext(reader->xml, &tag);
		if (ret < 0)
			return fail(reader, ret);
		if (ret == 0) {
			finish(reader);
			reader->isOver = 1;
			return 0;
		}
		ret = takeTag(reader, tag);
		if (ret < 0)
			return fail(reader, ret);
	}
	return ret;
}

int hdI_readTrace(struct hdITraceReader *reader, const hdIRecord **record)
{
	int ret = advance(reader, 0);

	if (ret == 1)
		*record = &reader->record;
	if (ret >= 0)
		return ret;
	errno = -ret;
	return -1;
}

const hdIAttribute *hdI_getTraceAttributes(struct hdITraceReader *reader,
					   size_t *count)
{
	if (!reader->hasRoot)
		advance(reader, 1);
	*count = reader->rootAttributeCount;
	return reader->hasRoot ? reader->rootAttributes : NULL;
}

/* ---- Opening and closing ----------------------------------------------- */

static int openFile(struct hdITraceReader *reader)
{
	int64_t size;
	int fd = hdIFileOpen(reader->file, &size);

	if (fd < 0) {
		if (fd != -ENOMEM)
			report(reader, HDI_RULE_FILE_OPEN, -1, 0, "%s",
			       hdIFileError(fd));
		return fd;
	}
	reader->fd = fd;
	reader->xml = hdITraceXmlCreate(fd);
	if (!reader->xml)
		return -ENOMEM;
	reader->nameTime = hdITraceXmlName(reader->xml, "time");
	reader->nameEnd = hdITraceXmlName(reader->xml, "end");
	reader->nameName = hdITraceXmlName(reader->xml, "name");
	reader->nameNested = hdITraceXmlName(reader->xml, "Nested");
	reader->nameEvent = hdITraceXmlName(reader->xml, "Event");
	if (!reader->nameTime || !reader->nameEnd || !reader->nameName ||
	    !reader->nameNested || !reader->nameEvent)
		return -ENOMEM;
	return 0;
}

struct hdITraceReader *hdI_openTrace(const hdIProject *project,
				     const hdITraceFile *trace)
{
	struct hdITraceReader *reader;
	int ret;

	if (!project || !trace) {
		errno = EINVAL;
		return NULL;
	}
	reader = calloc(1, sizeof(*reader));
	if (!reader)
		return NULL;
	reader->sink = &((const struct hdIProjectData *)project)->sink;
	reader->file = trace->file;
	reader->fd = -1;
	ret = openFile(reader);
	if (ret < 0) {
		hdI_closeTrace(reader);
		errno = -ret;
		return NULL;
	}
	return reader;
}

void hdI_closeTrace(struct hdITraceReader *reader)
{
	if (!reader)
		return;
	hdITraceXmlDestroy(reader->xml);
	hdIArenaFree(&reader->arena);
	free(reader->frames);
	free(reader->texts);
	free(reader->elements);
	if (reader->fd >= 0)
		close(reader->fd);
	free(reader);
}
