/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stacks that the kernel copies by the CPU time of a thread; see samples.h and
 * perf_event_open(2).
 *
 * What is in a thread's buffer when a call begins was sampled before; what was
 * sampled in the call is passed over when it ends. So no call costs a system
 * call. In a long time between calls the buffer would get full: then a thread
 * of ours reads it, as soon as it is half full.
 *
 * Descriptors may become other files of the program (common/owned.h): each is
 * looked at before it is used. A buffer whose descriptor has gone is read by
 * its thread only.
 */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "MPITracingLibrary/src/core/options.h"
#include "MPITracingLibrary/src/sample/samples.h"
#include "common/clock.h"
#include "common/owned.h"
#include "common/perf.h"
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

/* A sample, and what may be said before it. */
#define PERF_RECORD_ROOM                                             \
	(sizeof(struct perfSample) + PERF_STACK + sizeof(uint64_t) + \
	 sizeof(struct perfLost))

struct perfLost {
	struct perf_event_header header;
	uint64_t id, count;
};

struct perfThrottle {
	struct perf_event_header header;
	uint64_t time, id, stream;
};

static struct {
	pthread_mutex_t lock; /* Of all buffers. */
	struct hdmpiSamples *list;
	uint64_t count;
	pthread_t reader;
	bool hasReader;
	atomic_bool isEnding;
	/* What is sent to the second one wakes it. Valid if it has one. */
	int wakes[2];
	struct hdOwned wakeFiles[2];
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
	/* It was sampled in the call, while the end of that was noted. */
	if ((int64_t)record->time + added < samples->perf.from)
		return;
	sample = hdmpiSamplesNext(samples);
	if (!sample)
		return;
	place.instruction = record->instruction;
	place.pointer = record->pointer;
	place.frame = record->frame;
	stack.from = record->pointer;
	stack.size = filled < record->size ? filled : record->size;
	sample->time = (int64_t)record->time + added;
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

/* The kernel took no samples for a while, as they were too many. */
static void perfTakeThrottle(struct hdmpiSamples *samples, size_t size,
			     bool isEnd)
{
	const struct perfThrottle *record = (const void *)perfSources.record;
	struct hdmpiPerfSource *self = &samples->perf;
	uint64_t period = (uint64_t)(HD_NS_PER_S / hdmpiOptions.sampleHz);

	if (size < sizeof(*record))
		return;
	if (isEnd && self->throttled && record->time > self->throttled)
		atomic_fetch_add(&samples->overruns,
				 (record->time - self->throttled) / period);
	self->throttled = isEnd ? 0 : record->time;
}

static void perfTakeRecord(struct hdmpiSamples *samples, uint32_t type,
			   size_t size, int64_t added)
{
	switch (type) {
	case PERF_RECORD_SAMPLE:
		/* What is lost is said before the next sample. */
		samples->perf.mayIgnoreLoss = false;
		perfTakeSample(samples, size, added);
		break;
	case PERF_RECORD_LOST:
		perfTakeLost(samples, size);
		break;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		perfTakeThrottle(samples, size, type == PERF_RECORD_UNTHROTTLE);
		break;
	default:
		break;
	}
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
		perfTakeRecord(samples, header.type, header.size, added);
	}
	self->tail = head;
	__atomic_store_n(&self->page->data_tail, head, __ATOMIC_RELEASE);
}

/* Pass over records up to some place; what was lost before them counts. The
 * lock is held. */
static void perfSkipUntil(struct hdmpiSamples *samples, uint64_t head)
{
	struct hdmpiPerfSource *self = &samples->perf;
	struct perf_event_header header;

	while (self->owesLoss && self->tail != head) {
		perfCopy(self, self->tail, &header, sizeof(header));
		if (header.size < sizeof(header) ||
		    header.size > head - self->tail)
			break;
		perfCopy(self, self->tail, perfSources.record, header.size);
		if (header.type == PERF_RECORD_LOST)
			perfTakeLost(samples, header.size);
		self->owesLoss = header.type != PERF_RECORD_LOST;
		self->tail += header.size;
	}
	self->owesLoss = false;
	self->throttled = 0;
	self->tail = head;
	__atomic_store_n(&self->page->data_tail, head, __ATOMIC_RELEASE);
}

/* Whether there is no room for another sample behind some place. */
static bool perfIsFull(const struct hdmpiPerfSource *self, uint64_t head)
{
	return head - self->tail + PERF_RECORD_ROOM > self->page->data_size;
}

/* ---- The reader ------------------------------------------------------------
 */

static uint64_t perfHead(const struct hdmpiPerfSource *self)
{
	return __atomic_load_n(&self->page->data_head, __ATOMIC_ACQUIRE);
}

/* Whether the descriptors that wake the reader are still ours. */
static bool perfWakeIsOurs(void)
{
	return hdOwnedIs(&perfSources.wakeFiles[0], perfSources.wakes[0]) &&
	       hdOwnedIs(&perfSources.wakeFiles[1], perfSources.wakes[1]);
}

static void perfWakeClose(void)
{
	for (int i = 0; i < 2; i++)
		hdOwnedClose(&perfSources.wakeFiles[i], perfSources.wakes[i]);
}

static int perfWakeOpen(void)
{
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0,
		       perfSources.wakes) < 0)
		return -errno;
	for (int i = 0; i < 2; i++)
		hdOwnedSet(&perfSources.wakeFiles[i], perfSources.wakes[i]);
	return 0;
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
	perfReaderAdd(self, perfSources.wakes[0], 0);
	pthread_mutex_lock(&perfSources.lock);
	for (struct hdmpiSamples *at = perfSources.list; at;
	     at = at->perf.next) {
		/* Another file there must not be kept open by poll(). */
		if (!at->perf.isGone && !hdPerfIs(at->perf.handle, at->perf.id))
			at->perf.isGone = true;
		if (!at->perf.isGone)
			perfReaderAdd(self, at->perf.handle, at->perf.number);
	}
	pthread_mutex_unlock(&perfSources.lock);
}

static void *perfReaderRun(void *context)
{
	struct perfReader self = { .count = 0 };
	char wakes[64];

	(void)context;
	while (!atomic_load(&perfSources.isEnding) && perfWakeIsOurs()) {
		perfReaderList(&self);
		if (!self.count ||
		    (poll(self.handles, self.count, -1) < 0 && errno != EINTR))
			break;
		/* Buffers have come or gone. */
		if (self.handles[0].revents && perfWakeIsOurs() &&
		    recv(perfSources.wakes[0], wakes, sizeof(wakes), 0) <= 0)
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

/* Returns whether the reader is or will be awake. */
static bool perfReaderWake(void)
{
	return perfWakeIsOurs() &&
	       (send(perfSources.wakes[1], "", 1, MSG_NOSIGNAL) == 1 ||
		/* It has much to receive. */
		errno == EAGAIN);
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
	ret = perfWakeOpen();
	if (ret < 0)
		return ret;
	atomic_store(&perfSources.isEnding, false);
	ret = hdThreadStart(&perfSources.reader, perfReaderRun, NULL);
	perfSources.hasReader = ret == 0;
	if (ret < 0)
		perfWakeClose();
	return ret;
}

void hdmpiPerfSourcesEnd(void)
{
	if (!perfSources.hasReader)
		return;
	atomic_store(&perfSources.isEnding, true);
	/* Without a descriptor to wake it, it may wait forever. */
	if (perfReaderWake())
		pthread_join(perfSources.reader, NULL);
	else
		pthread_detach(perfSources.reader);
	perfWakeClose();
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
	if (hdPerfIs(self->handle, self->id))
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
	self.id = hdPerfId(self.handle);
	self.page = perfMap(self.handle);
	ret = self.page ? 0 : -ENOBUFS;
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
		close(self->handle);
		return -ENOBUFS;
	}
	self->id = hdPerfId(self->handle);
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
	self->owesLoss = perfIsFull(self, head);
	if (self->tail != head)
		perfTakeUntil(samples, head);
	pthread_mutex_unlock(&perfSources.lock);
}

void hdmpiPerfSourceSkip(struct hdmpiSamples *samples)
{
	struct hdmpiPerfSource *self = &samples->perf;
	uint64_t head;
	bool isFull;

	if (!self->page)
		return;
	head = perfHead(self);
	if (head != self->tail) {
		pthread_mutex_lock(&perfSources.lock);
		isFull = perfIsFull(self, head);
		perfSkipUntil(samples, head);
		self->mayIgnoreLoss = isFull;
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
	/* Buffers are not inherited. Descriptors are: the event would go on in
	 * the parent as long as the child has them. */
	if (samples && samples->perf.page) {
		if (hdPerfIs(samples->perf.handle, samples->perf.id))
			close(samples->perf.handle);
		samples->perf.page = NULL;
	}
	if (perfSources.hasReader)
		perfWakeClose();
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
