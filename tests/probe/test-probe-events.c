/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: threads */
/* Events between begins and ends of probes: with a processor of the test's,
 * exact counts, whatever is nested, left, interrupted or sampled; and where
 * there are none, probes as without. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <glib.h>

#include <hdProbe.h>

#include "InstrumentationLibrary/src/clock.h"
#include "InstrumentationLibrary/src/counters.h"
#include "InstrumentationLibrary/src/core/memory.h"
#include "common/log.h"
#include "common/perf.h"
#include "tests/lib/fakeperf.h"
#include "tests/probe/figures.h"

#define CYCLES HDPROBE_EVENT_CYCLES
#define INSTRUCTIONS HDPROBE_EVENT_INSTRUCTIONS
#define MISSES HDPROBE_EVENT_CACHE_MISSES

static struct hdProbe *probeOf(const char *name, unsigned int kind)
{
	struct hdProbe *probe = hdProbe_find(name, NULL, kind);

	g_assert_nonnull(probe);
	g_assert_cmpint(hdProbe_setEvents(probe, 1), ==, 0);
	return probe;
}

/* Cycles, twice the instructions, and four times the misses. */
static void run(uint64_t amount)
{
	fakePerfRun(amount, amount);
	now += amount;
}

static void expect(const char *name, uint64_t instances, double cycles)
{
	struct hdProbeFigures is = figuresOf(name);

	g_test_message("%s: %g cycles", name, is.events[CYCLES]);
	g_assert_cmpuint(is.instances, ==, instances);
	g_assert_cmpfloat(is.events[CYCLES], ==, cycles);
	g_assert_cmpfloat(is.events[INSTRUCTIONS], ==, 2 * cycles);
	g_assert_cmpfloat(is.events[MISSES], ==, 4 * cycles);
	g_assert_true(isnan(is.events[HDPROBE_EVENT_BRANCHES]));
}

/* ---- Measurements ----------------------------------------------------------
 */

static void timers(void)
{
	struct hdProbe *outer = probeOf("outer", HDPROBE_KIND_TIMER);
	struct hdProbe *inner = probeOf("inner", HDPROBE_KIND_TIMER);
	uint64_t start, within;

	for (int i = 0; i < 100; i++) {
		run(1000);
		start = hdProbe_start(outer);
		run(10);
		within = hdProbe_start(inner);
		run(3);
		hdProbe_stop(inner, within);
		run(5);
		hdProbe_stop(outer, start);
	}
	expect("outer", 100, 1800);
	expect("inner", 100, 300);
	/* Times are as without. */
	g_assert_cmpfloat(figuresOf("outer").mean_s, ==, 18e-9);
	g_assert_cmpuint(hdProbe_events(outer), ==,
			 1 << CYCLES | 1 << INSTRUCTIONS | 1 << MISSES);
	/* A batch, and from now on none. */
	start = hdProbe_start(outer);
	run(90);
	hdProbe_stop_n(outer, start, 9);
	expect("outer", 109, 1890);
	g_assert_cmpint(hdProbe_setEvents(outer, 0), ==, 0);
	g_assert_cmpuint(hdProbe_events(outer), ==, 0);
	start = hdProbe_start(outer);
	g_assert_cmpuint(start >> 62, ==, 0);
	run(9);
	hdProbe_stop(outer, start);
	/* As 109 are, so are 110. */
	g_assert_cmpfloat(figuresOf("outer").events[CYCLES], ==,
			  1890.0 * 110 / 109);
}

/* Of a kernel its bodies, not its dispatch, also where somebody observes. */
static void kernels(const char *name)
{
	struct hdProbe *probe = probeOf(name, HDPROBE_KIND_KERNEL);
	struct hdProbeSpan span;

	for (int i = 0; i < 10; i++) {
		hdProbe_dispatchStart(probe, &span);
		run(100);
		hdProbe_bodyStart(&span);
		run(7);
		hdProbe_bodyStop(&span);
		run(100);
		hdProbe_bodyStart(&span);
		run(4);
		hdProbe_bodyStop(&span);
		run(50);
		hdProbe_dispatchStop(probe, &span);
	}
	expect(name, 10, 110);
	g_assert_cmpfloat(figuresOf(name).mean_s, ==, 11e-9);
	g_assert_cmpfloat(figuresOf(name).dispatch_mean_s, ==, 250e-9);
	/* Without a body: none, and known to be none of it. */
	hdProbe_dispatchStart(probe, &span);
	run(5);
	hdProbe_dispatchStop(probe, &span);
	g_assert_cmpfloat(figuresOf(name).events[CYCLES], ==, 110 * 11.0 / 10);
}

static void bodies(void)
{
	kernels("bodies");
}

static int begins, ends;

static int wantsAll(const char *name, const char *to, unsigned int kind)
{
	(void)name;
	(void)to;
	(void)kind;
	return 1;
}

/* Who observes takes time, and does something, that is nobody's. */
static void beginIt(const char *name, unsigned int kind)
{
	(void)name;
	(void)kind;
	begins++;
	run(1000);
}

static void bodyIt(int isBegin)
{
	(void)isBegin;
	run(500);
}

static void endIt(const char *name, unsigned int kind)
{
	(void)name;
	(void)kind;
	ends++;
	run(1000);
}

static void observed(void)
{
	static const struct hdProbeObserver observer = { wantsAll, beginIt,
							 bodyIt, endIt };

	g_assert_cmpint(hdProbe_observe(&observer), ==, 0);
	kernels("observed");
	g_assert_cmpint(hdProbe_observe(NULL), ==, 0);
	g_assert_cmpint(begins, ==, 11);
	g_assert_cmpint(ends, ==, 11);
}

/* longjmp() leaves measurements open: they are not counted, and those around
 * them are. */
static void left(void)
{
	struct hdProbe *outer = probeOf("left", HDPROBE_KIND_TIMER);
	struct hdProbe *inner = probeOf("lost", HDPROBE_KIND_TIMER);
	volatile int i;
	volatile uint64_t start;
	jmp_buf out;

	for (i = 0; i < 100; i++) {
		start = hdProbe_start(outer);
		if (setjmp(out) == 0) {
			run(5);
			(void)hdProbe_start(inner);
			run(2);
			longjmp(out, 1);
		}
		hdProbe_stop(outer, start);
	}
	expect("left", 100, 700);
	g_assert_cmpuint(figuresOf("lost").instances, ==, 0);
	g_assert_true(isnan(figuresOf("lost").events[CYCLES]));
}

/* Deeper than is remembered: the outermost are not counted. */
static void deep(void)
{
	struct hdProbe *probe = probeOf("deep", HDPROBE_KIND_TIMER);
	uint64_t starts[HD_PROBE_MARKS + 4];

	for (int i = 0; i < HD_PROBE_MARKS + 4; i++) {
		starts[i] = hdProbe_start(probe);
		run(1);
	}
	for (int i = HD_PROBE_MARKS + 3; i >= 0; i--)
		hdProbe_stop(probe, starts[i]);
	/* 1 + 2 + ... + 16, of 16; of 20 as many more. */
	expect("deep", HD_PROBE_MARKS + 4, 136.0 * 20 / 16);
}

static void *stopIt(void *data)
{
	hdProbe_stop(probeOf("elsewhere", HDPROBE_KIND_TIMER),
		     *(const uint64_t *)data);
	return NULL;
}

/* Stopped by another thread: the time is there, events are not. */
static void elsewhere(void)
{
	struct hdProbe *probe = probeOf("elsewhere", HDPROBE_KIND_TIMER);
	uint64_t start = hdProbe_start(probe);
	pthread_t thread;

	run(10);
	g_assert_cmpint(pthread_create(&thread, NULL, stopIt, &start), ==, 0);
	pthread_join(thread, NULL);
	g_assert_cmpuint(figuresOf("elsewhere").instances, ==, 1);
	g_assert_true(isnan(figuresOf("elsewhere").events[CYCLES]));
}

/* One in two is timed and counted; sums are scaled as times are. */
static void sampled(void)
{
	struct hdProbe *probe = probeOf("sampled", HDPROBE_KIND_TIMER);

	g_assert_cmpint(hdProbe_setSampling(probe, 2, 0), ==, 0);
	for (int i = 0; i < 100; i++) {
		uint64_t start = hdProbe_start(probe);

		run(10);
		hdProbe_stop(probe, start);
	}
	expect("sampled", 100, 1000);
	g_assert_cmpuint(figuresOf("sampled").timed, ==, 50);
	/* That has not taken the events. */
	g_assert_cmpuint(hdProbe_events(probe), !=, 0);
}

static void reset(void)
{
	static struct hdProbeFigures all[HD_PROBE_PROBES];
	struct hdProbe *probe = probeOf("reset", HDPROBE_KIND_TIMER);
	struct hdProbeWatch *watch = hdProbe_watch();
	uint64_t start = hdProbe_start(probe);
	int count;

	run(10);
	hdProbe_stop(probe, start);
	expect("reset", 1, 10);
	hdProbe_snapshot(all, HD_PROBE_PROBES, 1);
	g_assert_true(isnan(figuresOf("reset").events[CYCLES]));
	start = hdProbe_start(probe);
	run(20);
	hdProbe_stop(probe, start);
	expect("reset", 1, 20);
	count = hdProbe_watchRead(watch, all, HD_PROBE_PROBES);
	for (int i = 0; i < count; i++) {
		if (strcmp(all[i].name, "reset") == 0)
			g_assert_cmpfloat(all[i].events[CYCLES], ==, 30);
	}
	hdProbe_unwatch(watch);
}

static void wrong(void)
{
	struct hdProbe *counter =
		hdProbe_find("wrong", NULL, HDPROBE_KIND_COUNTER);

	g_assert_cmpint(hdProbe_setEvents(counter, 1), ==, -1);
	g_assert_cmpint(errno, ==, EINVAL);
	hdProbe_add(counter, 7);
	g_assert_cmpfloat(figuresOf("wrong").body_s, ==, 7);
}

/* ---- Signals, threads, processes -------------------------------------------
 */

static struct hdProbe *inHandler;

static void handle(int number)
{
	uint64_t start = hdProbe_start(inHandler);

	(void)number;
	fakePerfRun(3, 3);
	hdProbe_stop(inHandler, start);
}

/* A handler interrupts the reading of a counter, in the middle: both count. */
static void interrupt(struct fakeCounter *counter)
{
	(void)counter;
	raise(SIGUSR1);
}

static void signals(void)
{
	struct hdProbe *probe = probeOf("interrupted", HDPROBE_KIND_TIMER);
	uint64_t start;
	double counted;

	inHandler = probeOf("handler", HDPROBE_KIND_TIMER);
	signal(SIGUSR1, handle);
	/* Its first one. */
	raise(SIGUSR1);
	for (int i = 0; i < 100; i++) {
		fakePerf.interrupt = interrupt;
		fakePerf.interrupts = 1;
		start = hdProbe_start(probe);
		run(10);
		fakePerf.interrupts = 1;
		hdProbe_stop(probe, start);
	}
	fakePerf.interrupts = 0;
	fakePerf.interrupt = NULL;
	expect("handler", 201, 603);
	/* The handlers' part that lies between its readings is its own. */
	counted = figuresOf("interrupted").events[CYCLES];
	g_assert_cmpfloat(counted, >=, 1000);
	g_assert_cmpfloat(counted, <=, 1600);
	g_assert_cmpuint(figuresOf("interrupted").instances, ==, 100);
}

static void *count(void *data)
{
	struct hdProbe *probe = probeOf("threads", HDPROBE_KIND_TIMER);

	for (int i = 0; i < 10; i++) {
		uint64_t start = hdProbe_start(probe);

		run(1);
		hdProbe_stop(probe, start);
	}
	return data;
}

/* Each has counters of its own, which go with it. */
static void threads(void)
{
	int open = fakePerfOpen();
	pthread_t thread;

	for (int i = 0; i < 10; i++) {
		g_assert_cmpint(pthread_create(&thread, NULL, count, NULL), ==,
				0);
		pthread_join(thread, NULL);
		g_assert_cmpint(fakePerfOpen(), ==, open);
	}
	expect("threads", 100, 100);
}

static void forks(void)
{
	struct hdProbe *probe = probeOf("forks", HDPROBE_KIND_TIMER);
	uint64_t start = hdProbe_start(probe);
	int status;
	pid_t pid;

	run(5);
	pid = fork();
	if (pid == 0) {
		struct hdProbeFigures is;

		/* Begun by the parent: a time, no events. */
		hdProbe_stop(probe, start);
		start = hdProbe_start(probe);
		run(9);
		hdProbe_stop(probe, start);
		is = figuresOf("forks");
		_exit(is.instances == 2 && is.events[CYCLES] == 18 ? 0 : 1);
	}
	g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
	g_assert_cmpint(status, ==, 0);
	hdProbe_stop(probe, start);
	expect("forks", 1, 5);
}

static int openAtFork, statusAtFork;

/* Fork in the middle: some are open by then. */
static void forkOnce(void)
{
	pid_t pid;

	if (fakePerfOpen() < openAtFork + 2)
		return;
	fakePerf.opening = NULL;
	pid = fork();
	if (pid == 0)
		_exit(fakePerfOpen() == 0 ? 0 : 1);
	g_assert_cmpint(waitpid(pid, &statusAtFork, 0), ==, pid);
}

static void *openAndCount(void *data)
{
	struct hdProbe *probe = probeOf("opening", HDPROBE_KIND_TIMER);
	uint64_t start = hdProbe_start(probe);

	run(5);
	hdProbe_stop(probe, start);
	return data;
}

/* While a thread opens its counters: its child keeps none of them open. */
static void forksOpening(void)
{
	pthread_t thread;

	openAtFork = fakePerfOpen();
	statusAtFork = -1;
	fakePerf.opening = forkOnce;
	g_assert_cmpint(pthread_create(&thread, NULL, openAndCount, NULL), ==,
			0);
	pthread_join(thread, NULL);
	g_assert_cmpint(statusAtFork, ==, 0);
	g_assert_cmpint(fakePerfOpen(), ==, openAtFork);
	expect("opening", 1, 5);
}

/* ---- Where there are none --------------------------------------------------
 */

static int losses;
static char lost[256];

static bool takeLoss(const char *text)
{
	losses++;
	g_strlcpy(lost, text, sizeof(lost));
	return true;
}

static void *once(void *data)
{
	struct hdProbe *probe = probeOf("none", HDPROBE_KIND_TIMER);
	uint64_t start = hdProbe_start(probe);

	run(1);
	hdProbe_stop(probe, start);
	return data;
}

/* Said once, of all threads; then probes are as without. */
static void none(gconstpointer data)
{
	struct hdProbe *probe = probeOf("none", HDPROBE_KIND_TIMER);
	pthread_t thread;

	hdLogLossTaker = takeLoss;
	for (size_t i = 0; i < G_N_ELEMENTS(fakePerf.errorOf); i++)
		fakePerf.errorOf[i] = GPOINTER_TO_INT(data);
	for (int i = 0; i < 5; i++) {
		g_assert_cmpint(pthread_create(&thread, NULL, once, NULL), ==,
				0);
		pthread_join(thread, NULL);
	}
	g_assert_cmpint(losses, ==, 1);
	g_test_message("%s", lost);
	g_assert_nonnull(strstr(lost, "probes count no cycles, instructions, "
				      "cache-misses: "));
	g_assert_nonnull(strstr(lost, hdPerfReason(GPOINTER_TO_INT(data))));
	g_assert_cmpuint(figuresOf("none").instances, ==, 5);
	g_assert_true(isnan(figuresOf("none").events[CYCLES]));
	if (GPOINTER_TO_INT(data) != EMFILE) {
		g_assert_cmpuint(hdProbe_start(probe) >> 62, ==, 0);
		g_assert_cmpuint(hdProbe_events(probe), ==, 0);
	}
	g_assert_cmpint(fakePerfOpen(), ==, 0);
}

/* Only some: said, and the others are counted. */
static void some(void)
{
	struct hdProbe *probe = probeOf("some", HDPROBE_KIND_TIMER);
	uint64_t start;

	hdLogLossTaker = takeLoss;
	fakePerf.errorOf[MISSES] = ENOENT;
	start = hdProbe_start(probe);
	run(3);
	hdProbe_stop(probe, start);
	g_assert_cmpint(losses, ==, 1);
	g_assert_nonnull(strstr(lost, "probes count no cache-misses: "));
	g_assert_cmpfloat(figuresOf("some").events[INSTRUCTIONS], ==, 6);
	g_assert_true(isnan(figuresOf("some").events[MISSES]));
}

/* Counters that are taken away while they count. */
static void gone(void)
{
	struct hdProbe *probe = probeOf("gone", HDPROBE_KIND_TIMER);
	uint64_t start;

	fakePerf.hasPages = false;
	start = hdProbe_start(probe);
	run(3);
	fakePerf.isGone = true;
	hdProbe_stop(probe, start);
	g_assert_cmpuint(figuresOf("gone").instances, ==, 1);
	g_assert_true(isnan(figuresOf("gone").events[CYCLES]));
	fakePerf.isGone = false;
	start = hdProbe_start(probe);
	run(3);
	hdProbe_stop(probe, start);
	/* Of two instances, one is known. */
	expect("gone", 2, 6);
}

/* The real kernel, through all of it: CPU time that is counted is what the
 * thread's clock says, within what the clock and the readings take. */
static void real(void)
{
	struct hdProbe *probe;
	struct timespec is;
	struct hdProbeFigures figures;
	double begin, cpu;
	uint64_t start;
	int handle = hdPerfOpen(1, 1, 0, -1);

	if (handle < 0) {
		g_test_skip(hdPerfReason(-handle));
		return;
	}
	hdPerfClose(handle);
	probe = probeOf("real", HDPROBE_KIND_TIMER);
	start = hdProbe_start(probe);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &is);
	begin = (double)is.tv_sec + (double)is.tv_nsec / 1e9;
	do {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &is);
		cpu = (double)is.tv_sec + (double)is.tv_nsec / 1e9 - begin;
	} while (cpu < 0.02);
	hdProbe_stop(probe, start);
	figures = figuresOf("real");
	g_test_message("the kernel's task clock: %.9f s, CPU time %.9f s",
		       figures.events[HDPROBE_EVENT_TASK_CLOCK], cpu);
	g_assert_cmpfloat(figures.events[HDPROBE_EVENT_TASK_CLOCK], >=,
			  cpu * 0.95);
	g_assert_cmpfloat(figures.events[HDPROBE_EVENT_TASK_CLOCK], <=,
			  cpu * 1.05 + 0.01);
	g_assert_cmpfloat(figures.events[HDPROBE_EVENT_PAGE_FAULTS], >=, 0);
}

/* ---- Each in a process of its own, as libraries give up once ---------------
 */

static void inChild(void (*test)(gconstpointer data), gconstpointer data)
{
	if (!g_test_subprocess()) {
		g_test_trap_subprocess(NULL, 0,
				       G_TEST_SUBPROCESS_INHERIT_STDERR);
		g_test_trap_assert_passed();
		return;
	}
	test(data);
}

static void noneOf(gconstpointer data)
{
	inChild(none, data);
}

static void runTest(gconstpointer data)
{
	(*(void (*const *)(void))data)();
}

static void alone(gconstpointer data)
{
	inChild(runTest, data);
}

static void addAlone(const char *path, void (*const *test)(void))
{
	g_test_add_data_func(path, test, alone);
}

int main(int argc, char **argv)
{
	static void (*const someTest)(void) = some;
	static void (*const goneTest)(void) = gone;
	static void (*const realTest)(void) = real;
	bool isReal = false;

	for (int i = 1; i < argc; i++)
		isReal = isReal || strstr(argv[i], "/real");
	/* What it is to count is read before main(). */
	if (isReal && !getenv("HDPROBE_COUNTERS")) {
		setenv("HDPROBE_COUNTERS", "task-clock,page-faults", 1);
		execv("/proc/self/exe", argv);
	}
	if (!isReal) {
		unsetenv("HDPROBE_COUNTERS");
		fakePerfBegin();
		hdProbeClockFake = fakeClock;
		hdProbeClockSet(HD_PROBE_CLOCK_FAKE, NULL);
	}
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/probe-events/timers", timers);
	g_test_add_func("/probe-events/bodies", bodies);
	g_test_add_func("/probe-events/observed", observed);
	g_test_add_func("/probe-events/left", left);
	g_test_add_func("/probe-events/deep", deep);
	g_test_add_func("/probe-events/elsewhere", elsewhere);
	g_test_add_func("/probe-events/sampled", sampled);
	g_test_add_func("/probe-events/reset", reset);
	g_test_add_func("/probe-events/wrong", wrong);
	g_test_add_func("/probe-events/signals", signals);
	g_test_add_func("/probe-events/threads", threads);
	g_test_add_func("/probe-events/forks", forks);
	g_test_add_func("/probe-events/forks-opening", forksOpening);
	g_test_add_data_func("/probe-events/none/forbidden",
			     GINT_TO_POINTER(EACCES), noneOf);
	g_test_add_data_func("/probe-events/none/container",
			     GINT_TO_POINTER(EPERM), noneOf);
	g_test_add_data_func("/probe-events/none/virtual",
			     GINT_TO_POINTER(ENOENT), noneOf);
	g_test_add_data_func("/probe-events/none/kernel",
			     GINT_TO_POINTER(ENOSYS), noneOf);
	g_test_add_data_func("/probe-events/none/files",
			     GINT_TO_POINTER(EMFILE), noneOf);
	addAlone("/probe-events/some", &someTest);
	addAlone("/probe-events/gone", &goneTest);
	addAlone("/probe-events/real", &realTest);
	return g_test_run();
}
