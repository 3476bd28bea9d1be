/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A trace in the order of time.
 *
 * A .trc file has its records in the order in which they ended, so that the
 * state around others comes after them. Here a state is entered, what lies in
 * it follows, and it is left. The memory does not depend on the size of the
 * trace: what lies in one outermost state is kept in a temporary file if it is
 * much.
 *
 * A state that stands for many calls is one of the length that is its own, or
 * several, one after the other; see polls.h.
 *
 * Exports need states in the order of their start, while files have the
 * order of their end. ordered.c turns it around in temporary files, so that
 * memory does not depend on how much lies in one state.
 */
#ifndef HD_ORDERED_H
#define HD_ORDERED_H

#include <hdReading.h>
#include "HDTraceTools/model/diagnostics.h"
#include "HDTraceTools/sites/sites.h"

enum orderedKind { ORDERED_ENTER, ORDERED_LEAVE, ORDERED_EVENT };

/** Something that happens at a time. */
struct orderedStep {
	enum orderedKind kind;
	/** When; never before that of the step before. */
	int64_t time;
	/** The state or event, valid until the next call. */
	const hdIRecord *record;
	/** Between these times its own time is spread; else they are those of
	 *  the record. */
	int64_t spanStart;
	int64_t spanEnd;
	/** Where a state was called; NULL: not known. Valid as long as the
	 *  reader. */
	const struct site *site;
};

struct ordered;

/**
 * Start to read a trace; NULL if that fails, errno is set.
 *
 * @param sink Takes the diagnostics; NULL: the project's handler.
 */
struct ordered *orderedOpen(const hdIProject *project,
			    const hdITraceFile *trace,
			    const struct diagnosticSink *sink);

/**
 * Take the next step.
 *
 * Every state that is entered is left, the one that was entered last first.
 *
 * @retval 1 @p step is set.
 * @retval 0 End of the trace, or of what can be read of it.
 * @retval -1 The temporary file failed; errno is set.
 */
int orderedRead(struct ordered *self, struct orderedStep *step);

/** Number of steps so far whose time was moved to be in order. */
uint64_t orderedMoved(const struct ordered *self);

/** Where in the file the reader is. */
int64_t orderedOffset(const struct ordered *self);

/** Stop reading; NULL does nothing. */
void orderedClose(struct ordered *self);

#endif
