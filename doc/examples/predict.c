/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Predicts how long a fork and join of tasks takes on a small cluster: all
 * models are built by calls, mapped, simulated, and the result is walked.
 *
 *     cc predict.c $(pkg-config --cflags --libs --static libhdPredict) -o
 * predict
 */
#include <hdPredict.h>
#include <stdio.h>

#define WORKERS 6

/* Two servers with two cores each, at a switch. */
static hdPPlatform *makePlatform(void)
{
	hdPPlatform *platform = hdP_createPlatform();
	int64_t network;

	hdP_addNodeArchitecture(platform, "server", 40, 0);
	hdP_addBridgeArchitecture(platform, "ethernet", 50e3, 1500, 12e3, 0);
	network = hdP_addChannel(platform, -1, "switch");
	for (int i = 0; i < 2; i++) {
		char id[64];
		int64_t node, memory;

		snprintf(id, sizeof(id), "server%d", i);
		node = hdP_addNode(platform, -1, id, "server");
		snprintf(id, sizeof(id), "server%d.memory", i);
		memory = hdP_addMemory(platform, node, id, 8e9);
		for (int c = 0; c < 2; c++) {
			snprintf(id, sizeof(id), "server%d.core%d", i, c);
			hdP_addPe(platform, node, id, "core");
		}
		snprintf(id, sizeof(id), "server%d.ethernet", i);
		hdP_addBridge(platform, node, id, "ethernet", memory, network,
			      1);
	}
	return platform;
}

static hdPGraph *makeGraph(void)
{
	hdPGraph *graph = hdP_createGraph();
	int split = hdP_addKernel(graph, "split", NULL);
	int work = hdP_addKernel(graph, "work", NULL);
	int join = hdP_addKernel(graph, "join", NULL);
	int64_t first, last;

	hdP_addOutput(graph, split, "out", "1000000");
	hdP_addInput(graph, work, "in", "1000000");
	hdP_addOutput(graph, work, "out", "1000");
	first = hdP_addTask(graph, "split", split, NULL);
	last = hdP_addTask(graph, "join", join, NULL);
	for (int i = 0; i < WORKERS; i++) {
		char id[32];
		int64_t task;

		snprintf(id, sizeof(id), "work%d", i);
		hdP_addInput(graph, join, id, "1000");
		task = hdP_addTask(graph, id, work, NULL);
		hdP_addDependency(graph, first, 0, task, 0);
		hdP_addDependency(graph, task, 0, last, i);
	}
	return graph;
}

static hdPResources *makeResources(void)
{
	hdPResources *resources = hdP_createResources();

	hdP_addEntry(resources, "split", "core", 0.1, 1, 0, 0);
	hdP_addEntry(resources, "work", "core", 2, 25, 0, 0);
	hdP_addEntry(resources, "join", "core", 0.1, 1, 0, 0);
	/* Two share a memory bus. */
	hdP_addSlowdown(resources, "core", "work", "work", 1, 1.25);
	return resources;
}

static void complain(const hdPMessage *message, void *data)
{
	(void)data;
	fprintf(stderr, "%s: %s\n", message->id ? message->id : "model",
		message->text);
}

static void print(const hdPGraph *graph, const hdPPlatform *platform,
		  const hdPResult *result)
{
	hdPTotals totals;

	hdP_getTotals(result, &totals);
	for (int64_t t = 0; t < hdP_getTaskCount(graph); t++) {
		hdPTaskTimes times;
		size_t length;
		const char *id = hdP_getTaskId(graph, t, &length);

		hdP_getTaskTimes(result, t, &times);
		printf("%-6.*s %s  %.3f s to %.3f s\n", (int)length, id,
		       hdP_getPeId(platform, times.pe), times.start, times.end);
	}
	printf("%.3f s, %.1f J\n", totals.makespan,
	       totals.computation + totals.communication + totals.idle);
}

int main(void)
{
	hdPGraph *graph = makeGraph();
	hdPPlatform *platform = makePlatform();
	hdPResources *resources = makeResources();
	hdPResult *result = NULL;
	int failed =
		hdP_finishGraph(graph, complain, NULL) ||
		hdP_finishPlatform(platform, complain, NULL) ||
		hdP_finishResources(resources, complain, NULL) ||
		hdP_map(graph, platform, resources, NULL, complain, NULL) ||
		hdP_simulate(graph, platform, resources, NULL, &result,
			     complain, NULL);

	if (!failed)
		print(graph, platform, result);
	hdP_destroyResult(result);
	hdP_destroyGraph(graph);
	hdP_destroyPlatform(platform);
	hdP_destroyResources(resources);
	return failed;
}
