/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: files with the parts of tasks, for a chain of five tasks. The
 * first byte says what parts are. */
#include "config.h"

#include <string.h>

#include "tests/fuzz/imported.h"
#include "tests/fuzz/memoryfile.h"

#define TASKS 5

/* Each task needs what the one before has. */
static void makeChain(hdPGraph **graph, hdPResources **resources)
{
	int first, next;

	*graph = hdP_createGraph();
	first = hdP_addKernel(*graph, "first", NULL);
	next = hdP_addKernel(*graph, "next", NULL);
	must(hdP_addOutput(*graph, first, "o", "100") == 0);
	must(hdP_addInput(*graph, next, "i", "100") == 0);
	must(hdP_addOutput(*graph, next, "o", "100") == 0);
	for (int64_t t = 0; t < TASKS; t++) {
		char id[2] = { (char)('a' + t), '\0' };

		must(hdP_addTask(*graph, id, t ? next : first, NULL) == t);
		must(t == 0 || hdP_addDependency(*graph, t - 1, 0, t, 0) >= 0);
	}
	must(hdP_finishGraph(*graph, NULL, NULL) == 0);
	*resources = hdP_createResources();
	must(hdP_addEntry(*resources, "first", "core", 1, 0, 0, 0) >= 0);
	must(hdP_addEntry(*resources, "next", "core", 1, 0, 0, 0) >= 0);
	must(hdP_finishResources(*resources, NULL, NULL) == 0);
}

/* All tasks are mapped, each to the part in its line. */
static void checkParts(const hdPGraph *graph, const char *text, bool arePes)
{
	for (int64_t t = 0; t < TASKS; t++) {
		size_t length;
		const char *pe = hdP_getMapping(graph, t, &length, NULL);
		char *end;
		long part = strtol(text, &end, 10);

		must(pe && length == 4 && pe[0] == 'p');
		must(part ==
		     (arePes ? (pe[1] - '0') * 2 + pe[3] - '0' : pe[1] - '0'));
		text = end + strspn(end, " \t\r\n");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	hdPPlatform *platform = importedPlatform();
	hdPGraph *graph;
	hdPResources *resources;
	hdPMapping options = { .partsArePes = size && *data == 'p' };
	char *text = g_malloc(size + 1);
	int ret;

	if (size)
		memcpy(text, data + 1, size - 1);
	text[size ? size - 1 : 0] = '\0';
	makeChain(&graph, &resources);
	options.partition = memoryFile(text, size ? size - 1 : 0);
	ret = hdP_mapAs(graph, platform, resources, &options, NULL, NULL);
	must(ret == 0 || ret == -EINVAL);
	if (ret == 0)
		checkParts(graph, text, options.partsArePes);
	g_free(text);
	hdP_destroyGraph(graph);
	hdP_destroyResources(resources);
	hdP_destroyPlatform(platform);
	return 0;
}
