/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One thread that takes a sample at every interval; see sampler.h. */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/sampler.h"
#include "common/thread.h"

struct hdSampler {
	struct hdSamplerCalls calls;
	void *context;
	int64_t intervalNs;
	pid_t owner; /* The process that has the thread. */
	pthread_t thread;
	/* Wakes the thread. A condition costs a system call more a sample: it
	 * takes the mutex such that unlocking is one. */
	sem_t wake;
	pthread_mutex_t mutex;
	pthread_cond_t changed; /* isBusy. */
	bool isStarted;
	bool isEnding;
	bool isBusy; /* A call is running. */
	int64_t firstNs;
	int64_t nextNs;
	/* Read without the mutex. */
	uint64_t samples;
	uint64_t late;
};

/* Calls run between these two, one at a time and without the mutex. */
static void samplerEnter(struct hdSampler *s)
{
	s->isBusy = true;
	pthread_mutex_unlock(&s->mutex);
}

static void samplerLeave(struct hdSampler *s)
{
	pthread_mutex_lock(&s->mutex);
	s->isBusy = false;
	pthread_cond_broadcast(&s->changed);
}

static void samplerWait(struct hdSampler *s)
{
	while (s->isBusy)
		pthread_cond_wait(&s->changed, &s->mutex);
}

static void samplerTake(struct hdSampler *s, bool isLast)
{
	int64_t number = (s->nextNs - s->firstNs) / s->intervalNs - 1;

	__atomic_add_fetch(&s->samples, 1, __ATOMIC_RELAXED);
	samplerEnter(s);
	s->calls.sample(s->context, (uint64_t)number, isLast);
	samplerLeave(s);
}

/* The first multiple of the interval that is later than a time. */
static int64_t samplerMultipleAfter(const struct hdSampler *s, int64_t ns)
{
	return s->firstNs +
	       ((ns - s->firstNs) / s->intervalNs + 1) * s->intervalNs;
}

#ifdef HAVE_SEM_CLOCKWAIT
static void samplerSleepUntil(sem_t *wake, const struct timespec *deadline)
{
	sem_clockwait(wake, CLOCK_MONOTONIC, deadline);
}
#else
/* A second at most, since somebody may set the wall clock. */
static void samplerSleepUntil(sem_t *wake, const struct timespec *deadline)
{
	int64_t ns = (int64_t)deadline->tv_sec * HD_NS_PER_S +
		     deadline->tv_nsec - hdMonotonicNow();
	struct timespec until;

	ns = ns < 0 ? 0 : ns > HD_NS_PER_S ? HD_NS_PER_S : ns;
	clock_gettime(CLOCK_REALTIME, &until);
	ns += until.tv_nsec;
	until.tv_sec += ns / HD_NS_PER_S;
	until.tv_nsec = ns % HD_NS_PER_S;
	sem_timedwait(wake, &until);
}
#endif

/* Sleep until woken or, if it is started, until the deadline; without the
 * mutex. */
static void samplerSleep(struct hdSampler *s)
{
	const struct timespec deadline = hdClockToTimespec(s->nextNs);
	bool isStarted = s->isStarted;

	pthread_mutex_unlock(&s->mutex);
	if (isStarted)
		samplerSleepUntil(&s->wake, &deadline);
	else
		sem_wait(&s->wake);
	pthread_mutex_lock(&s->mutex);
}

static void *samplerLoop(void *data)
{
	struct hdSampler *s = data;

	/* The default of 50 us is what ruins short intervals. */
	prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
	pthread_mutex_lock(&s->mutex);
	while (!s->isEnding) {
		int64_t now, passed;

		samplerWait(s);
		now = hdMonotonicNow();
		if (!s->isStarted || now < s->nextNs) {
			samplerSleep(s);
			continue;
		}
		/* What has passed while we slept too long... */
		passed = samplerMultipleAfter(s, now);
		__atomic_add_fetch(
			&s->late,
			(uint64_t)((passed - s->nextNs) / s->intervalNs - 1),
			__ATOMIC_RELAXED);
		s->nextNs = passed;
		samplerTake(s, false);
		/* ... is late, and what passes now is noticed then. */
	}
	pthread_mutex_unlock(&s->mutex);
	return NULL;
}

int hdSamplerCreate(int64_t intervalNs, const struct hdSamplerCalls *calls,
		    void *context, struct hdSampler **result)
{
	struct hdSampler *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return -ENOMEM;
	s->calls = *calls;
	s->context = context;
	s->intervalNs = intervalNs;
	s->owner = getpid();
	sem_init(&s->wake, 0, 0);
	pthread_mutex_init(&s->mutex, NULL);
	pthread_cond_init(&s->changed, NULL);
	ret = hdThreadStart(&s->thread, samplerLoop, s) == 0 ? 0 : -EAGAIN;
	if (ret < 0) {
		pthread_cond_destroy(&s->changed);
		pthread_mutex_destroy(&s->mutex);
		sem_destroy(&s->wake);
		free(s);
		return ret;
	}
	*result = s;
	return 0;
}

int hdSamplerStart(struct hdSampler *s)
{
	int64_t now;

	pthread_mutex_lock(&s->mutex);
	samplerWait(s);
	if (s->isStarted) {
		pthread_mutex_unlock(&s->mutex);
		return 1;
	}
	samplerEnter(s);
	s->calls.begin(s->context);
	samplerLeave(s);
	now = hdMonotonicNow();
	if (s->firstNs == 0)
		s->firstNs = now;
	s->nextNs = samplerMultipleAfter(s, now);
	if (s->nextNs - now < s->intervalNs / 2)
		s->nextNs += s->intervalNs;
	s->isStarted = true;
	pthread_mutex_unlock(&s->mutex);
	sem_post(&s->wake);
	return 0;
}

int hdSamplerStop(struct hdSampler *s)
{
	pthread_mutex_lock(&s->mutex);
	samplerWait(s);
	if (!s->isStarted) {
		pthread_mutex_unlock(&s->mutex);
		return 1;
	}
	s->isStarted = false;
	samplerTake(s, true);
	pthread_mutex_unlock(&s->mutex);
	return 0;
}

void hdSamplerGetCounts(struct hdSampler *s, struct hdSamplerCounts *counts)
{
	struct timespec used = { 0 };
	clockid_t clock;

	counts->samples = __atomic_load_n(&s->samples, __ATOMIC_RELAXED);
	counts->late = __atomic_load_n(&s->late, __ATOMIC_RELAXED);
	if (pthread_getcpuclockid(s->thread, &clock) == 0)
		clock_gettime(clock, &used);
	counts->cpuNs = (int64_t)used.tv_sec * HD_NS_PER_S + used.tv_nsec;
}

void hdSamplerDestroy(struct hdSampler *s)
{
	if (!s)
		return;
	if (s->owner == getpid()) {
		hdSamplerStop(s);
		pthread_mutex_lock(&s->mutex);
		s->isEnding = true;
		pthread_mutex_unlock(&s->mutex);
		sem_post(&s->wake);
		pthread_join(s->thread, NULL);
		pthread_cond_destroy(&s->changed);
		pthread_mutex_destroy(&s->mutex);
		sem_destroy(&s->wake);
	}
	free(s);
}
