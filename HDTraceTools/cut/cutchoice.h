/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Which ranks, and which states, a part of a project has.
 */
#ifndef HD_CUT_CUTCHOICE_H
#define HD_CUT_CUTCHOICE_H

#include <stdbool.h>
#include <glib.h>

#include <hdReading.h>

struct cut;

/** Numbers from first to last. */
struct cutRange {
	int64_t first;
	int64_t last;
};

/** Parse a list of ranks, such as "0-3,8": struct cutRange, to be freed with
 *  g_array_unref(); NULL: it is not one. */
GArray *cutRanksParse(const char *text);

/** Whether a rank was asked for. */
bool cutHasRank(const struct cut *cut, int64_t rank);

/** Whether a node belongs to a rank that was asked for, or to no rank. */
bool cutHasNode(const struct cut *cut, const hdINode *node);

/** When a trace is in the region that was asked for: struct cutRange, in order,
 *  none in another one. */
GArray *cutRegionFind(const struct cut *cut, const hdITraceFile *trace);

/** Whether a record is in the region, or around it. */
bool cutRegionHas(const GArray *region, const hdIRecord *record);

#endif
