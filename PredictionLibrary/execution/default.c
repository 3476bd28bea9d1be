/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The platform and the costs where nobody says which: see execute.h. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "PredictionLibrary/execution/execute.h"

static int addServer(hdPPlatform *platform, int64_t network, uint32_t number,
		     uint32_t pes, double memory)
{
	char id[40];
	int64_t node, end;

	snprintf(id, sizeof(id), "n%u", number);
	node = hdP_addNode(platform, -1, id, NULL);
	snprintf(id, sizeof(id), "n%u.memory", number);
	end = node < 0 ? node : hdP_addMemory(platform, node, id, memory);
	if (end < 0)
		return (int)end;
	for (uint32_t p = 0; p < pes; p++) {
		snprintf(id, sizeof(id), "n%u.%u", number, p);
		if (hdP_addPe(platform, node, id, "cpu") < 0)
			return -ENOMEM;
	}
	snprintf(id, sizeof(id), "n%u.out", number);
	if (hdP_addBridge(platform, node, id, NULL, end, network, 0) < 0)
		return -ENOMEM;
	snprintf(id, sizeof(id), "n%u.in", number);
	return hdP_addBridge(platform, node, id, NULL, network, end, 0);
}

int hdExecutePlatform(uint32_t servers, const uint32_t *pes, double memory,
		      hdPPlatform **result)
{
	hdPPlatform *platform = hdP_createPlatform();
	int64_t network =
		platform ? hdP_addChannel(platform, -1, "switch") : -ENOMEM;
	int ret = network < 0 ? (int)network : 0;

	for (uint32_t s = 0; s < servers && ret == 0; s++)
		ret = addServer(platform, network, s, pes[s], memory);
	if (ret == 0)
		ret = hdP_finishPlatform(platform, NULL, NULL);
	if (ret < 0) {
		hdP_destroyPlatform(platform);
		return ret;
	}
	*result = platform;
	return 0;
}

/* A name in a mapping or pin stands for so many PEs. */
static void defaultNote(const hdPPlatform *platform, const char *name,
			size_t length, bool *isUsed)
{
	uint32_t pes = 1;

	if (hdPredictNamesFind(&platform->peNames, name, length) ==
	    HD_PREDICT_NONE) {
		for (size_t i = 0; i < length; i++)
			pes += name[i] == ',';
	}
	if (pes <= platform->peCount)
		isUsed[pes] = true;
}

/* Whether tasks run on so many PEs together, by their number; to be freed.
 * NULL: no memory. */
static bool *defaultCounts(const hdPGraph *graph, const hdPPlatform *platform)
{
	bool *isUsed = calloc((size_t)platform->peCount + 2, sizeof(*isUsed));
	size_t length;

	if (!isUsed)
		return NULL;
	isUsed[1] = true;
	for (uint32_t i = 0; i < graph->pes.count; i++) {
		const char *name = hdPredictName(&graph->pes, i, &length);

		defaultNote(platform, name, length, isUsed);
	}
	for (uint32_t i = 0; i < graph->pins.count; i++) {
		const char *name = hdPredictName(&graph->pins, i, &length);

		defaultNote(platform, name, length, isUsed);
	}
	for (uint32_t k = 0; k < graph->kernelCount; k++) {
		const char *name = graph->kernels[k].pin;

		if (name)
			defaultNote(platform, name, strlen(name), isUsed);
	}
	return isUsed;
}

/* Costs of all kernels on some PEs of an architecture. */
static int64_t defaultAddEntries(hdPResources *resources, const hdPGraph *graph,
				 const char *architecture, uint32_t pes)
{
	int64_t ret = 0;

	for (uint32_t k = 0; k < graph->kernelCount && ret >= 0; k++) {
		ret = hdP_addEntry(resources, graph->kernels[k].id,
				   architecture, 1, 0, 0, 0);
		if (ret >= 0)
			ret = hdP_setEntryPes(resources, ret, pes);
	}
	return ret;
}

int hdExecuteCosts(const hdPGraph *graph, const hdPPlatform *platform,
		   hdPResources **result)
{
	hdPResources *resources = hdP_createResources();
	bool *isUsed = defaultCounts(graph, platform);
	int64_t ret = resources && isUsed ? 0 : -ENOMEM;

	for (uint32_t a = 0; a < platform->peArchitectures.count && ret >= 0;
	     a++) {
		char *name = hdPredictNameCopy(&platform->peArchitectures, a);

		if (!name)
			ret = -ENOMEM;
		for (uint32_t n = 1; n <= platform->peCount && ret >= 0; n++) {
			if (isUsed[n])
				ret = defaultAddEntries(resources, graph, name,
							n);
		}
		if (ret >= 0)
			ret = hdPredictIoFree(resources, name);
		free(name);
	}
	free(isUsed);
	if (ret >= 0)
		ret = hdP_finishResources(resources, NULL, NULL);
	if (ret < 0) {
		hdP_destroyResources(resources);
		return (int)ret;
	}
	*result = resources;
	return 0;
}

int hdExecuteCheckOrder(const hdPGraph *graph, hdPPlatform *platform,
			hdPMessageHandler handler, void *data)
{
	uint32_t count = platform->serverCount;
	enum hdPredictFull *full = calloc((size_t)count + 1, sizeof(*full));
	hdPResources *equal = NULL;
	hdPResult *result = NULL;
	int ret = full ? hdExecuteCosts(graph, platform, &equal) : -ENOMEM;

	/* How much memory is needed at a time depends on the times of the run:
	 * that is seen then. */
	for (uint32_t s = 0; s < count && full; s++) {
		full[s] = platform->servers[s].full;
		platform->servers[s].full = HD_PREDICT_FULL_NOTED;
	}
	if (ret == 0)
		ret = hdP_simulate(graph, platform, equal, NULL, &result,
				   handler, data);
	for (uint32_t s = 0; s < count && full; s++)
		platform->servers[s].full = full[s];
	free(full);
	hdP_destroyResult(result);
	hdP_destroyResources(equal);
	return ret;
}
