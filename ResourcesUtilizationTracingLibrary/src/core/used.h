/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Sources in use: opened, with the cells that they fill, again and again.
 *
 * A trace (trace.h) writes the cells into a file; hdnode looks at them. By one
 * thread at a time.
 */
#ifndef RUT_USED_H
#define RUT_USED_H

#include <stdatomic.h>

#include "ResourcesUtilizationTracingLibrary/src/core/worker.h"

/** A source in use. */
struct rutUsedSource {
	const struct rutSource *kind;
	void *state;              /**< Or */
	struct rutWorker *worker; /**< who reads it. */
	size_t first;             /**< Its first column. */
	bool wasLate;             /**< And that was said. */
};

/** Sources in use; all zero is none. */
struct rutUsed {
	struct rutColumns columns;
	struct rutUsedSource *list;
	size_t count;
	bool isIncomplete;   /**< One did not open in time. */
	union hdCell *cells; /**< As many as columns; by rutUsedReady(). */
	/** Name of the source that is being read, for other threads; or NULL.
	 */
	_Atomic(const char *) reading;
};

/**
 * Open a source; if that fails there are no columns of it.
 *
 * @param setup Its texts live as long as the source.
 *
 * @return As struct rutSource's open(), or -ENOMEM.
 */
int rutUsedAdd(struct rutUsed *used, const struct rutSource *kind,
	       const struct rutSetup *setup);

/** Close the source that was opened last. */
void rutUsedDrop(struct rutUsed *used);

/**
 * Open all that are wanted and work here.
 *
 * @param list Kinds of sources; ends with NULL.
 *
 * @retval -ENOMEM Out of memory; nothing is open.
 */
int rutUsedOpen(struct rutUsed *used, const struct rutSource *const *list,
		const struct rutSetup *setup);

/** Make the cells; after the last source. Returns 0 or -ENOMEM. */
int rutUsedReady(struct rutUsed *used);

/** Let all read their counters; of one that takes too long nothing is known. */
void rutUsedRead(struct rutUsed *used, enum rutWhy why);

/** Whether one of them is waited for, a while, when all are read. */
bool rutUsedWaits(const struct rutUsed *used);

/** Whether the value of a column is known: it is no NaN. */
bool rutUsedIsKnown(const struct rutUsed *used, size_t column);

/** Get the CPU time of all threads that read sources; by any thread. */
int64_t rutUsedCpuNs(const struct rutUsed *used);

/** Close all. */
void rutUsedClose(struct rutUsed *used);

#endif
