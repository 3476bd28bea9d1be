/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A task graph as METIS reads it: tasks are vertices, and what they send to
 * each other is the weight of edges; see metisgraph.h.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "PredictionLibrary/command/errors.h"
#include "PredictionLibrary/command/metisgraph.h"
#include "PredictionLibrary/mapping/costs.h"
#include "PredictionLibrary/model/graph.h"
#include "cli/errors.h"
#include "cli/metis.h"
#include "cli/newfile.h"

/* A platform with a PE of each architecture of a resource model. */
static int metisPlatform(const hdPResources *resources, hdPPlatform **result)
{
	hdPPlatform *platform = hdP_createPlatform();
	int64_t node =
		platform ? hdP_addNode(platform, -1, "node", NULL) : -ENOMEM;
	int64_t ret =
		node < 0 ? node : hdP_addMemory(platform, node, "memory", 1);

	for (uint32_t a = 0; a < resources->architectures.count && ret >= 0;
	     a++) {
		char *name = hdPredictNameCopy(&resources->architectures, a);
		char id[32];

		g_snprintf(id, sizeof(id), "pe%u", a);
		ret = name ? hdP_addPe(platform, node, id, name) : -ENOMEM;
		free(name);
	}
	if (ret >= 0)
		ret = hdP_finishPlatform(platform, NULL, NULL);
	if (ret < 0)
		hdP_destroyPlatform(platform);
	else
		*result = platform;
	return (int)MIN(ret, 0);
}

/* Entry of a task for the fewest PEs of an architecture. */
static uint32_t metisFindEntry(struct hdPredictCosts *costs, uint32_t config,
			       uint32_t architecture)
{
	uint32_t entry = hdPredictCostsFind(costs, config, architecture, 1);
	uint32_t count;
	const uint32_t *counts = hdPredictCostsCounts(costs, &count);

	for (uint32_t i = 0; i < count && entry == HD_PREDICT_NO_ENTRY; i++)
		entry = hdPredictCostsFind(costs, config, architecture,
					   counts[i]);
	return entry;
}

/* Mean time of a task over the architectures that can run it; NaN: none. */
static double metisMeanTime(struct hdPredictCosts *costs,
			    const hdPResources *resources, uint32_t config)
{
	double sum = 0;
	uint32_t count = 0;

	for (uint32_t a = 0; a < resources->architectures.count; a++) {
		uint32_t entry = metisFindEntry(costs, config, a);
		double energy = 0;

		if (!hdPredictIsEntry(entry))
			continue;
		sum += resources->entries[entry].time;
		hdPredictCostsIo(costs, config, a, &sum, &energy);
		count++;
	}
	return count ? sum / count : NAN;
}

/* Times of all tasks by a resource model. Exit status. */
static int metisTimes(struct predict *predict, const hdPGraph *graph,
		      const hdPResources *resources, double *times)
{
	hdPPlatform *platform = NULL;
	struct hdPredictCosts *costs;
	int ret = metisPlatform(resources, &platform);
	int status = PREDICT_OK;

	if (ret == -EINVAL) {
		predictError(predict, "the resource model has no "
				      "architectures");
		return PREDICT_INVALID;
	}
	costs = ret == 0 ? hdPredictCostsNew(graph, platform, resources) : NULL;
	if (!costs) {
		hdP_destroyPlatform(platform);
		return predictError(predict, "%s", g_strerror(ENOMEM));
	}
	for (uint32_t t = 0; t < graph->taskCount && status == PREDICT_OK;
	     t++) {
		size_t length;
		const char *id = hdPredictName(&graph->ids, t, &length);

		times[t] = metisMeanTime(costs, resources, graph->config[t]);
		if (isnan(times[t])) {
			predictError(predict,
				     "task %.*s: no resource entry for kernel "
				     "%s",
				     (int)MIN(length, 200), id,
				     hdPredictKernelOf(graph, t)->id);
			status = PREDICT_INVALID;
		}
	}
	hdPredictCostsFree(costs);
	hdP_destroyPlatform(platform);
	return status;
}

/* Weights of tasks: measured times, or those of a resource model. */
static int metisWeights(struct predict *predict, const hdPGraph *graph,
			const hdPResources *resources, double *weights)
{
	if (resources)
		return metisTimes(predict, graph, resources, weights);
	for (uint32_t t = 0; t < graph->taskCount; t++) {
		double time = graph->times[2 * (size_t)t + 1] -
			      graph->times[2 * (size_t)t];

		weights[t] = time > 0 ? time : 0;
	}
	return PREDICT_OK;
}

static void metisEdges(const hdPGraph *graph, struct metisEdge *edges)
{
	for (uint32_t t = 0; t < graph->taskCount; t++) {
		const struct hdPredictConfig *config =
			&graph->configs[graph->config[t]];

		for (uint32_t j = graph->input[t]; j < graph->input[t + 1]; j++)
			edges[j] = (struct metisEdge){
				hdPredictProducer(graph, graph->source[j]), t,
				graph->sizes[config->sizes + j -
					     graph->input[t]]
			};
	}
}

static int metisPrintTasks(FILE *file, struct metisGraph *graph)
{
	fprintf(file, "%% vertices are tasks, in the order of the graph\n");
	return metisPrint(file, graph);
}

/* 0 or a negative errno. */
static int metisWriteFile(struct metisGraph *graph, const char *path)
{
	struct newFile file;
	int ret;

	if (strcmp(path, "-") == 0)
		return metisPrintTasks(stdout, graph);
	ret = newFileStart(&file, path);
	if (ret < 0)
		return ret;
	ret = metisPrintTasks(file.file, graph);
	if (ret == 0)
		return newFileCommit(&file, true);
	newFileAbort(&file);
	return ret;
}

int metisWrite(struct predict *predict, const hdPGraph *graph,
	       const hdPResources *resources, const char *path)
{
	struct metisGraph metis = {
		.count = graph->taskCount,
		.edges = malloc((graph->inputCount + 1) *
				sizeof(struct metisEdge)),
		.edgeCount = graph->inputCount,
		.vertexUnit = resources || graph->times ? "time in s" : NULL,
		.edgeUnit = "bytes",
	};
	double *weights = metis.vertexUnit
				  ? malloc(((size_t)graph->taskCount + 1) *
					   sizeof(*weights))
				  : NULL;
	int status = PREDICT_OK, ret;

	metis.weights = weights;
	if (!metis.edges || (metis.vertexUnit && !weights))
		status = predictError(predict, "%s", g_strerror(ENOMEM));
	if (status == PREDICT_OK && weights)
		status = metisWeights(predict, graph, resources, weights);
	if (status == PREDICT_OK) {
		metisEdges(graph, metis.edges);
		ret = metisWriteFile(&metis, path);
		if (ret < 0)
			status = predictErrorWrite(predict, path, ret);
	}
	if (status == PREDICT_OK && metis.edgeScale < 1)
		outSay(stderr,
		       "hdpredict %s: " PREDICT_WARNING
		       "weights of edges are bytes multiplied by %g, to fit "
		       "into 31 bits",
		       predict->command, metis.edgeScale);
	free(metis.edges);
	free(weights);
	return status;
}
