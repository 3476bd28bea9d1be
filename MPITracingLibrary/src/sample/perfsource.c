/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stacks that the kernel copies by the CPU time of a thread; see samples.h and
 * perf_event_open(2).
 *
 * What is in a thread's buffer when a call begins was sampled before; what was
 * sampled in the call is passed over when it ends. So no call costs a system
 * call. In a long time between calls the buffer would get full: then a thread
 * of ours reads it, as soon as it is half full.
 */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "MPITracingLibrary/src/core/hdmpi.h"
#include "MPITracingLibrary/src/sample/samples.h"
#include "common/thread.h"

#if HDMPI_HAS_FRAME_RULES && defined(__linux__)
#include <asm/perf_regs.h>
#include <linux/perf_event.h>

/* Bytes of a stack that are copied: 8 kB and less lose frames of programs with
 * arrays on it. */
#define PERF_STACK 16368
/* Buffers that are tried: the kernel's default allows an ordinary user the
 * first one for each CPU, and a page (perf_event_mlock_kb). */
#define PERF_BUFFER_MAX (UINT64_C(512) << 10)
#define PERF_BUFFER_MIN (UINT64_C(64) << 10)
/* A record with a sample: what comes before its stack. */
struct perfSample {
	struct perf_event_header header;
	uint64_t time;
	uint64_t abi; /* PERF_SAMPLE_REGS_ABI_64, or there are no registers. */
	uint64_t frame, pointer, instruction; /* By their numbers. */
	uint64_t size;
};

struct perfLost {
	struct perf_event_header header;
	uint64_t id, count;
};

static struct {
	pthread_mutex_t lock; /* Of all buffers. */
	struct hdmpiSamples *list;
	uint64_t count;
	pthread_t reader;
	bool hasReader;
	atomic_bool isEnding;
	int wake; /* Valid if it has one. */
	_Alignas(uint64_t) unsigned char record[1 << 16];
} perfSources = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- Records ---------------------------------------------------------------
 */

static unsigned char *perfData(const struct hdmpiPerfSource *self)
{
	return (unsigned char *)self->page + self->page->data_offset;
}

/* Copy bytes out of a buffer, which ends where it begins. */
static void perfCopy(const struct hdmpiPerfSource *self, uint64_t from,
		     void *to, size_t size)
{
	uint64_t whole = self->page->data_size, at = from & (whole - 1);
	size_t first = size < whole - at ? size : (size_t)(whole - at);

	memcpy(to, perfData(self) + at, first);
	memcpy((unsigned char *)to + first, perfData(self), size - first);
}

static void perfTakeSample(struct hdmpiSamples *samples, size_t size,
			   int64_t added)
{
	const struct perfSample *record = (const void *)perfSources.record;
	const unsigned char *bytes = (const unsigned char *)(record + 1);
	struct hdmpiStackBytes stack = { .bytes = bytes };
	struct hdmpiStackPlace place;
	struct hdmpiSample *sample;
	uint64_t filled = 0;

	if (size < sizeof(*record) || record->abi != PERF_SAMPLE_REGS_ABI_64 ||
	    record->size > size - sizeof(*record))
		return;
	if (record->size &&
	    size - sizeof(*record) - record->size >= sizeof(filled))
		memcpy(&filled, bytes + record->size, sizeof(filled));
	sample = hdmpiSamplesNext(samples);
	if (!sample)
		return;
	place.instruction = record->instruction;
	place.pointer = record->pointer;
	place.frame = record->frame;
	stack.from = record->pointer;
	stack.size = filled < record->size ? filled : record->size;
	sample->time = (int64_t)record->time + added;
	if (sample->time < samples->perf.from)
		sample->time = samples->perf.from;
	sample->count = hdmpiUnwind(&samples->unwinder, place, &stack,
				    sample->frames, HDMPI_SITE_DEPTH_MAX);
	hdmpiSamplesPut(samples);
}

static void perfTakeLost(struct hdmpiSamples *samples, size_t size)
{
	const struct perfLost *record = (const void *)perfSources.record;

	if (size < sizeof(*record))
		return;
	if (!samples->perf.mayIgnoreLoss)
		atomic_fetch_add(&samples->lost, record->count);
	samples->perf.mayIgnoreLoss = false;
}

/* Take records up to some place. The lock is held. */
static void perfTakeUntil(struct hdmpiSamples *samples, uint64_t head)
{
	struct hdmpiPerfSource *self = &samples->perf;
	int64_t added = hdClockNow() - hdMonotonicNow();
	struct perf_event_header header;

	while (self->tail != head) {
		perfCopy(self, self->tail, &header, sizeof(header));
		if (header.size < sizeof(header) ||
		    header.size > head - self->tail)
			break;
		perfCopy(self, self->tail, perfSources.record, header.size);
		self->tail += header.size;
		if (header.type == PERF_RECORD_SAMPLE)
			perfTakeSample(samples, header.size, added);
		else if (header.type == PERF_RECORD_LOST)
			perfTakeLost(samples, header.size);
	}
	self->tail = head;
	__atomic_store_n(&self->page->data_tail, head, __ATOMIC_RELEASE);
}

/* ---- The reader ------------------------------------------------------------
 */

static uint64_t perfHead(const struct hdmpiPerfSource *self)
{
	return __atomic_load_n(&self->page->data_head, __ATOMIC_ACQUIRE);
}

/* A buffer is half full: what its thread did in a call is no sample. */
static void perfReaderTake(uint64_t number, bool isGone)
{
	struct hdmpiSamples *at;
	uint64_t head;

	pthread_mutex_lock(&perfSources.lock);
	for (at = perfSources.list; at && at->perf.number != number;)
		at = at->perf.next;
	if (at) {
		head = perfHead(&at->perf);
		if (!atomic_load(&at->perf.isInside))
			perfTakeUntil(at, head);
		at->perf.isGone = isGone;
	}
	pthread_mutex_unlock(&perfSources.lock);
}

/* What the thread that reads waits for. */
struct perfReader {
	struct pollfd *handles; /* The first one wakes it. */
	uint64_t *numbers;      /* Of their buffers. */
	size_t count, room;
};

/* Make room; if there is no memory, some buffers are read by their threads
 * only. */
static void perfReaderGrow(struct perfReader *self)
{
	size_t room = self->room ? 2 * self->room : 16;
	struct pollfd *handles =
		realloc(self->handles, room * sizeof(*handles));
	uint64_t *numbers;

	if (!handles)
		return;
	self->handles = handles;
	numbers = realloc(self->numbers, room * sizeof(*numbers));
	if (!numbers)
		return;
	self->numbers = numbers;
	self->room = room;
}

static void perfReaderAdd(struct perfReader *self, int handle, uint64_t number)
{
	if (self->count == self->room)
		perfReaderGrow(self);
	if (self->count == self->room)
		return;
	self->handles[self->count] =
		(struct pollfd){ .fd = handle, .events = POLLIN };
	self->numbers[self->count++] = number;
}

static void perfReaderList(struct perfReader *self)
{
	self->count = 0;
	perfReaderAdd(self, perfSources.wake, 0);
	pthread_mutex_lock(&perfSources.lock);
	for (struct hdmpiSamples *at = perfSources.list; at; at = at->perf.next)
		if (!at->perf.isGone)
			perfReaderAdd(self, at->perf.handle, at->perf.number);
	pthread_mutex_unlock(&perfSources.lock);
}

static void *perfReaderRun(void *context)
{
	struct perfReader self = { .count = 0 };
	uint64_t wakes;

	(void)context;
	while (!atomic_load(&perfSources.isEnding)) {
		perfReaderList(&self);
		if (!self.count ||
		    (poll(self.handles, self.count, -1) < 0 && errno != EINTR))
			break;
		/* Buffers have come or gone. */
		if (self.handles[0].revents &&
		    read(perfSources.wake, &wakes, sizeof(wakes)) < 0)
			break;
		for (size_t i = 1; i < self.count; i++)
			if (self.handles[i].revents)
				perfReaderTake(self.numbers[i],
					       self.handles[i].revents &
						       (POLLHUP | POLLERR));
	}
	free(self.handles);
	free(self.numbers);
	return NULL;
}

static void perfReaderWake(void)
{
	uint64_t one = 1;
	ssize_t done = write(perfSources.wake, &one, sizeof(one));

	/* Else its counter is full, and wakes it. */
	(void)done;
}

/* Start the thread that reads, if that was not done, and let it look. The lock
 * is held. */
static int perfReaderStart(void)
{
	int ret;

	if (perfSources.hasReader) {
		perfReaderWake();
		return 0;
	}
	perfSources.wake = eventfd(0, EFD_CLOEXEC);
	if (perfSources.wake < 0)
		return -errno;
	atomic_store(&perfSources.isEnding, false);
	ret = hdThreadStart(&perfSources.reader, perfReaderRun, NULL);
	perfSources.hasReader = ret == 0;
	if (ret < 0)
		close(perfSources.wake);
	return ret;
}

void hdmpiPerfSourcesEnd(void)
{
	if (!perfSources.hasReader)
		return;
	atomic_store(&perfSources.isEnding, true);
	perfReaderWake();
	pthread_join(perfSources.reader, NULL);
	close(perfSources.wake);
	perfSources.hasReader = false;
}

/* ---- A thread's buffer -----------------------------------------------------
 */

/* Open the event of the calling thread: a handle, or a negative errno. The
 * time that the kernel works for the thread is sampled too, if it may be; its
 * addresses are not. */
static int perfOpenEvent(bool isStopped)
{
	struct perf_event_attr attributes = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attributes),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period =
			(uint64_t)(HD_NS_PER_S / hdmpiOptions.sampleHz),
		.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_REGS_USER |
			       PERF_SAMPLE_STACK_USER,
		.disabled = isStopped,
		.exclude_hv = 1,
		/* Half of the buffer. */
		.watermark = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.sample_regs_user = UINT64_C(1) << PERF_REG_X86_BP |
				    UINT64_C(1) << PERF_REG_X86_SP |
				    UINT64_C(1) << PERF_REG_X86_IP,
		.sample_stack_user = PERF_STACK,
	};
	long handle = syscall(SYS_perf_event_open, &attributes, 0, -1, -1,
			      PERF_FLAG_FD_CLOEXEC);

	if (handle < 0 && (errno == EACCES || errno == EPERM)) {
		attributes.exclude_kernel = 1;
		handle = syscall(SYS_perf_event_open, &attributes, 0, -1, -1,
				 PERF_FLAG_FD_CLOEXEC);
	}
	return handle < 0 ? -errno : (int)handle;
}

static struct perf_event_mmap_page *perfMap(int handle)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *memory = MAP_FAILED;

	for (size_t size = PERF_BUFFER_MAX;
	     memory == MAP_FAILED && size >= PERF_BUFFER_MIN; size /= 2)
		memory = mmap(NULL, page + size, PROT_READ | PROT_WRITE,
			      MAP_SHARED, handle, 0);
	return memory == MAP_FAILED ? NULL : memory;
}

static void perfUnmap(struct hdmpiPerfSource *self)
{
	size_t size = self->page->data_offset + self->page->data_size;

	munmap(self->page, size);
	close(self->handle);
	self->page = NULL;
}

int hdmpiPerfSourceTry(void)
{
	struct hdmpiPerfSource self = { 0 };
	int ret;

	if (!hdmpiUnwindIsHere())
		return -EOPNOTSUPP;
	self.handle = perfOpenEvent(true);
	if (self.handle < 0)
		return self.handle;
	self.page = perfMap(self.handle);
	ret = self.page ? 0 : -errno;
	if (self.page)
		perfUnmap(&self);
	else
		close(self.handle);
	return ret;
}

int hdmpiPerfSourceOpen(struct hdmpiSamples *samples)
{
	struct hdmpiPerfSource *self = &samples->perf;
	int ret;

	self->handle = perfOpenEvent(false);
	if (self->handle < 0)
		return self->handle;
	self->page = perfMap(self->handle);
	if (!self->page) {
		ret = -errno;
		close(self->handle);
		return ret;
	}
	atomic_store(&self->isInside, true);
	pthread_mutex_lock(&perfSources.lock);
	self->number = ++perfSources.count;
	self->next = perfSources.list;
	perfSources.list = samples;
	ret = perfReaderStart();
	if (ret < 0) {
		perfSources.list = self->next;
		perfUnmap(self);
	}
	pthread_mutex_unlock(&perfSources.lock);
	return ret;
}

void hdmpiPerfSourceTake(struct hdmpiSamples *samples)
{
	struct hdmpiPerfSource *self = &samples->perf;
	uint64_t head;

	if (!self->page)
		return;
	atomic_store(&self->isInside, true);
	pthread_mutex_lock(&perfSources.lock);
	head = perfHead(self);
	if (self->tail != head)
		perfTakeUntil(samples, head);
	pthread_mutex_unlock(&perfSources.lock);
}

void hdmpiPerfSourceSkip(struct hdmpiSamples *samples)
{
	struct hdmpiPerfSource *self = &samples->perf;
	uint64_t head;

	if (!self->page)
		return;
	head = perfHead(self);
	if (head != self->tail) {
		pthread_mutex_lock(&perfSources.lock);
		if (head - self->tail + sizeof(struct perfSample) + PERF_STACK +
			    sizeof(uint64_t) >
		    self->page->data_size)
			self->mayIgnoreLoss = true;
		self->tail = head;
		__atomic_store_n(&self->page->data_tail, head,
				 __ATOMIC_RELEASE);
		pthread_mutex_unlock(&perfSources.lock);
	}
	self->from = hdClockNow();
	atomic_store(&self->isInside, false);
}

void hdmpiPerfSourceClose(struct hdmpiSamples *samples)
{
	struct hdmpiPerfSource *self = &samples->perf;
	struct hdmpiSamples **at = &perfSources.list;

	if (!self->page)
		return;
	pthread_mutex_lock(&perfSources.lock);
	while (*at && *at != samples)
		at = &(*at)->perf.next;
	if (*at)
		*at = self->next;
	perfUnmap(self);
	perfReaderWake();
	pthread_mutex_unlock(&perfSources.lock);
}

void hdmpiPerfSourceChild(struct hdmpiSamples *samples)
{
	/* Buffers are not inherited; the handle goes with the next exec. */
	samples->perf.page = NULL;
	perfSources.list = NULL;
	perfSources.hasReader = false;
}

#else
int hdmpiPerfSourceTry(void)
{
	return -EOPNOTSUPP;
}

int hdmpiPerfSourceOpen(struct hdmpiSamples *samples)
{
	(void)samples;
	return -EOPNOTSUPP;
}

void hdmpiPerfSourceTake(struct hdmpiSamples *samples)
{
	(void)samples;
}

void hdmpiPerfSourceSkip(struct hdmpiSamples *samples)
{
	(void)samples;
}

void hdmpiPerfSourceClose(struct hdmpiSamples *samples)
{
	(void)samples;
}

void hdmpiPerfSourceChild(struct hdmpiSamples *samples)
{
	(void)samples;
}

void hdmpiPerfSourcesEnd(void)
{
}
#endif
