/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A .trc file as a series of tags and texts; see tracexml.h. */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <libxml/parserInternals.h>

#include "HDTraceReadingCLibrary/src/file.h"
#include "HDTraceReadingCLibrary/src/trace/plain.h"
#include "HDTraceReadingCLibrary/src/trace/tracexml.h"
#include "HDTraceReadingCLibrary/src/trace/tracexmlstate.h"

#define PIECE_FIRST (4 << 10)
#define PIECE_SIZE (64 << 10)
#define PIECE_MAX (16 << 20)
#define TAPE_MIN (256 << 10)
/* What the parser gets at least where nothing is plain. */
#define STRIDE_MIN 256

/* ---- Writing the tape -------------------------------------------------- */

/* Get room behind what there is; the tape may move. */
struct hdITag *hdITraceXmlExtend(struct hdITraceXml *xml, size_t size)
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
	tag->isPlaced = 0;
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

static void traceXmlOnStart(void *data, const xmlChar *name,
			    const xmlChar *prefix, const xmlChar *uri,
			    int namespaceCount, const xmlChar **namespaces,
			    int count, int defaulted,
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
	if (xml->isReplaying)
		return;
	if (hdIXmlIsTooDeep(xml->parser, &xml->error))
		return;
	for (int i = 0; i < count; i++, a += POINTERS)
		size += (size_t)(a[VALUE_END] - a[VALUE]) + 1;
	tag = hdITraceXmlExtend(xml, size);
	if (!tag)
		return;
	xml->lastStart = (size_t)((char *)tag - xml->tape);
	tag->kind = HDI_TAG_START;
	tag->attributeCount = (unsigned int)count;
	tag->offset = hdIXmlTagStart(xml->parser);
	/* The parser is at what closes the tag; see traceXmlPutEnd() of
	 * leaves. */
	tag->endOffset = hdIXmlOffset(xml->parser) + 1;
	tag->line = xml->parser->input->line;
	tag->name = fullName(xml, name, prefix);
	tag->text = NULL;
	/* The tape may still move: only sizes for now, see
	 * traceXmlSetAddresses(). */
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

/* An element ends; what was started before it is a leaf if nothing came since.
 */
static void traceXmlPutEnd(struct hdITraceXml *xml, int64_t offset,
			   int64_t endOffset, int line)
{
	struct hdITag *tag;

	if (xml->lastStart != HDI_NO_TAG) {
		tag = (struct hdITag *)(xml->tape + xml->lastStart);
		tag->kind = HDI_TAG_LEAF;
	} else {
		tag = hdITraceXmlExtend(xml, sizeof(*tag));
		if (!tag)
			return;
		tag->kind = HDI_TAG_END;
		tag->attributeCount = 0;
		tag->line = line;
		tag->name = NULL;
		tag->text = NULL;
		tag->offset = offset;
	}
	tag->endOffset = endOffset;
	xml->lastStart = HDI_NO_TAG;
}

static void traceXmlOnEnd(void *data, const xmlChar *name,
			  const xmlChar *prefix, const xmlChar *uri)
{
	struct hdITraceXml *xml = data;

	(void)name;
	(void)prefix;
	(void)uri;
	if (xml->isReplaying)
		return;
	traceXmlPutEnd(xml, hdIXmlTagStart(xml->parser),
		       hdIXmlOffset(xml->parser), xml->parser->input->line);
}

static int traceXmlIsBlankText(const char *text, int length)
{
	for (int i = 0; i < length; i++)
		if (text[i] != ' ' && text[i] != '\n' && text[i] != '\t' &&
		    text[i] != '\r')
			return 0;
	return 1;
}

static void traceXmlOnText(void *data, const xmlChar *text, int length)
{
	struct hdITraceXml *xml = data;
	struct hdITag *tag;
	char *to;

	/* Blanks after a start tag are trimmed anyway, and so `<a> </a>` is a
	 * leaf; elsewhere they may part two words. */
	if (xml->lastStart != HDI_NO_TAG &&
	    traceXmlIsBlankText((const char *)text, length))
		return;
	tag = hdITraceXmlExtend(xml, sizeof(*tag) + (size_t)length + 1);
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
	xml->lastStart = HDI_NO_TAG;
}

/* ---- Plain tags -------------------------------------------------------- */

/* The parser's copy of a name; NULL: it has none and no room for it. */
static const char *knownName(struct hdITraceXml *xml,
			     const struct hdIPlainText *name)
{
	size_t hash = (unsigned char)name->start[0] * 7u +
		      (unsigned char)name->start[name->length - 1] * 3u +
		      name->length;
	struct hdIKnownName *known = &xml->names[hash % HDI_KNOWN_NAMES];

	if (known->length != name->length ||
	    memcmp(known->name, name->start, name->length) != 0) {
		known->name = (const char *)xmlDictLookup(
			xml->parser->dict, (const xmlChar *)name->start,
			(int)name->length);
		known->length = known->name ? name->length : 0;
	}
	return known->length ? known->name : NULL;
}

static int traceXmlHasName(const struct hdITag *tag, const char *name)
{
	for (unsigned int i = 0; i < tag->attributeCount; i++)
		if (tag->attributes[i].name == name)
			return 1;
	return 0;
}

/* Put the names; 0: the parser is to say what is wrong with them. */
static int traceXmlPutNames(struct hdITraceXml *xml, struct hdITag *tag,
			    const struct hdIPlainTag *plain)
{
	tag->name = knownName(xml, &plain->name);
	tag->attributeCount = 0;
	for (size_t i = 0; i < plain->attributeCount; i++) {
		const char *name = knownName(xml, &plain->attributes[i].name);

		if (!name || traceXmlHasName(tag, name))
			return 0;
		tag->attributes[tag->attributeCount++].name = name;
	}
	return tag->name != NULL;
}

/* Put a plain start tag, or a leaf, on the tape; its values stay in the piece.
 */
static int putPlain(struct hdITraceXml *xml, const struct hdIPlainTag *plain,
		    int64_t offset, int64_t endOffset, int line)
{
	int isLeaf = plain->kind == HDI_PLAIN_LEAF;
	size_t filled = xml->filled;
	struct hdITag *tag;

	if (xml->parser->nameNr + xml->openCount >= HDI_NESTING_MAX)
		return 0;
	tag = hdITraceXmlExtend(xml, sizeof(*tag) +
					     plain->attributeCount *
						     sizeof(*tag->attributes));
	if (!tag)
		return 0;
	if (!traceXmlPutNames(xml, tag, plain)) {
		xml->filled = filled;
		return 0;
	}
	tag->kind = isLeaf ? HDI_TAG_LEAF : HDI_TAG_START;
	tag->isPlaced = 1;
	tag->offset = offset;
	tag->endOffset = endOffset;
	tag->line = line;
	tag->text = NULL;
	for (size_t i = 0; i < plain->attributeCount; i++) {
		const struct hdIPlainText *value = &plain->attributes[i].value;

		value->start[value->length] = '\0';
		tag->attributes[i].value = value->start;
	}
	xml->lastStart = isLeaf ? HDI_NO_TAG : filled;
	if (!isLeaf)
		xml->open[xml->openCount++] =
			(struct hdIPlainOpen){ tag->name, line };
	return 1;
}

/* Put the end of an element; 0: the parser is to say what is wrong, or it began
 * the element. */
static int putPlainEnd(struct hdITraceXml *xml, const struct hdIPlainTag *plain,
		       int64_t offset, int64_t endOffset, int line)
{
	if (xml->openCount == 0 ||
	    xml->open[xml->openCount - 1].name != knownName(xml, &plain->name))
		return 0;
	traceXmlPutEnd(xml, offset, endOffset, line);
	if (xml->error.code)
		return 0;
	xml->openCount--;
	return 1;
}

/* Take plain tags, with the blanks before each, up to something else; returns
 * where that begins. */
static char *takePlain(struct hdITraceXml *xml, char *data)
{
	int64_t start = hdIXmlOffset(xml->parser);
	int line = xml->parser->input->line;
	char *at = data;

	for (;;) {
		size_t filled = xml->filled;
		size_t lastStart = xml->lastStart;
		int lines = line;
		char *begin = hdIPlainSkip(at, &lines);
		struct hdIPlainTag plain;
		char *end = hdIPlainTake(begin, &plain);

		if (!end)
			break;
		/* Texts of the root element mean nothing. */
		if (begin > at && xml->parser->nameNr + xml->openCount > 1)
			traceXmlOnText(xml, (const xmlChar *)at,
				       (int)(begin - at));
		if (!(plain.kind == HDI_PLAIN_END ? putPlainEnd : putPlain)(
			    xml, &plain, start + (begin - data),
			    start + (end - data), lines)) {
			xml->filled = filled;
			xml->lastStart = lastStart;
			break;
		}
		line = lines;
		at = end;
	}
	if (at > data)
		hdIXmlPass(xml->parser, &xml->error, (size_t)(at - data),
			   line - xml->parser->input->line);
	return at;
}

/* Tell the parser which elements are open, before it goes on. */
static void replay(struct hdITraceXml *xml)
{
	xml->isReplaying = 1;
	for (int i = 0; i < xml->openCount && !xml->error.code; i++)
		hdIXmlReplay(xml->parser, &xml->error, xml->open[i].name,
			     xml->open[i].line);
	xml->isReplaying = 0;
	xml->openCount = 0;
}

static int isPrintable(const char *data, const char *end)
{
	while (data < end &&
	       ((*data >= ' ' && *data <= '~') || traceXmlIsBlankText(data, 1)))
		data++;
	return data == end;
}

/* Where the parser's part ends: with the end of a tag. What libxml2 says of
 * wrong bytes depends on what follows them, so it gets all of that. */
static const char *traceXmlFindEnd(const char *data, const char *end,
				   size_t stride)
{
	const char *tag = NULL;

	if (stride < (size_t)(end - data))
		tag = memchr(data + stride, '>', (size_t)(end - data) - stride);
	return tag && isPrintable(data, tag) ? tag + 1 : end;
}

/* Parse a piece: what is plain here, the rest by the parser. */
static void traceXmlParse(struct hdITraceXml *xml, char *data, char *end)
{
	while (data < end && !xml->error.code) {
		char *next = data;

		if (xml->isPlain && hdIXmlIsBetween(xml->parser, &xml->error))
			next = takePlain(xml, data);
		if (next > data)
			xml->stride = 0;
		data = next;
		if (data == end)
			break;
		replay(xml);
		if (xml->error.code)
			break;
		next = end;
		if (xml->isPlain)
			next = data +
			       (traceXmlFindEnd(data, end, xml->stride) - data);
		xml->stride = xml->stride ? 2 * xml->stride : STRIDE_MIN;
		if (xml->stride > PIECE_MAX)
			xml->stride = PIECE_MAX;
		hdIXmlFeed(xml->parser, data, (size_t)(next - data), 0,
			   &xml->error);
		data = next;
	}
}

/* ---- Reading it -------------------------------------------------------- */

/* Now that the tape does not move, turn sizes into addresses. */
static void traceXmlSetAddresses(struct hdITag *tag)
{
	if (tag->isPlaced)
		return;
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
	piece = realloc(xml->piece, size + 1);
	if (!piece)
		return;
	xml->piece = piece;
	xml->pieceSize = size;
}

/* Count the lines of a piece, if there is a limit. */
static void traceXmlCountLines(struct hdITraceXml *xml, size_t size)
{
	const char *at = xml->piece, *end = at + size;

	if (xml->limit == INT64_MAX || xml->lines < 0)
		return;
	while (at < end && (at = memchr(at, '\n', (size_t)(end - at)))) {
		xml->lines++;
		at++;
	}
}

/* Parse the next piece of the file. */
static int feed(struct hdITraceXml *xml)
{
	struct hdIXmlQuiet saved;
	size_t size;
	ssize_t n;

	adaptPiece(xml);
	size = xml->pieceSize;
	if (xml->limit - xml->size < (int64_t)size)
		size = (size_t)(xml->limit - xml->size);
	n = hdIFileRead(xml->file, xml->piece, size);
	if (n < 0)
		return xml->readError = hdITraceXmlSkipFrame(xml, (int)n);
	if (n == 0) {
		xml->isEnd = 1;
		return 0;
	}
	traceXmlCountLines(xml, (size_t)n);
	xml->size += n;
	xml->filled = 0;
	xml->taken = 0;
	xml->lastStart = HDI_NO_TAG;
	hdIXmlQuiet(&saved);
	xml->piece[n] = '\0';
	traceXmlParse(xml, xml->piece, xml->piece + n);
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
		if (xml->size >= xml->limit)
			return HDI_TRACE_XML_LIMIT;
		ret = feed(xml);
		if (ret < 0)
			return ret;
	}
	*tag = (struct hdITag *)(xml->tape + xml->taken);
	xml->taken += (*tag)->size;
	traceXmlSetAddresses(*tag);
	return 1;
}

int hdITraceXmlIsTaken(const struct hdITraceXml *xml)
{
	return xml->taken == xml->filled;
}

void hdITraceXmlLimit(struct hdITraceXml *xml, int64_t start, int64_t offset)
{
	xml->limit = offset;
	xml->lines = start == xml->size ? 0 : -1;
}

int64_t hdITraceXmlLines(const struct hdITraceXml *xml)
{
	return xml->lines;
}

int hdITraceXmlIsUtf8(const struct hdITraceXml *xml)
{
	const xmlParserInput *input = xml->parser->input;

	return input && input->buf && !input->buf->encoder;
}

int64_t hdITraceXmlSize(const struct hdITraceXml *xml)
{
	return xml->size;
}

int64_t hdITraceXmlTail(const struct hdITraceXml *xml)
{
	const xmlParserInput *input = xml->parser->input;
	const xmlChar *p = input->cur;

	while (p < input->end && traceXmlIsBlankText((const char *)p, 1))
		p++;
	if (p == input->end)
		return -1;
	return hdIXmlOffset(xml->parser) + (p - input->cur);
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

struct hdITraceXml *hdITraceXmlCreate(struct hdIFile *file)
{
	struct hdITraceXml *xml = calloc(1, sizeof(*xml));
	struct hdIXmlQuiet saved;

	if (!xml)
		return NULL;
	xml->file = file;
	xml->isPlain = 1;
	xml->limit = INT64_MAX;
	xml->pieceSize = PIECE_FIRST;
	xml->piece = malloc(xml->pieceSize + 1);
	if (!xml->piece) {
		free(xml);
		return NULL;
	}
	xml->handler.startElementNs = traceXmlOnStart;
	xml->handler.endElementNs = traceXmlOnEnd;
	xml->handler.characters = traceXmlOnText;
	xml->handler.ignorableWhitespace = traceXmlOnText;
	xml->handler.cdataBlock = traceXmlOnText;
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

void hdITraceXmlUseParser(struct hdITraceXml *xml)
{
	xml->isPlain = 0;
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
