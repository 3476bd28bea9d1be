/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * libxml2, without network, DTDs, entities of files, and output.
 */
#ifndef HDI_XML_H
#define HDI_XML_H

#include <libxml/parser.h>
#include <libxml/tree.h>

#include <stddef.h>
#include <stdint.h>

#include "HDTraceReadingCLibrary/src/tagscan.h"

/** What libxml2 would print otherwise. */
struct hdIXmlQuiet {
	xmlStructuredErrorFunc function;
	void *data;
};

/** What went wrong first. */
struct hdIXmlError {
	int code; /**< 0 is none, -ENOMEM or -EBADMSG. */
	int64_t offset;
	int64_t line;
	char text[256];
	int isLast; /**< Whether the parser was told that all is there. */
	struct hdITagScan scan;
	/** What the parser did not get, since others took it. */
	int64_t passed;
};

/** Keep libxml2 silent in this thread; to be done around all that follows. */
void hdIXmlQuiet(struct hdIXmlQuiet *saved);

/** Undo hdIXmlQuiet(). */
void hdIXmlRestore(const struct hdIXmlQuiet *saved);

/** Create a parser that is fed in pieces; NULL: no memory. */
xmlParserCtxtPtr hdIXmlCreate(xmlSAXHandler *handler, void *data,
			      struct hdIXmlError *error);

/** Feed a parser; *error says whether it went well. */
void hdIXmlFeed(xmlParserCtxtPtr parser, const char *data, size_t size,
		int isLast, struct hdIXmlError *error);

/**
 * Whether the parser is in the root element, not too deep, and has looked at
 * all that it got, which was UTF-8: then others may take what follows, if it is
 * well-formed and needs no parser.
 */
int hdIXmlIsBetween(xmlParserCtxtPtr parser, const struct hdIXmlError *error);

/** So many bytes, at least one tag in them, were taken by others. */
void hdIXmlPass(xmlParserCtxtPtr parser, struct hdIXmlError *error, size_t size,
		int lines);

/**
 * Tell the parser, which is where hdIXmlIsBetween() says, of a start tag that
 * others took before, at the end of what they took; its callbacks are called.
 *
 * @param line Where that was.
 */
void hdIXmlReplay(xmlParserCtxtPtr parser, struct hdIXmlError *error,
		  const char *name, int line);

/** Stop a parser from one of its callbacks, for want of memory. */
void hdIXmlStop(xmlParserCtxtPtr parser, struct hdIXmlError *error);

/** Whether the element that begins lies too deep; then the parser stops. */
int hdIXmlIsTooDeep(xmlParserCtxtPtr parser, struct hdIXmlError *error);

/** Where the tag begins that the parser is at. */
int64_t hdIXmlTagStart(xmlParserCtxtPtr parser);

/** Number of bytes that the parser has consumed, or others for it. */
int64_t hdIXmlOffset(xmlParserCtxtPtr parser);

/**
 * Parse a text into a tree.
 *
 * @return The tree, up to the error if there is one; NULL if there is
 *         nothing.
 */
xmlDocPtr hdIXmlParse(const char *data, size_t size, struct hdIXmlError *error);

/** Tell whether an element has this name, in any case. */
int hdIXmlIs(const xmlNode *node, const char *name);

/** First child element of @p node, or NULL. */
const xmlNode *hdIXmlFirst(const xmlNode *node);

/** Next sibling element of @p node, or NULL. */
const xmlNode *hdIXmlNext(const xmlNode *node);

/** First child element with this name, or NULL. */
const xmlNode *hdIXmlFind(const xmlNode *node, const char *name);

/**
 * Get the value of an attribute, by exact name.
 *
 * @return Text, to be freed with xmlFree(); NULL: no such attribute (then
 *         @p isMissing is set) or no memory.
 */
char *hdIXmlAttribute(const xmlNode *node, const char *name, int *isMissing);

/** The value of an attribute, to be freed with xmlFree(); NULL: no memory. */
char *hdIXmlValue(const xmlAttr *attribute);

#endif
