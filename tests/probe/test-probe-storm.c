/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: threads */
/* Everything at once, and each measurement is counted once: threads that come
 * and go, signals that interrupt probes, snapshots with resets, children. */
#include "config.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <glib.h>

#include <hdProbe.h>

#include "InstrumentationLibrary/src/core/memory.h"

static struct hdProbeFigures all[HD_PROBE_PROBES];

static struct hdProbeFigures figuresOf(const char *name)
{
	int count = hdProbe_snapshot(all, HD_PROBE_PROBES, 0);

	for (int i = 0; i < count; i++) {
		if (strcmp(all[i].name, name) == 0)
			return all[i];
	}
	return (struct hdProbeFigures){ .instances = 0 };
}

static void run(void *(*body)(void *context), unsigned int threads,
		void *context)
{
	pthread_t *ids = g_new(pthread_t, threads);

	for (unsigned int i = 0; i < threads; i++)
		g_assert_cmpint(pthread_create(&ids[i], NULL, body, context),
				==, 0);
	for (unsigned int i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	g_free(ids);
}

/* ---- Threads ---------------------------------------------------------------
 */

#define TIMES 50000

static void *hot(void *context)
{
	struct hdProbe *probe = context;

	for (int i = 0; i < TIMES; i++)
		hdProbe_stop(probe, hdProbe_start(probe));
	return NULL;
}

/* For T = 1 ... twice the cores. */
static void exact(void)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	for (unsigned int i = 1; i <= 2 * MIN(cores, 8); i++) {
		char *name = g_strdup_printf("exact %u", i);
		struct hdProbe *probe =
			hdProbe_find(name, NULL, HDPROBE_KIND_TIMER);

		run(hot, i, probe);
		g_assert_cmpuint(figuresOf(name).instances, ==,
				 (uint64_t)i * TIMES);
		g_assert_cmpuint(figuresOf(name).timed, ==,
				 (uint64_t)i * TIMES);
		g_free(name);
	}
}

/* All begin with the same probes, that nobody has used yet. */
static void *firstHits(void *context)
{
	pthread_barrier_wait(context);
	for (int i = 0; i < 100; i++) {
		HDPROBE_START(a, "first a");
		HDPROBE_STOP(a);
		HDPROBE_COUNT("first b", 2);
		HDPROBE_TRANSFER("first c", "d", 3);
	}
	return NULL;
}

static void registration(void)
{
	pthread_barrier_t barrier;

	pthread_barrier_init(&barrier, NULL, 8);
	run(firstHits, 8, &barrier);
	pthread_barrier_destroy(&barrier);
	g_assert_cmpuint(figuresOf("first a").instances, ==, 800);
	g_assert_cmpfloat(figuresOf("first b").body_s, ==, 1600);
	g_assert_cmpfloat(figuresOf("first c").body_s, ==, 2400);
	for (int i = 0, seen = 0; i < HD_PROBE_PROBES; i++) {
		seen += strcmp(all[i].name, "first a") == 0;
		g_assert_cmpint(seen, <=, 1);
	}
}

static void *once(void *context)
{
	hdProbe_add(context, 1);
	return NULL;
}

/* Threads that end keep their counts, and their place is for others. */
static void threadsEnd(void)
{
	struct hdProbe *probe =
		hdProbe_find("ended", NULL, HDPROBE_KIND_COUNTER);
	unsigned int before = atomic_load(&hdProbePage->slots);

	for (int i = 0; i < 1000; i++)
		run(once, 2, probe);
	g_assert_cmpuint(figuresOf("ended").instances, ==, 2000);
	/* Two at a time, and the one that threads share. */
	g_assert_cmpuint(atomic_load(&hdProbePage->slots) - before, <=, 3);
}

/* A thread more than there are lanes: they share, and nothing is lost. */
struct crowd {
	struct hdProbe *probe;
	pthread_barrier_t barrier;
};

static void *stay(void *context)
{
	struct crowd *crowd = context;

	hdProbe_add(crowd->probe, 1);
	pthread_barrier_wait(&crowd->barrier);
	for (int i = 0; i < 10; i++)
		hdProbe_add(crowd->probe, 1);
	return NULL;
}

static void crowded(void)
{
	struct crowd crowd;
	const unsigned int threads = HD_PROBE_LANES + 20;

	crowd.probe = hdProbe_find("crowd", NULL, HDPROBE_KIND_COUNTER);
	pthread_barrier_init(&crowd.barrier, NULL, threads);
	run(stay, threads, &crowd);
	pthread_barrier_destroy(&crowd.barrier);
	g_assert_cmpuint(figuresOf("crowd").instances, ==, threads * 11);
	g_assert_cmpfloat(figuresOf("crowd").body_s, ==, threads * 11);
	g_assert_cmpfloat(figuresOf("crowd").max_s, ==, 1);
}

/* ---- Reset -----------------------------------------------------------------
 */

struct resetting {
	struct hdProbe *probe;
	_Atomic int writers;
	uint64_t count, timed;
	double sum;
};

static void *writer(void *context)
{
	struct resetting *self = context;

	for (int i = 0; i < 200000; i++)
		hdProbe_add(self->probe, 3);
	atomic_fetch_sub(&self->writers, 1);
	return NULL;
}

static void collect(struct resetting *self)
{
	int count = hdProbe_snapshot(all, HD_PROBE_PROBES, 1);

	g_assert_cmpint(count, >, 0);
	for (int i = 0; i < count; i++) {
		if (strcmp(all[i].name, "resetting") != 0)
			continue;
		self->count += all[i].instances;
		self->timed += all[i].timed;
		self->sum += all[i].body_s;
		if (all[i].timed) {
			g_assert_cmpfloat(all[i].min_s, ==, 3);
			g_assert_cmpfloat(all[i].max_s, ==, 3);
		}
	}
}

/* What snapshots gave and what remains is all there was. */
static void loseNothing(void)
{
	struct resetting self = { .writers = 3 };
	pthread_t ids[3];

	self.probe = hdProbe_find("resetting", NULL, HDPROBE_KIND_COUNTER);
	for (int i = 0; i < 3; i++)
		pthread_create(&ids[i], NULL, writer, &self);
	while (atomic_load(&self.writers) > 0)
		collect(&self);
	for (int i = 0; i < 3; i++)
		pthread_join(ids[i], NULL);
	collect(&self);
	g_assert_cmpuint(self.count, ==, 600000);
	g_assert_cmpuint(self.timed, ==, 600000);
	g_assert_cmpfloat(self.sum, ==, 1800000);
}

/* ---- Signals ---------------------------------------------------------------
 */

static struct hdProbe inHandler =
	HDPROBE_INIT("interrupted", NULL, HDPROBE_KIND_TIMER);
static volatile sig_atomic_t signals;

static void handler(int number)
{
	(void)number;
	hdProbe_stop(&inHandler, hdProbe_start(&inHandler));
	signals = signals + 1;
}

/* The handler has the probe that it interrupts. */
static void interrupted(void)
{
	struct sigaction action = { .sa_handler = handler,
				    .sa_flags = SA_RESTART };
	struct itimerval timer = { { 0, 200 }, { 0, 200 } };
	uint64_t times = 0;

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	while (signals < 500) {
		hdProbe_stop(&inHandler, hdProbe_start(&inHandler));
		times++;
	}
	memset(&timer, 0, sizeof(timer));
	setitimer(ITIMER_REAL, &timer, NULL);
	signal(SIGALRM, SIG_IGN);
	g_assert_cmpuint(figuresOf("interrupted").instances, ==,
			 times + (uint64_t)signals);
}

/* A handler that comes in the middle of counting, which chance rarely does. */
static void interruptedInside(void)
{
	struct hdProbe *probe =
		hdProbe_find("inside", NULL, HDPROBE_KIND_COUNTER);
	struct hdProbeSlot *slot;

	hdProbe_add(probe, 1);
	slot = hdProbeClaim(probe);
	atomic_fetch_add(&slot->sequence, 1);
	for (int i = 0; i < 10; i++)
		hdProbe_add(probe, 5);
	atomic_fetch_add(&slot->sequence, 1);
	g_assert_cmpuint(hdProbeGet(&slot->sums.count), ==, 1);
	g_assert_cmpuint(figuresOf("inside").instances, ==, 11);
	g_assert_cmpfloat(figuresOf("inside").body_s, ==, 51);
	g_assert_cmpfloat(figuresOf("inside").max_s, ==, 5);
	g_assert_cmpfloat(figuresOf("inside").min_s, ==, 1);
}

/* ---- fork() ----------------------------------------------------------------
 */

static _Atomic int isOver;

static void *beside(void *context)
{
	uint64_t *times = context;

	while (!atomic_load(&isOver)) {
		HDPROBE_COUNT("forked", 1);
		(*times)++;
		if (*times % 1024 == 0)
			g_usleep(10);
	}
	return NULL;
}

/* What a child finds: its own counts, and none of the parent's. */
static int child(void)
{
	if (figuresOf("forked").instances != 0)
		return 1;
	for (int i = 0; i < 100; i++)
		HDPROBE_COUNT("forked", 1);
	if (figuresOf("forked").instances != 100)
		return 2;
	if (hdProbePage->pid != (uint32_t)getpid())
		return 3;
	return figuresOf("forked").body_s == 100 ? 0 : 4;
}

static void forked(void)
{
	pthread_t ids[2];
	uint64_t times[2] = { 0, 0 }, mine = 0;
	int status;

	for (int i = 0; i < 2; i++)
		pthread_create(&ids[i], NULL, beside, &times[i]);
	for (int i = 0; i < 40; i++) {
		pid_t pid = fork();

		g_assert_cmpint(pid, >=, 0);
		if (pid == 0)
			_exit(child());
		for (int j = 0; j < 50; j++, mine++)
			HDPROBE_COUNT("forked", 1);
		g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
		g_assert_cmpint(status, ==, 0);
	}
	atomic_store(&isOver, 1);
	for (int i = 0; i < 2; i++)
		pthread_join(ids[i], NULL);
	g_assert_cmpuint(figuresOf("forked").instances, ==,
			 times[0] + times[1] + mine);
}

/* Without the file, as in a program that has closed all descriptors, counts
 * are the process' alone. Comes last. */
static void closed(void)
{
	struct hdProbe *probe;

	for (int i = 3; i < 1024; i++)
		close(i);
	for (int i = 0; i < 20; i++) {
		char name[16];

		g_snprintf(name, sizeof(name), "closed %d", i);
		probe = hdProbe_find(name, NULL, HDPROBE_KIND_COUNTER);
		hdProbe_add(probe, 7);
		g_assert_cmpfloat(figuresOf(name).body_s, ==, 7);
	}
	g_assert_cmpuint(atomic_load(&hdProbePage->outside), >, 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/probe-storm/exact", exact);
	g_test_add_func("/probe-storm/registration", registration);
	g_test_add_func("/probe-storm/threads-end", threadsEnd);
	g_test_add_func("/probe-storm/crowd", crowded);
	g_test_add_func("/probe-storm/reset-loses-nothing", loseNothing);
	g_test_add_func("/probe-storm/signals", interrupted);
	g_test_add_func("/probe-storm/signals/inside", interruptedInside);
	g_test_add_func("/probe-storm/fork", forked);
	g_test_add_func("/probe-storm/closed", closed);
	return g_test_run();
}
