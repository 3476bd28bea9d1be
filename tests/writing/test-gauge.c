/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: both threads */
/* Gauges: what is written at changes, throttled or not, by many threads. */
#include "config.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/statfile.h"
#include "tests/lib/testlib.h"

#define START (INT64_C(1234567890) * 1000000000)

static hdS_gauge *createGauge(const char *project, int64_t interval)
{
	hdTopoNode *node = testNode(project, "");
	hdS_gauge *gauge;

	testMakes(gauge, hdS_gaugeCreate("DISK", node, 0, interval));
	hdT_destroyTopoNode(node);
	return gauge;
}

static int64_t numberAt(const struct testEntry *entry, size_t index)
{
	return (int64_t)testBig64(entry->values + 8 * index);
}

static double meanAt(const struct testEntry *entry)
{
	uint64_t bits = testBig64(entry->values);
	double mean;

	memcpy(&mean, &bits, sizeof(mean));
	return mean;
}

static void checkEntry(const struct testStatFile *file, size_t index,
		       int64_t time, int64_t pending, int64_t bytes)
{
	const struct testEntry *entry = &file->entries[index];

	g_assert_cmpuint(index, <, file->count);
	g_assert_false(entry->isGap);
	g_assert_cmpint(entry->time, ==, time);
	g_assert_cmpint(numberAt(entry, 0), ==, pending);
	g_assert_cmpint(numberAt(entry, 1), ==, bytes);
}

/* At a change what held until then is written; at the end what holds. */
static void testChanges(void)
{
	struct testStatFile *file;
	hdS_gauge *gauge;

	testClockSet(START, 0);
	gauge = createGauge("changes", 0);
	testClockSet(START + 10, 0);
	testWorks(hdS_gaugeAdd(gauge, 1, 0));
	testClockSet(START + 20, 0);
	testWorks(hdS_gaugeAdd(gauge, 2, 0));
	g_assert_cmpint(hdS_gaugeValue(gauge), ==, 3);
	testClockSet(START + 25, 0);
	testWorks(hdS_gaugeFlush(gauge));
	testClockSet(START + 30, 0);
	testWorks(hdS_gaugeAdd(gauge, -3, 4096));
	testClockSet(START + 40, 0);
	testGives(0, hdS_gaugeDisable(gauge));
	testGives(1, hdS_gaugeDisable(gauge));
	testWorks(hdS_gaugeAdd(gauge, 7, 1));
	testClockSet(START + 50, 0);
	testGives(0, hdS_gaugeEnable(gauge));
	testGives(1, hdS_gaugeEnable(gauge));
	/* A clock that steps back, and one that cannot be read. */
	testClockSet(START + 45, 0);
	testWorks(hdS_gaugeAdd(gauge, -6, 0));
	testClockBreak();
	testFails(HD_ERR_GET_TIME, hdS_gaugeAdd(gauge, -1, 0));
	testClockSet(START + 60, 0);
	testWorks(hdS_gaugeFinalize(gauge));
	testClockReset();

	file = testStatRead("changes_DISK.stat");
	g_assert_nonnull(strstr(file->header,
				"name=\"Pending\" type=\"INT64\" "
				"unit=\"operations\" grouping=\"Pending\" "
				"kind=\"gauge\" written=\"change\""));
	g_assert_nonnull(strstr(file->header,
				"name=\"Bytes\" type=\"INT64\" unit=\"B\" "
				"kind=\"delta\""));
	g_assert_cmpint(file->init, ==, START);
	g_assert_cmpuint(file->count, ==, 9);
	checkEntry(file, 0, START + 10, 0, 0);
	checkEntry(file, 1, START + 20, 1, 0);
	checkEntry(file, 2, START + 25, 3, 0);
	checkEntry(file, 3, START + 30, 3, 4096);
	checkEntry(file, 4, START + 40, 0, 0);
	g_assert_true(file->entries[5].isGap);
	g_assert_cmpint(file->entries[5].time, ==, START + 50);
	checkEntry(file, 6, START + 50, 7, 0);
	checkEntry(file, 7, START + 50, 1, 0);
	checkEntry(file, 8, START + 60, 0, 0);
	testStatFree(file);
}

/* Throttled: mean over time, extremes and bytes of each interval are those of
 * all changes in it, however short. By hand: 0 for 10 ns, 4 for 30, 1 for 60,
 * 3 for 300, 2 for 100. */
static void testThrottled(void)
{
	struct testStatFile *file;
	hdS_gauge *gauge;

	testClockSet(START, 0);
	gauge = createGauge("throttled", 100);
	testClockSet(START + 10, 0);
	testWorks(hdS_gaugeAdd(gauge, 9, 0));
	testWorks(hdS_gaugeAdd(gauge, -5, 1));
	testClockSet(START + 40, 0);
	testWorks(hdS_gaugeAdd(gauge, -3, 2));
	testClockSet(START + 100, 0);
	testWorks(hdS_gaugeAdd(gauge, 2, 4));
	testClockSet(START + 400, 0);
	testWorks(hdS_gaugeAdd(gauge, -1, 8));
	testClockSet(START + 450, 0);
	testWorks(hdS_gaugeAdd(gauge, 0, 16));
	testClockSet(START + 500, 0);
	testWorks(hdS_gaugeFinalize(gauge));
	testClockReset();
	file = testStatRead("throttled_DISK.stat");
	g_assert_cmpuint(file->count, ==, 3);
	g_assert_cmpint(file->entries[0].time, ==, START + 100);
	g_assert_cmpfloat(meanAt(&file->entries[0]), ==, 1.8);
	g_assert_cmpint(numberAt(&file->entries[0], 1), ==, 0);
	g_assert_cmpint(numberAt(&file->entries[0], 2), ==, 9);
	g_assert_cmpint(numberAt(&file->entries[0], 3), ==, 7);
	g_assert_cmpint(file->entries[1].time, ==, START + 400);
	g_assert_cmpfloat(meanAt(&file->entries[1]), ==, 3);
	g_assert_cmpint(numberAt(&file->entries[1], 1), ==, 3);
	g_assert_cmpint(numberAt(&file->entries[1], 2), ==, 3);
	g_assert_cmpint(numberAt(&file->entries[1], 3), ==, 8);
	g_assert_cmpint(file->entries[2].time, ==, START + 500);
	g_assert_cmpfloat(meanAt(&file->entries[2]), ==, 2);
	g_assert_cmpint(numberAt(&file->entries[2], 1), ==, 2);
	g_assert_cmpint(numberAt(&file->entries[2], 2), ==, 2);
	g_assert_cmpint(numberAt(&file->entries[2], 3), ==, 16);
	testStatFree(file);
}

/* G1: from many threads the number begins and ends at 0, is never negative, and
 * each step of it is one. Buffers that may drop do not. */
static void *addRun(void *data)
{
	for (int i = 0; i < 3000; i++) {
		testWorks(hdS_gaugeAdd(data, 1, 0));
		/* A post that fails takes itself back. */
		testWorks(hdS_gaugeAdd(data, -1, i % 3 ? 10 : 0));
	}
	return NULL;
}

static void testThreads(void)
{
	pthread_t threads[8];
	struct testStatFile *file;
	int64_t last = 0, bytes = 0;
	hdS_gauge *gauge;

	if (!testInProcess("HDTRACE_ON_FULL=drop HDTRACE_BUFFER_SIZE_KB=4 "
			   "HDTRACE_FLUSH_MS=1"))
		return;
	gauge = createGauge("g1", 0);
	for (size_t i = 0; i < G_N_ELEMENTS(threads); i++)
		g_assert_cmpint(
			pthread_create(&threads[i], NULL, addRun, gauge), ==,
			0);
	for (size_t i = 0; i < G_N_ELEMENTS(threads); i++)
		pthread_join(threads[i], NULL);
	g_assert_cmpint(hdS_gaugeValue(gauge), ==, 0);
	g_assert_cmpuint(hdS_gaugeNegatives(gauge), ==, 0);
	testWorks(hdS_gaugeFinalize(gauge));
	file = testStatRead("g1_DISK.stat");
	g_assert_cmpuint(file->count, ==, 8 * 6000 + 1);
	for (size_t i = 0; i < file->count; i++) {
		int64_t pending = numberAt(&file->entries[i], 0);

		g_assert_cmpint(pending, >=, 0);
		g_assert_cmpint(pending, <=, 8);
		g_assert_cmpint(ABS(pending - last), ==, i > 0);
		last = pending;
		bytes += numberAt(&file->entries[i], 1);
	}
	g_assert_cmpint(last, ==, 0);
	g_assert_cmpint(bytes, ==, 8 * 2000 * 10);
	testStatFree(file);
}

/* A program that ends more than it has begun. */
static void testNegative(void)
{
	if (g_test_subprocess()) {
		hdS_gauge *gauge = createGauge("negative", 0);
		struct testStatFile *file;

		for (int i = 0; i < 2; i++) {
			testWorks(hdS_gaugeAdd(gauge, -1, 0));
			testWorks(hdS_gaugeAdd(gauge, -1, 0));
			testWorks(hdS_gaugeAdd(gauge, 2, 0));
		}
		g_assert_cmpuint(hdS_gaugeNegatives(gauge), ==, 2);
		testWorks(hdS_gaugeFinalize(gauge));
		file = testStatRead("negative_DISK.stat");
		g_assert_cmpint(numberAt(&file->entries[2], 0), ==, -2);
		testStatFree(file);
		return;
	}
	g_setenv("HDTRACE_VERBOSITY", "2", TRUE);
	g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
	g_unsetenv("HDTRACE_VERBOSITY");
	g_test_trap_assert_passed();
	g_test_trap_assert_stderr(
		"hdtrace: negative_DISK.stat: more operations "
		"have ended than begun\n");
}

static void testRefused(void)
{
	hdTopoNode *node = testNode("refused", "");
	hdLosses losses;

	testFailsNull(HD_ERR_INVALID_ARGUMENT,
		      hdS_gaugeCreate("DISK", node, 0, -1));
	testFailsNull(HD_ERR_INVALID_ARGUMENT,
		      hdS_gaugeCreate("a_b", node, 0, 0));
	testFailsNull(HD_ERR_INVALID_ARGUMENT,
		      hdS_gaugeCreate("DISK", NULL, 0, 0));
	testClockBreak();
	testFailsNull(HD_ERR_GET_TIME, hdS_gaugeCreate("DISK", node, 0, 0));
	testClockReset();
	g_assert_false(testExists("refused_DISK.stat"));
	hdT_destroyTopoNode(node);
	testGives(-1, hdS_gaugeAdd(NULL, 1, 1));
	testGives(0, hdS_gaugeValue(NULL));
	testGives(0, hdS_gaugeNegatives(NULL));
	testFails(HD_ERR_INVALID_ARGUMENT, hdS_gaugeFlush(NULL));
	testFails(HD_ERR_INVALID_ARGUMENT, hdS_gaugeDisable(NULL));
	testFails(HD_ERR_INVALID_ARGUMENT, hdS_gaugeEnable(NULL));
	testFails(HD_ERR_INVALID_ARGUMENT, hdS_gaugeLosses(NULL, &losses));
	testFails(HD_ERR_INVALID_ARGUMENT, hdS_gaugeFinalize(NULL));
}

/* The disk is full: one call says it, the program goes on. */
static void testFull(void)
{
	const struct rlimit limit = { 2000, 2000 };
	hdS_gauge *gauge;
	hdLosses losses;
	int reports = 0;

	if (!testInProcess("HDTRACE_FORCE_FLUSH=1"))
		return;
	gauge = createGauge("full", 0);
	g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &limit), ==, 0);
	for (int i = 0; i < 500; i++) {
		errno = 0;
		if (hdS_gaugeAdd(gauge, i % 2 ? -1 : 1, 0) == 0)
			continue;
		g_assert_cmpint(errno, ==, HD_ERR_WRITE_FILE);
		reports++;
	}
	g_assert_cmpint(reports, ==, 1);
	g_assert_cmpint(hdS_gaugeValue(gauge), ==, 0);
	testWorks(hdS_gaugeLosses(gauge, &losses));
	g_assert_cmpuint(losses.records, >, 300);
	testFails(HD_ERR_WRITE_FILE, hdS_gaugeFlush(gauge));
	testFails(HD_ERR_WRITE_FILE, hdS_gaugeFinalize(gauge));
}

static void testFork(void)
{
	struct testStatFile *file;
	hdS_gauge *gauge;
	hdLosses losses;
	int status;
	pid_t pid;

	if (TEST_HAS_TSAN || TEST_HAS_ASAN) {
		g_test_skip("the sanitizer cannot follow fork()");
		return;
	}
	if (!testInProcess("HDTRACE_FLUSH_MS=3600000"))
		return;
	gauge = createGauge("fork", 0);
	testWorks(hdS_gaugeAdd(gauge, 1, 0));
	fflush(NULL);
	pid = fork();
	g_assert_cmpint(pid, >=, 0);
	if (pid == 0) {
		testFails(HD_ERR_TRACE_DISABLED, hdS_gaugeAdd(gauge, 1, 0));
		testWorks(hdS_gaugeFlush(gauge));
		testGives(1, hdS_gaugeDisable(gauge));
		testGives(1, hdS_gaugeEnable(gauge));
		testWorks(hdS_gaugeLosses(gauge, &losses));
		testWorks(hdS_gaugeFinalize(gauge));
		exit(0);
	}
	g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
	g_assert_cmpint(status, ==, 0);
	testWorks(hdS_gaugeAdd(gauge, -1, 5));
	testWorks(hdS_gaugeFinalize(gauge));
	file = testStatRead("fork_DISK.stat");
	g_assert_cmpuint(file->count, ==, 3);
	testStatFree(file);
}

static hdS_gauge *ended, *others;

/* The one that was interrupted comes after another one, and again. */
static void endGauges(void)
{
	for (int i = 0; i < 2; i++) {
		hdS_gaugeFlush(others);
		hdS_gaugeFlush(ended);
	}
	if (hdS_gaugeValue(ended) < 0)
		_exit(2);
	hdS_gaugeFinalize(others);
	hdS_gaugeFinalize(ended);
}

static void endProgram(int signal)
{
	(void)signal;
	exit(0);
}

/* A program that is told to end while it counts, whose handler calls exit():
 * what it has registered for that does not wait for what was interrupted. */
static void countUntilTold(int number)
{
	struct itimerval timer = { .it_value.tv_usec = 200 + 37 * number };
	char project[32];

	snprintf(project, sizeof(project), "exit%d", number);
	ended = createGauge(project, 0);
	snprintf(project, sizeof(project), "exit%d-others", number);
	others = createGauge(project, 0);
	atexit(endGauges);
	signal(SIGALRM, endProgram);
	setitimer(ITIMER_REAL, &timer, NULL);
	for (;;) {
		hdS_gaugeAdd(ended, 1, 0);
		hdS_gaugeAdd(ended, -1, 0);
	}
}

/* The status of a process that may never end. */
static int waitFor(pid_t pid)
{
	int status = -1;

	for (int i = 0; i < 2000; i++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return status;
		g_usleep(10000);
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return status;
}

static void testExit(void)
{
	pid_t pids[10];
	int failures = 0;

	if (TEST_HAS_TSAN || TEST_HAS_ASAN) {
		g_test_skip("the sanitizer cannot follow fork()");
		return;
	}
	if (!testInProcess("HDTRACE_FLUSH_MS=3600000"))
		return;
	fflush(NULL);
	for (size_t i = 0; i < G_N_ELEMENTS(pids); i++) {
		pids[i] = fork();
		g_assert_cmpint(pids[i], >=, 0);
		if (pids[i] == 0)
			countUntilTold((int)i);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(pids); i++)
		failures += waitFor(pids[i]) != 0;
	g_assert_cmpint(failures, ==, 0);
}

int main(int argc, char **argv)
{
	testInit(&argc, &argv);
	g_test_add_func("/gauge/changes", testChanges);
	g_test_add_func("/gauge/throttled", testThrottled);
	g_test_add_func("/gauge/threads", testThreads);
	g_test_add_func("/gauge/negative", testNegative);
	g_test_add_func("/gauge/refused", testRefused);
	g_test_add_func("/gauge/full", testFull);
	g_test_add_func("/gauge/fork", testFork);
	g_test_add_func("/gauge/exit", testExit);
	return testRun();
}
