/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Which task runs where, and in which order.
 */
#ifndef HD_PREDICT_MAPPING_H
#define HD_PREDICT_MAPPING_H

#include "PredictionLibrary/mapping/costs.h"
#include "PredictionLibrary/model/graph.h"
#include "PredictionLibrary/model/platform.h"

/** A mapping with numbers. All zero is none. */
struct hdPredictPlan {
	uint32_t *pe;    /**< Of each task. */
	uint32_t *order; /**< Tasks by PE, and by their priority there. */
	uint32_t *first; /**< Of each PE in order, and the end. */
};

/**
 * Make it of the mapping of a graph.
 *
 * @retval -EINVAL Not every task is mapped, or to where it can run; reported.
 * @return 0, or -ENOMEM.
 */
int hdPredictPlanMake(const hdPGraph *graph, const hdPPlatform *platform,
		      struct hdPredictCosts *costs, struct hdPredictPlan *plan,
		      struct hdPredictReport *report);

/** Free what is in it. */
void hdPredictPlanFree(struct hdPredictPlan *plan);

/** Report that a task has no costs, or several: @p found is that what
 *  hdPredictCostsFind() said. */
void hdPredictNoEntry(const hdPGraph *graph, const hdPPlatform *platform,
		      uint32_t task, uint32_t architecture, uint32_t found,
		      struct hdPredictReport *report);

#endif
