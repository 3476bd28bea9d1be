/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: threads */
/* What probes count is in the files, exactly, whoever resets meanwhile; and
 * measurements are states where that is asked. Files are read by code that
 * shares nothing with the libraries; the clocks are the test's. */
#include "config.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <hdError.h>
#include <hdProbe.h>
#include <hdProbeTrace.h>

#include "InstrumentationLibrary/src/clock.h"
#include "common/environment.h"
#include "common/perf.h"
#include "tests/lib/fakeperf.h"
#include "tests/lib/statfile.h"
#include "tests/lib/testlib.h"
#include "tests/lib/tracefile.h"

#define SECOND INT64_C(1000000000)
#define BEGIN (1000 * SECOND)

static _Thread_local uint64_t now = 1000;

static uint64_t fakeClock(void)
{
	return now;
}

static hdTopology *topologyOf(const char *project, int levels)
{
	const char *names[] = { "Host", "Process", "Thread" };
	hdTopology *topology = hdT_createTopology(project, names, levels);

	g_assert_nonnull(topology);
	return topology;
}

/* Start in a project of the test's: host h, process 7; on demand. */
static hdTopology *start(const char *project, const char *states)
{
	const char *path[] = { "h", "7" };
	hdTopology *topology = topologyOf(project, 3);
	struct hdProbeTraceOptions options = {
		.topology = topology,
		.path = path,
		.pathLength = 2,
		.interval = -1,
		.states = states,
	};

	testClockSet(BEGIN, 0);
	testWorks(hdProbe_traceStart(&options));
	/* Labels are copied. */
	path[0] = path[1] = NULL;
	return topology;
}

static void stop(hdTopology *topology)
{
	testWorks(hdProbe_traceStop());
	hdT_destroyTopology(topology);
}

static void measure(struct hdProbe *probe, uint64_t ticks)
{
	uint64_t begin = hdProbe_start(probe);

	now += ticks;
	hdProbe_stop(probe, begin);
}

/* 4 us of dispatch, 7 us of body. */
static void runKernel(struct hdProbe *probe)
{
	struct hdProbeSpan span;

	hdProbe_dispatchStart(probe, &span);
	now += 3000;
	hdProbe_bodyStart(&span);
	now += 7000;
	hdProbe_bodyStop(&span);
	now += 1000;
	hdProbe_dispatchStop(probe, &span);
}

/* ---- Reading ---------------------------------------------------------------
 */

/* Value number @p i of an entry; all have eight bytes. */
static uint64_t bitsAt(const struct testStatFile *file, size_t entry, size_t i)
{
	g_assert_cmpuint(entry, <, file->count);
	g_assert_false(file->entries[entry].isGap);
	return testBig64(file->entries[entry].values + 8 * i);
}

static int64_t integerAt(const struct testStatFile *file, size_t entry,
			 size_t i)
{
	g_assert_cmpint(file->types[i], ==, INT64);
	return (int64_t)bitsAt(file, entry, i);
}

static double numberAt(const struct testStatFile *file, size_t entry, size_t i)
{
	uint64_t bits = bitsAt(file, entry, i);
	double number;

	g_assert_cmpint(file->types[i], ==, DOUBLE);
	memcpy(&number, &bits, sizeof(number));
	return number;
}

static void near(double value, double expected)
{
	if (!(fabs(value - expected) <= 1e-12 * fabs(expected)))
		g_error("%.17g is not %.17g", value, expected);
}

static int64_t sumOfIntegers(const struct testStatFile *file, size_t value)
{
	int64_t sum = 0;

	for (size_t i = 0; i < file->count; i++)
		sum += integerAt(file, i, value);
	return sum;
}

static double sumOfNumbers(const struct testStatFile *file, size_t value)
{
	double sum = 0;

	for (size_t i = 0; i < file->count; i++)
		sum += numberAt(file, i, value);
	return sum;
}

enum { INSTANCES, BODY, MISSED, MEAN, P99, DISPATCH };
#define AMOUNT BODY

/* ---- Aggregates ------------------------------------------------------------
 */

static void checkKernel(void)
{
	struct testStatFile *file =
		testStatRead("totals_h_7_Probe-assign.stat");

	g_assert_nonnull(strstr(file->header, "probe=\"assign\""));
	g_assert_nonnull(strstr(file->header, "probeKind=\"kernel\""));
	g_assert_nonnull(strstr(file->header, "name=\"Dispatch\""));
	g_assert_cmpuint(file->typeCount, ==, 6);
	g_assert_cmpint(file->init, ==, BEGIN);
	g_assert_cmpuint(file->count, ==, 4);
	g_assert_cmpint(file->entries[0].time, ==, BEGIN + SECOND);
	g_assert_cmpint(file->entries[3].time, ==, BEGIN + 4 * SECOND);
	g_assert_cmpint(integerAt(file, 0, INSTANCES), ==, 100);
	near(numberAt(file, 0, BODY), 100 * 7e-6);
	near(numberAt(file, 0, DISPATCH), 100 * 4e-6);
	near(numberAt(file, 0, MEAN), 7e-6);
	/* Within 1/32, as hdProbe_quantile() says. */
	g_assert_cmpfloat(fabs(numberAt(file, 0, P99) - 7e-6), <, 7e-6 / 32);
	g_assert_cmpint(integerAt(file, 0, MISSED), ==, 0);
	/* What was reset by others in between is not lost. */
	g_assert_cmpint(integerAt(file, 1, INSTANCES), ==, 50);
	g_assert_cmpint(integerAt(file, 2, INSTANCES), ==, 0);
	g_assert_cmpfloat(numberAt(file, 2, BODY), ==, 0);
	g_assert_true(isnan(numberAt(file, 2, MEAN)));
	g_assert_cmpint(integerAt(file, 3, INSTANCES), ==, 1);
	g_assert_cmpint(sumOfIntegers(file, INSTANCES), ==, 151);
	near(sumOfNumbers(file, BODY), 151 * 7e-6);
	near(sumOfNumbers(file, DISPATCH), 151 * 4e-6);
	testStatFree(file);
}

/* One that came later, and one that is no time. */
static void checkLater(void)
{
	struct testStatFile *file =
		testStatRead("totals_h_7_Probe-read-splitYUV.stat");

	g_assert_nonnull(strstr(file->header, "probe=\"read/splitYUV\""));
	g_assert_nonnull(strstr(file->header, "probeKind=\"timer\""));
	g_assert_cmpuint(file->typeCount, ==, 5);
	g_assert_cmpint(file->init, ==, BEGIN + SECOND);
	g_assert_cmpuint(file->count, ==, 3);
	g_assert_cmpint(integerAt(file, 0, INSTANCES), ==, 1);
	g_assert_cmpint(integerAt(file, 0, MISSED), ==, 1);
	near(sumOfNumbers(file, BODY), 2e-6);
	testStatFree(file);
	file = testStatRead("totals_h_7_Probe-read-splitYUV-2.stat");
	g_assert_nonnull(strstr(file->header, "probe=\"read splitYUV\""));
	testStatFree(file);
	file = testStatRead("totals_h_7_Probe-assign-refine.stat");
	g_assert_nonnull(strstr(file->header, "probeTo=\"refine\""));
	g_assert_cmpuint(file->typeCount, ==, 2);
	g_assert_cmpint(sumOfIntegers(file, INSTANCES), ==, 3);
	g_assert_cmpfloat(sumOfNumbers(file, AMOUNT), ==, 3 * 4096);
	testStatFree(file);
	file = testStatRead("totals_h_7_Probe-points.stat");
	g_assert_nonnull(strstr(file->header, "probeKind=\"counter\""));
	g_assert_cmpfloat(sumOfNumbers(file, AMOUNT), ==, 42);
	testStatFree(file);
}

static void totals(void)
{
	static struct hdProbe kernel =
		HDPROBE_INIT("assign", NULL, HDPROBE_KIND_KERNEL);
	static struct hdProbe later =
		HDPROBE_INIT("read/splitYUV", NULL, HDPROBE_KIND_TIMER);
	static struct hdProbe alike =
		HDPROBE_INIT("read splitYUV", NULL, HDPROBE_KIND_TIMER);
	hdTopology *topology;

	/* Of before: not recorded. */
	runKernel(&kernel);
	topology = start("totals", "");
	for (int i = 0; i < 100; i++)
		runKernel(&kernel);
	testClockSet(BEGIN + SECOND, 0);
	testWorks(hdProbe_traceWrite());
	for (int i = 0; i < 50; i++) {
		runKernel(&kernel);
		if (i % 20 == 0)
			hdProbe_snapshot(NULL, 0, 1);
	}
	hdProbe_setDeadline(&later, 1e-6);
	measure(&later, 2000);
	measure(&alike, 1);
	for (int i = 0; i < 3; i++)
		HDPROBE_TRANSFER("assign", "refine", 4096);
	HDPROBE_COUNT("points", 42);
	testClockSet(BEGIN + 2 * SECOND, 0);
	testWorks(hdProbe_traceWrite());
	testClockSet(BEGIN + 3 * SECOND, 0);
	testWorks(hdProbe_traceWrite());
	runKernel(&kernel);
	testClockSet(BEGIN + 4 * SECOND, 0);
	stop(topology);
	checkKernel();
	checkLater();
}

/* Every fourth instance is timed, and intervals have three: of some, nobody
 * knows what they took. The time is that of all instances in the end, up to
 * what is left when the last one was timed. */
static void sampling(void)
{
	static struct hdProbe probe =
		HDPROBE_INIT("sampled", NULL, HDPROBE_KIND_TIMER);
	hdTopology *topology = start("sampling", "");
	struct testStatFile *file;

	hdProbe_setSampling(&probe, 4, 0);
	for (int i = 1; i <= 10; i++) {
		for (int j = 0; j < 3; j++)
			measure(&probe, 500);
		testClockSet(BEGIN + i * SECOND, 0);
		if (i < 10)
			testWorks(hdProbe_traceWrite());
	}
	stop(topology);
	file = testStatRead("sampling_h_7_Probe-sampled.stat");
	g_assert_cmpuint(file->count, ==, 10);
	g_assert_cmpint(sumOfIntegers(file, INSTANCES), ==, 30);
	near(sumOfNumbers(file, BODY), 30 * 500e-9);
	testStatFree(file);
}

/* Events are columns behind the others; what was not counted is unknown, and
 * what did nothing is none. */
static void events(void)
{
	static struct hdProbe probe =
		HDPROBE_INIT("events", NULL, HDPROBE_KIND_KERNEL);
	struct hdProbeSpan span;
	hdTopology *topology = start("events", "");
	struct testStatFile *file;

	fakePerfBegin();
	g_assert_cmpint(hdProbe_setEvents(&probe, 1), ==, 0);
	for (int i = 1; i <= 4; i++) {
		/* In the second interval nothing, in the third uncounted. */
		fakePerf.isGone = i == 3;
		fakePerf.hasPages = false;
		for (int j = 0; i != 2 && j < 3; j++) {
			hdProbe_dispatchStart(&probe, &span);
			fakePerfRun(100, 10);
			hdProbe_bodyStart(&span);
			fakePerfRun(7, 10);
			hdProbe_bodyStop(&span);
			hdProbe_dispatchStop(&probe, &span);
		}
		testClockSet(BEGIN + i * SECOND, 0);
		if (i < 4)
			testWorks(hdProbe_traceWrite());
	}
	stop(topology);
	hdPerfFake = NULL;
	file = testStatRead("events_h_7_Probe-events.stat");
	g_assert_nonnull(strstr(file->header, "name=\"Dispatch\""));
	g_assert_nonnull(strstr(file->header, "name=\"CacheMisses\""));
	g_assert_null(strstr(file->header, "name=\"Branches\""));
	g_assert_cmpuint(file->count, ==, 4);
	for (size_t i = 0; i < 4; i++) {
		double expected = i == 1 ? 0 : i == 2 ? (double)NAN : 21;

		for (size_t j = 0; j < 3; j++) {
			double is = numberAt(file, i, DISPATCH + 1 + j);
			double by = j == 2 ? 4 : (double)(j + 1);

			g_assert_true(isnan(expected) ? isnan(is)
						      : is == expected * by);
		}
	}
	testStatFree(file);
}

/* ---- States ----------------------------------------------------------------
 */

static void checkRecord(const struct testTraceFile *file, size_t i,
			const char *name, unsigned int depth)
{
	g_assert_cmpuint(i, <, file->count);
	g_assert_cmpstr(file->records[i].name, ==, name);
	g_assert_cmpuint(file->records[i].depth, ==, depth);
}

static struct hdProbe outer = HDPROBE_INIT("1 outer", NULL, HDPROBE_KIND_TIMER);
static struct hdProbe nested = HDPROBE_INIT("Nested", NULL, HDPROBE_KIND_TIMER);
static struct hdProbe inner = HDPROBE_INIT("inner", NULL, HDPROBE_KIND_KERNEL);
static struct hdProbe other = HDPROBE_INIT("other", NULL, HDPROBE_KIND_TIMER);

static void *stopOf(void *begin)
{
	/* Begun by another thread: counted, and no state here. */
	hdProbe_stop(&outer, *(uint64_t *)begin);
	measure(&nested, 5);
	return NULL;
}

/* The first thread: outer with a kernel in it; what is not nested ends with
 * what is around it; two of what is not asked for. */
static void makeStates(void)
{
	uint64_t a, b;
	pthread_t thread;

	a = hdProbe_start(&outer);
	runKernel(&inner);
	measure(&other, 5);
	hdProbe_stop(&outer, a);
	a = hdProbe_start(&outer);
	b = hdProbe_start(&nested);
	hdProbe_stop(&outer, a);
	hdProbe_stop(&nested, b);
	a = hdProbe_start(&outer);
	pthread_create(&thread, NULL, stopOf, &a);
	pthread_join(thread, NULL);
}

static void states(void)
{
	hdTopology *topology;
	struct testTraceFile *file;
	struct testStatFile *counts;
	size_t count = 0;

	static const struct hdProbeObserver nobody = { NULL };

	topology = start("states", "1 outer,Nested,inner,nobody");
	testFails(EBUSY, hdProbe_observe(&nobody));
	makeStates();
	testClockSet(BEGIN + SECOND, 0);
	stop(topology);
	/* No longer. */
	measure(&outer, 5);
	file = testTraceReadEnded("states_h_7_0.trc");
	/* In the file what is within comes first. */
	checkRecord(file, count++, "inner", 2);
	checkRecord(file, count++, "inner.dispatch", 1);
	checkRecord(file, count++, "_1-outer", 0);
	checkRecord(file, count++, "_Nested", 1);
	checkRecord(file, count++, "_1-outer", 0);
	checkRecord(file, count++, "_1-outer", 0);
	g_assert_cmpuint(file->count, ==, count);
	testTraceFree(file);
	file = testTraceReadEnded("states_h_7_1.trc");
	checkRecord(file, 0, "_Nested", 0);
	g_assert_cmpuint(file->count, ==, 1);
	testTraceFree(file);
	/* They are counted all the same. */
	counts = testStatRead("states_h_7_Probe-inner.stat");
	g_assert_cmpint(sumOfIntegers(counts, INSTANCES), ==, 1);
	near(sumOfNumbers(counts, DISPATCH), 4e-6);
	testStatFree(counts);
}

/* Again, with all probes, those that come later too. */
static void allStates(void)
{
	static struct hdProbe later =
		HDPROBE_INIT("comes later", NULL, HDPROBE_KIND_TIMER);
	hdTopology *topology = start("every", "all");
	struct testTraceFile *file;

	measure(&later, 5);
	measure(&other, 5);
	stop(topology);
	file = testTraceReadEnded("every_h_7_0.trc");
	checkRecord(file, 0, "comes-later", 0);
	checkRecord(file, 1, "other", 0);
	g_assert_cmpuint(file->count, ==, 2);
	testTraceFree(file);
}

/* ---- Projects, errors, forks -----------------------------------------------
 */

/* By the environment alone; the end of the process writes the last entry. */
static void environment(void)
{
	struct testStatFile *file;

	if (testInProcess(
		    "HDPROBE_TRACE_PROJECT=new/own HDPROBE_TRACE_HOST=a_b "
		    "HDPROBE_TRACE_PROCESS=p HDPROBE_TRACE_STATES=other "
		    "HDPROBE_TRACE_INTERVAL=3600000")) {
		testClockReset();
		testWorks(hdProbe_traceStart(NULL));
		testFails(EBUSY, hdProbe_traceStart(NULL));
		measure(&other, 5);
		return;
	}
	file = testStatRead("new/own_a-b_p_Probe-other.stat");
	g_assert_cmpint(sumOfIntegers(file, INSTANCES), ==, 1);
	testStatFree(file);
	g_assert_true(testExists("new/own_a-b_p_0.trc"));
}

/* Directories are made where the files will be. */
static void prefix(void)
{
	if (testInProcess("HDTRACE_PREFIX=before/ HDPROBE_TRACE_HOST=h "
			  "HDPROBE_TRACE_PROJECT=within/own "
			  "HDPROBE_TRACE_PROCESS=p")) {
		testWorks(hdProbe_traceStart(NULL));
		measure(&other, 5);
		testWorks(hdProbe_traceStop());
	}
	g_assert_true(testExists("before/within/own_h_p_Probe-other.stat"));
	g_assert_false(testExists("within"));
}

/* Intervals come by themselves. */
static void intervals(void)
{
	struct hdProbeTraceOptions options = { .interval = SECOND / 1000 };

	if (testInProcess("HDPROBE_TRACE_PROJECT=often HDPROBE_TRACE_HOST=h "
			  "HDPROBE_TRACE_PROCESS=p")) {
		testClockReset();
		testWorks(hdProbe_traceStart(&options));
		measure(&other, 5);
		while (!testExists("often_h_p_Probe-other.stat"))
			sched_yield();
		testWorks(hdProbe_traceStop());
	}
	g_assert_true(testExists("often_h_p_Probe-other.stat"));
}

static void off(void)
{
	if (testInProcess("HDPROBE_TRACE=off HDPROBE_TRACE_PROJECT=off"))
		testGives(1, hdProbe_traceStart(NULL));
	g_assert_false(testExists("off.proj"));
}

static void errors(void)
{
	const char *path[] = { "h", "7" };
	struct hdProbeTraceOptions options = {
		.topology = topologyOf("none/errors", 2),
		.path = path,
		.pathLength = 2,
		.interval = -1,
		.states = "all",
	};

	if (!testInProcess("HDPROBE_TRACE_VERBOSITY=-1 HDTRACE_VERBOSITY=-1")) {
		hdT_destroyTopology(options.topology);
		return;
	}
	testFails(EINVAL, hdProbe_traceWrite());
	testFails(EINVAL, hdProbe_traceStop());
	/* No level for threads. */
	testFails(EINVAL, hdProbe_traceStart(&options));
	options.pathLength = 3;
	options.states = "";
	testFails(EINVAL, hdProbe_traceStart(&options));
	/* No directory. */
	options.pathLength = 2;
	testWorks(hdProbe_traceStart(&options));
	measure(&other, 5);
	testFails(HD_ERR_CREATE_FILE, hdProbe_traceWrite());
	testFails(HD_ERR_CREATE_FILE, hdProbe_traceStop());
	hdT_destroyTopology(options.topology);
}

/* No file may grow: neither its header nor entries can be written. */
static void full(void)
{
	struct rlimit none = { 0, 0 };
	hdTopology *topology;

	if (!testInProcess("HDPROBE_TRACE_VERBOSITY=-1 HDTRACE_VERBOSITY=-1"))
		return;
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &none);
	topology = start("full", "");
	measure(&other, 5);
	testFails(HD_ERR_WRITE_FILE, hdProbe_traceWrite());
	testFails(HD_ERR_WRITE_FILE, hdProbe_traceStop());
	hdT_destroyTopology(topology);
}

static int startAnew(void)
{
	hdTopology *topology = start("child", "all");

	measure(&other, 5);
	stop(topology);
	return 0;
}

static void checkChild(void)
{
	struct testStatFile *file = testStatRead("child_h_7_Probe-other.stat");

	g_assert_cmpint(sumOfIntegers(file, INSTANCES), ==, 1);
	testStatFree(file);
	testTraceFree(testTraceReadEnded("child_h_7_0.trc"));
}

/* A child records nothing, and may start anew. */
static void forks(void)
{
	hdTopology *topology = start("forks", "all");
	struct testStatFile *file;
	int status;
	pid_t child;

	measure(&other, 5);
	child = fork();
	if (child == 0) {
		measure(&other, 5);
		if (hdProbe_traceWrite() != -1)
			_exit(1);
		_exit(!(TEST_HAS_TSAN || TEST_HAS_ASAN) ? startAnew() : 0);
	}
	g_assert_cmpint(waitpid(child, &status, 0), ==, child);
	g_assert_cmpint(status, ==, 0);
	stop(topology);
	file = testStatRead("forks_h_7_Probe-other.stat");
	g_assert_cmpint(sumOfIntegers(file, INSTANCES), ==, 1);
	testStatFree(file);
	if (!(TEST_HAS_TSAN || TEST_HAS_ASAN))
		checkChild();
}

/* ---- All at once -----------------------------------------------------------
 */

#define THREADS 4
#define ROUNDS 3000

static _Atomic bool isOver;

static void *work(void *context)
{
	static struct hdProbe probe =
		HDPROBE_INIT("stormy", NULL, HDPROBE_KIND_KERNEL);

	for (int i = 0; i < ROUNDS; i++)
		runKernel(&probe);
	return context;
}

static void *resetAlways(void *context)
{
	while (!isOver)
		hdProbe_snapshot(NULL, 0, 1);
	return context;
}

/* Threads come and go, all is recorded every millisecond, and somebody resets:
 * nothing is lost. */
static void storm(void)
{
	const char *path[] = { "h", "7" };
	struct hdProbeTraceOptions options = {
		.topology = topologyOf("storm", 3),
		.path = path,
		.pathLength = 2,
		.interval = SECOND / 1000,
		.states = "stormy",
	};
	pthread_t ids[THREADS], resetter;
	struct testStatFile *file;
	size_t states = 0;

	testClockReset();
	testWorks(hdProbe_traceStart(&options));
	pthread_create(&resetter, NULL, resetAlways, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&ids[i], NULL, work, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(ids[i], NULL);
	isOver = true;
	pthread_join(resetter, NULL);
	testWorks(hdProbe_traceStop());
	hdT_destroyTopology(options.topology);
	file = testStatRead("storm_h_7_Probe-stormy.stat");
	g_assert_cmpint(sumOfIntegers(file, INSTANCES), ==, THREADS * ROUNDS);
	near(sumOfNumbers(file, DISPATCH), THREADS * ROUNDS * 4e-6);
	testStatFree(file);
	for (int i = 0; i < THREADS; i++) {
		char name[64];
		struct testTraceFile *trace;

		g_snprintf(name, sizeof(name), "storm_h_7_%d.trc", i);
		trace = testTraceReadEnded(name);
		states += trace->count;
		testTraceFree(trace);
	}
	g_assert_cmpuint(states, ==, 2 * THREADS * ROUNDS);
}

int main(int argc, char **argv)
{
	testInit(&argc, &argv);
	hdProbeClockFake = fakeClock;
	hdProbeClockSet(HD_PROBE_CLOCK_FAKE, NULL);
	g_test_add_func("/probe-trace/totals", totals);
	g_test_add_func("/probe-trace/sampling", sampling);
	g_test_add_func("/probe-trace/events", events);
	g_test_add_func("/probe-trace/states", states);
	g_test_add_func("/probe-trace/all-states", allStates);
	g_test_add_func("/probe-trace/environment", environment);
	g_test_add_func("/probe-trace/prefix", prefix);
	g_test_add_func("/probe-trace/intervals", intervals);
	g_test_add_func("/probe-trace/errors", errors);
	g_test_add_func("/probe-trace/full", full);
	g_test_add_func("/probe-trace/forks", forks);
	g_test_add_func("/probe-trace/storm", storm);
	/* What it sets stays. */
	g_test_add_func("/probe-trace/off", off);
	return testRun();
}
