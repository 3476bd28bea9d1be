/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What a reader of another format makes of bytes is a graph that can be
 * written, read, mapped and simulated.
 */
#ifndef TESTS_FUZZ_IMPORTED_H
#define TESTS_FUZZ_IMPORTED_H

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "PredictionLibrary/command/import/import.h"
#include "tests/fuzz/fuzz.h"

/** Tasks that are mapped and simulated at the most. */
#define IMPORTED_TASKS_MAX 200

/** Two servers with two PEs each. */
static inline hdPPlatform *importedPlatform(void)
{
	hdPPlatform *platform = hdP_createPlatform();
	int64_t network = hdP_addChannel(platform, -1, "x");

	for (int i = 0; i < 2; i++) {
		char id[32];
		int64_t node, memory;

		g_snprintf(id, sizeof(id), "n%d", i);
		node = hdP_addNode(platform, -1, id, NULL);
		g_snprintf(id, sizeof(id), "m%d", i);
		memory = hdP_addMemory(platform, node, id, 1e6);
		for (int p = 0; p < 2; p++) {
			g_snprintf(id, sizeof(id), "p%d.%d", i, p);
			hdP_addPe(platform, node, id, "core");
		}
		g_snprintf(id, sizeof(id), "b%d", i);
		must(hdP_addBridge(platform, node, id, NULL, memory, network,
				   1) == 0);
	}
	must(hdP_finishPlatform(platform, NULL, NULL) == 0);
	return platform;
}

/** It reads the graph that it has written. */
static inline void importedAgain(const hdPGraph *graph)
{
	const char *folder = getenv("TMPDIR");
	char *path = g_strdup_printf("%s/fuzz-imported.%ld",
				     folder ? folder : "/tmp", (long)getpid());
	hdPGraph *copy = NULL;

	must(hdP_writeGraph(graph, path, HDP_XML, NULL) == 0);
	must(hdP_readGraph(path, &copy, NULL, NULL) == 0);
	must(hdP_getTaskCount(copy) == hdP_getTaskCount(graph));
	must(hdP_getDependencyCount(copy) == hdP_getDependencyCount(graph));
	hdP_destroyGraph(copy);
	must(unlink(path) == 0);
	g_free(path);
}

/** Tasks have costs, and end. */
static inline void importedSimulate(const struct imported *imported)
{
	hdPPlatform *platform = importedPlatform();
	hdPResult *result = NULL;
	int ret;

	must(hdP_map(imported->graph, platform, imported->resources, NULL, NULL,
		     NULL) == 0);
	ret = hdP_simulate(imported->graph, platform, imported->resources, NULL,
			   &result, NULL, NULL);
	/* Sums of times may exceed a double. */
	must(ret == 0 || ret == -ERANGE);
	hdP_destroyResult(result);
	hdP_destroyPlatform(platform);
}

/** Read bytes by a reader, and use what it finds. */
static inline void importedTry(importReader *read, const char *amount,
			       const uint8_t *data, size_t size)
{
	const struct importCosts costs = { "core", 1 };
	struct hdPredictReport report = { NULL, NULL, "input", 0 };
	struct import *import = importNew(amount);
	struct imported imported = { .graph = NULL };
	char *text = g_malloc(size + 1);
	int ret;

	memcpy(text, data, size);
	text[size] = '\0';
	ret = read(text, size, import, &report);
	must(ret == 0 || ret == -EINVAL || ret == -EBADMSG || ret == -ENOTSUP);
	must((ret == -EINVAL || ret == -EBADMSG) == (report.errors > 0));
	if (ret == 0)
		ret = importFinish(import, &costs, &report, &imported);
	must(ret != 0 || imported.graph != NULL);
	if (ret == 0 &&
	    hdP_getTaskCount(imported.graph) <= IMPORTED_TASKS_MAX) {
		importedAgain(imported.graph);
		if (imported.resources)
			importedSimulate(&imported);
	}
	importFree(import);
	hdP_destroyGraph(imported.graph);
	hdP_destroyResources(imported.resources);
	g_free(text);
}

#endif
