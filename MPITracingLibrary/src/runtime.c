/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The runtime of the MPI wrapper: begin, end, and what surrounds every call. */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "MPITracingLibrary/src/handles/handles.h"
#include "MPITracingLibrary/src/handles/request.h"
#include "MPITracingLibrary/src/core/hdmpi.h"
#include "MPITracingLibrary/src/host/await.h"
#include "MPITracingLibrary/src/host/clocksync.h"
#include "MPITracingLibrary/src/host/cpu.h"
#include "MPITracingLibrary/src/host/process.h"
#include "MPITracingLibrary/src/host/ranks.h"
#include "MPITracingLibrary/src/host/losses.h"
#include "MPITracingLibrary/src/host/power.h"
#include "MPITracingLibrary/src/host/project.h"
#include "MPITracingLibrary/src/host/utilization.h"
#include "MPITracingLibrary/src/core/mpilog.h"
#include "common/clock.h"
#include "common/format/level.h"
#include "common/format/projectname.h"
#include "common/format/replacement.h"

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

/* How a function is recorded: at all, and sharing states of polls. */
#define IS_ON 1
#define IS_POLL 2

static struct {
	MPI_Comm all;   /* As the program has it. */
	MPI_Comm world; /* Our own. */
	bool isOfSession;
	struct hdmpiProcess process;
	hdTopology *topology;
	hdTopoNode *host;
	/* Until the old project is replaced; what was created by then may look
	 * at them as long as it lives. */
	hdTopology *firstTopology;
	hdTopoNode *firstHost;
	bool isReplacing;
	struct hdReplacement *replacement; /* NULL: another process has it. */
	char project[HDMPI_PATH_MAX];      /* What it is called in the end. */
	bool isStarted;
	int64_t begin; /* When MPI_Init was called. */
	/* The call of MPI_Finalize; there may be another one inside of it. */
	const struct hdmpiCall *end;
	/* Functions that are recorded, and how. */
	unsigned char how[HDMPI_FUNCTIONS];
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

/* Whether calls of a thread are looked at, be it to add them up. */
static inline __attribute__((__always_inline__)) bool runtimeIsOn(
	struct hdmpiThread *self)
{
	return self->trace &&
	       (atomic_load_explicit(&hdmpiSwitched, memory_order_relaxed) &
		1) &&
	       (!hdmpiOptions.hasMore || !hdmpiOptions.throttleNs ||
		isInWindow(self));
}

bool hdmpiIsRecording(struct hdmpiThread *self)
{
	return !self->profile && runtimeIsOn(self);
}

/* The number of what is recorded without interruption; see hdmpiNotePart(). */
static inline int64_t runtimePart(const struct hdmpiThread *self)
{
	int64_t switched =
		atomic_load_explicit(&hdmpiSwitched, memory_order_relaxed);

	return __builtin_expect(atomic_load_explicit(&hdmpiLeavesOut,
						     memory_order_relaxed),
				0)
		       ? -1
		       : self->window + (switched >> 1);
}

void hdmpiNotePart(struct hdmpiThread *self)
{
	int64_t part = runtimePart(self);

	if (part == self->part)
		return;
	self->part = part;
	hdT_logAttributesInt64(self->trace, "part", &part);
}

const char *hdmpiFunctionName(enum hdmpiFunction function)
{
	return functionNames[function];
}

/* A call inside of another one: remember that one's function. */
static void __attribute__((__cold__, __noinline__))
runtimeNest(struct hdmpiThread *self)
{
	self->outer[(self->depth - 1) % HDMPI_DEPTH_MAX] = self->function;
	self->polls.isPending = true;
}

/* A call is about to end, for which something has to be done. */
static void __attribute__((__cold__, __noinline__))
runtimeSettle(struct hdmpiThread *self)
{
	hdmpiPollSettle(self);
	hdmpiRelationLeave(self);
	if (self->depth > 1)
		self->function =
			self->outer[(self->depth - 2) % HDMPI_DEPTH_MAX];
	self->polls.isPending = self->relation || self->depth > 2;
}

/* What few runs ask for: the place of a call, and what the processor does. */
static void __attribute__((__noinline__))
runtimeNoteSite(struct hdmpiThread *self, const struct hdmpiCall *call)
{
	if (hdmpiOptions.siteDepth)
		hdmpiSiteNote(self, hdmpiSiteFind(self, call->caller),
			      self->depth > 0);
}

static void __attribute__((__noinline__)) runtimeCount(struct hdmpiThread *self)
{
	if (hdmpiOptions.counters != 0 && self->depth == 1)
		hdmpiCountersBegin(self);
}

bool hdmpiBeginActive(struct hdmpiCall *call, enum hdmpiFunction function)
{
	struct hdmpiThread *self;
	unsigned char how = runtime.how[function];
	bool isPoll = how & IS_POLL;

	if (hdmpiSkip == function) {
		hdmpiSkip = HDMPI_FUNCTIONS;
		return false;
	}
	self = hdmpiThreadGet();
	if (!self)
		return false;
	call->self = self;
	if (!how || !runtimeIsOn(self))
		return false;
	if (__builtin_expect(hdmpiOptions.hasMore, 0) &&
	    self->depth > hdmpiOptions.nested)
		return false;
	if (__builtin_expect(hdmpiOptions.hasMore, 0) && self->depth == 0 &&
	    !self->profile)
		hdmpiSamplesWrite(self);
	if (__builtin_expect(self->profile != NULL, 0))
		return hdmpiProfileEnter(self, call);
	if (__builtin_expect(hdmpiPollIsPending(&self->polls), 0) &&
	    (!isPoll || self->polls.open))
		hdmpiPollSettle(self);
	if (__builtin_expect(self->depth > 0, 0))
		runtimeNest(self);
	if (!isPoll || !hdmpiPollBegin(self, call)) {
		self->function = function;
		hdT_logStateStart(self->trace, functionNames[function]);
		if (__builtin_expect(runtimePart(self) != self->part, 0))
			hdmpiNotePart(self);
		if (__builtin_expect(hdmpiOptions.hasMore, 0))
			runtimeNoteSite(self, call);
	}
	self->depth++;
	call->isRecorded = true;
	if (__builtin_expect(hdmpiOptions.hasMore, 0) && !isPoll)
		runtimeCount(self);
	return true;
}

/* Of a call that has ended: what few runs ask for. */
static void __attribute__((__cold__, __noinline__))
runtimeEndMore(struct hdmpiCall *call)
{
	if (hdmpiOptions.counters)
		hdmpiCountersLeave(call->self);
	if (call->self->depth > 0)
		return;
	if (hdmpiOptions.limit)
		hdmpiProfileLimit(call->self, call->end);
	hdmpiSamplesSkip(call->self);
}

void hdmpiEndRecorded(struct hdmpiCall *call)
{
	struct hdmpiThread *self = call->self;
	struct timespec end;

	if (__builtin_expect(hdmpiPollIsPending(&self->polls), 0))
		runtimeSettle(self);
	if (__builtin_expect(hdmpiOptions.hasMore, 0) && hdmpiOptions.counters)
		hdmpiCountersEnd(self);
	end = hdClockToTimespec(call->end);
	if (__builtin_expect(call->end < 0, 0))
		hdT_logStateEnd(self->trace);
	else
		hdT_logStateEndAt(self->trace, &end);
	hdmpiCpuMark(call->end);
	self->depth--;
	if (__builtin_expect(hdmpiOptions.hasMore, 0))
		runtimeEndMore(call);
}

/* ---- Begin -----------------------------------------------------------------
 */

/* Let rank 0's settings hold for all. Every process takes part, whatever its
 * own environment says, or the others would wait forever. */
static int runtimeAgree(void)
{
	MPI_Comm parent = MPI_COMM_NULL;
	int rank;

	if (hdmpiRanksOpen(runtime.all, runtime.isOfSession, &runtime.world) <
	    0)
		return -1;
	PMPI_Comm_set_errhandler(runtime.world, MPI_ERRORS_RETURN);
	PMPI_Comm_rank(runtime.world, &rank);
	PMPI_Comm_get_parent(&parent);
	hdmpiLossInit();
	if (rank == 0)
		hdmpiOptionsRead(&hdmpiOptions, parent != MPI_COMM_NULL);
	if (PMPI_Bcast(&hdmpiOptions, (int)sizeof(hdmpiOptions), MPI_BYTE, 0,
		       runtime.world) == MPI_SUCCESS &&
	    hdmpiOptions.isOn &&
	    hdmpiProcessFind(runtime.world, &runtime.process) == 0) {
		runtime.process.number = hdmpiRanksNumber(rank);
		hdmpiOptionsSettle(&hdmpiOptions);
		hdmpiProjectPrepare();
		return 0;
	}
	if (hdmpiOptions.isOn && rank == 0)
		hdmpiLossSay("nothing is recorded: MPI or memory failed");
	PMPI_Comm_free(&runtime.world);
	return -1;
}

static int runtimeTopology(void)
{
	const char *levels[] = { HD_LEVEL_HOST, HD_LEVEL_RANK,
				 HD_LEVEL_THREAD };
	const char *path[] = { runtime.process.host };

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
	const char *path[] = { runtime.process.host, rank, number };

	snprintf(rank, sizeof(rank), "%d", runtime.process.number);
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
	if (trace)
		hdT_setTimeBase(trace, hdClockBase());
	/* That a file system may know, which is called through the kernel. */
	if (trace)
		hdT_writeInfo(trace, "Process id=%ld name='%s'\n",
			      syscall(SYS_gettid), runtime.process.host);
	return trace;
}

hdR_topoToken hdmpiRelationsCreate(unsigned int thread)
{
	hdTopoNode *node = runtimeNode(thread, 3);
	hdR_topoToken relations = NULL;

	if (!node)
		return NULL;
	hdR_initTopology(node, &relations);
	hdT_destroyTopoNode(node);
	return relations;
}

/* ---- Replacing an old project ------------------------------------------
 *
 * The new files are made beside the old ones, and take their places when all
 * processes record; see common/format/replacement.h. A leader of a host moves
 * them, unless another one that sees the same directory does.
 */

/* What a project is called until then. */
static int runtimeRename(void)
{
	char *name = hdReplacementName(runtime.project);
	int ret = -ENAMETOOLONG;

	if (name && strlen(name) < sizeof(hdmpiOptions.project)) {
		strcpy(hdmpiOptions.project, name);
		ret = 0;
	}
	free(name);
	return ret;
}

/* Rank 0 first, then the leaders of other hosts, if it is not the same
 * directory; returns 0 if rank 0 could. */
static int runtimeReplaceOpen(void)
{
	int ret = 0;

	if (runtime.process.rank == 0)
		ret = hdReplacementBegin(runtime.project, &runtime.replacement);
	if (PMPI_Bcast(&ret, 1, MPI_INT, 0, runtime.world) != MPI_SUCCESS)
		ret = -EIO;
	/* What another one cannot do shows when it creates its files. */
	if (ret == 0 && runtime.process.isLeader && runtime.process.rank > 0)
		(void)hdReplacementBegin(runtime.project, &runtime.replacement);
	PMPI_Barrier(runtime.world);
	return ret;
}

/* Whether there is nothing to replace, or that has begun. */
static bool runtimeReplaceBegin(void)
{
	char path[HDMPI_PATH_MAX];
	int exists = 0, isThere = 0, ret;

	if (!hdmpiOptions.replaces)
		return true;
	hdmpiOptionsPath(hdmpiOptions.project, path, sizeof(path));
	if (runtime.process.isLeader)
		exists = hdProjectExists(path);
	if (PMPI_Allreduce(&exists, &isThere, 1, MPI_INT, MPI_MAX,
			   runtime.world) != MPI_SUCCESS ||
	    !isThere)
		return true;
	strcpy(runtime.project, hdmpiOptions.project);
	ret = runtimeRename();
	if (ret == 0)
		ret = runtimeReplaceOpen();
	runtime.isReplacing = ret == 0;
	if (ret < 0 && runtime.process.rank == 0)
		hdmpiLossSay("nothing is recorded: %s.proj: cannot "
			     "replace: %s",
			     hdmpiOptionsShown(runtime.project),
			     ret == -EBUSY ? "in use by another program"
					   : strerror(-ret));
	return ret == 0;
}

/* From now on the project has its final name. */
static void runtimeReplaced(void)
{
	strcpy(hdmpiOptions.project, runtime.project);
	runtime.firstTopology = runtime.topology;
	runtime.firstHost = runtime.host;
	if (runtimeTopology() == 0)
		return;
	runtime.topology = runtime.firstTopology;
	runtime.host = runtime.firstHost;
	runtime.firstTopology = NULL;
	runtime.firstHost = NULL;
}

/* Put the new project in the process of the old one if all processes record. */
static void runtimeReplaceEnd(struct hdmpiThread *self)
{
	int good = self && self->trace, all = 0;

	if (!runtime.isReplacing)
		return;
	/* The .info has to be there before the directory goes. */
	if (good)
		good = hdT_writeInfo(self->trace, "%s", "") == 0;
	PMPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, runtime.world);
	good = all;
	if (all)
		good = hdReplacementKeep(runtime.replacement, true) == 0;
	else
		hdReplacementLeave(runtime.replacement);
	runtime.replacement = NULL;
	PMPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, runtime.world);
	if (all)
		runtimeReplaced();
	else if (runtime.process.rank == 0)
		hdmpiLossSay("%s: the old project is kept; the new project "
			     "is %s",
			     hdmpiOptionsShown(runtime.project),
			     hdmpiOptionsShown(hdmpiOptions.project));
}

/* ---- Begin -----------------------------------------------------------------
 */

/* Begin the state of MPI_Init, with its true beginning. */
static void runtimeBegin(struct hdmpiCall *call)
{
	struct timespec start = hdClockToTimespec(call->start);

	hdT_logStateStartAt(call->self->trace, functionNames[call->function],
			    &start);
	hdmpiNotePart(call->self);
	if (hdmpiOptions.siteDepth)
		hdmpiSiteNote(call->self,
			      hdmpiSiteFind(call->self, call->caller), false);
	call->self->depth++;
	call->isRecorded = true;
}

MPI_Comm hdmpiRuntimeWorld(void)
{
	return runtime.world;
}

int hdmpiRuntimeNumber(int rank)
{
	return hdmpiRanksNumber(rank);
}

void hdmpiRuntimeStart(struct hdmpiCall *call, MPI_Comm all)
{
	static bool wasStarted;
	struct hdmpiThread *self;
	hdTopoNode *rank;

	hdmpiLossSeen();
	if (wasStarted || hdmpiLossIsOther())
		return;
	runtime.all = all;
	runtime.isOfSession = all != MPI_COMM_WORLD;
	if (runtimeAgree() < 0)
		return;
	wasStarted = true;
	if (!runtimeReplaceBegin()) {
		PMPI_Comm_free(&runtime.world);
		return;
	}
	/* From here on every process does the same, or the others would wait
	 * in vain; one that fails only records nothing. */
	for (int i = 0; i < HDMPI_FUNCTIONS; i++) {
		bool isOn = hdmpiOptions.classes >> functionClasses[i] & 1;

		if (isOn)
			runtime.how[i] =
				functionPolls[i] && !hdmpiOptions.keepsPolls
					? IS_ON | IS_POLL
					: IS_ON;
	}
	if (runtimeTopology() == 0) {
		hdmpiUtilizationStart(runtime.host, &runtime.process);
		hdmpiPowerStart(runtime.topology, &runtime.process);
	}
	hdmpiPowerCheck(runtime.world, &runtime.process);
	self = runtime.topology ? hdmpiThreadStart(call->start) : NULL;
	hdmpiClockMeasure(runtime.world, &runtime.process, self);
	/* What is recorded before the clocks were compared would be less exact
	 * than is stated. */
	PMPI_Barrier(runtime.world);
	runtimeReplaceEnd(self);
	hdmpiLossTell(runtime.world, &runtime.process, !self || !self->trace);
	hdmpiAwaitBegin(runtime.world, &runtime.process, self && self->trace);
	hdmpiClockRepeatStart(runtime.world, &runtime.process, self);
	runtime.begin = call->start;
	runtime.isStarted = true;
	if (!self)
		return;
	rank = runtimeNode(0, 2);
	hdmpiCpuStart(rank, hdClockNow());
	if (rank)
		hdT_destroyTopoNode(rank);
	call->self = self;
	hdmpiRequestsBegin(runtime.isOfSession);
	hdmpiSitesStart();
	hdmpiPollsStart();
	atomic_store(&hdmpiSwitched, hdmpiOptions.isEnabled ? 1 : 2);
	atomic_store(&hdmpiIsActive, true);
	/* So that its number is 0. */
	if (!runtime.isOfSession)
		hdmpiCommId(self, MPI_COMM_WORLD);
	hdmpiPollsMeasure(self);
	/* No sample of all this, which is the tracer's. */
	hdmpiSamplesStart();
	hdmpiSamplesWrite(self);
	hdmpiSamplesSkip(self);
	if ((runtime.how[call->function] & IS_ON) && hdmpiIsRecording(self))
		runtimeBegin(call);
}

/* ---- End -------------------------------------------------------------------
 */

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
		hdmpiLossSay("%s: no call is recorded: all calls were "
			     "outside of the first %g s of every %g s "
			     "(HDTRACE_MPI_THROTTLE)",
			     hdmpiOptionsShown(hdmpiOptions.project),
			     (double)hdmpiOptions.throttleOnNs / HD_NS_PER_S,
			     (double)period / HD_NS_PER_S);
}

/* Say it where the session ends that recording began with, and MPI_Finalize is
 * still to come. */
static void runtimeSayRest(void)
{
	int isBegun = 0, isOver = 0;

	PMPI_Initialized(&isBegun);
	PMPI_Finalized(&isOver);
	if (isBegun && !isOver)
		hdmpiLossSay("%s: recording ends with the session that it "
			     "began with; calls until MPI_Finalize are not "
			     "recorded",
			     hdmpiOptionsShown(hdmpiOptions.project));
}

void hdmpiRuntimeEnd(struct hdmpiCall *call, bool isOfSession)
{
	struct hdmpiThread *self = call->self;
	bool isTraced;

	if (!runtime.isStarted || runtime.isOfSession != isOfSession)
		return;
	runtime.isStarted = false;
	runtime.end = call;
	atomic_store(&hdmpiIsActive, false);
	if (runtime.process.rank == 0)
		runtimeSayNothing();
	if (runtime.process.rank == 0 && isOfSession)
		runtimeSayRest();
	hdmpiClockRepeatEnd();
	/* What the processes wait for each other here they do not wait for
	 * later; so it belongs to MPI_Finalize. On one host there is nothing
	 * for which they would. */
	if (!runtime.process.isAlone)
		PMPI_Barrier(runtime.world);
	isTraced = hdmpiTracerBegin(self, hdClockNow());
	if (!runtime.process.isAlone) {
		hdmpiClockMeasure(runtime.world, &runtime.process, self);
		hdmpiLossTell(runtime.world, &runtime.process, false);
	}
	PMPI_Comm_free(&runtime.world);
	/* A process may not come back. */
	hdmpiThreadsFlush();
	if (isTraced)
		hdT_logStateEnd(self->trace);
}

/* ---- When MPI has ended ----------------------------------------------------
 */

static void runtimeClose(void)
{
	hdmpiPowerEnd();
	hdmpiUtilizationEnd();
	hdmpiCpuEnd();
	hdmpiThreadsEnd();
	hdmpiSitesEnd();
	hdmpiHandlesEnd();
	hdmpiRequestsEnd();
	hdmpiLossTellAlone(&runtime.process);
	hdT_destroyTopoNode(runtime.host);
	hdT_destroyTopology(runtime.topology);
	if (runtime.firstHost) {
		hdT_destroyTopoNode(runtime.firstHost);
		hdT_destroyTopology(runtime.firstTopology);
		runtime.firstHost = NULL;
	}
	runtime.host = NULL;
	runtime.topology = NULL;
}

/* Rank 0 writes the project file when all have closed their files; the others
 * stay until then. */
static void runtimeProject(void)
{
	if (runtime.process.rank > 0) {
		if (hdmpiProjectCanMerge())
			hdmpiAwaitProject();
	} else if (hdmpiAwaitTraces(runtime.process.size)) {
		hdmpiProjectMerge();
	} else {
		hdmpiMessage(HD_LOG_WARNING,
			     "%s: no project file: not all files are "
			     "in one directory; use hdtrace merge",
			     hdmpiOptionsShown(hdmpiOptions.project));
	}
}

void hdmpiRuntimeFinish(const struct hdmpiCall *call)
{
	if (!runtime.end || runtime.end != call)
		return;
	runtime.end = NULL;
	runtimeClose();
	if (hdmpiOptions.writesProject)
		runtimeProject();
	hdmpiAwaitEnd();
	hdmpiRanksClose();
}
