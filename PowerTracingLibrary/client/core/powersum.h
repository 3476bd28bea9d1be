/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The columns of a recorder, or of this machine's own meters, that are watts,
 * added up while a command runs.
 *
 * Of own meters only those count that make up the node (common/nodepower.h).
 * As counters may turn out not to count, this is looked at again with each
 * window of readings.
 *
 * Opened and added to by the recorder's thread, begun and ended by another one.
 */
#ifndef PT_POWERSUM_H
#define PT_POWERSUM_H

#include <pthread.h>

#include <glib.h>

#include "PowerTracingLibrary/client/core/integral.h"
#include "PowerTracingLibrary/client/core/recorder.h"
#include "common/nodepower.h"

/** How many choices have a peak of their own. */
#define PT_POWER_PEAKS 4

/** A column that is watts. */
struct ptPowerColumn {
	size_t group, column;
};

/** The peak of a choice. */
struct ptPowerPeak {
	bool *isLeftOut; /**< One for each column. */
	double watts;
};

struct ptPowerSum {
	pthread_mutex_t mutex;
	struct ptIntegral integral; /**< A value for each of the columns. */
	struct ptPowerColumn *columns;
	size_t count;
	int64_t fromNs; /**< 0 before it has begun. */
	/* Of own meters: */
	struct hdPowerChannel *channels; /**< For each column; NULL: all count.
					  */
	struct hdPowerGain *gains;       /**< Of each in the window. */
	int64_t *windowNs;               /**< Length of the window of each. */
	bool isDoubtful;                 /**< Counters have to be judged, */
	bool isJudged;                   /**< and were, once at least. */
	struct ptPowerPeak peaks[PT_POWER_PEAKS];
	size_t peakCount;
};

/** Prepare. */
void ptPowerSumInit(struct ptPowerSum *sum);

/** Take the columns that are watts; as opened() of a recorder. */
void ptPowerSumOpen(struct ptPowerSum *sum,
		    const struct ptRecorderGroup *groups, size_t count);

/**
 * Choose those of the columns that make up this node.
 *
 * @param channels One for each column; what they point to outlives the sum.
 * @param gains Whether each counts, and its resolution.
 */
void ptPowerSumChoose(struct ptPowerSum *sum,
		      const struct hdPowerChannel *channels,
		      const struct hdPowerGain *gains);

/** Add a reading. */
void ptPowerSumAdd(struct ptPowerSum *sum, size_t group,
		   const struct ptRecorderReading *reading);

/** From now on it counts. */
void ptPowerSumBegin(struct ptPowerSum *sum, int64_t ns);

/** Until then it counts. */
void ptPowerSumEnd(struct ptPowerSum *sum, int64_t ns);

/** Judge what is left of the last window, after the last reading. */
void ptPowerSumSettle(struct ptPowerSum *sum);

/** Tell whether it is known which channels count. Called with the mutex. */
static inline bool ptPowerSumIsSettled(const struct ptPowerSum *sum)
{
	return !sum->isDoubtful || sum->isJudged;
}

/** Get the power now; NaN if it is not known, or not yet which channels count.
 *  Called with the mutex. */
double ptPowerSumNow(const struct ptPowerSum *sum);

/** Free what it has. */
void ptPowerSumClear(struct ptPowerSum *sum);

#endif
