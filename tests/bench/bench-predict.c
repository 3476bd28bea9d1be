/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prediction: simulations alone, in memory, and the whole command; of the graph
 * of a Cholesky decomposition of 95,040 tasks on ten boards, of larger ones,
 * and of a graph on more and more nodes.
 *
 * Each runs in a child, so that none has what another one left in memory, and
 * this program stays small: what the kernel reports as the memory of a child is
 * at least what its parent had.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hdPredict.h>
#include "tests/bench/bench.h"

#define SMALL_TASKS 95040
#define LARGE_TASKS 1020840
#define HUGE_TASKS 9962480
#define WIDE_TASKS 1000000

/* Nodes are as many, their tasks come and go in layers of so many. */
#define WIDE_NODES 10000

#define PLATFORM "thesis-eval"
#define RESOURCES "thesis"

/* ---- Models ------------------------------------------------------------- */

/* Rows of tiles whose Cholesky decomposition has as many tasks at the most. */
static uint32_t tilesOf(size_t tasks)
{
	size_t n = 1;

	while (n * (n + 1) * (n + 2) / 6 + n * (n + 1) <= tasks)
		n++;
	return (uint32_t)(n - 1);
}

struct models {
	hdPGraph *graph;
	hdPPlatform *platform;
	hdPResources *resources;
};

static void readBoards(struct models *models)
{
	benchCheck(hdP_readPlatform(PLATFORM, &models->platform, NULL, NULL) ==
				   0 &&
			   hdP_readResources(RESOURCES, &models->resources,
					     NULL, NULL) == 0,
		   "models of boards");
}

static void readModels(struct models *models, const char *file)
{
	char *path = benchPath(file);

	benchCheck(hdP_readGraph(path, &models->graph, NULL, NULL) == 0, path);
	free(path);
	readBoards(models);
}

static void map(const struct models *models)
{
	benchCheck(hdP_map(models->graph, models->platform, models->resources,
			   NULL, NULL, NULL) == 0,
		   "mapping");
}

/* The child ends behind it, and its memory with it. */
static void simulate(const struct models *models)
{
	hdPResult *result;

	benchCheck(hdP_simulate(models->graph, models->platform,
				models->resources, NULL, &result, NULL,
				NULL) == 0,
		   "simulation");
}

/* ---- The boards --------------------------------------------------------- */

static void simulateFile(struct benchRun *run, const char *file)
{
	struct models models;

	readModels(&models, file);
	run->count = (size_t)hdP_getTaskCount(models.graph);
	benchStart(run);
	simulate(&models);
	benchStop(run);
}

static void inChildSmall(struct benchRun *run)
{
	simulateFile(run, "small.bin");
}

static void inChildLarge(struct benchRun *run)
{
	simulateFile(run, "large.bin");
}

static void inChildHuge(struct benchRun *run)
{
	simulateFile(run, "huge.bin");
}

static void inChildMapped(struct benchRun *run)
{
	struct models models;

	readModels(&models, "small.xml");
	run->count = (size_t)hdP_getTaskCount(models.graph);
	benchStart(run);
	map(&models);
	simulate(&models);
	benchStop(run);
}

static void predictSmall(struct benchRun *run)
{
	benchInChild(run, inChildSmall);
}

static void predictLarge(struct benchRun *run)
{
	benchInChild(run, inChildLarge);
}

static void predictHuge(struct benchRun *run)
{
	benchInChild(run, inChildHuge);
}

static void predictMapped(struct benchRun *run)
{
	benchInChild(run, inChildMapped);
}

static void command(struct benchRun *run, const char *file, size_t tasks,
		    const char *mapping)
{
	char *path = benchPath(file);
	const char *arguments[] = { benchOptions.hdpredict,
				    "simulate",
				    path,
				    "--platform=" PLATFORM,
				    "--resources=" RESOURCES,
				    mapping,
				    NULL };
	uint64_t n = tilesOf(tasks);

	benchCommand(run, arguments);
	run->count = n * (n + 1) * (n + 2) / 6 + n * (n + 1);
	free(path);
}

static void predictXml(struct benchRun *run)
{
	command(run, "small.xml", run->count, "--map=eft");
}

static void predictBinary(struct benchRun *run)
{
	command(run, "small.bin", run->count, "--map=given");
}

static void predictHugeBinary(struct benchRun *run)
{
	command(run, "huge.bin", run->count, "--map=given");
}

/* ---- Nodes -------------------------------------------------------------- */

static void makeStar(struct models *models, int nodes)
{
	hdPPlatform *platform = hdP_createPlatform();
	int64_t network = hdP_addChannel(platform, -1, "switch");
	bool isGood = hdP_addBridgeArchitecture(platform, "link", 1000, 1500,
						120, 0) == 0;

	for (int i = 0; i < nodes && isGood; i++) {
		char id[16], part[24];
		int64_t node, memory;

		snprintf(id, sizeof(id), "n%d", i);
		node = hdP_addNode(platform, -1, id, NULL);
		snprintf(part, sizeof(part), "%s.m", id);
		memory = hdP_addMemory(platform, node, part, 64e9);
		snprintf(part, sizeof(part), "%s.0", id);
		isGood = node >= 0 && memory >= 0 &&
			 hdP_addPe(platform, node, part, "core") >= 0;
		snprintf(part, sizeof(part), "%s.l", id);
		isGood = isGood && hdP_addBridge(platform, node, part, "link",
						 memory, network, 1) == 0;
	}
	benchCheck(isGood && hdP_finishPlatform(platform, NULL, NULL) == 0,
		   "platform");
	models->platform = platform;
}

/* Tasks of a layer go round; so most data goes to another node, however many
 * there are. */
static void makeLayers(struct models *models, int nodes, size_t tasks)
{
	hdPResources *resources = hdP_createResources();
	uint32_t layers = (uint32_t)(tasks / WIDE_NODES);
	bool isGood = hdP_generateRandom(layers, WIDE_NODES, 3, 1,
					 &models->graph) == 0;

	for (int64_t t = 0; t < (int64_t)layers * WIDE_NODES && isGood; t++) {
		char pe[24];

		snprintf(pe, sizeof(pe), "n%d.0",
			 (int)(t % WIDE_NODES % nodes));
		isGood = hdP_setMapping(models->graph, t, pe, t) == 0;
	}
	for (int k = 0; isGood && k < hdP_getKernelCount(models->graph); k++)
		isGood = hdP_addEntry(resources,
				      hdP_getKernelId(models->graph, k), "core",
				      0.001 * (k + 1), 1, 0, 0) >= 0;
	benchCheck(isGood && hdP_finishResources(resources, NULL, NULL) == 0,
		   "layers");
	models->resources = resources;
}

static void simulateNodes(struct benchRun *run, int nodes)
{
	struct models models;

	makeStar(&models, nodes);
	makeLayers(&models, nodes, run->count);
	run->count = (size_t)hdP_getTaskCount(models.graph);
	benchStart(run);
	simulate(&models);
	benchStop(run);
}

static void inChild10(struct benchRun *run)
{
	simulateNodes(run, 10);
}

static void inChild1000(struct benchRun *run)
{
	simulateNodes(run, 1000);
}

static void inChild10000(struct benchRun *run)
{
	simulateNodes(run, 10000);
}

static void predict10(struct benchRun *run)
{
	benchInChild(run, inChild10);
}

static void predict1000(struct benchRun *run)
{
	benchInChild(run, inChild1000);
}

static void predict10000(struct benchRun *run)
{
	benchInChild(run, inChild10000);
}

/* ---- Together ----------------------------------------------------------- */

/* 0.1 s, 0.25 s, 0.6 s and 0.2 s in all; 1.5 million tasks a second. */
static struct benchWork works[] = {
	{ "simulation, 95,040 tasks, mapped", SMALL_TASKS, predictSmall,
	  .isAlone = true, .nsMax = 1052 },
	{ "simulation, 95,040 tasks, EFT", SMALL_TASKS, predictMapped,
	  .isAlone = true, .nsMax = 2630 },
	{ "command, 95,040 tasks, XML, EFT", SMALL_TASKS, predictXml,
	  .isAlone = true, .nsMax = 6313 },
	{ "command, 95,040 tasks, binary", SMALL_TASKS, predictBinary,
	  .isAlone = true, .nsMax = 2104 },
	{ "simulation, 10^6 tasks", LARGE_TASKS, predictLarge, .isAlone = true,
	  .nsMax = 666 },
	{ "10^6 tasks, 1,000 nodes beside 10", WIDE_TASKS, predict1000,
	  predict10, .ratioMax = 2 },
	{ "10^6 tasks, 10,000 nodes beside 10", WIDE_TASKS, predict10000,
	  predict10, .ratioMax = 2 },
};

/* 10 s; the same in proportion; 30 s in 2.5 GB. */
static struct benchWork hugeWorks[] = {
	{ "simulation, 10^7 tasks", HUGE_TASKS, predictHuge, .isAlone = true,
	  .nsMax = 1003 },
	{ "10^7 tasks beside 95,040", HUGE_TASKS, predictHuge, predictSmall,
	  SMALL_TASKS, .ratioMax = 1.5 },
	{ "command, 10^7 tasks, binary", HUGE_TASKS, predictHugeBinary,
	  .isAlone = true, .nsMax = 3011, .peakMbMax = 2384 },
};

static void make(const char *name, size_t tasks)
{
	char *path = benchPath(name), *binary = benchPath("made.bin");
	char tiles[32];
	struct benchRun run;
	const char *generate[] = { benchOptions.hdpredict,
				   "generate",
				   "cholesky",
				   "--tile-size=128",
				   tiles,
				   strstr(name, ".xml") ? "--to=xml"
							: "--to=binary",
				   "-o",
				   strstr(name, ".xml") ? path : binary,
				   NULL };
	const char *mapping[] = { benchOptions.hdpredict,
				  "map",
				  binary,
				  "--platform=" PLATFORM,
				  "--resources=" RESOURCES,
				  "--to=binary",
				  "-o",
				  path,
				  NULL };

	snprintf(tiles, sizeof(tiles), "--tiles=%u", tilesOf(tasks));
	benchCommand(&run, generate);
	if (!strstr(name, ".xml")) {
		benchCommand(&run, mapping);
		unlink(binary);
	}
	free(path);
	free(binary);
}

static void prepare(void)
{
	make("small.xml", benchScaled(SMALL_TASKS));
	make("small.bin", benchScaled(SMALL_TASKS));
	make("large.bin", benchScaled(LARGE_TASKS));
}

static void prepareHuge(void)
{
	make("small.bin", benchScaled(SMALL_TASKS));
	make("huge.bin", benchScaled(HUGE_TASKS));
}

static void destroy(void)
{
	benchRemove("small.xml");
	benchRemove("small.bin");
	benchRemove("large.bin");
	benchRemove("huge.bin");
}

struct benchSubject benchPredict = {
	.name = "predict",
	.title = "Prediction",
	.operation = "task",
	.peerName = "beside",
	.works = works,
	.count = BENCH_COUNT(works),
	.repetitions = 5,
	.prepare = prepare,
	.destroy = destroy,
};

struct benchSubject benchPredictHuge = {
	.name = "predict-huge",
	.title = "Prediction, 10^7 tasks",
	.operation = "task",
	.peerName = "beside",
	.works = hugeWorks,
	.count = BENCH_COUNT(hugeWorks),
	.repetitions = 3,
	.prepare = prepareHuge,
	.destroy = destroy,
};
