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

/** Print it on stdout; errors stick to that. Findings are counted. */
void summaryPrint(const hdPGraph *graph, const hdPPlatform *platform,
		  const hdPResult *result, const struct samples *samples,
		  struct limits *limits, bool isJson, bool hasTasks);

/** Print tasks that wait for ever, as JSON. */
void summaryPrintDeadlock(const hdPGraph *graph, const hdPPlatform *platform,
			  const hdPDeadlock *deadlock);

#endif
