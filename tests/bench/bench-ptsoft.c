/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What a trace of the machine's own meters costs: powercap at its shortest
 * cycle, all of libPT and the writing included.
 *
 * Zones are links to a counter of the real /sys, so that the kernel's part
 * counts as well; what RAPL adds, asking another CPU for a register, does not.
 *
 *     bench-ptsoft [SECONDS]
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "PowerTracingLibrary/src/trace.h"
#include "tests/lib/fixture.h"

#define COUNTER "/sys/class/net/lo/statistics/rx_bytes"
#define CPU_PERCENT_MAX 3.0

static int64_t cpuNow(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void addZone(const char *root, int number)
{
	char *zone =
		g_strdup_printf("/sys/class/powercap/intel-rapl:%d/", number);
	char *file = g_strconcat(zone, "name", NULL);

	fixtureWrite(root, file, "package-%d\n", number);
	g_free(file);
	file = g_strconcat(zone, "max_energy_range_uj", NULL);
	fixtureWrite(root, file, "262143328850\n");
	g_free(file);
	file = g_strconcat(zone, "energy_uj", NULL);
	if (access(COUNTER, R_OK) == 0)
		fixtureLink(root, file, COUNTER);
	else
		fixtureWrite(root, file, "1234567890\n");
	g_free(file);
	g_free(zone);
}

/* Trace some zones and tell the share of a core that it took. */
static double bench(int zones, const char *values, double seconds)
{
	char *root = fixtureCreate();
	char *file = g_build_filename(root, "pt.cfg", NULL);
	char *project = g_build_filename(root, "p", NULL);
	struct ptRequest request = { .file = file,
				     .drivers = ptDrivers,
				     .root = root,
				     .depth = -1,
				     .project = project };
	struct ptConfig config;
	struct ptCounts counts;
	PowerTrace *trace;
	int64_t began;
	double percent;

	for (int i = 0; i < zones; i++)
		addZone(root, i);
	fixtureWrite(root, "/pt.cfg",
		     "[General]\ndevice=powercap\ncycle=1\ntopology=Host\n"
		     "[Trace]\ntype=HDSTATS\nnode=n\nchannel=*\nvalues=%s\n",
		     values);
	g_assert_cmpint(ptConfigRead(&request, &config), ==, 0);
	g_assert_cmpint(ptTraceCreate(&config, NULL, root, &trace), ==, 0);
	ptConfigClear(&config);
	began = cpuNow();
	pt_startTracing(trace);
	g_usleep((gulong)(seconds * 1e6));
	pt_stopTracing(trace);
	percent = (double)(cpuNow() - began) / seconds / 1e7;
	ptTraceCounts(trace, &counts);
	printf("%3d zones, %-4s %8llu readings, %5llu left out %10.1f us each "
	       "%8.2f %% of a core\n",
	       zones, values, (unsigned long long)counts.readings,
	       (unsigned long long)counts.late,
	       percent * seconds * 1e4 / (double)counts.readings, percent);
	pt_finalizeTrace(trace);
	fixtureRemove(root);
	g_free(project);
	g_free(file);
	return percent;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 10;
	double percent;

	printf("powercap every 1 ms, writing included\n");
	bench(1, "E,P", seconds);
	percent = bench(16, "E,P", seconds);
	bench(32, "E", seconds);
	printf("32 values of 16 zones: %.2f %% of a core, target %.0f %%: %s\n",
	       percent, CPU_PERCENT_MAX,
	       percent <= CPU_PERCENT_MAX ? "met" : "MISSED");
	return 0;
}
