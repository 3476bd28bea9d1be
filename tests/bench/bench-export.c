/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * `hdtrace export` of one project to every format, with the files that it
 * writes; and what otf2-print takes to read the same from the OTF2 archive.
 *
 * An operation is a record of a trace or a value of a statistics entry.
 */
#include "config.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/bench/bench-peer.h"
#include "tests/bench/bench.h"

#define EXPORT_RECORDS 200000
#define EXPORT_VALUES 1000000
#define EXPORT_COUNT (EXPORT_RECORDS + EXPORT_VALUES)

static double exportBytes; /* Of the project. */

static void exportTo(struct benchRun *run, const char *format)
{
	char *project = benchPath("export/run");
	char *output = benchPath("exported");
	const char *arguments[] = {
		benchOptions.hdtrace,
		"export",
		"--quiet",
		"--to",
		format,
		"-o",
		output,
		project,
		NULL,
	};

	benchRemove("exported");
	benchCommand(run, arguments);
	run->bytes = exportBytes;
	free(project);
	free(output);
}

static void exportCsv(struct benchRun *run)
{
	exportTo(run, "csv");
}

static void exportWide(struct benchRun *run)
{
	exportTo(run, "csv-wide");
}

static void exportJson(struct benchRun *run)
{
	exportTo(run, "json");
}

static void exportCtf(struct benchRun *run)
{
	exportTo(run, "ctf");
}

static void exportOpenMetrics(struct benchRun *run)
{
	exportTo(run, "openmetrics");
}

static void exportParaver(struct benchRun *run)
{
	exportTo(run, "paraver");
}

static void exportPerfetto(struct benchRun *run)
{
	exportTo(run, "perfetto");
}

static void exportOtf2(struct benchRun *run)
{
	exportTo(run, "otf2");
}

/* What exportOtf2() has just left. */
static void exportPrint(struct benchRun *run)
{
	char *path = benchPath("exported/traces.otf2");
	const char *arguments[] = { "otf2-print", path, NULL };

	benchCommand(run, arguments);
	free(path);
}

static struct benchWork works[] = {
	{ "csv", EXPORT_COUNT, exportCsv, .isAlone = true },
	{ "csv-wide", EXPORT_COUNT, exportWide, .isAlone = true },
	{ "json", EXPORT_COUNT, exportJson, .isAlone = true },
	{ "ctf", EXPORT_COUNT, exportCtf, .isAlone = true },
	{ "openmetrics", EXPORT_COUNT, exportOpenMetrics, .isAlone = true },
	{ "paraver", EXPORT_COUNT, exportParaver, .isAlone = true },
	{ "perfetto", EXPORT_COUNT, exportPerfetto, .isAlone = true },
	/* The last one, since it may not be there. */
	{ "otf2; otf2-print reads the same", EXPORT_COUNT, exportOtf2,
	  exportPrint },
};

/* Whether a command can be found. */
static bool exportHas(const char *command)
{
	char path[4096];
	const char *at = getenv("PATH");

	while (at && *at) {
		size_t length = strcspn(at, ":");

		snprintf(path, sizeof(path), "%.*s/%s", (int)length, at,
			 command);
		if (access(path, X_OK) == 0)
			return true;
		at += length + (at[length] == ':');
	}
	return false;
}

/* Write the project with make-project, which lies beside this program. */
static void exportMake(void)
{
	char *prefix = benchPath("export/run");
	char maker[4096], records[64], values[64];
	const char *arguments[] = { maker,  "--nodes=2", "--ranks=2", records,
				    values, prefix,      NULL };
	struct benchRun run = { 0 };
	ssize_t length = readlink("/proc/self/exe", maker, sizeof(maker) - 1);

	benchCheck(length > 0, "/proc/self/exe");
	maker[length] = 0;
	snprintf(strrchr(maker, '/') + 1, 32, "make-project");
	snprintf(records, sizeof(records), "--records=%zu",
		 benchScaled(EXPORT_RECORDS));
	snprintf(values, sizeof(values), "--values=%zu",
		 benchScaled(EXPORT_VALUES));
	benchCommand(&run, arguments);
	free(prefix);
}

static int exportAddSize(const char *path, const struct stat *status, int type,
			 struct FTW *walk)
{
	(void)path;
	(void)walk;
	if (type == FTW_F)
		exportBytes += (double)status->st_size;
	return 0;
}

static void exportPrepare(void)
{
	char *directory = benchPath("export");

	benchCheck(mkdir(directory, 0700) == 0, directory);
	exportMake();
	benchCheck(nftw(directory, exportAddSize, 8, FTW_PHYS) == 0, directory);
	free(directory);
	if (!benchPeer.writeEntries)
		benchExport.count = BENCH_COUNT(works) - 1;
	if (!exportHas("otf2-print"))
		works[BENCH_COUNT(works) - 1].peer = NULL;
}

static void exportDestroy(void)
{
	benchRemove("export");
	benchRemove("exported");
}

struct benchSubject benchExport = {
	.name = "export",
	.title = "hdtrace export",
	.operation = "record or value",
	.peerName = "otf2-print",
	.works = works,
	.count = BENCH_COUNT(works),
	.repetitions = 5,
	.prepare = exportPrepare,
	.destroy = exportDestroy,
};
