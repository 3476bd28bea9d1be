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

/** Find the PE that each task is pinned to, or NONE, in an array to be freed.
 *  0, -ENOMEM, or -EINVAL: there is no such PE; reported. */
int hdPredictPinsFind(const hdPGraph *graph, const hdPPlatform *platform,
		      uint32_t **pins, struct hdPredictReport *report);

/** Report something of a task: the text, then the name. */
void hdPredictTaskError(const hdPGraph *graph, struct hdPredictReport *report,
			uint32_t task, const char *text, const char *name,
			size_t length);

/** Report that the PE of a task is of a node that is switched off, if it is. */
void hdPredictCheckIsOn(const hdPGraph *graph, const hdPPlatform *platform,
			uint32_t task, uint32_t pe,
			struct hdPredictReport *report);

/** Report that a task is pinned to one PE, but mapped to another one. */
void hdPredictPinError(const hdPGraph *graph, const hdPPlatform *platform,
		       uint32_t task, uint32_t pin, uint32_t pe,
		       struct hdPredictReport *report);

/** Sort tasks by priority; those that are equal, by their place in the file.
 *  0 or -ENOMEM. */
int hdPredictSortByPriority(const hdPGraph *graph, uint32_t *tasks,
			    size_t count);

/** Free what is in it. */
void hdPredictPlanFree(struct hdPredictPlan *plan);

/** Report that a task has no costs, or several: @p found is that what
 *  hdPredictCostsFind() said. */
void hdPredictNoEntry(const hdPGraph *graph, const hdPPlatform *platform,
		      uint32_t task, uint32_t architecture, uint32_t found,
		      struct hdPredictReport *report);

#endif
