/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads that take samples at every interval; see sampler.h. */
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

/* A thread, and the samplers that it has. */
struct samplerLoop {
	pid_t owner; /* The process that has the thread. */
	pthread_t thread;
	/* Wakes the thread. A condition costs a system call more a sample: it
	 * takes the mutex such that unlocking is one. */
	sem_t wake;
	pthread_mutex_t mutex;  /* Of all that is below. */
	pthread_cond_t changed; /* isBusy, of any. */
	bool isEnding;
	bool isShared;
	struct hdSampler *samplers;
	int64_t firstNs; /* First start of any; 0: none was started. */
	int64_t cpuNs;   /* CPU time of the thread that was divided. */
	struct samplerLoop *parent; /* What fork() has left. */
};

struct hdSampler {
	struct hdSamplerCalls calls;
	void *context;
	int64_t intervalNs;
	struct samplerLoop *loop;
	struct hdSampler *next;
	bool isStarted;
	bool isBusy;          /* A call is running. */
	unsigned int waiting; /* Who waits for that. */
	int64_t firstNs;
	int64_t nextNs;
	int64_t cpuNs;
	uint64_t samples;
	uint64_t late;
};

static struct {
	pthread_mutex_t mutex;
	struct samplerLoop *loop; /* NULL: there is no sampler. */
	struct samplerLoop *parent;
} shared = { .mutex = PTHREAD_MUTEX_INITIALIZER };

/* Calls run between these two, one at a time and without the mutex. */
static void samplerEnter(struct hdSampler *s)
{
	s->isBusy = true;
	pthread_mutex_unlock(&s->loop->mutex);
}

static void samplerLeave(struct hdSampler *s)
{
	pthread_mutex_lock(&s->loop->mutex);
	s->isBusy = false;
	pthread_cond_broadcast(&s->loop->changed);
}

/* The thread begins no other call meanwhile: where each takes as long as an
 * interval the next one is due at once, and nobody else would get a turn. */
static void samplerWait(struct hdSampler *s)
{
	s->waiting++;
	while (s->isBusy)
		pthread_cond_wait(&s->loop->changed, &s->loop->mutex);
	s->waiting--;
}

static void samplerTake(struct hdSampler *s, bool isLast)
{
	int64_t number = (s->nextNs - s->firstNs) / s->intervalNs - 1;

	s->samples++;
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

/* Whether the thread is one of this process. In a child of fork() there is
 * none, and who has the mutex is not here. */
static bool loopIsOurs(const struct samplerLoop *loop)
{
	return loop->owner == getpid();
}

/* ---- The thread --------------------------------------------------------- */

/* CPU time of the thread that was not divided yet. */
static int64_t loopCpuNs(const struct samplerLoop *loop)
{
	struct timespec used = { 0 };
	clockid_t clock;

	if (pthread_getcpuclockid(loop->thread, &clock) != 0 ||
	    clock_gettime(clock, &used) != 0)
		return 0;
	return (int64_t)used.tv_sec * HD_NS_PER_S + used.tv_nsec - loop->cpuNs;
}

/* What the thread has done since the last time it did for a sampler. */
static void loopCharge(struct samplerLoop *loop, struct hdSampler *s)
{
	int64_t ns = loopCpuNs(loop);

	s->cpuNs += ns;
	loop->cpuNs += ns;
}

/* With only one sampler nobody has to ask whose time it is. */
static bool loopHasSeveral(const struct samplerLoop *loop)
{
	return loop->samplers && loop->samplers->next;
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

/* Sleep until woken or, if a sampler is started, until its deadline; without
 * the mutex. */
static void loopSleep(struct samplerLoop *loop, const struct hdSampler *next)
{
	const struct timespec deadline =
		hdClockToTimespec(next ? next->nextNs : 0);
	bool isStarted = next != NULL;

	pthread_mutex_unlock(&loop->mutex);
	if (isStarted)
		samplerSleepUntil(&loop->wake, &deadline);
	else
		sem_wait(&loop->wake);
	pthread_mutex_lock(&loop->mutex);
}

/* The started sampler that is due first, but for those that are waited for.
 * Whoever is late comes before those that were due later, so nobody starves.
 */
static struct hdSampler *loopNext(const struct samplerLoop *loop)
{
	struct hdSampler *next = NULL;

	for (struct hdSampler *s = loop->samplers; s; s = s->next)
		if (s->isStarted && s->waiting == 0 &&
		    (!next || s->nextNs < next->nextNs))
			next = s;
	return next;
}

static void loopSample(struct samplerLoop *loop, struct hdSampler *s,
		       int64_t now)
{
	int64_t passed = samplerMultipleAfter(s, now);

	/* What has passed while we slept too long, or took others, ... */
	s->late += (uint64_t)((passed - s->nextNs) / s->intervalNs - 1);
	s->nextNs = passed;
	samplerTake(s, false);
	/* ... is late, and what passes now is noticed then. */
	if (loopHasSeveral(loop))
		loopCharge(loop, s);
}

static void *samplerLoop(void *data)
{
	struct samplerLoop *loop = data;

	/* The default of 50 us is what ruins short intervals. */
	prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
	pthread_mutex_lock(&loop->mutex);
	while (!loop->isEnding) {
		struct hdSampler *next = loopNext(loop);
		int64_t now = hdMonotonicNow();

		if (!next || now < next->nextNs)
			loopSleep(loop, next);
		else
			loopSample(loop, next, now);
	}
	pthread_mutex_unlock(&loop->mutex);
	return NULL;
}

static int loopCreate(struct samplerLoop **result)
{
	struct samplerLoop *loop = calloc(1, sizeof(*loop));

	if (!loop)
		return -ENOMEM;
	loop->owner = getpid();
	sem_init(&loop->wake, 0, 0);
	pthread_mutex_init(&loop->mutex, NULL);
	pthread_cond_init(&loop->changed, NULL);
	if (hdThreadStart(&loop->thread, samplerLoop, loop) == 0) {
		*result = loop;
		return 0;
	}
	pthread_cond_destroy(&loop->changed);
	pthread_mutex_destroy(&loop->mutex);
	sem_destroy(&loop->wake);
	free(loop);
	return -EAGAIN;
}

/* It has no samplers any more. */
static void loopDestroy(struct samplerLoop *loop)
{
	pthread_mutex_lock(&loop->mutex);
	loop->isEnding = true;
	pthread_mutex_unlock(&loop->mutex);
	sem_post(&loop->wake);
	pthread_join(loop->thread, NULL);
	pthread_cond_destroy(&loop->changed);
	pthread_mutex_destroy(&loop->mutex);
	sem_destroy(&loop->wake);
	free(loop);
}

static void samplerLoopAdd(struct samplerLoop *loop, struct hdSampler *s)
{
	pthread_mutex_lock(&loop->mutex);
	if (loop->samplers && !loopHasSeveral(loop))
		loopCharge(loop, loop->samplers);
	s->loop = loop;
	s->next = loop->samplers;
	loop->samplers = s;
	pthread_mutex_unlock(&loop->mutex);
}

/* Remove a sampler that is stopped; whether it was the last one. */
static bool samplerLoopRemove(struct samplerLoop *loop,
			      const struct hdSampler *s)
{
	struct hdSampler **link = &loop->samplers;
	bool wasLast;

	pthread_mutex_lock(&loop->mutex);
	while (*link != s)
		link = &(*link)->next;
	*link = s->next;
	wasLast = !loop->samplers;
	pthread_mutex_unlock(&loop->mutex);
	return wasLast;
}

/* ---- The shared thread ------------------------------------------------------
 */

/* The thread is one of the parent's. */
static void sharedForget(void)
{
	shared.loop->parent = shared.parent;
	shared.parent = shared.loop;
	shared.loop = NULL;
}

/* In a child of fork() there is no such thread, and who had the mutex is not
 * here. */
static void sharedChild(void)
{
	pthread_mutex_init(&shared.mutex, NULL);
	if (shared.loop)
		sharedForget();
}

static void sharedPrepare(void)
{
	pthread_atfork(NULL, NULL, sharedChild);
}

static int sharedAdd(struct hdSampler *s)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	int ret = 0;

	pthread_once(&once, sharedPrepare);
	pthread_mutex_lock(&shared.mutex);
	/* Not every child is made with handlers. */
	if (shared.loop && !loopIsOurs(shared.loop))
		sharedForget();
	if (!shared.loop) {
		ret = loopCreate(&shared.loop);
		if (ret == 0)
			shared.loop->isShared = true;
	}
	if (ret == 0)
		samplerLoopAdd(shared.loop, s);
	pthread_mutex_unlock(&shared.mutex);
	return ret;
}

/* Remove a sampler; its loop if it is to be ended now, or NULL. */
static struct samplerLoop *sharedRemove(struct hdSampler *s)
{
	struct samplerLoop *loop = s->loop;
	bool wasLast;

	pthread_mutex_lock(&shared.mutex);
	wasLast = samplerLoopRemove(loop, s);
	if (wasLast)
		shared.loop = NULL;
	pthread_mutex_unlock(&shared.mutex);
	return wasLast ? loop : NULL;
}

/* ---- Samplers --------------------------------------------------------------
 */

static int samplerCreate(int64_t intervalNs, const struct hdSamplerCalls *calls,
			 void *context, bool isShared,
			 struct hdSampler **result)
{
	struct hdSampler *s = calloc(1, sizeof(*s));
	struct samplerLoop *loop;
	int ret;

	if (!s)
		return -ENOMEM;
	s->calls = *calls;
	s->context = context;
	s->intervalNs = intervalNs;
	if (isShared) {
		ret = sharedAdd(s);
	} else {
		ret = loopCreate(&loop);
		if (ret == 0)
			samplerLoopAdd(loop, s);
	}
	if (ret < 0)
		free(s);
	else
		*result = s;
	return ret;
}

int hdSamplerCreate(int64_t intervalNs, const struct hdSamplerCalls *calls,
		    void *context, struct hdSampler **result)
{
	return samplerCreate(intervalNs, calls, context, false, result);
}

int hdSamplerCreateShared(int64_t intervalNs,
			  const struct hdSamplerCalls *calls, void *context,
			  struct hdSampler **result)
{
	return samplerCreate(intervalNs, calls, context, true, result);
}

int hdSamplerStart(struct hdSampler *s)
{
	struct samplerLoop *loop = s->loop;
	int64_t now;

	if (!loopIsOurs(loop))
		return 1;
	pthread_mutex_lock(&loop->mutex);
	samplerWait(s);
	if (s->isStarted) {
		pthread_mutex_unlock(&loop->mutex);
		sem_post(&loop->wake);
		return 1;
	}
	samplerEnter(s);
	s->calls.begin(s->context);
	samplerLeave(s);
	now = hdMonotonicNow();
	if (loop->firstNs == 0)
		loop->firstNs = now;
	s->firstNs = loop->firstNs;
	s->nextNs = samplerMultipleAfter(s, now);
	if (s->nextNs - now < s->intervalNs / 2)
		s->nextNs += s->intervalNs;
	s->isStarted = true;
	pthread_mutex_unlock(&loop->mutex);
	sem_post(&loop->wake);
	return 0;
}

int hdSamplerStop(struct hdSampler *s)
{
	struct samplerLoop *loop = s->loop;

	if (!loopIsOurs(loop))
		return 1;
	pthread_mutex_lock(&loop->mutex);
	samplerWait(s);
	if (!s->isStarted) {
		pthread_mutex_unlock(&loop->mutex);
		return 1;
	}
	s->isStarted = false;
	samplerTake(s, true);
	pthread_mutex_unlock(&loop->mutex);
	return 0;
}

void hdSamplerGetCounts(struct hdSampler *s, struct hdSamplerCounts *counts)
{
	bool isOurs = loopIsOurs(s->loop);

	if (isOurs)
		pthread_mutex_lock(&s->loop->mutex);
	counts->samples = s->samples;
	counts->late = s->late;
	counts->cpuNs = s->cpuNs;
	if (!isOurs)
		return;
	if (!loopHasSeveral(s->loop))
		counts->cpuNs += loopCpuNs(s->loop);
	pthread_mutex_unlock(&s->loop->mutex);
}

void hdSamplerDestroy(struct hdSampler *s)
{
	struct samplerLoop *loop = s ? s->loop : NULL;

	if (!s)
		return;
	if (loopIsOurs(loop)) {
		hdSamplerStop(s);
		if (loop->isShared)
			loop = sharedRemove(s);
		else
			samplerLoopRemove(loop, s);
		if (loop)
			loopDestroy(loop);
	} else if (!loop->isShared) {
		free(loop);
	}
	free(s);
}
