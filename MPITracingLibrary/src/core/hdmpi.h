/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The runtime of the MPI wrapper: what surrounds every call.
 *
 * Between hdmpiRuntimeStart(), at the end of MPI_Init, and hdmpiRuntimeEnd(),
 * at the beginning of MPI_Finalize, the wrapper is active. Every thread that
 * calls MPI or the library's own API gets a trace of its own; when the thread
 * ends, the next new one goes on with it. So there are as many traces as there
 * were threads at a time.
 *
 * The wrapper calls MPI by the names PMPI_* only, on a communicator of its own
 * that returns errors, and asks about handles of the program only after a call
 * with them has succeeded: errors are the program's.
 */
#ifndef HDMPI_H
#define HDMPI_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hdRelation.h>
#include <hdTopology.h>
#include <hdTrace.h>
#include "MPITracingLibrary/functions.h"
#include "MPITracingLibrary/src/core/callprofile.h"
#include "MPITracingLibrary/src/core/options.h"
#include "MPITracingLibrary/src/core/counters.h"
#include "MPITracingLibrary/src/core/mpiversion.h"
#include "MPITracingLibrary/src/core/polling.h"
#include "MPITracingLibrary/src/core/sampling.h"
#include "MPITracingLibrary/src/core/sites.h"
#include "common/clock.h"
#include "common/tsc.h"
#include "recording/cputime.h"

/** Number of handles whose description a thread remembers. */
#define HDMPI_CACHE_SIZE 16
/** Calls inside each other whose functions are known; a power of 2. */
#define HDMPI_DEPTH_MAX 16
/** Regions that can be open at a time; more are not recorded. */
#define HDMPI_REGIONS_MAX 256

/** A handle as a number: Open MPI has pointers, MPICH integers. */
#define HDMPI_KEY(handle) ((uint64_t)(uintptr_t)(handle))

/** What a thread remembers of a handle. */
struct hdmpiCached {
	uint64_t key;
	uint64_t generation; /**< 0: nothing. */
	int64_t id;
	int64_t size;
};

/** A thread that calls MPI, or did and has ended. */
struct hdmpiThread {
	hdTrace *trace; /**< NULL if it could not be created. */
	unsigned int number;
	unsigned int depth; /**< MPI functions that are being recorded. */
	/** The innermost of them that has a state, and those around it. */
	enum hdmpiFunction function, outer[HDMPI_DEPTH_MAX];
	atomic_bool isBusy; /**< In a call of the library's own API. */
	bool isFree;        /**< Its thread has ended. */
	unsigned int regions;
	bool isRecorded[HDMPI_REGIONS_MAX]; /**< Of each open region. */
	struct hdmpiPolls polls;            /**< Of calls that found nothing. */
	struct hdmpiSamples *samples;       /**< NULL: none. */
	struct hdmpiProfile *profile;       /**< NULL: calls are recorded. */
	unsigned int ended; /**< Calls, to look at the size of the trace. */
	int64_t window;     /**< Of throttling: the last one recorded in. */
	int64_t part;       /**< As the trace says; see hdmpiNotePart(). */
	struct hdmpiCached types[HDMPI_CACHE_SIZE];
	struct hdmpiCached comms[HDMPI_CACHE_SIZE];
	unsigned char *described; /**< Bit set of types in its .info. */
	size_t describedSize;
	hdR_topoToken relations; /**< NULL: there are none. */
	bool hasRelations;       /**< Or not: that failed. */
	hdR_token relation;      /**< Of the call at hand, if asked for. */
	unsigned int relationDepth;
	struct hdCpuTime cpu;     /**< As far as somebody tells it. */
	bool hasCpu;              /**< Or not: that failed. */
	struct hdmpiSites *sites; /**< NULL: none yet. */
	struct hdmpiCounters counters;
	struct hdmpiThread *next; /**< All threads. */
};

/** Requests or a message that a call is about to complete. */
struct hdmpiHeld {
	int count;
	MPI_Request *requests; /**< own, or allocated, or NULL. */
	size_t *places;        /**< See hdmpiRequestsHold(); NULL: none is. */
	MPI_Request own[16];
	size_t ownPlaces[16];
};

/** A call of an MPI function. */
struct hdmpiCall {
	struct hdmpiThread *self; /**< NULL where the wrapper is not active. */
	enum hdmpiFunction function;
	bool isRecorded;
	bool isByTicks;     /**< Times are ticks, of a call that polls. */
	bool isProfiled;    /**< It is added up by its function. */
	const void *caller; /**< Return address of the wrapper. */
	int64_t start;      /**< Of MPI_Init, and of calls that poll. */
	int64_t end;        /**< In ticks 0: it has not returned. */
	int64_t cid;        /**< Of a matched message, or -1. */
	bool isNowhere;     /**< A matched message is MPI_MESSAGE_NO_PROC. */
	struct hdmpiHeld held;
	/** Index of the first element of an array, where one is named:
	 * Fortran's 1. */
	int base;
};

/** Whether MPI calls are to be looked at. */
extern atomic_bool hdmpiIsActive;

/** Counts how often recording was enabled and disabled, by the environment or
 *  the program: it is enabled where this is odd. */
extern atomic_llong hdmpiSwitched;

/** Whether messages were left out while others were recorded. */
extern atomic_bool hdmpiLeavesOut;

/** The function whose C wrapper is called by MPI's Fortran wrapper, which was
 *  called by ours; HDMPI_FUNCTIONS is none. */
extern __thread enum hdmpiFunction hdmpiSkip
	__attribute__((__tls_model__("initial-exec")));

/** The name of a function, without "MPI_". */
const char *hdmpiFunctionName(enum hdmpiFunction function);

/** Slow part of hdmpiBegin(). */
bool hdmpiBeginActive(struct hdmpiCall *call, enum hdmpiFunction function);

/**
 * Begin the state of an MPI function; always inlined, since the wrapper's
 * return address is to be known.
 *
 * @return Whether the call is recorded. If not, @p call->self tells whether
 *         handles must be tracked nevertheless.
 */
static inline __attribute__((__always_inline__)) bool hdmpiBegin(
	struct hdmpiCall *call, enum hdmpiFunction function)
{
	call->caller = __builtin_return_address(0);
	call->self = NULL;
	call->isRecorded = false;
	call->isByTicks = false;
	call->isProfiled = false;
	call->function = function;
	if (__builtin_expect(
		    !atomic_load_explicit(&hdmpiIsActive, memory_order_relaxed),
		    0))
		return false;
	return hdmpiBeginActive(call, function);
}

/** The MPI function has returned: take the time. */
static inline void hdmpiStop(struct hdmpiCall *call)
{
	if (!call->isRecorded) {
		if (__builtin_expect(call->isProfiled, 0))
			hdmpiProfileLeave(call);
		return;
	}
	call->end = __builtin_expect(call->isByTicks, 0)
			    ? (int64_t)hdTscReadEarly()
			    : hdClockNow();
	if (__builtin_expect(hdmpiOptions.counters != 0, 0))
		hdmpiCountersStop(call->self);
}

/** Slow part of hdmpiEnd(). */
void hdmpiEndRecorded(struct hdmpiCall *call);

/** End the state. */
static inline void hdmpiEnd(struct hdmpiCall *call)
{
	if (call->isRecorded)
		hdmpiEndRecorded(call);
}

/** Do what MPI_Pcontrol() asks for. */
void hdmpiControl(int level);

/** Whether what this thread does is to be recorded now. */
bool hdmpiIsRecording(struct hdmpiThread *self);

/**
 * Say in the state that was begun last where recording was interrupted before
 * it: the messages in between are not in the trace, and readers must not take
 * others for them.
 *
 * The attribute "part" numbers what is recorded without interruption; without
 * it that goes back to MPI_Init. It is the same in all processes that are
 * throttled and enabled alike: the number of the throttling's period since the
 * epoch, plus how often the program has enabled recording. It is -1 from where
 * messages were left out.
 */
void hdmpiNotePart(struct hdmpiThread *self);

/**
 * MPI has been initialized: begin to trace.
 *
 * Collective over all processes.
 *
 * @param call MPI_Init or such, whose state begins if tracing does.
 * @param all MPI_COMM_WORLD, or a communicator of a session with all processes.
 */
void hdmpiRuntimeStart(struct hdmpiCall *call, MPI_Comm all);

/** Our own communicator of all processes that are recorded. */
MPI_Comm hdmpiRuntimeWorld(void);

/** The rank in MPI_COMM_WORLD of a rank in that communicator. */
int hdmpiRuntimeNumber(int rank);

/** Begin a state of the tracer; false: nothing is recorded. */
bool hdmpiTracerBegin(struct hdmpiThread *self, int64_t start);

/** The state of MPI_Init has ended: what was done after it is the tracer's. */
void hdmpiRuntimeStarted(struct hdmpiCall *call);

/** Since then the tracer has worked, when the function of a call was over: end
 * its state, and write one of the tracer's. -1: it has not. */
void hdmpiRuntimeWorked(struct hdmpiCall *call, int64_t start);

/** MPI is about to be finalized: do what needs it. Collective, too. The state
 * of MPI_Finalize goes on. Nothing happens if recording began otherwise than it
 * ends: in a session, or by MPI_Init. */
void hdmpiRuntimeEnd(struct hdmpiCall *call, bool isOfSession);

/** MPI has been finalized, and that state has ended: end everything, and write
 * the project file. */
void hdmpiRuntimeFinish(const struct hdmpiCall *call);

/** Create the trace of a thread of this process; NULL if that fails. */
hdTrace *hdmpiTraceCreate(unsigned int thread, int64_t begin);

/** Begin to record relations of a thread of this process; NULL if that fails.
 */
hdR_topoToken hdmpiRelationsCreate(unsigned int thread);

/** Record how much CPU time a thread has used until now. */
void hdmpiCpuOfThread(struct hdmpiThread *self, int64_t nowNs, int64_t usedNs);

/* ---- Threads; thread.c --------------------------------------------------- */

/** The calling thread if it has been traced before; or NULL. */
extern __thread struct hdmpiThread *hdmpiThreadSelf __attribute__((
	__tls_model__("initial-exec"), __visibility__("hidden")));

/** Begin to trace the calling thread; NULL if that fails, or the wrapper is not
 *  active. */
struct hdmpiThread *hdmpiThreadMeet(void) __attribute__((__cold__));

/** Get the calling thread, or NULL. The wrapper must be active. */
static inline struct hdmpiThread *hdmpiThreadGet(void)
{
	struct hdmpiThread *self = hdmpiThreadSelf;

	return __builtin_expect(self != NULL, 1) ? self : hdmpiThreadMeet();
}

/** Get the calling thread if it has been traced before, or NULL. */
static inline struct hdmpiThread *hdmpiThreadPeek(void)
{
	return hdmpiThreadSelf;
}

/** A call is about to end: its relation ends, if it has one. */
void hdmpiRelationLeave(struct hdmpiThread *self);

/**
 * Begin to trace the calling thread.
 *
 * @param begin When, in nanoseconds since the epoch.
 *
 * @return The thread, or NULL without memory. If it has no trace that could
 *         not be created.
 */
struct hdmpiThread *hdmpiThreadStart(int64_t begin);

/**
 * Start a region of a thread, or end the one that it started last.
 *
 * @param name One that a state may have.
 * @param when Since the epoch, or NULL: now.
 *
 * @return Whether it is, or was, recorded.
 */
bool hdmpiRegionStart(struct hdmpiThread *self, const char *name,
		      const struct timespec *when);
bool hdmpiRegionEnd(struct hdmpiThread *self, const struct timespec *when);

/** Whether the region that was started last is recorded. */
bool hdmpiRegionIsRecorded(const struct hdmpiThread *self);

/**
 * Begin to use a thread in a call that is not one of MPI; to be left.
 * MPI_Finalize() waits for that.
 *
 * @return Whether it may be used.
 */
bool hdmpiThreadEnter(struct hdmpiThread *self);
void hdmpiThreadLeave(struct hdmpiThread *self);

/** Flush the traces of all threads; any thread may call it. */
void hdmpiThreadsFlush(void);

/** End the traces of all threads. The wrapper must not be active. */
void hdmpiThreadsEnd(void);

#endif
