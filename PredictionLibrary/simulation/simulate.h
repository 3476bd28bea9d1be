/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A simulation that runs, and its result.
 *
 * Time goes from moment to moment. At each, first all that ends ends: tasks and
 * transfers. Then messages begin, those with the lowest numbers first, and then
 * tasks, by the order of PEs; what takes no time ends in the next round of the
 * same moment.
 */
#ifndef HD_PREDICT_SIMULATE_H
#define HD_PREDICT_SIMULATE_H

#include "PredictionLibrary/mapping/costs.h"
#include "PredictionLibrary/model/graph.h"
#include "PredictionLibrary/model/platform.h"
#include "PredictionLibrary/mapping/routes.h"
#include "PredictionLibrary/model/events.h"

/** What a kernel, PE, server or bridge did; see hdPUse. */
struct hdPredictUse {
	uint64_t tasks;
	double busy, waitData, waitPe, energy, transfers, bytes, peak;
};

/** A transfer that was kept. */
struct hdPredictTransfer {
	uint32_t consumer; /**< First, in the consumers of the graph. */
	uint32_t dataSet;
	uint32_t source, destination;
	double ready, start, end;
};

/** The memory of a server that is in use, from a time on; kept, too. */
struct hdPredictFill {
	double at, used;
	uint32_t server;
};

struct hdPResult {
	const hdPGraph *graph;
	const hdPPlatform *platform;
	hdPTotals totals;
	double *start, *end;
	uint32_t *pe;
	double *energy; /**< Of each task, if it is kept; or NULL. */
	struct hdPredictUse *uses[4]; /**< By hdPWhat. */
	struct hdPredictTransfer *transfers;
	size_t transferCount, transferRoom;
	struct hdPredictFill *fills;
	size_t fillCount, fillRoom;
	/** Of power; NULL until they are asked for. */
	struct hdPredictChanges *changes;
	bool isWithoutUnused;
};

/** What is looked at together of a task. */
struct hdPredictState {
	uint32_t pe;
	uint32_t missing; /**< Inputs that are not there. */
};

/** A PE that runs. */
struct hdPredictRun {
	uint32_t task; /**< Or NONE. */
	uint32_t next; /**< In the tasks by PE. */
	uint32_t end;  /**< Of its tasks there. */
	bool isTouched;
	double left, slow, last; /**< Seconds without slowdown, slowdown, when
				      that was so. */
	double idleSince;
};

/** A server. */
struct hdPredictStore {
	double used;
	uint32_t stamp, last, first; /**< Of a data set that is sent to it. */
	bool isOver, isWaiting;
	uint32_t waiting; /**< First class that waits for memory, or NONE. */
};

/** A message that waits or is on its way. */
struct hdPredictParcel {
	uint32_t number, first, dataSet;
	double size, ready;
};

/** All messages from one server to another one. */
struct hdPredictClass {
	uint32_t from, to;
	uint32_t path; /**< In paths. */
	uint32_t length;
	struct hdPredictParcel *heap; /**< By number. */
	uint32_t count;
	size_t room;
	uint32_t next; /**< Class that waits for the same. */
	bool isWaiting, isCandidate;
};

/** A transfer. */
struct hdPredictFlow {
	struct hdPredictParcel parcel;
	uint32_t class;
	uint32_t next; /**< Free one. */
	bool isOpen;   /**< Its payload goes. */
	double start, left, rate, last, latest;
};

/** A simulation. */
struct hdPredictSim {
	const hdPGraph *graph;
	const hdPPlatform *platform;
	const hdPResources *resources;
	const hdPOptions *options;
	struct hdPredictReport *report;
	struct hdPredictCosts *costs;
	struct hdPredictRoutes *routes;
	hdPResult *result;
	double now;
	uint64_t done; /**< Tasks that ended. */
	uint64_t told; /**< Of these, those that options->progress knows. */
	int error;

	struct hdPredictEvents events; /**< PEs, then flows. */
	struct hdPredictState *states;
	uint32_t *order; /**< Tasks by PE. */
	struct hdPredictRun *runs;
	uint32_t *touched;
	uint32_t touchedCount;
	uint32_t *domainPes, *domainFirst; /**< PEs by domain. */
	bool *isDomainTouched;
	uint32_t *domains;
	uint32_t domainCount;
	struct hdPredictLoad *loads; /**< Of one domain. */

	struct hdPredictStore *stores;
	uint32_t *serverPes, *serverFirst; /**< PEs by server; if some delay. */
	uint32_t *users;  /**< Of each data set where it was made. */
	uint32_t *copy;   /**< Of each input: message it came by, or NONE. */
	uint32_t *copies; /**< Of each message: tasks that need it still. */
	uint32_t *chain;  /**< Next consumer of the same message. */

	struct hdPredictNames classNames; /**< Pairs of servers, if many. */
	uint32_t *classOf;                /**< Else a table of them. */
	struct hdPredictClass *classes;
	size_t classCount, classRoom;
	uint32_t *paths;
	size_t pathCount, pathRoom;
	uint32_t *candidates;
	size_t candidateCount, candidateRoom;
	bool *isBusy;      /**< By edge. */
	uint32_t *watcher; /**< By edge: first class that waits for it. */
	struct hdPredictFlow *flows;
	size_t flowCount, flowRoom;
	uint32_t freeFlow;
	bool isShareStale;
	double *load, *room; /**< By edge, for sharing. */
};

/** A message is ready. */
void hdPredictSend(struct hdPredictSim *sim, uint32_t from, uint32_t to,
		   const struct hdPredictParcel *parcel);

/** Let messages begin. */
void hdPredictSendAll(struct hdPredictSim *sim);

/** A class of messages that waited for memory may go on. */
void hdPredictRetry(struct hdPredictSim *sim, uint32_t class);

/** A transfer is where it was to be at this time. */
void hdPredictFlowEvent(struct hdPredictSim *sim, uint32_t flow);

/** Give rates to flows that share bridges. */
void hdPredictShare(struct hdPredictSim *sim);

/** An input of a task is there. */
void hdPredictArrive(struct hdPredictSim *sim, uint32_t task);

/** Look at a PE again. */
static inline void hdPredictTouch(struct hdPredictSim *sim, uint32_t pe)
{
	if (!sim->runs[pe].isTouched) {
		sim->runs[pe].isTouched = true;
		sim->touched[sim->touchedCount++] = pe;
	}
}

/** Whether there is memory for something; it is noted who waits if not. */
bool hdPredictHasMemory(struct hdPredictSim *sim, uint32_t server, double size);

/** Use memory. */
void hdPredictTakeMemory(struct hdPredictSim *sim, uint32_t server, double size,
			 uint32_t task);

/** Give it back. */
void hdPredictGiveMemory(struct hdPredictSim *sim, uint32_t server,
			 double size);

/** Report why nothing goes on. */
void hdPredictStuck(struct hdPredictSim *sim);

/** Note that there is no memory. */
static inline void hdPredictFailed(struct hdPredictSim *sim, int error)
{
	if (!sim->error)
		sim->error = error;
}

#endif
