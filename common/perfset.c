/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Some events of a thread, read in user space. */
#include "config.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "common/perfset.h"

/* How often a page is read again that changes meanwhile; who is interrupted
 * that often asks the kernel. */
#define TRIES 64

static const struct {
	const char *word;
	const char *name;
	uint32_t type;
	uint64_t config;
} events[HD_PERF_EVENTS] = {
	[HD_PERF_CYCLES] = { "cycles", "Cycles", PERF_TYPE_HARDWARE,
			     PERF_COUNT_HW_CPU_CYCLES },
	[HD_PERF_INSTRUCTIONS] = { "instructions", "Instructions",
				   PERF_TYPE_HARDWARE,
				   PERF_COUNT_HW_INSTRUCTIONS },
	[HD_PERF_CACHE_REFERENCES] = { "cache-references", "CacheReferences",
				       PERF_TYPE_HARDWARE,
				       PERF_COUNT_HW_CACHE_REFERENCES },
	[HD_PERF_CACHE_MISSES] = { "cache-misses", "CacheMisses",
				   PERF_TYPE_HARDWARE,
				   PERF_COUNT_HW_CACHE_MISSES },
	[HD_PERF_BRANCHES] = { "branches", "Branches", PERF_TYPE_HARDWARE,
			       PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	[HD_PERF_BRANCH_MISSES] = { "branch-misses", "BranchMisses",
				    PERF_TYPE_HARDWARE,
				    PERF_COUNT_HW_BRANCH_MISSES },
	[HD_PERF_PAGE_FAULTS] = { "page-faults", "PageFaults",
				  PERF_TYPE_SOFTWARE,
				  PERF_COUNT_SW_PAGE_FAULTS },
	[HD_PERF_TASK_CLOCK] = { "task-clock", "TaskClock", PERF_TYPE_SOFTWARE,
				 PERF_COUNT_SW_TASK_CLOCK },
};

/* ---- Words -----------------------------------------------------------------
 */

const char *hdPerfEventName(enum hdPerfEvent event)
{
	return events[event].name;
}

static bool perfSetIsWord(const char *text, size_t length, const char *word)
{
	return strlen(word) == length && strncmp(text, word, length) == 0;
}

/* The bits of a word; 0: there is no such one. */
static unsigned int bitsOf(const char *text, size_t length)
{
	if (perfSetIsWord(text, length, "usual"))
		return HD_PERF_USUAL;
	if (perfSetIsWord(text, length, "all"))
		return (1U << HD_PERF_EVENTS) - 1;
	for (enum hdPerfEvent i = 0; i < HD_PERF_EVENTS; i++) {
		if (perfSetIsWord(text, length, events[i].word))
			return 1U << i;
	}
	return 0;
}

bool hdPerfEventsParse(const char *list, unsigned int *result)
{
	unsigned int bits = 0;

	for (;;) {
		size_t length = strcspn(list, ",");
		unsigned int more = bitsOf(list, length);

		if (!more)
			return false;
		bits |= more;
		list += length;
		if (!*list)
			break;
		list++;
	}
	*result = bits;
	return true;
}

/* All of them, with ", " between, fit. */
#define WORDS_SIZE 160

void hdPerfSayLoss(struct hdLogger *logger, atomic_bool *wasSaid,
		   const char *what, unsigned int lacking, int error)
{
	char words[WORDS_SIZE] = "";

	if (atomic_exchange(wasSaid, true))
		return;
	for (enum hdPerfEvent i = 0; i < HD_PERF_EVENTS; i++) {
		if (!(lacking >> i & 1))
			continue;
		if (*words)
			strcat(words, ", ");
		strcat(words, events[i].word);
	}
	hdLogLoss(logger, "%s no %s: %s", what, words, hdPerfReason(error));
}

/* ---- Opening ---------------------------------------------------------------
 */

/* Open an event of the calling thread, in the group of a leader; -1: of its
 * own. */
static int openEvent(enum hdPerfEvent event, int leader)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.type = events[event].type;
	attr.size = sizeof(attr);
	attr.config = events[event].config;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			   PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_GROUP;
	return hdPerfKernel()->open(&attr, 0, -1, leader);
}

/* Whether an event may be in a group. Those of the kernel take no counters of
 * the processor; and in a group led by another one the task clock lacks what
 * was before each switch (as seen with Linux 6.18). */
static bool isGroupable(enum hdPerfEvent event)
{
	return events[event].type == PERF_TYPE_HARDWARE;
}

/* Add an event; 0, or a negative errno. */
static int perfSetAddEvent(struct hdPerfSet *set, enum hdPerfEvent event,
			   bool isInGroup)
{
	struct hdPerfCounter *to = &set->counters[set->count];
	unsigned int leader = set->count;
	int handle = -EINVAL, ret;

	if (isInGroup && set->count > 0 && isGroupable(event)) {
		handle = openEvent(event, set->counters[0].handle);
		leader = 0;
	}
	/* More than the processor has counters for is no group. */
	if (handle == -EINVAL || handle == -ENOSPC) {
		handle = openEvent(event, -1);
		leader = set->count;
	}
	if (handle < 0)
		return handle;
	*to = (struct hdPerfCounter){ .event = event,
				      .handle = handle,
				      .leader = leader };
	ret = hdPerfKernel()->identify(handle, &to->id);
	if (ret < 0) {
		hdPerfKernel()->close(handle);
		return ret;
	}
	to->page = hdPerfKernel()->map(handle);
	set->events |= 1U << event;
	set->count++;
	return 0;
}

static void perfSetAddEvents(struct hdPerfSet *set, unsigned int wanted,
			     bool isInGroup)
{
	*set = (struct hdPerfSet){ 0 };
	for (enum hdPerfEvent i = 0; i < HD_PERF_EVENTS; i++) {
		int ret = wanted >> i & 1 ? perfSetAddEvent(set, i, isInGroup)
					  : 0;

		if (ret < 0 && set->error == 0)
			set->error = -ret;
	}
}

/* Whether a group was to count for a while and did not at all: something else
 * has a counter that it needs, such as the kernel's watchdog. */
static bool neverRuns(struct hdPerfSet *set)
{
	struct hdPerfPoint point;

	hdPerfSetRead(set, &point);
	for (unsigned int i = 0; i < set->count; i++) {
		enum hdPerfEvent event = set->counters[i].event;

		if (point.events >> event & 1 &&
		    point.readings[event].enabledNs > 0 &&
		    point.readings[event].runningNs == 0)
			return true;
	}
	return false;
}

int hdPerfSetOpen(struct hdPerfSet *set, unsigned int wanted)
{
	perfSetAddEvents(set, wanted, true);
	if (set->count > 1 && neverRuns(set)) {
		hdPerfSetClose(set, false);
		perfSetAddEvents(set, wanted, false);
	}
	return set->count > 0 ? 0 : -(set->error ? set->error : EINVAL);
}

/* ---- Reading ---------------------------------------------------------------
 */

/* Nothing that is before this is done after it; the page changes where this
 * thread is interrupted, on this CPU. */
static inline void barrier(void)
{
	__asm__ volatile("" ::: "memory");
}

/* How long since the page's times were true (perf_event_open(2),
 * "time_shift"). */
static uint64_t timeSince(const volatile struct perf_event_mmap_page *page)
{
	uint64_t stamp = hdPerfKernel()->readStamp();
	unsigned int shift = page->time_shift;
	uint64_t whole, rest;

	if (page->cap_user_time_short)
		stamp = page->time_cycles +
			((stamp - page->time_cycles) & page->time_mask);
	whole = stamp >> shift;
	rest = stamp & ((UINT64_C(1) << shift) - 1);
	return page->time_offset + whole * page->time_mult +
	       (rest * page->time_mult >> shift);
}

/* Add what the processor counts now; it has so many bits, with a sign. */
static uint64_t valueNow(const volatile struct perf_event_mmap_page *page,
			 uint32_t index)
{
	unsigned int unused = 64 - page->pmc_width % 64U;
	uint64_t count = hdPerfKernel()->readCounter(index - 1);

	if (page->pmc_width % 64U)
		count = (uint64_t)((int64_t)(count << unused) >> unused);
	return (uint64_t)page->offset + count;
}

/* Read a counter without asking the kernel; false if that does not go now. */
static bool readPage(const volatile struct perf_event_mmap_page *page,
		     bool isTimed, struct hdPerfReading *reading)
{
	if (!page || !hdPerfKernel()->readCounter)
		return false;
	for (int i = 0; i < TRIES; i++) {
		uint32_t sequence = page->lock, index;
		uint64_t since = 0;

		barrier();
		index = page->index;
		/* It is not in the processor, or may not be read there. */
		if (!page->cap_user_rdpmc || index == 0 ||
		    (isTimed && !page->cap_user_time))
			return false;
		reading->enabledNs = page->time_enabled;
		reading->runningNs = page->time_running;
		if (isTimed)
			since = timeSince(page);
		reading->value = valueNow(page, index);
		barrier();
		if (page->lock != sequence)
			continue;
		/* It counts, so both go on. */
		reading->enabledNs += since;
		reading->runningNs += since;
		return true;
	}
	return false;
}

/* Ask the kernel for the group of a counter: all that it has. */
static void perfSetReadGroup(const struct hdPerfSet *set, unsigned int leader,
			     struct hdPerfPoint *point)
{
	const struct hdPerfCounter *first = &set->counters[leader];
	uint64_t numbers[3 + HD_PERF_EVENTS], id;
	size_t members = 0;
	int ret;

	for (unsigned int i = 0; i < set->count; i++)
		members += set->counters[i].leader == leader;
	/* The program may have closed it: others' files are not read. */
	if (hdPerfKernel()->identify(first->handle, &id) < 0 || id != first->id)
		return;
	do
		ret = hdPerfKernel()->read(first->handle, numbers, 3 + members);
	while (ret == -EINTR);
	if (ret < 0 || numbers[0] != members)
		return;
	members = 0;
	for (unsigned int i = 0; i < set->count; i++) {
		enum hdPerfEvent event = set->counters[i].event;

		if (set->counters[i].leader != leader)
			continue;
		point->readings[event] =
			(struct hdPerfReading){ numbers[3 + members++],
						numbers[1], numbers[2] };
		point->events |= 1U << event;
	}
}

static void perfSetReadAll(const struct hdPerfSet *set,
			   struct hdPerfPoint *point)
{
	point->events = 0;
	for (unsigned int i = 0; i < set->count; i++) {
		const struct hdPerfCounter *counter = &set->counters[i];

		if (point->events >> counter->event & 1)
			continue;
		if (readPage(counter->page, point->isTimed,
			     &point->readings[counter->event]))
			point->events |= 1U << counter->event;
		else
			perfSetReadGroup(set, counter->leader, point);
	}
}

static bool seesTurns(const struct hdPerfPoint *point)
{
	for (enum hdPerfEvent i = 0; i < HD_PERF_EVENTS; i++) {
		if (point->events >> i & 1 &&
		    point->readings[i].enabledNs !=
			    point->readings[i].runningNs)
			return true;
	}
	return false;
}

void hdPerfSetRead(struct hdPerfSet *set, struct hdPerfPoint *point)
{
	point->isTimed = set->takesTurns;
	perfSetReadAll(set, point);
	/* Times matter from now on. */
	if (!point->isTimed && seesTurns(point)) {
		set->takesTurns = true;
		point->isTimed = true;
		perfSetReadAll(set, point);
	}
}

unsigned int hdPerfSetTake(const struct hdPerfPoint *before,
			   const struct hdPerfPoint *now, uint64_t *amounts)
{
	unsigned int taken = 0;

	/* Times that are not exact cannot be compared with those that are. */
	if (before->isTimed != now->isTimed)
		return 0;
	for (enum hdPerfEvent i = 0; i < HD_PERF_EVENTS; i++) {
		struct hdPerfReading from = before->readings[i];
		const struct hdPerfReading *to = &now->readings[i];

		if (!(before->events & now->events & 1U << i))
			continue;
		/* All the time, though no time may have passed. */
		if (!now->isTimed)
			amounts[i] = to->value - from.value;
		else if (to->runningNs != from.runningNs)
			amounts[i] = hdPerfTake(&from, to);
		else
			continue;
		taken |= 1U << i;
	}
	return taken;
}

void hdPerfSetClose(struct hdPerfSet *set, bool isOfParent)
{
	/* Members first: a group whose leader goes falls to pieces. */
	for (unsigned int i = set->count; i > 0; i--) {
		struct hdPerfCounter *counter = &set->counters[i - 1];
		uint64_t id;

		/* Pages are not there in a child. */
		if (counter->page && !isOfParent)
			hdPerfKernel()->unmap(counter->page);
		if (hdPerfKernel()->identify(counter->handle, &id) == 0 &&
		    id == counter->id)
			hdPerfKernel()->close(counter->handle);
	}
	*set = (struct hdPerfSet){ 0 };
}
