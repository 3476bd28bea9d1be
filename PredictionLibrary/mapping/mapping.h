/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Which task runs where, and in which order.
 */
#ifndef HD_PREDICT_MAPPING_H
#define HD_PREDICT_MAPPING_H

#include "PredictionLibrary/mapping/costs.h"
#include "PredictionLibrary/mapping/sets.h"
#include "PredictionLibrary/model/graph.h"
#include "PredictionLibrary/model/platform.h"

/** A mapping with numbers. All zero is none. */
struct hdPredictPlan {
	uint32_t *pe;    /**< Of each task, its first one. */
	uint32_t *place; /**< Of each task; NULL: each has one PE. */
	struct hdPredictSets sets;
	uint32_t *order; /**< Tasks by PE, and by their priority there. */
	uint32_t *first; /**< Of each PE in order, and the end. */
};

/** PEs that run a task, ascending. */
static inline const uint32_t *hdPredictPlanPes(const struct hdPredictPlan *plan,
					       const hdPPlatform *platform,
					       uint32_t task, uint32_t *count)
{
	*count = 1;
	return plan->place ? hdPredictSetsPes(&plan->sets, platform,
					      &plan->place[task], count)
			   : &plan->pe[task];
}

/** Whether several PEs run a task. */
static inline bool hdPredictPlanIsSet(const struct hdPredictPlan *plan,
				      uint32_t task)
{
	return plan->place && plan->place[task] != plan->pe[task];
}

/** Name of the PEs that run a task, as in a mapping, to be freed; NULL: no
 *  memory. */
char *hdPredictPlanName(const struct hdPredictPlan *plan,
			const hdPPlatform *platform, uint32_t task);

/** Order tasks by their PEs, as they are in the list; 0 or -ENOMEM. Needs
 *  place. */
int hdPredictPlanGroup(struct hdPredictPlan *plan, const hdPPlatform *platform,
		       const uint32_t *tasks, uint32_t count);

/**
 * Make it of the mapping of a graph.
 *
 * @retval -EINVAL Not every task is mapped, or to where it can run; reported.
 * @return 0, or -ENOMEM.
 */
int hdPredictPlanMake(const hdPGraph *graph, const hdPPlatform *platform,
		      struct hdPredictCosts *costs, struct hdPredictPlan *plan,
		      struct hdPredictReport *report);

/** Find the place that each task is pinned to, or NONE, in an array to be
 *  freed. 0, -ENOMEM, or -EINVAL: there is no such PE; reported. */
int hdPredictPinsFind(const hdPGraph *graph, const hdPPlatform *platform,
		      struct hdPredictSets *sets, uint32_t **pins,
		      struct hdPredictReport *report);

/** Find the place that a task is mapped or pinned to, as hdPredictSetsFind();
 *  what is wrong is reported, after @p what. */
int hdPredictPlaceFind(const hdPGraph *graph, const hdPPlatform *platform,
		       struct hdPredictSets *sets, uint32_t task,
		       const char *what, const char *name, size_t length,
		       uint32_t *place, struct hdPredictReport *report);

/** Report something of a task: the text, then the name. */
void hdPredictTaskError(const hdPGraph *graph, struct hdPredictReport *report,
			uint32_t task, const char *text, const char *name,
			size_t length);

/** Report that the PE of a task is of a node that is switched off, if it is. */
void hdPredictCheckIsOn(const hdPGraph *graph, const hdPPlatform *platform,
			uint32_t task, uint32_t pe,
			struct hdPredictReport *report);

/** Report that a task is pinned to one place, but mapped to another one. */
void hdPredictPinError(const hdPGraph *graph, const hdPPlatform *platform,
		       const struct hdPredictSets *sets, uint32_t task,
		       uint32_t pin, uint32_t place,
		       struct hdPredictReport *report);

/** Sort tasks by priority; those that are equal, by their place in the file.
 *  0 or -ENOMEM. */
int hdPredictSortByPriority(const hdPGraph *graph, uint32_t *tasks,
			    size_t count);

/** Free what is in it. */
void hdPredictPlanFree(struct hdPredictPlan *plan);

/** Report that a task has no costs on a number of PEs, or several: @p found is
 *  that what hdPredictCostsFind() said. */
void hdPredictNoEntry(const hdPGraph *graph, const hdPPlatform *platform,
		      uint32_t task, uint32_t architecture, uint32_t pes,
		      uint32_t found, struct hdPredictReport *report);

#endif
