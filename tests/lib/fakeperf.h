/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A kernel for counters of a thread: perf_event_open(2) with groups, pages and
 * a processor that are the test's.
 */
#ifndef FAKEPERF_H
#define FAKEPERF_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#define FAKEPERF_MAX 512

/** A counter. Of what it has counted, the page says what the processor's
 *  register has not. */
struct fakeCounter {
	bool isOpen;
	struct perf_event_attr attr;
	int leader; /**< Number of the counter; itself if it leads. */
	uint64_t id;
	uint64_t value, enabledNs, runningNs;
	bool isInProcessor; /**< Else its page has no index. */
	struct perf_event_mmap_page page;
};

struct fakePerf {
	struct fakeCounter counters[FAKEPERF_MAX];
	int count;      /**< That were ever opened: the next one's number. */
	int errorOf[8]; /**< By config of hardware events, else 0. */
	int errorAfter; /**< EMFILE from so many open ones on; 0: never. */
	unsigned int groupMax; /**< Hardware events of a group. 0: any. */
	bool hasPages, hasUserRead, hasUserTime;
	bool isGone;           /**< Reading says so. */
	bool isStarved;        /**< Groups of several never count. */
	uint64_t stamp;        /**< The processor's. */
	int reads;             /**< Of the kernel. */
	void (*opening)(void); /**< Is called before each is opened. */
	int interrupts; /**< So many readings of pages are interrupted. */
	/** What is done then; NULL: the counter advances by 1000. */
	void (*interrupt)(struct fakeCounter *counter);
};

extern struct fakePerf fakePerf;

/** All begins anew, with user space reading; no counters, no errors. */
void fakePerfBegin(void);

/** The thread does something: so much for each counter that is in the
 *  processor, and so long. Hardware event i counts i + 1 times as much. */
void fakePerfRun(uint64_t amount, uint64_t ns);

/** Write what the counter is into its page, as a kernel does at switches. */
void fakePerfPublish(struct fakeCounter *counter);

/** How many are open. */
int fakePerfOpen(void);

#endif
