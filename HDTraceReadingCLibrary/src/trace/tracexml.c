/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A .trc file as a series of tags and texts; see tracexml.h. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <libxml/parserInternals.h>

#include "HDTraceReadingCLibrary/src/file.h"
#include "HDTraceReadingCLibrary/src/trace/tracexml.h"

#define PIECE_FIRST (4 << 10)
#define PIECE_SIZE (64 << 10)
#define PIECE_MAX (16 << 20)
#define TAPE_MIN (256 << 10)
#define NO_TAG SIZE_MAX

struct hdITraceXml {
	xmlParserCtxtPtr parser; /* First: see refuseDoctype() in xml.c. */
	xmlSAXHandler handler;
	struct hdIXmlError error;
	int fd;
	int readError;
	int isEnd;
	int64_t size; /* Bytes read. */
	char *tape;
	size_t room;
	size_t filled;
	size_t taken;
	size_t lastStart; /* Tag that is a leaf if its end follows. */
	char *piece;      /* What is given to the parser at once. */
	size_t pieceSize;
};

/* ---- Writing the tape -------------------------------------------------- */

/* Get room behind what there is; the tape may move. */
static struct hdITag *extend(struct hdITraceXml *xml, size_t size)
{
	size_t room = xml->room;
	struct hdITag *tag;
	char *tape;

	size = (size + 15) & ~(size_t)15;
	while (room - xml->filled < size)
		room = room ? 2 * room : TAPE_MIN;
	if (room > xml->room) {
		tape = realloc(xml->tape, room);
		if (!tape) {
			hdIXmlStop(xml->parser, &xml->error);
			return NULL;
		}
		xml->tape = tape;
		xml->room = room;
	}
	tag = (struct hdITag *)(xml->tape + xml->filled);
	tag->size = size;
	xml->filled += size;
	return tag;
}

/* "prefix:name" as one word; we do not look at name spaces. */
static const char *fullName(struct hdITraceXml *xml, const xmlChar *name,
			    const xmlChar *prefix)
{
	const xmlChar *full;

	if (!prefix)
		return (const char *)name;
	full = xmlDictQLookup(xml->parser->dict, prefix, name);
	if (!full)
		hdIXmlStop(xml->parser, &xml->error);
	return (const char *)full;
}

/* The parser gives five pointers for each attribute. */
enum { LOCAL_NAME, PREFIX, URI, VALUE, VALUE_END, POINTERS };

static void takeStart(void *data, const xmlChar *name, const xmlChar *prefix,
		      const xmlChar *uri, int namespaceCount,
		      const xmlChar **namespaces, int count, int defaulted,
		      const xmlChar **attributes)
{
	struct hdITraceXml *xml = data;
	size_t head =
		sizeof(struct hdITag) + (size_t)count * sizeof(hdIAttribute);
	const xmlChar **a = attributes;
	struct hdITag *tag;
	size_t size = head;
	char *to;

	(void)uri;
	(void)namespaceCount;
	(void)namespaces;
	(void)defaulted;
	if (hdIXmlIsTooDeep(xml->parser, &xml->error))
		return;
	for (int i = 0; i < count; i++, a += POINTERS)
		size += (size_t)(a[VALUE_END] - a[VALUE]) + 1;
	tag = extend(xml, size);
	if (!tag)
		return;
	xml->lastStart = (size_t)((char *)tag - xml->tape);
	tag->kind = HDI_TAG_START;
	tag->attributeCount = (unsigned int)count;
	tag->offset = hdIXmlTagStart(xml->parser);
	tag->endOffset = 0;
	tag->line = xml->parser->input->line;
	tag->name = fullName(xml, name, prefix);
	tag->text = NULL;
	/* The tape may still move: only sizes for now, see place(). */
	to = (char *)tag + head;
	a = attributes;
	for (int i = 0; i < count; i++, a += POINTERS) {
		size_t length = (size_t)(a[VALUE_END] - a[VALUE]);

		tag->attributes[i].name =
			fullName(xml, a[LOCAL_NAME], a[PREFIX]);
		tag->attributes[i].value =
			(const char *)(uintptr_t)(to - (char *)tag);
		memcpy(to, a[VALUE], length);
		to[length] = '\0';
		to += length + 1;
	}
	/* A name for which there was no memory is not to be looked at. */
	if (xml->error.code)
		xml->filled = xml->lastStart;
}

static void takeEnd(void *data, const xmlChar *name, const xmlChar *prefix,
		    const xmlChar *uri)
{
	struct hdITraceXml *xml = data;
	struct hdITag *tag;

	(void)name;
	(void)prefix;
	(void)uri;
	if (xml->lastStart != NO_TAG) {
		tag = (struct hdITag *)(xml->tape + xml->lastStart);
		tag->kind = HDI_TAG_LEAF;
	} else {
		tag = extend(xml, sizeof(*tag));
		if (!tag)
			return;
		tag->kind = HDI_TAG_END;
		tag->attributeCount = 0;
		tag->line = xml->parser->input->line;
		tag->name = NULL;
		tag->text = NULL;
		tag->offset = hdIXmlTagStart(xml->parser);
	}
	tag->endOffset = hdIXmlOffset(xml->parser);
	xml->lastStart = NO_TAG;
}

static int isBlank(const xmlChar *text, int length)
{
	for (int i = 0; i < length; i++)
		if (text[i] != ' ' && text[i] != '\n' && text[i] != '\t' &&
		    text[i] != '\r')
			return 0;
	return 1;
}

static void takeText(void *data, const xmlChar *text, int length)
{
	struct hdITraceXml *xml = data;
	struct hdITag *tag;
	char *to;

	/* Blanks after a start tag are trimmed anyway, and so `<a> </a>` is a
	 * leaf; elsewhere they may part two words. */
	if (xml->lastStart != NO_TAG && isBlank(text, length))
		return;
	tag = extend(xml, sizeof(*tag) + (size_t)length + 1);
	if (!tag)
		return;
	to = (char *)tag + sizeof(*tag);
	memcpy(to, text, (size_t)length);
	to[length] = '\0';
	tag->kind = HDI_TAG_TEXT;
	tag->attributeCount = 0;
	tag->offset = hdIXmlOffset(xml->parser);
	tag->endOffset = tag->offset;
	tag->line = xml->parser->input->line;
	tag->name = NULL;
	tag->text = NULL;
	xml->lastStart = NO_TAG;
}

/* ---- Reading it -------------------------------------------------------- */

/* Now that the tape does not move, turn sizes into addresses. */
static void place(struct hdITag *tag)
{
	for (unsigned int i = 0; i < tag->attributeCount; i++)
		tag->attributes[i].value =
			(char *)tag + (uintptr_t)tag->attributes[i].value;
	if (tag->kind == HDI_TAG_TEXT)
		tag->text = (const char *)(tag + 1);
}

/* The first piece is small, for those who want the first record of many files.
 * Where a piece holds nothing complete the next is larger: libxml2 looks at a
 * long tag from its beginning with every piece. */
static void adaptPiece(struct hdITraceXml *xml)
{
	size_t size = PIECE_SIZE;
	char *piece;

	if (xml->size == 0)
		return;
	if (xml->filled == 0 && xml->pieceSize >= PIECE_SIZE)
		size = 2 * xml->pieceSize;
	if (size > PIECE_MAX || size == xml->pieceSize)
		return;
	/* It also works with the size that there is. */
	piece = realloc(xml->piece, size);
	if (!piece)
		return;
	xml->piece = piece;
	xml->pieceSize = size;
}

/* Parse the next piece of the file. */
static int feed(struct hdITraceXml *xml)
{
	struct hdIXmlQuiet saved;
	ssize_t n;

	adaptPiece(xml);
	n = hdIFileRead(xml->fd, xml->piece, xml->pieceSize);
	if (n < 0)
		return xml->readError = (int)n;
	if (n == 0) {
		xml->isEnd = 1;
		return 0;
	}
	xml->size += n;
	xml->filled = 0;
	xml->taken = 0;
	xml->lastStart = NO_TAG;
	hdIXmlQuiet(&saved);
	hdIXmlFeed(xml->parser, xml->piece, (size_t)n, 0, &xml->error);
	hdIXmlRestore(&saved);
	return 0;
}

int hdITraceXmlNext(struct hdITraceXml *xml, struct hdITag **tag)
{
	while (xml->taken == xml->filled) {
		int ret;

		if (xml->error.code || xml->readError)
			return xml->error.code ? xml->error.code
					       : xml->readError;
		if (xml->isEnd)
			return 0;
		ret = feed(xml);
		if (ret < 0)
			return ret;
	}
	*tag = (struct hdITag *)(xml->tape + xml->taken);
	xml->taken += (*tag)->size;
	place(*tag);
	return 1;
}

int64_t hdITraceXmlSize(const struct hdITraceXml *xml)
{
	return xml->size;
}

int64_t hdITraceXmlTail(const struct hdITraceXml *xml)
{
	const xmlParserInput *input = xml->parser->input;
	const xmlChar *p = input->cur;

	while (p < input->end && isBlank(p, 1))
		p++;
	if (p == input->end)
		return -1;
	return (int64_t)input->consumed + (p - input->base);
}

const struct hdIXmlError *hdITraceXmlError(const struct hdITraceXml *xml)
{
	return &xml->error;
}

const char *hdITraceXmlName(struct hdITraceXml *xml, const char *name)
{
	return (const char *)xmlDictLookup(xml->parser->dict,
					   (const xmlChar *)name, -1);
}

struct hdITraceXml *hdITraceXmlCreate(int fd)
{
	struct hdITraceXml *xml = calloc(1, sizeof(*xml));
	struct hdIXmlQuiet saved;

	if (!xml)
		return NULL;
	xml->fd = fd;
	xml->pieceSize = PIECE_FIRST;
	xml->piece = malloc(xml->pieceSize);
	if (!xml->piece) {
		free(xml);
		return NULL;
	}
	xml->handler.startElementNs = takeStart;
	xml->handler.endElementNs = takeEnd;
	xml->handler.characters = takeText;
	xml->handler.ignorableWhitespace = takeText;
	xml->handler.cdataBlock = takeText;
	hdIXmlQuiet(&saved);
	xml->parser = hdIXmlCreate(&xml->handler, xml, &xml->error);
	hdIXmlRestore(&saved);
	if (!xml->parser) {
		free(xml->piece);
		free(xml);
		return NULL;
	}
	return xml;
}

void hdITraceXmlDestroy(struct hdITraceXml *xml)
{
	if (!xml)
		return;
	xmlFreeParserCtxt(xml->parser);
	free(xml->tape);
	free(xml->piece);
	free(xml);
}
