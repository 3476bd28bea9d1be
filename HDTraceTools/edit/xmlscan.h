/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Just enough XML to change one attribute or to close what was cut off;
 * reading is the reading library's job.
 */
#ifndef HD_XMLSCAN_H
#define HD_XMLSCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <glib.h>

/** What a piece of XML is. */
enum xmlKind {
	XML_TEXT,
	XML_START, /**< A start tag. */
	XML_EMPTY, /**< A tag that ends itself. */
	XML_END,
	XML_OTHER, /**< A comment, an instruction, a declaration. */
};

/** A piece of XML in memory. */
struct xmlPiece {
	enum xmlKind kind;
	size_t start;
	size_t end;  /**< Behind the last byte. */
	size_t name; /**< Of a tag. */
	size_t nameLength;
};

/**
 * Find the next piece.
 *
 * @param at Where to begin.
 *
 * @return Whether there is a complete one.
 */
bool xmlNext(const char *text, size_t size, size_t at, struct xmlPiece *piece);

/**
 * Find a start tag, an empty one, too: the first one, or the first of a name.
 *
 * @param at Where to begin.
 * @param name NULL: any.
 */
bool xmlFindTag(const char *text, size_t size, size_t at, const char *name,
		struct xmlPiece *tag);

/** Whether a tag has a name; upper and lower case count as the same. */
bool xmlHasName(const char *text, const struct xmlPiece *tag, const char *name);

/**
 * Find the value of an attribute in a tag.
 *
 * @param[out] start Where it starts, behind the quote.
 * @param[out] end Where its closing quote stands.
 */
bool xmlFindAttribute(const char *text, const struct xmlPiece *tag,
		      const char *name, size_t *start, size_t *end);

/** Append text as it may stand in an attribute or between tags: hdEscape(). */
void xmlAppend(GString *out, const char *text);

#endif
