/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Running a graph: hdexecute.
 *
 * There is a process for each server of the platform, with a thread for each of
 * its PEs, which runs the tasks of that PE in their order: those that the
 * simulation takes, of the same mapping. The thread that calls
 * hdExecuteTransport() moves data sets, and is the only one that calls MPI. A
 * task on several PEs runs in the thread of the first one, on the CPUs of all;
 * the threads of the others wait until it has ended. A data set goes once to
 * each server that needs it; it is kept as long as there is a task there that
 * does.
 */
#ifndef HD_EXECUTE_H
#define HD_EXECUTE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <hdTopology.h>
#include <hdTrace.h>

#include "PredictionLibrary/kernels/kernels.h"
#include "PredictionLibrary/model/events.h"
#include "PredictionLibrary/simulation/simulate.h"

/** Exit status; as of hdpredict. */
enum hdExecuteStatus {
	HD_EXECUTE_OK,
	HD_EXECUTE_INVALID, /**< The model, a kernel, its results. */
	HD_EXECUTE_FAILED,  /**< Usage, input, output. */
};

/* ---- What is to be done ------------------------------------------------ */

/** A data set that goes to another server. */
struct hdExecuteMessage {
	uint32_t dataSet;
	uint32_t from, to; /**< Servers. */
	uint32_t consumer; /**< Of the dependency with the lowest number. */
	uint32_t number;   /**< That number: messages go in this order. */
	uint32_t edge;     /**< First bridge of its path... */
	uint32_t lastEdge; /**< ...and the last one; NONE: there is only one. */
	bool isShared;     /**< By the last one others come, which this one's
			    *   sender does not keep apart. */
};

/** All of it: the same in each process, but for the server. */
struct hdExecutePlan {
	const hdPGraph *graph;
	const hdPPlatform *platform;
	struct hdPredictBase base;
	uint32_t server;                   /**< This process. */
	uint32_t *producer;                /**< Task of each data set. */
	struct hdExecuteMessage *messages; /**< By data set. */
	uint32_t *messageOf; /**< First of each data set, and the end. */
	uint32_t messageCount;
	uint32_t *arriving; /**< First message to here of each task, or NONE. */
	uint32_t *next;     /**< Next message of the same task. */
	uint32_t *lanes;  /**< Of each bridge: traces. One for each server that
			   *   sends by it first, one for what arrives by it. */
	uint32_t *lane;   /**< Of these, that of this server; or NONE. */
	uint32_t *inLane; /**< That of what arrives here, or stays empty;
			   *   or NONE. */
};

/** Make it; graph, platform, base and server are there. 0 or -ENOMEM. What was
 *  made is to be freed in any case. */
int hdExecutePlanMake(struct hdExecutePlan *plan);

/** Free it, but for the models. */
void hdExecutePlanFree(struct hdExecutePlan *plan);

/** Server of a task. */
static inline uint32_t hdExecuteServer(const struct hdExecutePlan *plan,
				       uint32_t task)
{
	return plan->platform->pes[plan->base.plan.pe[task]].server;
}

/** Architecture of the PEs of a task. */
static inline uint32_t hdExecuteArchitecture(const struct hdExecutePlan *plan,
					     uint32_t task)
{
	return plan->platform->pes[plan->base.plan.pe[task]].architecture;
}

/** Last bridge of a message. */
static inline uint32_t hdExecuteLastEdge(const struct hdExecuteMessage *message)
{
	return message->lastEdge == HD_PREDICT_NONE ? message->edge
						    : message->lastEdge;
}

/** Size of a data set. */
static inline size_t hdExecuteSize(const struct hdExecutePlan *plan,
				   uint32_t dataSet)
{
	uint32_t task = plan->producer[dataSet];

	return (size_t)hdPredictOutputSize(plan->graph, task,
					   dataSet - plan->graph->output[task]);
}

/* ---- What goes on ------------------------------------------------------ */

/** A data set that is here. */
struct hdExecuteBuffer {
	void *data;
	atomic_uint users; /**< Inputs of tasks and messages that need it. */
};

struct hdExecution;

/** What a PE does. */
struct hdExecuteMark {
	atomic_uint current; /**< Task that runs, or NONE. */
	atomic_uint awaited; /**< Task whose inputs it waits for, or NONE. */
	atomic_uint starved; /**< Task that waits for memory, or NONE. */
	/** Task that waits for its PEs, or that waits on them to end; NONE. */
	atomic_uint gathering;
};

/** The PEs of a task that has several. */
struct hdExecuteTeam {
	atomic_uint joined; /**< Further ones that are there. */
	atomic_uint last;   /**< Worker of the one that came last. */
	atomic_bool isOver; /**< The task has ended. */
};

/** A PE. */
struct hdExecuteWorker {
	struct hdExecution *execution;
	uint32_t pe;
	int cpu; /**< That it is pinned to, or -1. */
	bool isRunning;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct hdExecuteMark *mark;
	hdTrace *trace; /**< NULL: nothing is recorded. */
	bool isWaiting; /**< A state of waiting is open in it... */
	bool isMissing; /**< ...of something that was not there yet. */
	hdKernelBuffer *in, *out;
	bool *isReplaced; /**< By output: it has the buffer of an input. */
	hdKernelVariable *variables;
	int *cpus;       /**< Of the PEs of a task: room for all of the node. */
	int64_t endNs;   /**< Of its last task, of the monotonic clock. */
	uint64_t seen;   /**< Releases of memory when it began to wait. */
	uint32_t before; /**< Its task before, or NONE. */
};

/** A bridge that messages go out by, one after the other. */
struct hdExecuteOutbox {
	struct hdPredictEvents waiting; /**< By number. */
	hdTrace *trace;
	bool isBusy;
	bool isIdle;     /**< Nothing has waited for it; or not until what it
			  *   has now was there. */
	uint32_t asking; /**< What waits to be let in where it goes, or NONE. */
	struct hdPredictEvents arriving; /**< What waits to be let in here. */
	bool isTaken;                    /**< By one that was. */
	hdTrace *inTrace;                /**< Of what arrives by it. */
	int64_t inEndNs; /**< When the last one did, of the monotonic clock. */
};

/** Limits for links; all zero is none. */
struct hdExecutePace {
	double rate;    /**< Bytes per second. */
	double latency; /**< Seconds. */
};

/** Time between two looks for messages, at first. */
#define HD_EXECUTE_FIRST_WAIT_NS 5000

/** A run. */
struct hdExecution {
	struct hdExecutePlan plan;
	const hdKernel **kernels;        /**< Of those that are needed here, by
					  *   kernel and architecture of PEs. */
	char **architectures;            /**< Their names; NULL ends them. */
	struct hdExecuteTeam *teams;     /**< By task; NULL: each has one PE. */
	struct hdExecuteBuffer *buffers; /**< By data set. */
	atomic_uint *missing;            /**< By task: inputs. */
	atomic_uint_fast64_t *last;      /**< By task: the activity by which the
					  *   last of these came. */
	pthread_mutex_t memoryLock;      /**< Of what follows. */
	pthread_cond_t memoryFreed;
	atomic_int_fast64_t used; /**< Bytes of data sets, read by anyone. */
	double limit;             /**< Of these. */
	bool delays;              /**< Who finds too little memory waits. */
	uint32_t starving;        /**< Threads that do. */
	uint64_t releases;        /**< How often some became free. */
	atomic_uint refused;      /**< Messages to here that have no memory. */
	atomic_bool hasRoom;      /**< They may be asked for again. */
	struct hdExecuteRecord *record; /**< That is written, or NULL. */
	bool keepsResults;    /**< What no task needs is kept, to be checked. */
	atomic_uint complete; /**< Tasks whose last input came. */
	struct hdExecuteWorker *workers;
	uint32_t workerCount;
	struct hdExecuteMark *marks; /**< Of workers. */
	uint32_t *workerOf;          /**< By PE. */
	atomic_uint working;         /**< Threads that have not ended. */
	struct hdExecutePace pace;
	int64_t movingNs;  /**< CPU time of the thread that moves data sets. */
	bool hasOwnCpus;   /**< Each PE of this process has a CPU. */
	bool isHostLeader; /**< It records the host: hdExecutePlace(). */

	pthread_mutex_t lock; /**< Of what follows. */
	pthread_cond_t wake;
	bool isWoken;
	struct hdExecuteOutbox *outboxes; /**< By edge; all that are not used
					   *   have no room. */
	uint32_t *own; /**< Bridges that messages go out by from here. */
	uint32_t ownCount;
	atomic_bool isStopped;
	atomic_bool
		isCulprit; /**< This process found why, and tells the others. */
	int status;
};

/** Prepare: kernels, buffers, threads that do not run yet. 0 or -ENOMEM;
 *  -ENOENT: a kernel is not there, which was said. */
int hdExecutePrepare(struct hdExecution *self, struct hdKernelSet *set);

/** Free it; the plan, too. */
void hdExecuteFree(struct hdExecution *self);

/** Run @p self's tasks in threads of their own. 0 or negative errno. */
int hdExecuteStart(struct hdExecution *self);

/** Wait until the threads have ended. */
void hdExecuteJoin(struct hdExecution *self);

/** Stop all, here and then everywhere: a task cannot be done. */
void hdExecuteFail(struct hdExecution *self, int status, uint32_t task,
		   const char *format, ...)
	__attribute__((__format__(__printf__, 4, 5)));

/** Stop what runs here. */
void hdExecuteStop(struct hdExecution *self);

/** Wake who moves data sets. */
void hdExecuteWake(struct hdExecution *self);

/** A data set is here, by a task or, after all tasks, a message: its tasks may
 *  run. */
void hdExecuteDeliver(struct hdExecution *self, uint32_t dataSet,
		      uint64_t activity);

/** What a message is among activities. */
static inline uint64_t hdExecuteActivity(const struct hdExecution *self,
					 uint32_t message)
{
	return self->plan.graph->taskCount + (uint64_t)message;
}

/** So long a message of a size takes at least. */
int64_t hdExecutePaceNs(const struct hdExecution *self, size_t size);

/** Name of a task, cut off. */
const char *hdExecuteTaskName(const struct hdExecution *self, uint32_t task,
			      char *name, size_t size);

/* ---- Buffers ----------------------------------------------------------- */

/** Memory of data sets that are not needed any more stays with the process: so
 *  it is new, and has to be mapped, once, and not for each task. */
void hdExecuteKeepMemory(void);

/** Get memory for a data set; -ENOSPC: that would be beyond the limit, -ENOMEM.
 */
int hdExecuteAllocate(struct hdExecution *self, uint32_t dataSet);

/** One that needs a data set does no longer. */
void hdExecuteRelease(struct hdExecution *self, uint32_t dataSet);

/**
 * Get memory for all outputs of a task. An output that replaces an input in
 * place gets its buffer if no one else needs that. Where full="delay" this
 * waits.
 *
 * @param[out] size Bytes that are needed.
 * @retval -ENOSPC That would be beyond the limit.
 * @retval -ECANCELED The run was stopped.
 * @return 0, or -ENOMEM.
 */
int hdExecuteAllocateOutputs(struct hdExecuteWorker *worker, uint32_t task,
			     size_t *size);

/** Data set that an output of a task replaces in place, or NONE. */
uint32_t hdExecuteReplaced(const struct hdExecution *self, uint32_t task,
			   uint32_t output);

/** Whether a worker need not wait any more: it is the first PE of a task, and
 * the others are there; or it is another one, and the task has ended. */
bool hdExecuteIsGathered(const struct hdExecuteWorker *worker, uint32_t task);

/** Whether a worker waits for memory, of which none became free since. */
bool hdExecuteIsStarved(struct hdExecution *self,
			const struct hdExecuteWorker *worker);

/* ---- Without files ----------------------------------------------------- */

/** Make a star: servers with so many PEs of the architecture "cpu", called n0
 * and n0.0. 0 or negative errno. */
int hdExecutePlatform(uint32_t servers, const uint32_t *pes, double memory,
		      hdPPlatform **platform);

/** Make costs for all kernels on all architectures, also on as many PEs as the
 *  graph maps or pins tasks to: each takes a second. */
int hdExecuteCosts(const hdPGraph *graph, const hdPPlatform *platform,
		   hdPResources **resources);

/** Check that no tasks wait for each other, by a simulation in which each takes
 *  a second, so that it comes to an end; as hdP_simulate(). */
int hdExecuteCheckOrder(const hdPGraph *graph, hdPPlatform *platform,
			hdPMessageHandler handler, void *data);

/* ---- Others ------------------------------------------------------------ */

/** The longest time between two looks for a message that is on its way, after
 *  nothing came for a time. */
int64_t hdExecuteLongestWait(int64_t idleNs);

/** Let waits of this thread end when they are to, and not 50 us after that. */
void hdExecuteWaitExactly(void);

/** Move data sets until all processes have ended. */
void hdExecuteTransport(struct hdExecution *self);

/** How links are measured. */
struct hdExecuteLinks {
	int *sizes; /**< Of messages, in bytes. */
	size_t sizeCount;
	double batchSeconds; /**< Of messages of one size, to and fro. */
	double pauseSeconds; /**< Before and after that. */
};

/** Measure links between each two nodes, in all processes; each has a PE, whose
 *  trace has the states. 0, or a negative errno: that cannot be recorded. */
int hdExecuteExchange(struct hdExecution *self,
		      const struct hdExecuteLinks *links);

/** Read BYTES_PER_S[,LATENCY]; false: that is not one. NULL is no pace. */
bool hdExecuteReadPace(const char *text, struct hdExecutePace *pace);

/** Read BYTES,BYTES...; false: that is not one. NULL is no sizes. What is read
 *  is to be freed with g_free() in any case. */
bool hdExecuteReadSizes(const char *text, struct hdExecuteLinks *links);

/** Say on which CPUs threads run, and the one that moves data sets; and who
 * leads a host. In all processes. */
void hdExecutePlace(struct hdExecution *self);

/** Keep this thread on a CPU; -1: anywhere. */
void hdExecutePin(int cpu);

/** Let this thread, and those that it starts, run on some CPUs. */
void hdExecutePinAll(const int *cpus, uint32_t count);

/** PEs of this process where nobody says so: its share of the CPUs that it may
 *  run on. In all processes. */
uint32_t hdExecuteDefaultPes(void);

/** End all processes, where the others cannot be told: say why. */
void hdExecuteAbort(const char *what) __attribute__((__noreturn__));

/** What a check found. */
struct hdExecuteCheck {
	const char *what; /**< NULL: there is nothing that can be checked. */
	double error, bound;
	uint64_t wrong; /**< Values that are not as they should be. */
};

/** Check the results, in all processes; the first one gets to know. 0 or
 *  -ENOMEM. */
int hdExecuteResults(struct hdExecution *self, struct hdExecuteCheck *check);

/** What is recorded. */
struct hdExecuteRecord;

/**
 * Create traces of PEs and bridges, and start to record utilization and power.
 *
 * @param project Where it is written.
 * @param isFirst Whether it writes the project file.
 * @param[out] record To be ended by hdExecuteRecordEnd().
 * @return 0 or negative errno.
 */
int hdExecuteRecordBegin(struct hdExecution *self, const char *project,
			 bool isFirst, struct hdExecuteRecord **record);

/** End it: 0, or a negative errno: something could not be written. NULL does
 *  nothing. */
int hdExecuteRecordEnd(struct hdExecution *self,
		       struct hdExecuteRecord *record);

/** Memory that is in use changes: so much was until now. */
void hdExecuteRecordMemory(struct hdExecuteRecord *record, int64_t used);

/** Messages that are to be sent become more or fewer, and bytes arrived. */
void hdExecuteRecordPending(struct hdExecuteRecord *record, int64_t change,
			    int64_t bytes);

/** A PE waits for a task, and no longer; false: it cannot be written. */
bool hdExecuteLogWait(struct hdExecuteWorker *worker, uint32_t task);
bool hdExecuteLogArrived(struct hdExecuteWorker *worker, uint32_t task);

/** A task begins, and has ended then; likewise. What it is is written when it
 *  has ended, so that this takes none of its time. */
bool hdExecuteLogTask(struct hdExecuteWorker *worker, uint32_t task);
bool hdExecuteLogTaskEnd(struct hdExecuteWorker *worker, uint32_t task,
			 const struct timespec *when);

/** A further PE of a task waits for it to begin; likewise. */
bool hdExecuteLogJoin(struct hdExecuteWorker *worker);

/** A task begins on a further PE, which waited for it until an activity ended
 *  (HD_EXECUTE_NO_CAUSE: none is known), and ended there; likewise. The PE's
 *  own thread waits meanwhile. */
bool hdExecuteLogPart(struct hdExecuteWorker *worker, uint32_t task,
		      uint64_t cause);
bool hdExecuteLogPartEnd(struct hdExecuteWorker *worker, uint32_t task,
			 const struct timespec *when);
#define HD_EXECUTE_NO_CAUSE UINT64_MAX

/** A task waits for its other PEs, and no longer, as an activity ended. */
bool hdExecuteLogGather(struct hdExecuteWorker *worker);
bool hdExecuteLogGathered(struct hdExecuteWorker *worker, uint64_t cause);

/** A message has arrived, which began then: of the monotonic clock. */
bool hdExecuteLogTransfer(struct hdExecution *self, uint32_t message,
			  int64_t startNs);

/** A message begins, and has ended. */
bool hdExecuteLogMessage(const struct hdExecution *self, hdTrace *trace,
			 uint32_t message);
bool hdExecuteLogEnd(hdTrace *trace);

#endif
