/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: threads */
/* A wall clock that is set, and a machine that sleeps, while files are written.
 */
#include "config.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <glib.h>

#include <hdStats.h>
#include <hdTrace.h>
#include "HDTraceWritingCLibrary/src/outfile.h"
#include "HDTraceWritingCLibrary/src/stats.h"
#include "common/clock.h"
#include "common/format/entry.h"
#include "tests/lib/statfile.h"
#include "tests/lib/testlib.h"

#define SECOND INT64_C(1000000000)

/* What this program's clocks are ahead of those of the machine, in ns. */
static _Atomic int64_t set, slept;

int clock_gettime(clockid_t id, struct timespec *now)
{
	int ret = (int)syscall(SYS_clock_gettime, id, now);
	int64_t add = 0, ns;

	if (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)
		add = atomic_load(&set) + atomic_load(&slept);
	else if (id == CLOCK_BOOTTIME)
		add = atomic_load(&slept);
	ns = (int64_t)now->tv_sec * SECOND + now->tv_nsec + add;
	now->tv_sec = (time_t)(ns / SECOND);
	now->tv_nsec = (long)(ns % SECOND);
	return ret;
}

static struct timespec wall(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now;
}

static hdStatsGroup *create(const char *name)
{
	hdTopoNode *node = testNode(name, "h");
	hdStatsGroup *group;

	testMakes(group, hdS_createGroup("G", node, 1));
	testWorks(hdT_destroyTopoNode(node));
	testWorks(hdS_addValue(group, "v", INT64, NULL, NULL));
	testWorks(hdS_commitGroup(group));
	testGives(0, hdS_enableGroup(group));
	return group;
}

static char *header(const char *file)
{
	size_t length;

	return testRead(file, &length);
}

static void entry(hdStatsGroup *group)
{
	testWorks(hdS_writeInt64Value(group, 1));
}

/* An entry whose time this program says, by the clock as it is set. */
static void entryAt(hdStatsGroup *group)
{
	struct timespec now = wall();
	int64_t value = 0;

	testWorks(hdS_writeEntryAt(group, &value, sizeof(value), &now));
}

/* All stamps of a file lie within two seconds, in their order. */
static void checkStamps(const char *file, int64_t before, size_t count)
{
	struct testStatFile *stat = testStatRead(file);
	int64_t last = before;

	g_assert_cmpuint(stat->count, ==, count);
	for (size_t i = 0; i < stat->count; i++) {
		g_assert_cmpint(stat->entries[i].time, >=, last);
		last = stat->entries[i].time;
	}
	g_assert_cmpint(last - before, <, 2 * SECOND);
	testStatFree(stat);
}

/* Steps of all sizes: times go on, those that are given by the clock as well.
 */
static void testSteps(void)
{
	static const int64_t steps[] = { 1100000,
					 -1100000,
					 SECOND,
					 -3 * SECOND,
					 3600 * SECOND,
					 -3600 * SECOND,
					 -315360000 * SECOND,
					 315360000 * SECOND };
	int64_t before = hdClockNow(), sum = 0;
	hdStatsGroup *group = create("steps");
	char *text, *expected;

	for (size_t i = 0; i < G_N_ELEMENTS(steps); i++) {
		struct hdSteps seen;

		atomic_fetch_add(&set, steps[i]);
		sum += steps[i];
		entry(group);
		entryAt(group);
		/* As the background thread does now and then. */
		hdOutfileSteps(hdStatsFile(group), &seen);
		g_assert_cmpuint(seen.count, ==, i + 1);
	}
	testWorks(hdS_finalize(group));
	/* With the start. */
	checkStamps("steps_h_G.stat", before, 2 * G_N_ELEMENTS(steps));
	text = header("steps_h_G.stat");
	expected = g_strdup_printf("clockStepped=\"%zu ", G_N_ELEMENTS(steps));
	g_assert_nonnull(strstr(text, expected));
	g_free(expected);
	g_free(text);
	g_assert_cmpint(sum, ==, SECOND - 3 * SECOND);
	/* One line a step. */
	text = header("steps_h.info");
	g_assert_nonnull(strstr(text, " by=3600.0"));
	g_assert_nonnull(strstr(text, " by=-315360000.0"));
	g_free(text);
}

/* What is no step: a little, sleep, and what was before. */
static void testNoSteps(void)
{
	int64_t before;
	hdStatsGroup *group;
	char *text;

	atomic_fetch_add(&set, 60 * SECOND);
	group = create("none");
	before = hdClockNow();
	entry(group);
	atomic_fetch_add(&set, 900000);
	entry(group);
	atomic_fetch_sub(&set, 900000);
	atomic_fetch_add(&slept, 1000 * SECOND);
	entry(group);
	g_assert_cmpint(hdClockNow() - before, >=, 1000 * SECOND);
	testWorks(hdS_finalize(group));
	text = header("none_h_G.stat");
	g_assert_nonnull(strstr(text, "clockStepped=\"0 +0.000000000 "));
	g_free(text);
	g_assert_false(testExists("none_h.info"));
}

/* Who is killed has said what it knew. */
static void testInfo(void)
{
	hdStatsGroup *group = create("info");
	gint64 deadline = g_get_monotonic_time() + 60 * G_USEC_PER_SEC;

	atomic_fetch_add(&set, 5 * SECOND);
	while (!testExists("info_h.info")) {
		g_assert_cmpint(g_get_monotonic_time(), <, deadline);
		g_usleep(1000);
	}
	testWorks(hdS_finalize(group));
}

/* A trace: times of the clock, of one that goes on, and as they are. */
static void testGiven(void)
{
	hdTopoNode *node = testNode("trace", "h");
	struct timespec when;
	hdTrace *trace;
	int64_t now;
	char *text;

	testMakes(trace, hdT_createTrace(node));
	testWorks(hdT_destroyTopoNode(node));
	atomic_fetch_add(&set, 7000 * SECOND);
	when = wall();
	testWorks(hdT_logStateStartAt(trace, "A", &when));
	testWorks(hdT_setTimeBase(trace, hdClockBase() - 50 * SECOND));
	now = hdClockNow() - 50 * SECOND;
	when = hdClockToTimespec(now);
	testWorks(hdT_logStateEndAt(trace, &when));
	testWorks(hdT_setTimeBase(trace, HD_TIME_AS_GIVEN));
	when = hdClockToTimespec(now + 60 * SECOND);
	testWorks(hdT_logEventAt(trace, "E", &when));
	testWorks(hdT_finalize(trace));
	text = header("trace_h.trc");
	g_assert_nonnull(strstr(text, "clockStepped='1 +7000.0"));
	/* Within the first seconds, and ten later. */
	g_assert_nonnull(strstr(text, "<A  time='0."));
	g_assert_null(strstr(text, "<A  time='7"));
	g_assert_true(strstr(text, "time='10.") || strstr(text, "time='11."));
	g_free(text);
}

/* A simulated trace that begins while the clock is not as it was: no time of it
 * is replaced. */
static void testSimulated(void)
{
	struct timespec when = { .tv_sec = 1000000000 };
	hdTopoNode *node = testNode("simulated", "h");
	hdTrace *trace;
	double begin, end;
	gint64 epoch;
	char *text;
	const char *at;

	atomic_fetch_add(&set, -5000 * SECOND);
	testMakes(trace, hdT_createTraceAt(node, &when));
	testWorks(hdT_destroyTopoNode(node));
	testWorks(hdT_setTimeBase(trace, HD_TIME_AS_GIVEN));
	testWorks(hdT_logStateStartAt(trace, "A", &when));
	when.tv_sec += 2;
	testWorks(hdT_logStateEndAt(trace, &when));
	/* Now it has records, and begins no other time. */
	testWorks(hdT_setTimeBase(trace, 0));
	testWorks(hdT_finalize(trace));
	text = header("simulated_h.trc");
	g_assert_cmpint(sscanf(text,
			       "<Program timeAdjustment='%" G_GINT64_FORMAT,
			       &epoch),
			==, 1);
	at = strstr(text, "<A  time='");
	g_assert_nonnull(at);
	g_assert_cmpint(sscanf(at, "<A  time='%lf' end='%lf'", &begin, &end),
			==, 2);
	/* Times are those that were given, whatever they are relative to. */
	g_assert_cmpfloat_with_epsilon((double)epoch + begin, 1e9, 1e-5);
	g_assert_cmpfloat_with_epsilon((double)epoch + end, 1e9 + 2, 1e-5);
	g_free(text);
}

/* Whatever part of a second is added: the three readers agree, also beside
 * another clock. */
static void testReaders(void)
{
	uint64_t stamp = 0;

	for (int i = 0; i < 40; i++) {
		int64_t before = hdClockNow(), after;
		struct timespec now;

		g_assert_true(hdEntryStampNow(&stamp));
		g_assert_cmpint(hdClockSteady(CLOCK_REALTIME, &now), ==, 0);
		after = hdClockNow();
		g_assert_cmpuint(stamp, >=, hdEntryStampOf(before));
		g_assert_cmpuint(stamp, <=, hdEntryStampOf(hdClockToNs(&now)));
		g_assert_cmpint(hdClockToNs(&now), <=, after);
		g_assert_cmpuint((uint32_t)stamp, <, SECOND);
		atomic_fetch_add(&slept, SECOND / 20);
		testClockSet(1000 * SECOND + i, 0);
		g_assert_cmpint(hdClockNow(), ==, 1000 * SECOND + i);
		g_assert_true(hdEntryStampNow(&stamp));
		g_assert_cmpuint(stamp, ==, hdEntryStamp(1000, (uint64_t)i));
		testClockReset();
	}
}

int main(int argc, char **argv)
{
	g_setenv("HDTRACE_FLUSH_MS", "20", TRUE);
	testInit(&argc, &argv);
	g_test_add_func("/steps/times continue through steps of any size",
			testSteps);
	g_test_add_func("/steps/slew, sleep and earlier steps do not count",
			testNoSteps);
	g_test_add_func("/steps/written down before the file is closed",
			testInfo);
	g_test_add_func("/steps/times that a program gives", testGiven);
	g_test_add_func("/steps/simulated times are not moved", testSimulated);
	g_test_add_func("/steps/all readers of the clock agree", testReaders);
	return testRun();
}
