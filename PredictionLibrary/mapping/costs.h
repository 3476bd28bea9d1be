/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A resource model, as a graph and a platform see it.
 */
#ifndef HD_PREDICT_COSTS_H
#define HD_PREDICT_COSTS_H

#include "PredictionLibrary/model/graph.h"
#include "PredictionLibrary/model/platform.h"
#include "PredictionLibrary/model/resources.h"

/** No entry, or not one that is more specific than all others. */
#define HD_PREDICT_NO_ENTRY HD_PREDICT_NONE
#define HD_PREDICT_TIE (HD_PREDICT_NONE - 1)
/** It accesses files in a way that has no costs there. */
#define HD_PREDICT_NO_IO (HD_PREDICT_NONE - 2)

/** Kernels that run beside one. */
struct hdPredictLoad {
	uint32_t kernel;
	uint32_t count;
};

/** What was not listed. */
enum hdPredictGuess {
	HD_PREDICT_MIXED = 1,  /**< Mean of several entries. */
	HD_PREDICT_BEYOND = 2, /**< More than listed. */
};

struct hdPredictCosts;

/** Bind them; NULL: no memory. */
struct hdPredictCosts *hdPredictCostsNew(const hdPGraph *graph,
					 const hdPPlatform *platform,
					 const hdPResources *resources);

/** Free it; NULL does nothing. */
void hdPredictCostsFree(struct hdPredictCosts *costs);

/** Find the entry for a configuration of the graph on some PEs of an
 *  architecture: its number, HD_PREDICT_NO_ENTRY, HD_PREDICT_TIE or
 *  HD_PREDICT_NO_IO. */
uint32_t hdPredictCostsFind(struct hdPredictCosts *costs, uint32_t config,
			    uint32_t architecture, uint32_t pes);

/** Numbers of PEs above 1 that any entry is for, ascending; their count is 0 if
 *  each task runs on one PE. */
const uint32_t *hdPredictCostsCounts(const struct hdPredictCosts *costs,
				     uint32_t *count);

/** Whether that is the number of an entry. */
static inline bool hdPredictIsEntry(uint32_t found)
{
	return found < HD_PREDICT_NO_IO;
}

/** Add to time and energy of a task what its accesses to files take; it has an
 *  entry. */
void hdPredictCostsIo(const struct hdPredictCosts *costs, uint32_t config,
		      uint32_t architecture, double *time, double *energy);

/** Whether kernels slow each other down on an architecture. */
bool hdPredictHasSlowdown(const struct hdPredictCosts *costs,
			  uint32_t architecture);

/** Slowdown of a kernel by others. @p guess takes flags of hdPredictGuess. */
double hdPredictSlowdownOf(const struct hdPredictCosts *costs,
			   uint32_t architecture, uint32_t kernel,
			   const struct hdPredictLoad *loads, size_t count,
			   unsigned int *guess);

#endif
