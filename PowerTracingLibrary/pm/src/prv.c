/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The three files of a trace for Paraver. All times and values are integers;
 * records are in the order of time. There is one application with one task,
 * whose threads are what is shown.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "PowerTracingLibrary/pm/src/pm.h"
#include "common/clock.h"

/* Paraver knows no seconds: a trace without unit, or with one that it does not
 * know, has microseconds to it. */
static const struct pmUnit units[] = {
	{ "", 1000, "", "MICROSEC" },         { "s", 1000, "", "MICROSEC" },
	{ "ms", 1000000, "_ms", "MILLISEC" }, { "us", 1000, "_us", "MICROSEC" },
	{ "ns", 1, "_ns", "NANOSEC" },
};

const struct pmUnit *pmFindUnit(const char *name)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(units[i].name, name ? name : "") == 0)
			return &units[i];
	pmLog(HD_LOG_ERROR, "unknown unit of time \"%.20s\"", name);
	return NULL;
}

int64_t pmParaverTime(const struct pmParaver *paraver, int64_t ns)
{
	return ns / paraver->unit->ns;
}

static void putHeader(struct pmParaver *paraver)
{
	const struct pmView *view = paraver->view;
	int64_t start = view->counter->spans[view->first].start;
	time_t when = (time_t)(start / HD_NS_PER_S);
	int last = view->end - 1;
	char date[32] = "";
	struct tm tm;

	if (gmtime_r(&when, &tm))
		strftime(date, sizeof(date), "%d/%m/%Y at %H:%M", &tm);
	fprintf(paraver->file, "#Paraver (%s):%" PRId64 "%s:1(%d):1:1(%d:1)\n",
		date,
		pmParaverTime(paraver,
			      pmViewTime(view, last, pmViewCount(view, last))),
		paraver->unit->suffix, paraver->threads, paraver->threads);
}

static void pmPrvPutTrace(struct pmParaver *paraver)
{
	putHeader(paraver);
	paraver->putRecords(paraver);
}

static void putConfiguration(struct pmParaver *paraver)
{
	fprintf(paraver->file,
		"DEFAULT_OPTIONS\n\nLEVEL               THREAD\n"
		"UNITS               %s\n",
		paraver->unit->title);
	paraver->putTypes(paraver);
}

static void pmPrvPutRows(struct pmParaver *paraver)
{
	fputs("LEVEL NODE SIZE 1\n", paraver->file);
	pmPutText(paraver->file, paraver->view->counter->server.server_ip);
	fprintf(paraver->file, "\n\nLEVEL THREAD SIZE %d\n", paraver->threads);
	for (int i = 0; i < paraver->threads; i++) {
		paraver->putThread(paraver, i);
		putc('\n', paraver->file);
	}
}

/* Write one of the files. */
static int pmPrvWriteFile(struct pmParaver *paraver, const char *file,
			  const char *suffix, void (*put)(struct pmParaver *))
{
	char *name = suffix ? pmNameBeside(file, ".prv", suffix) : strdup(file);
	int ret = name ? pmFileOpen(name, "we", &paraver->file) : -ENOMEM;

	if (ret == 0) {
		put(paraver);
		ret = pmFileClose(name, paraver->file);
	}
	free(name);
	return ret;
}

int pmParaverWrite(struct pmParaver *paraver, const char *file)
{
	int saved = errno,
	    ret = pmPrvWriteFile(paraver, file, NULL, pmPrvPutTrace);

	if (ret == 0)
		ret = pmPrvWriteFile(paraver, file, ".pcf", putConfiguration);
	if (ret == 0)
		ret = pmPrvWriteFile(paraver, file, ".row", pmPrvPutRows);
	return ret < 0 ? pmFileResult(ret, saved) : pmResult(1, saved);
}
