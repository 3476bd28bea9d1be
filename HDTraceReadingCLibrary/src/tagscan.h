/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Looks at XML before the parser does: how many attributes tags have.
 *
 * What libxml2 does with a tag takes time by the square of its attributes, and
 * it says nothing of them before.
 */
#ifndef HDI_TAGSCAN_H
#define HDI_TAGSCAN_H

#include <stddef.h>
#include <stdint.h>

/** A text that comes in pieces; to be zeroed. */
struct hdITagScan {
	int64_t offset; /**< Of what comes next. */
	int64_t tag;    /**< Where the last tag begins. */
	size_t attributes;
	char quote; /**< The one that is open, or 0. */
	int isInTag;
	int isTooMany; /**< The last tag has more than there may be. */
};

/**
 * Look at the next piece.
 *
 * @return How many bytes of it the parser may have: all, or those before a tag
 *         with too many attributes.
 */
size_t hdITagScan(struct hdITagScan *scan, const char *data, size_t size);

#endif
