/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: platforms and resource models. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include <hdPredict.h>
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memoryfile.h"

static void checkPlatform(const hdPPlatform *platform)
{
	int64_t servers = hdP_getServerCount(platform);

	for (int64_t p = 0; p < hdP_getPeCount(platform); p++) {
		int64_t server = hdP_getPeServer(platform, p);

		must(server >= 0 && server < servers);
		must(hdP_getPeId(platform, p) != NULL);
	}
	for (int64_t s = 0; s < servers; s++)
		must(hdP_getServerId(platform, s) != NULL);
	must(hdP_getServerId(platform, servers) == NULL);
}

/* A chain over all PEs: all servers send to the next. */
static void simulate(const hdPPlatform *platform)
{
	hdPGraph *graph = hdP_createGraph();
	int first = hdP_addKernel(graph, "first", NULL);
	int next = hdP_addKernel(graph, "next", NULL);
	hdPResources *resources = hdP_createResources();
	hdPResult *result = NULL;
	int64_t count = hdP_getPeCount(platform);
	int ret;

	must(hdP_addOutput(graph, first, "o", "100") == 0);
	must(hdP_addInput(graph, next, "i", "100") == 0);
	must(hdP_addOutput(graph, next, "o", "100") == 0);
	for (int64_t p = 0; p < count && p < 50; p++) {
		int64_t task = hdP_addTask(graph, hdP_getPeId(platform, p),
					   p ? next : first, NULL);

		must(task == p);
		must(p == 0 ||
		     hdP_addDependency(graph, p - 1, 0, p, 0) == p - 1);
		must(hdP_setMapping(graph, p, hdP_getPeId(platform, p), 0) ==
		     0);
	}
	must(hdP_finishGraph(graph, NULL, NULL) == 0);
	must(hdP_finishResources(resources, NULL, NULL) == 0);
	/* There is no entry for them. */
	ret = hdP_simulate(graph, platform, resources, NULL, &result, NULL,
			   NULL);
	must(ret == (count ? -EINVAL : 0));
	hdP_destroyResult(result);
	hdP_destroyResources(resources);
	hdP_destroyGraph(graph);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = memoryFile(data, size);
	hdPPlatform *platform = NULL;
	hdPResources *resources = NULL;
	int ret = hdP_readPlatform(path, &platform, NULL, NULL);

	must(ret == 0 || ret == -EINVAL || ret == -EBADMSG);
	must((platform != NULL) == (ret == 0));
	if (platform) {
		checkPlatform(platform);
		simulate(platform);
	}
	hdP_destroyPlatform(platform);
	path = memoryFile(data, size);
	ret = hdP_readResources(path, &resources, NULL, NULL);
	must(ret == 0 || ret == -EINVAL || ret == -EBADMSG);
	must((resources != NULL) == (ret == 0));
	hdP_destroyResources(resources);
	return 0;
}
