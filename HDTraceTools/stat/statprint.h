/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace stat: a running command, and how its results are printed.
 */
#ifndef HD_STATPRINT_H
#define HD_STATPRINT_H

#include <stdbool.h>
#include <stdint.h>
#include <glib.h>

#include "HDTraceTools/command/phaseoptions.h"
#include "HDTraceTools/command/core/scan.h"
#include "HDTraceTools/command/core/tool.h"
#include "HDTraceTools/command/windowoption.h"
#include "HDTraceTools/model/attribution.h"
#include "HDTraceTools/model/extent.h"
#include "HDTraceTools/model/summary.h"
#include "cli/output.h"
#include "cli/rows.h"

/** What the whole command works on. */
struct statRun {
	struct tool *tool;
	const hdIProject *project;
	struct selection selection;
	struct scan scan;
	size_t chosen; /**< Groups that were summarized. */
	struct phases phases;
	struct phaseOptions phaseOptions;
	struct windowOption window;
	char *regions;
	gboolean isBySite;
	gboolean isShares;
	gboolean isVolume;
	gboolean isSamples;
	char *ruleText;
	gboolean isAsRecorded;
	gboolean isVerbose;
	enum attributionRule rule;
	bool hasPhases;
	struct extent extent; /**< Of the run. */
	GArray *waiting;      /**< struct statWaiting */
	struct rows *rows;
	struct outJson json;
};

/** What work on one group needs. */
struct statGroup {
	struct statRun *run;
	const hdIGroup *group;
	struct summary summary;
	bool hasMissing; /**< There was a NaN. */
	bool isPartial;  /**< Not all of a phase is known. */
	bool hasGauges;
	bool hasAmounts;
	bool hasGuesses;
	size_t waiting;   /**< Rows of the table, where there are windows. */
	bool isContinued; /**< The table is not the first one of the group. */
	uint64_t *resets; /**< Of each value, where it is a counter. */
};

enum {
	COLUMN_PHASE_TITLE,
	COLUMN_FROM,
	COLUMN_DURATION,
	COLUMN_TITLE,
	COLUMN_KIND_TITLE,
	COLUMN_NODE,
	COLUMN_GROUP,
	COLUMN_VALUE,
	COLUMN_TYPE,
	COLUMN_UNIT,
	COLUMN_PHASE,
	COLUMN_START,
	COLUMN_END,
	COLUMN_PHASES,
	COLUMN_COUNT,
	COLUMN_NAN,
	COLUMN_SECONDS,
	COLUMN_MEAN,
	COLUMN_MIN,
	COLUMN_MAX,
	COLUMN_STDDEV,
	COLUMN_SUM,
	COLUMN_INTEGRAL,
	COLUMN_INTEGRAL_TITLE,
	COLUMN_INTEGRAL_UNIT,
	COLUMN_TOTAL_SHOWN,
	COLUMN_TOTAL_TITLE,
	COLUMN_RATE_SHOWN,
	COLUMN_RATE_TITLE,
	COLUMN_SIMULATED,
	COLUMN_DURATION_S,
	COLUMN_KNOWN,
	COLUMN_KIND,
	COLUMN_KIND_GUESSED,
	COLUMN_TOTAL,
	COLUMN_TOTAL_UNIT,
	COLUMN_RATE,
	COLUMN_RATE_UNIT,
	COLUMN_RATE_MIN,
	COLUMN_RATE_MAX,
	COLUMN_RESETS,
};

/** What is printed of a value in a phase. */
extern const struct rowColumn statColumns[];

/** Print the results of a phase of a group. */
void statPrintSlot(struct statGroup *work, const struct summarySlot *slot,
		   const char *phase);

#endif
