/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Wait states: the time that ranks and threads spent in calls until another one
 * did what they waited for (doc/findings.md).
 *
 * They are found in what model/causes puts together, so that all that belongs
 * to a call is seen at once. Of a call that waits for several only the largest
 * wait counts. The memory does not grow with the traces: what is found is
 * sorted on disk.
 */
#ifndef HD_WAITS_H
#define HD_WAITS_H

#include "HDTraceTools/model/causes/dependencies.h"
#include "HDTraceTools/model/waits/kinds.h"

/** A wait, all of it in one call. */
struct wait {
	uint32_t trace; /**< That waited: its place in the project. */
	uint32_t cause; /**< That it waited for, likewise. */
	int64_t rank;   /**< Among all; -1: none. */
	int64_t start;
	int64_t end;
	uint32_t kind;     /**< enum waitKind */
	bool isWrongOrder; /**< Counts for WAIT_WRONG_ORDER, too. */
	uint8_t certainty; /**< enum dependencyCertainty */
};

/** The cause is not known. */
#define WAIT_NO_CAUSE UINT32_MAX

struct waits;

/** A sorter (base/sorter.h) for struct wait, by start. */
struct sorter *waitSorterNew(void);

/** Start with none. */
struct waits *waitsNew(void);

/** Free it; NULL does nothing. */
void waitsFree(struct waits *self);

/** Find waits in what belongs together; data is the struct waits. 0 or a
 *  negative errno. */
int waitsTake(const struct dependencyMatch *match, void *data);

/** Note a state in which a thread waits for a lock, of a trace and its rank;
 * any thread. Other states are ignored. 0 or a negative errno. */
int waitsNote(struct waits *self, uint32_t trace, int64_t rank,
	      const hdIRecord *record);

/** Take the next one, by trace and start. After the first call nothing may be
 *  added. 1: @p wait is set, 0: that was all; or a negative errno. */
int waitsNext(struct waits *self, struct wait *wait);

#endif
