/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The runtime of the MPI wrapper: begin, end, and what surrounds every call. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "MPITracingLibrary/src/handles/handles.h"
#include "MPITracingLibrary/src/handles/request.h"
#include "MPITracingLibrary/src/hdmpi.h"
#include "MPITracingLibrary/src/host/clocksync.h"
#include "MPITracingLibrary/src/host/cpu.h"
#include "MPITracingLibrary/src/host/place.h"
#include "MPITracingLibrary/src/host/power.h"
#include "MPITracingLibrary/src/host/project.h"
#include "MPITracingLibrary/src/host/utilization.h"
#include "MPITracingLibrary/src/message.h"
#include "common/clock.h"
#include "common/format/level.h"

atomic_bool hdmpiIsActive;
atomic_llong hdmpiSwitched;
atomic_bool hdmpiLeavesOut;
struct hdmpiOptions hdmpiOptions;
__thread enum hdmpiFunction hdmpiSkip = HDMPI_FUNCTIONS;

static const char *const functionNames[] = {
#define HDMPI_FUNCTION(name, class, polls) #name,
	HDMPI_ALL_FUNCTIONS
#undef HDMPI_FUNCTION
};

static const unsigned char functionClasses[] = {
#define HDMPI_FUNCTION(name, class, polls) HDMPI_CLASS_##class,
	HDMPI_ALL_FUNCTIONS
#undef HDMPI_FUNCTION
};

/* Those that ask whether something has happened. */
static const bool functionPolls[] = {
#define HDMPI_FUNCTION(name, class, polls) polls,
	HDMPI_ALL_FUNCTIONS
#undef HDMPI_FUNCTION
};

static struct {
	MPI_Comm world;
	struct hdmpiPlace place;
	hdTopology *topology;
	hdTopoNode *host;
	bool isStarted;
	bool hasEnded;
	bool isShared; /* Rank 0 sees the files of all. */
	int64_t begin; /* When MPI_Init was called. */
	/* Functions that are recorded. */
	bool isOn[HDMPI_FUNCTIONS];
} runtime;

/* ---- Calls -----------------------------------------------------------------
 */

/* Whether the time is in the recorded part of a throttled period. All
 * processes count periods from the epoch, so they record at the same time. */
static bool isInWindow(struct hdmpiThread *self)
{
	int64_t now = hdClockNow();

	if (now < 0)
		return true;
	if (now % hdmpiOptions.throttleNs >= hdmpiOptions.throttleOnNs)
		return false;
	self->window = now / hdmpiOptions.throttleNs;
	return true;
}

bool hdmpiIsRecording(struct hdmpiThread *self)
{
	return self->trace &&
	       (atomic_load_explicit(&hdmpiSwitched, memory_order_relaxed) &
		1) &&
	       (!hdmpiOptions.throttleNs || isInWindow(self));
}

void hdmpiNotePart(struct hdmpiThread *self)
{
	int64_t switched =
		atomic_load_explicit(&hdmpiSwitched, memory_order_relaxed);
	int64_t part = self->window + (switched >> 1);

	if (atomic_load_explicit(&hdmpiLeavesOut, memory_order_relaxed))
		part = -1;
	if (__builtin_expect(part == self->part, 1))
		return;
	self->part = part;
	hdT_logAttributesInt64(self->trace, "part", &part);
}

const char *hdmpiFunctionName(enum hdmpiFunction function)
{
	return functionNames[function];
}

bool hdmpiBeginActive(struct hdmpiCall *call, enum hdmpiFunction function)
{
	struct hdmpiThread *self;
	bool isPoll = functionPolls[function] && !hdmpiOptions.keepsPolls;

	if (hdmpiSkip == function) {
		hdmpiSkip = HDMPI_FUNCTIONS;
		return false;
	}
	self = hdmpiThreadGet();
	if (!self)
		return false;
	call->self = self;
	call->cid = -1;
	call->base = 0;
	call->held.count = 0;
	call->held.requests = NULL;
	if (!runtime.isOn[function] || self->depth > hdmpiOptions.nested ||
	    !hdmpiIsRecording(self))
		return false;
	if (__builtin_expect(hdmpiPollIsPending(&self->polls), 0) &&
	    (!isPoll || self->polls.open))
		hdmpiPollSettle(self);
	if (isPoll && (call->start = hdClockNow()) >= 0) {
		self->polls.open = call;
	} else {
		hdT_logStateStart(self->trace, functionNames[function]);
		hdmpiNotePart(self);
	}
	self->depth++;
	call->isRecorded = true;
	return true;
}

void hdmpiEndRecorded(struct hdmpiCall *call)
{
	struct timespec end = hdClockToTimespec(call->end);

	if (hdmpiPollIsPending(&call->self->polls))
		hdmpiPollSettle(call->self);
	if (call->end < 0)
		hdT_logStateEnd(call->self->trace);
	else
		hdT_logStateEndAt(call->self->trace, &end);
	hdmpiCpuMark(call->end);
	call->self->depth--;
}

/* ---- Begin -----------------------------------------------------------------
 */

/* Let rank 0's settings hold for all. Every process takes part, whatever its
 * own environment says, or the others would wait forever. */
static int runtimeAgree(void)
{
	MPI_Comm parent = MPI_COMM_NULL;
	int rank;

	if (PMPI_Comm_dup(MPI_COMM_WORLD, &runtime.world) != MPI_SUCCESS)
		return -1;
	PMPI_Comm_set_errhandler(runtime.world, MPI_ERRORS_RETURN);
	PMPI_Comm_rank(runtime.world, &rank);
	PMPI_Comm_get_parent(&parent);
	if (rank == 0)
		hdmpiOptionsRead(&hdmpiOptions, parent != MPI_COMM_NULL);
	if (PMPI_Bcast(&hdmpiOptions, (int)sizeof(hdmpiOptions), MPI_BYTE, 0,
		       runtime.world) == MPI_SUCCESS &&
	    hdmpiOptions.isOn &&
	    hdmpiPlaceFind(runtime.world, &runtime.place) == 0)
		return 0;
	if (hdmpiOptions.isOn)
		hdmpiMessage(HD_LOG_ERROR,
			     "nothing is recorded: MPI or memory failed");
	PMPI_Comm_free(&runtime.world);
	return -1;
}

static int runtimeTopology(void)
{
	const char *levels[] = { HD_LEVEL_HOST, HD_LEVEL_RANK,
				 HD_LEVEL_THREAD };
	const char *path[] = { runtime.place.host };

	runtime.topology = hdT_createTopology(hdmpiOptions.project, levels, 3);
	if (!runtime.topology)
		return -1;
	runtime.host = hdT_createTopoNode(runtime.topology, path, 1);
	if (runtime.host)
		return 0;
	hdT_destroyTopology(runtime.topology);
	runtime.topology = NULL;
	return -1;
}

/* The node of this process, or of a thread of it. */
static hdTopoNode *runtimeNode(unsigned int thread, int depth)
{
	char rank[16], number[16];
	const char *path[] = { runtime.place.host, rank, number };

	snprintf(rank, sizeof(rank), "%d", runtime.place.rank);
	snprintf(number, sizeof(number), "%u", thread);
	return hdT_createTopoNode(runtime.topology, path, depth);
}

void hdmpiCpuOfThread(struct hdmpiThread *self, int64_t nowNs, int64_t usedNs)
{
	hdTopoNode *node;

	if (hdmpiOptions.utilizationMs == 0)
		return;
	if (self->cpu.isOpen) {
		if (hdCpuTimeIsDue(&self->cpu, nowNs))
			hdCpuTimeWrite(&self->cpu, nowNs, usedNs);
		return;
	}
	node = self->hasCpu ? NULL : runtimeNode(self->number, 3);
	self->hasCpu = true;
	if (node)
		hdCpuTimeOpen(&self->cpu, node, 3, hdmpiOptions.utilizationMs,
			      nowNs, usedNs);
	if (node)
		hdT_destroyTopoNode(node);
}

hdTrace *hdmpiTraceCreate(unsigned int thread, int64_t begin)
{
	struct timespec when = hdClockToTimespec(begin);
	hdTopoNode *node = runtimeNode(thread, 3);
	hdTrace *trace;

	if (!node)
		return NULL;
	trace = hdT_createTraceAt(node, &when);
	hdT_destroyTopoNode(node);
	return trace;
}

/* Begin the state of MPI_Init, with its true beginning. */
static void runtimeBegin(struct hdmpiCall *call)
{
	struct timespec start = hdClockToTimespec(call->start);

	hdT_logStateStartAt(call->self->trace, functionNames[call->function],
			    &start);
	hdmpiNotePart(call->self);
	call->self->depth++;
	call->isRecorded = true;
}

void hdmpiRuntimeStart(struct hdmpiCall *call)
{
	static bool wasStarted;
	struct hdmpiThread *self;
	hdTopoNode *rank;

	if (wasStarted || runtimeAgree() < 0)
		return;
	wasStarted = true;
	/* From here on every process does the same, or the others would wait
	 * in vain; one that fails only records nothing. */
	for (int i = 0; i < HDMPI_FUNCTIONS; i++)
		runtime.isOn[i] =
			hdmpiOptions.classes >> functionClasses[i] & 1;
	if (runtimeTopology() == 0) {
		hdmpiUtilizationStart(runtime.host, &runtime.place);
		hdmpiPowerStart(runtime.topology, &runtime.place);
	}
	self = runtime.topology ? hdmpiThreadStart(call->start) : NULL;
	hdmpiClockMeasure(runtime.world, &runtime.place, self);
	/* What is recorded before the clocks were compared would be less exact
	 * than is stated. */
	PMPI_Barrier(runtime.world);
	hdmpiClockRepeatStart(runtime.world, &runtime.place, self);
	runtime.begin = call->start;
	runtime.isStarted = true;
	if (!self)
		return;
	rank = runtimeNode(0, 2);
	hdmpiCpuStart(rank, hdClockNow());
	if (rank)
		hdT_destroyTopoNode(rank);
	call->self = self;
	atomic_store(&hdmpiSwitched, hdmpiOptions.isEnabled ? 1 : 2);
	atomic_store(&hdmpiIsActive, true);
	/* So that its number is 0. */
	hdmpiCommId(self, MPI_COMM_WORLD);
	if (runtime.isOn[call->function] && hdmpiIsRecording(self))
		runtimeBegin(call);
}

/* ---- End -------------------------------------------------------------------
 */

/* Whether rank 0 sees the files of all processes: every one sees a file of
 * rank 0, and says so. */
static bool runtimeIsShared(void)
{
	char path[2 * HDMPI_PATH_MAX] = "", project[HDMPI_PATH_MAX];
	int sees = 0, allSee = 0;

	hdmpiOptionsPath(hdmpiOptions.project, project, sizeof(project));
	snprintf(path, sizeof(path), "%s_%s_0_0.trc", project,
		 runtime.place.host);
	if (PMPI_Bcast(path, (int)sizeof(path), MPI_CHAR, 0, runtime.world) ==
	    MPI_SUCCESS)
		sees = access(path, R_OK) == 0;
	if (PMPI_Allreduce(&sees, &allSee, 1, MPI_INT, MPI_MIN,
			   runtime.world) != MPI_SUCCESS)
		return false;
	return allSee;
}

/* Say it where the whole time from MPI_Init on was between the recorded parts
 * of throttled periods. */
static void runtimeSayNothing(void)
{
	int64_t period = hdmpiOptions.throttleNs, now = hdClockNow(), into;

	if (!period || runtime.begin < 0 || now < 0)
		return;
	into = runtime.begin % period;
	if (into >= hdmpiOptions.throttleOnNs &&
	    now - runtime.begin < period - into)
		hdmpiMessage(HD_LOG_WARNING,
			     "%s: no call is recorded: all of them were "
			     "outside of the %g s of every %g s "
			     "(HDTRACE_MPI_THROTTLE)",
			     hdmpiOptions.project,
			     (double)hdmpiOptions.throttleOnNs / HD_NS_PER_S,
			     (double)period / HD_NS_PER_S);
}

void hdmpiRuntimeEnd(struct hdmpiCall *call)
{
	if (!runtime.isStarted)
		return;
	runtime.isStarted = false;
	atomic_store(&hdmpiIsActive, false);
	if (runtime.place.rank == 0)
		runtimeSayNothing();
	hdmpiClockRepeatEnd();
	hdmpiClockMeasure(runtime.world, &runtime.place, call->self);
	hdmpiPowerEnd();
	hdmpiUtilizationEnd();
	/* What the processes wait for each other here they do not wait for
	 * later; so the state includes it. */
	PMPI_Barrier(runtime.world);
	hdmpiStop(call);
	hdmpiEnd(call);
	call->isRecorded = false;
	call->self = NULL;
	hdmpiCpuEnd();
	hdmpiThreadsEnd();
	hdmpiHandlesEnd();
	hdmpiRequestsEnd();
	/* All files are closed where this returns. */
	runtime.isShared = runtimeIsShared();
	PMPI_Comm_free(&runtime.world);
	hdT_destroyTopoNode(runtime.host);
	hdT_destroyTopology(runtime.topology);
	runtime.host = NULL;
	runtime.topology = NULL;
	runtime.hasEnded = true;
}

void hdmpiRuntimeFinish(void)
{
	if (runtime.hasEnded && runtime.place.rank == 0 &&
	    hdmpiOptions.writesProject) {
		if (runtime.isShared)
			hdmpiProjectMerge();
		else
			hdmpiMessage(HD_LOG_WARNING,
				     "%s: there is no project file: not all "
				     "files are in one place",
				     hdmpiOptions.project);
	}
	runtime.hasEnded = false;
}
