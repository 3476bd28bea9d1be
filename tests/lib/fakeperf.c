/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "common/perf.h"
#include "tests/lib/fakeperf.h"

/* What the register has when the kernel has last put a counter into it: a
 * number of 48 bits, near its end, so that it wraps. */
#define REGISTER (UINT64_C(0xfffffffff000))
#define FIRST_HANDLE 1000

struct fakePerf fakePerf;

static struct fakeCounter *counterOf(int handle)
{
	return &fakePerf.counters[handle - FIRST_HANDLE];
}

static unsigned int hardwareOf(int leader)
{
	unsigned int count = 0;

	for (int i = 0; i < fakePerf.count; i++)
		count += fakePerf.counters[i].isOpen &&
			 fakePerf.counters[i].leader == leader &&
			 fakePerf.counters[i].attr.type == PERF_TYPE_HARDWARE;
	return count;
}

int fakePerfOpen(void)
{
	int count = 0;

	for (int i = 0; i < fakePerf.count; i++)
		count += fakePerf.counters[i].isOpen;
	return count;
}

/* The value is in two parts: the register, which goes on from REGISTER, with
 * its sign, and the offset. */
void fakePerfPublish(struct fakeCounter *counter)
{
	struct perf_event_mmap_page *page = &counter->page;
	int handle = (int)(counter - fakePerf.counters);

	page->lock++;
	page->index = counter->isInProcessor ? (uint32_t)handle + 1 : 0;
	page->offset = (int64_t)counter->value;
	if (counter->isInProcessor)
		page->offset -= (int64_t)(REGISTER - (UINT64_C(1) << 48));
	page->pmc_width = 48;
	page->cap_user_rdpmc = fakePerf.hasUserRead;
	page->cap_user_time = fakePerf.hasUserTime;
	page->time_enabled = counter->enabledNs;
	page->time_running = counter->runningNs;
	/* A tick of the stamp is half a nanosecond. */
	page->time_shift = 1;
	page->time_mult = 1;
	page->time_offset = -(fakePerf.stamp / 2);
	page->lock++;
}

static int openCounter(const struct perf_event_attr *attr, int pid, int cpu,
		       int leader)
{
	struct fakeCounter *new;

	if (pid != 0 || cpu != -1 || attr->size != sizeof(*attr) ||
	    !attr->exclude_kernel || !attr->exclude_hv ||
	    attr->read_format !=
		    (PERF_FORMAT_TOTAL_TIME_ENABLED |
		     PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_GROUP))
		return -E2BIG;
	if (fakePerf.opening)
		fakePerf.opening();
	if (fakePerf.errorAfter && fakePerfOpen() >= fakePerf.errorAfter)
		return -EMFILE;
	if (attr->type == PERF_TYPE_HARDWARE && fakePerf.errorOf[attr->config])
		return -fakePerf.errorOf[attr->config];
	if (leader >= 0 && fakePerf.groupMax &&
	    attr->type == PERF_TYPE_HARDWARE &&
	    hardwareOf(leader - FIRST_HANDLE) >= fakePerf.groupMax)
		return -EINVAL;
	new = &fakePerf.counters[fakePerf.count];
	*new = (struct fakeCounter){ .isOpen = true,
				     .attr = *attr,
				     .id = (uint64_t)fakePerf.count + 5000,
				     .isInProcessor =
					     attr->type == PERF_TYPE_HARDWARE };
	new->leader = leader < 0 ? fakePerf.count : leader - FIRST_HANDLE;
	/* Another thread's past. */
	new->value = 77;
	fakePerfPublish(new);
	return FIRST_HANDLE + fakePerf.count++;
}

static int readCounters(int handle, uint64_t *numbers, size_t count)
{
	struct fakeCounter *leader = counterOf(handle);
	size_t members = 0;

	fakePerf.reads++;
	if (fakePerf.isGone)
		return -ENODEV;
	for (int i = 0; i < fakePerf.count; i++) {
		struct fakeCounter *counter = &fakePerf.counters[i];

		if (!counter->isOpen ||
		    counter->leader != handle - FIRST_HANDLE)
			continue;
		if (3 + members >= count)
			return -ENOSPC;
		numbers[3 + members++] = counter->value;
	}
	numbers[0] = members;
	numbers[1] = leader->enabledNs;
	numbers[2] = leader->runningNs;
	if (fakePerf.isStarved) {
		numbers[1] = 1000;
		numbers[2] = members > 1 ? 0 : 1000;
	}
	return 3 + members == count ? 0 : -EPROTO;
}

static int identify(int handle, uint64_t *id)
{
	*id = counterOf(handle)->id;
	return counterOf(handle)->isOpen ? 0 : -EBADF;
}

static const volatile struct perf_event_mmap_page *map(int handle)
{
	return fakePerf.hasPages ? &counterOf(handle)->page : NULL;
}

static void unmap(const volatile struct perf_event_mmap_page *page)
{
	(void)page;
}

static void closeCounter(int handle)
{
	counterOf(handle)->isOpen = false;
}

static uint64_t readCounter(uint32_t number)
{
	struct fakeCounter *counter = &fakePerf.counters[number];
	uint64_t now = counter->value - (uint64_t)counter->page.offset;

	if (fakePerf.interrupts > 0) {
		fakePerf.interrupts--;
		if (fakePerf.interrupt) {
			fakePerf.interrupt(counter);
		} else {
			counter->value += 1000;
			fakePerfPublish(counter);
		}
	}
	/* Of a register, no more than that is there. */
	return now & ((UINT64_C(1) << 48) - 1);
}

static uint64_t readStamp(void)
{
	return fakePerf.stamp;
}

static const struct hdPerfKernel kernel = {
	.open = openCounter,
	.read = readCounters,
	.identify = identify,
	.map = map,
	.unmap = unmap,
	.close = closeCounter,
	.readCounter = readCounter,
	.readStamp = readStamp,
};

void fakePerfBegin(void)
{
	memset(&fakePerf, 0, sizeof(fakePerf));
	fakePerf.hasPages = fakePerf.hasUserRead = fakePerf.hasUserTime = true;
	hdPerfFake = &kernel;
}

void fakePerfRun(uint64_t amount, uint64_t ns)
{
	fakePerf.stamp += 2 * ns;
	for (int i = 0; i < fakePerf.count; i++) {
		struct fakeCounter *counter = &fakePerf.counters[i];
		bool isSoftware = counter->attr.type == PERF_TYPE_SOFTWARE;

		if (!counter->isOpen)
			continue;
		counter->enabledNs += ns;
		if (isSoftware || counter->isInProcessor) {
			counter->runningNs += ns;
			counter->value +=
				amount *
				(isSoftware ? 1 : counter->attr.config + 1);
		}
	}
}
