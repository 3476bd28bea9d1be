/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * How busy the CPUs of this machine are, as one number.
 *
 * From the kernel's accounting of the root control group (nanoseconds) where
 * there is one, else from the idle time in /proc/stat. Both move in ticks; so
 * utilization is that of the last interval, but at least that of a window:
 * 20 ms for the one, 200 ms for the other.
 */
#ifndef PT_CPUBUSY_H
#define PT_CPUBUSY_H

#include <stddef.h>
#include <stdint.h>

#include "PowerTracingLibrary/src/machine/procstat.h"

/** What a counter said at some time. */
struct ptBusySeen {
	int64_t atNs;
	int64_t countNs;
};

/** The counters. */
struct ptBusy {
	const char *name;       /**< "cpuacct", "/proc/stat". */
	const char *resolution; /**< "10 ms over 200 ms". */
	int64_t windowNs;
	int acctFd; /**< -1: not used. */
	struct hdOwned acctOwned;
	struct ptProcStat stat;
	unsigned int cpus;  /**< That are online. */
	int64_t cpusSeenNs; /**< When they were counted. */
	struct ptBusySeen from;
	struct ptBusySeen next;
	double utilization;
};

/** Open the counters; -ENOENT and others if there is no /proc/stat. */
int ptBusyOpen(struct ptBusy *busy, const char *root);

/** A new interval begins; what was before does not count. */
int ptBusyBegin(struct ptBusy *busy);

/** Get the utilization since the last call, from 0 to 1. */
int ptBusyTake(struct ptBusy *busy, double *utilization);

/** Close the counters. */
void ptBusyClose(struct ptBusy *busy);

#endif
