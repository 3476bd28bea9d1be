/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A .trc file as a series of tags and texts.
 *
 * The parser runs ahead by a piece of the file and writes what it finds to a
 * tape, which trace.c then takes tag by tag. So there is no work for each
 * record beyond one copy of its attributes, and nothing is allocated once the
 * tape is as large as one piece needs. Where the parser is between two tags,
 * those that are plain are put on the tape without it.
 */
#ifndef HDI_TRACEXML_H
#define HDI_TRACEXML_H

#include <stddef.h>
#include <stdint.h>

#include <hdReading.h>
#include "HDTraceReadingCLibrary/src/file.h"
#include "HDTraceReadingCLibrary/src/xml.h"

enum hdITagKind {
	HDI_TAG_START, /**< `<a>` */
	HDI_TAG_LEAF,  /**< `<a/>` */
	HDI_TAG_END,   /**< `</a>` */
	HDI_TAG_TEXT,
	/** A part of the file was lost: of the open elements, only the root is
	 *  still open. Start tags follow of elements whose ends follow. */
	HDI_TAG_LOST,
};

/** Something on the tape. Names live as long as the parser. */
struct hdITag {
	enum hdITagKind kind;
	unsigned int attributeCount;
	int isPlaced;      /**< Whether values are addresses. */
	size_t size;       /**< Of all of it on the tape. */
	int64_t offset;    /**< In the file. */
	int64_t endOffset; /**< Of tags, exclusive. */
	int64_t line;
	const char *name;
	const char *text; /**< Terminated. */
	hdIAttribute attributes[];
};

/** See hdITraceXmlNext(). */
#define HDI_TRACE_XML_LIMIT 2

struct hdITraceXml;

/** Create; NULL: no memory. The file stays the caller's. */
struct hdITraceXml *hdITraceXmlCreate(struct hdIFile *file);

/** Before anything is read: leave plain tags to the parser, too. What comes out
 *  is the same, as tests/reading/read-plain.c checks. */
void hdITraceXmlUseParser(struct hdITraceXml *xml);

void hdITraceXmlDestroy(struct hdITraceXml *xml);

/** The parser's copy of a name, to compare by address; NULL: no memory. */
const char *hdITraceXmlName(struct hdITraceXml *xml, const char *name);

/**
 * Get the next tag or text.
 *
 * @param[out] tag It may be changed, and lives until the next call.
 *
 * @retval 1 @p tag is set.
 * @retval 0 The file ends; see hdITraceXmlTail().
 * @retval HDI_TRACE_XML_LIMIT There is nothing more up to the limit.
 * @retval -EBADMSG The XML is wrong; see hdITraceXmlError().
 * @retval -errno The file cannot be read, or no memory.
 */
int hdITraceXmlNext(struct hdITraceXml *xml, struct hdITag **tag);

/** Whether all that was read was delivered. */
int hdITraceXmlIsTaken(const struct hdITraceXml *xml);

/** Read a part of the file, until another one is set; INT64_MAX: up to its
 *  end. */
void hdITraceXmlLimit(struct hdITraceXml *xml, int64_t start, int64_t offset);

/** Line feeds of the part that were read; -1: it had begun before. */
int64_t hdITraceXmlLines(const struct hdITraceXml *xml);

/** Whether reading stopped between two elements, so that it can go on
 *  elsewhere. */
int hdITraceXmlIsBetween(struct hdITraceXml *xml);

/**
 * Go on elsewhere, where hdITraceXmlIsTaken() and hdITraceXmlIsBetween().
 *
 * @param offset Behind what was read; there only the root, and in it @p depth
 *        elements called @p name, are open.
 * @param lines Line feeds in between.
 *
 * @return 0 or a negative errno value.
 */
int hdITraceXmlJump(struct hdITraceXml *xml, int64_t offset, int64_t lines,
		    const char *name, int depth);

/** Whether offsets are those of the file: the encoding is UTF-8. */
int hdITraceXmlIsUtf8(const struct hdITraceXml *xml);

/** Number of bytes that were read. */
int64_t hdITraceXmlSize(const struct hdITraceXml *xml);

/** Where an incomplete tag begins at the end of the file, or -1. */
int64_t hdITraceXmlTail(const struct hdITraceXml *xml);

/** What was wrong. */
const struct hdIXmlError *hdITraceXmlError(const struct hdITraceXml *xml);

#endif
