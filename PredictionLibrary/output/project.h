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
#include <hdTrace.h>

#include "PredictionLibrary/simulation/simulate.h"

/** When all predicted projects start, in s since the epoch. */
#define HD_PREDICT_START INT64_C(1700000000)

/** What is written. */
struct hdPredictProject {
	const hdPResult *result;
	const char *name;
	hdTopology *topology;
	struct hdPredictRoutes *routes;
	uint32_t *first;  /**< First message of each task, or NONE. */
	uint32_t *next;   /**< Next message of the same task. */
	uint32_t *rank;   /**< Of each message: that of its first bridge. */
	uint32_t *byEdge; /**< Messages by bridge, and by their ends there. */
	uint32_t *edgeFirst;
	uint32_t *lanes; /**< Of each bridge: traces that it takes to show
			  *   what shares it. */
	struct hdPredictCauses *causes;
};

/** Nothing: it began at 0. */
#define HD_PREDICT_NOTHING UINT64_MAX

struct hdPredictCauses;

/** A time of the simulation, in ns. */
int64_t hdPredictNs(double seconds);

/** A time of the simulation, since the epoch. */
struct timespec hdPredictTime(double seconds);

/** Node of a host (@p rank is NONE), or of a rank in it, and of one of its
 *  threads; NULL after an error. */
hdTopoNode *hdPredictTopoNode(const struct hdPredictProject *project,
			      uint32_t server, uint32_t rank, uint32_t thread);

/** Label of a server, without what separates levels, to be freed; that of NONE
 *  is "network". NULL: no memory. */
char *hdPredictHostLabel(const hdPPlatform *platform, uint32_t server);

/** Write the project file: PEs, and bridges that have lanes. @p groups ends
 * with NULL. 0 or negative errno. */
int hdPredictProjectFile(const struct hdPredictProject *project,
			 const char *description, const char *const *groups);

/** Say in the state of a task what the graph has of it: values of variables,
 *  where inputs come from, its PE; in that of the first one also the kernels.
 */
bool hdPredictLogGraph(const hdPGraph *graph, hdTrace *trace, uint32_t task,
		       const char *pe);

/** Room for the name of a state; what is longer is cut off. */
#define HD_PREDICT_STATE_SIZE 200

/** A kernel's id, as the name of a state. */
void hdPredictStateName(const char *id, char *name, size_t size);

/** Say the id of a task in the state that is open in a trace, all of it. False:
 *  an error of the trace, or no memory. */
bool hdPredictLogId(hdTrace *trace, const char *name, const hdPGraph *graph,
		    uint32_t task);

/** Say in the state that is open in a trace what a task is: the architecture
 *  of its PEs, their number if there are several, the values of its variables
 * (those that attributes can be named by), and its tile. False: an error of the
 * trace. */
bool hdPredictLogTask(hdTrace *trace, const hdPGraph *graph,
		      const hdPPlatform *platform,
		      const struct hdPredictPlan *plan, uint32_t task);

/** Say in the state that is open in the trace of a further PE of a task which
 *  task it is a part of, and the architecture. False: an error of the trace. */
bool hdPredictLogPart(hdTrace *trace, const hdPGraph *graph,
		      const hdPPlatform *platform, uint32_t task, uint32_t pe);

/** Start to tell causes of what is in order in @p project; NULL: no memory. */
struct hdPredictCauses *hdPredictCausesNew(
	const struct hdPredictProject *project);

/** Free it; NULL does nothing. */
void hdPredictCausesFree(struct hdPredictCauses *self);

/**
 * What had to end before an activity could begin, and did just then.
 *
 * @param activity The number of a task; or of a transfer, after all tasks.
 * @param[out] cause The number of one that took time, or HD_PREDICT_NOTHING.
 * @return 0 or -ENOMEM.
 */
int hdPredictCause(struct hdPredictCauses *self, uint64_t activity,
		   uint64_t *cause);

/** Write traces of PEs and bridges; 0 or negative errno. */
int hdPredictTraces(const struct hdPredictProject *project);

/** Write power of servers; 0 or negative errno. */
int hdPredictPowers(const struct hdPredictProject *project);

/** Write gauges of servers: pending transfers, memory; likewise. */
int hdPredictGauges(const struct hdPredictProject *project);

#endif
