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
struct ptPowerColumn {
	size_t group, column;
};

struct ptPowerSum {
	pthread_mutex_t mutex;
	struct ptIntegral integral; /**< A value for each of the columns. */
	struct ptPowerColumn *columns;
	size_t count;
	int64_t fromNs; /**< 0 before it has begun. */
};

/** Prepare. */
void ptPowerSumInit(struct ptPowerSum *sum);

/** Take the columns that are watts; as opened() of a recorder. */
void ptPowerSumOpen(struct ptPowerSum *sum,
		    const struct ptRecorderGroup *groups, size_t count);

/** Add a reading. */
void ptPowerSumAdd(struct ptPowerSum *sum, size_t group,
		   const struct ptRecorderReading *reading);

/** From now on it counts. */
void ptPowerSumBegin(struct ptPowerSum *sum, int64_t ns);

/** Until then it counts. */
void ptPowerSumEnd(struct ptPowerSum *sum, int64_t ns);

/** Free what it has. */
void ptPowerSumClear(struct ptPowerSum *sum);

#endif
