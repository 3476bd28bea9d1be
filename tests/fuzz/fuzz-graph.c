/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: task graphs, in both forms. What is read is written and read
 * again, mapped and simulated.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "PredictionLibrary/model/binary.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memoryfile.h"

/* Tasks that are simulated at the most, so that none takes long. */
#define TASKS_MAX 500

/* Two servers with two PEs each. */
static hdPPlatform *makePlatform(void)
{
	hdPPlatform *platform = hdP_createPlatform();
	int64_t network = hdP_addChannel(platform, -1, "x");

	must(hdP_addBridgeArchitecture(platform, "b", 1e3, 1e3, 1e3, 1) == 0);
	for (int i = 0; i < 2; i++) {
		char id[32];
		int64_t node, memory;

		snprintf(id, sizeof(id), "n%d", i);
		node = hdP_addNode(platform, -1, id, NULL);
		snprintf(id, sizeof(id), "m%d", i);
		memory = hdP_addMemory(platform, node, id, 1e6);
		for (int p = 0; p < 2; p++) {
			snprintf(id, sizeof(id), "p%d.%d", i, p);
			hdP_addPe(platform, node, id, "a");
		}
		snprintf(id, sizeof(id), "b%d", i);
		must(hdP_addBridge(platform, node, id, "b", memory, network,
				   1) == 0);
	}
	must(hdP_finishPlatform(platform, NULL, NULL) == 0);
	return platform;
}

/* Costs of all kernels of a graph. */
static hdPResources *makeResources(const hdPGraph *graph)
{
	hdPResources *resources = hdP_createResources();

	for (int k = 0; k < hdP_getKernelCount(graph); k++) {
		const char *id = hdP_getKernelId(graph, k);

		must(hdP_addEntry(resources, id, "a", k % 3, 1, 0.1, 0.1) >= 0);
		if (!strpbrk(id, " \t\r\n"))
			must(hdP_addSlowdown(resources, "a", id, id, 1, 1.5) ==
			     0);
	}
	must(hdP_finishResources(resources, NULL, NULL) == 0);
	return resources;
}

static void checkTimes(const hdPGraph *graph, const hdPResult *result)
{
	hdPTotals totals;

	hdP_getTotals(result, &totals);
	must(isfinite(totals.makespan) && totals.makespan >= 0);
	must(isfinite(totals.communication));
	for (int64_t t = 0; t < hdP_getTaskCount(graph); t++) {
		hdPTaskTimes times;

		must(hdP_getTaskTimes(result, t, &times) == 0);
		must(times.start >= 0 && times.start <= times.end);
		must(times.end <= totals.makespan);
	}
}

static void simulate(hdPGraph *graph)
{
	hdPPlatform *platform = makePlatform();
	hdPResources *resources = makeResources(graph);
	hdPResult *result = NULL;

	must(hdP_map(graph, platform, resources, NULL, NULL, NULL) == 0);
	for (int i = 0; i < 3; i++) {
		const hdPOptions options = { .sharing = i == 1 ? HDP_SHARE
							       : HDP_EXCLUSIVE,
					     .sample = i == 2,
					     .recordsTransfers = 1 };

		/* A mapping in topological order cannot wait for itself. */
		must(hdP_simulate(graph, platform, resources, &options, &result,
				  NULL, NULL) == 0);
		checkTimes(graph, result);
		hdP_destroyResult(result);
	}
	hdP_destroyResources(resources);
	hdP_destroyPlatform(platform);
}

static void again(const hdPGraph *graph, hdPForm form)
{
	const char *folder = getenv("TMPDIR");
	char path[4096];
	hdPGraph *copy = NULL;

	snprintf(path, sizeof(path), "%s/fuzz-graph.%ld",
		 folder ? folder : "/tmp", (long)getpid());
	must(hdP_writeGraph(graph, path, form, NULL) == 0);
	must(hdP_readGraph(path, &copy, NULL, NULL) == 0);
	must(hdP_getTaskCount(copy) == hdP_getTaskCount(graph));
	must(hdP_getDependencyCount(copy) == hdP_getDependencyCount(graph));
	must(hdP_getKernelCount(copy) == hdP_getKernelCount(graph));
	hdP_destroyGraph(copy);
	must(unlink(path) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size + 1);
	struct hdPredictHeader header;
	hdPGraph *graph = NULL;
	int ret;

	must(copy != NULL);
	memcpy(copy, data, size);
	/* What is behind checksum and size is what there is to find. */
	if (hdPredictIsBinary((const char *)copy, size) &&
	    size >= sizeof(header)) {
		memcpy(&header, copy, sizeof(header));
		header.size = size;
		header.checksum =
			(uint32_t)crc32(0, copy + sizeof(header),
					(unsigned int)(size - sizeof(header)));
		memcpy(copy, &header, sizeof(header));
	}
	ret = hdP_readGraph(memoryFile(copy, size), &graph, NULL, NULL);
	free(copy);
	must(ret == 0 || ret == -EINVAL || ret == -EBADMSG ||
	     ret == -EOVERFLOW);
	must((graph != NULL) == (ret == 0));
	if (graph && hdP_getTaskCount(graph) <= TASKS_MAX) {
		again(graph, HDP_XML);
		again(graph, HDP_BINARY);
		simulate(graph);
	}
	hdP_destroyGraph(graph);
	return 0;
}
