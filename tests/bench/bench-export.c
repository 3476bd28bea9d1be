/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * `hdtrace export` of one project to every format, with the files that it
 * writes, `hdtrace dump` and `check` of it, and what otf2-print takes to read
 * the OTF2 archive; each beside reading the project and nothing else, in one
 * thread.
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

#include <hdReading.h>
#include "tests/bench/bench-peer.h"
#include "tests/bench/bench.h"

#define EXPORT_RECORDS 200000
#define EXPORT_VALUES 1000000
#define EXPORT_COUNT (EXPORT_RECORDS + EXPORT_VALUES)

static double exportBytes; /* Of the project. */

/* No problem is expected in what was just written. */
static void exportMessage(const hdIMessage *message, void *data)
{
	(void)data;
	benchCheck(false, message->text);
}

/* What nobody can go below who reads with our library: no value is looked at.
 */
static void exportRead(struct benchRun *run)
{
	char *path = benchPath("export/run");
	const hdIRecord *record;
	const hdIBlock *block;
	hdIProject *project;

	benchStart(run);
	project = hdI_openProject(path, exportMessage, NULL);
	benchCheck(project, path);
	for (size_t i = 0; i < project->groupCount; i++) {
		hdIStatReader *reader =
			hdI_openStat(project, project->groups[i]);

		benchCheck(reader, project->groups[i]->file);
		while (hdI_readStat(reader, &block) > 0)
			;
		hdI_closeStat(reader);
	}
	for (size_t i = 0; i < project->traceCount; i++) {
		hdITraceReader *reader =
			hdI_openTrace(project, project->traces[i]);

		benchCheck(reader, project->traces[i]->file);
		while (hdI_readTrace(reader, &record) > 0)
			;
		hdI_closeTrace(reader);
	}
	hdI_closeProject(project);
	benchStop(run);
	run->bytes = exportBytes;
	free(path);
}

/* Another command that goes through all of it: COMMAND [OPTION]. */
static void exportRun(struct benchRun *run, const char *command,
		      const char *option)
{
	char *project = benchPath("export/run");
	const char *arguments[] = {
		benchOptions.hdtrace, command, "--quiet", option, project, NULL,
	};

	benchCommand(run, arguments);
	run->bytes = exportBytes;
	free(project);
}

static void exportDump(struct benchRun *run)
{
	exportRun(run, "dump", "--color=never");
}

static void exportCheck(struct benchRun *run)
{
	exportRun(run, "check", "--color=never");
}

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

#define EXPORT_WORK(name, ours)                      \
	{                                            \
		name, EXPORT_COUNT, ours, exportRead \
	}

static struct benchWork works[] = {
	EXPORT_WORK("dump", exportDump),
	EXPORT_WORK("check", exportCheck),
	EXPORT_WORK("csv", exportCsv),
	EXPORT_WORK("csv-wide", exportWide),
	EXPORT_WORK("json", exportJson),
	EXPORT_WORK("ctf", exportCtf),
	EXPORT_WORK("openmetrics", exportOpenMetrics),
	EXPORT_WORK("paraver", exportParaver),
	EXPORT_WORK("perfetto", exportPerfetto),
	/* The last ones, since they may not be there. */
	EXPORT_WORK("otf2", exportOtf2),
	EXPORT_WORK("otf2-print, which reads that", exportPrint),
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
		benchExport.count -= 2;
	else if (!exportHas("otf2-print"))
		benchExport.count--;
}

static void exportDestroy(void)
{
	benchRemove("export");
	benchRemove("exported");
}

struct benchSubject benchExport = {
	.name = "export",
	.title = "hdtrace export, dump and check",
	.operation = "record or value",
	.peerName = "reading alone",
	.works = works,
	.count = BENCH_COUNT(works),
	.repetitions = 5,
	.prepare = exportPrepare,
	.destroy = exportDestroy,
};
