/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The project of a run, as hdP_writeProject() has it, but while it goes on: see
 * PredictionLibrary/output/traces.c for what states mean.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <PT.h>
#include <RUT.h>
#include "PredictionLibrary/execution/execute.h"
#include "PredictionLibrary/output/project.h"
#include "PredictionLibrary/output/series.h"
#include "PredictionLibrary/simulation/power.h"
#include "common/clock.h"
#include "common/environment.h"
#include "common/format/level.h"

#define UTILIZATION_MS 100

struct hdExecuteRecord {
	struct hdPredictProject project;
	hdPResult result; /* Only what has no times. */
	int64_t base;     /* When gauges begin, in ns since 1970. */
	struct hdPredictSeries memory, transfers;
	int64_t pending, bytes; /* Of transfers; bytes since the last entry. */
	UtilTrace *utilization;
	PowerTrace *power;
};

/* ---- States ------------------------------------------------------------ */

static bool executeRecordLogId(const struct hdExecution *self, hdTrace *trace,
			       uint32_t task)
{
	return hdPredictLogId(trace, "task", self->plan.graph, task) &&
	       hdT_logAttributeInt64(trace, "activity", task) == 0;
}

/* A state ended, or begins, with an activity. */
static bool executeRecordLogCause(const struct hdExecution *self,
				  hdTrace *trace, const char *name,
				  uint64_t activity)
{
	const hdPGraph *graph = self->plan.graph;
	uint32_t task = (uint32_t)activity;

	if (activity >= graph->taskCount)
		task = hdPredictProducer(
			graph, self->plan.messages[activity - graph->taskCount]
				       .dataSet);
	return hdT_logAttributeInt64(trace, name, (int64_t)activity) == 0 &&
	       hdPredictLogId(trace, "for", graph, task);
}

bool hdExecuteLogEnd(hdTrace *trace)
{
	return !trace || hdT_logStateEnd(trace) == 0;
}

bool hdExecuteLogWait(struct hdExecuteWorker *worker, uint32_t task)
{
	const struct hdExecution *self = worker->execution;
	bool isReceived = self->plan.arriving[task] != HD_PREDICT_NONE;

	worker->isMissing = atomic_load(&self->missing[task]);
	worker->isWaiting = worker->trace && (isReceived || worker->isMissing);
	return !worker->isWaiting ||
	       hdT_logStateStart(worker->trace,
				 isReceived ? "Waitall" : "Blocked") == 0;
}

bool hdExecuteLogArrived(struct hdExecuteWorker *worker, uint32_t task)
{
	const struct hdExecution *self = worker->execution;
	const struct hdExecutePlan *plan = &self->plan;
	bool isGood = true;

	if (!worker->isWaiting)
		return true;
	/* Unless it was given up. */
	if (worker->isMissing && !atomic_load(&self->missing[task]))
		isGood = executeRecordLogCause(self, worker->trace, "awaits",
					       atomic_load(&self->last[task]));
	for (uint32_t m = plan->arriving[task]; m != HD_PREDICT_NONE && isGood;
	     m = plan->next[m]) {
		const int64_t values[] = { 0,
					   plan->platform->peCount +
						   plan->messages[m].edge,
					   plan->messages[m].dataSet };

		isGood = hdT_logElementInt64(worker->trace, "Request",
					     "cid fromRank fromTag",
					     values) == 0;
	}
	return hdT_logStateEnd(worker->trace) == 0 && isGood;
}

bool hdExecuteLogTask(struct hdExecuteWorker *worker, uint32_t task)
{
	const hdPGraph *graph = worker->execution->plan.graph;
	char name[HD_PREDICT_STATE_SIZE];

	if (!worker->trace)
		return true;
	hdPredictStateName(hdPredictKernelOf(graph, task)->id, name,
			   sizeof(name));
	return hdT_logStateStart(worker->trace, name) == 0;
}

bool hdExecuteLogTaskEnd(struct hdExecuteWorker *worker, uint32_t task,
			 const struct timespec *when)
{
	const struct hdExecution *self = worker->execution;
	hdTrace *trace = worker->trace;
	bool isGood;

	if (!trace)
		return true;
	isGood = executeRecordLogId(self, trace, task) &&
		 hdPredictLogTask(trace, self->plan.graph, self->plan.platform,
				  &self->plan.base.plan, task);
	return hdT_logStateEndAt(trace, when) == 0 && isGood;
}

bool hdExecuteLogJoin(struct hdExecuteWorker *worker)
{
	return !worker->trace ||
	       hdT_logStateStart(worker->trace, "Blocked") == 0;
}

bool hdExecuteLogPart(struct hdExecuteWorker *worker, uint32_t task,
		      uint64_t cause)
{
	return !worker->trace || (hdExecuteLogGathered(worker, cause) &&
				  hdExecuteLogTask(worker, task));
}

bool hdExecuteLogPartEnd(struct hdExecuteWorker *worker, uint32_t task,
			 const struct timespec *when)
{
	const struct hdExecution *self = worker->execution;
	bool isGood;

	if (!worker->trace)
		return true;
	isGood = hdPredictLogPart(worker->trace, self->plan.graph,
				  self->plan.platform, task, worker->pe);
	return hdT_logStateEndAt(worker->trace, when) == 0 && isGood;
}

bool hdExecuteLogGather(struct hdExecuteWorker *worker)
{
	return hdExecuteLogJoin(worker);
}

bool hdExecuteLogGathered(struct hdExecuteWorker *worker, uint64_t cause)
{
	const struct hdExecution *self = worker->execution;
	bool isGood;

	if (!worker->trace)
		return true;
	isGood = cause == HD_EXECUTE_NO_CAUSE ||
		 executeRecordLogCause(self, worker->trace, "awaits", cause);
	return hdT_logStateEnd(worker->trace) == 0 && isGood;
}

bool hdExecuteLogMessage(const struct hdExecution *self, hdTrace *trace,
			 uint32_t message)
{
	const struct hdExecutePlan *plan = &self->plan;
	const struct hdExecuteMessage *what = &plan->messages[message];
	const int64_t values[] = {
		0,
		plan->base.plan.pe[plan->graph->consumerTask[what->consumer]],
		what->dataSet,
		(int64_t)hdExecuteSize(plan, what->dataSet),
		(int64_t)hdExecuteActivity(self, message),
	};

	return !trace ||
	       (hdT_logStateStart(trace, "Bsend") == 0 &&
		hdT_logAttributesInt64(trace, "cid toRank toTag size activity",
				       values) == 0 &&
		(!self->outboxes[what->edge].isIdle ||
		 executeRecordLogCause(
			 self, trace, "follows",
			 hdPredictProducer(plan->graph, what->dataSet))));
}

/* A time of the monotonic clock, which was just now, of the other one. */
static struct timespec wallTime(int64_t ns)
{
	return hdClockToTimespec(hdClockNow() - hdMonotonicNow() + ns);
}

bool hdExecuteLogTransfer(struct hdExecution *self, uint32_t message,
			  int64_t startNs)
{
	const struct hdExecuteMessage *what = &self->plan.messages[message];
	struct hdExecuteOutbox *outbox;
	struct timespec start;

	if (what->lastEdge == HD_PREDICT_NONE)
		return true;
	outbox = &self->outboxes[what->lastEdge];
	if (!outbox->inTrace)
		return true;
	/* Several may be on their way; a bridge takes one after the other. */
	start = wallTime(startNs > outbox->inEndNs ? startNs : outbox->inEndNs);
	outbox->inEndNs = hdMonotonicNow();
	return hdT_logStateStartAt(outbox->inTrace, "Transfer", &start) == 0 &&
	       hdT_logAttributeInt64(
		       outbox->inTrace, "size",
		       (int64_t)hdExecuteSize(&self->plan, what->dataSet)) ==
		       0 &&
	       hdT_logStateEnd(outbox->inTrace) == 0;
}

/* ---- Gauges ------------------------------------------------------------ */

static double executeRecordNow(const struct hdExecuteRecord *record)
{
	return (double)(hdClockNow() - record->base) / 1e9;
}

void hdExecuteRecordMemory(struct hdExecuteRecord *record, int64_t used)
{
	const union hdPredictCell cell = { .integer = used };

	hdPredictSeriesWrite(&record->memory, executeRecordNow(record), &cell);
}

void hdExecuteRecordPending(struct hdExecuteRecord *record, int64_t change,
			    int64_t bytes)
{
	const union hdPredictCell cells[] = { { record->pending },
					      { record->bytes + bytes } };

	record->pending += change;
	record->bytes += bytes;
	if (hdPredictSeriesWrite(&record->transfers, executeRecordNow(record),
				 cells))
		record->bytes = 0;
}

static void executeRecordStartGauges(const struct hdExecution *self,
				     struct hdExecuteRecord *record)
{
	hdTopoNode *host = hdPredictTopoNode(
		&record->project, self->plan.server, HD_PREDICT_NONE, 0);

	record->base = hdClockNow();
	record->memory = hdPredictSeriesOn(host, 1, record->base, NULL,
					   "Memory", hdPredictMemoryColumns, 1);
	record->transfers =
		hdPredictSeriesOn(host, 1, record->base, NULL, "Transfers",
				  hdPredictTransferColumns, 2);
	if (host)
		hdT_destroyTopoNode(host);
}

static int executeRecordEndGauges(const struct hdExecution *self,
				  struct hdExecuteRecord *record)
{
	const union hdPredictCell used = { .integer =
						   atomic_load(&self->used) };
	const union hdPredictCell cells[] = { { record->pending },
					      { record->bytes } };
	double now = executeRecordNow(record);
	int ret = hdPredictSeriesEnd(&record->memory, now, &used);
	int other = hdPredictSeriesEnd(&record->transfers, now, cells);

	return ret ? ret : other;
}

/* ---- Files ------------------------------------------------------------- */

static hdTrace *executeRecordCreate(const struct hdExecuteRecord *record,
				    uint32_t server, uint32_t rank,
				    uint32_t thread)
{
	hdTopoNode *node =
		hdPredictTopoNode(&record->project, server, rank, thread);
	hdTrace *trace = node ? hdT_createTrace(node) : NULL;

	if (node)
		hdT_destroyTopoNode(node);
	if (trace)
		hdT_setTimeBase(trace, hdClockBase());
	return trace;
}

static bool createLane(const struct hdExecution *self,
		       const struct hdExecuteRecord *record, uint32_t edge,
		       uint32_t lane, hdTrace **trace)
{
	const hdPPlatform *platform = self->plan.platform;

	if (lane == HD_PREDICT_NONE)
		return true;
	*trace = executeRecordCreate(record,
				     hdPredictBridgeServer(platform, edge),
				     platform->peCount + edge, lane);
	return *trace != NULL;
}

static int createAll(struct hdExecution *self,
		     const struct hdExecuteRecord *record)
{
	const struct hdExecutePlan *plan = &self->plan;

	for (uint32_t w = 0; w < self->workerCount; w++) {
		struct hdExecuteWorker *worker = &self->workers[w];

		worker->trace = executeRecordCreate(record, plan->server,
						    worker->pe, 0);
		if (!worker->trace)
			return -EIO;
	}
	for (uint32_t e = 0; e < plan->platform->edgeCount; e++) {
		if (!createLane(self, record, e, plan->lane[e],
				&self->outboxes[e].trace) ||
		    !createLane(self, record, e, plan->inLane[e],
				&self->outboxes[e].inTrace))
			return -EIO;
	}
	return 0;
}

/* What is beside the run: it goes on without. */
static void executeRecordStartMeters(const struct hdExecution *self,
				     struct hdExecuteRecord *record)
{
	const char *file = hdEnvironmentText("HDTRACE_PT_CFG");
	hdTopoNode *host = hdPredictTopoNode(
		&record->project, self->plan.server, HD_PREDICT_NONE, 0);
	rutSources sources;

	RUTSRC_UNSET_ALL(sources);
	RUTSRC_SET_CPU(sources);
	RUTSRC_SET_MEM(sources);
	RUTSRC_SET_NET(sources);
	if (host && rut_createTrace(host, 1, sources, UTILIZATION_MS,
				    &record->utilization) == RUT_SUCCESS)
		rut_startTrace(record->utilization);
	else
		record->utilization = NULL;
	if (host)
		hdT_destroyTopoNode(host);
	/* Where the device is at another host, libPT says so. */
	if (file && pt_createTrace(file, record->project.topology,
				   &record->power) == PT_SUCCESS)
		pt_startTracing(record->power);
	else
		record->power = NULL;
}

int hdExecuteRecordBegin(struct hdExecution *self, const char *project,
			 bool isFirst, struct hdExecuteRecord **result)
{
	static const char *levels[] = { HD_LEVEL_HOST, HD_LEVEL_RANK,
					HD_LEVEL_THREAD };
	static const char *const groups[] = { "Energy", "Utilization", "Memory",
					      "Transfers", NULL };
	struct hdExecuteRecord *record = calloc(1, sizeof(*record));
	int ret = 0;

	if (!record)
		return -ENOMEM;
	*result = record;
	record->result.graph = self->plan.graph;
	record->result.platform = self->plan.platform;
	record->project = (struct hdPredictProject){
		.result = &record->result,
		.name = project,
		.lanes = self->plan.lanes,
		.topology = hdT_createTopology(project, levels, 3),
	};
	if (!record->project.topology)
		return -ENOMEM;
	if (isFirst)
		ret = hdPredictProjectFile(
			&record->project,
			"run by hdexecute; each PE and each bridge is a rank",
			hdEnvironmentText("HDTRACE_PT_CFG") ? groups
							    : groups + 1);
	if (ret == 0)
		ret = createAll(self, record);
	if (ret == 0)
		executeRecordStartGauges(self, record);
	if (ret == 0 && self->isHostLeader)
		executeRecordStartMeters(self, record);
	return ret;
}

/* Why a function of libhdTrace has failed. */
static int executeRecordErrorOf(void)
{
	return errno ? -errno : -EIO;
}

static int executeRecordFinish(hdTrace **trace)
{
	hdLosses losses = { 0, 0 };
	int ret = 0;

	if (!*trace)
		return 0;
	if (hdT_flush(*trace) != 0)
		ret = executeRecordErrorOf();
	if (hdT_getLosses(*trace, &losses) == 0 && losses.records && ret == 0)
		ret = -EIO;
	if (hdT_finalize(*trace) != 0 && ret == 0)
		ret = executeRecordErrorOf();
	*trace = NULL;
	return ret;
}

int hdExecuteRecordEnd(struct hdExecution *self, struct hdExecuteRecord *record)
{
	int ret = 0, last;

	if (!record)
		return 0;
	for (uint32_t w = 0; w < self->workerCount; w++) {
		last = executeRecordFinish(&self->workers[w].trace);
		ret = ret ? ret : last;
	}
	for (uint32_t e = 0; e < self->plan.platform->edgeCount; e++) {
		last = executeRecordFinish(&self->outboxes[e].trace);
		ret = ret ? ret : last;
		last = executeRecordFinish(&self->outboxes[e].inTrace);
		ret = ret ? ret : last;
	}
	if (record->base) {
		last = executeRecordEndGauges(self, record);
		ret = ret ? ret : last;
	}
	if (record->power && pt_finalizeTrace(record->power) == PT_EHDLIB)
		ret = -EIO;
	if (record->utilization &&
	    rut_finalizeTrace(record->utilization) != RUT_SUCCESS)
		ret = -EIO;
	if (record->project.topology)
		hdT_destroyTopology(record->project.topology);
	free(record);
	return ret;
}
