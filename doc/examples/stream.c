/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Example: what main memory can do, in the manner of STREAM, and what the node
 * does meanwhile.
 *
 * Four kernels run over arrays that are larger than the caches. The lines with
 * "RUT" are all that records the utilization of the node.
 *
 *     stream PROJECT [MIB [ROUNDS]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <RUT.h>

static double *a, *b, *c;
static size_t count;

static void copyKernel(void)
{
	for (size_t i = 0; i < count; i++)
		c[i] = a[i];
}

static void scaleKernel(void)
{
	for (size_t i = 0; i < count; i++)
		b[i] = 3.0 * c[i];
}

static void addKernel(void)
{
	for (size_t i = 0; i < count; i++)
		c[i] = a[i] + b[i];
}

static void triadKernel(void)
{
	for (size_t i = 0; i < count; i++)
		a[i] = b[i] + 3.0 * c[i];
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void benchmark(int rounds)
{
	static const struct {
		const char *name;
		void (*run)(void);
		double arrays; /* Read or written. */
	} kernels[] = {
		{ "copy", copyKernel, 2 },
		{ "scale", scaleKernel, 2 },
		{ "add", addKernel, 3 },
		{ "triad", triadKernel, 3 },
	};

	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
		double began = now(), bytes;

		for (int j = 0; j < rounds; j++)
			kernels[i].run();
		bytes = kernels[i].arrays * (double)count * sizeof(*a) * rounds;
		printf("%-6s %8.2f GB/s\n", kernels[i].name,
		       bytes / (now() - began) / 1e9);
	}
}

/* RUT: trace everything of this host every 10 ms; NULL if that fails. */
static UtilTrace *startTracing(const char *project)
{
	const char *levels[] = { "Host" }, *path[] = { "localhost" };
	hdTopology *topology = hdT_createTopology(project, levels, 1);
	hdTopoNode *node = NULL;
	UtilTrace *trace = NULL;
	rutSources sources;

	RUTSRC_UNSET_ALL(sources);
	RUTSRC_SET_ALL(sources);
	if (topology)
		node = hdT_createTopoNode(topology, path, 1);
	if (node &&
	    rut_createTrace(node, 1, sources, 10, &trace) == RUT_SUCCESS)
		rut_startTrace(trace);
	hdT_destroyTopoNode(node);
	hdT_destroyTopology(topology);
	return trace;
}

int main(int argc, char **argv)
{
	long mib = argc > 2 ? atol(argv[2]) : 64;
	int rounds = argc > 3 ? atoi(argv[3]) : 5, result = 1;
	UtilTrace *trace;

	if (argc < 2 || mib < 1 || mib > 65536 || rounds < 1) {
		fprintf(stderr, "Usage: %s PROJECT [MIB [ROUNDS]]\n", argv[0]);
		return 2;
	}
	trace = startTracing(argv[1]); /* RUT */
	count = (size_t)mib * 1024 * 1024 / sizeof(*a);
	a = calloc(count, sizeof(*a));
	b = calloc(count, sizeof(*b));
	c = calloc(count, sizeof(*c));
	if (trace && a && b && c) {
		benchmark(rounds);
		result = 0;
	}
	free(a);
	free(b);
	free(c);
	if (rut_finalizeTrace(trace) != RUT_SUCCESS) /* RUT */
		result = 1;
	return result;
}
