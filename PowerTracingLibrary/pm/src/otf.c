/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The Open Trace Format, version 1: text, all numbers are hexadecimal.
 *
 * FILE.otf says which process is in which file, FILE.0.def what there is, and
 * FILE.1.events what happens: a time, then a process, then what it does. The
 * library for it is not maintained any more, and these few records need none.
 * Whoever wants OTF 2 records with pt record and exports that.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "PowerTracingLibrary/pm/src/pm.h"

/* Numbers of the definitions. */
enum {
	OTF_PROCESS = 1,
	OTF_GROUP = 63, /* Of counters: that of pmlib. */
	OTF_SUM = 1,
	OTF_LINE = 2, /* Of line 0; others follow. */
};

/* Of a counter: it tells how much it is, until the next time; signed. */
#define OTF_PROPERTIES (1 + 12 + 32)
/* Ticks in a second, and nanoseconds in a tick. */
#define OTF_RESOLUTION 1000000
#define OTF_NS 1000

static void putMaster(const struct pmView *view, FILE *file)
{
	(void)view;
	fprintf(file, "1:%x\n", OTF_PROCESS);
}

static void putCounter(FILE *file, int counter, const char *name, int line)
{
	fprintf(file, "DCNT%xG%xNM\"", counter, OTF_GROUP);
	fprintf(file, name, line);
	fprintf(file, "\"P%xU\"mW\"\n", OTF_PROPERTIES);
}

static void putDefinitions(const struct pmView *view, FILE *file)
{
	fprintf(file, "DTR%x\nDCR\"libpm " PACKAGE_VERSION "\"\n",
		OTF_RESOLUTION);
	fprintf(file, "DP%xNM\"Power\"\nDCG%xNM\"Power\"\n", OTF_PROCESS,
		OTF_GROUP);
	putCounter(file, OTF_SUM, "Sum", 0);
	for (int i = 0; !view->isAggregate && i < view->columns; i++)
		putCounter(file, OTF_LINE + view->line[i], "Line %d",
			   view->line[i]);
}

static void pmOtfPutTime(FILE *file, int64_t ns)
{
	fprintf(file, "%" PRIx64 "\n*%x\n", (uint64_t)(ns / OTF_NS),
		OTF_PROCESS);
}

/* All values of a sample; those behind the last one are 0. */
static void pmOtfPutSample(const struct pmView *view, int set, int sample,
			   FILE *file)
{
	bool isEnd = sample == pmViewCount(view, set);

	pmOtfPutTime(file, pmViewTime(view, set, sample));
	for (int i = 0; !view->isAggregate && i < view->columns; i++)
		fprintf(file, "CNT%xV%" PRIx64 "\n", OTF_LINE + view->line[i],
			isEnd ? 0
			      : (uint64_t)pmThousandths(
					pmViewValue(view, i, set, sample)));
	fprintf(file, "CNT%xV%" PRIx64 "\n", OTF_SUM,
		isEnd ? 0
		      : (uint64_t)pmThousandths(pmViewSum(view, set, sample)));
}

static void pmOtfPutEvents(const struct pmView *view, FILE *file)
{
	int last = view->end - 1;

	pmOtfPutTime(file, 0);
	fputs("PB\n", file);
	for (int set = view->first; set < view->end; set++)
		for (int i = 0; i <= pmViewCount(view, set); i++)
			pmOtfPutSample(view, set, i, file);
	pmOtfPutTime(file, pmViewTime(view, last, pmViewCount(view, last)));
	fputs("PE\n", file);
}

static int pmOtfWriteFile(const struct pmView *view, const char *base,
			  const char *suffix,
			  void (*put)(const struct pmView *, FILE *))
{
	char *name = pmNameBeside(base, ".otf", suffix);
	FILE *file;
	int ret = name ? pmFileOpen(name, "we", &file) : -ENOMEM;

	if (ret == 0) {
		put(view, file);
		ret = pmFileClose(name, file);
	}
	free(name);
	return ret;
}

int pm_print_data_otf(const char *file, counter_t counter, line_t lines,
		      int set)
{
	int saved = errno, ret;
	struct pmView view;

	pmBegin();
	if (!file)
		return pmResult(-EINVAL, saved);
	ret = pmViewMake(&view, &counter, &lines, set);
	if (ret < 0)
		return ret;
	ret = pmOtfWriteFile(&view, file, ".otf", putMaster);
	if (ret == 0)
		ret = pmOtfWriteFile(&view, file, ".0.def", putDefinitions);
	if (ret == 0)
		ret = pmOtfWriteFile(&view, file, ".1.events", pmOtfPutEvents);
	return ret < 0 ? pmFileResult(ret, saved) : pmResult(1, saved);
}
