/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Whether power passes what it may be, and parts of a graph that do not depend
 * on each other.
 */
#ifndef HD_PREDICT_LIMITS_H
#define HD_PREDICT_LIMITS_H

#include "PredictionLibrary/command/hdpredict.h"

/** Excesses that are listed, of each thing that has a limit. */
#define LIMITS_SHOWN 20

/** What is to be said; all zero is nothing. */
struct limits {
	bool hasPower;     /**< Power is looked at. */
	double limit;      /**< Of all servers, W; or 0. */
	bool hasSubgraphs; /**< Subgraphs are listed. */
	uint64_t findings; /**< Servers and limits that are passed. */
};

/** Whether a server states its peak power. */
bool limitsHasPeak(const hdPPlatform *platform);

/** Add them to JSON, or print them; counts findings. */
void limitsJson(struct limits *limits, const hdPGraph *graph,
		const hdPPlatform *platform, const hdPResult *result,
		struct outJson *json);
void limitsText(struct limits *limits, const hdPGraph *graph,
		const hdPPlatform *platform, const hdPResult *result);

#endif
