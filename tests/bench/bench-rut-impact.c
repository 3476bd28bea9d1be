/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * How much longer a program takes that is traced: table 5.3 of the thesis.
 *
 * As CPUstress there, the program counts up the variables of two nested loops,
 * here in as many threads as there are CPUs, so that the sampling thread must
 * take its time from them. All intervals take turns. The table is that of
 * doc/measurements/utilization.md.
 *
 *     bench-rut-impact [SECONDS [RUNS]]    SECONDS: about, of each run
 */
#include "config.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <RUT.h>
#include "ResourcesUtilizationTracingLibrary/src/trace.h"
#include "common/clock.h"
#include "tests/bench/impact.h"
#include "tests/lib/fixture.h"

#define INNER 1000000
#define COLUMNS 8

/* Milliseconds; the first is not traced. */
static const int intervals[COLUMNS] = { 0, 500, 200, 100, 50, 20, 10, 1 };

/* Table 5.3. */
static struct impactColumn columns[COLUMNS] = {
	{ "No tracing", "402.2", "0.21", "0.05", "–" },
	{ "500 ms", "404.7", "1.07", "0.26", "0.63" },
	{ "200 ms", "406.1", "1.05", "0.26", "0.97" },
	{ "100 ms", "408.8", "0.27", "0.07", "1.62" },
	{ "50 ms", "415.4", "0.14", "0.03", "3.29" },
	{ "20 ms", "436.1", "0.20", "0.04", "8.43" },
	{ "10 ms", "476.1", "0.30", "0.06", "18.36" },
	{ "1 ms", "", "", "", "" },
};

static long outerCount;

static void *count(void *data)
{
	volatile long i, j;

	(void)data;
	for (i = 0; i < outerCount; i++)
		for (j = 0; j < INNER; j++)
			;
	return NULL;
}

/* Count in all threads; returns how long that took, in seconds. */
static double countAll(long threads)
{
	pthread_t *list = g_new0(pthread_t, (gsize)threads);
	int64_t began = hdMonotonicNow();

	for (long i = 0; i < threads; i++) {
		if (pthread_create(&list[i], NULL, count, NULL) != 0)
			exit(1);
	}
	for (long i = 0; i < threads; i++)
		pthread_join(list[i], NULL);
	g_free(list);
	return (double)(hdMonotonicNow() - began) / 1e9;
}

/* How often the outer loop must be run for so many seconds. */
static void calibrate(long threads, double seconds)
{
	double took;

	outerCount = 50;
	took = countAll(threads);
	outerCount = (long)(50 * seconds / took) + 1;
}

/* Returns seconds; adds the CPU time of the tracing thread to the cost. */
static double runOnce(int interval, long threads, const char *directory,
		      double *cost)
{
	const char *levels[] = { "Host" }, *path[] = { "n" };
	char *project = g_build_filename(directory, "P", NULL);
	hdTopology *topology = hdT_createTopology(project, levels, 1);
	hdTopoNode *node = hdT_createTopoNode(topology, path, 1);
	UtilTrace *trace = NULL;
	rutSources sources;
	double seconds;

	RUTSRC_UNSET_ALL(sources);
	RUTSRC_SET_ALL(sources);
	if (interval > 0 && (rut_createTrace(node, 1, sources, interval,
					     &trace) != RUT_SUCCESS ||
			     rut_startTrace(trace) != 0)) {
		fprintf(stderr, "bench-rut-impact: cannot trace\n");
		exit(1);
	}
	seconds = countAll(threads);
	if (trace) {
		int64_t cpuNs;
		uint64_t late;

		rutTraceCost(trace, &cpuNs, &late, NULL);
		*cost += (double)cpuNs / 1e9;
		rut_finalizeTrace(trace);
	}
	hdT_destroyTopoNode(node);
	hdT_destroyTopology(topology);
	g_free(project);
	return seconds;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 10;
	size_t runs = argc > 2 ? (size_t)atol(argv[2]) : 5;
	long threads = sysconf(_SC_NPROCESSORS_ONLN);
	char *directory;

	if (seconds <= 0 || runs < 1) {
		fprintf(stderr, "bench-rut-impact: wrong arguments\n");
		return 2;
	}
	directory = fixtureCreate();
	g_setenv("HDTRACE_OVERWRITE_EXISTING_FILES", "1", TRUE);
	calibrate(threads, seconds);
	for (size_t i = 0; i < COLUMNS; i++)
		columns[i].times = g_new0(double, runs);
	for (size_t run = 0; run < runs; run++) {
		for (size_t i = 0; i < COLUMNS; i++)
			columns[i].times[run] =
				runOnce(intervals[i], threads, directory,
					&columns[i].cost);
		fprintf(stderr, "bench-rut-impact: run %zu of %zu is done\n",
			run + 1, runs);
	}
	printf("%ld threads on %ld CPUs:\n\n", threads, threads);
	impactPrint(columns, COLUMNS, runs);
	for (size_t i = 0; i < COLUMNS; i++)
		g_free(columns[i].times);
	fixtureRemove(directory);
	return 0;
}
