/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Traces of PEs and bridges of a predicted project; see project.h.
 *
 * A task is a state on its PE. A message is a Send on the first bridge of its
 * path, and is received by a Waitall of the PE that runs the task that needs
 * it, which lasts from the end of the task before.
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

static bool begin(hdTrace *trace, const char *name, double when)
{
	struct timespec time = hdPredictTime(when);

	return hdT_logStateStartAt(trace, name, &time) == 0;
}

static bool end(hdTrace *trace, double when, uint32_t *count)
{
	struct timespec time = hdPredictTime(when);

	return hdT_logStateEndAt(trace, &time) == 0 &&
	       (++*count % FLUSH || hdT_flush(trace) == 0);
}

/* A kernel's id, as the name of a state. */
static void nameOf(const char *id, char *name, size_t size)
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

static bool receive(const struct hdPredictProject *project, hdTrace *trace,
		    uint32_t task, double from, double until, uint32_t *count)
{
	if (project->first[task] == HD_PREDICT_NONE)
		return true;
	if (!begin(trace, "Waitall", from))
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
	return end(trace, until, count);
}

static bool writeTask(const struct hdPredictProject *project, hdTrace *trace,
		      uint32_t task, uint32_t *count)
{
	const hdPResult *result = project->result;
	const hdPGraph *graph = result->graph;
	char name[200];
	size_t length;
	const char *id = hdPredictName(&graph->ids, task, &length);
	char *copy = strndup(id, length);
	bool isGood;

	nameOf(hdPredictKernelOf(graph, task)->id, name, sizeof(name));
	isGood = copy && begin(trace, name, result->start[task]) &&
		 hdT_logAttributeString(trace, "task", copy) == 0;
	free(copy);
	if (isGood && graph->tile &&
	    graph->tile[2 * (size_t)task] != HD_PREDICT_NONE) {
		const int64_t tile[] = { graph->tile[2 * (size_t)task],
					 graph->tile[2 * (size_t)task + 1] };

		isGood = hdT_logAttributesInt64(trace, "row column", tile) == 0;
	}
	return isGood &&
	       hdT_logAttributeDouble(trace, "energy", result->energy[task]) ==
		       0 &&
	       end(trace, result->end[task], count);
}

/* 0, or the error of the trace. */
static int finish(hdTrace *trace, bool isGood)
{
	hdLosses losses = { 0, 0 };

	if (isGood)
		isGood = hdT_flush(trace) == 0 &&
			 hdT_getLosses(trace, &losses) == 0;
	return hdT_finalize(trace) != 0 || !isGood || losses.records ? -EIO : 0;
}

static hdTrace *create(const struct hdPredictProject *project, uint32_t server,
		       uint32_t rank)
{
	hdTopoNode *node = hdPredictTopoNode(project, server, rank);
	struct timespec start = hdPredictTime(0);
	hdTrace *trace = node ? hdT_createTraceAt(node, &start) : NULL;

	if (node)
		hdT_destroyTopoNode(node);
	return trace;
}

static int tracePe(const struct hdPredictProject *project, uint32_t pe)
{
	const hdPResult *result = project->result;
	hdTrace *trace = create(project, result->platform->pes[pe].server, pe);
	bool isGood = trace != NULL;
	uint32_t count = 0;
	double idle = 0;

	if (!trace)
		return -EIO;
	for (uint32_t i = project->peFirst[pe];
	     i < project->peFirst[pe + 1] && isGood; i++) {
		uint32_t task = project->byPe[i];

		isGood = receive(project, trace, task, idle,
				 result->start[task], &count) &&
			 writeTask(project, trace, task, &count);
		idle = result->end[task];
	}
	return finish(trace, isGood);
}

static bool writeTransfer(const struct hdPredictProject *project,
			  hdTrace *trace, uint32_t rank, uint32_t message,
			  double *last, uint32_t *count)
{
	const hdPResult *result = project->result;
	const struct hdPredictTransfer *transfer = &result->transfers[message];
	uint32_t consumer = result->graph->consumerTask[transfer->consumer];
	hdPTransfer about;
	/* Those that share a bridge are shown one after the other. */
	double from = fmax(*last, transfer->start);

	hdP_getTransfer(result, message, &about);
	*last = fmax(from, transfer->end);
	if (project->rank[message] == rank) {
		const int64_t values[] = { 0, result->pe[consumer],
					   transfer->dataSet,
					   (int64_t)about.bytes };

		return begin(trace, "Send", from) &&
		       hdT_logAttributesInt64(trace, "cid toRank toTag size",
					      values) == 0 &&
		       end(trace, *last, count);
	}
	return begin(trace, "Transfer", from) &&
	       hdT_logAttributeInt64(trace, "size", (int64_t)about.bytes) ==
		       0 &&
	       end(trace, *last, count);
}

static int traceEdge(const struct hdPredictProject *project, uint32_t edge)
{
	const hdPPlatform *platform = project->result->platform;
	uint32_t rank = platform->peCount + edge, count = 0;
	hdTrace *trace =
		create(project, hdPredictBridgeServer(platform, edge), rank);
	bool isGood = trace != NULL;
	double last = 0;

	if (!trace)
		return -EIO;
	for (uint32_t i = project->edgeFirst[edge];
	     i < project->edgeFirst[edge + 1] && isGood; i++)
		isGood = writeTransfer(project, trace, rank, project->byEdge[i],
				       &last, &count);
	return finish(trace, isGood);
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
