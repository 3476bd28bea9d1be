/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The XML header of a statistics file, while it is put together.
 */
#ifndef HD_STATSHEADER_H
#define HD_STATSHEADER_H

#include <stddef.h>

#include <hdStats.h>
#include "HDTraceWritingCLibrary/src/text.h"

/** Digits of the length, and the line end, before the header. */
#define HD_STATS_LENGTH_SIZE 6

struct hdStatsHeader {
	struct hdText text; /**< Length and header, as in the file. */
	size_t element; /**< In the text: start of the element that is open. */
};

/**
 * Begin a header: topology node and group.
 *
 * @param header All zero.
 * @param node, level Where the group belongs.
 * @param group Its name.
 *
 * @return 0 or -HD_ERR_MALLOC; clear the text in any case.
 */
int hdStatsHeaderBegin(struct hdStatsHeader *header, const hdTopoNode *node,
		       int level, const char *group);

/**
 * Add a value.
 *
 * @return 0, -HD_ERR_MALLOC, -HD_ERR_BUFFER_OVERFLOW (a text is too long) or
 *         -HD_ERR_INVALID_ARGUMENT (type), with nothing added.
 */
int hdStatsHeaderAddValue(struct hdStatsHeader *header, const char *name,
			  hdStatsValueType type, const char *unit,
			  const char *grouping);

/**
 * Add an attribute to the group, or to the value added last.
 *
 * @return 0, -HD_ERR_MALLOC or -HD_ERR_INVALID_ARGUMENT (not a name, used by
 *         the format, or there already), with nothing added.
 */
int hdStatsHeaderAddAttribute(struct hdStatsHeader *header, const char *key,
			      const char *value);

/**
 * Complete the header and its length.
 *
 * @return 0, -HD_ERR_MALLOC or -HD_ERR_BUFFER_OVERFLOW (too long), with
 *         nothing changed.
 */
int hdStatsHeaderEnd(struct hdStatsHeader *header);

#endif
