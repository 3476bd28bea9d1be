/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The columns of a recorder that are watts, added up while a command runs.
 *
 * Opened and added to by the recorder's thread, begun and ended by another one.
 */
#ifndef PT_POWERSUM_H
#define PT_POWERSUM_H

#include <pthread.h>

#include <glib.h>

#include "PowerTracingLibrary/client/integral.h"
#include "PowerTracingLibrary/client/recorder.h"

/** A column that is watts. */
struct powerColumn {
	size_t group, column;
};

struct powerSum {
	pthread_mutex_t mutex;
	struct ptIntegral integral; /**< A value for each of the columns. */
	struct powerColumn *columns;
	size_t count;
	int64_t fromNs; /**< 0 before it has begun. */
};

/** Prepare. */
void powerSumInit(struct powerSum *sum);

/** Take the columns that are watts; as opened() of a recorder. */
void powerSumOpen(struct powerSum *sum, const struct ptRecorderGroup *groups,
		  size_t count);

/** Add a reading. */
void powerSumAdd(struct powerSum *sum, size_t group,
		 const struct ptRecorderReading *reading);

/** From now on it counts. */
void powerSumBegin(struct powerSum *sum, int64_t ns);

/** Until then it counts. */
void powerSumEnd(struct powerSum *sum, int64_t ns);

/** Free what it has. */
void powerSumClear(struct powerSum *sum);

#endif
