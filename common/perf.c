/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counters of perf_event_open(2). */
#include "config.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/perf.h"

/* ---- The kernel ------------------------------------------------------------
 */

static int kernelOpen(const struct perf_event_attr *attr, int pid, int cpu,
		      int leader)
{
	long counter = syscall(SYS_perf_event_open, attr, pid, cpu, leader,
			       PERF_FLAG_FD_CLOEXEC);

	return counter < 0 ? -errno : (int)counter;
}

static int kernelRead(int counter, uint64_t *numbers, size_t count)
{
	ssize_t got = read(counter, numbers, count * sizeof(*numbers));

	if (got < 0)
		return -errno;
	if (got == 0)
		return -ENODEV;
	return (size_t)got == count * sizeof(*numbers) ? 0 : -EPROTO;
}

static int kernelIdentify(int counter, uint64_t *id)
{
	return ioctl(counter, PERF_EVENT_IOC_ID, id) == 0 ? 0 : -errno;
}

static size_t perfPageSize(void)
{
	long size = sysconf(_SC_PAGESIZE);

	return size > 0 ? (size_t)size : 4096;
}

static const volatile struct perf_event_mmap_page *kernelMap(int counter)
{
	void *page =
		mmap(NULL, perfPageSize(), PROT_READ, MAP_SHARED, counter, 0);

	return page == MAP_FAILED ? NULL : page;
}

static void kernelUnmap(const volatile struct perf_event_mmap_page *page)
{
	munmap((void *)(uintptr_t)page, perfPageSize());
}

static void kernelClose(int counter)
{
	close(counter);
}

#if defined(__x86_64__) || defined(__i386__)

static uint64_t processorCounter(uint32_t number)
{
	uint32_t low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(number));
	return (uint64_t)high << 32 | low;
}

static uint64_t processorStamp(void)
{
	return __builtin_ia32_rdtsc();
}

#else

/* Pages are used on x86 only. */
#define processorCounter NULL
#define processorStamp NULL

#endif

static const struct hdPerfKernel real = {
	.open = kernelOpen,
	.read = kernelRead,
	.identify = kernelIdentify,
	.map = kernelMap,
	.unmap = kernelUnmap,
	.close = kernelClose,
	.readCounter = processorCounter,
	.readStamp = processorStamp,
};

const struct hdPerfKernel *hdPerfFake;

const struct hdPerfKernel *hdPerfKernel(void)
{
	return hdPerfFake ? hdPerfFake : &real;
}

/* ---- A counter -------------------------------------------------------------
 */

int hdPerfOpen(uint32_t type, uint64_t event, int pid, int cpu)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.type = type;
	attr.size = sizeof(attr);
	attr.config = event;
	attr.read_format =
		PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	return hdPerfKernel()->open(&attr, pid, cpu, -1);
}

uint64_t hdPerfId(int counter)
{
	uint64_t id;

	/* The kernel begins with 1. */
	return hdPerfKernel()->identify(counter, &id) < 0 ? 0 : id;
}

bool hdPerfIs(int counter, uint64_t id)
{
	return id != 0 && hdPerfId(counter) == id;
}

int hdPerfRead(int counter, struct hdPerfReading *reading)
{
	uint64_t numbers[3];
	int ret;

	do
		ret = hdPerfKernel()->read(counter, numbers, 3);
	while (ret == -EINTR);
	if (ret < 0)
		return ret;
	*reading = (struct hdPerfReading){ numbers[0], numbers[1], numbers[2] };
	return 0;
}

void hdPerfClose(int counter)
{
	hdPerfKernel()->close(counter);
}

uint64_t hdPerfTake(struct hdPerfReading *before,
		    const struct hdPerfReading *now)
{
	uint64_t value = now->value - before->value;
	uint64_t enabled = now->enabledNs - before->enabledNs;
	uint64_t running = now->runningNs - before->runningNs;

	if (running == 0)
		return 0;
	*before = *now;
	if (running >= enabled)
		return value;
	return (uint64_t)((unsigned __int128)value * enabled / running);
}

const char *hdPerfReason(int error)
{
	switch (error) {
	case EACCES:
	case EPERM:
		return "not allowed by the kernel "
		       "(/proc/sys/kernel/perf_event_paranoid, or the "
		       "container "
		       "forbids perf_event_open)";
	case ENOENT:
	case EOPNOTSUPP:
		return "the processor has no such counters (for example, in a "
		       "virtual machine)";
	case ENOSYS:
		return "the kernel, or the container, has no perf_event_open";
	case EMFILE:
	case ENFILE:
		return "too many open files; each counter needs one for each "
		       "CPU or thread";
	default:
		return strerror(error);
	}
}
