/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Call stacks of a thread between its MPI calls; see sampling.h. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "MPITracingLibrary/src/core/hdmpi.h"
#include "MPITracingLibrary/src/core/mpilog.h"
#include "MPITracingLibrary/src/core/sampling.h"
#include "MPITracingLibrary/src/sample/ownframes.h"
#include "MPITracingLibrary/src/sample/samples.h"
#include "common/perf.h"

enum samplingSource { SAMPLING_NONE, SAMPLING_PERF, SAMPLING_TIMER };

static struct {
	enum samplingSource source;
	pthread_mutex_t lock; /* Of the signal. */
	bool hasSignal;
} sampling = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Choose a signal, if that was not done. */
static int samplingFindSignal(void)
{
	int ret = 0;

	pthread_mutex_lock(&sampling.lock);
	if (!sampling.hasSignal)
		ret = hdmpiTimerSourcesStart();
	sampling.hasSignal = ret == 0;
	pthread_mutex_unlock(&sampling.lock);
	return ret;
}

void hdmpiSamplesStart(void)
{
	int ret = -1;

	if (!hdmpiOptions.sampleHz)
		return;
	hdmpiOwnFramesStart();
	if (!hdmpiOptions.samplesByTimer) {
		ret = hdmpiPerfSourceTry();
		if (ret < 0)
			hdmpiMessage(HD_LOG_WARNING,
				     "samples are taken by a timer and a "
				     "signal: perf_event_open: %s",
				     ret == -ENOBUFS
					     ? "no memory for its buffer "
					       "(/proc/sys/kernel/"
					       "perf_event_mlock_kb, "
					       "ulimit -l)"
					     : hdPerfReason(-ret));
		else
			sampling.source = SAMPLING_PERF;
	}
	if (ret < 0 && samplingFindSignal() == 0)
		sampling.source = SAMPLING_TIMER;
	if (sampling.source == SAMPLING_NONE)
		hdLogLoss(&hdmpiLogger,
			  "no samples are taken: all signals are in use");
}

/* How a thread is sampled. */
static enum samplingSource samplingSourceOf(const struct hdmpiSamples *samples)
{
	if (samples->perf.page)
		return SAMPLING_PERF;
	return samples->timer.isOpen ? SAMPLING_TIMER : SAMPLING_NONE;
}

void hdmpiSamplesDescribe(struct hdmpiThread *self)
{
	static const char *const names[] = { NULL, "perf_event", "timer" };
	struct hdmpiSamples *samples = self->samples;
	enum samplingSource source =
		samples ? samplingSourceOf(samples) : SAMPLING_NONE;

	if (source == SAMPLING_NONE || samples->isDescribed)
		return;
	hdT_logAttributeInt64(self->trace, "sampleNs",
			      HD_NS_PER_S / hdmpiOptions.sampleHz);
	hdT_logAttributes(self->trace, "sampleSource='%s'", names[source]);
	samples->isDescribed = true;
}

/* ---- The thread ---------------------------------------------------------- */

static void samplingBegin(struct hdmpiThread *self)
{
	struct hdmpiSamples *samples = calloc(1, sizeof(*samples));
	int ret;

	if (!samples)
		return;
	self->samples = samples;
	ret = sampling.source == SAMPLING_PERF ? hdmpiPerfSourceOpen(samples)
					       : -1;
	/* Memory for buffers of the kernel is limited for each user. */
	if (ret < 0)
		ret = samplingFindSignal();
	if (ret == 0 && !samples->perf.page)
		ret = hdmpiTimerSourceOpen(samples);
	if (ret < 0)
		hdLogLoss(&hdmpiLogger, "no samples are taken: %s",
			  hdPerfReason(-ret));
}

static void samplingClose(struct hdmpiSamples *samples)
{
	hdmpiPerfSourceClose(samples);
	hdmpiTimerSourceClose(samples);
}

/* A number of the other side's, by how much it is larger than before. */
static void samplingNumber(struct hdmpiThread *self, const char *key,
			   uint64_t now, uint64_t *said)
{
	if (now != *said)
		hdT_logAttributeInt64(self->trace, key, (int64_t)(now - *said));
	*said = now;
}

/* A sample, as a state without length. */
static void samplingPut(struct hdmpiThread *self,
			const struct hdmpiSample *sample)
{
	struct hdmpiSamples *samples = self->samples;
	struct timespec when = hdClockToTimespec(sample->time);

	/* The tracer was at work. */
	if (hdmpiOwnFramesAre(sample->frames, sample->count))
		return;
	hdT_logStateStartAt(self->trace, "Sample", &when);
	hdmpiSamplesDescribe(self);
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

	if (sampling.source == SAMPLING_NONE)
		return;
	if (!samples) {
		samplingBegin(self);
		return;
	}
	hdmpiPerfSourceTake(samples);
	head = atomic_load(&samples->head);
	tail = atomic_load_explicit(&samples->tail, memory_order_relaxed);
	if (head == tail)
		return;
	if (hdmpiPollIsPending(&self->polls))
		hdmpiPollSettle(self);
	for (; tail != head; tail++)
		samplingPut(self, &samples->ring[tail % HDMPI_SAMPLES_MAX]);
	atomic_store(&samples->tail, tail);
	/* The program has taken the signal since. */
	if (samples->timer.isOpen && !hdmpiTimerSourceIsOurs())
		hdmpiTimerSourceClose(samples);
}

void hdmpiSamplesSkip(struct hdmpiThread *self)
{
	struct hdmpiSamples *samples = self->samples;

	if (!samples)
		return;
	hdmpiPerfSourceSkip(samples);
	/* What was unwound since the call began was sampled in it. */
	atomic_store(&samples->tail, atomic_load(&samples->head));
}

/* Samples that no later one could tell of. */
static void samplingSayLost(struct hdmpiSamples *samples)
{
	uint64_t lost = atomic_load(&samples->lost) - samples->lostSaid;

	if (lost > 0)
		hdLogLoss(&hdmpiLogger,
			  "%" PRIu64 " samples were lost that the project "
			  "does not count",
			  lost);
}

void hdmpiSamplesEnd(struct hdmpiThread *self)
{
	struct hdmpiSamples *samples = self->samples;

	if (!samples)
		return;
	samplingClose(samples);
	samplingSayLost(samples);
	self->samples = NULL;
	atomic_signal_fence(memory_order_seq_cst);
	/* The handler of another thread may be looking at them. */
	if (self == hdmpiThreadPeek())
		free(samples);
}

void hdmpiSamplesChild(struct hdmpiThread *self)
{
	struct hdmpiSamples *samples = self->samples;

	self->samples = NULL;
	sampling.source = SAMPLING_NONE;
	hdmpiPerfSourceChild(samples);
}

void hdmpiSamplesStop(void)
{
	sampling.source = SAMPLING_NONE;
	hdmpiPerfSourcesEnd();
}
