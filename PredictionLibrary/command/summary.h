/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What was predicted, as text and JSON.
 */
#ifndef HD_PREDICT_SUMMARY_H
#define HD_PREDICT_SUMMARY_H

#include <stdbool.h>

#include <hdPredict.h>
#include "PredictionLibrary/command/limits.h"
#include "PredictionLibrary/command/samples.h"

/** How much of it, and in which form. */
enum summaryForm {
	SUMMARY_TEXT,
	SUMMARY_TASKS, /**< With each task. */
	SUMMARY_BRIEF, /**< Ten lines. */
	SUMMARY_JSON,
	SUMMARY_JSON_TASKS,
};

/** Print it on stdout; errors stick to that. Findings are counted. */
void summaryPrint(const hdPGraph *graph, const hdPPlatform *platform,
		  const hdPResult *result, const struct samples *samples,
		  struct limits *limits, enum summaryForm form);

/** Print tasks that wait for ever, as JSON. */
void summaryPrintDeadlock(const hdPGraph *graph, const hdPPlatform *platform,
			  const hdPDeadlock *deadlock);

#endif
