/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: threads waits */
/*
 * libPT with an LMG450 that is lmg450-sim: what comes through the whole way to
 * the files, and what does where something fails.
 *
 * What the simulator measured, and what became of each message, it writes down;
 * the files are compared with that.
 */
#include "config.h"

#include <errno.h>
#include <grp.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "PowerTracingLibrary/src/core/ptlog.h"
#include "PowerTracingLibrary/src/trace.h"
#include "common/clock.h"
#include "tests/lib/statfile.h"
#include "tests/lib/testlib.h"
#include "tests/sim/client.h"

#define S HD_NS_PER_S
#define MS (HD_NS_PER_S / 1000)

/* Configured values, in the order of what the simulator calls them. */
static const char *const names[] = { "Utrms", "Itrms", "P",  "S",    "Q",
				     "PF",    "Freq",  "EP", "Count" };

static GString *said;
/* ThreadSanitizer does not see those of GLib. */
static pthread_mutex_t saidMutex = PTHREAD_MUTEX_INITIALIZER;

static void takeMessage(enum hdLogLevel level, const char *text)
{
	pthread_mutex_lock(&saidMutex);
	g_string_append_printf(said, "%d %s\n", (int)level, text);
	pthread_mutex_unlock(&saidMutex);
}

static void assertSaid(const char *words)
{
	pthread_mutex_lock(&saidMutex);
	if (!strstr(said->str, words))
		g_error("nobody said \"%s\", but: %s", words, said->str);
	pthread_mutex_unlock(&saidMutex);
}

/* ---- A run ------------------------------------------------------------- */

/* What is measured. */
struct plan {
	int channels, values;
	int cycleMs;
	const char *general; /* More lines of [General]. */
};

/* Of tests that number the messages: none is sent before tracing begins. */
#define BELIEVED "counter=on\n"

static const struct plan plain = { 1, 2, 50, BELIEVED };

struct run {
	struct plan plan;
	struct client meter;
	char *port; /* Instead of the simulator's. */
	char *project;
	PowerTrace *trace;
};

static void writeConfig(const struct run *run)
{
	GString *text = g_string_new("[General]\ndevice=LMG450\n");
	const char *at = run->meter.port;
	char *link = NULL;

	if (at && at[0] != '/')
		link = g_strconcat("tcp://", at, NULL);
	else if (at)
		link = clientPath(&run->meter, "meter");
	g_string_append_printf(text,
			       "port=%s\ncycle=%d\nproject=%s\n"
			       "topology=Cluster_Host\n%s\n",
			       run->port ? run->port : link, run->plan.cycleMs,
			       run->project, run->plan.general);
	g_free(link);
	for (int c = 1; c <= run->plan.channels; c++) {
		g_string_append_printf(text,
				       "[Trace]\ntype=HDSTATS\nnode=c_n%d\n"
				       "channel=%d\nvalues=",
				       c, c);
		for (int v = 0; v < run->plan.values; v++)
			g_string_append_printf(text, "%s%s", v ? "," : "",
					       names[v]);
		g_string_append_c(text, '\n');
	}
	g_assert_true(g_file_set_contents("pt.cfg", text->str, -1, NULL));
	g_string_free(text, TRUE);
}

/* A run of a plan with a simulator, which has these options and script. */
static void runInit(struct run *run, const char *project,
		    const struct plan *plan, const char *options,
		    const char *script)
{
	char *all;

	*run = (struct run){ .plan = *plan, .project = g_strdup(project) };
	g_strdelimit(run->project, "/ ", '-');
	g_string_truncate(said, 0);
	if (options) {
		all = g_strconcat("--truth=@/truth --log=@/log ", options,
				  NULL);
		clientPrepare(&run->meter, script);
		clientStart(&run->meter, all);
		clientClose(&run->meter);
		g_free(all);
	}
}

static void runCreate(struct run *run, int expected)
{
	int ret = PT_EDEVICE;

	writeConfig(run);
	/* Everything has two seconds, and this machine may be busy. */
	for (int i = 0; i < 5 && ret == PT_EDEVICE; i++) {
		g_string_truncate(said, 0);
		ret = pt_createTrace("pt.cfg", NULL, &run->trace);
		if (expected == PT_EDEVICE)
			break;
	}
	if (ret != expected)
		g_error("create: %d: %s", ret, said->str);
}

/* The same, with warnings. */
static void runCreateLoudly(struct run *run, int expected)
{
	g_setenv("PT_VERBOSITY", "1", TRUE);
	runCreate(run, expected);
	g_unsetenv("PT_VERBOSITY");
}

static struct ptCounts runCounts(struct run *run)
{
	struct ptCounts counts;

	ptTraceCounts(run->trace, &counts);
	return counts;
}

/* Wait until so many readings have been written. */
static void runAwait(struct run *run, uint64_t readings)
{
	int64_t until = hdMonotonicNow() + CLIENT_PATIENCE_S * S;

	while (runCounts(run).readings < readings) {
		if (hdMonotonicNow() > until)
			g_error("only %" G_GUINT64_FORMAT " readings came: %s",
				runCounts(run).readings, said->str);
		g_usleep(1000);
	}
}

static void runEnd(struct run *run)
{
	if (run->trace)
		g_assert_cmpint(pt_finalizeTrace(run->trace), ==, PT_SUCCESS);
	run->trace = NULL;
}

/* End the trace, and the simulator, whose files are complete then. */
static void runStop(struct run *run)
{
	runEnd(run);
	if (run->meter.process.pid > 0)
		clientStop(&run->meter);
}

static void runClear(struct run *run)
{
	runStop(run);
	if (run->meter.directory)
		clientRemove(&run->meter);
	g_free(run->project);
	g_free(run->port);
}

static struct testStatFile *runFile(const struct run *run, int channel)
{
	char *path =
		g_strdup_printf("%s_c_n%d_Energy.stat", run->project, channel);
	struct testStatFile *file = testStatRead(path);

	g_free(path);
	return file;
}

/* ---- What is true ------------------------------------------------------ */

/* A message that the simulator made. */
struct truth {
	int number;
	unsigned int count;
	int64_t endNs;
	char fate[16];
	double values[64]; /* From the counter on. */
	int valueCount;
};

static GArray *readTruth(const struct run *run)
{
	GArray *list = g_array_new(FALSE, TRUE, sizeof(struct truth));
	char *text = clientFile(&run->meter, "truth");
	char **lines = g_strsplit(text, "\n", 0);

	for (char **line = lines; *line; line++) {
		struct truth truth = { 0 };
		char **words;

		if (**line == '#' || !**line)
			continue;
		words = g_strsplit(*line, " ", 0);
		g_assert_cmpuint(g_strv_length(words), >, 5);
		truth.number = atoi(words[0]);
		truth.count = (unsigned int)atoi(words[1]);
		truth.endNs = g_ascii_strtoll(words[3], NULL, 10);
		g_strlcpy(truth.fate, words[4], sizeof(truth.fate));
		for (char **word = words + 5; *word; word++)
			truth.values[truth.valueCount++] =
				g_ascii_strtod(*word, NULL);
		g_array_append_val(list, truth);
		g_strfreev(words);
	}
	g_strfreev(lines);
	g_free(text);
	return list;
}

static float bigFloat(const unsigned char *bytes)
{
	uint32_t bits = testBig32(bytes);
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* Whether a value of the file is the one that was measured; ASCII has five
 * digits. */
static void assertValue(float value, double expected)
{
	g_assert_cmpfloat(fabs((double)value - expected), <=,
			  fabs(expected) * 1e-4);
}

static void assertEntry(const struct run *run, int channel,
			const unsigned char *entry, const struct truth *truth)
{
	int measured = MIN(run->plan.values, 8);

	for (int v = 0; v < measured; v++)
		assertValue(bigFloat(entry + 4 * v),
			    truth->values[1 + (channel - 1) * measured + v]);
	if (run->plan.values == 9)
		assertValue(bigFloat(entry + 32), truth->count);
}

/* The entries are the messages that were sent, each once and in order; times do
 * not decrease, and none is before the end of its cycle; but where the line is
 * faster than libPT knows, by what that makes. */
static void compare(const struct run *run, uint64_t readings, int64_t earlyNs)
{
	GArray *list = readTruth(run);

	for (int channel = 1; channel <= run->plan.channels; channel++) {
		struct testStatFile *file = runFile(run, channel);
		uint64_t entries = 0;
		int64_t last = 0;
		guint at = 0;

		for (size_t i = 0; i < file->count; i++) {
			const struct truth *truth;

			g_assert_cmpint(file->entries[i].time, >=, last);
			last = file->entries[i].time;
			if (file->entries[i].isGap)
				continue;
			entries++;
			do {
				g_assert_cmpuint(at, <, list->len);
				truth = &g_array_index(list, struct truth,
						       at++);
			} while (strcmp(truth->fate, "sent") != 0 &&
				 strcmp(truth->fate, "late") != 0);
			g_assert_cmpuint(file->entries[i].length, ==,
					 4 * (size_t)run->plan.values);
			assertEntry(run, channel, file->entries[i].values,
				    truth);
			g_assert_cmpint(last, >=, truth->endNs - earlyNs);
		}
		g_assert_cmpuint(entries, ==, readings);
		g_assert_cmpuint(file->bytesLeft, ==, 0);
		testStatFree(file);
	}
	g_array_free(list, TRUE);
}

/* ---- All is well ------------------------------------------------------- */

static void runWell(const char *name, const struct plan *plan,
		    const char *options)
{
	struct run run;

	runInit(&run, name, plan, options, NULL);
	runCreate(&run, PT_SUCCESS);
	g_assert_cmpint(pt_startTracing(run.trace), ==, 0);
	runAwait(&run, 5);
	g_assert_cmpint(pt_stopTracing(run.trace), ==, 0);
	g_assert_cmpuint(runCounts(&run).lost, ==, 0);
	g_assert_cmpuint(runCounts(&run).errors, ==, 0);
	runEnd(&run);
	g_assert_cmpuint(said->len, ==, 0);
	clientAwaitFile(&run.meter, "log", "> GTL");
	runStop(&run);
	/* 100 ms for each message that a busy host reads at once. */
	compare(&run, 5, strstr(options, "--baud=0") ? 5 * 100 * MS : MS);
	runClear(&run);
}

/* In ASCII, from one channel and one value to all nine of all four. Packed
 * messages are tests/sim/test-sim-trace.c's. */
static void testAscii(void)
{
	static const int values[] = { 1, 5, 8, 9 };

	for (int channels = 1; channels <= 4; channels++) {
		const struct plan plan = { channels, values[channels - 1], 50,
					   "mode=ascii\n" BELIEVED };
		char *name = g_strdup_printf("ascii%d", channels);

		runWell(name, &plan,
			"--law=1:ramp:low=100,high=300,period=7 "
			"--law=2:sine:low=100,high=300,period=5 "
			"--law=3:square:low=100,high=300,period=0.3 "
			"--cycles=5 --baud=0 --speedup=5");
		g_free(name);
	}
}

/* At the speed of the line, and all nine values of all four channels. */
static void testRealTime(void)
{
	static const struct plan all = { 4, 9, 100, BELIEVED };

	runWell("realtime", &all,
		"--cycles=5 --law=*:ramp:low=1,high=9,period=1");
}

/* A cycle of a minute; the simulator's minutes are short. */
static void testLongCycle(void)
{
	static const struct plan minute = { 1, 3, 60000, BELIEVED };

	runWell("minute", &minute, "--cycles=5 --speedup=1200 --baud=0");
}

/* Without the counter. */
static void testNoCounter(void)
{
	static const struct plan plan = { 2, 3, 50, "counter=off\n" };
	struct run run;
	struct testStatFile *file;

	runInit(&run, "nocounter", &plan, "--cycles=5 --baud=0", NULL);
	runCreate(&run, PT_SUCCESS);
	pt_startTracing(run.trace);
	runAwait(&run, 5);
	runEnd(&run);
	file = runFile(&run, 2);
	g_assert_cmpuint(file->count, >=, 5);
	assertValue(bigFloat(file->entries[file->count - 1].values + 8), 200);
	testStatFree(file);
	runClear(&run);
}

/* ---- Messages that are not as they should be ---------------------------- */

struct fault {
	const char *name, *script;
	int readings; /* Of ten messages. */
	int lost, errors;
	const char *said;
};

/* Every message has 23 bytes: #500012, the counter, two values, LF. */
static const struct fault faults[] = {
	{ "silence", "cycle 3: silent", 9, 1, 0, "" },
	{ "silence for long", "cycle 3-6: silent", 6, 4, 0, "" },
	{ "lost byte", "cycle 3: lose 12", 9, 1, 1, "more data" },
	{ "lost begin", "cycle 3: lose 0", 9, 1, 1, "missing block" },
	{ "lost LF", "cycle 3: lose -1", 9, 1, 1, "more data" },
	{ "doubled byte", "cycle 3: double 12", 9, 1, 1, "not followed" },
	{ "doubled LF", "cycle 3: double -1", 10, 0, 1, "missing block" },
	{ "garbage within", "cycle 3: insert 9 0a2331340a", 9, 1, 1,
	  "not followed" },
	{ "garbage before", "cycle 3: insert 0 00ff0a23", 10, 0, 1,
	  "missing block" },
	{ "garbage instead", "cycle 3: replace 2e2e2e2e0a", 9, 1, 1,
	  "missing block" },
	{ "short", "cycle 3: values -1", 9, 1, 1, "less data" },
	{ "long", "cycle 3: values 1", 9, 1, 1, "more data" },
	{ "length too large", "cycle 3: length 4", 9, 1, 1, "more data" },
	{ "length too small", "cycle 3: length -4", 9, 1, 1, "not followed" },
	{ "ASCII", "cycle 3: ascii", 9, 1, 1, "missing block" },
	{ "ASCII thrice", "cycle 3-5: ascii", 7, 3, 1, "missing block" },
	{ "late", "cycle 3: slow 120", 10, 0, 0, "" },
	{ "order", "cycle 3: swap", 9, 1, 0, "out of order" },
	{ "twice", "cycle 3: double 0 23", 10, 0, 0, "duplicate" },
};

static void testFault(gconstpointer data)
{
	const struct fault *fault = data;
	struct ptCounts counts;
	struct run run;

	runInit(&run, fault->name, &plain, "--cycles=10 --speedup=5 --baud=0",
		fault->script);
	runCreate(&run, PT_SUCCESS);
	hdLogSetLevel(&ptLogger, HD_LOG_WARNING);
	pt_startTracing(run.trace);
	runAwait(&run, (uint64_t)fault->readings);
	pt_stopTracing(run.trace);
	counts = runCounts(&run);
	runEnd(&run);
	hdLogSetLevel(&ptLogger, HD_LOG_ERROR);
	g_assert_cmpuint(counts.readings, ==, (uint64_t)fault->readings);
	g_assert_cmpuint(counts.lost, ==, (uint64_t)fault->lost);
	g_assert_cmpuint(counts.errors, ==, (uint64_t)fault->errors);
	g_assert_cmpuint(counts.reconnects, ==, 0);
	assertSaid(fault->said);
	runClear(&run);
}

/* ---- Counters that are none -------------------------------------------- */

/* What COUNT? answers. */
static const struct counterRow {
	const char *kind;
	const char *why; /* It is no counter, or NULL. */
} counterRows[] = {
	{ "cycles", NULL },
	{ "zero", "it stays at 0" },
	{ "stuck", "it stays at 4711" },
	{ "halves", "it stays at " },
	{ "clock", "in one cycle it changes from " },
	{ "fraction", "not a number from 0 to 65535" },
	{ "error", "with the counter: " },
	{ "empty", "with the counter: " },
	{ "missing", "with the counter: " },
	{ "last", "it stays at 100" },
	{ "values", "with the counter: " },
	{ "channels", "with the counter: " },
	{ "once", "it stays at 0" },
};

/* What the file says of how its gaps were found. */
static void assertGapsFoundBy(const struct run *run, const char *expected)
{
	char *path = g_strdup_printf("%s_c_n1_Energy.stat", run->project);
	char *words = g_strdup_printf(" gapsFoundBy=\"%s\"", expected);
	char *content;
	gsize length;

	g_assert_true(g_file_get_contents(path, &content, &length, NULL));
	if (!g_strstr_len(content, (gssize)length, words))
		g_error("%s does not say%s", path, words);
	g_free(content);
	g_free(words);
	g_free(path);
}

/* All entries have the values that they should. */
static void assertConstant(const struct run *run, size_t count)
{
	struct testStatFile *file = runFile(run, 1);
	size_t entries = 0;

	for (size_t i = 0; i < file->count; i++) {
		if (file->entries[i].isGap)
			continue;
		assertValue(bigFloat(file->entries[i].values), 230);
		assertValue(bigFloat(file->entries[i].values + 8), 100);
		entries++;
	}
	g_assert_cmpuint(entries, >=, count);
	testStatFree(file);
}

/* The warning that there is no counter, once; or that nobody gave one. */
static void assertToldOnce(const char *why)
{
	const char *begin = "COUNT? does not count cycles (", *at, *next;

	pthread_mutex_lock(&saidMutex);
	at = strstr(said->str, begin);
	next = at ? strstr(at + 1, begin) : NULL;
	if (why ? !at || next || !g_str_has_prefix(at + strlen(begin), why)
		: at != NULL)
		g_error("%s was expected once, but: %s", why ? why : "nothing",
			said->str);
	pthread_mutex_unlock(&saidMutex);
}

/* Whatever it answers, there are values, and the file says how it was; only who
 * insists on a counter that cannot even be read has none. */
static void runCounter(const struct counterRow *row, const char *options,
		       const char *mode, const char *counter)
{
	char *general = g_strdup_printf("mode=%s\n%s\n", mode, counter);
	char *all = g_strconcat("--speedup=20 --baud=0 --counter=", row->kind,
				" ", options, NULL);
	char *name = g_strconcat(row->kind, "-", mode, "-", counter, NULL);
	const struct plan plan = { 1, 3, 50, general };
	bool isAuto = !strstr(counter, "off");
	struct run run;

	g_test_message("%s %s", name, options);
	runInit(&run, name, &plan, all, NULL);
	g_strdelimit(run.project, "=", '-');
	runCreateLoudly(&run, PT_SUCCESS);
	assertToldOnce(isAuto ? row->why : NULL);
	g_assert_cmpint(pt_startTracing(run.trace), ==, 0);
	runAwait(&run, 5);
	g_assert_cmpint(pt_stopTracing(run.trace), ==, 0);
	g_assert_cmpuint(runCounts(&run).errors, ==, 0);
	g_assert_cmpuint(runCounts(&run).reconnects, ==, 0);
	runEnd(&run);
	hdLogSetLevel(&ptLogger, HD_LOG_ERROR);
	assertGapsFoundBy(&run, isAuto && !row->why ? "counter" : "time");
	assertConstant(&run, 5);
	runClear(&run);
	g_free(name);
	g_free(all);
	g_free(general);
}

static void testCounter(gconstpointer data)
{
	const struct counterRow *row = data;

	bool isOdd = (row - counterRows) % 2;

	runCounter(row, isOdd ? "--blocks=one" : "--blocks=each", "packed", "");
	runCounter(row, "--no-digit=one", "ascii", "counter=auto");
}

/* The same without asking; all kinds are in test-lmg-driver.c. */
static void testCounterOff(void)
{
	runCounter(&counterRows[1], "--blocks=each", "packed", "counter=off");
	runCounter(&counterRows[6], "", "ascii", "counter=off");
}

/* Who says that it is a counter is believed, and told that it is none; all
 * kinds are in test-lmg-driver.c. */
static void testInsist(void)
{
	static const struct plan ascii = { 1, 3, 50, "mode=ascii\n" BELIEVED };
	int64_t until = hdMonotonicNow() + CLIENT_PATIENCE_S * S;
	bool isTold = false;
	struct run run;

	runInit(&run, "insist", &plain, "--counter=zero --baud=0", NULL);
	runCreateLoudly(&run, PT_SUCCESS);
	assertGapsFoundBy(&run, "counter");
	pt_startTracing(run.trace);
	while (!isTold) {
		g_usleep(1000);
		pthread_mutex_lock(&saidMutex);
		isTold = strstr(said->str, "duplicate or out of order");
		pthread_mutex_unlock(&saidMutex);
		g_assert_cmpint(hdMonotonicNow(), <, until);
	}
	hdLogSetLevel(&ptLogger, HD_LOG_ERROR);
	runClear(&run);

	runInit(&run, "insist-ascii", &ascii, "--counter=empty --baud=0", NULL);
	runCreateLoudly(&run, PT_EDEVICE);
	assertSaid("test reading: the ASCII values");
	hdLogSetLevel(&ptLogger, HD_LOG_ERROR);
	runClear(&run);
}

/* A counter that is one no more, while tracing: it goes on without. */
static void testCounterEnds(void)
{
	static const struct plan plan = { 1, 3, 50, "" };
	struct run run;

	/* After the trial, which takes 20 messages at the very most. */
	runInit(&run, "ends", &plan, "--speedup=5 --baud=0",
		"cycle 60: counter error");
	runCreateLoudly(&run, PT_SUCCESS);
	pt_startTracing(run.trace);
	for (uint64_t back = 0; back == 0;) {
		runAwait(&run, runCounts(&run).readings + 1);
		back = runCounts(&run).reconnects;
	}
	runAwait(&run, runCounts(&run).readings + 5);
	assertSaid(
		"LMG450: lost cycles are now found by time instead of counter");
	runEnd(&run);
	hdLogSetLevel(&ptLogger, HD_LOG_ERROR);
	assertGapsFoundBy(&run, "counter");
	assertConstant(&run, 6);
	runClear(&run);
}

/* Lost cycles, by time, in real time: of all messages those that were sent are
 * in the file, and after a loss there is a gap. */
static void testGapsByTime(gconstpointer options)
{
	static const struct plan plan = { 1, 3, 50, "" };
	struct testStatFile *file;
	bool hasGap = false;
	struct run run;
	GArray *list;
	guint at = 0;
	int owed = 0; /* Entries among which there must be a gap. */

	runInit(&run, g_test_get_path() + 1, &plan, options,
		"cycle 20: silent\ncycle 26-28: silent\ncycle 32: slow 35");
	runCreateLoudly(&run, PT_SUCCESS);
	pt_startTracing(run.trace);
	runAwait(&run, 26);
	runEnd(&run);
	assertGapsFoundBy(&run, "time");
	clientStop(&run.meter);
	list = readTruth(&run);
	file = runFile(&run, 1);
	for (size_t i = 0; i < file->count; i++) {
		float watts = bigFloat(file->entries[i].values + 8);
		const struct truth *truth;
		bool isLost = false;

		if (file->entries[i].isGap) {
			hasGap = true;
			continue;
		}
		/* Before the first one there was the trial. */
		for (;;) {
			g_assert_cmpuint(at, <, list->len);
			truth = &g_array_index(list, struct truth, at++);
			if (strcmp(truth->fate, "silent") == 0)
				isLost = true;
			else if (fabs((double)watts - truth->values[2]) <=
				 1e-4 * truth->values[2])
				break;
			else
				g_assert_cmpuint(at, <, 20);
		}
		/* On a busy machine one may be where none is, or later. */
		if (isLost && owed == 0)
			owed = 5;
		if (hasGap)
			owed = 0;
		g_assert_cmpint(owed, !=, 1);
		owed = MAX(owed - 1, 0);
		hasGap = false;
	}
	g_assert_cmpuint(at, >=, 33);
	g_array_free(list, TRUE);
	testStatFree(file);
	runClear(&run);
}

/* ---- Devices that are not as they should be ----------------------------- */

struct refusal {
	const char *name, *options, *script;
	const char *said;
};

static const struct refusal refusals[] = {
	{ "nobody", "", "command *IDN?: silent\nreply 1-: silent",
	  "no answer to *IDN?" },
	{ "another", "--identity=ZES,LMG95,1,2", "",
	  "not an LMG450: \"ZES,LMG95,1,2\"" },
	{ "no check", "", "reply 2: silent", "test reading" },
	{ "short check", "", "reply 2: values -1", "test reading" },
	{ "packed check", "", "reply 2: packed", "test reading" },
	{ "no ERRALL?", "", "reply 3: silent", "no answer to ERRALL?" },
	{ "error", "", "command CYCL: error -222,\"Data out of range\"",
	  "refused the setup: -222,\"Data out of range\"" },
};

/* The port of the simulator, or another one. */
static void assertRefused(struct run *run, int error, const char *words)
{
	int64_t began = hdMonotonicNow();
	char *file;

	runCreate(run, error);
	/* On a busy machine, too, not much more than two seconds. */
	g_assert_cmpint(hdMonotonicNow() - began, <, 30 * S);
	assertSaid(words);
	g_assert_null(run->trace);
	file = g_strconcat(run->project, "_c_n1_Energy.stat", NULL);
	g_assert_false(testExists(file));
	g_free(file);
}

static void testRefusal(gconstpointer data)
{
	const struct refusal *refusal = data;
	struct run run;

	runInit(&run, refusal->name, &plain, refusal->options, refusal->script);
	assertRefused(&run, PT_EDEVICE, refusal->said);
	runClear(&run);
}

static void testMissing(void)
{
	static const struct {
		const char *port;
		int error;
		const char *said;
	} rows[] = {
		{ "/nowhere/ttyUSB0", PT_EDEVICE, "No such file" },
		{ "/dev/null", PT_EDEVICE, "/dev/null: " },
		{ "tcp://127.0.0.1:1", PT_EDEVICE, "Connection refused" },
		{ "elsewhere:/dev/ttyUSB0", PT_EWRONGHOST, "elsewhere" },
		{ "ttyUSB0", PT_ECONFINVALID, "pt.cfg:3" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		struct run run;

		runInit(&run, "missing", &plain, NULL, NULL);
		run.port = g_strdup(rows[i].port);
		assertRefused(&run, rows[i].error, rows[i].said);
		runClear(&run);
	}
}

static void testBusy(void)
{
	struct run run, other;

	runInit(&run, "busy", &plain, "", NULL);
	runCreate(&run, PT_SUCCESS);
	runInit(&other, "other", &plain, NULL, NULL);
	other.port = clientPath(&run.meter, "meter");
	assertRefused(&other, PT_EDEVICE, "another program uses the port");
	runClear(&other);
	runClear(&run);
}

static void testForbidden(void)
{
	struct run run;
	int status;
	pid_t child;

	runInit(&run, "forbidden", &plain, "", NULL);
	g_assert_cmpint(chmod(run.meter.port, 0), ==, 0);
	writeConfig(&run);
	g_assert_cmpint(chmod(".", 0777), ==, 0);
	g_assert_cmpint(chmod("pt.cfg", 0644), ==, 0);
	g_assert_cmpint(chmod(run.meter.directory, 0755), ==, 0);
	child = fork();
	if (child == 0) {
		if (geteuid() == 0 && (setgroups(0, NULL) != 0 ||
				       setresuid(65534, 65534, 65534) != 0))
			_exit(77);
		_exit(pt_createTrace("pt.cfg", NULL, &run.trace) ==
					      PT_EDEVICE &&
				      strstr(said->str, "Permission denied") &&
				      !testExists("forbidden_c_n1_Energy.stat")
			      ? 0
			      : 1);
	}
	g_assert_cmpint(waitpid(child, &status, 0), ==, child);
	g_assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		g_test_skip("root that cannot be anybody else");
	else
		g_assert_cmpint(WEXITSTATUS(status), ==, 0);
	runClear(&run);
}

/* ---- Coming and going -------------------------------------------------- */

/* Unplugged, or switched off, and back. */
static void testBack(gconstpointer script)
{
	struct run run;

	runInit(&run, script, &plain, "--law=1:ramp:low=1,high=1000,period=600",
		script);
	g_strdelimit(run.project, ":", '-');
	runCreate(&run, PT_SUCCESS);
	hdLogSetLevel(&ptLogger, HD_LOG_WARNING);
	pt_startTracing(run.trace);
	runAwait(&run, 8);
	pt_stopTracing(run.trace);
	hdLogSetLevel(&ptLogger, HD_LOG_ERROR);
	g_assert_cmpuint(runCounts(&run).reconnects, ==, 1);
	assertSaid("LMG450: connection lost: ");
	assertSaid("LMG450: reconnected after ");
	runEnd(&run);
	runClear(&run);
}

/* Stopped, and started again; a meter that nobody stopped is taken over. */
static void testAgain(void)
{
	struct testStatFile *file;
	struct run run;
	size_t gaps = 0;

	runInit(&run, "again", &plain, "--tcp=0", NULL);
	runCreate(&run, PT_SUCCESS);
	for (uint64_t i = 1; i <= 3; i++) {
		g_assert_cmpint(pt_startTracing(run.trace), ==, 0);
		runAwait(&run, runCounts(&run).readings + 3);
		g_assert_cmpint(pt_stopTracing(run.trace), ==, 0);
	}
	g_assert_cmpuint(runCounts(&run).lost, ==, 0);
	g_assert_cmpuint(runCounts(&run).errors, ==, 0);
	runEnd(&run);
	file = runFile(&run, 1);
	for (size_t i = 0; i < file->count; i++)
		gaps += file->entries[i].isGap;
	g_assert_cmpuint(gaps, ==, 2);
	testStatFree(file);
	g_free(run.project);
	run.project = g_strdup("taken-over");
	clientOpen(&run.meter);
	clientSend(&run.meter, ":SYST:LANG SHORT\nACTN;UTRMS?\nCYCL 0.05\n"
			       "FRMT PACKED\nCONT ON\n");
	/* It sends. */
	clientExpect(&run.meter, "#500016", 7);
	clientClose(&run.meter);
	runCreate(&run, PT_SUCCESS);
	pt_startTracing(run.trace);
	runAwait(&run, 3);
	runClear(&run);
}

static int64_t clockStep;

static int steppedClock(clockid_t clock, struct timespec *now)
{
	clock_gettime(clock, now);
	now->tv_sec += __atomic_load_n(&clockStep, __ATOMIC_RELAXED);
	return 0;
}

/* The clock is set back by an hour: times do not decrease, and nothing is
 * missing. */
static void testClockBack(void)
{
	struct testStatFile *file;
	struct run run;
	int64_t last = 0;

	hdClockUse(steppedClock);
	runInit(&run, "clock", &plain, "", NULL);
	runCreate(&run, PT_SUCCESS);
	hdLogSetLevel(&ptLogger, HD_LOG_WARNING);
	pt_startTracing(run.trace);
	runAwait(&run, 4);
	__atomic_store_n(&clockStep, -3600, __ATOMIC_RELAXED);
	runAwait(&run, 9);
	hdLogSetLevel(&ptLogger, HD_LOG_ERROR);
	pt_stopTracing(run.trace);
	g_assert_cmpuint(runCounts(&run).lost, ==, 0);
	assertSaid("was set back");
	runEnd(&run);
	hdClockUse(hdClockSteady);
	file = runFile(&run, 1);
	g_assert_cmpuint(file->count, >=, 9);
	for (size_t i = 0; i < file->count; i++) {
		g_assert_cmpint(file->entries[i].time, >=, last);
		last = file->entries[i].time;
	}
	testStatFree(file);
	runClear(&run);
}

int main(int argc, char **argv)
{
	static const char *const scripts[] = {
		"cycle 3: unplug 0.3",
		"cycle 3: reboot 0.2",
	};

	testInit(&argc, &argv);
	said = g_string_new(NULL);
	ptLogger.print = takeMessage;
	g_test_add_func("/pt-lmg/ascii", testAscii);
	g_test_add_func("/pt-lmg/real-time", testRealTime);
	g_test_add_func("/pt-lmg/long-cycle", testLongCycle);
	g_test_add_func("/pt-lmg/no-counter", testNoCounter);
	for (size_t i = 0; i < G_N_ELEMENTS(faults); i++) {
		char *path =
			g_strconcat("/pt-lmg/fault/", faults[i].name, NULL);

		g_test_add_data_func(path, &faults[i], testFault);
		g_free(path);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(counterRows); i++) {
		char *path = g_strconcat("/pt-lmg/counter/",
					 counterRows[i].kind, NULL);

		g_test_add_data_func(path, &counterRows[i], testCounter);
		g_free(path);
	}
	g_test_add_func("/pt-lmg/counter-off", testCounterOff);
	g_test_add_func("/pt-lmg/insist", testInsist);
	g_test_add_func("/pt-lmg/counter-ends", testCounterEnds);
	g_test_add_data_func("/pt-lmg/gaps-by-time",
			     "--counter=zero --law=1:ramp:low=100,high=1000,"
			     "period=60",
			     testGapsByTime);
	g_test_add_data_func("/pt-lmg/gaps-by-time-drift",
			     "--counter=error --drift=60000 "
			     "--law=1:ramp:low=100,high=1000,period=60",
			     testGapsByTime);
	for (size_t i = 0; i < G_N_ELEMENTS(refusals); i++) {
		char *path =
			g_strconcat("/pt-lmg/refusal/", refusals[i].name, NULL);

		g_test_add_data_func(path, &refusals[i], testRefusal);
		g_free(path);
	}
	g_test_add_func("/pt-lmg/missing", testMissing);
	g_test_add_func("/pt-lmg/busy", testBusy);
	g_test_add_func("/pt-lmg/forbidden", testForbidden);
	g_test_add_data_func("/pt-lmg/unplugged", scripts[0], testBack);
	g_test_add_data_func("/pt-lmg/switched-off", scripts[1], testBack);
	g_test_add_func("/pt-lmg/again", testAgain);
	g_test_add_func("/pt-lmg/clock-back", testClockBack);
	return testRun();
}
