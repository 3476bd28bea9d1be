/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Example: a benchmark of phases, of which only some are recorded.
 *
 * Threads multiply matrices; between the rounds the program rests. Tracing is
 * stopped meanwhile, so that the trace has the rounds only, with gaps between.
 *
 *     compute PROJECT [THREADS [SIZE [ROUNDS]]]
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <RUT.h>

static int size;

/* Multiply two matrices that a thread makes up. */
static void *multiply(void *data)
{
	size_t n = (size_t)size;
	double *x = malloc(3 * n * n * sizeof(*x));
	double *y, *z, *trace = data;

	if (!x)
		return NULL;
	y = x + n * n;
	z = y + n * n;
	for (size_t i = 0; i < n * n; i++) {
		x[i] = (double)(i % 7);
		y[i] = (double)(i % 5);
		z[i] = 0;
	}
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < n; k++) {
			for (size_t j = 0; j < n; j++)
				z[i * n + j] += x[i * n + k] * y[k * n + j];
		}
	}
	for (size_t i = 0; i < n; i++)
		*trace += z[i * n + i];
	free(x);
	return NULL;
}

static double computeRound(int threads)
{
	pthread_t *ids = calloc((size_t)threads, sizeof(*ids));
	double *traces = calloc((size_t)threads, sizeof(*traces)), sum = 0;
	int started = 0;

	while (ids && traces && started < threads &&
	       pthread_create(&ids[started], NULL, multiply,
			      &traces[started]) == 0)
		started++;
	while (started > 0) {
		pthread_join(ids[--started], NULL);
		sum += traces[started];
	}
	free(ids);
	free(traces);
	return sum;
}

int main(int argc, char **argv)
{
	const char *levels[] = { "Host" }, *path[] = { "localhost" };
	int threads = argc > 2 ? atoi(argv[2]) : 2;
	int rounds = argc > 4 ? atoi(argv[4]) : 3;
	hdTopology *topology;
	hdTopoNode *node;
	rutSources sources;
	UtilTrace *trace;

	size = argc > 3 ? atoi(argv[3]) : 300;
	if (argc < 2 || threads < 1 || size < 1 || size > 10000 || rounds < 1) {
		fprintf(stderr, "Usage: %s PROJECT [THREADS [SIZE [ROUNDS]]]\n",
			argv[0]);
		return 2;
	}
	topology = hdT_createTopology(argv[1], levels, 1);
	node = topology ? hdT_createTopoNode(topology, path, 1) : NULL;
	RUTSRC_UNSET_ALL(sources);
	RUTSRC_SET_CPU(sources);
	sources.TRACER = 1;
	if (!node ||
	    rut_createTrace(node, 1, sources, 10, &trace) != RUT_SUCCESS) {
		fprintf(stderr, "cannot trace into %s\n", argv[1]);
		return 1;
	}
	for (int i = 0; i < rounds; i++) {
		double sum;

		rut_startTrace(trace);
		sum = computeRound(threads);
		rut_stopTrace(trace);
		printf("round %d: %g\n", i, sum);
		usleep(20000);
	}
	hdT_destroyTopoNode(node);
	hdT_destroyTopology(topology);
	return rut_finalizeTrace(trace) == RUT_SUCCESS ? 0 : 1;
}
