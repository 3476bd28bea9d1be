/* SPDX-License-Identifier: LGPL-2.1-or-later */
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
	int holdMs;     /* Stay this long in the next sample. */
};

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
	log->number = number;
	log->samples++;
	if (log->holdMs > 0)
		g_usleep((gulong)log->holdMs * 1000);
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
	log->isMonotone = log->isBlocked = true;
	sem_init(&log->sampled, 0, 0);
	g_assert_cmpint(hdSamplerCreate(intervalNs, &calls, log, &log->sampler),
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
		alarm(60);
		hdSamplerDestroy(log.sampler);
		_exit(0);
	}
	g_assert_cmpint(waitpid(child, &status, 0), ==, child);
	g_assert_cmpint(status, ==, 0);
	logDestroy(&log);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/sampler/counts", testCounts);
	g_test_add_func("/sampler/late", testLate);
	g_test_add_func("/sampler/restart", testRestart);
	g_test_add_func("/sampler/prompt", testPrompt);
	g_test_add_func("/sampler/cycles", testCycles);
	g_test_add_func("/sampler/threads", testThreads);
	g_test_add_func("/sampler/fork", testFork);
	return g_test_run();
}
