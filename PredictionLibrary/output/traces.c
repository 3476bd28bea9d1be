/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Traces of PEs and bridges of a predicted project; see project.h.
 *
 * A task is a state on its PE. Of several PEs, the first one has what is known
 * of it, and the states of the others name it only. A message is a Bsend on the
 * first bridge of its path, which waits for nobody, and is received by a
 * Waitall of the PE that runs the task that needs it, which lasts from the end
 * of the task before. Whatever else is waited for is a state Blocked. See
 * doc/prediction.md for what they say of causes.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <hdTrace.h>
#include "PredictionLibrary/output/project.h"
#include "PredictionLibrary/simulation/power.h"

/* Records between two calls that write them. */
#define FLUSH 500

static bool predictTracesBeginState(hdTrace *trace, const char *name,
				    double when)
{
	struct timespec time = hdPredictTime(when);

	return hdT_logStateStartAt(trace, name, &time) == 0;
}

static bool predictTracesEndState(hdTrace *trace, double when, uint32_t *count)
{
	struct timespec time = hdPredictTime(when);

	return hdT_logStateEndAt(trace, &time) == 0 &&
	       (++*count % FLUSH || hdT_flush(trace) == 0);
}

void hdPredictStateName(const char *id, char *name, size_t size)
{
	size_t i = 0;

	for (; id[i] && i + 2 < size; i++) {
		bool isLetter = (id[i] >= 'A' && id[i] <= 'Z') ||
				(id[i] >= 'a' && id[i] <= 'z');
		bool isMore = (id[i] >= '0' && id[i] <= '9') || id[i] == '.' ||
			      id[i] == '-';

		name[i] = isLetter || (isMore && i) ? id[i] : '_';
	}
	name[i] = '\0';
}

/* Log one of some names as an attribute. */
static bool logName(hdTrace *trace, const char *key,
		    const struct hdPredictNames *names, uint32_t name)
{
	char *copy = hdPredictNameCopy(names, name);
	bool isGood = copy && hdT_logAttributeString(trace, key, copy) == 0;

	free(copy);
	return isGood;
}

static bool logVariables(hdTrace *trace, const hdPGraph *graph, uint32_t task)
{
	const struct hdPredictConfig *config =
		&graph->configs[graph->config[task]];
	const struct hdPredictKernel *kernel = &graph->kernels[config->kernel];
	bool isGood = true;

	for (uint32_t i = 0; i < kernel->variableCount && isGood; i++) {
		char key[204] = "var.";

		hdPredictStateName(kernel->variables[i], key + 4,
				   sizeof(key) - 4);
		if (strcmp(key + 4, kernel->variables[i]) == 0)
			isGood =
				hdT_logAttributeDouble(
					trace, key,
					graph->values[config->values + i]) == 0;
	}
	return isGood;
}

bool hdPredictLogTask(hdTrace *trace, const hdPGraph *graph,
		      const hdPPlatform *platform,
		      const struct hdPredictPlan *plan, uint32_t task)
{
	uint32_t row, column, count;
	const uint32_t *pes = hdPredictPlanPes(plan, platform, task, &count);
	char *name = count > 1 ? hdPredictSetsName(platform, pes, count) : NULL;
	bool isGood = (count == 1 || name) &&
		      logName(trace, "architecture", &platform->peArchitectures,
			      platform->pes[pes[0]].architecture) &&
		      (count == 1 ||
		       hdT_logAttributeInt64(trace, "pes", count) == 0) &&
		      logVariables(trace, graph, task) &&
		      hdPredictLogGraph(graph, trace, task,
					name ? name : platform->peIds[pes[0]]);

	free(name);

	hdPredictTile(graph, task, &row, &column);
	if (isGood && row != HD_PREDICT_NONE) {
		const int64_t tile[] = { row, column };

		isGood = hdT_logAttributesInt64(trace, "row column", tile) == 0;
	}
	return isGood;
}

bool hdPredictLogId(hdTrace *trace, const char *name, const hdPGraph *graph,
		    uint32_t task)
{
	return logName(trace, name, &graph->ids, task);
}

/* An activity, by the id of its task: that one's, or of whose data are sent. */
static bool predictTracesLogId(const struct hdPredictProject *project,
			       hdTrace *trace, const char *name,
			       uint64_t activity)
{
	const hdPResult *result = project->result;
	const hdPGraph *graph = result->graph;
	uint32_t task = (uint32_t)activity;

	if (activity >= graph->taskCount)
		task = hdPredictProducer(
			graph,
			result->transfers[activity - graph->taskCount].dataSet);
	return hdPredictLogId(trace, name, graph, task);
}

/* What a state ends with, or follows, if that took time. */
static bool predictTracesLogCause(const struct hdPredictProject *project,
				  hdTrace *trace, const char *name,
				  uint64_t activity)
{
	uint64_t cause;

	if (hdPredictCause(project->causes, activity, &cause) < 0)
		return false;
	return cause == HD_PREDICT_NOTHING ||
	       (hdT_logAttributeInt64(trace, name, (int64_t)cause) == 0 &&
		predictTracesLogId(project, trace, "for", cause));
}

/* It takes some time, as it is written. */
static bool predictTracesIsLater(double when, double than)
{
	return hdPredictNs(when) > hdPredictNs(than);
}

static bool block(const struct hdPredictProject *project, hdTrace *trace,
		  uint64_t activity, double from, double until, uint32_t *count)
{
	return predictTracesBeginState(trace, "Blocked", from) &&
	       predictTracesLogCause(project, trace, "awaits", activity) &&
	       predictTracesEndState(trace, until, count);
}

/* What a PE does until a task begins: the first one receives its messages. */
static bool predictTracesReceiveTask(const struct hdPredictProject *project,
				     hdTrace *trace, uint32_t pe, uint32_t task,
				     double from, double until, uint32_t *count)
{
	if (project->first[task] == HD_PREDICT_NONE ||
	    project->result->plan.pe[task] != pe)
		return !predictTracesIsLater(until, from) ||
		       block(project, trace, task, from, until, count);
	if (!predictTracesBeginState(trace, "Waitall", from) ||
	    (predictTracesIsLater(until, from) &&
	     !predictTracesLogCause(project, trace, "awaits", task)))
		return false;
	for (uint32_t m = project->first[task]; m != HD_PREDICT_NONE;
	     m = project->next[m]) {
		const struct hdPredictTransfer *transfer =
			&project->result->transfers[m];
		const int64_t values[] = { 0, project->rank[m],
					   transfer->dataSet };

		if (hdT_logElementInt64(trace, "Request",
					"cid fromRank fromTag", values) != 0)
			return false;
	}
	return predictTracesEndState(trace, until, count);
}

bool hdPredictLogPart(hdTrace *trace, const hdPGraph *graph,
		      const hdPPlatform *platform, uint32_t task, uint32_t pe)
{
	return logName(trace, "architecture", &platform->peArchitectures,
		       platform->pes[pe].architecture) &&
	       hdPredictLogId(trace, "task", graph, task) &&
	       hdT_logAttributeInt64(trace, "partOf", task) == 0;
}

static bool predictTracesWriteTask(const struct hdPredictProject *project,
				   hdTrace *trace, uint32_t pe, uint32_t task,
				   uint32_t *count)
{
	const hdPResult *result = project->result;
	const hdPGraph *graph = result->graph;
	char name[HD_PREDICT_STATE_SIZE];
	bool isGood;

	hdPredictStateName(hdPredictKernelOf(graph, task)->id, name,
			   sizeof(name));
	isGood = predictTracesBeginState(trace, name, result->start[task]);
	if (result->plan.pe[task] != pe)
		return isGood &&
		       hdPredictLogPart(trace, graph, result->platform, task,
					pe) &&
		       predictTracesEndState(trace, result->end[task], count);
	isGood = isGood && predictTracesLogId(project, trace, "task", task) &&
		 hdT_logAttributeInt64(trace, "activity", task) == 0 &&
		 hdPredictLogTask(trace, graph, result->platform, &result->plan,
				  task);
	return isGood &&
	       hdT_logAttributeDouble(trace, "energy", result->energy[task]) ==
		       0 &&
	       predictTracesEndState(trace, result->end[task], count);
}

/* 0, or the error of the trace. */
static int predictTracesFinishTrace(hdTrace *trace, bool isGood)
{
	hdLosses losses = { 0, 0 };

	if (isGood)
		isGood = hdT_flush(trace) == 0 &&
			 hdT_getLosses(trace, &losses) == 0;
	return hdT_finalize(trace) != 0 || !isGood || losses.records ? -EIO : 0;
}

static hdTrace *predictTracesCreateTrace(const struct hdPredictProject *project,
					 uint32_t server, uint32_t rank,
					 uint32_t thread)
{
	hdTopoNode *node = hdPredictTopoNode(project, server, rank, thread);
	struct timespec start = hdPredictTime(0);
	hdTrace *trace = node ? hdT_createTraceAt(node, &start) : NULL;

	if (node)
		hdT_destroyTopoNode(node);
	if (trace)
		hdT_setTimeBase(trace, HD_TIME_AS_GIVEN);
	return trace;
}

static int tracePe(const struct hdPredictProject *project, uint32_t pe)
{
	const hdPResult *result = project->result;
	hdTrace *trace = predictTracesCreateTrace(
		project, result->platform->pes[pe].server, pe, 0);
	bool isGood = trace != NULL;
	uint32_t count = 0;
	double idle = 0;

	if (!trace)
		return -EIO;
	for (uint32_t i = result->plan.first[pe];
	     i < result->plan.first[pe + 1] && isGood; i++) {
		uint32_t task = result->plan.order[i];

		isGood =
			predictTracesReceiveTask(project, trace, pe, task, idle,
						 result->start[task], &count) &&
			predictTracesWriteTask(project, trace, pe, task,
					       &count);
		idle = result->end[task];
	}
	return predictTracesFinishTrace(trace, isGood);
}

static bool logMessage(const hdPResult *result, hdTrace *trace, uint32_t number,
		       uint64_t activity)
{
	const struct hdPredictTransfer *transfer = &result->transfers[number];
	hdPTransfer about;
	int64_t values[] = {
		0,
		result->plan
			.pe[result->graph->consumerTask[transfer->consumer]],
		transfer->dataSet,
		0,
		(int64_t)activity,
	};

	hdP_getTransfer(result, number, &about);
	values[3] = (int64_t)about.bytes;
	return hdT_logAttributesInt64(trace, "cid toRank toTag size activity",
				      values) == 0;
}

/* A message on its first bridge, where it may have to wait for others. */
static bool writeMessage(const struct hdPredictProject *project, hdTrace *trace,
			 uint32_t number, double idle, uint32_t *count)
{
	const hdPResult *result = project->result;
	const struct hdPredictTransfer *transfer = &result->transfers[number];
	uint64_t activity = result->graph->taskCount + (uint64_t)number;
	double since = fmax(idle, transfer->ready);
	bool isBlocked = predictTracesIsLater(transfer->start, since);

	if (isBlocked &&
	    !block(project, trace, activity, since, transfer->start, count))
		return false;
	return predictTracesBeginState(trace, "Bsend", transfer->start) &&
	       logMessage(result, trace, number, activity) &&
	       (isBlocked || !predictTracesIsLater(transfer->start, idle) ||
		predictTracesLogCause(project, trace, "follows", activity)) &&
	       predictTracesEndState(trace, transfer->end, count);
}

static bool writeTransfer(const struct hdPredictProject *project,
			  hdTrace *trace, uint32_t rank, uint32_t message,
			  double idle, uint32_t *count)
{
	const hdPResult *result = project->result;
	const struct hdPredictTransfer *transfer = &result->transfers[message];
	hdPTransfer about;

	if (project->rank[message] == rank)
		return writeMessage(project, trace, message, idle, count);
	hdP_getTransfer(result, message, &about);
	return predictTracesBeginState(trace, "Transfer", transfer->start) &&
	       hdT_logAttributeInt64(trace, "size", (int64_t)about.bytes) ==
		       0 &&
	       predictTracesEndState(trace, transfer->end, count);
}

/* ---- Bridges ----------------------------------------------------------- */

/* Messages of a bridge, by their beginnings. */
struct lanes {
	uint32_t *messages;
	uint32_t *lane;   /* Of each message. */
	double *ends;     /* Of each lane. */
	uint32_t count;   /* Of lanes. */
	uint32_t *first;  /* Of each lane in byLane, and the end. */
	uint32_t *byLane; /* Places of messages, by lane. */
};

/* What messages are compared by; one sort at a time in a thread. */
static _Thread_local const struct hdPredictTransfer *sorting;

static int byStart(const void *a, const void *b)
{
	const struct hdPredictTransfer *x = &sorting[*(const uint32_t *)a];
	const struct hdPredictTransfer *y = &sorting[*(const uint32_t *)b];

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return (x > y) - (x < y);
}

/* Whether a message can be in a lane after one that ended then. Where bridges
 * are shared it waits for none of the others: if it takes time it may not seem
 * to begin because one ended. */
static bool predictTracesIsFree(const hdPResult *result, double ended,
				const struct hdPredictTransfer *transfer)
{
	return ended <= transfer->start &&
	       (!result->isShared ||
		predictTracesIsLater(transfer->start, ended) ||
		!predictTracesIsLater(transfer->end, transfer->start));
}

/* Each message takes the first lane that is free when it begins. */
static int predictTracesFindLanes(const struct hdPredictProject *project,
				  uint32_t edge, struct lanes *lanes)
{
	const struct hdPredictTransfer *transfers = project->result->transfers;
	uint32_t first = project->edgeFirst[edge];
	uint32_t n = project->edgeFirst[edge + 1] - first;

	lanes->messages = malloc(((size_t)n + 1) * sizeof(uint32_t));
	lanes->lane = malloc(((size_t)n + 1) * sizeof(uint32_t));
	lanes->ends = calloc((size_t)n + 1, sizeof(double));
	if (!lanes->messages || !lanes->lane || !lanes->ends)
		return -ENOMEM;
	memcpy(lanes->messages, project->byEdge + first, n * sizeof(uint32_t));
	sorting = transfers;
	if (n)
		qsort(lanes->messages, n, sizeof(uint32_t), byStart);
	lanes->count = 1;
	lanes->ends[0] = -1;
	for (uint32_t i = 0; i < n; i++) {
		const struct hdPredictTransfer *transfer =
			&transfers[lanes->messages[i]];
		uint32_t lane = 0;

		while (lane < lanes->count &&
		       !predictTracesIsFree(project->result, lanes->ends[lane],
					    transfer))
			lane++;
		if (lane == lanes->count)
			lanes->count++;
		lanes->lane[i] = lane;
		lanes->ends[lane] = transfer->end;
	}
	return hdPredictGroup(lanes->lane, sizeof(*lanes->lane), 0, n,
			      lanes->count, &lanes->first, &lanes->byLane);
}

static void freeLanes(struct lanes *lanes)
{
	free(lanes->messages);
	free(lanes->lane);
	free(lanes->ends);
	free(lanes->first);
	free(lanes->byLane);
}

static int traceLane(const struct hdPredictProject *project, uint32_t edge,
		     const struct lanes *lanes, uint32_t lane)
{
	const hdPPlatform *platform = project->result->platform;
	uint32_t rank = platform->peCount + edge, count = 0;
	hdTrace *trace = predictTracesCreateTrace(
		project, hdPredictBridgeServer(platform, edge), rank, lane);
	bool isGood = trace != NULL;
	double idle = 0;

	if (!trace)
		return -EIO;
	for (uint32_t i = lanes->first[lane];
	     i < lanes->first[lane + 1] && isGood; i++) {
		uint32_t message = lanes->messages[lanes->byLane[i]];

		isGood = writeTransfer(project, trace, rank, message, idle,
				       &count);
		idle = project->result->transfers[message].end;
	}
	return predictTracesFinishTrace(trace, isGood);
}

static int traceEdge(const struct hdPredictProject *project, uint32_t edge)
{
	struct lanes lanes = { .count = 0 };
	int ret = predictTracesFindLanes(project, edge, &lanes);

	project->lanes[edge] = lanes.count;
	for (uint32_t lane = 0; lane < lanes.count && ret == 0; lane++)
		ret = traceLane(project, edge, &lanes, lane);
	freeLanes(&lanes);
	return ret;
}

int hdPredictTraces(const struct hdPredictProject *project)
{
	const hdPPlatform *platform = project->result->platform;
	int ret = 0;

	for (uint32_t p = 0; p < platform->peCount && ret == 0; p++)
		ret = tracePe(project, p);
	for (uint32_t e = 0; e < platform->edgeCount && ret == 0; e++)
		ret = traceEdge(project, e);
	return ret;
}
