/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Call stacks of a thread between its MPI calls; see sampling.h. */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#if HAVE_EXECINFO_H
#include <execinfo.h>
#endif
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "MPITracingLibrary/src/core/hdmpi.h"
#include "MPITracingLibrary/src/core/mpilog.h"
#include "MPITracingLibrary/src/core/sampling.h"

/* Samples that wait for a call; a power of 2. */
#define SAMPLES_MAX 4096
/* Frames of the handler are among those that are looked at. */
#define SAMPLES_FRAMES (HDMPI_SITE_DEPTH_MAX + 8)

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

struct sample {
	int64_t time;
	size_t count;
	uintptr_t frames[HDMPI_SITE_DEPTH_MAX];
};

struct hdmpiSamples {
	timer_t timer;
	bool hasTimer;
	_Atomic(size_t) head; /* Put by the handler. */
	_Atomic(size_t) tail; /* Written. */
	_Atomic(uint64_t) lost;     /* Without room. */
	_Atomic(uint64_t) overruns; /* Periods in which the kernel took none. */
	uint64_t lostSaid, overrunsSaid;
	struct sample ring[SAMPLES_MAX];
};

static struct {
	int signal; /* 0: none. */
	bool hasStacks;
} sampling;

/* ---- The handler --------------------------------------------------------- */

/* Where the program was interrupted; 0: not known here. */
static uintptr_t samplingPlace(const void *context)
{
	const ucontext_t *at = context;

#if defined(__x86_64__)
	return (uintptr_t)at->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
	return (uintptr_t)at->uc_mcontext.pc;
#else
	(void)at;
	return 0;
#endif
}

/* Keep the frames from the interrupted one on; as for calls, the address behind
 * the instruction. */
static void samplingTakeFrames(struct sample *sample, uintptr_t place)
{
	void *all[SAMPLES_FRAMES];
	int count = 0, at = 0;

#if HAVE_EXECINFO_H
	if (sampling.hasStacks)
		count = backtrace(all, SAMPLES_FRAMES);
#endif
	while (at < count && (uintptr_t)all[at] != place)
		at++;
	sample->frames[0] = place + 1;
	sample->count = 1;
	for (int i = at + 1; i < count && sample->count < HDMPI_SITE_DEPTH_MAX;
	     i++)
		sample->frames[sample->count++] = (uintptr_t)all[i];
}

static void samplingTake(int number, siginfo_t *info, void *context)
{
	struct hdmpiThread *self = hdmpiThreadPeek();
	struct hdmpiSamples *samples = self ? self->samples : NULL;
	uintptr_t place = samplingPlace(context);
	int saved = errno;
	size_t head;

	(void)number;
	/* What MPI does is known. */
	if (!samples || self->depth > 0 || !place)
		return;
	atomic_fetch_add(&samples->overruns, (uint64_t)info->si_overrun);
	head = atomic_load_explicit(&samples->head, memory_order_relaxed);
	if (head - atomic_load(&samples->tail) >= SAMPLES_MAX) {
		atomic_fetch_add(&samples->lost, 1);
		return;
	}
	samples->ring[head % SAMPLES_MAX].time = hdClockNow();
	samplingTakeFrames(&samples->ring[head % SAMPLES_MAX], place);
	atomic_store(&samples->head, head + 1);
	errno = saved;
}

/* Whether the program has no handler of its own for a signal. */
static bool samplingIsFree(int number)
{
	struct sigaction action;

	return sigaction(number, NULL, &action) == 0 &&
	       !(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_DFL;
}

static bool samplingIsOurs(void)
{
	struct sigaction action;

	return sigaction(sampling.signal, NULL, &action) == 0 &&
	       action.sa_flags & SA_SIGINFO &&
	       action.sa_sigaction == samplingTake;
}

static bool samplingHasLookup(void)
{
#if HAVE_EXECINFO_H && defined(__GLIBC__)
	int major = 0, minor = 0;

	return sscanf(gnu_get_libc_version(), "%d.%d", &major, &minor) == 2 &&
	       (major > 2 || (major == 2 && minor >= 35));
#else
	return false;
#endif
}

void hdmpiSamplesStart(void)
{
	struct sigaction action = { .sa_sigaction = samplingTake,
				    .sa_flags = SA_SIGINFO | SA_RESTART };
	void *frame[1];
	int number = SIGRTMAX;

	if (!hdmpiOptions.sampleHz)
		return;
	while (number > SIGRTMIN && !samplingIsFree(number))
		number--;
	sigemptyset(&action.sa_mask);
	if (number == SIGRTMIN || sigaction(number, &action, NULL) < 0) {
		hdLogLoss(&hdmpiLogger,
			  "no samples are taken: all signals are in use");
		return;
	}
	sampling.signal = number;
	sampling.hasStacks = samplingHasLookup();
#if HAVE_EXECINFO_H
	/* It loads what it needs when it is called first. */
	backtrace(frame, 1);
#endif
	(void)frame;
}

/* ---- The thread ---------------------------------------------------------- */

static void samplingBegin(struct hdmpiThread *self)
{
	struct hdmpiSamples *samples = calloc(1, sizeof(*samples));
	int64_t period = HD_NS_PER_S / hdmpiOptions.sampleHz;
	struct itimerspec time = { .it_interval = hdClockToTimespec(period) };
	struct sigevent event;

	if (!samples)
		return;
	memset(&event, 0, sizeof(event));
	event.sigev_notify = SIGEV_THREAD_ID;
	event.sigev_signo = sampling.signal;
	event.sigev_notify_thread_id = (int)syscall(SYS_gettid);
	time.it_value = time.it_interval;
	self->samples = samples;
	samples->hasTimer = timer_create(CLOCK_THREAD_CPUTIME_ID, &event,
					 &samples->timer) == 0;
	if (!samples->hasTimer ||
	    timer_settime(samples->timer, 0, &time, NULL) < 0)
		hdLogLoss(&hdmpiLogger, "no samples are taken: %s",
			  strerror(errno));
}

static void samplingStop(struct hdmpiSamples *samples)
{
	if (samples->hasTimer)
		timer_delete(samples->timer);
	samples->hasTimer = false;
}

/* A number of the handler's, by how much it is larger than before. */
static void samplingNumber(struct hdmpiThread *self, const char *key,
			   uint64_t now, uint64_t *said)
{
	if (now != *said)
		hdT_logAttributeInt64(self->trace, key, (int64_t)(now - *said));
	*said = now;
}

/* A sample, as a state without length. */
static void samplingPut(struct hdmpiThread *self, const struct sample *sample)
{
	struct hdmpiSamples *samples = self->samples;
	struct timespec when = hdClockToTimespec(sample->time);

	hdT_logStateStartAt(self->trace, "Sample", &when);
	hdmpiSiteNote(self,
		      hdmpiSiteOfStack(self, sample->frames, sample->count),
		      false);
	samplingNumber(self, "lost", atomic_load(&samples->lost),
		       &samples->lostSaid);
	samplingNumber(self, "overruns", atomic_load(&samples->overruns),
		       &samples->overrunsSaid);
	hdT_logStateEndAt(self->trace, &when);
}

void hdmpiSamplesWrite(struct hdmpiThread *self)
{
	struct hdmpiSamples *samples = self->samples;
	size_t head, tail;

	if (!sampling.signal)
		return;
	if (!samples) {
		samplingBegin(self);
		return;
	}
	head = atomic_load(&samples->head);
	tail = atomic_load_explicit(&samples->tail, memory_order_relaxed);
	if (head == tail)
		return;
	if (hdmpiPollIsPending(&self->polls))
		hdmpiPollSettle(self);
	for (; tail != head; tail++)
		samplingPut(self, &samples->ring[tail % SAMPLES_MAX]);
	atomic_store(&samples->tail, tail);
	/* The program has taken the signal since. */
	if (!samplingIsOurs())
		samplingStop(samples);
}

void hdmpiSamplesEnd(struct hdmpiThread *self)
{
	struct hdmpiSamples *samples = self->samples;

	if (!samples)
		return;
	samplingStop(samples);
	self->samples = NULL;
	atomic_signal_fence(memory_order_seq_cst);
	free(samples);
}
