/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Example: utilization and power of the same program, in one project.
 *
 *     energy PROJECT PT.CFG NODE
 *
 * libRUT records this host, and libPT what PT.CFG says, both with the topology
 * of this program; so `project` and `topology` of the file are not needed. NODE
 * is the label of this host in both.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <PT.h>
#include <RUT.h>

/* Compute for some seconds; returns something that depends on it. */
static double work(double seconds)
{
	struct timespec start, now;
	double x = 1;

	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		for (int i = 1; i < 100000; i++)
			x += 1 / (x * i);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((double)(now.tv_sec - start.tv_sec) +
			 (double)(now.tv_nsec - start.tv_nsec) / 1e9 <
		 seconds);
	return x;
}

/* Trace while the program works. */
static int traceWork(hdTopology *topology, hdTopoNode *node, const char *config)
{
	UtilTrace *utilization = NULL;
	PowerTrace *power = NULL;
	rutSources sources;
	int ret;

	ret = pt_createTrace(config, topology, &power);
	/* In a parallel program, one process has the meter; the others go on
	 * without. */
	if (ret != PT_SUCCESS && ret != PT_EWRONGHOST) {
		fprintf(stderr, "energy: no power trace: error %d\n", ret);
		return 1;
	}
	RUTSRC_UNSET_ALL(sources);
	RUTSRC_SET_CPU(sources);
	ret = rut_createTrace(node, 1, sources, 20, &utilization);
	if (ret != RUT_SUCCESS) {
		fprintf(stderr, "energy: no utilization: error %d\n", ret);
		pt_finalizeTrace(power);
		return 1;
	}
	pt_startTracing(power);
	rut_startTrace(utilization);
	printf("computed %g\n", work(0.5));
	rut_stopTrace(utilization);
	pt_stopTracing(power);
	ret = rut_finalizeTrace(utilization) != RUT_SUCCESS;
	return pt_finalizeTrace(power) != PT_SUCCESS || ret;
}

int main(int argc, char **argv)
{
	const char *levels[] = { "Host" }, *path[1];
	hdTopology *topology;
	hdTopoNode *node = NULL;
	int result = 1;

	if (argc != 4) {
		fprintf(stderr, "usage: energy PROJECT PT.CFG NODE\n");
		return 2;
	}
	path[0] = argv[3];
	topology = hdT_createTopology(argv[1], levels, 1);
	if (topology)
		node = hdT_createTopoNode(topology, path, 1);
	if (node)
		result = traceWork(topology, node, argv[2]);
	else
		fprintf(stderr, "energy: not a project or node\n");
	if (node)
		hdT_destroyTopoNode(node);
	if (topology)
		hdT_destroyTopology(topology);
	return result;
}
