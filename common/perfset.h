/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Some events of the calling thread, counted together and read in user space.
 *
 * What the thread itself does is counted, not what the kernel does for it: that
 * is what anybody may count (perf_event_paranoid up to 2), and it is the same
 * for all who count it. Events of the processor are in one group, so that they
 * count at the same times, if it has as many counters; else each goes by
 * itself.
 *
 * The kernel has a page for each counter that says where it is in the
 * processor, and what has to be added (perf_event_open(2), "MMAP layout");
 * where the processor allows it, reading is no system call. The page is guarded
 * by a sequence number. Else a group is read(2) at once.
 *
 * A set is its thread's. A signal handler may read it where it interrupts a
 * reading. Nothing allocates.
 */
#ifndef HD_PERF_SET_H
#define HD_PERF_SET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/log.h"
#include "common/perf.h"

/** Events that threads can count. */
enum hdPerfEvent {
	HD_PERF_CYCLES,
	HD_PERF_INSTRUCTIONS,
	HD_PERF_CACHE_REFERENCES,
	HD_PERF_CACHE_MISSES,
	HD_PERF_BRANCHES,
	HD_PERF_BRANCH_MISSES,
	HD_PERF_PAGE_FAULTS,
	HD_PERF_TASK_CLOCK, /**< In nanoseconds. */
	HD_PERF_EVENTS
};

/** What is counted if nothing else is asked for: bits by enum hdPerfEvent. */
#define HD_PERF_USUAL                                        \
	(1U << HD_PERF_CYCLES | 1U << HD_PERF_INSTRUCTIONS | \
	 1U << HD_PERF_CACHE_MISSES)

/** "CacheMisses", as values of groups are called. */
const char *hdPerfEventName(enum hdPerfEvent event);

/**
 * Parse "cycles,instructions", as perf(1) calls them; "usual" and "all" are
 * lists, too.
 *
 * @param[out] events Bits by enum hdPerfEvent.
 *
 * @return Whether all of them are known; else nothing is changed.
 */
bool hdPerfEventsParse(const char *list, unsigned int *events);

/**
 * Say by hdLogLoss() which events are not counted, and why: "probes count no
 * cycles, instructions: ...".
 *
 * @param wasSaid Of who says it: it is said once.
 * @param what "probes count"
 * @param lacking Bits by enum hdPerfEvent.
 * @param error A positive errno.
 */
void hdPerfSayLoss(struct hdLogger *logger, atomic_bool *wasSaid,
		   const char *what, unsigned int lacking, int error);

/** A counter of a set. */
struct hdPerfCounter {
	enum hdPerfEvent event;
	int handle;
	uint64_t id;
	unsigned int leader; /**< Its place in the set. */
	const volatile struct perf_event_mmap_page *page;
};

/** Counters of a thread; all zero is none. */
struct hdPerfSet {
	unsigned int count;
	unsigned int events; /**< Those that are counted: bits. */
	/** Of those that were asked for and are not counted, the first reason:
	 *  a positive errno; 0: there is none. */
	int error;
	/** Counters take turns with others', as far as was seen. */
	bool takesTurns;
	struct hdPerfCounter counters[HD_PERF_EVENTS];
};

/** What the counters of a set show at one moment. */
struct hdPerfPoint {
	unsigned int events; /**< Those that could be read: bits. */
	bool isTimed;        /**< Times are exact; else only that they are
			      *   equal. */
	struct hdPerfReading readings[HD_PERF_EVENTS];
};

/**
 * Begin to count what the calling thread does.
 *
 * @param events Bits by enum hdPerfEvent.
 *
 * @return 0 if any of them is counted, all others being in set->error; else the
 *         first reason, a negative errno.
 */
int hdPerfSetOpen(struct hdPerfSet *set, unsigned int events);

/** Read all. */
void hdPerfSetRead(struct hdPerfSet *set, struct hdPerfPoint *point);

/**
 * Get what was counted between two points, estimated as by hdPerfTake().
 *
 * @param[out] amounts By enum hdPerfEvent, of those that are returned.
 *
 * @return Which events counted meanwhile, at least for a part of the time:
 *         bits.
 */
unsigned int hdPerfSetTake(const struct hdPerfPoint *before,
			   const struct hdPerfPoint *now, uint64_t *amounts);

/** Stop counting. What was opened in this process, or by its parent before
 *  fork(); descriptors that are another file's by now stay. */
void hdPerfSetClose(struct hdPerfSet *set, bool isOfParent);

#endif
