/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Parts of a predicted project: hdP_writeProject().
 *
 * Ranks are PEs, then bridges in one direction; all have one clock that starts
 * at a fixed time.
 */
#ifndef HD_PREDICT_PROJECT_H
#define HD_PREDICT_PROJECT_H

#include <hdTopology.h>

#include "PredictionLibrary/simulation/simulate.h"

/** When all predicted projects start, in s since the epoch. */
#define HD_PREDICT_START INT64_C(1700000000)

/** What is written. */
struct hdPredictProject {
	const hdPResult *result;
	const char *name;
	hdTopology *topology;
	struct hdPredictRoutes *routes;
	uint32_t *byPe;    /**< Tasks by PE, and by time there. */
	uint32_t *peFirst; /**< First of each PE in it, and the end. */
	uint32_t *first;   /**< First message of each task, or NONE. */
	uint32_t *next;    /**< Next message of the same task. */
	uint32_t *rank;    /**< Of each message: that of its first bridge. */
	uint32_t *byEdge;  /**< Messages by bridge, and by time there. */
	uint32_t *edgeFirst;
};

/** A time of the simulation, since the epoch. */
struct timespec hdPredictTime(double seconds);

/** Node of a host, or of a rank in it (not NONE); NULL after an error. */
hdTopoNode *hdPredictTopoNode(const struct hdPredictProject *project,
			      uint32_t server, uint32_t rank);

/** Label of a server, without what separates levels, to be freed; that of NONE
 *  is "network". NULL: no memory. */
char *hdPredictHostLabel(const hdPPlatform *platform, uint32_t server);

/** Write traces of PEs and bridges; 0 or negative errno. */
int hdPredictTraces(const struct hdPredictProject *project);

/** Write power of servers; 0 or negative errno. */
int hdPredictPowers(const struct hdPredictProject *project);

/** Write gauges of servers: pending transfers, memory; likewise. */
int hdPredictGauges(const struct hdPredictProject *project);

#endif
