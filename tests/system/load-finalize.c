/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * How long rut_finalizeTrace() takes, for verifyRUT.sh.
 *
 *     load-finalize INTERVAL RUNS LIMIT
 *
 * Prints the median and the greatest time; exit status 1 if the median is above
 * the limit. All times are in milliseconds.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <RUT.h>
#include "common/clock.h"

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Returns a negative number if it fails. */
static double finalizeOnce(int interval, int run)
{
	const char *levels[] = { "Host" }, *path[] = { "n" };
	/* Ends at some time of the interval. */
	const struct timespec wait = { .tv_nsec = 1000000 + 37000 * run };
	hdTopology *topology = hdT_createTopology("finalize", levels, 1);
	hdTopoNode *node = hdT_createTopoNode(topology, path, 1);
	UtilTrace *trace;
	rutSources sources;
	double result = -1;
	int64_t began;

	RUTSRC_UNSET_ALL(sources);
	RUTSRC_SET_ALL(sources);
	if (rut_createTrace(node, 1, sources, interval, &trace) ==
	    RUT_SUCCESS) {
		rut_startTrace(trace);
		nanosleep(&wait, NULL);
		began = hdMonotonicNow();
		if (rut_finalizeTrace(trace) == RUT_SUCCESS)
			result = (double)(hdMonotonicNow() - began) / 1e6;
	}
	hdT_destroyTopoNode(node);
	hdT_destroyTopology(topology);
	return result;
}

int main(int argc, char **argv)
{
	int interval = argc == 4 ? atoi(argv[1]) : 0;
	int runs = argc == 4 ? atoi(argv[2]) : 0;
	double *times, median;

	if (interval < 1 || runs < 1) {
		fprintf(stderr, "load-finalize: wrong arguments\n");
		return 2;
	}
	setenv("HDTRACE_OVERWRITE_EXISTING_FILES", "1", 1);
	times = calloc((size_t)runs, sizeof(*times));
	if (!times)
		return 2;
	for (int i = 0; i < runs; i++) {
		times[i] = finalizeOnce(interval, i);
		if (times[i] < 0) {
			fprintf(stderr, "load-finalize: cannot trace\n");
			return 2;
		}
	}
	qsort(times, (size_t)runs, sizeof(*times), compare);
	median = times[runs / 2];
	printf("%.3f ms, at most %.3f ms\n", median, times[runs - 1]);
	free(times);
	return median <= atof(argv[3]) ? 0 : 1;
}
