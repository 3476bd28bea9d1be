/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The options of hdload; see hdload.h. */
#include "config.h"

#include <math.h>

#include "LoadLevels/command/hdload.h"
#include "LoadLevels/cpu/sequence.h"
#include "cli/command.h"
#include "cli/compress.h"
#include "cli/errors.h"
#include "cli/freename.h"

/* Shorter steps and plans have no edges to speak of. */
#define SECONDS_MIN 1e-3
#define SECONDS_MAX 86400.0
#define ORDER_DEFAULT 7
#define LEVELS_DEFAULT 10
#define FILE_SIZE_DEFAULT 256

static const struct cliNumber numbers[] = {
	{ "load", 0, 1, NULL },
	{ "duration", SECONDS_MIN, SECONDS_MAX, "s" },
	{ "level-time", SECONDS_MIN, SECONDS_MAX, "s" },
	{ "pause", 0, SECONDS_MAX, "s" },
	{ "levels", 1, 1000, NULL },
	{ "calibrate", 0, 100, NULL },
	{ "rate", CLI_ABOVE_ZERO, INFINITY, NULL },
	{ "max-temperature", CLI_ABOVE_ZERO, 200, NULL },
	{ "min-free", CLI_ABOVE_ZERO, 1e12, NULL },
	{ "file-size", 1, 1e9, NULL },
	{ "memory", 1, 1e9, NULL },
	{ "order", HD_LOAD_ORDER_MIN, HD_LOAD_ORDER_MAX, NULL },
	{ "step", SECONDS_MIN * 1e3, SECONDS_MAX * 1e3, "ms" },
	{ NULL, 0, 0, NULL },
};

static const struct cliWords words[] = {
	{ "component",
	  (const char *const[]){ "cpu-int", "cpu-float", "cpu-vector",
				 "memory-bandwidth", "memory", "network",
				 "disk-read", "disk-write", "disk-sync", NULL },
	  true },
	{ "operations", (const char *const[]){ "exponential", "fixed", NULL },
	  false },
	{ NULL, NULL, false },
};

const struct cliCommand hdloadCommand = {
	.name = "hdload",
	.description =
		"Keep CPUs, memory, network or disks at a known load, and "
		"record the power.\nlibRUT measures the load of all processes, "
		"and a controller corrects it. 100 % is the\nmaximum of this "
		"machine. -p records the levels, and -c also records the "
		"power.",
	.notes = "Examples:\n"
		 "  hdload --load=0.5 --duration=10s\n"
		 "  hdload --staircase=cpu-int --level-time=10s -p stairs && "
		 "hdtrace loads stairs\n"
		 "  hdload --component=disk-write --load=0.3 -d 1min\n"
		 "  hdload --replay=run -c pt.cfg -p again\n"
		 "  hdload --sequence -c pt.cfg -p lag && hdtrace delay "
		 "--state=Load lag",
	.usageStatus = HDLOAD_FAILED,
	.words = words,
	.numbers = numbers,
};

static struct hdloadOptions options = { .load = 1,
					.order = ORDER_DEFAULT,
					.levels = LEVELS_DEFAULT,
					.pause = -1,
					.calibrate = -1,
					.fileSize = FILE_SIZE_DEFAULT };

#define OPTIONS_END                             \
	{                                       \
		NULL, 0, 0, 0, NULL, NULL, NULL \
	}

static const GOptionEntry loadEntries[] = {
	{ "cpus", 0, 0, G_OPTION_ARG_STRING, &options.cpus,
	  "CPUs, such as 0,2-3 (default: all CPUs that the process may "
	  "use)",
	  "LIST" },
	{ "together", 0, 0, G_OPTION_ARG_NONE, &options.isOfNode,
	  "Keep the mean of the CPUs at the load, instead of each CPU", NULL },
	{ "component", 0, 0, G_OPTION_ARG_STRING, &options.components,
	  "Components to load (default: cpu-int)", "LIST" },
	{ "load", 0, 0, G_OPTION_ARG_DOUBLE, &options.load,
	  "Load as a fraction of the maximum, 0 to 1 (default: 1)", "LOAD" },
	{ "duration", 'd', 0, G_OPTION_ARG_DOUBLE, &options.duration,
	  "Duration in seconds", "SECONDS" },
	{ "staircase", 0, 0, G_OPTION_ARG_STRING, &options.staircase,
	  "Calibrate, and run levels from 100 % to 0 %, or up",
	  "COMPONENT[:UP|DOWN]" },
	{ "replay", 0, 0, G_OPTION_ARG_FILENAME, &options.replay,
	  "Replay the utilization that this project measured", "PROJECT" },
	{ "node", 'n', 0, G_OPTION_ARG_STRING, &options.node,
	  "Replay the node that matches this shell pattern", "PATTERN" },
	{ "square", 0, 0, G_OPTION_ARG_NONE, &options.isSquare,
	  "Alternate between the load and none", NULL },
	{ "random", 0, 0, G_OPTION_ARG_NONE, &options.isRandom,
	  "Run levels chosen at random", NULL },
	{ "levels", 0, 0, G_OPTION_ARG_INT, &options.levels,
	  "Number of levels above 0 % (default: 10)", "N" },
	{ "level-time", 0, 0, G_OPTION_ARG_DOUBLE, &options.levelTime,
	  "Length of a level in seconds (default: 240 for a "
	  "staircase, 1 for a replay, else 10)",
	  "SECONDS" },
	{ "pause", 0, 0, G_OPTION_ARG_DOUBLE, &options.pause,
	  "Idle time between levels in seconds (default: 1/24 level "
	  "for a staircase, else 0)",
	  "SECONDS" },
	{ "calibrate", 0, 0, G_OPTION_ARG_INT, &options.calibrate,
	  "Number of calibrations (default: 3 where 100 % has to be "
	  "measured)",
	  "N" },
	{ "rate", 0, 0, G_OPTION_ARG_DOUBLE, &options.rate,
	  "Operations or bytes per second at 100 %, instead of "
	  "calibrations",
	  "RATE" },
	{ "operations", 0, 0, G_OPTION_ARG_STRING, &options.operations,
	  "Let operations arrive at the rate of the level: "
	  "exponential or fixed",
	  "KIND" },
	{ "loads", 0, 0, G_OPTION_ARG_STRING, &options.loads,
	  "Run these loads in turn, each for its duration",
	  "DURATION:LOAD,..." },
	{ "sequence", 0, 0, G_OPTION_ARG_NONE, &options.isSequence,
	  "Run a pseudo-random on-off sequence, once or for --duration", NULL },
	{ "order", 0, 0, G_OPTION_ARG_INT, &options.order,
	  "Order of the sequence of 2^N - 1 steps, 2 to 20 (default: "
	  "7)",
	  "N" },
	{ "step", 0, 0, G_OPTION_ARG_DOUBLE, &options.step,
	  "Length of one step in ms (default: 2.37 meter cycles)", "MS" },
	{ "seed", 0, 0, G_OPTION_ARG_INT, &options.seed,
	  "Seed of random levels and operations; position at which "
	  "the sequence begins (default: 0)",
	  "N" },
	OPTIONS_END,
};

static const GOptionEntry componentEntries[] = {
	{ "directory", 0, 0, G_OPTION_ARG_FILENAME, &options.directory,
	  "Directory of the file that disk components use (default: "
	  ".)",
	  "DIR" },
	{ "file-size", 0, 0, G_OPTION_ARG_DOUBLE, &options.fileSize,
	  "Size of this file in MB (default: 256)", "MB" },
	{ "memory", 0, 0, G_OPTION_ARG_DOUBLE, &options.memory,
	  "Memory at 100 % in MB (default: half of the available "
	  "memory)",
	  "MB" },
	{ "peer", 0, 0, G_OPTION_ARG_STRING, &options.peer,
	  "IPv4 address that gets datagrams at port 9 (default: this "
	  "process)",
	  "ADDRESS" },
	{ "max-temperature", 0, 0, G_OPTION_ARG_DOUBLE, &options.maxTemperature,
	  "Stop above this temperature in degrees Celsius", "DEGREES" },
	{ "min-free", 0, 0, G_OPTION_ARG_DOUBLE, &options.minFree,
	  "Stop if less memory or disk is free, in MB", "MB" },
	OPTIONS_END,
};

static const GOptionEntry recordEntries[] = {
	{ "config", 'c', 0, G_OPTION_ARG_FILENAME, &options.configuration,
	  "Measure power with this configuration; see pt.cfg(5)", "FILE" },
	{ "project", 'p', 0, G_OPTION_ARG_FILENAME, &options.project,
	  "Record into this project", "NAME" },
	{ "force", 'f', 0, G_OPTION_ARG_NONE, &options.isForced,
	  "Replace an old project", NULL },
	CLI_OPTION_NUMBER(&options.isNumbered),
	CLI_OPTION_COMPRESS,
	{ "quiet", 'q', 0, G_OPTION_ARG_NONE, &options.isQuiet,
	  "Print no summary", NULL },
	OPTIONS_END,
};

int hdloadParse(int argc, char **argv, const struct hdloadOptions **result)
{
	const GOptionEntry *lists[] = { loadEntries, componentEntries,
					recordEntries, NULL };
	int status = cliParse(&hdloadCommand, lists, &argc, &argv);

	*result = &options;
	if (status >= 0)
		return status;
	if (argc > 1)
		return cliErrorUnexpected(&hdloadCommand, argv[1]);
	return -1;
}

void hdloadForgetOptions(void)
{
	char **const texts[] = {
		&options.cpus,       &options.components,    &options.staircase,
		&options.operations, &options.directory,     &options.peer,
		&options.loads,      &options.configuration, &options.project,
		&options.replay,     &options.node,
	};

	for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
		g_clear_pointer(texts[i], g_free);
}
