/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What hdpower decided in runs, the saving that it expected, and the one that
 * was reached.
 */
#ifndef HD_COMPARE_SAVING_H
#define HD_COMPARE_SAVING_H

#include <stdbool.h>
#include <inttypes.h>
#include <glib.h>

#include "HDTraceTools/command/core/scan.h"
#include "cli/output.h"

struct compare;

/** A setting that hdpower decided, over all runs of a set. */
struct savingDecision {
	char *policy, *path, *old, *now;
	bool isApplied;
	uint64_t count;
	int64_t timeNs;
};

/** A plan of a run. */
struct savingPlan {
	bool isThere, isApplied;
	double time, energy; /**< Expected. */
	double baseTime, baseEnergy;
};

/** What hdpower recorded in a run. */
struct savingRun {
	struct savingPlan plan;
	GArray *decisions; /**< struct savingDecision; NULL: none. */
};

/** A change of B from A as a ratio, and its 95 % interval. */
struct savingRatio {
	double value; /**< NaN: unknown. */
	double low;   /**< NaN: one run has no spread. */
	double high;
};

/** Read what hdpower recorded: states of the traces of hosts. */
void savingRead(const struct scan *scan, struct savingRun *run);

/** Free it. */
void savingFree(struct savingRun *run);

/** Print it, if a run has decisions. */
void savingPrint(const struct compare *self);

/** Write it as the member "saving", if a run has decisions. */
void savingPut(const struct compare *self, struct outJson *json);

#endif
