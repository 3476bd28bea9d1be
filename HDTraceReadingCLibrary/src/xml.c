/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libxml2, without network, DTDs, entities of files, and output; see xml.h. */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <libxml/parserInternals.h>
#include <libxml/xmlerror.h>

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

int64_t hdIXmlOffset(xmlParserCtxtPtr parser)
{
	const xmlParserInput *input = parser->input;

	if (!input)
		return 0;
	return (int64_t)input->consumed + (input->cur - input->base);
}

static void setError(xmlParserCtxtPtr parser, struct hdIXmlError *error,
		     int code, const char *text)
{
	if (error->code)
		return;
	error->code = code;
	error->offset = hdIXmlOffset(parser);
	error->line = parser->input ? parser->input->line : 0;
	snprintf(error->text, sizeof(error->text), "%s", text);
	error->text[strcspn(error->text, "\n")] = '\0';
}

/* Called for every error; parser->_private is where to put it. */
static void takeError(void *data, xmlErrorPtr error)
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
static void refuseDoctype(void *data, const xmlChar *name,
			  const xmlChar *externalId, const xmlChar *systemId)
{
	/* The context of our own callbacks begins with the parser, and that
	 * of the tree builder is the parser: see hdIXmlCreate(). */
	xmlParserCtxtPtr parser = *(xmlParserCtxtPtr *)data;

	(void)name;
	(void)externalId;
	(void)systemId;
	setError(parser, parser->_private, -EBADMSG,
		 "there is a DOCTYPE, which is not accepted");
	xmlStopParser(parser);
}

static void refuseDoctypeInTree(void *data, const xmlChar *name,
				const xmlChar *externalId,
				const xmlChar *systemId)
{
	refuseDoctype(&data, name, externalId, systemId);
}

xmlParserCtxtPtr hdIXmlCreate(xmlSAXHandler *handler, void *data,
			      struct hdIXmlError *error)
{
	xmlParserCtxtPtr parser;

	memset(error, 0, sizeof(*error));
	if (handler) {
		handler->initialized = XML_SAX2_MAGIC;
		handler->internalSubset = refuseDoctype;
		handler->serror = takeError;
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
		parser->sax->internalSubset = refuseDoctypeInTree;
		parser->sax->serror = takeError;
	}
	xmlDictSetLimit(parser->dict, NAMES_LIMIT);
	return parser;
}

static void setTooMany(struct hdIXmlError *error)
{
	error->code = -EBADMSG;
	snprintf(error->text, sizeof(error->text), "too many different names");
}

void hdIXmlFeed(xmlParserCtxtPtr parser, const char *data, size_t size,
		int isLast, struct hdIXmlError *error)
{
	int result = XML_ERR_OK;

	while (size > 0 && !error->code) {
		size_t step = size < STEP_MAX ? size : STEP_MAX;

		result = xmlParseChunk(parser, data, (int)step, 0);
		data += step;
		size -= step;
	}
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
			setError(parser, error, -EBADMSG, "there is nothing");
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

char *hdIXmlAttribute(const xmlNode *node, const char *name, int *isMissing)
{
	const xmlAttr *attribute;

	for (attribute = node->properties; attribute;
	     attribute = attribute->next)
		if (!attribute->ns &&
		    strcmp((const char *)attribute->name, name) == 0)
			break;
	*isMissing = !attribute;
	if (!attribute)
		return NULL;
	if (!attribute->children)
		return (char *)xmlStrdup((const xmlChar *)"");
	return (char *)xmlNodeListGetString(node->doc, attribute->children, 1);
}
