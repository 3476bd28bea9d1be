/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From what was built to a sealed graph, and the rules it keeps; see graph.h.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "PredictionLibrary/model/graph.h"

static void sealTaskError(const hdPGraph *graph, struct hdPredictReport *report,
			  uint32_t task, const char *text, const char *name,
			  size_t nameLength)
{
	size_t length;
	const char *id = hdPredictName(&graph->ids, task, &length);

	hdPredictError(report, graph->line ? graph->line[task] : 0, id, length,
		       "task %s %.*s", text, (int)nameLength, name);
}

static void reportConfig(const hdPGraph *graph, struct hdPredictReport *report,
			 uint32_t task, const struct hdPredictConfig *config)
{
	size_t length, idLength;
	const char *id = hdPredictName(&graph->ids, task, &idLength);
	const char *name =
		hdPredictName(&graph->build->names, config->culprit, &length);
	int64_t line = graph->line ? graph->line[task] : 0;

	if (length > 200)
		length = 200;
	if (config->kernel == HD_PREDICT_NONE)
		hdPredictError(report, line, id, idLength,
			       "unknown kernel %.*s", (int)length, name);
	else if (config->isSize)
		hdPredictError(report, line, id, idLength, "size of %.*s: %s",
			       (int)length, name, config->error);
	else
		hdPredictError(report, line, id, idLength, "%s %.*s",
			       config->error, (int)length, name);
}

/* Tasks that dependencies name only, and what is wrong with the others. */
static void checkTasks(hdPGraph *graph, struct hdPredictReport *report)
{
	struct hdPredictBuild *build = graph->build;

	for (uint32_t t = 0; t < graph->taskCount; t++) {
		const struct hdPredictConfig *config;

		if (!build->isDefined[t])
			continue; /* Said of the dependency. */
		config = &graph->configs[graph->config[t]];
		if (config->error)
			reportConfig(graph, report, t, config);
	}
}

static bool isSound(const hdPGraph *graph, uint32_t task)
{
	return graph->build->isDefined[task] &&
	       graph->configs[graph->config[task]].kernel != HD_PREDICT_NONE;
}

static int sealNumberTasks(hdPGraph *graph)
{
	uint64_t inputs = 0, outputs = 0;

	graph->input =
		malloc(((size_t)graph->taskCount + 1) * sizeof(uint32_t));
	graph->output =
		malloc(((size_t)graph->taskCount + 1) * sizeof(uint32_t));
	if (!graph->input || !graph->output)
		return -ENOMEM;
	for (uint32_t t = 0; t < graph->taskCount; t++) {
		graph->input[t] = (uint32_t)inputs;
		graph->output[t] = (uint32_t)outputs;
		if (!isSound(graph, t))
			continue;
		inputs += hdPredictKernelOf(graph, t)->inputs.count;
		outputs += hdPredictKernelOf(graph, t)->outputs.count;
		if (inputs >= UINT32_MAX || outputs >= UINT32_MAX)
			return -EOVERFLOW;
	}
	graph->input[graph->taskCount] = (uint32_t)inputs;
	graph->output[graph->taskCount] = (uint32_t)outputs;
	graph->inputCount = inputs;
	graph->outputCount = outputs;
	graph->source = malloc((inputs + 1) * sizeof(uint32_t));
	graph->number = malloc((inputs + 1) * sizeof(uint32_t));
	if (!graph->source || !graph->number)
		return -ENOMEM;
	memset(graph->source, 0xff, (inputs + 1) * sizeof(uint32_t));
	memset(graph->number, 0xff, (inputs + 1) * sizeof(uint32_t));
	return 0;
}

static const struct hdPredictPort *portOf(const hdPGraph *graph,
					  const struct hdPredictPorts *ports,
					  uint32_t name)
{
	if (graph->build->isByNumber)
		return name < ports->count ? &ports->ports[name] : NULL;
	return hdPredictPortFind(ports, name);
}

static void edgeError(const hdPGraph *graph, struct hdPredictReport *report,
		      const struct hdPredictEdge *edge, uint32_t task,
		      uint32_t name, const char *what)
{
	size_t length, portLength = 0;
	const char *id = hdPredictName(&graph->ids, task, &length);
	const char *port = "with this number";

	if (graph->build->isByNumber)
		portLength = strlen(port);
	else
		port = hdPredictName(&graph->build->names, name, &portLength);
	hdPredictError(report, edge->line, id, length, "%s %.*s", what,
		       (int)(portLength > 200 ? 200 : portLength), port);
}

static void sealCheckSizes(const hdPGraph *graph,
			   struct hdPredictReport *report,
			   const struct hdPredictEdge *edge,
			   const struct hdPredictPort *out,
			   const struct hdPredictPort *in)
{
	const struct hdPredictConfig *to =
		&graph->configs[graph->config[edge->successor]];
	double have, want;
	size_t length, fromLength;
	const char *id, *from;

	if (graph->configs[graph->config[edge->predecessor]].error || to->error)
		return;
	have = hdPredictOutputSize(graph, edge->predecessor, out->number);
	want = graph->sizes[to->sizes + in->number];
	if (have == want)
		return;
	id = hdPredictName(&graph->ids, edge->successor, &length);
	from = hdPredictName(&graph->ids, edge->predecessor, &fromLength);
	hdPredictError(report, edge->line, id, length,
		       "input %.200s has %.0f bytes, and output %.200s of %.*s "
		       "has %.0f",
		       in->id, want, out->id,
		       (int)(fromLength > 200 ? 200 : fromLength), from, have);
}

/* Both ends of a dependency are tasks? Says which is not. */
static bool hasTasks(const hdPGraph *graph, struct hdPredictReport *report,
		     const struct hdPredictEdge *edge)
{
	const uint32_t ends[] = { edge->predecessor, edge->successor };
	bool isGood = true;

	for (size_t i = 0; i < 2; i++) {
		size_t length;
		const char *id = hdPredictName(&graph->ids, ends[i], &length);

		if (graph->build->isDefined[ends[i]])
			continue;
		hdPredictError(report, edge->line, id, length,
			       "a dependency names an unknown task");
		isGood = false;
	}
	return isGood;
}

static void connect(hdPGraph *graph, struct hdPredictReport *report)
{
	const struct hdPredictBuild *build = graph->build;

	for (size_t i = 0; i < build->edgeCount; i++) {
		const struct hdPredictEdge *edge = &build->edges[i];
		const struct hdPredictPort *out, *in;
		uint32_t at;

		if (!hasTasks(graph, report, edge) ||
		    !isSound(graph, edge->predecessor) ||
		    !isSound(graph, edge->successor))
			continue;
		out = portOf(
			graph,
			&hdPredictKernelOf(graph, edge->predecessor)->outputs,
			edge->src);
		in = portOf(graph,
			    &hdPredictKernelOf(graph, edge->successor)->inputs,
			    edge->dest);
		if (!out)
			edgeError(graph, report, edge, edge->predecessor,
				  edge->src, "its kernel has no output");
		if (!in)
			edgeError(graph, report, edge, edge->successor,
				  edge->dest, "its kernel has no input");
		if (!out || !in)
			continue;
		at = graph->input[edge->successor] + in->number;
		if (graph->source[at] != HD_PREDICT_NONE) {
			edgeError(graph, report, edge, edge->successor,
				  edge->dest, "two dependencies for the input");
			continue;
		}
		graph->source[at] =
			graph->output[edge->predecessor] + out->number;
		graph->number[at] = (uint32_t)i;
		sealCheckSizes(graph, report, edge, out, in);
	}
}

static void sealCheckInputs(const hdPGraph *graph,
			    struct hdPredictReport *report)
{
	for (uint32_t t = 0; t < graph->taskCount; t++) {
		if (!isSound(graph, t))
			continue;
		for (uint32_t j = graph->input[t]; j < graph->input[t + 1];
		     j++) {
			const char *id;

			if (graph->source[j] != HD_PREDICT_NONE)
				continue;
			id = hdPredictKernelOf(graph, t)
				     ->inputs.ports[j - graph->input[t]]
				     .id;
			sealTaskError(graph, report, t, "has no data for input",
				      id, strlen(id) > 200 ? 200 : strlen(id));
		}
	}
}

uint32_t hdPredictProducer(const hdPGraph *graph, uint32_t dataSet)
{
	uint32_t low = 0, high = graph->taskCount;

	/* The last task whose first data set is not behind it. */
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (graph->output[middle] <= dataSet)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Inputs by the number of their dependency, or NULL: they are in order. */
static int sealByNumber(const hdPGraph *graph, uint32_t **order)
{
	bool isInOrder = true;

	*order = NULL;
	for (uint64_t j = 0; j < graph->inputCount && isInOrder; j++)
		isInOrder = graph->number[j] == j;
	if (isInOrder)
		return 0;
	*order = malloc((graph->inputCount + 1) * sizeof(uint32_t));
	if (!*order)
		return -ENOMEM;
	for (uint64_t j = 0; j < graph->inputCount; j++)
		(*order)[graph->number[j]] = (uint32_t)j;
	return 0;
}

int hdPredictGraphConsumers(hdPGraph *graph)
{
	uint32_t *order, *task = malloc((graph->inputCount + 1) * 4);
	uint64_t n = graph->inputCount;

	if (!task || sealByNumber(graph, &order) < 0) {
		free(task);
		return -ENOMEM;
	}
	graph->consumer = calloc(graph->outputCount + 2, sizeof(uint32_t));
	graph->consumerInput = malloc((n + 1) * sizeof(uint32_t));
	graph->consumerTask = malloc((n + 1) * sizeof(uint32_t));
	if (!graph->consumer || !graph->consumerInput || !graph->consumerTask) {
		free(task);
		free(order);
		return -ENOMEM;
	}
	for (uint32_t t = 0; t < graph->taskCount; t++) {
		for (uint32_t j = graph->input[t]; j < graph->input[t + 1]; j++)
			task[j] = t;
	}
	/* Counted one further on, so that filling leaves the starts. */
	for (uint64_t j = 0; j < n; j++)
		graph->consumer[graph->source[j] + 2]++;
	for (uint64_t d = 2; d <= graph->outputCount + 1; d++)
		graph->consumer[d] += graph->consumer[d - 1];
	for (uint64_t i = 0; i < n; i++) {
		uint32_t j = order ? order[i] : (uint32_t)i;
		uint32_t at = graph->consumer[graph->source[j] + 1]++;

		graph->consumerInput[at] = j;
		graph->consumerTask[at] = task[j];
	}
	free(task);
	free(order);
	return 0;
}

int hdPredictGraphSeal(hdPGraph *graph, struct hdPredictReport *report)
{
	int ret;

	if (graph->build->isDamaged)
		return -ENOMEM;
	graph->taskCount = graph->ids.count;
	/* A tile for each task, if any has one. */
	if (graph->tile && graph->taskCount) {
		ret = graph->build->tileRoom < graph->taskCount
			      ? hdP_setTile(graph, graph->taskCount - 1,
					    HD_PREDICT_NONE, HD_PREDICT_NONE)
			      : 0;
		if (ret < 0)
			return ret;
	}
	ret = hdPredictPinsSeal(graph);
	if (ret == 0)
		ret = hdPredictRenumber(graph);
	if (ret == 0)
		ret = hdPredictKernelsResolve(graph, report);
	if (ret == 0)
		ret = hdPredictConfigsResolve(graph);
	if (ret < 0)
		return ret;
	checkTasks(graph, report);
	ret = sealNumberTasks(graph);
	if (ret == -EOVERFLOW) {
		hdPredictError(report, 0, NULL, 0,
			       "more than 2^32 inputs or outputs");
		return -EINVAL;
	}
	if (ret < 0)
		return ret;
	connect(graph, report);
	sealCheckInputs(graph, report);
	if (report->errors)
		return -EINVAL;
	hdPredictBuildFree(graph);
	hdPredictNamesSeal(&graph->ids);
	ret = hdPredictGraphConsumers(graph);
	if (ret == 0)
		ret = hdPredictGraphAcyclic(graph, report);
	if (ret < 0)
		return ret;
	if (report->errors)
		return -EINVAL;
	graph->isFinished = true;
	return 0;
}
