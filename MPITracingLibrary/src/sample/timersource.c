/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A timer of the CPU time of a thread, and its signal; see samples.h. */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#if HAVE_EXECINFO_H
#include <execinfo.h>
#endif
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "MPITracingLibrary/src/core/hdmpi.h"
#include "MPITracingLibrary/src/sample/samples.h"

/* Frames of the handler are among those that are looked at. */
#define TIMER_FRAMES (HDMPI_SITE_DEPTH_MAX + 8)

/* Free bytes of the stack without which no stack is unwound: programs start
 * threads with small ones, and unwinding takes half of it. */
#define TIMER_STACK_MIN 24576

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static struct {
	int signal;     /* 0: none. */
	bool hasStacks; /* backtrace() takes no lock. */
} timerSources;

/* ---- The handler --------------------------------------------------------- */

/* Where the program was interrupted; 0: not known here. */
static struct hdmpiStackPlace timerPlace(const void *context)
{
	const ucontext_t *at = context;

#if defined(__x86_64__)
	return (struct hdmpiStackPlace){
		.instruction = (uintptr_t)at->uc_mcontext.gregs[REG_RIP],
		.pointer = (uintptr_t)at->uc_mcontext.gregs[REG_RSP],
		.frame = (uintptr_t)at->uc_mcontext.gregs[REG_RBP],
	};
#elif defined(__aarch64__)
	return (struct hdmpiStackPlace){
		.instruction = (uintptr_t)at->uc_mcontext.pc,
	};
#else
	(void)at;
	return (struct hdmpiStackPlace){ 0 };
#endif
}

/* The slow way: on machines, and on stacks, that are not known. */
static void timerTakeFrames(struct hdmpiSample *sample, uintptr_t place)
{
	void *all[TIMER_FRAMES];
	int count = 0, at = 0;

#if HAVE_EXECINFO_H
	if (timerSources.hasStacks)
		count = backtrace(all, TIMER_FRAMES);
#endif
	while (at < count && (uintptr_t)all[at] != place)
		at++;
	sample->frames[0] = place + 1;
	sample->count = 1;
	for (int i = at + 1; i < count && sample->count < HDMPI_SITE_DEPTH_MAX;
	     i++)
		sample->frames[sample->count++] = (uintptr_t)all[i];
}

static void timerUnwind(struct hdmpiSamples *samples,
			struct hdmpiSample *sample,
			struct hdmpiStackPlace place)
{
	const struct hdmpiStackBytes stack = {
		.from = place.pointer,
		.bytes = (const void *)place.pointer,
		.size = samples->timer.stackEnd - place.pointer,
	};
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	bool isOnStack = here < place.pointer &&
			 place.pointer < samples->timer.stackEnd &&
			 samples->timer.stackBegin <= here;

	/* The handler runs on the stack of the thread, unless the program has
	 * made one of its own. */
	sample->frames[0] = place.instruction + 1;
	sample->count = 1;
	if (isOnStack && here - samples->timer.stackBegin < TIMER_STACK_MIN)
		return;
	if (hdmpiUnwindIsHere() && isOnStack)
		sample->count =
			hdmpiUnwind(&samples->unwinder, place, &stack,
				    sample->frames, HDMPI_SITE_DEPTH_MAX);
	else
		timerTakeFrames(sample, place.instruction);
}

static void timerTake(int number, siginfo_t *info, void *context)
{
	struct hdmpiThread *self = hdmpiThreadPeek();
	struct hdmpiSamples *samples = self ? self->samples : NULL;
	struct hdmpiStackPlace place = timerPlace(context);
	struct hdmpiSample *sample;
	int saved = errno;

	(void)number;
	/* What MPI does is known. */
	if (!samples || self->depth > 0 || !place.instruction)
		return;
	atomic_fetch_add(&samples->overruns, (uint64_t)info->si_overrun);
	sample = hdmpiSamplesNext(samples);
	if (sample) {
		sample->time = hdClockNow();
		timerUnwind(samples, sample, place);
		hdmpiSamplesPut(samples);
	}
	errno = saved;
}

/* ---- The signal ---------------------------------------------------------- */

/* Whether the program has no handler of its own for a signal. */
static bool timerSignalIsFree(int number)
{
	struct sigaction action;

	return sigaction(number, NULL, &action) == 0 &&
	       !(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_DFL;
}

bool hdmpiTimerSourceIsOurs(void)
{
	struct sigaction action;

	return sigaction(timerSources.signal, NULL, &action) == 0 &&
	       action.sa_flags & SA_SIGINFO && action.sa_sigaction == timerTake;
}

static bool timerHasLookup(void)
{
#if HAVE_EXECINFO_H && defined(__GLIBC__)
	int major = 0, minor = 0;

	return sscanf(gnu_get_libc_version(), "%d.%d", &major, &minor) == 2 &&
	       (major > 2 || (major == 2 && minor >= 35));
#else
	return false;
#endif
}

int hdmpiTimerSourcesStart(void)
{
	struct sigaction action = { .sa_sigaction = timerTake,
				    .sa_flags = SA_SIGINFO | SA_RESTART };
	void *frame[1];
	int number = SIGRTMAX;

	while (number > SIGRTMIN && !timerSignalIsFree(number))
		number--;
	sigemptyset(&action.sa_mask);
	if (number == SIGRTMIN || sigaction(number, &action, NULL) < 0)
		return -EBUSY;
	timerSources.signal = number;
	timerSources.hasStacks = timerHasLookup();
#if HAVE_EXECINFO_H
	/* It loads what it needs when it is called first. */
	backtrace(frame, 1);
#endif
	(void)frame;
	return 0;
}

/* ---- The timer ----------------------------------------------------------- */

/* Where the stack of the calling thread is. */
static void timerFindStack(struct hdmpiTimerSource *self)
{
#ifdef __GLIBC__
	pthread_attr_t attributes;
	void *begin;
	size_t size;

	if (pthread_getattr_np(pthread_self(), &attributes) != 0)
		return;
	if (pthread_attr_getstack(&attributes, &begin, &size) == 0) {
		self->stackBegin = (uintptr_t)begin;
		self->stackEnd = (uintptr_t)begin + size;
	}
	pthread_attr_destroy(&attributes);
#else
	(void)self;
#endif
}

int hdmpiTimerSourceOpen(struct hdmpiSamples *samples)
{
	struct hdmpiTimerSource *self = &samples->timer;
	int64_t period = HD_NS_PER_S / hdmpiOptions.sampleHz;
	struct itimerspec time = { .it_interval = hdClockToTimespec(period) };
	struct sigevent event;

	timerFindStack(self);
	memset(&event, 0, sizeof(event));
	event.sigev_notify = SIGEV_THREAD_ID;
	event.sigev_signo = timerSources.signal;
	event.sigev_notify_thread_id = (int)syscall(SYS_gettid);
	time.it_value = time.it_interval;
	if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &self->timer) < 0)
		return -errno;
	self->isOpen = true;
	return timer_settime(self->timer, 0, &time, NULL) < 0 ? -errno : 0;
}

void hdmpiTimerSourceClose(struct hdmpiSamples *samples)
{
	if (samples->timer.isOpen)
		timer_delete(samples->timer.timer);
	samples->timer.isOpen = false;
}
