/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * How much longer a command takes beside libRUT, and beside libRUT and libPT:
 * table 5.1 of the thesis, which has HPCC as the command.
 *
 * As there, utilization is traced every 500 ms and power every 200 ms, on the
 * node where the command runs. The meter is lmg450-sim, which runs all the
 * time. The three ways take turns.
 *
 *     bench-pt-impact RUNS COMMAND    (COMMAND is one word, for the shell)
 */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <glib.h>

#include <PT.h>
#include <RUT.h>
#include "tests/bench/impact.h"
#include "tests/sim/client.h"

#define RUT_MS 500
#define PT_MS 200
#define COLUMNS 3

/* Table 5.1. */
static struct impactColumn columns[COLUMNS] = {
	{ "No tracing", "595.8", "5.26", "0.88", "–" },
	{ "libRUT, 500 ms", "599.4", "4.34", "0.72", "0.60" },
	{ "libRUT, 500 ms, and libPT, 200 ms", "602.6", "6.43", "1.07",
	  "1.14" },
};

static double seconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* CPU time of all threads but this one. */
static double othersCpu(void)
{
	return seconds(CLOCK_PROCESS_CPUTIME_ID) -
	       seconds(CLOCK_THREAD_CPUTIME_ID);
}

static void must(bool isGood, const char *what)
{
	if (isGood)
		return;
	fprintf(stderr, "bench-pt-impact: %s\n", what);
	exit(1);
}

static UtilTrace *traceUtilization(const char *directory)
{
	const char *levels[] = { "Host" }, *path[] = { "n" };
	char *project = g_build_filename(directory, "R", NULL);
	hdTopology *topology = hdT_createTopology(project, levels, 1);
	hdTopoNode *node = hdT_createTopoNode(topology, path, 1);
	UtilTrace *trace = NULL;
	rutSources sources;

	RUTSRC_UNSET_ALL(sources);
	RUTSRC_SET_ALL(sources);
	must(rut_createTrace(node, 1, sources, RUT_MS, &trace) == RUT_SUCCESS &&
		     rut_startTrace(trace) == 0,
	     "cannot trace utilization");
	hdT_destroyTopoNode(node);
	hdT_destroyTopology(topology);
	g_free(project);
	return trace;
}

static PowerTrace *tracePower(const struct client *meter)
{
	char *config = clientPath(meter, "pt.cfg"), *text;
	PowerTrace *trace;

	text = g_strdup_printf("[General]\ndevice=LMG450\nport=%s/meter\n"
			       "cycle=%d\nproject=%s/P\n"
			       "topology=Cluster_Host\n"
			       "[Trace]\ntype=HDSTATS\nnode=c_n\nchannel=1\n"
			       "values=Utrms,Itrms,P\n",
			       meter->directory, PT_MS, meter->directory);
	must(g_file_set_contents(config, text, -1, NULL) &&
		     pt_createTrace(config, NULL, &trace) == PT_SUCCESS &&
		     pt_startTracing(trace) == 0,
	     "cannot trace power");
	g_free(config);
	g_free(text);
	return trace;
}

/* Run the command, traced in one of the ways. */
static void runOnce(size_t column, size_t run, const struct client *meter,
		    const char *command)
{
	UtilTrace *utilization = NULL;
	PowerTrace *power = NULL;
	double began, cpu;

	if (column >= 1)
		utilization = traceUtilization(meter->directory);
	if (column >= 2)
		power = tracePower(meter);
	cpu = othersCpu();
	began = seconds(CLOCK_MONOTONIC);
	must(system(command) == 0, command);
	columns[column].times[run] = seconds(CLOCK_MONOTONIC) - began;
	columns[column].cost += othersCpu() - cpu;
	if (utilization)
		must(rut_finalizeTrace(utilization) == RUT_SUCCESS,
		     "utilization was not traced");
	if (power)
		must(pt_finalizeTrace(power) == PT_SUCCESS,
		     "power was not traced");
}

int main(int argc, char **argv)
{
	size_t runs = argc == 3 ? (size_t)atol(argv[1]) : 0;
	char *here = g_get_current_dir();
	struct client meter;

	if (runs < 1) {
		fprintf(stderr, "Usage: bench-pt-impact RUNS COMMAND\n");
		return 2;
	}
	g_setenv("HDTRACE_OVERWRITE_EXISTING_FILES", "1", TRUE);
	if (!g_getenv("abs_top_builddir"))
		g_setenv("abs_top_builddir", here, TRUE);
	g_free(here);
	clientRun(&meter, NULL, "");
	clientClose(&meter);
	for (size_t i = 0; i < COLUMNS; i++)
		columns[i].times = g_new0(double, runs);
	for (size_t run = 0; run < runs; run++) {
		for (size_t i = 0; i < COLUMNS; i++)
			runOnce(i, run, &meter, argv[2]);
		fprintf(stderr, "bench-pt-impact: run %zu of %zu is done\n",
			run + 1, runs);
	}
	impactPrint(columns, COLUMNS, runs);
	for (size_t i = 0; i < COLUMNS; i++)
		g_free(columns[i].times);
	clientStop(&meter);
	clientRemove(&meter);
	return 0;
}
