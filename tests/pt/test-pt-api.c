/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: threads smoke */
/* Power traces from creation to end: what is in the files, what is said, and
 * what is left behind. */
#include "config.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "PowerTracingLibrary/src/core/ptlog.h"
#include "PowerTracingLibrary/src/trace.h"
#include "common/clock.h"
#include "tests/lib/leftover.h"
#include "tests/lib/statfile.h"
#include "tests/lib/testlib.h"
#include "tests/pt/meter.h"

#define S INT64_C(1000000000)
#define T0 (INT64_C(1700000000) * S)

#define CONFIG                                           \
	"[General]\ndevice=Meter\ncycle=100\ndelay=50\n" \
	"topology=Cluster_Host\n"                        \
	"[Trace]\ntype=HDSTATS\nnode=c_n1\nchannel=1\nvalues=P,E,N\n"
#define MORE                                                      \
	"[Trace]\ntype=HDSTATS\nnode=c_n2\nchannel=2\nvalues=P\n" \
	"[Trace]\ntype=HDSTATS\nnode=c_n2\nchannel=3\nvalues=U,P\n"

static GString *messages;
static pthread_mutex_t messagesMutex = PTHREAD_MUTEX_INITIALIZER;

static void catch (enum hdLogLevel level, const char *text)
{
	pthread_mutex_lock(&messagesMutex);
	g_string_append_printf(messages, "%d %s\n", (int)level, text);
	pthread_mutex_unlock(&messagesMutex);
}

/* Without waiting for the disk. */
static void writeConfig(const char *text)
{
	g_unlink("pt.cfg");
	g_assert_true(g_file_set_contents_full(
		"pt.cfg", text, -1, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
}

/* Create a trace from the configuration that was written last. */
static PowerTrace *createAgain(const char *project, int expected)
{
	struct ptRequest request = { .file = "pt.cfg",
				     .drivers = testDrivers,
				     .root = "",
				     .depth = -1,
				     .project = project };
	struct ptConfig config;
	PowerTrace *trace = NULL;

	testMeterReset();
	g_string_truncate(messages, 0);
	g_assert_cmpint(ptConfigRead(&request, &config), ==, 0);
	g_assert_cmpint(ptTraceCreate(&config, NULL, "", &trace), ==, expected);
	ptConfigClear(&config);
	return trace;
}

static PowerTrace *createText(const char *text, const char *project,
			      int expected)
{
	writeConfig(text);
	return createAgain(project, expected);
}

static PowerTrace *create(const char *project)
{
	return createText(CONFIG MORE, project, 0);
}

/* Wait for what other threads do; they may be slow, but not for ever. */
#define WAIT_FOR(condition)                                           \
	do {                                                          \
		int64_t until_ = hdMonotonicNow() + 60 * S;           \
		while (!(condition)) {                                \
			g_assert_cmpint(hdMonotonicNow(), <, until_); \
			g_usleep(200);                                \
		}                                                     \
	} while (0)

static struct ptCounts counts(PowerTrace *trace)
{
	struct ptCounts now;

	ptTraceCounts(trace, &now);
	return now;
}

static void checkEntry(const struct testStatFile *stat, size_t index,
		       int64_t time)
{
	g_assert_cmpuint(index, <, stat->count);
	g_assert_false(stat->entries[index].isGap);
	g_assert_cmpint(stat->entries[index].time, ==, time);
}

static void checkGap(const struct testStatFile *stat, size_t index,
		     int64_t time)
{
	g_assert_cmpuint(index, <, stat->count);
	g_assert_true(stat->entries[index].isGap);
	g_assert_cmpint(stat->entries[index].time, ==, time);
}

/* A meter that goes its own pace says so, and the core does. */
static void testOwnCycle(void)
{
	static const struct {
		const char *config;
		int64_t found, cycle;
		const char *message;
	} rows[] = {
		{ CONFIG, 0, S / 10, "" },
		{ CONFIG, S / 10, S / 10, "" },
		{ CONFIG, S, S,
		  "2 Meter: the meter gives a reading every 1000 ms (1 Hz), "
		  "not "
		  "every 100 ms\n" },
		{ "[General]\ndevice=Raw\ntopology=Host\n"
		  "[Trace]\ntype=HDSTATS\nnode=n\nchannel=1\nvalues=N\n",
		  S / 4, S / 4, "" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		struct ptRequest request = { .file = "pt.cfg",
					     .drivers = testDrivers,
					     .root = "",
					     .depth = -1,
					     .project = "own-cycle" };
		struct ptConfig config;
		struct ptMeter meter;

		writeConfig(rows[i].config);
		g_string_truncate(messages, 0);
		testMeterReset();
		testMeterSet(cycleNs, rows[i].found);
		g_assert_cmpint(ptConfigRead(&request, &config), ==, 0);
		g_assert_cmpint(ptMeterInit(&meter, &config, "", -1), ==, 0);
		g_assert_cmpint(ptMeterOpen(&meter), ==, 0);
		g_assert_cmpint(ptMeterCycle(&meter), ==, rows[i].cycle);
		g_assert_cmpstr(messages->str, ==, rows[i].message);
		ptMeterClose(&meter);
		ptConfigClear(&config);
	}
}

static float asFloat(const unsigned char *bytes)
{
	uint32_t bits = testBig32(bytes);
	float number;

	memcpy(&number, &bits, sizeof(number));
	return number;
}

static double asDouble(const unsigned char *bytes)
{
	uint64_t bits = testBig64(bytes);
	double number;

	memcpy(&number, &bits, sizeof(number));
	return number;
}

/* Two nodes, four types of values, and every kind of gap. */
static void testEntries(void)
{
	PowerTrace *trace = create("entries");
	const int64_t ms = S / 1000, delay = 50 * ms;
	struct testStatFile *stat;
	const unsigned char *values;
	char *text;
	gsize length;
	g_autofree char *clock = NULL;
	struct ptResult result;

	g_assert_cmpint(pt_startTracing(trace), ==, 0);
	g_assert_cmpint(pt_startTracing(trace), ==, 1);
	g_assert_cmpint(testMeterGet(starts), ==, 1);
	testMeterGive(0, T0 + 100 * ms, 100 * ms, 0);
	testMeterGive(0, T0 + 201 * ms, 100 * ms, 0);
	/* Lost cycles; nonsense; silence. */
	testMeterGive(0, T0 + 500 * ms, 100 * ms, 2);
	testMeterGive(-EPROTO, 0, 0, 0);
	testMeterGive(0, T0 + 700 * ms, 100 * ms, 1);
	testMeterGive(-ETIMEDOUT, 0, 0, 0);
	testMeterGive(-EPROTO, 0, 0, 0);
	testMeterGive(0, T0 + 1000 * ms, 100 * ms, 0);
	/* A reading that covers what an error left out leaves no gap. */
	testMeterGive(-EPROTO, 0, 0, 0);
	testMeterGive(0, T0 + 1200 * ms, 200 * ms, 0);
	WAIT_FOR(counts(trace).readings == 6);
	g_assert_cmpint(pt_stopTracing(trace), ==, 0);
	g_assert_cmpint(pt_stopTracing(trace), ==, 1);
	g_assert_cmpint(testMeterGet(stops), ==, 1);
	g_assert_cmpint(pt_startTracing(trace), ==, 0);
	testMeterGive(0, T0 + 2000 * ms, 100 * ms, 0);
	WAIT_FOR(counts(trace).readings == 7);
	/* The clock is set back; time in the file does not decrease. */
	testMeterGive(0, T0 - 5 * S, 100 * ms, 0);
	testMeterGive(0, T0 + 2100 * ms, 100 * ms, 0);
	WAIT_FOR(counts(trace).readings == 9);
	g_assert_cmpuint(counts(trace).errors, ==, 4);
	g_assert_cmpuint(counts(trace).lost, ==, 3);
	g_assert_cmpuint(counts(trace).reconnects, ==, 0);
	/* P of channel 1 is 1000 + 100, 201, 500, ...; over the entries as the
	 * file has them, so the second one is longer than its reading, and that
	 * which went back has no length. */
	result = ptTraceResult(trace, 0);
	g_assert_cmpint(result.total.coveredNs, ==, 901 * ms);
	g_assert_cmpfloat_with_epsilon(result.total.sum,
				       1000 * 0.901 + 100 * 0.1 + 201 * 0.101 +
					       500 * 0.1 + 700 * 0.1 +
					       200 * 0.2 + 100 * 0.1,
				       1e-6);
	g_assert_cmpint(result.durationNs, ==, 2100 * ms);
	g_assert_cmpint(pt_finalizeTrace(trace), ==, 0);
	g_assert_cmpint(testMeterGet(stops), ==, 2);
	g_assert_cmpint(testMeterGet(closes), ==, 1);
	g_assert_nonnull(strstr(messages->str,
				"9 readings, 3 cycles lost, 4 errors, 0 "
				"reconnects, 0 late, 1 times set back"));

	g_assert_true(g_file_get_contents("entries_c_n1_Energy.stat", &text,
					  &length, NULL));
	g_assert_nonnull(g_strstr_len(text, (gssize)length,
				      " delayApplied=\"0.050000000\""));
	g_free(text);
	stat = testStatRead("entries_c_n1_Energy.stat");
	g_assert_cmpint(stat->init, ==, T0 - delay);
	checkEntry(stat, 0, T0 + 100 * ms - delay);
	checkEntry(stat, 1, T0 + 201 * ms - delay);
	checkGap(stat, 2, T0 + 400 * ms - delay);
	checkEntry(stat, 3, T0 + 500 * ms - delay);
	checkGap(stat, 4, T0 + 600 * ms - delay);
	checkEntry(stat, 5, T0 + 700 * ms - delay);
	checkGap(stat, 6, T0 + 900 * ms - delay);
	checkEntry(stat, 7, T0 + 1000 * ms - delay);
	checkEntry(stat, 8, T0 + 1200 * ms - delay);
	checkGap(stat, 9, T0 + 1900 * ms - delay);
	checkEntry(stat, 10, T0 + 2000 * ms - delay);
	checkEntry(stat, 11, T0 + 2000 * ms - delay);
	checkEntry(stat, 12, T0 + 2100 * ms - delay);
	g_assert_cmpuint(stat->count, ==, 13);
	values = stat->entries[1].values;
	g_assert_cmpuint(stat->entries[1].length, ==, 4 + 8 + 8);
	g_assert_cmpfloat(asFloat(values), ==, 1201);
	g_assert_cmpfloat(asDouble(values + 4), ==, 1201);
	g_assert_cmpuint(testBig64(values + 12), ==, 1201);
	g_assert_nonnull(strstr(stat->header, "device=\"Meter\""));
	g_assert_nonnull(strstr(stat->header,
				"<Value name=\"P\" type=\"FLOAT\" unit=\"W\" "
				"grouping=\"Power\" kind=\"gauge\" "
				"source=\"test &lt;1&gt;\" />"));
	/* The times are of this host, not of the node's. */
	clock = g_strdup_printf("clockNode=\"c_%s\"", g_get_host_name());
	g_assert_nonnull(strstr(stat->header, clock));
	testStatFree(stat);

	stat = testStatRead("entries_c_n2_Energy.stat");
	g_assert_cmpuint(stat->count, ==, 13);
	g_assert_cmpuint(stat->entries[0].length, ==, 12);
	g_assert_cmpfloat(asFloat(stat->entries[0].values), ==, 2100);
	g_assert_cmpfloat(asFloat(stat->entries[0].values + 8), ==, 3100);
	g_assert_nonnull(strstr(stat->header, "name=\"P_in2\""));
	g_assert_nonnull(strstr(stat->header, "resolution=\"1 mW\""));
	g_assert_nonnull(strstr(stat->header,
				"<Value name=\"U_in3\" type=\"FLOAT\" "
				"unit=\"V\" grouping=\"Voltage\" "
				"kind=\"gauge\" "
				"source=\"test &lt;1&gt;\" "
				"simulated=\"yes\" />"));
	testStatFree(stat);
}

/* A device that vanishes: one warning, and the trace goes on. */
static void testLost(void)
{
	PowerTrace *trace = create("lost");
	struct testStatFile *stat;

	pt_startTracing(trace);
	testMeterGive(0, T0 + 1 * S, S, 0);
	WAIT_FOR(counts(trace).readings == 1);
	testMeterSet(openResult, -ENODEV);
	testMeterGive(-ENODEV, 0, 0, 0);
	/* Several attempts fail. */
	WAIT_FOR(testMeterGet(opens) == 3);
	g_assert_cmpint(testMeterGet(closes), ==, 1);
	testMeterSet(openResult, 0);
	WAIT_FOR(counts(trace).reconnects == 1);
	testMeterGive(0, T0 + 9 * S, S, 0);
	WAIT_FOR(counts(trace).readings == 2);
	/* Silence is a reason to begin anew, too. */
	for (int i = 0; i < 3; i++)
		testMeterGive(-ETIMEDOUT, 0, 0, 0);
	WAIT_FOR(counts(trace).reconnects == 2);
	testMeterGive(0, T0 + 20 * S, S, 0);
	WAIT_FOR(counts(trace).readings == 3);
	/* And if it cannot be started. */
	g_assert_cmpint(pt_stopTracing(trace), ==, 0);
	testMeterSet(startResult, -EIO);
	g_assert_cmpint(pt_startTracing(trace), ==, 0);
	testMeterSet(startResult, 0);
	testMeterGive(0, T0 + 30 * S, S, 0);
	WAIT_FOR(counts(trace).readings == 4);
	g_assert_cmpuint(counts(trace).reconnects, ==, 3);
	/* Or stopped. */
	testMeterSet(stopResult, -EIO);
	g_assert_cmpint(pt_stopTracing(trace), ==, 0);
	testMeterSet(stopResult, 0);
	g_assert_cmpint(pt_finalizeTrace(trace), ==, PT_EDEVICE);
	g_assert_cmpint(testMeterGet(closes), ==, 5 - 1);

	g_assert_true(g_str_has_prefix(
		messages->str,
		"2 Meter: connection lost: No such device; continuing when it "
		"is back\n2 Meter: reconnected after "));
	g_assert_nonnull(
		strstr(messages->str,
		       "\n2 Meter: connection lost: no data; continuing "));
	stat = testStatRead("lost_c_n1_Energy.stat");
	g_assert_cmpuint(stat->count, ==, 7);
	checkEntry(stat, 0, T0 + 1 * S - S / 20);
	checkGap(stat, 1, T0 + 8 * S - S / 20);
	checkEntry(stat, 2, T0 + 9 * S - S / 20);
	checkGap(stat, 3, T0 + 19 * S - S / 20);
	checkEntry(stat, 4, T0 + 20 * S - S / 20);
	checkGap(stat, 5, T0 + 29 * S - S / 20);
	checkEntry(stat, 6, T0 + 30 * S - S / 20);
	testStatFree(stat);
}

/* Whoever waits for a device is woken. */
static void testPrompt(void)
{
	int64_t began = hdMonotonicNow();
	PowerTrace *trace = create("prompt");

	/* In read(). */
	pt_startTracing(trace);
	pt_stopTracing(trace);
	pt_startTracing(trace);
	/* In the pause before the next attempt, soon 4 s long. */
	testMeterSet(openResult, -ENODEV);
	testMeterGive(-ENODEV, 0, 0, 0);
	WAIT_FOR(testMeterGet(opens) == 5);
	pt_stopTracing(trace);
	pt_startTracing(trace);
	g_assert_cmpint(pt_finalizeTrace(trace), ==, PT_EDEVICE);
	/* Less than a second is meant, beside the 3.75 s of four attempts. */
	g_assert_cmpint(hdMonotonicNow() - began, <, 60 * S);
}

static void testErrors(void)
{
	PowerTrace *trace = NULL;
	char host[] = "[General]\nport=node-that-is-elsewhere:\ndevice=Meter\n"
		      "cycle=1\ntopology=Host\n"
		      "[Trace]\ntype=HDSTATS\nnode=n\nchannel=1\nvalues=P\n";
	int files, entries;

	testMeterReset();
	files = testCountFiles("/proc/self/fd");
	g_assert_cmpint(pt_startTracing(NULL), ==, 2);
	g_assert_cmpint(pt_stopTracing(NULL), ==, 2);
	g_assert_cmpint(pt_finalizeTrace(NULL), ==, PT_SUCCESS);
	g_assert_null(pt_getHostname(NULL));
	testGives(PT_ESYNTAX, pt_createTrace(NULL, NULL, &trace));
	testGives(PT_ESYNTAX, pt_createTrace("pt.cfg", NULL, NULL));
	g_assert_cmpint(pt_createTrace("none.cfg", NULL, &trace), ==,
			PT_ECONFNOTFOUND);
	g_assert_true(g_file_set_contents("pt.cfg", "", -1, NULL));
	g_assert_cmpint(pt_createTrace("pt.cfg", NULL, &trace), ==,
			PT_ECONFINVALID);
	g_assert_null(trace);

	createText(host, "errors", PT_EWRONGHOST);
	g_assert_nonnull(strstr(messages->str, "node-that-is-elsewhere"));
	/* Nothing is left of a trace that could not be made. */
	entries = testCountFiles(".");
	g_assert_true(
		g_file_set_contents("errors_c_n2_Energy.stat", "", 0, NULL));
	createText(CONFIG MORE, "errors", PT_EHDLIB);
	g_assert_cmpint(errno, ==, HD_ERR_CREATE_FILE);
	/* libhdStats has said it, with the name of the file. */
	g_assert_null(strstr(messages->str, "1 node"));
	g_assert_cmpint(testMeterGet(opens), ==, 1);
	g_assert_cmpint(testMeterGet(closes), ==, 1);
	g_assert_cmpint(g_unlink("errors_c_n2_Energy.stat"), ==, 0);
	createText(CONFIG MORE, "no/such/directory", PT_EHDLIB);
	g_assert_cmpint(testCountFiles("."), ==, entries);
	g_assert_cmpint(testCountFiles("/proc/self/fd"), ==, files);
}

/* The caller's topology is used, and still there afterwards. */
static void testTopology(void)
{
	const char *levels[] = { "Cluster", "Host" }, *path[] = { "c" };
	hdTopology *topology = hdT_createTopology("mine", levels, 2);
	struct ptRequest request = { .file = "pt.cfg",
				     .drivers = testDrivers,
				     .root = "",
				     .depth = hdT_getTopoDepth(topology) - 1 };
	struct ptConfig config;
	PowerTrace *trace;
	hdTopoNode *node;

	testMeterReset();
	g_assert_true(g_file_set_contents(
		"pt.cfg",
		"[General]\ndevice=Meter\ncycle=1\nport=localhost:\n"
		"[Trace]\ntype=HDSTATS\nnode=c_n\nchannel=1\nvalues=P\n",
		-1, NULL));
	g_assert_cmpint(ptConfigRead(&request, &config), ==, 0);
	g_assert_cmpint(ptTraceCreate(&config, topology, "", &trace), ==, 0);
	g_assert_cmpstr(pt_getHostname(trace), ==, "localhost");
	g_assert_cmpint(pt_finalizeTrace(trace), ==, 0);
	g_assert_true(testExists("mine_c_n_Energy.stat"));
	node = hdT_createTopoNode(topology, path, 1);
	g_assert_nonnull(node);
	hdT_destroyTopoNode(node);
	g_assert_cmpint(hdT_destroyTopology(topology), ==, 0);
}

/* A device that this host samples. */
static void testHost(void)
{
	char text[] = "[General]\ndevice=Host\ncycle=1\ntopology=Host\n"
		      "[Trace]\ntype=HDSTATS\nnode=n\nchannel=2\nvalues=N\n";
	PowerTrace *trace = createText(text, "host", 0);
	struct testStatFile *stat;
	size_t gaps = 0;
	int64_t last;

	g_assert_cmpint(pt_startTracing(trace), ==, 0);
	g_assert_cmpint(pt_startTracing(trace), ==, 1);
	WAIT_FOR(counts(trace).readings >= 3);
	g_assert_cmpint(pt_stopTracing(trace), ==, 0);
	g_assert_cmpint(pt_stopTracing(trace), ==, 1);
	g_assert_cmpint(pt_startTracing(trace), ==, 0);
	WAIT_FOR(counts(trace).readings >= 10);
	testMeterGive(-ENODEV, 0, 0, 0);
	WAIT_FOR(counts(trace).reconnects == 1);
	g_assert_cmpint(pt_finalizeTrace(trace), ==, 0);
	g_assert_cmpint(testMeterGet(opens), ==, 2);
	g_assert_cmpint(testMeterGet(closes), ==, 2);
	stat = testStatRead("host_n_Energy.stat");
	last = stat->init;
	for (size_t i = 0; i < stat->count; i++) {
		g_assert_cmpint(stat->entries[i].time, >=, last);
		last = stat->entries[i].time;
		gaps += stat->entries[i].isGap;
	}
	g_assert_cmpuint(gaps, ==, 2);
	/* The last one ends the interval that had begun. */
	g_assert_false(stat->entries[stat->count - 1].isGap);
	testStatFree(stat);
}

/* ---- Threads, processes, cycles ---------------------------------------- */

static void *startAndStop(void *data)
{
	PowerTrace *trace = data;

	for (int i = 0; i < 300; i++) {
		int ret =
			i % 2 ? pt_stopTracing(trace) : pt_startTracing(trace);

		g_assert_cmpint(ret, >=, 0);
		g_assert_cmpint(ret, <=, 1);
		if (i % 10 == 0)
			testMeterGive(i % 30 ? 0 : -EPROTO, hdClockNow(), 1, 0);
		pt_getHostname(trace);
		counts(trace);
	}
	return NULL;
}

static void testThreads(void)
{
	static const char *const devices[] = { "Meter", "Host" };

	for (size_t i = 0; i < G_N_ELEMENTS(devices); i++) {
		char *text = g_strdup_printf(
			"[General]\ndevice=%s\ncycle=1\ntopology=Host\n"
			"[Trace]\ntype=HDSTATS\nnode=n\nchannel=*\n"
			"values=P\n",
			devices[i]);
		PowerTrace *trace = createText(text, devices[i], 0);
		pthread_t threads[4];

		for (size_t j = 0; j < G_N_ELEMENTS(threads); j++)
			g_assert_cmpint(pthread_create(&threads[j], NULL,
						       startAndStop, trace),
					==, 0);
		for (size_t j = 0; j < G_N_ELEMENTS(threads); j++)
			pthread_join(threads[j], NULL);
		/* In whatever state it is: lost, or not. */
		g_assert_cmpint(pt_finalizeTrace(trace) % PT_EDEVICE, ==, 0);
		g_free(text);
	}
}

/* start, stop and finalize in every order, each by a thread of its own. */
static void *callOne(void *data)
{
	PowerTrace **trace = data;

	if (trace[1])
		pt_finalizeTrace(trace[0]);
	else if (trace[2])
		pt_stopTracing(trace[0]);
	else
		pt_startTracing(trace[0]);
	return NULL;
}

static void testOrders(void)
{
	/* s: start, t: stop; finalize follows. */
	static const char *const orders[] = { "",    "s",   "t",    "st",
					      "ts",  "ss",  "tt",   "sts",
					      "tst", "sst", "stst", "sstt" };

	for (size_t i = 0; i < G_N_ELEMENTS(orders); i++) {
		char *name = g_strdup_printf("order%zu", i);
		PowerTrace *trace = create(name);

		for (const char *at = orders[i];; at++) {
			void *call[] = { trace, *at ? NULL : trace,
					 *at == 't' ? trace : NULL };
			pthread_t thread;

			pthread_create(&thread, NULL, callOne, call);
			pthread_join(thread, NULL);
			if (!*at)
				break;
		}
		g_assert_cmpint(testMeterGet(starts), ==, testMeterGet(stops));
		g_assert_cmpint(testMeterGet(closes), ==, 1);
		g_free(name);
	}
}

static void cycle(void)
{
	PowerTrace *trace = createAgain("cycles", 0);

	pt_startTracing(trace);
	g_assert_cmpint(pt_finalizeTrace(trace), ==, 0);
	/* Cheaper than to replace it. */
	g_assert_cmpint(g_unlink("cycles_c_n1_Energy.stat"), ==, 0);
}

/* Leaves no descriptor and no thread behind; memory is for the sanitizer. */
static void testCycles(void)
{
	int files, threads;

	writeConfig(CONFIG);
	cycle();
	files = testCountFiles("/proc/self/fd");
	threads = testCountFiles("/proc/self/task");
	for (int i = 0; i < 10000; i++)
		cycle();
	g_assert_cmpint(testCountFiles("/proc/self/fd"), ==, files);
	testWaitThreads(threads);
}

/* A child may finalize what it inherited; the device is the parent's. */
static void testFork(void)
{
	PowerTrace *trace = create("fork");
	struct testStatFile *stat;
	int status;
	pid_t child;

	pt_startTracing(trace);
	child = fork();
	if (child == 0) {
		alarm(60);
		if (pt_startTracing(trace) != 2 || pt_stopTracing(trace) != 2)
			_exit(1);
		if (pt_finalizeTrace(trace) != 0)
			_exit(2);
		_exit(testMeter.closes + testMeter.stops);
	}
	g_assert_cmpint(waitpid(child, &status, 0), ==, child);
	g_assert_cmpint(status, ==, 0);
	testMeterGive(0, T0 + S, S, 0);
	WAIT_FOR(counts(trace).readings == 1);
	g_assert_cmpint(pt_finalizeTrace(trace), ==, 0);
	stat = testStatRead("fork_c_n1_Energy.stat");
	g_assert_cmpuint(stat->count, ==, 1);
	testStatFree(stat);
}

static bool hasSaid(const char *words)
{
	bool has;

	pthread_mutex_lock(&messagesMutex);
	has = strstr(messages->str, words) != NULL;
	pthread_mutex_unlock(&messagesMutex);
	return has;
}

/* A program closes all that is open and opens its own. Without what wakes it
 * the thread neither runs for ever nor writes into the program's files. */
static void testTaken(void)
{
	static const char text[] = "12345678";
	bool taken[TEST_DESCRIPTORS];
	PowerTrace *trace;
	int own;

	/* Its pipe keeps its numbers. */
	testMeterReset();
	own = open("own", O_RDWR | O_CREAT, 0600);
	g_assert_cmpint(write(own, text, strlen(text)), ==, strlen(text));
	testNoteDescriptors(taken);
	trace = create("taken");
	g_assert_cmpint(testTakeDescriptors(taken, own), >, 2);
	pt_startTracing(trace);
	WAIT_FOR(hasSaid("the program has closed our file "
			 "descriptor; measuring has stopped"));
	g_assert_cmpint(pt_stopTracing(trace), ==, 0);
	g_assert_cmpint(pt_startTracing(trace), ==, 0);
	pt_finalizeTrace(trace);
	g_assert_cmpint(testMeter.closes, ==, 1);
	testCheckTaken(taken, "own", text);
	close(own);
}

int main(int argc, char **argv)
{
	testInit(&argc, &argv);
	messages = g_string_new(NULL);
	g_setenv("PT_VERBOSITY", "2", TRUE);
	hdLogSetVerbosity(&ptLogger, "2");
	ptLogger.print = catch;
	g_test_add_func("/pt/api/entries", testEntries);
	g_test_add_func("/pt/api/own-cycle", testOwnCycle);
	g_test_add_func("/pt/api/lost", testLost);
	g_test_add_func("/pt/api/prompt", testPrompt);
	g_test_add_func("/pt/api/errors", testErrors);
	g_test_add_func("/pt/api/topology", testTopology);
	g_test_add_func("/pt/api/host", testHost);
	g_test_add_func("/pt/api/threads", testThreads);
	g_test_add_func("/pt/api/orders", testOrders);
	g_test_add_func("/pt/api/cycles", testCycles);
	g_test_add_func("/pt/api/fork", testFork);
	g_test_add_func("/pt/api/taken", testTaken);
	return testRun();
}
