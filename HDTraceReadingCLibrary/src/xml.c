/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libxml2, without network, DTDs, entities of files, and output; see xml.h. */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <libxml/SAX2.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlerror.h>

#include <hdReading.h>
#include "HDTraceReadingCLibrary/src/xml.h"

/* Names are kept as long as a parser lives; more than this is an attack. */
#define NAMES_LIMIT (2 << 20)

/* libxml2 wants int. */
#define STEP_MAX (1 << 30)

static pthread_once_t initOnce = PTHREAD_ONCE_INIT;

static void ignoreError(void *data, xmlErrorPtr error)
{
	(void)data;
	(void)error;
}

void hdIXmlQuiet(struct hdIXmlQuiet *saved)
{
	pthread_once(&initOnce, xmlInitParser);
	saved->function = xmlStructuredError;
	saved->data = xmlStructuredErrorContext;
	xmlSetStructuredErrorFunc(NULL, ignoreError);
}

void hdIXmlRestore(const struct hdIXmlQuiet *saved)
{
	xmlSetStructuredErrorFunc(saved->data, saved->function);
}

/* What others took of the text; while a parser is being created, nothing. */
static int64_t passed(xmlParserCtxtPtr parser)
{
	const struct hdIXmlError *error = parser->_private;

	return error ? error->passed : 0;
}

int64_t hdIXmlOffset(xmlParserCtxtPtr parser)
{
	const xmlParserInput *input = parser->input;

	if (!input)
		return 0;
	return passed(parser) + (int64_t)input->consumed +
	       (input->cur - input->base);
}

/* Where a tag begins: its '<' cannot be in it. */
int64_t hdIXmlTagStart(xmlParserCtxtPtr parser)
{
	const xmlParserInput *input = parser->input;
	const xmlChar *p =
		memrchr(input->base, '<', (size_t)(input->cur - input->base));

	return passed(parser) + (int64_t)input->consumed +
	       (p ? p - input->base : 0);
}

static void setErrorAt(xmlParserCtxtPtr parser, struct hdIXmlError *error,
		       int code, int64_t offset, const char *text)
{
	if (error->code)
		return;
	error->code = code;
	error->offset = offset;
	error->line = parser->input ? parser->input->line : 0;
	snprintf(error->text, sizeof(error->text), "%s", text);
	error->text[strcspn(error->text, "\n")] = '\0';
}

static void setError(xmlParserCtxtPtr parser, struct hdIXmlError *error,
		     int code, const char *text)
{
	setErrorAt(parser, error, code, hdIXmlOffset(parser), text);
}

/* Called for every error; parser->_private is where to put it. */
static void xmlOnError(void *data, xmlErrorPtr error)
{
	xmlParserCtxtPtr parser = error->ctxt;
	const char *text = error->message ? error->message : "not well-formed";
	struct hdIXmlError *first;

	(void)data;
	/* While a parser is being created it has no place for errors. */
	if (!parser || !parser->_private || error->level < XML_ERR_FATAL)
		return;
	first = parser->_private;
	/* What libxml2 says then is "Extra content". */
	if (first->isLast && error->code == XML_ERR_DOCUMENT_END)
		text = "the end of the root element is missing";
	setError(parser, first,
		 error->code == XML_ERR_NO_MEMORY ? -ENOMEM : -EBADMSG, text);
}

/* A DOCTYPE could define entities; no file of ours has one. */
static void xmlRefuseDoctype(void *data, const xmlChar *name,
			     const xmlChar *externalId, const xmlChar *systemId)
{
	/* The context of our own callbacks begins with the parser, and that
	 * of the tree builder is the parser: see hdIXmlCreate(). */
	xmlParserCtxtPtr parser = *(xmlParserCtxtPtr *)data;

	(void)name;
	(void)externalId;
	(void)systemId;
	setError(parser, parser->_private, -EBADMSG,
		 "a DOCTYPE is not allowed");
	xmlStopParser(parser);
}

static void refuseDoctypeInTree(void *data, const xmlChar *name,
				const xmlChar *externalId,
				const xmlChar *systemId)
{
	xmlRefuseDoctype(&data, name, externalId, systemId);
}

int hdIXmlIsTooDeep(xmlParserCtxtPtr parser, struct hdIXmlError *error)
{
	char text[80];

	if (parser->nameNr < HDI_NESTING_MAX)
		return 0;
	snprintf(text, sizeof(text),
		 "more than %d nested elements, which is not allowed",
		 HDI_NESTING_MAX);
	setErrorAt(parser, error, -EBADMSG, hdIXmlTagStart(parser), text);
	parser->disableSAX = 1;
	return 1;
}

/* An element of a tree. */
static void startInTree(void *data, const xmlChar *name, const xmlChar *prefix,
			const xmlChar *uri, int namespaceCount,
			const xmlChar **namespaces, int count, int defaulted,
			const xmlChar **attributes)
{
	xmlParserCtxtPtr parser = data;

	if (!hdIXmlIsTooDeep(parser, parser->_private))
		xmlSAX2StartElementNs(data, name, prefix, uri, namespaceCount,
				      namespaces, count, defaulted, attributes);
}

/* In others a tag may be bytes that hdITagScan() does not know. */
static int isKnownEncoding(const char *name)
{
	static const char *const known[] = { "UTF-8",      "UTF-16",
					     "US-ASCII",   "ASCII",
					     "ISO-8859-",  "ISO_8859-",
					     "windows-125" };

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strncasecmp(name, known[i], strlen(known[i])) == 0)
			return 1;
	return 0;
}

static void checkEncoding(xmlParserCtxtPtr parser)
{
	const char *encoding = (const char *)parser->encoding;
	char text[200];

	if (!encoding)
		encoding = (const char *)parser->input->encoding;
	if (!encoding || isKnownEncoding(encoding))
		return;
	snprintf(text, sizeof(text), "the encoding \"%.100s\" is not supported",
		 encoding);
	setError(parser, parser->_private, -EBADMSG, text);
	xmlStopParser(parser);
}

static void startDocument(void *data)
{
	checkEncoding(*(xmlParserCtxtPtr *)data);
}

static void startDocumentInTree(void *data)
{
	xmlSAX2StartDocument(data);
	checkEncoding(data);
}

xmlParserCtxtPtr hdIXmlCreate(xmlSAXHandler *handler, void *data,
			      struct hdIXmlError *error)
{
	xmlParserCtxtPtr parser;

	memset(error, 0, sizeof(*error));
	if (handler) {
		handler->initialized = XML_SAX2_MAGIC;
		handler->startDocument = startDocument;
		handler->internalSubset = xmlRefuseDoctype;
		handler->serror = xmlOnError;
	}
	parser = xmlCreatePushParserCtxt(handler, data, NULL, 0, NULL);
	if (!parser)
		return NULL;
	parser->_private = error;
	xmlCtxtUseOptions(parser, XML_PARSE_NONET | XML_PARSE_HUGE);
	if (handler) {
		/* Else "&amp;" arrives as "&#38;". Entities of a file's own
		 * cannot be defined without a DOCTYPE. */
		parser->replaceEntities = 1;
	} else {
		parser->sax->startDocument = startDocumentInTree;
		parser->sax->startElementNs = startInTree;
		parser->sax->internalSubset = refuseDoctypeInTree;
		parser->sax->serror = xmlOnError;
	}
	xmlDictSetLimit(parser->dict, NAMES_LIMIT);
	return parser;
}

static void setTooMany(struct hdIXmlError *error)
{
	error->code = -EBADMSG;
	snprintf(error->text, sizeof(error->text), "too many different names");
}

static void setTooManyAttributes(xmlParserCtxtPtr parser,
				 struct hdIXmlError *error)
{
	char text[80];

	snprintf(text, sizeof(text),
		 "an element with more than %d attributes, which is not "
		 "accepted",
		 HDI_ATTRIBUTES_MAX);
	setErrorAt(parser, error, -EBADMSG, error->scan.tag, text);
}

void hdIXmlFeed(xmlParserCtxtPtr parser, const char *data, size_t size,
		int isLast, struct hdIXmlError *error)
{
	int result = XML_ERR_OK;

	size = hdITagScan(&error->scan, data, size);
	while (size > 0 && !error->code) {
		size_t step = size < STEP_MAX ? size : STEP_MAX;

		result = xmlParseChunk(parser, data, (int)step, 0);
		data += step;
		size -= step;
	}
	if (error->scan.isTooMany)
		setTooManyAttributes(parser, error);
	error->isLast = isLast;
	if (isLast && !error->code)
		result = xmlParseChunk(parser, NULL, 0, 1);
	/* Not all errors go through the handler. */
	if (result == XML_ERR_NO_MEMORY)
		setError(parser, error, -ENOMEM, "");
	else if (parser->disableSAX)
		setError(parser, error, -EBADMSG, "not well-formed");
	if (error->code == -ENOMEM &&
	    xmlDictGetUsage(parser->dict) > NAMES_LIMIT / 2)
		setTooMany(error);
}

int hdIXmlIsBetween(xmlParserCtxtPtr parser, const struct hdIXmlError *error)
{
	const xmlParserInput *input = parser->input;

	return !error->code && !parser->disableSAX &&
	       parser->instate == XML_PARSER_CONTENT && parser->nameNr > 0 &&
	       parser->nameNr < HDI_NESTING_MAX && parser->inputNr == 1 &&
	       input->cur == input->end && input->buf && !input->buf->encoder;
}

void hdIXmlPass(xmlParserCtxtPtr parser, struct hdIXmlError *error, size_t size,
		int lines)
{
	error->passed += (int64_t)size;
	error->scan.offset += (int64_t)size;
	error->scan.isInTag = 0;
	/* It says them in what it says of errors. */
	parser->input->line += lines;
}

void hdIXmlReplay(xmlParserCtxtPtr parser, struct hdIXmlError *error,
		  const char *name, int line)
{
	int own = parser->input->line;
	size_t length = strlen(name);

	parser->input->line = line;
	xmlParseChunk(parser, "<", 1, 0);
	xmlParseChunk(parser, name, (int)length, 0);
	xmlParseChunk(parser, ">", 1, 0);
	error->passed -= (int64_t)length + 2;
	if (parser->input)
		parser->input->line = own;
	if (parser->disableSAX)
		setError(parser, error, -ENOMEM, "");
}

void hdIXmlStop(xmlParserCtxtPtr parser, struct hdIXmlError *error)
{
	setError(parser, error, -ENOMEM, "");
	/* Not xmlStopParser(): it frees what callers of ours still use. */
	parser->disableSAX = 1;
}

xmlDocPtr hdIXmlParse(const char *data, size_t size, struct hdIXmlError *error)
{
	xmlParserCtxtPtr parser;
	xmlDocPtr tree = NULL;

	parser = hdIXmlCreate(NULL, NULL, error);
	if (parser) {
		if (size == 0)
			setError(parser, error, -EBADMSG, "the file is empty");
		hdIXmlFeed(parser, data, size, 1, error);
		tree = parser->myDoc;
		parser->myDoc = NULL;
		xmlFreeParserCtxt(parser);
	} else {
		error->code = -ENOMEM;
	}
	return tree;
}

int hdIXmlIs(const xmlNode *node, const char *name)
{
	return xmlStrcasecmp(node->name, (const xmlChar *)name) == 0;
}

static const xmlNode *skipToElement(const xmlNode *node)
{
	while (node && node->type != XML_ELEMENT_NODE)
		node = node->next;
	return node;
}

const xmlNode *hdIXmlFirst(const xmlNode *node)
{
	return skipToElement(node->children);
}

const xmlNode *hdIXmlNext(const xmlNode *node)
{
	return skipToElement(node->next);
}

const xmlNode *hdIXmlFind(const xmlNode *node, const char *name)
{
	const xmlNode *child = hdIXmlFirst(node);

	while (child && !hdIXmlIs(child, name))
		child = hdIXmlNext(child);
	return child;
}

char *hdIXmlValue(const xmlAttr *attribute)
{
	if (!attribute->children)
		return (char *)xmlStrdup((const xmlChar *)"");
	return (char *)xmlNodeListGetString(attribute->doc, attribute->children,
					    1);
}

char *hdIXmlAttribute(const xmlNode *node, const char *name, int *isMissing)
{
	const xmlAttr *attribute;

	for (attribute = node->properties; attribute;
	     attribute = attribute->next)
		if (!attribute->ns &&
		    strcmp((const char *)attribute->name, name) == 0)
			break;
	*isMissing = !attribute;
	return attribute ? hdIXmlValue(attribute) : NULL;
}
