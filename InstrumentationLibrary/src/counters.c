/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events of the processor between begins and ends of probes. */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "InstrumentationLibrary/src/clock.h"
#include "InstrumentationLibrary/src/counters.h"
#include "InstrumentationLibrary/src/core/observe.h"
#include "common/environment.h"
#include "common/log.h"
#include "common/perfset.h"

_Static_assert((int)HDPROBE_EVENTS == (int)HD_PERF_EVENTS,
	       "events have the same numbers");
_Static_assert((int)HDPROBE_EVENT_CACHE_MISSES == (int)HD_PERF_CACHE_MISSES &&
		       (int)HDPROBE_EVENT_TASK_CLOCK == (int)HD_PERF_TASK_CLOCK,
	       "events have the same numbers");

/* A measurement that has begun. */
struct hdProbeMark {
	unsigned int index; /* 0: it is over. */
	bool isInside;      /* Counting now; of a kernel, in its body. */
	uint64_t start;     /* What it is found by. */
	struct hdPerfPoint point;
	unsigned int counted; /* What bodies have counted. */
	uint64_t amounts[HDPROBE_EVENTS];
};

/* Of a thread. A signal handler takes the places above those that are in use,
 * and gives them back before it returns. */
struct hdProbeCounting {
	_Atomic int isOpen; /* 0: not; 1: about to be; 2: yes; 3: in vain. */
	_Atomic uint32_t top;
	struct hdPerfSet set;
	struct hdProbeMark marks[HD_PROBE_MARKS];
};

/* Those that are counted, and whether by all probes. */
static _Atomic unsigned int wanted;
static bool isForAll;
/* Nothing is counted at all: off, or in vain. */
static _Atomic int isOff;

/* ---- Which -----------------------------------------------------------------
 */

void hdProbeCountersChoose(void)
{
	const char *asked = hdEnvironmentText("HDPROBE_COUNTERS");
	unsigned int events = HD_PERF_USUAL;

	atomic_store(&wanted, events);
	if (!asked)
		return;
	if (strcmp(asked, "off") == 0) {
		atomic_store(&isOff, 1);
		return;
	}
	if (!hdPerfEventsParse(asked, &events)) {
		hdLogLoss(&hdProbeLogger,
			  "HDPROBE_COUNTERS=%s: unknown event; no events are "
			  "counted",
			  asked);
		return;
	}
	atomic_store(&wanted, events);
	isForAll = true;
	hdProbeSetEvery(&hdProbePage->entries[0], HD_PROBE_COUNTED,
			HD_PROBE_COUNTED);
}

void hdProbeCountersNew(struct hdProbeEntry *entry)
{
	if (isForAll && !atomic_load(&isOff) && hdProbeIsTime(entry->kind))
		hdProbeSetEvery(entry, HD_PROBE_COUNTED, HD_PROBE_COUNTED);
}

int hdProbe_setEvents(struct hdProbe *probe, int isOn)
{
	unsigned int index = hdProbeNumber(probe);

	if (!index || !hdProbeIsTime(probe->kind)) {
		errno = index ? EINVAL : ENOSPC;
		return -1;
	}
	if (!isOn || !atomic_load(&isOff))
		hdProbeSetEvery(&hdProbePage->entries[index],
				isOn ? HD_PROBE_COUNTED : 0, HD_PROBE_COUNTED);
	return 0;
}

unsigned int hdProbe_events(const struct hdProbe *probe)
{
	unsigned int index = __atomic_load_n(&probe->index, __ATOMIC_ACQUIRE);

	return hdProbeGet(&hdProbePage->entries[index].every) & HD_PROBE_COUNTED
		       ? atomic_load(&wanted)
		       : 0;
}

/* It was in vain, and will be: probes are as cheap as without. */
static void probeCountersGiveUp(void)
{
	atomic_store(&isOff, 1);
	for (unsigned int i = 0; i < HD_PROBE_PROBES; i++)
		hdProbeSetEvery(&hdProbePage->entries[i], 0, HD_PROBE_COUNTED);
}

/* ---- Threads ---------------------------------------------------------------
 */

static void probeCountersOpenSet(struct hdProbeCounting *self)
{
	static atomic_bool wasSaid;
	unsigned int events = atomic_load(&wanted);
	int ret = hdPerfSetOpen(&self->set, events);

	if (ret < 0 || self->set.error)
		hdPerfSayLoss(&hdProbeLogger, &wasSaid, "probes count",
			      events & ~self->set.events,
			      ret < 0 ? -ret : self->set.error);
	/* Other threads may find descriptors. */
	if (ret < 0 && ret != -EMFILE && ret != -ENFILE)
		probeCountersGiveUp();
	atomic_store(&self->isOpen, ret < 0 ? 3 : 2);
}

/* The thread's, with counters; NULL if there are none, or not yet, where a
 * handler has interrupted their being opened. */
static struct hdProbeCounting *countingOf(struct hdProbeOwn *own)
{
	int before = errno, none = 0;
	struct hdProbeCounting *self;

	if (!own)
		return NULL;
	self = own->counting;
	if (!self) {
		void *memory = mmap(NULL, sizeof(*self), PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (memory == MAP_FAILED) {
			errno = before;
			return NULL;
		}
		/* A handler that came between has made one, too: it is lost. */
		own->counting = self = memory;
	}
	if (atomic_load_explicit(&self->isOpen, memory_order_relaxed) == 0 &&
	    atomic_compare_exchange_strong(&self->isOpen, &none, 1))
		probeCountersOpenSet(self);
	errno = before;
	return atomic_load_explicit(&self->isOpen, memory_order_relaxed) == 2
		       ? self
		       : NULL;
}

void hdProbeCountersClose(struct hdProbeOwn *own, bool isOfParent)
{
	struct hdProbeCounting *self = own->counting;
	int before;

	if (!self)
		return;
	before = atomic_exchange(&self->isOpen, 1);
	/* A thread of the parent may have been about to open them: those that
	 * it had are the child's, too. */
	if (before == 2 || (before == 1 && isOfParent))
		hdPerfSetClose(&self->set, isOfParent);
	own->counting = NULL;
	munmap(self, sizeof(*self));
}

/* ---- Measurements ----------------------------------------------------------
 */

struct hdProbeMark *hdProbeCountersBegin(struct hdProbeOwn *own,
					 unsigned int index, bool isKernel)
{
	struct hdProbeCounting *self = countingOf(own);
	struct hdProbeMark *mark;
	uint32_t top;

	if (!self)
		return NULL;
	top = atomic_load_explicit(&self->top, memory_order_relaxed);
	atomic_store_explicit(&self->top, top + 1, memory_order_relaxed);
	/* A handler that comes from now on takes the next. */
	atomic_signal_fence(memory_order_seq_cst);
	mark = &self->marks[top % HD_PROBE_MARKS];
	mark->index = index;
	mark->start = 0;
	mark->counted = 0;
	mark->isInside = !isKernel;
	memset(mark->amounts, 0, sizeof(mark->amounts));
	if (!isKernel)
		hdPerfSetRead(&self->set, &mark->point);
	return mark;
}

void hdProbeCountersBegun(struct hdProbeMark *mark, uint64_t start)
{
	if (mark)
		mark->start = start;
}

/* The last mark of this begin, and its place; a number of 0 is any probe's. */
static struct hdProbeMark *probeCountersFindMark(unsigned int index,
						 uint64_t start,
						 uint32_t *place)
{
	struct hdProbeOwn *own = hdProbeOwn;
	struct hdProbeCounting *self = own ? own->counting : NULL;
	uint32_t top =
		self ? atomic_load_explicit(&self->top, memory_order_relaxed)
		     : 0;

	for (uint32_t i = 1; i <= HD_PROBE_MARKS && i <= top; i++) {
		struct hdProbeMark *mark =
			&self->marks[(top - i) % HD_PROBE_MARKS];

		if (mark->index && mark->start == start &&
		    (!index || mark->index == index)) {
			*place = top - i;
			return mark;
		}
	}
	return NULL;
}

static void probeCountersTakeMark(struct hdProbeMark *mark)
{
	struct hdPerfPoint now;
	uint64_t amounts[HDPROBE_EVENTS];
	unsigned int taken;

	hdPerfSetRead(&hdProbeOwn->counting->set, &now);
	taken = hdPerfSetTake(&mark->point, &now, amounts);
	for (unsigned int i = 0; i < HDPROBE_EVENTS; i++) {
		if (taken >> i & 1)
			mark->amounts[i] += amounts[i];
	}
	mark->counted |= taken;
	mark->isInside = false;
}

void hdProbeCountersBody(uint64_t start, bool isBegin)
{
	uint32_t place;
	struct hdProbeMark *mark = probeCountersFindMark(0, start, &place);

	if (!mark)
		return;
	if (!isBegin && mark->isInside)
		probeCountersTakeMark(mark);
	if (isBegin)
		hdPerfSetRead(&hdProbeOwn->counting->set, &mark->point);
	mark->isInside = isBegin;
}

void hdProbeCountersMove(uint64_t start, uint64_t later)
{
	uint32_t place;
	struct hdProbeMark *mark = probeCountersFindMark(0, start, &place);

	if (mark)
		mark->start += later;
}

unsigned int hdProbeCountersEnd(unsigned int index, uint64_t start,
				uint64_t *amounts)
{
	uint32_t place;
	struct hdProbeMark *mark = probeCountersFindMark(index, start, &place);

	if (!mark)
		return 0;
	if (mark->isInside)
		probeCountersTakeMark(mark);
	memcpy(amounts, mark->amounts, sizeof(mark->amounts));
	mark->index = 0;
	/* With what is above it: longjmp() has left that. */
	atomic_signal_fence(memory_order_seq_cst);
	atomic_store_explicit(&hdProbeOwn->counting->top, place,
			      memory_order_relaxed);
	return mark->counted;
}
