/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What calls cost of a trace or group that is disabled, beside one of a
 * function that looks at a flag. */
#include "config.h"

#include <hdStats.h>
#include <hdTrace.h>
#include "tests/bench/bench-project.h"
#include "tests/bench/bench.h"

static void disabledStates(struct benchRun *run)
{
	hdTrace *trace = benchCreateTrace("disabled");

	hdT_disableTrace(trace);
	benchStart(run);
	benchLogStates(trace, run->count / 2);
	benchStop(run);
	benchFinishTrace(trace, "disabled");
}

static void disabledIntegers(struct benchRun *run)
{
	hdTrace *trace = benchCreateTrace("disabled");

	hdT_disableTrace(trace);
	benchStart(run);
	benchLogIntegers(trace, run->count / 8);
	benchStop(run);
	benchFinishTrace(trace, "disabled");
}

static void disabledEvents(struct benchRun *run)
{
	hdTrace *trace = benchCreateTrace("disabled");

	hdT_disableTrace(trace);
	benchStart(run);
	for (size_t i = 0; i < run->count; i++)
		hdT_logEvent(trace, "Iteration");
	benchStop(run);
	benchFinishTrace(trace, "disabled");
}

static void disabledValues(struct benchRun *run)
{
	hdStatsGroup *group = benchCreateGroup("disabled");

	hdS_disableGroup(group);
	benchStart(run);
	for (size_t i = 0; i < run->count; i++)
		hdS_writeDoubleValue(group, 1);
	benchStop(run);
	benchFinishGroup(group, "disabled");
}

static void disabledEntries(struct benchRun *run)
{
	hdStatsGroup *group = benchCreateGroup("disabled");
	double entry[BENCH_COLUMNS] = { 0 };

	hdS_disableGroup(group);
	benchStart(run);
	for (size_t i = 0; i < run->count; i++)
		hdS_writeEntry(group, entry, sizeof(entry));
	benchStop(run);
	benchFinishGroup(group, "disabled");
}

/* The least: somebody is asked whether there is anything to do. */
static void disabledFloor(struct benchRun *run)
{
	static const struct benchFlag flag = { .isOff = true };
	const struct benchFlag *asked = &flag;

	/* Which the compiler does not know. */
	__asm__ volatile("" : "+r"(asked));
	benchStart(run);
	for (size_t i = 0; i < run->count; i++)
		benchAsk(asked, "Iteration");
	benchStop(run);
}

static struct benchWork disabledWorks[] = {
	{ "hdT_logStateStart, hdT_logStateEnd", 8000000, disabledStates,
	  disabledFloor, .nsMax = 2 },
	{ "the same with 6 x hdT_logAttributeInt64", 8000000, disabledIntegers,
	  disabledFloor, .nsMax = 2 },
	{ "hdT_logEvent", 8000000, disabledEvents, disabledFloor, .nsMax = 2 },
	{ "hdS_writeDoubleValue", 8000000, disabledValues, disabledFloor,
	  .nsMax = 2 },
	{ "hdS_writeEntry", 8000000, disabledEntries, disabledFloor,
	  .nsMax = 2 },
};

struct benchSubject benchDisabled = {
	.name = "disabled",
	.title = "Disabled trace or group",
	.operation = "call",
	.peerName = "floor",
	.works = disabledWorks,
	.count = BENCH_COUNT(disabledWorks),
};
