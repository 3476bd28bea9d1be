/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: both threads */
/* The sampling thread: numbers and order of samples, stop, start, end. */
#include "config.h"

#include <glib.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/sampler.h"
#include "tests/lib/leftover.h"
#include "tests/lib/testlib.h"

#define MS 1000000

/* What the calls saw. */
struct log {
	struct hdSampler *sampler;
	sem_t sampled;
	int begins;
	int samples;
	int lasts;
	int inside; /* Calls that run at this moment. */
	uint64_t number;
	bool isMonotone;
	bool isBlocked; /* All signals, in the thread. */
	int holdMs;     /* Stay this long in the next sample, ... */
	bool isSlow;    /* ... or in each. */
	pthread_t thread;
	uint64_t first; /* Number of the first sample. */
	const struct log
		*of;    /* Another one with intervals of half the length ... */
	bool isAligned; /* ... whose multiples are the same. */
};

static bool isShared;

static void logBegin(void *context)
{
	struct log *log = context;

	g_assert_cmpint(__atomic_add_fetch(&log->inside, 1, __ATOMIC_SEQ_CST),
			==, 1);
	log->begins++;
	__atomic_sub_fetch(&log->inside, 1, __ATOMIC_SEQ_CST);
}

static void logSample(void *context, uint64_t number, bool isLast)
{
	struct log *log = context;
	uint64_t other =
		log->of ? __atomic_load_n(&log->of->number, __ATOMIC_RELAXED)
			: 0;
	sigset_t mask;

	g_assert_cmpint(__atomic_add_fetch(&log->inside, 1, __ATOMIC_SEQ_CST),
			==, 1);
	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	if (isLast)
		log->lasts++;
	else
		log->isBlocked = log->isBlocked && sigismember(&mask, SIGTERM);
	log->isMonotone = log->isMonotone && (isLast ? number >= log->number
						     : number > log->number);
	__atomic_store_n(&log->number, number, __ATOMIC_RELAXED);
	if (!isLast)
		log->thread = pthread_self();
	if (!log->samples)
		log->first = number;
	log->isAligned = log->isAligned && number >= other / 2;
	log->samples++;
	if (log->holdMs > 0)
		g_usleep((gulong)log->holdMs * 1000);
	if (!log->isSlow)
		log->holdMs = 0;
	__atomic_sub_fetch(&log->inside, 1, __ATOMIC_SEQ_CST);
	sem_post(&log->sampled);
}

static const struct hdSamplerCalls calls = {
	.begin = logBegin,
	.sample = logSample,
};

static void logCreate(struct log *log, int64_t intervalNs)
{
	memset(log, 0, sizeof(*log));
	log->isMonotone = log->isBlocked = log->isAligned = true;
	sem_init(&log->sampled, 0, 0);
	g_assert_cmpint(isShared ? hdSamplerCreateShared(intervalNs, &calls,
							 log, &log->sampler)
				 : hdSamplerCreate(intervalNs, &calls, log,
						   &log->sampler),
			==, 0);
}

static void logWait(struct log *log, int samples)
{
	while (samples-- > 0)
		sem_wait(&log->sampled);
}

static void logDestroy(struct log *log)
{
	hdSamplerDestroy(log->sampler);
	sem_destroy(&log->sampled);
}

static void testCounts(void)
{
	struct hdSamplerCounts counts;
	struct log log;
	int64_t began, ended;
	int samples;

	logCreate(&log, 2 * MS);
	began = hdMonotonicNow();
	g_assert_cmpint(hdSamplerStart(log.sampler), ==, 0);
	g_assert_cmpint(hdSamplerStart(log.sampler), ==, 1);
	logWait(&log, 50);
	g_assert_cmpint(hdSamplerStop(log.sampler), ==, 0);
	ended = hdMonotonicNow();
	samples = log.samples;
	g_assert_cmpint(hdSamplerStop(log.sampler), ==, 1);
	hdSamplerGetCounts(log.sampler, &counts);
	logDestroy(&log);

	/* After the stop there was none. */
	g_assert_cmpint(samples, ==, log.samples);
	g_assert_cmpint(log.begins, ==, 1);
	g_assert_cmpint(log.lasts, ==, 1);
	g_assert_true(log.isMonotone);
	g_assert_true(log.isBlocked);
	g_assert_cmpuint(counts.samples, ==, (uint64_t)samples);
	g_assert_cmpint(counts.cpuNs, >, 0);
	/* Every deadline has a sample or was counted as late, and none came
	 * before its time. */
	g_assert_cmpuint(counts.samples - 1 + counts.late, ==, log.number);
	g_assert_cmpint((int64_t)log.number, <=, (ended - began) / (2 * MS));
}

/* What passes during a sample is left out, not made up for. */
static void testLate(void)
{
	struct hdSamplerCounts counts;
	struct log log;

	logCreate(&log, 5 * MS);
	log.holdMs = 52;
	hdSamplerStart(log.sampler);
	logWait(&log, 3);
	hdSamplerStop(log.sampler);
	hdSamplerGetCounts(log.sampler, &counts);
	logDestroy(&log);
	g_assert_cmpuint(counts.late, >=, 9);
	g_assert_cmpuint(counts.samples - 1 + counts.late, ==, log.number);
	g_assert_true(log.isMonotone);
}

/* The next sample is due whenever one ends; all the same it can be stopped, and
 * its start be asked for. */
static void testSlow(void)
{
	struct hdSamplerCounts counts;
	struct log log;

	logCreate(&log, MS);
	log.isSlow = true;
	log.holdMs = 3;
	hdSamplerStart(log.sampler);
	logWait(&log, 5);
	g_assert_cmpint(hdSamplerStart(log.sampler), ==, 1);
	/* It goes on. */
	logWait(&log, 5);
	g_assert_cmpint(hdSamplerStop(log.sampler), ==, 0);
	hdSamplerGetCounts(log.sampler, &counts);
	g_assert_cmpint(log.lasts, ==, 1);
	g_assert_cmpuint(counts.late, >=, 9);
	logDestroy(&log);
}

/* The multiples stay; a stop and a start take their own samples. */
static void testRestart(void)
{
	struct log log;

	logCreate(&log, 3600LL * 1000 * MS);
	for (int i = 1; i <= 10; i++) {
		g_assert_cmpint(hdSamplerStart(log.sampler), ==, 0);
		g_assert_cmpint(hdSamplerStop(log.sampler), ==, 0);
		g_assert_cmpint(log.begins, ==, i);
		g_assert_cmpint(log.lasts, ==, i);
		g_assert_cmpint(log.samples, ==, i);
	}
	logDestroy(&log);
}

/* An hour's interval does not delay the end; nor does a second one. */
static void testPrompt(void)
{
	struct log log;
	int64_t began;

	logCreate(&log, 3600LL * 1000 * MS);
	hdSamplerStart(log.sampler);
	began = hdMonotonicNow();
	logDestroy(&log);
	/* A loaded machine may be slow, but not by an interval. */
	g_assert_cmpint(hdMonotonicNow() - began, <, 20000LL * MS);
	g_assert_cmpint(log.lasts, ==, 1);
	logCreate(&log, MS);
	logDestroy(&log);
	g_assert_cmpint(log.samples, ==, 0);
	hdSamplerDestroy(NULL);
}

static void testCycles(void)
{
	struct log log;

	logCreate(&log, MS);
	for (int i = 0; i < 10000; i++) {
		hdSamplerStart(log.sampler);
		hdSamplerStop(log.sampler);
	}
	logDestroy(&log);
	g_assert_cmpint(log.begins, ==, 10000);
	g_assert_cmpint(log.lasts, ==, 10000);
	g_assert_true(log.isMonotone);
}

static void *startAndStop(void *data)
{
	struct log *log = data;

	for (int i = 0; i < 300; i++) {
		hdSamplerStart(log->sampler);
		hdSamplerStop(log->sampler);
	}
	return NULL;
}

/* Several threads start and stop; the calls never overlap. */
static void testThreads(void)
{
	pthread_t threads[4];
	struct log log;

	logCreate(&log, MS);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, startAndStop, &log);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	hdSamplerStop(log.sampler);
	g_assert_cmpint(log.begins, ==, log.lasts);
	logDestroy(&log);
}

/* In a child there is no thread to wait for. */
static void testFork(void)
{
	struct log log;
	int status;
	pid_t child;

	logCreate(&log, MS);
	hdSamplerStart(log.sampler);
	child = fork();
	if (child == 0) {
		struct hdSamplerCounts counts;
		bool isGood;

		alarm(60);
		isGood = hdSamplerStart(log.sampler) == 1 &&
			 hdSamplerStop(log.sampler) == 1;
		hdSamplerGetCounts(log.sampler, &counts);
		hdSamplerDestroy(log.sampler);
		_exit(isGood ? 0 : 1);
	}
	g_assert_cmpint(waitpid(child, &status, 0), ==, child);
	g_assert_cmpint(status, ==, 0);
	logDestroy(&log);
}

/* ---- Several samplers with one thread -------------------------------------
 */

/* The main thread, and what a sanitizer has. */
static int threadsAtBegin;

static int threadCount(void)
{
	return testCountFiles("/proc/self/task");
}

/* One thread for all; it goes on when others are stopped or gone, ends with the
 * last, and begins again. */
static void testOne(void)
{
	struct log logs[4];

	testWaitThreads(threadsAtBegin);
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 4; i++) {
			logCreate(&logs[i], (i + 1) * MS);
			g_assert_cmpint(hdSamplerStart(logs[i].sampler), ==, 0);
		}
		g_assert_cmpint(threadCount(), ==, threadsAtBegin + 1);
		for (int i = 0; i < 4; i++)
			logWait(&logs[i], 5);
		g_assert_cmpint(hdSamplerStop(logs[2].sampler), ==, 0);
		for (int i = 0; i < 2; i++)
			logDestroy(&logs[i]);
		logWait(&logs[3], 5);
		g_assert_cmpint(hdSamplerStop(logs[3].sampler), ==, 0);
		for (int i = 0; i < 4; i++) {
			g_assert_true(
				pthread_equal(logs[i].thread, logs[0].thread));
			g_assert_true(logs[i].isMonotone);
			g_assert_cmpint(logs[i].lasts, ==, 1);
		}
		logDestroy(&logs[3]);
		logDestroy(&logs[2]);
		testWaitThreads(threadsAtBegin);
	}
}

/* One with a thread of its own has no part in that. */
static void testAlone(void)
{
	struct log alone, log;

	isShared = false;
	logCreate(&alone, MS);
	isShared = true;
	logCreate(&log, MS);
	hdSamplerStart(alone.sampler);
	hdSamplerStart(log.sampler);
	logWait(&alone, 2);
	logWait(&log, 2);
	hdSamplerStop(alone.sampler);
	hdSamplerStop(log.sampler);
	g_assert_false(pthread_equal(alone.thread, log.thread));
	logDestroy(&alone);
	logDestroy(&log);
}

/* Whenever they are started, their multiples are the same: when that of 10 ms
 * has come for the n-th time, then that of 5 ms for the 2n-th. */
static void testAligned(void)
{
	struct log log, later;

	logCreate(&log, 5 * MS);
	hdSamplerStart(log.sampler);
	logWait(&log, 10);
	logCreate(&later, 10 * MS);
	later.of = &log;
	hdSamplerStart(later.sampler);
	logWait(&later, 10);
	hdSamplerStop(later.sampler);
	hdSamplerStop(log.sampler);
	g_assert_cmpuint(later.first, >=, 5);
	g_assert_true(later.isAligned);
	g_assert_true(later.isMonotone);
	logDestroy(&later);
	logDestroy(&log);
}

/* What others take too long for is late, and counted. */
static void testHeldUp(void)
{
	struct hdSamplerCounts counts;
	struct log log, slow;

	logCreate(&log, 5 * MS);
	logCreate(&slow, 5 * MS);
	hdSamplerStart(log.sampler);
	logWait(&log, 1);
	slow.holdMs = 52;
	hdSamplerStart(slow.sampler);
	logWait(&slow, 1);
	do {
		logWait(&log, 1);
		hdSamplerGetCounts(log.sampler, &counts);
	} while (counts.late < 9);
	hdSamplerStop(log.sampler);
	hdSamplerGetCounts(log.sampler, &counts);
	g_assert_cmpuint(counts.samples - 1 + counts.late, ==, log.number);
	logDestroy(&log);
	logDestroy(&slow);
}

static void burnBegin(void *context)
{
	(void)context;
}

static void burnSample(void *context, uint64_t number, bool isLast)
{
	struct timespec now;
	int64_t began;

	(void)number;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	began = hdClockToNs(&now);
	while (hdClockToNs(&now) - began < 2 * MS)
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	if (!isLast)
		sem_post(context);
}

/* Each is told of its own CPU time. */
static void testCharged(void)
{
	static const struct hdSamplerCalls burnCalls = { burnBegin,
							 burnSample };
	struct hdSamplerCounts idle, busy, later;
	struct hdSampler *burning;
	struct log log;
	sem_t sampled;

	sem_init(&sampled, 0, 0);
	logCreate(&log, 5 * MS);
	g_assert_cmpint(
		hdSamplerCreateShared(5 * MS, &burnCalls, &sampled, &burning),
		==, 0);
	hdSamplerStart(log.sampler);
	hdSamplerStart(burning);
	for (int i = 0; i < 10; i++)
		sem_wait(&sampled);
	logWait(&log, 10);
	hdSamplerGetCounts(log.sampler, &idle);
	hdSamplerGetCounts(burning, &busy);
	g_assert_cmpint(busy.cpuNs, >=, 9 * 2 * MS);
	g_assert_cmpint(idle.cpuNs, >, 0);
	g_assert_cmpint(idle.cpuNs, <, busy.cpuNs);
	hdSamplerStop(log.sampler);
	hdSamplerStop(burning);
	hdSamplerDestroy(burning);
	/* What was another one's stays that. */
	hdSamplerGetCounts(log.sampler, &later);
	g_assert_cmpint(later.cpuNs, >=, idle.cpuNs);
	g_assert_cmpint(later.cpuNs, <, busy.cpuNs);
	logDestroy(&log);
	sem_destroy(&sampled);
}

static void *createAndDestroy(void *data)
{
	(void)data;
	for (int i = 0; i < 200; i++) {
		struct log log;

		logCreate(&log, MS);
		hdSamplerStart(log.sampler);
		if (i % 4 == 0)
			logWait(&log, 1);
		if (i % 2 == 0)
			hdSamplerStop(log.sampler);
		logDestroy(&log);
		g_assert_cmpint(log.begins, ==, log.lasts);
	}
	return NULL;
}

/* The thread comes and goes while others want it. */
static void testComeAndGo(void)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, createAndDestroy, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	testWaitThreads(threadsAtBegin);
}

/* A child has a thread of its own, whatever its parent had. */
static void testChild(void)
{
	struct log log;
	int status;
	pid_t child;

	if (TEST_HAS_TSAN || TEST_HAS_ASAN) {
		g_test_skip("the sanitizer bears no such child");
		return;
	}
	logCreate(&log, MS);
	hdSamplerStart(log.sampler);
	child = fork();
	if (child == 0) {
		struct log own;

		alarm(60);
		logCreate(&own, MS);
		hdSamplerStart(own.sampler);
		logWait(&own, 3);
		hdSamplerDestroy(log.sampler);
		logWait(&own, 3);
		logDestroy(&own);
		testWaitThreads(threadsAtBegin);
		_exit(0);
	}
	g_assert_cmpint(waitpid(child, &status, 0), ==, child);
	g_assert_cmpint(status, ==, 0);
	logWait(&log, 1);
	logDestroy(&log);
}

static void *noteThread(void *data)
{
	*(pid_t *)data = gettid();
	return NULL;
}

/* With a first thread that of a sanitizer begins, and stays. */
static int countWithNone(void)
{
	char path[64];
	pthread_t thread;
	pid_t id;

	g_assert_cmpint(pthread_create(&thread, NULL, noteThread, &id), ==, 0);
	pthread_join(thread, NULL);
	g_snprintf(path, sizeof(path), "/proc/self/task/%d", (int)id);
	while (access(path, F_OK) == 0)
		g_usleep(1000);
	return threadCount();
}

struct test {
	const char *name;
	bool isShared;
	void (*run)(void);
};

static void run(gconstpointer data)
{
	const struct test *test = data;

	isShared = test->isShared;
	test->run();
}

int main(int argc, char **argv)
{
	static const struct test tests[] = {
		{ "/sampler/counts", false, testCounts },
		{ "/sampler/late", false, testLate },
		{ "/sampler/slow", false, testSlow },
		{ "/sampler/restart", false, testRestart },
		{ "/sampler/prompt", false, testPrompt },
		{ "/sampler/cycles", false, testCycles },
		{ "/sampler/threads", false, testThreads },
		{ "/sampler/fork", false, testFork },
		{ "/sampler/shared/counts", true, testCounts },
		{ "/sampler/shared/late", true, testLate },
		{ "/sampler/shared/slow", true, testSlow },
		{ "/sampler/shared/restart", true, testRestart },
		{ "/sampler/shared/prompt", true, testPrompt },
		{ "/sampler/shared/cycles", true, testCycles },
		{ "/sampler/shared/threads", true, testThreads },
		{ "/sampler/shared/fork", true, testFork },
		{ "/sampler/shared/one", true, testOne },
		{ "/sampler/shared/alone", true, testAlone },
		{ "/sampler/shared/aligned", true, testAligned },
		{ "/sampler/shared/held-up", true, testHeldUp },
		{ "/sampler/shared/charged", true, testCharged },
		{ "/sampler/shared/come-and-go", true, testComeAndGo },
		{ "/sampler/shared/child", true, testChild },
	};

	g_test_init(&argc, &argv, NULL);
	threadsAtBegin = countWithNone();
	for (size_t i = 0; i < G_N_ELEMENTS(tests); i++)
		g_test_add_data_func(tests[i].name, &tests[i], run);
	return g_test_run();
}
