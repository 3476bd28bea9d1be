/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Load of CPUs; see load.h. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "LoadLevels/core/load.h"
#include "common/clock.h"
#include "common/thread.h"

/* Threads need that long to be there. */
#define AHEAD_NS INT64_C(5000000)
/* What a thread makes up for at most. */
#define DEBT_NS INT64_C(1000000000)

struct worker {
	struct hdLoad *load;
	hdTrace *trace;
	pthread_t thread;
	int cpu;
	double level;
	int error; /* Of pinning; positive: not known yet. */
	struct hdLoadUse use;
};

struct hdLoad {
	const struct hdLoadPlan *plan;
	int64_t startNs;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	atomic_bool isStopped;
	size_t left; /* Threads that are not through. */
	size_t count;
	struct worker workers[];
};

void hdLoadCompute(void)
{
	volatile double sink;
	double x = 1.000001, y = 0.999999;

	for (int i = 0; i < 500; i++) {
		x = x * 1.0000001 + y * 1e-9;
		y = y * 0.9999999 + x * 1e-9;
	}
	sink = x + y;
	(void)sink;
}

/* Sets of CPUs are larger than cpu_set_t, which has 1024 of them. */
static cpu_set_t *loadNewSet(size_t *size)
{
	*size = CPU_ALLOC_SIZE(HD_LOAD_CPUS_MAX);
	return calloc(1, *size);
}

int hdLoadPin(int cpu)
{
	size_t size;
	cpu_set_t *set;
	int error;

	if (cpu < 0 || cpu >= HD_LOAD_CPUS_MAX)
		return -EINVAL;
	set = loadNewSet(&size);
	if (!set)
		return -ENOMEM;
	CPU_SET_S((size_t)cpu, size, set);
	error = pthread_setaffinity_np(pthread_self(), size, set);
	free(set);
	return -error;
}

int hdLoadCheck(const int *cpus, size_t count)
{
	size_t size;
	cpu_set_t *before = loadNewSet(&size);
	int ret = before ? 0 : -ENOMEM;

	if (ret == 0)
		ret = -pthread_getaffinity_np(pthread_self(), size, before);
	for (size_t i = 0; i < count && ret == 0; i++)
		ret = hdLoadPin(cpus[i]);
	if (before)
		pthread_setaffinity_np(pthread_self(), size, before);
	free(before);
	return ret;
}

size_t hdLoadCpus(int *cpus, size_t room)
{
	size_t size, count = 0;
	cpu_set_t *set = loadNewSet(&size);

	if (!set || sched_getaffinity(0, size, set) != 0)
		room = 0;
	for (int cpu = 0; cpu < HD_LOAD_CPUS_MAX && count < room; cpu++) {
		if (CPU_ISSET_S((size_t)cpu, size, set))
			cpus[count++] = cpu;
	}
	free(set);
	return count;
}

/* ---- A thread ------------------------------------------------------------ */

static int64_t loadCpuNow(void)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return hdClockToNs(&now);
}

static bool loadIsStopped(const struct hdLoad *load)
{
	return atomic_load_explicit(&load->isStopped, memory_order_relaxed);
}

/* Be idle until a moment, or the stop. */
static void loadRestUntil(struct hdLoad *load, int64_t untilNs)
{
	struct timespec until = hdClockToTimespec(untilNs);
	int ret = 0;

	pthread_mutex_lock(&load->lock);
	while (!loadIsStopped(load) && ret == 0)
		ret = pthread_cond_timedwait(&load->changed, &load->lock,
					     &until);
	pthread_mutex_unlock(&load->lock);
}

/* Compute until a moment, or so much CPU time. */
static void loadWorkUntil(const struct hdLoad *load, int64_t untilNs,
			  int64_t untilCpu)
{
	while (!loadIsStopped(load) && hdMonotonicNow() < untilNs &&
	       loadCpuNow() < untilCpu)
		hdLoadCompute();
}

/* A level between nothing and all, period by period. */
static void loadShareLevel(struct hdLoad *load, double level, int64_t fromNs,
			   int64_t untilNs)
{
	int64_t base = loadCpuNow();

	for (int64_t at = fromNs; at < untilNs && !loadIsStopped(load);) {
		int64_t end = at + HD_LOAD_PERIOD_NS;
		int64_t due;

		if (end > untilNs)
			end = untilNs;
		due = base + (int64_t)(level * (double)(end - fromNs));
		if (due - loadCpuNow() > DEBT_NS) {
			base -= due - loadCpuNow() - DEBT_NS;
			due = loadCpuNow() + DEBT_NS;
		}
		loadWorkUntil(load, end, due);
		loadRestUntil(load, end);
		at = end;
	}
}

static void tellEdge(struct worker *self, double level)
{
	int fd = self->load->plan->edgesFd;

	if (fd > 0 && dprintf(fd, "%" PRId64 " %d %.3f\n", hdMonotonicNow(),
			      self->cpu, level) < 0)
		self->use.isEdgeLost = true;
	self->level = level;
}

static void loadBeginLevel(struct worker *self, double level)
{
	tellEdge(self, level);
	if (!self->trace)
		return;
	hdT_logStateStart(self->trace, level > 0 ? "Load" : "Idle");
	if (level > 0)
		hdT_logAttributeDouble(self->trace, "load", level);
}

static void runStep(struct worker *self, double level, int64_t fromNs,
		    int64_t untilNs)
{
	struct hdLoad *load = self->load;
	int64_t late = hdMonotonicNow() - fromNs, now;

	if (late > self->use.lateNs)
		self->use.lateNs = late;
	loadBeginLevel(self, level);
	if (level >= 1)
		loadWorkUntil(load, untilNs, INT64_MAX);
	else if (level > 0)
		loadShareLevel(load, level, fromNs, untilNs);
	else
		loadRestUntil(load, untilNs);
	if (self->trace)
		hdT_logStateEnd(self->trace);
	now = hdMonotonicNow();
	self->use.wantedNs +=
		(int64_t)(level *
			  (double)((now < untilNs ? now : untilNs) - fromNs));
}

static void runPlan(struct worker *self)
{
	struct hdLoad *load = self->load;
	const struct hdLoadPlan *plan = load->plan;

	loadRestUntil(load, load->startNs);
	for (size_t i = 0; i < plan->count && !loadIsStopped(load); i++) {
		int64_t end = i + 1 < plan->count ? plan->steps[i + 1].ns
						  : plan->endNs;

		runStep(self, plan->steps[i].level,
			load->startNs + plan->steps[i].ns, load->startNs + end);
	}
	if (self->level > 0)
		tellEdge(self, 0);
}

static void *runWorker(void *context)
{
	struct worker *self = context;
	struct hdLoad *load = self->load;
	int error = hdLoadPin(self->cpu);
	int64_t before;

	pthread_mutex_lock(&load->lock);
	self->error = error;
	pthread_cond_broadcast(&load->changed);
	pthread_mutex_unlock(&load->lock);
	before = loadCpuNow();
	if (error == 0)
		runPlan(self);
	self->use.cpuNs = loadCpuNow() - before;
	pthread_mutex_lock(&load->lock);
	load->left--;
	pthread_cond_broadcast(&load->changed);
	pthread_mutex_unlock(&load->lock);
	return NULL;
}

/* ---- All threads --------------------------------------------------------- */

static int initialize(struct hdLoad *load)
{
	pthread_condattr_t attributes;
	int error = pthread_mutex_init(&load->lock, NULL);

	if (error)
		return -error;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	error = pthread_cond_init(&load->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	if (error)
		pthread_mutex_destroy(&load->lock);
	return -error;
}

/* The error of the first thread that could not be pinned. */
static int awaitPinned(struct hdLoad *load)
{
	int ret = 0;

	pthread_mutex_lock(&load->lock);
	for (size_t i = 0; i < load->count; i++) {
		while (load->workers[i].error > 0)
			pthread_cond_wait(&load->changed, &load->lock);
		if (ret == 0)
			ret = load->workers[i].error;
	}
	pthread_mutex_unlock(&load->lock);
	return ret;
}

int hdLoadStart(const int *cpus, size_t count, const struct hdLoadPlan *plan,
		hdTrace *const *traces, struct hdLoad **result)
{
	struct hdLoad *load =
		calloc(1, sizeof(*load) + count * sizeof(struct worker));
	int ret = load ? initialize(load) : -ENOMEM;

	if (ret < 0) {
		free(load);
		return ret;
	}
	load->plan = plan;
	load->startNs = hdMonotonicNow() + AHEAD_NS;
	for (size_t i = 0; i < count && ret == 0; i++) {
		load->workers[i] = (struct worker){
			.load = load,
			.trace = traces ? traces[i] : NULL,
			.cpu = cpus[i],
			.error = 1,
		};
		pthread_mutex_lock(&load->lock);
		load->left++;
		pthread_mutex_unlock(&load->lock);
		ret = hdThreadStart(&load->workers[i].thread, runWorker,
				    &load->workers[i]);
		if (ret == 0)
			load->count++;
	}
	if (ret == 0)
		ret = awaitPinned(load);
	if (ret < 0)
		hdLoadStop(load, NULL);
	else
		*result = load;
	return ret;
}

void hdLoadWait(struct hdLoad *load)
{
	pthread_mutex_lock(&load->lock);
	while (load->left > 0)
		pthread_cond_wait(&load->changed, &load->lock);
	pthread_mutex_unlock(&load->lock);
}

void hdLoadStop(struct hdLoad *load, struct hdLoadUse *uses)
{
	pthread_mutex_lock(&load->lock);
	atomic_store(&load->isStopped, true);
	pthread_cond_broadcast(&load->changed);
	pthread_mutex_unlock(&load->lock);
	for (size_t i = 0; i < load->count; i++) {
		pthread_join(load->workers[i].thread, NULL);
		if (uses)
			uses[i] = load->workers[i].use;
	}
	pthread_cond_destroy(&load->changed);
	pthread_mutex_destroy(&load->lock);
	free(load);
}
