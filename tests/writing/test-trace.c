/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: threads smoke */
/* Traces: what every call returns and what stands in the file. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "HDTraceWritingCLibrary/src/literal.h"
#include "common/format/escape.h"
#include "tests/lib/testlib.h"
#include "tests/lib/tracefile.h"
#include "tests/writing/stopdisk.h"

#define SECOND INT64_C(1000000000)

/* The fake time when traces are created. */
#define START (INT64_C(1234567890) * SECOND + 250000000)

/* Start the clock, and create a trace. */
static hdTrace *traceAt(const char *project, int64_t ns)
{
	testClockSet(ns, 0);
	return testTrace(project);
}

static void setTime(int64_t afterStart)
{
	testClockSet(START + afterStart, 0);
}

/* End a trace and read it. */
static struct testTraceFile *finish(hdTrace *trace, const char *path)
{
	testWorks(hdT_finalize(trace));
	testClockReset();
	return testTraceReadEnded(path);
}

/* The file is, byte for byte. */
static void checkText(const char *path, const char *expected)
{
	char *text = testRead(path, NULL);

	g_assert_cmpstr(text, ==, expected);
	g_free(text);
}

static void checkLosses(const hdTrace *trace, uint64_t records, uint64_t times)
{
	hdLosses losses;

	testWorks(hdT_getLosses(trace, &losses));
	g_assert_cmpuint(losses.records, ==, records);
	g_assert_cmpuint(losses.times, ==, times);
}

/* ---- The file ---------------------------------------------------------- */

static void testFile(void)
{
	hdTopoNode *node = testNode("file", "host/7");
	hdTrace *trace;

	testClockSet(START, 1000);
	testMakes(trace, hdT_createTrace(node));
	testWorks(hdT_destroyTopoNode(node));
	testWorks(hdT_logStateStart(trace, "Outer"));
	testWorks(hdT_logAttributeInt64(trace, "size", -8));
	testWorks(hdT_logStateStart(trace, "Inner"));
	testWorks(hdT_logAttributes(trace, "a='%d' b=\"%s\"", 5, "x<y"));
	testWorks(hdT_logStateStart(trace, "Innermost"));
	testWorks(hdT_logStateEnd(trace));
	testWorks(hdT_logEvent(trace, "check & go"));
	testWorks(hdT_logStateEnd(trace));
	testWorks(hdT_logStateStart(trace, "Second"));
	testWorks(hdT_logElement(trace, "Data", "offset='%d'", 0));
	testWorks(hdT_logElement(trace, "Empty", NULL));
	testWorks(hdT_logElement(trace, "Blank", "%s", ""));
	testWorks(hdT_logStateEnd(trace));
	testWorks(hdT_logAttributeDouble(trace, "late", 0.5));
	testWorks(hdT_logStateEnd(trace));
	testWorks(hdT_logEvent(trace, ""));
	testWorks(hdT_finalize(trace));
	testClockReset();
	checkText(
		"file_host_7.trc",
		"<Program timeAdjustment='1234567890' levels='Level1 Level2'>\n"
		"<Nested>\n"
		"\t<Nested>\n"
		"\t\t<Innermost  time='0.250003000' end='0.250004000'/>\n"
		"\t\t<Event name='check &amp; go'  time='0.250005000'/>\n"
		"\t</Nested>\n"
		"\t<Inner a='5' b='x&lt;y'  time='0.250002000' "
		"end='0.250006000'/>\n"
		"\t<Second  time='0.250007000' end='0.250008000'>"
		"<Data offset='0'/><Empty/><Blank/></Second>\n"
		"</Nested>\n"
		"<Outer size='-8' late='0.5'  time='0.250001000' "
		"end='0.250009000'/>\n"
		"<Event name=''  time='0.250010000'/>\n"
		"</Program>\n");
	g_assert_false(testExists("file_host_7.info"));
}

static void testEmpty(void)
{
	hdTrace *trace = traceAt("empty", 5 * SECOND + 1);

	/* The head of the file is there from the beginning. */
	checkText("empty.trc", "<Program timeAdjustment='5'>\n");
	testWorks(hdT_finalize(trace));
	testClockReset();
	checkText("empty.trc", "<Program timeAdjustment='5'>\n</Program>\n");
}

/* The time of the epoch itself, and the last one that a file can hold. */
static void testEnds(void)
{
	static const int64_t last = INT64_C(0xffffffff) * SECOND + 999999999;
	hdTrace *trace = traceAt("ends", 0);
	struct testTraceFile *file;

	testClockSet(last, 0);
	testWorks(hdT_logEvent(trace, "late"));
	file = finish(trace, "ends.trc");
	g_assert_cmpint(file->epoch, ==, 0);
	g_assert_cmpint(file->records[0].start, ==, last);
	testTraceFree(file);
}

/* ---- Arguments and return values --------------------------------------- */

static void testArguments(void)
{
	struct timespec now = testTime(START);
	hdTrace *trace = traceAt("arguments", START);
	hdLosses losses;

	testFailsNull(HD_ERR_INVALID_ARGUMENT, hdT_createTrace(NULL));
	testFails(HD_ERR_INVALID_ARGUMENT, hdT_setNestedDepth(NULL, 1));
	testFails(HD_ERR_INVALID_ARGUMENT, hdT_setNestedDepth(trace, -1));
	testFails(HD_ERR_INVALID_ARGUMENT, hdT_setForceFlush(NULL, 1));
	testFails(HD_ERR_INVALID_ARGUMENT, hdT_enableTrace(NULL));
	testFails(HD_ERR_INVALID_ARGUMENT, hdT_disableTrace(NULL));
	testFails(HD_ERR_INVALID_ARGUMENT, hdT_isEnabled(NULL));
	testFails(HD_ERR_INVALID_ARGUMENT, hdT_logStateStart(NULL, "A"));
	testFails(HD_ERR_INVALID_ARGUMENT, hdT_logStateStart(trace, NULL));
	testFails(HD_ERR_INVALID_ARGUMENT,
		  hdT_logStateStartAt(NULL, "A", &now));
	testFails(HD_ERR_INVALID_ARGUMENT,
		  hdT_logStateStartAt(trace, NULL, &now));
	testFails(HD_ERR_INVALID_ARGUMENT,
		  hdT_logStateStartAt(trace, "A", NULL));
	testFails(HD_ERR_INVALID_ARGUMENT, hdT_logStateEnd(NULL));
	testFails(HD_ERR_INVALID_ARGUMENT, hdT_logStateEndAt(NULL, &now));
	testFails(HD_ERR_INVALID_ARGUMENT, hdT_logStateEndAt(trace, NULL));
	testFails(HD_ERR_INVALID_ARGUMENT, hdT_logAttributes(NULL, "a='1'"));
	testFails(HD_ERR_INVALID_ARGUMENT, hdT_logAttributes(trace, NULL));
	testFails(HD_ERR_INVALID_ARGUMENT, hdT_logAttributeInt64(NULL, "a", 1));
	testFails(HD_ERR_INVALID_ARGUMENT,
		  hdT_logAttributeInt64(trace, NULL, 1));
	testFails(HD_ERR_INVALID_ARGUMENT,
		  hdT_logAttributeDouble(NULL, "a", 1));
	testFails(HD_ERR_INVALID_ARGUMENT,
		  hdT_logAttributeDouble(trace, NULL, 1));
	testFails(HD_ERR_INVALID_ARGUMENT,
		  hdT_logAttributeString(NULL, "a", ""));
	testFails(HD_ERR_INVALID_ARGUMENT,
		  hdT_logAttributeString(trace, NULL, ""));
	testFails(HD_ERR_INVALID_ARGUMENT,
		  hdT_logAttributeString(trace, "a", NULL));
	testFails(HD_ERR_INVALID_ARGUMENT, hdT_logElement(NULL, "A", NULL));
	testFails(HD_ERR_INVALID_ARGUMENT, hdT_logElement(trace, NULL, NULL));
	testFails(HD_ERR_INVALID_ARGUMENT, hdT_logEvent(NULL, "A"));
	testFails(HD_ERR_INVALID_ARGUMENT, hdT_logEvent(trace, NULL));
	testFails(HD_ERR_INVALID_ARGUMENT, hdT_logEventAt(NULL, "A", &now));
	testFails(HD_ERR_INVALID_ARGUMENT, hdT_logEventAt(trace, NULL, &now));
	testFails(HD_ERR_INVALID_ARGUMENT, hdT_logEventAt(trace, "A", NULL));
	testFails(HD_ERR_INVALID_ARGUMENT, hdT_writeInfo(NULL, "x"));
	testFails(HD_ERR_INVALID_ARGUMENT, hdT_writeInfo(trace, NULL));
	testFails(HD_ERR_INVALID_ARGUMENT, hdT_flush(NULL));
	testFails(HD_ERR_INVALID_ARGUMENT, hdT_getLosses(NULL, &losses));
	testFails(HD_ERR_INVALID_ARGUMENT, hdT_getLosses(trace, NULL));
	testFails(HD_ERR_INVALID_ARGUMENT, hdT_finalize(NULL));
	/* No state is open. */
	testFails(HD_ERR_INVALID_CONTEXT, hdT_logStateEnd(trace));
	testFails(HD_ERR_INVALID_CONTEXT, hdT_logStateEndAt(trace, &now));
	testFails(HD_ERR_INVALID_CONTEXT, hdT_logAttributes(trace, "a='1'"));
	testFails(HD_ERR_INVALID_CONTEXT, hdT_logAttributeInt64(trace, "a", 1));
	testFails(HD_ERR_INVALID_CONTEXT,
		  hdT_logAttributeDouble(trace, "a", 1));
	testFails(HD_ERR_INVALID_CONTEXT,
		  hdT_logAttributeString(trace, "a", ""));
	testFails(HD_ERR_INVALID_CONTEXT, hdT_logElement(trace, "A", NULL));
	checkLosses(trace, 0, 0);
	/* Nothing of all this is in the file. */
	testTraceFree(finish(trace, "arguments.trc"));
	checkText("arguments.trc",
		  "<Program timeAdjustment='1234567890'>\n</Program>\n");
}

static void testEnabling(void)
{
	hdTrace *trace = traceAt("enabling", START);

	testGives(1, hdT_isEnabled(trace));
	testGives(1, hdT_enableTrace(trace));
	testGives(0, hdT_disableTrace(trace));
	testGives(0, hdT_isEnabled(trace));
	testGives(1, hdT_disableTrace(trace));
	/* All of it does nothing, but what is wrong stays wrong. */
	testWorks(hdT_logEvent(trace, "e"));
	testFails(HD_ERR_INVALID_CONTEXT, hdT_logStateEnd(trace));
	testWorks(hdT_logStateStart(trace, "S"));
	testWorks(hdT_logAttributeInt64(trace, "a", 1));
	testWorks(hdT_logAttributeDouble(trace, "a", 1));
	testWorks(hdT_logAttributeString(trace, "a", ""));
	testWorks(hdT_logAttributes(trace, "a='1'"));
	testWorks(hdT_logElement(trace, "E", "a='1'"));
	testWorks(hdT_logStateEnd(trace));
	testFails(HD_ERR_INVALID_CONTEXT, hdT_logStateEnd(trace));
	testGives(0, hdT_enableTrace(trace));
	testGives(1, hdT_isEnabled(trace));
	testTraceFree(finish(trace, "enabling.trc"));
	checkText("enabling.trc",
		  "<Program timeAdjustment='1234567890'>\n</Program>\n");
}

static void testTimesRefused(void)
{
	static const struct timespec bad[] = {
		{ -1, 0 },
		{ 0, -1 },
		{ 0, 1000000000 },
		{ INT64_C(0x100000000), 0 },
		{ INT64_MIN, 0 },
		{ INT64_MAX, 0 },
		{ 1234567891, -1000 },
	};
	hdTrace *trace = traceAt("times-refused", START);

	testWorks(hdT_logStateStart(trace, "A"));
	for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
		testFails(HD_ERR_INVALID_ARGUMENT,
			  hdT_logStateStartAt(trace, "B", &bad[i]));
		testFails(HD_ERR_INVALID_ARGUMENT,
			  hdT_logStateEndAt(trace, &bad[i]));
		testFails(HD_ERR_INVALID_ARGUMENT,
			  hdT_logEventAt(trace, "e", &bad[i]));
	}
	testWorks(hdT_logStateEnd(trace));
	testFails(HD_ERR_INVALID_CONTEXT, hdT_logStateEnd(trace));
	testTraceFree(finish(trace, "times-refused.trc"));
}

static void testBeginsBefore(void)
{
	const struct timespec before = { START / 1000000000 - 3, 5 };
	const struct timespec never = { -1, 0 };
	hdTopoNode *node = testNode("begins-before", "");
	struct testTraceFile *file;
	hdTrace *trace;

	testClockSet(START, 0);
	testFailsNull(HD_ERR_INVALID_ARGUMENT,
		      hdT_createTraceAt(NULL, &before));
	testFailsNull(HD_ERR_INVALID_ARGUMENT, hdT_createTraceAt(node, NULL));
	testFailsNull(HD_ERR_INVALID_ARGUMENT, hdT_createTraceAt(node, &never));
	testMakes(trace, hdT_createTraceAt(node, &before));
	hdT_destroyTopoNode(node);
	testWorks(hdT_logStateStartAt(trace, "Init", &before));
	testWorks(hdT_logStateEnd(trace));
	file = finish(trace, "begins-before.trc");
	g_assert_cmpint(file->epoch, ==, (int64_t)before.tv_sec * 1000000000);
	g_assert_cmpint(file->records[0].start, ==, before.tv_nsec);
	testTraceFree(file);
}

static void testClockGone(void)
{
	hdTopoNode *node = testNode("clock-gone", "");
	hdTrace *trace;

	testClockBreak();
	testFailsNull(HD_ERR_GET_TIME, hdT_createTrace(node));
	g_assert_false(testExists("clock-gone.trc"));
	testClockSet(START, 0);
	testMakes(trace, hdT_createTrace(node));
	hdT_destroyTopoNode(node);
	setTime(1000);
	testWorks(hdT_logStateStart(trace, "A"));
	setTime(2000);
	testWorks(hdT_logEvent(trace, "e"));
	testClockBreak();
	testFails(HD_ERR_GET_TIME, hdT_logEvent(trace, "lost"));
	testFails(HD_ERR_GET_TIME, hdT_logStateStart(trace, "Lost"));
	/* The state is ended, with the last time there is. */
	testFails(HD_ERR_GET_TIME, hdT_logStateEnd(trace));
	testFails(HD_ERR_INVALID_CONTEXT, hdT_logStateEnd(trace));
	testClockSet(START + 3000, 0);
	testWorks(hdT_logStateStart(trace, "Open"));
	testClockBreak();
	testWorks(hdT_finalize(trace));
	testClockReset();
	checkText("clock-gone.trc",
		  "<Program timeAdjustment='1234567890'>\n"
		  "<Nested>\n"
		  "\t<Event name='e'  time='0.250002000'/>\n"
		  "</Nested>\n"
		  "<A  time='0.250001000' end='0.250002000'/>\n"
		  "<Open  time='0.250003000' end='0.250003000'/>\n"
		  "</Program>\n");
}

/* ---- Time -------------------------------------------------------------- */

/* The clock steps back: the last time is repeated, and counted. */
static void testClamping(void)
{
	hdTrace *trace = traceAt("clamping", START);
	struct testTraceFile *file;

	checkLosses(trace, 0, 0);
	setTime(-1);
	testWorks(hdT_logEvent(trace, "before"));
	checkLosses(trace, 0, 1);
	setTime(5000);
	testWorks(hdT_logStateStart(trace, "A"));
	setTime(4000);
	testWorks(hdT_logStateEnd(trace));
	checkLosses(trace, 0, 2);
	testClockSet(0, 0);
	testWorks(hdT_logEvent(trace, "epoch"));
	checkLosses(trace, 0, 3);
	setTime(5000);
	testWorks(hdT_logEvent(trace, "same"));
	checkLosses(trace, 0, 3);
	setTime(5001);
	testWorks(hdT_logStateStart(trace, "Open"));
	setTime(0);
	file = finish(trace, "clamping.trc");
	g_assert_cmpuint(file->count, ==, 5);
	g_assert_cmpint(file->records[0].start, ==, 250000000);
	g_assert_cmpint(file->records[1].start, ==, 250005000);
	g_assert_cmpint(file->records[1].end, ==, 250005000);
	g_assert_cmpint(file->records[2].start, ==, 250005000);
	g_assert_cmpint(file->records[3].start, ==, 250005000);
	g_assert_cmpint(file->records[4].end, ==, 250005001);
	testTraceFree(file);
}

static void testGivenTimes(void)
{
	hdTrace *trace = traceAt("given-times", START);
	struct timespec times[] = {
		testTime(START + 7),          testTime(START + 5 * SECOND),
		testTime(START + 2 * SECOND), testTime(0),
		testTime(START + 6 * SECOND),
	};
	struct testTraceFile *file;

	testWorks(hdT_logStateStartAt(trace, "A", &times[0]));
	testWorks(hdT_logEventAt(trace, "e", &times[1]));
	testWorks(hdT_logEventAt(trace, "clamped", &times[2]));
	testWorks(hdT_logStateStartAt(trace, "Clamped", &times[3]));
	/* The clock, which is behind, is clamped as well. */
	testWorks(hdT_logStateEnd(trace));
	testWorks(hdT_logStateEndAt(trace, &times[4]));
	checkLosses(trace, 0, 3);
	file = finish(trace, "given-times.trc");
	g_assert_cmpuint(file->count, ==, 4);
	g_assert_cmpint(file->records[0].start, ==, 5250000000);
	g_assert_cmpint(file->records[1].start, ==, 5250000000);
	g_assert_cmpint(file->records[2].start, ==, 5250000000);
	g_assert_cmpint(file->records[2].end, ==, 5250000000);
	g_assert_cmpint(file->records[3].start, ==, 250000007);
	g_assert_cmpint(file->records[3].end, ==, 6250000000);
	testTraceFree(file);
}

/* The real clock: times lie between before and after. */
static void testRealClock(void)
{
	int64_t before = g_get_real_time() * 1000;
	hdTrace *trace = testTrace("real-clock");
	struct testTraceFile *file;
	int64_t after;

	testWorks(hdT_logEvent(trace, "now"));
	after = (g_get_real_time() + 1) * 1000;
	file = finish(trace, "real-clock.trc");
	g_assert_cmpint(file->epoch + file->records[0].start, >=, before);
	g_assert_cmpint(file->epoch + file->records[0].start, <=, after);
	testTraceFree(file);
}

/* ---- Names and text ---------------------------------------------------- */

/* Names: of states, of elements, of attributes. */
static const struct {
	const char *name;
	bool isState;
	bool isElement;
	bool isKey;
} names[] = {
	{ "A", true, true, true },
	{ "_", true, true, true },
	{ "a.b-c_9", true, true, true },
	{ "nested", true, true, true },
	{ "Nested", false, false, true },
	{ "NestedX", true, true, true },
	{ "Event", false, true, true },
	{ "Program", false, true, true },
	{ "time", true, true, false },
	{ "end", true, true, false },
	{ "times", true, true, true },
	{ "ends", true, true, true },
	{ "Time", true, true, true },
	{ "name", true, true, true },
	{ "", false, false, false },
	{ "1", false, false, false },
	{ "-a", false, false, false },
	{ ".a", false, false, false },
	{ "a b", false, false, false },
	{ " a", false, false, false },
	{ "a ", false, false, false },
	{ "a=", false, false, false },
	{ "a'", false, false, false },
	{ "a\"", false, false, false },
	{ "a<", false, false, false },
	{ "a>", false, false, false },
	{ "a/", false, false, false },
	{ "a&", false, false, false },
	{ "a:b", false, false, false },
	{ "a\n", false, false, false },
	{ "a\x01", false, false, false },
	{ "\xc3\xa4", false, false, false },
	{ "a\xc3\xa4", false, false, false },
};

static void testNames(void)
{
	hdTrace *trace = traceAt("names", START);
	struct testTraceFile *file;

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		const char *name = names[i].name;

		if (names[i].isState) {
			testWorks(hdT_logStateStart(trace, name));
			testWorks(hdT_logStateEnd(trace));
		} else {
			testFails(HD_ERR_INVALID_ARGUMENT,
				  hdT_logStateStart(trace, name));
		}
		testWorks(hdT_logStateStart(trace, "S"));
		if (names[i].isElement)
			testWorks(hdT_logElement(trace, name, "a='1'"));
		else
			testFails(HD_ERR_INVALID_ARGUMENT,
				  hdT_logElement(trace, name, "a='1'"));
		if (names[i].isKey) {
			testWorks(hdT_logAttributeInt64(trace, name, 1));
			/* Each way of giving it again is refused. */
			testFails(HD_ERR_INVALID_ARGUMENT,
				  hdT_logAttributeInt64(trace, name, 2));
		}
		/* Or all of them, because it is none. */
		testFails(HD_ERR_INVALID_ARGUMENT,
			  hdT_logAttributeInt64(trace, name, 2));
		testFails(HD_ERR_INVALID_ARGUMENT,
			  hdT_logAttributeDouble(trace, name, 2));
		testFails(HD_ERR_INVALID_ARGUMENT,
			  hdT_logAttributeString(trace, name, "2"));
		/* A list may begin with a blank. */
		if (name[0] != ' ')
			testFails(HD_ERR_INVALID_ARGUMENT,
				  hdT_logAttributes(trace, "%s='2'", name));
		testWorks(hdT_logStateEnd(trace));
	}
	file = finish(trace, "names.trc");
	for (size_t i = 0, r = 0; i < G_N_ELEMENTS(names); i++) {
		char *value;

		if (names[i].isState)
			g_assert_cmpstr(file->records[r++].name, ==,
					names[i].name);
		g_assert_cmpstr(file->records[r].name, ==, "S");
		value = testRecordAttribute(&file->records[r], names[i].name);
		g_assert_cmpstr(value, ==, names[i].isKey ? "1" : NULL);
		g_free(value);
		g_assert_true(!!*file->records[r].elements ==
			      names[i].isElement);
		r++;
	}
	testTraceFree(file);
}

/* Names of all lengths around the limits in the code. */
static void testLongNames(void)
{
	static const size_t lengths[] = { 46, 47,  48,   49,   50,
					  63, 999, 1000, 1001, 100000 };
	hdTrace *trace = traceAt("long-names", START);
	struct testTraceFile *file;
	size_t good = 0;

	testWorks(hdT_logStateStart(trace, "Keys"));
	for (size_t i = 0; i < G_N_ELEMENTS(lengths); i++) {
		char *name = g_strnfill(lengths[i], 'n');

		if (lengths[i] <= HD_NAME_MAX) {
			good++;
			testWorks(hdT_logAttributeInt64(trace, name, 1));
			testFails(HD_ERR_INVALID_ARGUMENT,
				  hdT_logAttributes(trace, "%s='2'", name));
			testWorks(hdT_logElement(trace, name, "%s='2'", name));
			testWorks(hdT_logStateStart(trace, name));
			testWorks(hdT_logStateEnd(trace));
		} else {
			testFails(HD_ERR_INVALID_ARGUMENT,
				  hdT_logAttributeInt64(trace, name, 1));
			testFails(HD_ERR_INVALID_ARGUMENT,
				  hdT_logAttributes(trace, "%s='2'", name));
			testFails(HD_ERR_INVALID_ARGUMENT,
				  hdT_logElement(trace, name, NULL));
			testFails(HD_ERR_INVALID_ARGUMENT,
				  hdT_logStateStart(trace, name));
		}
		g_free(name);
	}
	/* Known after a long key, as before. */
	testWorks(hdT_logAttributeInt64(trace, "short", 1));
	testFails(HD_ERR_INVALID_ARGUMENT,
		  hdT_logAttributeInt64(trace, "short", 1));
	testWorks(hdT_logStateEnd(trace));
	file = finish(trace, "long-names.trc");
	g_assert_cmpuint(file->count, ==, good + 1);
	for (size_t i = 0; i < good; i++)
		g_assert_cmpuint(strlen(file->records[i].name), ==, lengths[i]);
	testTraceFree(file);
}

/* Each of very many attributes is there once. */
static void testManyAttributes(void)
{
	enum { COUNT = 5000 };
	hdTrace *trace = traceAt("many-attributes", START);
	struct testTraceFile *file;
	const char *at;

	testWorks(hdT_logStateStart(trace, "S"));
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < COUNT; i++) {
			char key[16];

			sprintf(key, "k%d", i);
			if (round == 0)
				testWorks(hdT_logAttributeInt64(trace, key, i));
			else
				testFails(HD_ERR_INVALID_ARGUMENT,
					  hdT_logAttributeInt64(trace, key, i));
		}
	testWorks(hdT_logStateEnd(trace));
	file = finish(trace, "many-attributes.trc");
	at = file->records[0].attributes;
	for (int i = 0; i < COUNT; i++) {
		char *expected = g_strdup_printf(" k%d='%d'", i, i);

		g_assert_true(g_str_has_prefix(at, expected));
		at += strlen(expected);
		g_free(expected);
	}
	g_assert_cmpstr(at, ==, "");
	testTraceFree(file);
}

/* Lists of keys: short ones that are remembered, long ones that are not. */
static void testAttributeLists(void)
{
	static const int64_t values[] = { INT64_MIN, -1,        0, 9, 10,
					  99,        INT64_MAX, 7, 8 };
	static const char *const wrong[] = {
		"",
		" a",
		"a ",
		"a  b",
		"a,b",
		"a b a",
		"time",
		"a end",
		"1",
		"a=",
		"x",
		"a x",
		"a b c d e f g h i a",
	};
	hdTrace *trace = traceAt("key-lists", START);
	struct testTraceFile *file;
	char *key = g_strnfill(60, 'k');
	char *list = g_strdup_printf("%s b", key);
	char buffer[] = "one two";

	testFails(HD_ERR_INVALID_CONTEXT,
		  hdT_logAttributesInt64(trace, "a", values));
	/* The second time they are remembered. */
	for (int i = 0; i < 2; i++) {
		testWorks(hdT_logStateStart(trace, "S"));
		testWorks(hdT_logAttributesInt64(trace, "x", &values[3]));
		for (size_t j = 0; j < G_N_ELEMENTS(wrong); j++)
			testFails(HD_ERR_INVALID_ARGUMENT,
				  hdT_logAttributesInt64(trace, wrong[j],
							 values));
		testWorks(hdT_logAttributesInt64(trace, "a b c d e f g h",
						 values));
		testWorks(hdT_logAttributesInt64(trace, "i abcdefghijklmnopq r",
						 values));
		testWorks(hdT_logStateEnd(trace));
		testWorks(hdT_logStateStart(trace, "S"));
		testWorks(hdT_logAttributesInt64(trace, "a b c d e f g h i",
						 values));
		testWorks(hdT_logStateEnd(trace));
		testWorks(hdT_logStateStart(trace, "S"));
		testWorks(hdT_logAttributesInt64(trace, list, values));
		testFails(HD_ERR_INVALID_ARGUMENT,
			  hdT_logAttributesInt64(trace, list, values));
		testWorks(hdT_logStateEnd(trace));
		/* Another list in the same place. */
		testWorks(hdT_logStateStart(trace, "S"));
		strcpy(buffer, "one two");
		testWorks(hdT_logAttributesInt64(trace, buffer, values));
		strcpy(buffer, "ten six");
		testWorks(hdT_logAttributesInt64(trace, buffer, values));
		testWorks(hdT_logStateEnd(trace));
	}
	testFails(HD_ERR_INVALID_ARGUMENT,
		  hdT_logAttributesInt64(NULL, "a", values));
	testFails(HD_ERR_INVALID_ARGUMENT,
		  hdT_logAttributesInt64(trace, NULL, values));
	testFails(HD_ERR_INVALID_ARGUMENT,
		  hdT_logAttributesInt64(trace, "a", NULL));
	testFails(HD_ERR_INVALID_CONTEXT,
		  hdT_logElementInt64(trace, "E", "a", values));
	testWorks(hdT_logStateStart(trace, "S"));
	testWorks(hdT_logElementInt64(trace, "E", "x", &values[7]));
	testWorks(hdT_logElementInt64(trace, "F", "x y", &values[7]));
	testFails(HD_ERR_INVALID_ARGUMENT,
		  hdT_logElementInt64(trace, "E", "x x", values));
	testFails(HD_ERR_INVALID_ARGUMENT,
		  hdT_logElementInt64(trace, "E", "", values));
	testFails(HD_ERR_INVALID_ARGUMENT,
		  hdT_logElementInt64(trace, "Nested", "x", values));
	testFails(HD_ERR_INVALID_ARGUMENT,
		  hdT_logElementInt64(trace, "E", NULL, values));
	testFails(HD_ERR_INVALID_ARGUMENT,
		  hdT_logElementInt64(trace, "E", "x", NULL));
	testFails(HD_ERR_INVALID_ARGUMENT,
		  hdT_logElementInt64(trace, NULL, "x", values));
	testFails(HD_ERR_INVALID_ARGUMENT,
		  hdT_logElementInt64(NULL, "E", "x", values));
	testWorks(hdT_logStateEnd(trace));
	file = finish(trace, "key-lists.trc");
	for (size_t i = 0; i < 8; i += 4) {
		const struct testRecord *at = &file->records[i];

		g_assert_cmpstr(at[0].attributes, ==,
				" x='9' a='-9223372036854775808' b='-1' c='0' "
				"d='9' e='10' f='99' g='9223372036854775807' "
				"h='7' i='-9223372036854775808' "
				"abcdefghijklmnopq='-1' r='0'");
		g_assert_cmpstr(at[1].attributes, ==,
				" a='-9223372036854775808' b='-1' c='0' d='9' "
				"e='10' f='99' g='9223372036854775807' h='7' "
				"i='8'");
		g_assert_true(g_str_has_suffix(at[2].attributes, "b='-1'"));
		g_assert_cmpstr(at[3].attributes, ==,
				" one='-9223372036854775808' two='-1' "
				"ten='-9223372036854775808' six='-1'");
	}
	g_assert_cmpstr(file->records[8].elements, ==,
			"<E x='7'/><F x='7' y='8'/>");
	testTraceFree(file);
	g_free(key);
	g_free(list);
}

/* More lists than are remembered, wherever they stand. */
static void testManyKeyLists(void)
{
	static char keys[300][10];
	hdTrace *trace = traceAt("many-key-lists", START);
	struct testTraceFile *file;

	for (int i = 0; i < 300; i++)
		g_snprintf(keys[i], sizeof(keys[i]), "a%d b", i);
	for (int i = 0; i < 900; i++) {
		const int64_t values[] = { i, -i };

		testWorks(hdT_logStateStart(trace, "S"));
		testWorks(hdT_logAttributesInt64(trace, keys[i % 300], values));
		testFails(HD_ERR_INVALID_ARGUMENT,
			  hdT_logAttributesInt64(trace, keys[i % 300], values));
		testWorks(hdT_logStateEnd(trace));
	}
	file = finish(trace, "many-key-lists.trc");
	g_assert_cmpuint(file->count, ==, 900);
	for (int i = 0; i < 900; i++) {
		char *expected =
			g_strdup_printf(" a%d='%d' b='%d'", i % 300, i, -i);

		g_assert_cmpstr(file->records[i].attributes, ==, expected);
		g_free(expected);
	}
	testTraceFree(file);
}

/* What is known by its address: only what nobody can write to. */
static void testLiterals(void)
{
	static const char constant[] = "constant";
	static char variable[] = "variable";
	char automatic[] = "automatic";
	char *allocated = g_strdup("allocated");

	hdLiteralPrepare();
	g_assert_true(hdLiteralIs("literal"));
	g_assert_true(hdLiteralIs(constant));
	g_assert_false(hdLiteralIs(variable));
	g_assert_false(hdLiteralIs(automatic));
	g_assert_false(hdLiteralIs(allocated));
	g_assert_false(hdLiteralIs(g_get_host_name()));
	g_free(allocated);
}

#define KNOWN_TEXTS 5

/* A state with all of them as keys, each refused when it comes again. */
static void logKnown(hdTrace *trace, const char (*texts)[64], int which,
		     const int64_t *values)
{
	testWorks(hdT_logStateStart(trace, texts[which]));
	for (int i = 0; i < KNOWN_TEXTS; i++) {
		testWorks(hdT_logAttributeInt64(trace, texts[i], values[i]));
		testFails(HD_ERR_INVALID_ARGUMENT,
			  hdT_logAttributeInt64(trace, texts[i], 1));
		testFails(HD_ERR_INVALID_ARGUMENT,
			  hdT_logAttributeDouble(trace, texts[i], 1));
		testFails(HD_ERR_INVALID_ARGUMENT,
			  hdT_logAttributeString(trace, texts[i], "1"));
	}
	testWorks(hdT_logStateEnd(trace));
}

/* Literals whose places are the same, and texts that change where they stand.
 */
static void testKnown(void)
{
	static const char texts[KNOWN_TEXTS][64] = {
		"alpha",
		"beta",
		"gamma",
		"as.long-as_what-is_known.can-B", /* One more than it can. */
		"as.long-as_what-is_known.cans",
	};
	static const int64_t values[][KNOWN_TEXTS] = {
		{ 0, 9, 10, 999, 1000 },
		{ 999999, 1000000, 999999999, 1000000000, -1 },
		{ INT64_MAX, INT64_MIN, 12, 1002003, 70 },
	};
	hdTrace *trace = traceAt("known", START);
	struct testTraceFile *file;
	char changing[8], stays[] = "stays";

	for (int i = 0; i < 3 * KNOWN_TEXTS; i++) {
		logKnown(trace, texts, i % KNOWN_TEXTS,
			 values[i / KNOWN_TEXTS]);
		g_snprintf(changing, sizeof(changing), "x%d", i);
		testWorks(hdT_logStateStart(trace, changing));
		g_snprintf(changing, sizeof(changing), "k%d", i);
		testWorks(hdT_logAttributeDouble(trace, changing, i));
		g_snprintf(changing, sizeof(changing), "l%d", i);
		testWorks(hdT_logAttributeString(trace, changing, changing));
		testWorks(hdT_logAttributesInt64(trace, "a b", values[0]));
		testWorks(hdT_logStateStart(trace, stays));
		testWorks(hdT_logAttributeInt64(trace, stays, -i));
		testFails(HD_ERR_INVALID_ARGUMENT,
			  hdT_logAttributeInt64(trace, stays, 1));
		testWorks(hdT_logStateEnd(trace));
		testWorks(hdT_logStateEnd(trace));
	}
	file = finish(trace, "known.trc");
	g_assert_cmpuint(file->count, ==, 3 * 3 * KNOWN_TEXTS);
	for (int i = 0; i < 3 * KNOWN_TEXTS; i++) {
		const int64_t *value = values[i / KNOWN_TEXTS];
		char *expected = g_strdup_printf(
			" %s='%lld' %s='%lld' %s='%lld' %s='%lld' %s='%lld'",
			texts[0], (long long)value[0], texts[1],
			(long long)value[1], texts[2], (long long)value[2],
			texts[3], (long long)value[3], texts[4],
			(long long)value[4]);

		g_assert_cmpstr(file->records[3 * i + 1].name, ==, stays);
		g_assert_cmpstr(file->records[3 * i].name, ==,
				texts[i % KNOWN_TEXTS]);
		g_assert_cmpstr(file->records[3 * i].attributes, ==, expected);
		g_free(expected);
		expected = g_strdup_printf(" k%d='%d' l%d='l%d' a='0' b='9'", i,
					   i, i, i);
		g_snprintf(changing, sizeof(changing), "x%d", i);
		g_assert_cmpstr(file->records[3 * i + 2].name, ==, changing);
		g_assert_cmpstr(file->records[3 * i + 2].attributes, ==,
				expected);
		g_free(expected);
	}
	testTraceFree(file);
}

static void testTypedAttributes(void)
{
	hdTrace *trace = traceAt("typed", START);
	struct testTraceFile *file;

	testWorks(hdT_logStateStart(trace, "S"));
	testWorks(hdT_logAttributeInt64(trace, "min", INT64_MIN));
	testWorks(hdT_logAttributeInt64(trace, "max", INT64_MAX));
	testWorks(hdT_logAttributeDouble(trace, "nan", NAN));
	testWorks(hdT_logAttributeDouble(trace, "inf", INFINITY));
	testWorks(hdT_logAttributeDouble(trace, "minf", -INFINITY));
	testWorks(hdT_logAttributeDouble(trace, "mzero", -0.0));
	testWorks(hdT_logAttributeDouble(trace, "third", 1.0 / 3));
	testWorks(hdT_logAttributeString(trace, "empty", ""));
	testWorks(hdT_logAttributeString(trace, "xml", "<a b='c'>\t\n\"&\x01"));
	testWorks(hdT_logAttributeString(trace, "utf8", "\xe2\x82\xac\xff"));
	testWorks(hdT_logAttributeString(trace, "like", " x='1' y='2'"));
	testWorks(hdT_logAttributeString(trace, "x", "really"));
	testWorks(hdT_logStateEnd(trace));
	file = finish(trace, "typed.trc");
	g_assert_cmpstr(file->records[0].attributes, ==,
			" min='-9223372036854775808' max='9223372036854775807'"
			" nan='NaN' inf='INF' minf='-INF' mzero='-0'"
			" third='0.3333333333333333' empty=''"
			" xml='&lt;a b=&apos;c&apos;&gt;&#9;&#10;&quot;&amp;"
			"\xef\xbf\xbd' utf8='\xe2\x82\xac\xef\xbf\xbd'"
			" like=' x=&apos;1&apos; y=&apos;2&apos;' x='really'");
	testTraceFree(file);
}

/* Lists as printf gives them, and what they become; NULL: refused. */
static const struct {
	const char *list;
	const char *attributes;
} lists[] = {
	{ "", "" },
	{ "  \t\n\r ", "" },
	{ "a='1'", " a='1'" },
	{ " a='1' ", " a='1'" },
	{ "a=\"1\"", " a='1'" },
	{ "a='1' b='2'", " a='1' b='2'" },
	{ "a='1'\n\tb=\"2\"\r\n", " a='1' b='2'" },
	{ "a=''", " a=''" },
	{ "a='' b=''", " a='' b=''" },
	{ "a='<&>'", " a='&lt;&amp;&gt;'" },
	{ "a='it's'", " a='it&apos;s'" },
	{ "a='say \"x\" now'", " a='say &quot;x&quot; now'" },
	{ "a=\"it's\"", " a='it&apos;s'" },
	{ "a='x' y' b='2'", " a='x&apos; y' b='2'" },
	{ "a='x'b='2'", " a='x&apos;b=&apos;2'" },
	{ "a='x' b", NULL },
	{ "a='1' a='2'", NULL },
	{ "a='1' b='2' a=\"3\"", NULL },
	{ "a", NULL },
	{ "a=", NULL },
	{ "a=1", NULL },
	{ "a='", NULL },
	{ "a='1", NULL },
	{ "a='1\"", NULL },
	{ "a = '1'", NULL },
	{ "='1'", NULL },
	{ "'1'", NULL },
	{ "1a='1'", NULL },
	{ "a:b='1'", NULL },
	{ "a='1' time='2'", NULL },
	{ "end='2'", NULL },
	{ "a='1', b='2'", " a='1&apos;, b=&apos;2'" },
	{ "a='1'>", NULL },
	{ "a='1'/><b", NULL },
};

static void testLists(void)
{
	hdTrace *trace = traceAt("lists", START);
	struct testTraceFile *file;

	for (size_t i = 0; i < G_N_ELEMENTS(lists); i++) {
		testWorks(hdT_logStateStart(trace, "S"));
		testWorks(hdT_logAttributeInt64(trace, "before", 1));
		if (lists[i].attributes) {
			testWorks(
				hdT_logAttributes(trace, "%s", lists[i].list));
			testWorks(hdT_logElement(trace, "E", "%s",
						 lists[i].list));
		} else {
			testFails(
				HD_ERR_INVALID_ARGUMENT,
				hdT_logAttributes(trace, "%s", lists[i].list));
			testFails(HD_ERR_INVALID_ARGUMENT,
				  hdT_logElement(trace, "E", "%s",
						 lists[i].list));
			/* None was added: they are free. */
			testWorks(hdT_logAttributes(trace, "a='1' b='2'"));
		}
		testWorks(hdT_logAttributeInt64(trace, "after", 1));
		testWorks(hdT_logStateEnd(trace));
	}
	file = finish(trace, "lists.trc");
	g_assert_cmpuint(file->count, ==, G_N_ELEMENTS(lists));
	for (size_t i = 0; i < G_N_ELEMENTS(lists); i++) {
		const char *inner = lists[i].attributes;
		char *attributes =
			g_strdup_printf(" before='1'%s after='1'",
					inner ? inner : " a='1' b='2'");
		char *elements =
			inner ? g_strdup_printf("<E%s/>", inner) : g_strdup("");

		g_assert_cmpstr(file->records[i].attributes, ==, attributes);
		g_assert_cmpstr(file->records[i].elements, ==, elements);
		g_free(attributes);
		g_free(elements);
	}
	testTraceFree(file);
}

/* Text of any length, in whatever form it comes. */
static void testLongText(void)
{
	enum { LENGTH = 10 << 20 };
	hdTrace *trace = traceAt("long-text", START);
	char *text = g_strnfill(LENGTH, 'x');
	struct testTraceFile *file;
	char *value;

	text[0] = '<';
	text[LENGTH - 1] = '&';
	testWorks(hdT_logStateStart(trace, "S"));
	testWorks(hdT_logAttributeString(trace, "typed", text));
	testWorks(hdT_logAttributes(trace, "listed='%s'", text));
	testWorks(hdT_logElement(trace, "E", "a='%s'", text));
	testWorks(hdT_logStateStart(trace, "Inner"));
	testWorks(hdT_logEvent(trace, text));
	testWorks(hdT_logStateEnd(trace));
	testWorks(hdT_logStateEnd(trace));
	testWorks(hdT_writeInfo(trace, "%s\n", text));
	file = finish(trace, "long-text.trc");
	g_assert_cmpuint(file->count, ==, 3);
	g_assert_true(strcmp(file->records[0].name, text) == 0);
	value = testRecordAttribute(&file->records[2], "typed");
	g_assert_true(strcmp(value, text) == 0);
	g_free(value);
	value = testRecordAttribute(&file->records[2], "listed");
	g_assert_true(strcmp(value, text) == 0);
	g_free(value);
	g_assert_cmpuint(strlen(file->records[2].elements), ==,
			 strlen("<E a=''/>") + LENGTH + 3 + 4);
	testTraceFree(file);
	value = testRead("long-text.info", NULL);
	g_assert_cmpuint(strlen(value), ==, LENGTH + 1);
	g_free(value);
	g_free(text);
}

#define LETTERS \
	"abcdefghijklmnopqrstuvwxyz 0123456789 ABCDEFGHIJKLMNOPQRSTUVWXYZ-+*"

/* Texts of 0 to 66 letters, each with something to escape at any place, or
 * without: the beginning of a text goes another way than the rest. */
static void testShortText(void)
{
	static const char *const specials[] = { "", "'", "\xe2\x82\xac" };
	enum { LENGTHS = 66 };
	hdTrace *trace = traceAt("short-text", START);
	GPtrArray *texts = g_ptr_array_new_with_free_func(g_free);
	struct testTraceFile *file;

	for (int length = 0; length <= LENGTHS; length++) {
		for (int at = 0; at <= length; at++) {
			const char *special = specials[(length + at) % 3];

			g_ptr_array_add(texts,
					g_strdup_printf("%.*s%s%.*s", at,
							LETTERS, special,
							length - at, LETTERS));
		}
	}
	for (guint i = 0; i < texts->len; i++) {
		testWorks(hdT_logStateStart(trace, "S"));
		testWorks(
			hdT_logAttributeString(trace, "text", texts->pdata[i]));
		testWorks(hdT_logStateEnd(trace));
	}
	file = finish(trace, "short-text.trc");
	g_assert_cmpuint(file->count, ==, texts->len);
	for (guint i = 0; i < texts->len; i++) {
		char *value = testRecordAttribute(&file->records[i], "text");

		g_assert_cmpstr(value, ==, texts->pdata[i]);
		g_free(value);
	}
	testTraceFree(file);
	g_ptr_array_unref(texts);
}

/* ---- Nesting ----------------------------------------------------------- */

static void testDeep(void)
{
	enum { DEPTH = 10000, RECORDED = 991 };
	hdTrace *trace = traceAt("deep", START);
	struct testTraceFile *file;
	hdLosses losses;

	for (int i = 0; i < DEPTH; i++) {
		testWorks(hdT_logStateStart(trace, "S"));
		testWorks(hdT_logAttributeInt64(trace, "i", i));
	}
	testWorks(hdT_logEvent(trace, "e"));
	for (int i = 0; i < DEPTH; i++)
		testWorks(hdT_logStateEnd(trace));
	testFails(HD_ERR_INVALID_CONTEXT, hdT_logStateEnd(trace));
	testWorks(hdT_getLosses(trace, &losses));
	g_assert_cmpuint(losses.records, ==, DEPTH - RECORDED + 1);
	file = finish(trace, "deep.trc");
	g_assert_cmpuint(file->count, ==, RECORDED);
	for (unsigned int i = 0; i < RECORDED; i++) {
		char *expected = g_strdup_printf(" i='%u'", RECORDED - 1 - i);

		g_assert_cmpuint(file->records[i].depth, ==, RECORDED - 1 - i);
		g_assert_cmpstr(file->records[i].attributes, ==, expected);
		g_free(expected);
	}
	testTraceFree(file);
}

/* What is not recorded because it was asked for is no loss; deeper than there
 * may be is not possible. */
static void testDeepOnDemand(void)
{
	hdTrace *trace = traceAt("deep-demand", START);
	struct testTraceFile *file;
	hdLosses losses;

	testWorks(hdT_setNestedDepth(trace, 1));
	for (int i = 0; i < 5; i++)
		testWorks(hdT_logStateStart(trace, "S"));
	testWorks(hdT_getLosses(trace, &losses));
	g_assert_cmpuint(losses.records, ==, 0);
	for (int i = 0; i < 5; i++)
		testWorks(hdT_logStateEnd(trace));
	testWorks(hdT_setNestedDepth(trace, 100000));
	for (int i = 0; i < 1000; i++)
		testWorks(hdT_logStateStart(trace, "S"));
	testWorks(hdT_getLosses(trace, &losses));
	g_assert_cmpuint(losses.records, ==, 9);
	file = finish(trace, "deep-demand.trc");
	g_assert_cmpuint(file->count, ==, 2 + 991);
	testTraceFree(file);
}

/* Finalizing closes what is open; the attributes are not lost. */
static void testOpenStates(void)
{
	hdTrace *trace = traceAt("open-states", START);
	struct testTraceFile *file;

	testWorks(hdT_logStateStart(trace, "A"));
	testWorks(hdT_logAttributeInt64(trace, "x", 1));
	testWorks(hdT_logStateStart(trace, "B"));
	testWorks(hdT_logElement(trace, "E", NULL));
	testWorks(hdT_disableTrace(trace));
	testWorks(hdT_logStateStart(trace, "Skipped"));
	setTime(SECOND);
	file = finish(trace, "open-states.trc");
	g_assert_cmpuint(file->count, ==, 2);
	g_assert_cmpstr(file->records[0].name, ==, "B");
	g_assert_cmpstr(file->records[0].elements, ==, "<E/>");
	g_assert_cmpint(file->records[0].end, ==, SECOND + 250000000);
	g_assert_cmpstr(file->records[1].name, ==, "A");
	g_assert_cmpstr(file->records[1].attributes, ==, " x='1'");
	testTraceFree(file);
}

/* What is recorded of four nested states, each with an event, by depth. */
static void testNestedDepth(void)
{
	for (int depth = 0; depth <= 4; depth++) {
		char *project = g_strdup_printf("nested-depth-%d", depth);
		char *path = g_strdup_printf("%s.trc", project);
		hdTrace *trace = traceAt(project, START);
		struct testTraceFile *file;
		int recorded = MIN(depth + 1, 4);

		testWorks(hdT_setNestedDepth(trace, depth));
		for (int i = 0; i < 4; i++) {
			testWorks(hdT_logStateStart(trace, "S"));
			testWorks(hdT_logAttributeInt64(trace, "i", i));
			testWorks(hdT_logEvent(trace, "e"));
		}
		for (int i = 0; i < 4; i++)
			testWorks(hdT_logStateEnd(trace));
		testFails(HD_ERR_INVALID_CONTEXT, hdT_logStateEnd(trace));
		file = finish(trace, path);
		g_assert_cmpuint(file->count, ==, 2 * recorded);
		for (int i = 0; i < recorded; i++) {
			struct testRecord *event = &file->records[i];
			struct testRecord *state =
				&file->records[2 * recorded - 1 - i];

			g_assert_true(event->isEvent);
			g_assert_cmpuint(event->depth, ==, i + 1);
			g_assert_false(state->isEvent);
			g_assert_cmpuint(state->depth, ==, i);
		}
		testTraceFree(file);
		g_free(path);
		g_free(project);
	}
}

static void testNestedDepthVariable(void)
{
	struct testTraceFile *file;
	hdTrace *trace;

	if (testInProcess("HDTRACE_MAX_NESTING_DEPTH=1")) {
		trace = testTrace("nested-variable");
		for (int i = 0; i < 4; i++)
			testWorks(hdT_logStateStart(trace, "S"));
		testWorks(hdT_finalize(trace));
		return;
	}
	file = testTraceReadEnded("nested-variable.trc");
	g_assert_cmpuint(file->count, ==, 2);
	testTraceFree(file);
}

/* ---- Any sequence of calls --------------------------------------------- */

/* An open state of the model. */
struct open {
	bool isRecorded;
	int name;
	int64_t start;
	GString *attributes;
	GString *elements;
};

/* What hdTrace.h says, in few words. */
struct model {
	struct testRandom random;
	bool isEnabled;
	unsigned int maxDepth;
	struct open open[40];
	unsigned int depth;
	int64_t last;
	uint64_t clamped;
	int keys;
	GArray *records;
};

static unsigned int modelRecorded(const struct model *model)
{
	unsigned int recorded = 0;

	for (unsigned int i = 0; i < model->depth; i++)
		recorded += model->open[i].isRecorded;
	return recorded;
}

static int64_t modelTime(struct model *model, int64_t time)
{
	if (time < model->last) {
		model->clamped++;
		return model->last;
	}
	model->last = time;
	return time;
}

static void modelEnd(struct model *model, int64_t time)
{
	struct open *open = &model->open[--model->depth];
	struct testRecord record = { 0 };

	if (!open->isRecorded)
		return;
	record.depth = modelRecorded(model);
	record.name = g_strdup_printf("S%d", open->name);
	record.start = open->start;
	record.end = modelTime(model, time);
	record.attributes = g_string_free(open->attributes, FALSE);
	record.elements = g_string_free(open->elements, FALSE);
	g_array_append_val(model->records, record);
}

static void modelEvent(struct model *model, int64_t time)
{
	struct testRecord record = { .isEvent = true };

	if (!model->isEnabled ||
	    (model->depth > 0 && model->depth - 1 > model->maxDepth))
		return;
	record.depth = modelRecorded(model);
	record.name = g_strdup("event");
	record.start = record.end = modelTime(model, time);
	record.attributes = g_strdup(" name='event'");
	record.elements = g_strdup("");
	g_array_append_val(model->records, record);
}

static void stepStart(struct model *model, hdTrace *trace, int64_t now,
		      bool isGiven)
{
	struct timespec when = testTime(START - 250000000 + now);
	struct open *open = &model->open[model->depth];
	char name[16];

	if (model->depth == G_N_ELEMENTS(model->open))
		return;
	open->isRecorded = model->isEnabled && model->depth <= model->maxDepth;
	open->name = (int)testRandomBelow(&model->random, 100);
	sprintf(name, "S%d", open->name);
	if (isGiven)
		testWorks(hdT_logStateStartAt(trace, name, &when));
	else
		testWorks(hdT_logStateStart(trace, name));
	if (open->isRecorded) {
		open->start = modelTime(model, now);
		open->attributes = g_string_new(NULL);
		open->elements = g_string_new(NULL);
	}
	model->depth++;
}

static void stepEnd(struct model *model, hdTrace *trace, int64_t now,
		    bool isGiven)
{
	struct timespec when = testTime(START - 250000000 + now);

	if (model->depth == 0) {
		testFails(HD_ERR_INVALID_CONTEXT, hdT_logStateEnd(trace));
		return;
	}
	if (isGiven)
		testWorks(hdT_logStateEndAt(trace, &when));
	else
		testWorks(hdT_logStateEnd(trace));
	modelEnd(model, now);
}

static void stepAttribute(struct model *model, hdTrace *trace)
{
	struct open *open;
	char key[16];

	if (model->depth == 0)
		return;
	open = &model->open[model->depth - 1];
	sprintf(key, "k%d", model->keys++);
	testWorks(hdT_logAttributeInt64(trace, key, 7));
	if (open->isRecorded)
		g_string_append_printf(open->attributes, " %s='7'", key);
	if (testRandomBelow(&model->random, 3) > 0)
		return;
	testWorks(hdT_logElement(trace, "E", "%s='8'", key));
	if (open->isRecorded)
		g_string_append_printf(open->elements, "<E %s='8'/>", key);
}

/* Make one random call. */
static void step(struct model *model, hdTrace *trace, bool attributes)
{
	/* At times a little before the last one. */
	int64_t now =
		model->last + (int64_t)testRandomBelow(&model->random, 100) - 5;
	bool isGiven = testRandomBelow(&model->random, 2);

	testClockSet(START - 250000000 + now, 0);
	switch (testRandomBelow(&model->random, 16)) {
	case 0 ... 4:
		stepStart(model, trace, now, isGiven);
		break;
	case 5 ... 9:
		stepEnd(model, trace, now, isGiven);
		break;
	case 10 ... 11:
		testWorks(hdT_logEvent(trace, "event"));
		modelEvent(model, now);
		break;
	case 12:
		testGives(!model->isEnabled, hdT_disableTrace(trace));
		model->isEnabled = false;
		break;
	case 13:
		testGives(model->isEnabled, hdT_enableTrace(trace));
		model->isEnabled = true;
		break;
	case 14:
		model->maxDepth =
			(unsigned int)testRandomBelow(&model->random, 12);
		testWorks(hdT_setNestedDepth(trace, (int)model->maxDepth));
		break;
	default:
		if (attributes)
			stepAttribute(model, trace);
		break;
	}
}

static void modelStart(struct model *model, uint64_t seed)
{
	*model = (struct model){ .random = { seed },
				 .isEnabled = true,
				 .maxDepth = 100,
				 .last = 250000000 };
	model->records = g_array_new(FALSE, FALSE, sizeof(struct testRecord));
}

/* Finalize, as far as the model goes; the clock stands. */
static void modelFinish(struct model *model)
{
	testClockSet(START - 250000000 + model->last, 0);
	while (model->depth > 0)
		modelEnd(model, model->last);
}

static void modelClear(struct model *model)
{
	for (guint i = 0; i < model->records->len; i++) {
		struct testRecord *record =
			&g_array_index(model->records, struct testRecord, i);

		g_free(record->name);
		g_free(record->attributes);
		g_free(record->elements);
	}
	g_array_free(model->records, TRUE);
}

static void compareRecord(const struct testRecord *is,
			  const struct testRecord *expected)
{
	g_assert_true(is->isEvent == expected->isEvent);
	g_assert_cmpstr(is->name, ==, expected->name);
	g_assert_cmpuint(is->depth, ==, expected->depth);
	g_assert_cmpint(is->start, ==, expected->start);
	g_assert_cmpint(is->end, ==, expected->end);
	g_assert_cmpstr(is->attributes, ==, expected->attributes);
	g_assert_cmpstr(is->elements, ==, expected->elements);
}

static void testSequences(void)
{
	struct testRandom seeds = { testSeed() };

	for (int run = 0; run < 300; run++) {
		struct testTraceFile *file;
		struct model model;
		hdTrace *trace;

		modelStart(&model, testRandomBits(&seeds));
		unlink("sequences.trc");
		trace = traceAt("sequences", START);
		for (int i = 0; i < 300; i++)
			step(&model, trace, true);
		checkLosses(trace, 0, model.clamped);
		modelFinish(&model);
		file = finish(trace, "sequences.trc");
		g_assert_cmpuint(file->count, ==, model.records->len);
		for (size_t i = 0; i < file->count; i++)
			compareRecord(&file->records[i],
				      &g_array_index(model.records,
						     struct testRecord, i));
		testTraceFree(file);
		modelClear(&model);
	}
}

/* ---- Full buffers ------------------------------------------------------ */

/* With a tiny buffer that drops, what is lost is counted, and the rest is a
 * well-formed file in which each state is where it was. */
static void testDropping(void)
{
	struct testRandom seeds;
	uint64_t allLost = 0;

	if (!testInProcess("HDTRACE_ON_FULL=drop HDTRACE_BUFFER_SIZE_KB=4"
			   " HDTRACE_FLUSH_MS=100"))
		return;
	seeds.state = testSeed();
	for (int run = 0; run < 40; run++) {
		bool attributes = run % 2;
		/* How fast a real disk is, nobody knows. */
		bool isStopped = run % 4 >= 2;
		struct testTraceFile *file;
		struct model model;
		hdTrace *trace;
		hdLosses losses;

		modelStart(&model, testRandomBits(&seeds));
		unlink("dropping.trc");
		trace = traceAt("dropping", START);
		if (isStopped)
			pthread_mutex_lock(&disk);
		for (int i = 0; i < 5000; i++)
			step(&model, trace, attributes);
		/* Here, so that all losses can be asked for. */
		while (model.depth > 0)
			stepEnd(&model, trace, model.last, true);
		testWorks(hdT_getLosses(trace, &losses));
		if (isStopped) {
			allLost += losses.records;
			pthread_mutex_unlock(&disk);
		}
		file = finish(trace, "dropping.trc");
		if (attributes)
			/* An attribute that finds no room counts as well. */
			g_assert_cmpuint(file->count + losses.records, >=,
					 model.records->len);
		else
			g_assert_cmpuint(file->count + losses.records, ==,
					 model.records->len);
		/* What is there is a part of what was called, in order. */
		for (size_t is = 0, m = 0; is < file->count; is++, m++) {
			const struct testRecord *expected;

			for (;; m++) {
				g_assert_cmpuint(m, <, model.records->len);
				expected = &g_array_index(model.records,
							  struct testRecord, m);
				if (expected->isEvent ==
					    file->records[is].isEvent &&
				    expected->depth ==
					    file->records[is].depth &&
				    expected->start ==
					    file->records[is].start &&
				    expected->end == file->records[is].end &&
				    strcmp(expected->name,
					   file->records[is].name) == 0)
					break;
			}
		}
		testTraceFree(file);
		modelClear(&model);
	}
	g_assert_cmpuint(allLost, >, 1000);
}

/* A buffer that waits loses nothing, even if a record is larger than it. */
static void testWaiting(void)
{
	enum { ROUNDS = 2000 };
	struct testRandom random;
	struct testTraceFile *file;
	hdTrace *trace;
	size_t r = 0;
	uint64_t seed;

	if (!testInProcess("HDTRACE_BUFFER_SIZE_KB=4 HDTRACE_FLUSH_MS=1"))
		return;
	seed = testSeed();
	random.state = seed;
	trace = traceAt("waiting", START);
	for (int i = 0; i < ROUNDS; i++) {
		size_t length = testRandomBelow(&random, i % 10 ? 300 : 20000);
		char *text = g_strnfill(length, (char)('a' + i % 26));

		testWorks(hdT_logStateStart(trace, "Outer"));
		testWorks(hdT_logStateStart(trace, "Inner"));
		testWorks(hdT_logAttributeString(trace, "text", text));
		testWorks(hdT_logStateEnd(trace));
		testWorks(hdT_logEvent(trace, text));
		testWorks(hdT_logElement(trace, "E", "text='%s'", text));
		testWorks(hdT_logStateEnd(trace));
		g_free(text);
	}
	checkLosses(trace, 0, 0);
	file = finish(trace, "waiting.trc");
	g_assert_cmpuint(file->count, ==, 3 * ROUNDS);
	random.state = seed;
	for (int i = 0; i < ROUNDS; i++) {
		size_t length = testRandomBelow(&random, i % 10 ? 300 : 20000);
		char *text = g_strnfill(length, (char)('a' + i % 26));
		char *value = testRecordAttribute(&file->records[r], "text");
		char *elements = g_strdup_printf("<E text='%s'/>", text);

		g_assert_cmpstr(file->records[r].name, ==, "Inner");
		g_assert_cmpstr(value, ==, text);
		g_assert_cmpstr(file->records[r + 1].name, ==, text);
		g_assert_cmpstr(file->records[r + 2].elements, ==, elements);
		g_free(elements);
		g_free(value);
		g_free(text);
		r += 3;
	}
	testTraceFree(file);
}

/* ---- Files ------------------------------------------------------------- */

static void testCreation(void)
{
	static const char *const projects[] = {
		"exists",         /* A .trc. */
		"info-exists",    /* A .info. */
		"missing/p",      /* No such directory. */
		"exists.trc/p",   /* Not a directory. */
		"/proc/self/fd/p" /* Nobody may write there. */
	};

	g_assert_true(g_file_set_contents("exists.trc", "mine", -1, NULL));
	g_assert_true(
		g_file_set_contents("info-exists.info", "mine", -1, NULL));
	for (size_t i = 0; i < G_N_ELEMENTS(projects); i++) {
		hdTopoNode *node = testNode(projects[i], "");

		testFailsNull(HD_ERR_CREATE_FILE, hdT_createTrace(node));
		hdT_destroyTopoNode(node);
	}
	checkText("exists.trc", "mine");
	checkText("info-exists.info", "mine");
	g_assert_false(testExists("info-exists.trc"));
}

static void testOverwriting(void)
{
	if (!g_test_subprocess()) {
		g_assert_true(g_file_set_contents("over.trc", "old", -1, NULL));
		g_assert_true(
			g_file_set_contents("over.info", "old", -1, NULL));
	}
	if (testInProcess("HDTRACE_OVERWRITE_EXISTING_FILES=1")) {
		testWorks(hdT_finalize(traceAt("over", START)));
		return;
	}
	checkText("over.trc",
		  "<Program timeAdjustment='1234567890'>\n</Program>\n");
	g_assert_false(testExists("over.info"));
}

static void testInfo(void)
{
	hdTrace *trace = traceAt("info", START);

	g_assert_false(testExists("info.info"));
	testWorks(hdT_writeInfo(trace, "File name=\"%s\" Size=%d id=%d\n",
				"a b", 5, 7));
	testWorks(hdT_disableTrace(trace));
	testWorks(hdT_writeInfo(trace, "Comm map='0->1' id=1 name=''\n"));
	testWorks(hdT_writeInfo(trace, "%s", ""));
	testWorks(hdT_flush(trace));
	checkText("info.info", "File name=\"a b\" Size=5 id=7\n"
			       "Comm map='0->1' id=1 name=''\n");
	testTraceFree(finish(trace, "info.trc"));
}

static void testInfoRefused(void)
{
	hdTrace *trace = traceAt("info-refused", START);

	g_assert_true(
		g_file_set_contents("info-refused.info", "mine", -1, NULL));
	testFails(HD_ERR_CREATE_FILE, hdT_writeInfo(trace, "x\n"));
	testFails(HD_ERR_CREATE_FILE, hdT_writeInfo(trace, "x\n"));
	testTraceFree(finish(trace, "info-refused.trc"));
	checkText("info-refused.info", "mine");
}

/* Number of records in a file at the moment. */
static size_t countNow(const char *path)
{
	struct testTraceFile *file = testTraceRead(path);
	size_t count = file->count;

	g_assert_cmpuint(file->bytesLeft, ==, 0);
	testTraceFree(file);
	return count;
}

static void checkLength(const char *path, size_t expected)
{
	size_t length;

	g_free(testRead(path, &length));
	g_assert_cmpuint(length, ==, expected);
}

static void testFlushing(void)
{
	hdTrace *trace = traceAt("flushing", START);

	testWorks(hdT_logEvent(trace, "e"));
	testWorks(hdT_flush(trace));
	g_assert_cmpuint(countNow("flushing.trc"), ==, 1);
	testWorks(hdT_setForceFlush(trace, 1));
	for (size_t i = 0; i < 5; i++) {
		testWorks(hdT_logStateStart(trace, "S"));
		testWorks(hdT_logStateEnd(trace));
		g_assert_cmpuint(countNow("flushing.trc"), ==, 2 + i);
		testWorks(hdT_writeInfo(trace, "%d\n", (int)i));
		checkLength("flushing.info", 2 * i + 2);
	}
	testWorks(hdT_setForceFlush(trace, 0));
	testWorks(hdT_writeInfo(trace, "later\n"));
	testWorks(hdT_setForceFlush(trace, 1));
	testWorks(hdT_writeInfo(trace, "now\n"));
	checkLength("flushing.info", 20);
	testWorks(hdT_logEvent(trace, "e"));
	testTraceFree(finish(trace, "flushing.trc"));
}

/* HDTRACE_FORCE_FLUSH, and a large buffer and a long time against it. */
static void testForceFlushVariable(void)
{
	hdTrace *trace;

	if (!testInProcess("HDTRACE_FORCE_FLUSH=1 HDTRACE_FLUSH_MS=3600000"
			   " HDTRACE_BUFFER_SIZE_KB=1024"))
		return;
	trace = traceAt("force-flush", START);
	for (size_t i = 1; i <= 5; i++) {
		testWorks(hdT_logEvent(trace, "e"));
		g_assert_cmpuint(countNow("force-flush.trc"), ==, i);
		testWorks(hdT_writeInfo(trace, "x\n"));
		checkLength("force-flush.info", 2 * i);
	}
	testTraceFree(finish(trace, "force-flush.trc"));
}

int main(int argc, char **argv)
{
	testInit(&argc, &argv);
	g_test_add_func("/trace/file", testFile);
	g_test_add_func("/trace/empty", testEmpty);
	g_test_add_func("/trace/ends", testEnds);
	g_test_add_func("/trace/arguments", testArguments);
	g_test_add_func("/trace/enabling", testEnabling);
	g_test_add_func("/trace/times-refused", testTimesRefused);
	g_test_add_func("/trace/begins-before", testBeginsBefore);
	g_test_add_func("/trace/clock-gone", testClockGone);
	g_test_add_func("/trace/clamping", testClamping);
	g_test_add_func("/trace/given-times", testGivenTimes);
	g_test_add_func("/trace/real-clock", testRealClock);
	g_test_add_func("/trace/names", testNames);
	g_test_add_func("/trace/long-names", testLongNames);
	g_test_add_func("/trace/many-attributes", testManyAttributes);
	g_test_add_func("/trace/typed-attributes", testTypedAttributes);
	g_test_add_func("/trace/many-key-lists", testManyKeyLists);
	g_test_add_func("/trace/literals", testLiterals);
	g_test_add_func("/trace/known", testKnown);
	g_test_add_func("/trace/attribute-lists", testAttributeLists);
	g_test_add_func("/trace/lists", testLists);
	g_test_add_func("/trace/long-text", testLongText);
	g_test_add_func("/trace/short-text", testShortText);
	g_test_add_func("/trace/deep", testDeep);
	g_test_add_func("/trace/deep on demand", testDeepOnDemand);
	g_test_add_func("/trace/open-states", testOpenStates);
	g_test_add_func("/trace/nested-depth", testNestedDepth);
	g_test_add_func("/trace/nested-depth-variable",
			testNestedDepthVariable);
	g_test_add_func("/trace/sequences", testSequences);
	g_test_add_func("/trace/dropping", testDropping);
	g_test_add_func("/trace/waiting", testWaiting);
	g_test_add_func("/trace/creation", testCreation);
	g_test_add_func("/trace/overwriting", testOverwriting);
	g_test_add_func("/trace/info", testInfo);
	g_test_add_func("/trace/info-refused", testInfoRefused);
	g_test_add_func("/trace/flushing", testFlushing);
	g_test_add_func("/trace/force-flush-variable", testForceFlushVariable);
	return testRun();
}
