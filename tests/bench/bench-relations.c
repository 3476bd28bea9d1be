/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What relations cost: one with a state and two attributes, beside what nobody
 * can go below (four clock readings, and its bytes copied), with eight threads
 * on a node, and disabled; and hdtrace relations, of many.
 *
 * Of several threads the CPU time of all counts as that of the calling one.
 */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <hdRelation.h>
#include "tests/bench/bench-project.h"
#include "tests/bench/bench.h"

#define RELATIONS 1000000
/* hdtrace relations has 30 s and 500 MB for so many. */
#define RELATIONS_MANY 10000000
#define THREADS 8
#define RING (256 * 1024)
/* More bytes than a relation has. */
#define RELATION_MAX 1024

/* Bytes of a relation in a file. */
static size_t relationBytes;

static hdR_topoToken relationsCreate(const char *name)
{
	hdTopoNode *node = benchCreateNode(name);
	hdR_topoToken topology = NULL;

	benchCheck(hdR_initTopology(node, &topology) == 0, "hdR_initTopology");
	hdT_destroyTopoNode(node);
	return topology;
}

static void relationsFinalize(hdR_topoToken topology)
{
	hdLosses losses;

	benchCheck(hdR_getLosses(topology, &losses) == 0 && losses.records == 0,
		   "hdR_getLosses");
	benchCheck(hdR_finalize(&topology) == 0, "hdR_finalize");
}

/* Relations with a state and two attributes, one after the other. */
static void relationsMake(hdR_topoToken topology, size_t count)
{
	static const char *const offset[] = { "offset" };
	static const char *const size[] = { "size" };
	static const char *const where[] = { "943718400" };
	static const char *const bytes[] = { "262144" };

	for (size_t i = 0; i < count; i++) {
		hdR_token token = hdR_createTopLevelRelation(topology);

		hdR_start(token, "pwrite", 1, offset, where);
		hdR_end(token, 1, size, bytes);
		hdR_destroyRelation(&token);
	}
}

static void relationsWrite(struct benchRun *run)
{
	hdR_topoToken topology = relationsCreate("relations");

	benchStart(run);
	relationsMake(topology, run->count);
	benchStop(run);
	relationsFinalize(topology);
	benchRemove("relations_node.rel");
}

static void relationsFloor(struct benchRun *run)
{
	char *ring = calloc(1, RING + RELATION_MAX);
	char bytes[RELATION_MAX] = { 0 };
	size_t at = 0;

	benchCheck(ring, "memory");
	benchStart(run);
	for (size_t i = 0; i < run->count; i++) {
		struct timespec now;

		for (int k = 0; k < 4; k++)
			clock_gettime(CLOCK_REALTIME, &now);
		memcpy(bytes, &now, sizeof(now));
		memcpy(ring + at, bytes, relationBytes);
		at = (at + relationBytes) % RING;
		__asm__ volatile("" : : "r"(ring) : "memory");
	}
	benchStop(run);
	free(ring);
}

/* ---- Several threads --------------------------------------------------- */

struct maker {
	pthread_t thread;
	hdR_topoToken topology;
	size_t count;
	double ns; /* CPU time. */
};

static void *makerRun(void *data)
{
	struct maker *maker = data;
	struct benchRun run = { .count = maker->count };

	benchStart(&run);
	relationsMake(maker->topology, maker->count);
	benchStop(&run);
	maker->ns = run.thread;
	return NULL;
}

static void threadsRun(struct benchRun *run, size_t count)
{
	hdR_topoToken topology = relationsCreate("relations");
	struct maker makers[THREADS];
	double sum = 0;

	benchStart(run);
	for (size_t i = 0; i < count; i++) {
		makers[i] = (struct maker){
			.topology = topology,
			.count = run->count / count,
		};
		benchCheck(pthread_create(&makers[i].thread, NULL, makerRun,
					  &makers[i]) == 0,
			   "pthread_create");
	}
	for (size_t i = 0; i < count; i++) {
		pthread_join(makers[i].thread, NULL);
		sum += makers[i].ns;
	}
	benchStop(run);
	run->thread = sum;
	relationsFinalize(topology);
	benchRemove("relations_node.rel");
}

static void relationsThreads(struct benchRun *run)
{
	threadsRun(run, THREADS);
}

static void relationsThread(struct benchRun *run)
{
	threadsRun(run, 1);
}

/* ---- Disabled ---------------------------------------------------------- */

/* Calls, not relations: four of each. With HDTRACE_RELATION=0 there are no
 * topologies, as tests see to it, and that is read once a process. */
static void relationsDisabled(struct benchRun *run)
{
	hdR_topoToken none = NULL;

	/* Which the compiler does not know. */
	__asm__ volatile("" : "+r"(none));
	benchStart(run);
	relationsMake(none, run->count / 4);
	benchStop(run);
}

/* ---- Reading ----------------------------------------------------------- */

static void relationsRead(struct benchRun *run)
{
	char *path = benchPath("relmany_node.rel");
	const char *arguments[] = { benchOptions.hdtrace, "relations", path,
				    NULL };

	benchCommand(run, arguments);
	run->bytes = benchFileSize("relmany_node.rel");
	free(path);
}

static struct benchWork works[] = {
	{ "a state and two attributes, beside the floor", RELATIONS,
	  relationsWrite, relationsFloor, .ratioMax = 3, .nsMax = 600 },
	{ "8 threads on a node, beside one", RELATIONS, relationsThreads,
	  relationsThread, .ratioMax = 1.3 },
	{ "a call, HDTRACE_RELATION=0", 8000000, relationsDisabled,
	  .isAlone = true, .nsMax = 3 },
	{ "hdtrace relations, 10 million", RELATIONS_MANY, relationsRead,
	  .isAlone = true, .nsMax = 3000, .peakMbMax = 500 },
};

/* Write so many, in no more time than they can be written to the file. */
static void relationsFill(const char *name, size_t count)
{
	hdR_topoToken topology = relationsCreate(name);

	for (size_t i = 0; i < count; i += 1000) {
		relationsMake(topology, count - i < 1000 ? count - i : 1000);
		hdR_flush(topology);
	}
	relationsFinalize(topology);
}

static void relationsPrepare(void)
{
	relationsFill("relfew", 10000);
	relationBytes = (size_t)benchFileSize("relfew_node.rel") / 10000;
	benchCheck(relationBytes > 0 && relationBytes < RELATION_MAX, "bytes");
	relationsFill("relmany", benchScaled(RELATIONS_MANY));
}

static void relationsDestroy(void)
{
	benchRemove("relfew_node.rel");
	benchRemove("relmany_node.rel");
	hdR_closeAPI();
}

struct benchSubject benchRelations = {
	.name = "relations",
	.title = "Relations",
	.operation = "relation or call",
	.peerName = "floor or one thread",
	.works = works,
	.count = BENCH_COUNT(works),
	.repetitions = 5,
	.prepare = relationsPrepare,
	.destroy = relationsDestroy,
};
