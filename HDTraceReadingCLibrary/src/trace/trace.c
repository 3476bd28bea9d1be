/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The states and events of a .trc file. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "HDTraceReadingCLibrary/src/file.h"
#include "HDTraceReadingCLibrary/src/project/project.h"
#include "HDTraceReadingCLibrary/src/timeparse.h"
#include "HDTraceReadingCLibrary/src/trace/trace.h"

static void traceReaderReport(struct hdITraceReader *reader,
			      enum hdIRuleId rule, int64_t offset, int64_t line,
			      const char *format, const char *text)
{
	hdIReport(&reader->sink, rule, reader->file, offset, line, format,
		  text);
}

/* ---- Nested blocks ----------------------------------------------------- */

/* The block that waits gets no owner. */
static void dropPending(struct hdITraceReader *reader, struct hdIFrame *frame)
{
	if (frame->pending >= 0)
		traceReaderReport(
			reader, HDI_RULE_TRC_NESTED_NO_OWNER, frame->pending,
			frame->pendingLine,
			"%s block is not followed by the state it belongs to",
			"this <Nested>");
	frame->pending = -1;
}

static void endNested(struct hdITraceReader *reader, struct hdIFrame *frame)
{
	struct hdIFrame *parent = frame - 1;

	dropPending(reader, frame);
	reader->depth--;
	if (!frame->hasRecords || parent->kind == HDI_FRAME_RECORD)
		return;
	parent->pending = frame->offset;
	parent->pendingLine = frame->line;
}

/* A record begins in Program or Nested: it owns what waits, if it can. */
static void settlePending(struct hdITraceReader *reader,
			  struct hdIFrame *parent, const char *name)
{
	parent->hasRecords = 1;
	if (parent->pending < 0)
		return;
	if (name == reader->nameEvent)
		dropPending(reader, parent);
	parent->pending = -1;
}

/* A part of the file was lost, and with it the ends of what is open. */
static void traceReaderLose(struct hdITraceReader *reader)
{
	while (reader->frameCount > 1) {
		struct hdIFrame *frame = hdITraceTop(reader);

		if (frame->kind == HDI_FRAME_NESTED) {
			dropPending(reader, frame);
			if (frame->hasRecords)
				frame->pending = frame->offset;
			frame->pendingLine = frame->line;
			dropPending(reader, frame);
			reader->depth--;
		} else {
			reader->textSize = frame->textStart;
			reader->elementCount = frame->elementStart;
			hdIArenaRelease(&reader->arena, frame->mark);
		}
		reader->frameCount--;
	}
	if (reader->frameCount == 1)
		dropPending(reader, hdITraceTop(reader));
}

/* ---- Tags -------------------------------------------------------------- */

static enum hdIFrameKind traceReaderKindOf(const struct hdITraceReader *reader,
					   const struct hdIFrame *parent,
					   const char *name)
{
	if (parent->kind == HDI_FRAME_ELEMENT)
		return HDI_FRAME_ELEMENT;
	if (reader->dialect.hasNested && name == reader->nameNested)
		return HDI_FRAME_NESTED;
	return parent->kind == HDI_FRAME_RECORD ? HDI_FRAME_ELEMENT
						: HDI_FRAME_RECORD;
}

/* Open an element; the parent's address may change. */
static int traceReaderPushFrame(struct hdITraceReader *reader,
				enum hdIFrameKind kind,
				const struct hdITag *tag)
{
	struct hdIFrame *frames;
	struct hdIFrame *frame;

	frames = hdITraceGrow(reader->frames, reader->frameCount,
			      &reader->frameRoom, sizeof(*frames));
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
	if (kind != HDI_FRAME_NESTED &&
	    hdITraceCopyAttributes(reader, frame, tag) < 0)
		return -ENOMEM;
	reader->frameCount++;
	if (kind == HDI_FRAME_NESTED)
		reader->depth++;
	return 0;
}

static int startRoot(struct hdITraceReader *reader, const struct hdITag *tag)
{
	struct hdIFrame *frame;

	if (strcmp(tag->name, reader->dialect.root) != 0) {
		traceReaderReport(reader, reader->dialect.wrongRoot,
				  tag->offset, tag->line,
				  "the root element is <%s>", tag->name);
		return -EBADMSG;
	}
	if (traceReaderPushFrame(reader, HDI_FRAME_PROGRAM, tag) < 0)
		return -ENOMEM;
	frame = hdITraceTop(reader);
	reader->hasRoot = 1;
	reader->rootAttributes = frame->attributes;
	reader->rootAttributeCount = frame->attributeCount;
	for (size_t i = 0; i < frame->attributeCount; i++)
		if (!strcmp(frame->attributes[i].name, "timeAdjustment") &&
		    hdITimeParseAdjustment(frame->attributes[i].value,
					   &reader->adjustment) < 0)
			traceReaderReport(
				reader, reader->dialect.adjustment, tag->offset,
				tag->line,
				"the timeAdjustment \"%s\" is not a number of "
				"seconds; using 0",
				frame->attributes[i].value);
	return 0;
}

/* Returns 1 if a record is complete. */
static int endTag(struct hdITraceReader *reader, int64_t endOffset)
{
	struct hdIFrame *frame = hdITraceTop(reader);
	int ret = 0;

	switch (frame->kind) {
	case HDI_FRAME_PROGRAM:
		dropPending(reader, frame);
		reader->isRootClosed = 1;
		break;
	case HDI_FRAME_NESTED:
		endNested(reader, frame);
		break;
	case HDI_FRAME_ELEMENT:
		ret = hdITraceEndElement(reader, frame);
		break;
	case HDI_FRAME_RECORD:
		ret = hdITraceEndRecord(reader, frame, endOffset);
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
	return reader->dialect.fill(reader, record, tag->attributes,
				    tag->attributeCount, tag->line);
}

static int startTag(struct hdITraceReader *reader, struct hdITag *tag)
{
	struct hdIFrame *parent;
	enum hdIFrameKind kind;
	int ret;

	if (!reader->hasRoot) {
		ret = startRoot(reader, tag);
		if (ret == 0 && tag->kind == HDI_TAG_LEAF)
			ret = endTag(reader, tag->endOffset);
		return ret;
	}
	parent = hdITraceTop(reader);
	kind = traceReaderKindOf(reader, parent, tag->name);
	if (kind == HDI_FRAME_RECORD) {
		settlePending(reader, parent, tag->name);
		if (tag->kind == HDI_TAG_LEAF)
			return takeLeaf(reader, tag);
	} else if (kind == HDI_FRAME_NESTED) {
		dropPending(reader, parent);
	}
	ret = traceReaderPushFrame(reader, kind, tag);
	if (ret == 0 && tag->kind == HDI_TAG_LEAF)
		ret = endTag(reader, tag->endOffset);
	return ret;
}

static int traceReaderHandleTag(struct hdITraceReader *reader,
				struct hdITag *tag)
{
	switch (tag->kind) {
	case HDI_TAG_TEXT:
		return reader->frameCount ? hdITraceAddText(reader, tag->text)
					  : 0;
	case HDI_TAG_END:
		return endTag(reader, tag->endOffset);
	case HDI_TAG_LOST:
		traceReaderLose(reader);
		hdITraceWindowLose(reader);
		return 0;
	default:
		return startTag(reader, tag);
	}
}

/* ---- The end ----------------------------------------------------------- */

static void traceReaderFinish(struct hdITraceReader *reader)
{
	int64_t cut = hdITraceXmlTail(reader->xml);
	int64_t size = hdITraceXmlSize(reader->xml);
	const char *name = "an element";

	if (reader->isRootClosed)
		return;
	for (size_t i = 0; i < reader->frameCount; i++) {
		const struct hdIFrame *frame = &reader->frames[i];

		/* What is nested in a record that is cut was delivered. */
		if (frame->kind == HDI_FRAME_RECORD) {
			cut = frame->offset;
			name = frame->name;
		}
	}
	if (cut >= 0) {
		hdIReport(&reader->sink, reader->dialect.cut, reader->file, cut,
			  0,
			  "the file ends within %s: %" PRId64
			  " bytes are left over",
			  name, size - cut);
		return;
	}
	if (reader->frameCount > 1)
		hdIReport(&reader->sink, reader->dialect.noEnd, reader->file,
			  size, 0,
			  "the file ends without </%s>, with %zu open "
			  "<Nested>",
			  reader->dialect.root, reader->frameCount - 1);
	else
		hdIReport(&reader->sink, reader->dialect.noEnd, reader->file,
			  size, 0, "the file ends %s%s>",
			  reader->hasRoot ? "without </" : "before <",
			  reader->dialect.root);
}

static int traceReaderFail(struct hdITraceReader *reader, int error)
{
	const struct hdIXmlError *xml = hdITraceXmlError(reader->xml);

	if (error != -ENOMEM && xml->code == error)
		traceReaderReport(reader, reader->dialect.xml, xml->offset,
				  xml->line, "%s", xml->text);
	reader->isOver = 1;
	reader->error = error;
	return error;
}

/* Read up to a record (returns 1), the end (0), an error, or the root. */
static int traceReaderAdvance(struct hdITraceReader *reader, int untilRoot)
{
	int ret = 0;

	if (reader->isOver)
		return reader->error;
	if (reader->hasMark)
		hdIArenaRelease(&reader->arena, reader->mark);
	reader->hasMark = 0;
	while (ret == 0 && !(untilRoot && reader->hasRoot)) {
		struct hdITag *tag;

		if (reader->window)
			ret = hdITraceWindowStep(reader);
		if (ret == 0)
			ret = hdITraceXmlNext(reader->xml, &tag);
		if (ret < 0)
			return traceReaderFail(reader, ret);
		if (ret == HDI_TRACE_XML_LIMIT) {
			ret = 0;
			continue;
		}
		if (ret == 0) {
			traceReaderFinish(reader);
			reader->isOver = 1;
			return 0;
		}
		if (reader->observer.see)
			reader->observer.see(reader->observer.data, tag);
		ret = traceReaderHandleTag(reader, tag);
		if (ret < 0)
			return traceReaderFail(reader, ret);
	}
	if (ret == 1 && reader->window)
		hdITraceWindowAdd(reader);
	reader->hasRecords |= ret == 1;
	return ret;
}

int hdITraceNext(struct hdITraceReader *reader)
{
	return traceReaderAdvance(reader, 0);
}

int hdI_readTrace(struct hdITraceReader *reader, const hdIRecord **record)
{
	int ret = traceReaderAdvance(reader, 0);

	if (ret == 1)
		*record = &reader->record;
	if (ret >= 0)
		return ret;
	errno = -ret;
	return -1;
}

int hdITraceReadRoot(struct hdITraceReader *reader)
{
	if (!reader->hasRoot)
		traceReaderAdvance(reader, 1);
	return reader->hasRoot;
}

const hdIAttribute *hdI_getTraceAttributes(struct hdITraceReader *reader,
					   size_t *count)
{
	int hasRoot = hdITraceReadRoot(reader);

	*count = reader->rootAttributeCount;
	return hasRoot ? reader->rootAttributes : NULL;
}

/* ---- Opening and closing ----------------------------------------------- */

static int traceReaderOpenFile(struct hdITraceReader *reader)
{
	int ret = hdIFileOpen(reader->file, &reader->sink, &reader->input);

	if (ret < 0)
		return ret;
	reader->xml = hdITraceXmlCreate(reader->input);
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
	const struct hdIProjectData *data =
		(const struct hdIProjectData *)project;

	return hdI_openTraceWith(project, trace,
				 project ? data->sink.handler : NULL,
				 project ? data->sink.data : NULL);
}

struct hdITraceReader *hdITraceOpen(const struct hdITraceDialect *dialect,
				    const char *file, hdIMessageHandler handler,
				    void *data)
{
	struct hdITraceReader *reader = calloc(1, sizeof(*reader));
	int ret;

	if (!reader)
		return NULL;
	reader->dialect = *dialect;
	reader->sink = (struct hdISink){ handler, data };
	reader->file = file;
	ret = traceReaderOpenFile(reader);
	if (ret < 0) {
		hdI_closeTrace(reader);
		errno = -ret;
		return NULL;
	}
	return reader;
}

const struct hdITraceDialect hdITraceDialectTrace = {
	.root = "Program",
	.hasNested = 1,
	.xml = HDI_RULE_TRC_XML,
	.wrongRoot = HDI_RULE_TRC_ROOT,
	.adjustment = HDI_RULE_TRC_ADJUSTMENT,
	.cut = HDI_RULE_TRC_CUT,
	.noEnd = HDI_RULE_TRC_NO_END,
	.fill = hdITraceFill,
};

struct hdITraceReader *hdI_openTraceWith(const hdIProject *project,
					 const hdITraceFile *trace,
					 hdIMessageHandler handler, void *data)
{
	if (!project || !trace) {
		errno = EINVAL;
		return NULL;
	}
	return hdITraceOpen(&hdITraceDialectTrace, trace->file, handler, data);
}

void hdI_closeTrace(struct hdITraceReader *reader)
{
	if (!reader)
		return;
	hdITraceXmlDestroy(reader->xml);
	hdITraceWindowFree(reader->window);
	hdIArenaFree(&reader->arena);
	free(reader->frames);
	free(reader->texts);
	free(reader->elements);
	hdIFileClose(reader->input);
	free(reader);
}
