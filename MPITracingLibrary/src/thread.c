/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The threads that call MPI, and their traces. */
#include "config.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "MPITracingLibrary/src/core/hdmpi.h"
#include "common/clock.h"

__thread struct hdmpiThread *hdmpiThreadSelf;

static struct {
	pthread_mutex_t lock;
	struct hdmpiThread *list;
	unsigned int count;
	pthread_key_t key; /* Its destructor tells that a thread ends. */
	bool hasKey;
} threads = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* The thread ends: the next new one takes over its trace. */
static void threadLeave(void *thread)
{
	struct hdmpiThread *self = thread;

	pthread_mutex_lock(&threads.lock);
	hdmpiSamplesEnd(self);
	hdmpiThreadSelf = NULL;
	if (self->trace) {
		hdmpiPollSettle(self);
		hdmpiProfileEnd(self);
		while (self->regions > 0)
			hdmpiRegionEnd(self, NULL);
	}
	hdmpiCountersClose(&self->counters);
	self->isFree = true;
	pthread_mutex_unlock(&threads.lock);
}

/* In a child of fork(), which is the only thread in it; the lock may have been
 * another one's. */
static void threadsChild(void)
{
	for (struct hdmpiThread *i = threads.list; i; i = i->next) {
		hdmpiCountersChild(&i->counters);
		hdmpiSamplesChild(i);
	}
}

static struct hdmpiThread *threadTakeOver(void)
{
	struct hdmpiThread *thread = threads.list;

	while (thread && !thread->isFree)
		thread = thread->next;
	if (thread)
		thread->isFree = false;
	return thread;
}

static struct hdmpiThread *threadCreate(int64_t begin)
{
	struct hdmpiThread *thread = calloc(1, sizeof(*thread));

	if (!thread)
		return NULL;
	thread->number = threads.count++;
	thread->trace = hdmpiTraceCreate(thread->number, begin);
	thread->next = threads.list;
	threads.list = thread;
	return thread;
}

/* The lock is held. */
static struct hdmpiThread *threadStart(int64_t begin)
{
	struct hdmpiThread *self;

	if (!threads.list && (hdmpiOptions.counters || hdmpiOptions.sampleHz))
		pthread_atfork(NULL, NULL, threadsChild);
	if (!threads.hasKey)
		threads.hasKey =
			pthread_key_create(&threads.key, threadLeave) == 0;
	self = threadTakeOver();
	if (!self)
		self = threadCreate(begin);
	if (self && threads.hasKey)
		pthread_setspecific(threads.key, self);
	hdmpiThreadSelf = self;
	return self;
}

struct hdmpiThread *hdmpiThreadStart(int64_t begin)
{
	struct hdmpiThread *self;

	pthread_mutex_lock(&threads.lock);
	self = threadStart(begin);
	pthread_mutex_unlock(&threads.lock);
	return self;
}

struct hdmpiThread *hdmpiThreadMeet(void)
{
	struct hdmpiThread *self = NULL;

	pthread_mutex_lock(&threads.lock);
	if (atomic_load(&hdmpiIsActive))
		self = threadStart(hdClockNow());
	pthread_mutex_unlock(&threads.lock);
	return self;
}

bool hdmpiThreadEnter(struct hdmpiThread *self)
{
	atomic_store(&self->isBusy, true);
	if (atomic_load(&hdmpiIsActive) && self->trace) {
		if (hdmpiPollIsPending(&self->polls))
			hdmpiPollSettle(self);
		return true;
	}
	hdmpiThreadLeave(self);
	return false;
}

void hdmpiThreadLeave(struct hdmpiThread *self)
{
	atomic_store(&self->isBusy, false);
}

/* ---- Regions ---------------------------------------------------------------
 */

bool hdmpiRegionIsRecorded(const struct hdmpiThread *self)
{
	return self->regions > 0 && self->regions <= HDMPI_REGIONS_MAX &&
	       self->isRecorded[self->regions - 1];
}

/* A time of the wall clock, which another library says, by the clock of files.
 */
static struct timespec regionTime(const struct timespec *when)
{
	int64_t ns = hdClockToNs(when) - hdClockStep();

	return hdClockToTimespec(ns < 0 ? 0 : ns);
}

static bool regionBegin(struct hdmpiThread *self, const char *name,
			const struct timespec *when)
{
	struct timespec time;

	if (!when)
		return hdT_logStateStart(self->trace, name) == 0;
	time = regionTime(when);
	return hdT_logStateStartAt(self->trace, name, &time) == 0;
}

/* What was sampled until now lies before a region begins or ends. */
static void regionSample(struct hdmpiThread *self)
{
	if (!hdmpiOptions.sampleHz || self->depth > 0 ||
	    !hdmpiIsRecording(self))
		return;
	hdmpiSamplesWrite(self);
	hdmpiSamplesSkip(self);
}

bool hdmpiRegionStart(struct hdmpiThread *self, const char *name,
		      const struct timespec *when)
{
	unsigned int at = self->regions++;
	bool isRecorded;

	if (!when)
		regionSample(self);
	isRecorded = at < HDMPI_REGIONS_MAX && hdmpiIsRecording(self) &&
		     regionBegin(self, name, when);
	if (at < HDMPI_REGIONS_MAX)
		self->isRecorded[at] = isRecorded;
	return isRecorded;
}

bool hdmpiRegionEnd(struct hdmpiThread *self, const struct timespec *when)
{
	bool isRecorded = hdmpiRegionIsRecorded(self);
	struct timespec time;

	if (isRecorded && !when && self->samples)
		regionSample(self);
	if (self->regions > 0)
		self->regions--;
	/* What is added up is inside of it. */
	if (isRecorded && self->profile)
		hdmpiProfileWrite(self, when ? hdClockToNs(when) - hdClockStep()
					     : hdClockNow());
	if (isRecorded && when) {
		time = regionTime(when);
		hdT_logStateEndAt(self->trace, &time);
	} else if (isRecorded) {
		hdT_logStateEnd(self->trace);
	}
	return isRecorded;
}

/* ---- All of them -----------------------------------------------------------
 */

/* A thread may be in the library's own API; it has seen, or will see, that the
 * wrapper is not active any more. */
static void threadAwait(const struct hdmpiThread *self)
{
	while (atomic_load(&self->isBusy))
		sched_yield();
}

void hdmpiThreadsFlush(void)
{
	pthread_mutex_lock(&threads.lock);
	for (struct hdmpiThread *i = threads.list; i; i = i->next) {
		threadAwait(i);
		if (i->trace)
			hdT_flush(i->trace);
	}
	pthread_mutex_unlock(&threads.lock);
}

void hdmpiThreadsEnd(void)
{
	pthread_mutex_lock(&threads.lock);
	for (struct hdmpiThread *i = threads.list; i; i = i->next) {
		threadAwait(i);
		if (i->trace) {
			hdmpiPollSettle(i);
			hdmpiSamplesEnd(i);
			hdmpiProfileEnd(i);
			hdT_finalize(i->trace);
		}
		i->trace = NULL;
		hdR_destroyRelation(&i->relation);
		hdR_finalize(&i->relations);
		hdCpuTimeClose(&i->cpu);
		hdmpiCountersClose(&i->counters);
		free(i->described);
		i->described = NULL;
		i->describedSize = 0;
		hdmpiSitesFree(i->sites);
		i->sites = NULL;
	}
	pthread_mutex_unlock(&threads.lock);
	hdmpiSamplesStop();
}
