/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * When traces were in calls of MPI, and in the tracer: all other time is useful
 * computation. They are kept on disk, 24 bytes each.
 */
#ifndef HD_WHATIFCALLS_H
#define HD_WHATIFCALLS_H

#include <hdReading.h>

/** What is known of a trace when all was noted. */
struct callsTrace {
	int64_t start; /**< Of its first record; INT64_MAX: there is none. */
	int64_t end;
	int64_t initEnd;       /**< Of MPI_Init; INT64_MIN: there is none. */
	int64_t finalizeStart; /**< INT64_MAX: there is none. */
	uint64_t count;        /**< Calls. */
};

struct calls;
struct callsReader;

/** Start with none, of so many traces. @p name: states of that name instead of
 *  calls; or NULL. */
struct calls *callsNew(size_t traces, const char *name);

/** Free it; NULL does nothing. */
void callsFree(struct calls *self);

/** The records that follow are those of a trace; any thread. */
struct callsReader *callsEnter(struct calls *self, size_t trace);

/** Note a record, in the order of the file; 0 or a negative errno. */
int callsNote(struct callsReader *reader, const hdIRecord *record);

/** All of a trace was noted; frees the reader. 0 or a negative errno. */
int callsLeave(struct callsReader *reader);

/** Get what is known of a trace. */
const struct callsTrace *callsOf(const struct calls *self, size_t trace);

/** Goes through the calls of a trace, forwards. */
struct callsCursor;

struct callsCursor *callsCursorNew(const struct calls *self, size_t trace);
void callsCursorFree(struct callsCursor *cursor);

/** Time in calls from the start of the trace to a time, which is not before
 *  that of the call before; INT64_MIN after an error. */
int64_t callsUntil(struct callsCursor *cursor, int64_t time);

#endif
