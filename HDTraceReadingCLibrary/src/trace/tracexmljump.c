/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading a .trc file on at another place; see tracexml.h. */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "HDTraceReadingCLibrary/src/trace/endscan.h"
#include "HDTraceReadingCLibrary/src/trace/tracexml.h"
#include "HDTraceReadingCLibrary/src/trace/tracexmlstate.h"

/* Give the parser a tag that is not in the file. */
static void traceXmlInsert(struct hdITraceXml *xml, const char *begin,
			   const char *name)
{
	size_t length = strlen(begin) + strlen(name) + 1;

	xmlParseChunk(xml->parser, begin, (int)strlen(begin), 0);
	xmlParseChunk(xml->parser, name, (int)strlen(name), 0);
	xmlParseChunk(xml->parser, ">", 1, 0);
	xml->error.passed -= (int64_t)length;
}

/* Whether the parser can go on elsewhere: it is between tags, in the root. */
static int traceXmlCanResume(struct hdITraceXml *xml)
{
	return !xml->error.code && !xml->parser->disableSAX &&
	       xml->parser->instate == XML_PARSER_CONTENT &&
	       xml->parser->nameNr > 0 && hdITraceXmlTail(xml) < 0;
}

/* Close what is open for the parser but for the root, and forget what is on the
 * tape. */
static void traceXmlCloseAll(struct hdITraceXml *xml)
{
	xml->filled = 0;
	xml->taken = 0;
	xml->lastStart = HDI_NO_TAG;
	xml->openCount = 0;
	xml->isReplaying = 1;
	/* It could refuse an end. */
	for (int n = xml->parser->nameNr - 1; n > 0 && !xml->error.code; n--)
		if (xml->parser->nameNr > n)
			traceXmlInsert(xml, "</",
				       (const char *)xml->parser->nameTab[n]);
	xml->isReplaying = 0;
}

/* Forget what is open but for the root, and open what ends behind the lost
 * part. */
static void traceXmlReopen(struct hdITraceXml *xml, int64_t lost,
			   const struct hdIEndScan *ends)
{
	struct hdITag *tag;

	traceXmlCloseAll(xml);
	hdIXmlPass(xml->parser, &xml->error, (size_t)lost, 0);
	xml->size += lost;
	tag = hdITraceXmlExtend(xml, sizeof(*tag));
	if (!tag)
		return;
	tag->kind = HDI_TAG_LOST;
	tag->attributeCount = 0;
	tag->offset = tag->endOffset = hdIXmlOffset(xml->parser);
	tag->line = 0;
	tag->name = tag->text = NULL;
	for (size_t i = ends->count; i > 0 && !xml->error.code; i--)
		traceXmlInsert(xml, "<", ends->names[i - 1]);
}

int hdITraceXmlSkipFrame(struct hdITraceXml *xml, int error)
{
	struct hdIEndScan ends = { .count = 0 };
	struct hdIXmlQuiet saved;
	int64_t next;
	int ret;

	if (error != -EBADMSG || !traceXmlCanResume(xml))
		return error;
	next = hdIFileSkip(xml->file);
	if (next < 0)
		return error;
	ret = hdIEndScanRun(&ends, xml->file, xml->piece, xml->pieceSize,
			    (const char *)xml->parser->nameTab[0]);
	if (ret == 0)
		ret = hdIFileSeek(xml->file, next);
	if (ret == 0) {
		hdIXmlQuiet(&saved);
		traceXmlReopen(xml, next - xml->size, &ends);
		hdIXmlRestore(&saved);
	}
	hdIEndScanFree(&ends);
	return ret;
}

int hdITraceXmlIsBetween(struct hdITraceXml *xml)
{
	return !xml->readError && !xml->isEnd && traceXmlCanResume(xml);
}

int hdITraceXmlJump(struct hdITraceXml *xml, int64_t offset, int64_t lines,
		    const char *name, int depth)
{
	struct hdIXmlQuiet saved;
	int room = INT_MAX - xml->parser->input->line;
	int ret = hdIFileSeek(xml->file, offset);

	if (ret < 0)
		return xml->readError = ret;
	if (lines > room)
		lines = room;
	hdIXmlQuiet(&saved);
	traceXmlCloseAll(xml);
	hdIXmlPass(xml->parser, &xml->error, (size_t)(offset - xml->size),
		   (int)lines);
	hdIXmlRestore(&saved);
	xml->size = offset;
	for (int i = 0; i < depth; i++)
		xml->open[xml->openCount++] =
			(struct hdIPlainOpen){ name, xml->parser->input->line };
	return xml->error.code;
}
