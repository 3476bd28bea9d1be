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
#include "PredictionLibrary/mapping/mapping.h"
#include "PredictionLibrary/mapping/routes.h"
#include "PredictionLibrary/model/graph.h"
#include "PredictionLibrary/model/platform.h"
#include "PredictionLibrary/model/events.h"
#include "common/hashmap/hashmap.h"

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
	struct hdPredictPlan plan; /**< Which ran where, in its order. */
	double *energy;            /**< Of each task, if it is kept; or NULL. */
	struct hdPredictUse *uses[4]; /**< By hdPWhat. */
	struct hdPredictTransfer *transfers;
	size_t transferCount, transferRoom;
	struct hdPredictFill *fills;
	size_t fillCount, fillRoom;
	/** Of power: where they are kept, NULL until they are asked for. */
	struct hdPredictChanges **changes;
	bool isWithoutUnused;
	bool isShared; /**< Bridges were: HDP_SHARE. */
	/** Of samples, if they are kept: 5 and 95 % of time, dynamic energy and
	 *  all energy. */
	bool hasInterval;
	double interval[3][2];
};

/* What is looked at together lies together, since where there are many nodes
 * each thing is far from the one before. */

/** Of a task. */
struct hdPredictState {
	uint32_t pe, server; /**< The first PE of several. */
	uint32_t missing;    /**< Inputs that are not there. */
};

/** A PE that runs. Of a task on several PEs, the first one has what is left of
 *  it. */
struct hdPredictRun {
	uint32_t task; /**< Or NONE. */
	uint32_t head; /**< The next one, or NONE. */
	uint32_t next; /**< Its place in the tasks by PE. */
	uint32_t end;  /**< Of its tasks there. */
	uint32_t server, domain, architecture;
	bool isTouched;
	double left, slow, last; /**< Seconds without slowdown, slowdown, when
				      that was so. */
	double idleSince;
	uint64_t tasks;
	uint64_t
		shared; /**< Of these, those that another PE is the first of. */
	double busy, waitData, waitPe, energy;
};

/** A server. */
struct hdPredictStore {
	double used, peak, size;
	uint32_t stamp, last, first; /**< Of a data set that is sent to it. */
	uint32_t waiting; /**< First class that waits for memory, or NONE. */
	uint64_t pending; /**< Messages that it has to send. */
	double pendingSince;
	bool isOver, isWaiting;
	enum hdPredictFull full;
};

/** A message that waits or is on its way. */
struct hdPredictParcel {
	uint32_t number, first, dataSet;
	uint32_t from, to; /**< Servers. */
	double size, ready;
};

/** What messages wait for. */
enum hdPredictWait {
	HD_PREDICT_NO_WAIT, /**< There is none, or one is about to begin. */
	HD_PREDICT_WAIT_EDGE,
	HD_PREDICT_WAIT_MEMORY,
	HD_PREDICT_WAIT_TURN, /**< For its number at this moment. */
};

/** Messages from one server to another one that wait. */
struct hdPredictClass {
	uint32_t from, to;
	enum hdPredictWait wait;
	uint32_t edge;  /**< That they wait for. */
	uint32_t place; /**< In its watchers. */
	uint32_t next;  /**< Class that waits for the same memory; free one. */
	struct hdPredictParcel *heap; /**< By number. */
	uint32_t count;
	size_t room;
};

/** A class that waits for an edge. */
struct hdPredictWatcher {
	uint32_t number; /**< The lowest of its messages. */
	uint32_t class;
};

/** An edge, as messages see it. */
struct hdPredictLane {
	bool isBusy;
	uint32_t count;                    /**< Classes that wait for it. */
	struct hdPredictWatcher *watchers; /**< Heap of these, by number. */
	size_t room;
	double init, size, latency, energy; /**< As of the platform. */
	uint64_t messages;
	double bytes, busy, transfers;
};

/** What may begin at this moment. */
enum hdPredictWhat {
	HD_PREDICT_NEW,   /**< A message that is ready now. */
	HD_PREDICT_CLASS, /**< A class that waited for memory. */
	HD_PREDICT_EDGE,  /**< The first class that waits for an edge. */
};

/** One of these. */
struct hdPredictCandidate {
	uint32_t number; /**< Of the message. */
	enum hdPredictWhat what;
	uint32_t which;
};

/** A transfer. */
struct hdPredictFlow {
	struct hdPredictParcel parcel;
	uint32_t *path; /**< Edges. */
	size_t pathRoom;
	uint32_t length;
	uint32_t next; /**< Free one. */
	bool isOpen;   /**< Its payload goes. */
	double start, left, rate, last, latest;
};

/** What is the same for all samples: made once, then only read. */
struct hdPredictBase {
	const hdPGraph *graph;
	const hdPPlatform *platform;
	const hdPResources *resources;
	struct hdPredictCosts *costs;
	struct hdPredictPlan plan;
	uint64_t *counters; /**< By which tasks draw, or NULL: means. */
	uint32_t *domainPes, *domainFirst; /**< PEs by domain. */
	uint32_t *serverPes, *serverFirst; /**< PEs by server. */
};

/** A simulation, which can run again and again. */
struct hdPredictSim {
	const struct hdPredictBase *base;
	const hdPGraph *graph;
	const hdPPlatform *platform;
	hdPOptions options;
	struct hdPredictReport *report;
	struct hdPredictRoutes *routes;
	hdPResult *result;
	double now;
	uint64_t done; /**< Tasks that ended. */
	uint64_t told; /**< Of these, those that the progress knows. */
	int error;

	struct hdPredictEvents events; /**< PEs, then flows. */
	struct hdPredictState *states;
	struct hdPredictRun *runs;
	uint32_t *touched;
	uint32_t touchedCount;
	bool *isDomainTouched;
	uint32_t *domains;
	uint32_t domainCount;
	struct hdPredictLoad *loads; /**< Of one domain. */

	struct hdPredictStore *stores;
	uint32_t *users;  /**< Of each data set where it was made. */
	uint32_t *copy;   /**< Of each input: message it came by, or NONE. */
	uint32_t *copies; /**< Of each message: tasks that need it still. */
	uint32_t *chain;  /**< Next consumer of the same message. */

	struct hdPredictLane *lanes;   /**< By edge. */
	struct hdPredictParcel *fresh; /**< Messages that are ready now. */
	size_t freshCount, freshRoom;
	struct hdPredictCandidate *candidates; /**< Heap, by number. */
	size_t candidateCount, candidateRoom;
	struct hdPredictClass *classes;
	size_t classCount, classRoom;
	uint32_t freeClass;
	struct hdMap classOf; /**< Classes by their two servers. */
	struct hdPredictFlow *flows;
	size_t flowCount, flowRoom;
	uint32_t freeFlow;
	bool isShareStale;
	double *load, *room; /**< By edge, for sharing. */
};

/**
 * Bind models to each other.
 *
 * @param isSampled Whether times and energies are drawn.
 * @retval -EINVAL The mapping is wrong; reported.
 * @return 0, or -ENOMEM. What was made is to be freed in any case.
 */
int hdPredictBaseMake(struct hdPredictBase *base, bool isSampled,
		      struct hdPredictReport *report);

/** Free what was made; the models stay. */
void hdPredictBaseFree(struct hdPredictBase *base);

/** Prepare a simulation; NULL: no memory. */
struct hdPredictSim *hdPredictSimNew(const struct hdPredictBase *base,
				     const hdPOptions *options);

/** Free it, and its result if that was not taken; NULL does nothing. */
void hdPredictSimFree(struct hdPredictSim *sim);

/** Forget the last run. */
void hdPredictSimReset(struct hdPredictSim *sim);

/** Run it, from the beginning; results as hdP_simulate(). What is in its result
 *  holds until the next run. */
int hdPredictSimRun(struct hdPredictSim *sim, uint64_t sample,
		    struct hdPredictReport *report);

/** A message is ready. */
void hdPredictSend(struct hdPredictSim *sim,
		   const struct hdPredictParcel *parcel);

/** A server has one message more to send, or less: 1 or -1. */
void hdPredictPending(struct hdPredictSim *sim, uint32_t server, int change);

/** Let messages begin. */
void hdPredictSendAll(struct hdPredictSim *sim);

/** Classes that wait for memory of a server may go on. */
void hdPredictRetry(struct hdPredictSim *sim, uint32_t server);

/** An edge is free again. */
void hdPredictVacate(struct hdPredictSim *sim, uint32_t edge);

/** Forget all that waits, or free it. */
void hdPredictWaitingReset(struct hdPredictSim *sim);
void hdPredictWaitingFree(struct hdPredictSim *sim);

/** A message begins, as its path is free. */
void hdPredictBegin(struct hdPredictSim *sim,
		    const struct hdPredictParcel *parcel, const uint32_t *path,
		    uint32_t length);

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

/** Who waits for memory of a server may go on: there is more, or a task needs
 *  less since it alone needs what it replaces in place. */
void hdPredictWakeWaiting(struct hdPredictSim *sim, uint32_t server);

/** Report that a number is more than a double can hold. */
void hdPredictBeyond(struct hdPredictSim *sim, const char *what);

/** Report why nothing goes on. */
void hdPredictStuck(struct hdPredictSim *sim);

/** Note that there is no memory. */
static inline void hdPredictFailed(struct hdPredictSim *sim, int error)
{
	if (!sim->error)
		sim->error = error;
}

#endif
