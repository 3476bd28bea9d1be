/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The XML header of a statistics file, while it is put together.
 */
#ifndef HD_STATHEADER_H
#define HD_STATHEADER_H

#include <stddef.h>

#include "common/format/entry.h"
#include "common/format/text.h"

/** Digits of the length, and the line end, before the header. */
#define HD_STAT_LENGTH_SIZE 6

/** Longest name, unit and grouping of a value, escaped. */
#define HD_STAT_TEXT_MAX 1000
/** Longest header. */
#define HD_STAT_HEADER_MAX 100000

struct hdStatHeader {
	struct hdText text; /**< Length and header, as in the file. */
	size_t element; /**< In the text: start of the element that is open. */
};

/**
 * Begin a header: topology node and group.
 *
 * @param header All zero.
 * @param labels, depth Where the group belongs: the labels from level 1 on.
 * @param group Its name.
 *
 * @return 0 or -ENOMEM; clear the text in any case.
 */
int hdStatHeaderBegin(struct hdStatHeader *header, const char *const *labels,
		      int depth, const char *group);

/**
 * Add a value.
 *
 * @return 0, -ENOMEM, -EOVERFLOW (a text is too long), with nothing
 *         added.
 */
int hdStatHeaderAddValue(struct hdStatHeader *header, const char *name,
			 enum hdEntryType type, const char *unit,
			 const char *grouping);

/**
 * Add an attribute to the group, or to the value added last.
 *
 * @return 0, -ENOMEM or -EINVAL (not a name, used by
 *         the format, or there already), with nothing added.
 */
int hdStatHeaderAddAttribute(struct hdStatHeader *header, const char *key,
			     const char *value);

/**
 * Complete the header and its length.
 *
 * @return 0, -ENOMEM or -EOVERFLOW (too long), with
 *         nothing changed.
 */
int hdStatHeaderEnd(struct hdStatHeader *header);

#endif
