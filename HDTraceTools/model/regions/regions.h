/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Regions: states that the program names itself, and that have calls of MPI or
 * OpenMP in them; and call sites of these calls. So of any time it is known in
 * which region and at which site a trace was.
 *
 * Intervals are sorted on disk, 24 bytes each; the memory grows with the number
 * of names, sites, and traces only.
 */
#ifndef HD_REGIONS_H
#define HD_REGIONS_H

#include <stdbool.h>
#include <stddef.h>

#include <hdReading.h>
#include "HDTraceTools/sites/sites.h"

struct regions;
struct regionsReader;

/** Start with none, of so many traces. */
struct regions *regionsNew(size_t traces);

/** Free it; NULL does nothing. */
void regionsFree(struct regions *self);

/** Whether states of a name are regions: they are neither calls of MPI, nor
 *  states of OpenMP, nor the tracer's. */
bool regionsIsRegion(const char *name);

/** The records that follow are those of a trace; any thread. */
struct regionsReader *regionsEnter(struct regions *self, uint32_t trace);

/** Note a record, in the order of the file, and its call site or NULL; 0 or a
 *  negative errno. */
int regionsNote(struct regionsReader *reader, const hdIRecord *record,
		const struct site *site);

/** All of a trace was noted; frees the reader. 0 or a negative errno. */
int regionsLeave(struct regionsReader *reader);

/** All traces were noted: get ready for cursors. 0 or a negative errno. */
int regionsEnd(struct regions *self);

/** How many names of regions there are; their numbers begin with 1. */
uint32_t regionsCount(const struct regions *self);

/** The name of a region, from 1 on; NULL for 0. */
const char *regionsName(const struct regions *self, uint32_t region);

/** The call site of a number, from 1 on; NULL for 0. */
const struct site *regionsSite(const struct regions *self, uint32_t site);

/** Where a trace is at a time; 0: in no region, at no known site. */
struct regionPlace {
	uint32_t region; /**< The innermost one. */
	uint32_t site;   /**< Of the call. */
};

/** A region begins or ends. */
struct regionMark {
	int64_t time;
	uint32_t region;
	bool isEnd;
};

/** Goes through the regions of a trace, forwards: either by time or by mark. */
struct regionsCursor;

struct regionsCursor *regionsCursorNew(const struct regions *self,
				       uint32_t trace);
void regionsCursorFree(struct regionsCursor *cursor);

/** Where the trace is at a time, which is not before that of the call before;
 *  0 or a negative errno. */
int regionsCursorFind(struct regionsCursor *cursor, int64_t time,
		      struct regionPlace *place);

/** The next mark, in the order of time; a region inside of another one of the
 *  same name has none. 1: @p mark is set, 0: that was all; or a negative
 *  errno. */
int regionsCursorNext(struct regionsCursor *cursor, struct regionMark *mark);

#endif
