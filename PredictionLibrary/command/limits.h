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

/** Limits of --limit; 0: none. */
struct limitValues {
	double power;  /**< Of all servers together, W. */
	double memory; /**< Of each server, bytes. */
};

/** What is to be said; all zero is nothing. */
struct limits {
	bool hasPower;     /**< Power is looked at. */
	double limit;      /**< Of all servers, W; or 0. */
	double memory;     /**< Of each server, bytes; or 0. */
	bool hasSubgraphs; /**< Subgraphs are listed. */
	uint64_t findings; /**< Servers and limits that are passed. */
};

/** Options that say them. */
#define LIMITS_OPTION(texts)                                             \
	{                                                                \
		"limit", 0, 0, G_OPTION_ARG_STRING_ARRAY, (texts),       \
			"Limit of all servers together, power=W, or of " \
			"each server, memory=BYTES; may be repeated",    \
			"WHAT=VALUE"                                     \
	}

/** Read values of --limit; NULL is none. @return Exit status. */
int limitsParse(struct predict *predict, char **texts,
		struct limitValues *values);

/** Whether both values keep the limits; an unknown value (NaN) does not. */
bool limitsAreKept(const struct limitValues *limits, double power,
		   double memory);

/** Peak power of all servers together, W; the result has transfers. */
double limitsPeak(const hdPResult *result);

/** Most memory that a server needs, bytes. */
double limitsMemory(const hdPResult *result);

/** Whether a server states its peak power. */
bool limitsHasPeak(const hdPPlatform *platform);

/** Only count findings. */
void limitsCount(struct limits *limits, const hdPPlatform *platform,
		 const hdPResult *result);

/** Add them to JSON, or print them; counts findings. */
void limitsJson(struct limits *limits, const hdPGraph *graph,
		const hdPPlatform *platform, const hdPResult *result,
		struct outJson *json);
void limitsText(struct limits *limits, const hdPGraph *graph,
		const hdPPlatform *platform, const hdPResult *result);

#endif
