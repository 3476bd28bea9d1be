/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Tags that need no parser.
 *
 * Nearly all of a trace is tags, with and without content, in printable ASCII,
 * whose attributes have no entities. What such a tag means cannot
 * depend on what surrounds it, so it is taken apart here, in a tenth of the
 * time that libxml2 takes. All else is left to libxml2, wrong tags among them:
 * what is no plain tag here may well be a tag.
 */
#ifndef HDI_PLAIN_H
#define HDI_PLAIN_H

#include <stddef.h>

/** Tags with more attributes are not plain. */
#define HDI_PLAIN_MAX 32

/** A text that does not end with a zero byte. */
struct hdIPlainText {
	char *start;
	size_t length;
};

enum hdIPlainKind { HDI_PLAIN_LEAF, HDI_PLAIN_START, HDI_PLAIN_END };

/** A plain tag. */
struct hdIPlainTag {
	enum hdIPlainKind kind;
	struct hdIPlainText name;
	size_t attributeCount;
	struct {
		struct hdIPlainText name;
		/** What follows it is its quote. */
		struct hdIPlainText value;
	} attributes[HDI_PLAIN_MAX];
};

/**
 * Take a tag apart.
 *
 * That no attribute is there twice has to be looked at.
 *
 * @param at Where it begins; somewhere there is a zero byte behind it.
 *
 * @return Where it ends; NULL: it is not plain, or not complete.
 */
char *hdIPlainTake(char *at, struct hdIPlainTag *tag);

/**
 * Skip blanks.
 *
 * @param at As above.
 * @param[in,out] lines Grows by the ends of lines among them.
 *
 * @return What follows them.
 */
char *hdIPlainSkip(char *at, int *lines);

#endif
