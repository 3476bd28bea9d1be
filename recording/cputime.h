/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The CPU time that a process or thread uses, beside what is recorded of it:
 * the group `Cpu` at its node, whose value `CPU_TIME` is what it used since the
 * entry before. Readers divide the energy of a host by it (doc/attribution.md).
 *
 * It has no thread of its own: whoever records something tells the CPU time now
 * and then, and there is an entry where that is worth one.
 */
#ifndef HD_CPUTIME_H
#define HD_CPUTIME_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include <hdTopology.h>
#include "recording/record.h"

/** The CPU time of one process or thread. Used by one thread at a time. */
struct hdCpuTime {
	struct hdRecord record;
	bool isOpen;
	int64_t intervalNs;
	int64_t lastNs; /**< Time of the last entry, or where they began. */
	int64_t usedNs; /**< What was used until then. */
};

/** Read a CPU clock, in nanoseconds; -1: there is none. */
static inline int64_t hdCpuTimeRead(clockid_t clock)
{
	struct timespec used;

	if (clock_gettime(clock, &used))
		return -1;
	return (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
}

/**
 * Create the group.
 *
 * @param self All zero.
 * @param node Of the process or thread.
 * @param level Of the topology, as of hdS_createGroup().
 * @param intervalMs How far entries are apart at least.
 * @param nowNs Since the epoch.
 * @param usedNs CPU time that was used until then.
 *
 * @retval 0 Success.
 * @retval -1 Error, see record.h; nothing is recorded.
 */
int hdCpuTimeOpen(struct hdCpuTime *self, hdTopoNode *node, int level,
		  int intervalMs, int64_t nowNs, int64_t usedNs);

/** Whether an entry is due at a time. */
static inline bool hdCpuTimeIsDue(const struct hdCpuTime *self, int64_t nowNs)
{
	return self->isOpen && nowNs - self->lastNs >= self->intervalNs;
}

/** Write an entry: what was used until a time. */
void hdCpuTimeWrite(struct hdCpuTime *self, int64_t nowNs, int64_t usedNs);

/** Close the file. */
void hdCpuTimeClose(struct hdCpuTime *self);

#endif
