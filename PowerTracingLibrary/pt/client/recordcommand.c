/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* pt record: a project with the power of nodes while a command runs. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "PowerTracingLibrary/pt/client/during.h"
#include "PowerTracingLibrary/pt/client/recordfiles.h"
#include "PowerTracingLibrary/pt/core/ptcommand.h"
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "cli/compress.h"
#include "cli/freename.h"
#include "cli/output.h"
#include "cli/precision.h"
#include "common/format/replacement.h"

#define TOOL "pt record"

struct record {
	struct where where;
	struct during during;
	struct ptPowerSum sum;
	struct recordFilesSetup setup;
	struct recordFiles *files;
	int64_t fromNs, toNs; /* Of all entries, and of the command. */
	char *project;
	double frequency;
	gboolean isByLine, isAnyway, isQuiet, force, number;
	/* The files of an old project go when the new ones are there, which is
	 * found out by the recorder's thread, and the command runs. */
	pthread_mutex_t mutex;
	struct hdReplacement *replacement; /* NULL: nothing, or done. */
	gboolean hasFiles, hasStarted, hasFailed;
};

/* ---- Replacing --------------------------------------------------------- */

static int recordCommandReportReplace(const struct record *record, int ret)
{
	ptMessage(HD_LOG_ERROR, "%s.proj: cannot replace: %s", record->project,
		  ret == -EBUSY ? "it is being recorded" : strerror(-ret));
	return ret;
}

/* Replace the old project if all is there; one of the two is there now. */
static void replaceIf(struct record *record, gboolean *isThere)
{
	int ret = 0;

	pthread_mutex_lock(&record->mutex);
	*isThere = TRUE;
	if (record->hasFiles && record->hasStarted) {
		ret = hdReplacementKeep(record->replacement, false);
		record->replacement = NULL;
	}
	if (ret < 0)
		record->hasFailed = TRUE;
	pthread_mutex_unlock(&record->mutex);
	if (ret < 0)
		recordCommandReportReplace(record, ret);
}

static void recordCommandOnStarted(void *context)
{
	struct record *record = context;

	replaceIf(record, &record->hasStarted);
}

/* ---- While it runs ----------------------------------------------------- */

/* No reading is invented: say where a meter is slower than what is wanted. */
static void sayRates(const struct record *record,
		     const struct ptRecorderGroup *groups, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		double rate = 1e9 / (double)groups[i].intervalNs;

		if (record->frequency > 1.005 * rate)
			ptMessage(
				HD_LOG_WARNING,
				"%s: %.6g readings per second instead of %.6g",
				groups[i].device, rate, record->frequency);
	}
}

static int recordCommandOnOpened(void *context,
				 const struct ptRecorderGroup *groups,
				 size_t count,
				 const struct ptRemoteClock *clock)
{
	struct record *record = context;
	int ret = recordFilesCreate(&record->setup, groups, count, clock,
				    &record->files);

	if (ret < 0)
		return ret;
	replaceIf(record, &record->hasFiles);
	ptPowerSumOpen(&record->sum, groups, count);
	sayRates(record, groups, count);
	return 0;
}

static void recordCommandOnReading(void *context, size_t group,
				   const struct ptRecorderReading *reading)
{
	struct record *record = context;
	struct ptRecorderReading recorded;

	/* What is printed is what was recorded, and so what hdtrace says. */
	if (!recordFilesAdd(record->files, group, reading, &recorded))
		return;
	ptPowerSumAdd(&record->sum, group, &recorded);
	record->fromNs =
		MIN(record->fromNs, recorded.endNs - recorded.lengthNs);
	record->toNs = MAX(record->toNs, recorded.endNs);
}

static void recordCommandOnGap(void *context, size_t group)
{
	struct record *record = context;

	recordFilesGap(record->files, group);
}

/* ---- Afterwards -------------------------------------------------------- */

static void sayHead(const struct record *record,
		    const struct ptRecorderGroup *groups, size_t count)
{
	double seconds =
		(double)(record->during.toNs - record->during.fromNs) / 1e9;
	uint64_t readings = 0, lost = 0, dropped = 0;

	for (size_t i = 0; i < count; i++) {
		readings += groups[i].readings;
		lost += groups[i].lost;
		dropped += groups[i].dropped;
	}
	fprintf(stderr,
		TOOL ": %.3f s in %s.proj: %llu readings, %llu lost, %llu "
		     "dropped, %llu reconnects\n",
		seconds, record->project, (unsigned long long)readings,
		(unsigned long long)lost, (unsigned long long)dropped,
		(unsigned long long)record->during.reconnects);
}

static void sayValue(const struct record *record,
		     const struct ptRecorderGroup *groups, size_t index)
{
	const struct ptPowerColumn *at = &record->sum.columns[index];
	const struct ptRecorderGroup *group = &groups[at->group];
	const struct ptRecorderColumn *column = &group->columns[at->column];
	const struct hdIntegral *energy =
		&record->sum.integral.values[index].energy;
	char *name = ptRecorderColumnName(group, at->column);

	resultPrint(stderr, &(struct resultLine){
				    .node = column->node,
				    .value = name,
				    .unit = column->unit,
				    .sum = energy->sum,
				    .known = { energy->coveredNs,
					       record->toNs - record->fromNs },
				    .isSimulated = column->isSimulated,
			    });
	g_free(name);
}

static void recordCommandReportStatus(const struct record *record,
				      struct ptRecorder *recorder)
{
	size_t count;
	const struct ptRecorderGroup *groups =
		ptRecorderGroups(recorder, &count);

	if (!record->files) {
		fprintf(stderr,
			TOOL ": nothing was recorded: %s was not "
			     "available\n",
			record->where.setup.address.text);
		return;
	}
	sayHead(record, groups, count);
	for (size_t i = 0; i < record->sum.count; i++)
		sayValue(record, groups, i);
}

/* Whether all of it was recorded. */
static gboolean recordCommandFinish(struct record *record)
{
	gboolean isThere = record->files != NULL;

	return recordFilesEnd(record->files, record->during.toNs) == 0 &&
	       isThere && !record->hasFailed;
}

static int recordCommandRun(struct record *record)
{
	static const struct ptRecorderCalls calls = {
		.opened = recordCommandOnOpened,
		.add = recordCommandOnReading,
		.gap = recordCommandOnGap,
	};
	struct during *during = &record->during;
	struct ptRecorder *recorder;
	int result;

	if (!whereParse(TOOL, &record->where) ||
	    !whereWish(TOOL, &record->where))
		return CLI_EXIT_FAILED;
	if (whereCheck(&record->where) < 0 && !record->isAnyway)
		return CLI_EXIT_FAILED;
	if (record->force) {
		result = hdReplacementBegin(record->project,
					    &record->replacement);
		if (result < 0) {
			recordCommandReportReplace(record, result);
			return CLI_EXIT_FAILED;
		}
	}
	record->setup = (struct recordFilesSetup){
		.project = record->replacement
				   ? hdReplacementProject(record->replacement)
				   : record->project,
		.name = record->project,
		.server = record->where.setup.address.text,
	};
	during->wait.started = recordCommandOnStarted;
	during->wait.context = record;
	ptPowerSumInit(&record->sum);
	/* All that is recorded counts. */
	ptPowerSumBegin(&record->sum, INT64_MIN);
	record->fromNs = INT64_MAX;
	record->toNs = INT64_MIN;
	during->setup = (struct ptRecorderSetup){
		.remote = &record->where.setup,
		.selections = (const struct ptSelection *)(const void *)
				      record->where.selections->data,
		.selectionCount = record->where.selections->len,
		.frequency = record->frequency,
		.isByLine = record->isByLine,
		.isPatient = record->isAnyway,
	};
	during->calls = &calls;
	during->context = record;
	result = duringRun(during, &recorder);
	record->fromNs = MIN(record->fromNs, during->fromNs);
	record->toNs = MAX(record->toNs, during->toNs);
	if (recorder && !record->isQuiet &&
	    (record->hasStarted || !record->force))
		recordCommandReportStatus(record, recorder);
	if (!recordCommandFinish(record) && result == 0)
		result = CLI_EXIT_FAILED;
	/* Nothing was recorded, or nothing has run. */
	hdReplacementDrop(record->replacement);
	ptRecorderFree(recorder);
	ptPowerSumClear(&record->sum);
	return result;
}

/* Where no name is free the message is that the project exists. */
static void recordCommandUseFreeName(struct record *record)
{
	char *name = cliFreeName(record->project);

	if (!name)
		return;
	g_free(record->project);
	record->project = name;
}

static const char *recordCommandCheck(const struct record *record)
{
	if (!*record->project)
		return "--project: empty name";
	if (record->force && record->number)
		return "--force: cannot be combined with --number";
	return NULL;
}

static const struct cliNumber numbers[] = {
	{ "frequency", CLI_ABOVE_ZERO, 1e6, NULL },
	{ "duration", CLI_ABOVE_ZERO, 1e9, "s" },
	{ "pid", 1, INFINITY, NULL },
	{ NULL, 0, 0, NULL },
};

static const struct cliCommand command = {
	.name = TOOL,
	.arguments = "[--] COMMAND [ARGUMENT...]",
	.description =
		"Record the power of nodes from a power service while COMMAND "
		"runs.\nThe result is an HDTrace project.",
	.notes = "Examples:\n"
		 "  pt record -n node06,node07 -F 10 -- mpirun ./solve\n"
		 "  pt record --server=head -n '*' --duration=60 -p "
		 "hour\n\n" WHERE_NOTES WHERE_COMMAND_STATUS,
	.usageStatus = CLI_EXIT_FAILED,
	.isPrefix = true,
	.oldLetters = whereOldLetters,
	.numbers = numbers,
};

int commandRecord(int argc, char **argv)
{
	struct record record = { .during.wait.tool = TOOL };
	struct cliWait *wait = &record.during.wait;
	const GOptionEntry entries[] = {
		{ "frequency", 'F', 0, G_OPTION_ARG_DOUBLE, &record.frequency,
		  "Maximum number of readings per second (default: all "
		  "readings of the meter)",
		  "HZ" },
		{ "lines", 0, 0, G_OPTION_ARG_NONE, &record.isByLine,
		  "Record each line separately, without node totals", NULL },
		{ "project", 'p', 0, G_OPTION_ARG_FILENAME, &record.project,
		  "Name of the project, with its directory (default: power)",
		  "NAME" },
		{ "force", 'f', 0, G_OPTION_ARG_NONE, &record.force,
		  "Replace the files of an old project", NULL },
		CLI_OPTION_NUMBER(&record.number),
		CLI_OPTION_COMPRESS,
		{ "anyway", 0, 0, G_OPTION_ARG_NONE, &record.isAnyway,
		  "Run COMMAND even if the service is not available", NULL },
		{ "duration", 'd', 0, G_OPTION_ARG_DOUBLE, &wait->duration,
		  "Duration of the recording in seconds", "S" },
		{ "pid", 'P', 0, G_OPTION_ARG_INT, &wait->pid,
		  "Record until this process ends", "PID" },
		{ "quiet", 'q', 0, G_OPTION_ARG_NONE, &record.isQuiet,
		  "Print no summary", NULL },
		WHERE_WISH_ENTRIES(&record.where),
		WHERE_SERVER_ENTRIES(&record.where),
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	const GOptionEntry *lists[] = { entries, cliPrecision, NULL };
	const char *message;
	int result;

	pthread_mutex_init(&record.mutex, NULL);
	result = cliParse(&command, lists, &argc, &argv);
	if (result < 0) {
		/* Not before parsing: that would lose it. */
		if (!record.project)
			record.project = g_strdup("power");
		message = recordCommandCheck(&record);
		if (record.number && !message)
			recordCommandUseFreeName(&record);
		if (!message)
			message = duringCheck(wait, argc, argv,
					      wait->duration != 0,
					      wait->pid != 0);
		result = message ? cliUsage(&command, "%s", message)
				 : recordCommandRun(&record);
	}
	whereClear(&record.where);
	pthread_mutex_destroy(&record.mutex);
	g_free(record.project);
	return result;
}
