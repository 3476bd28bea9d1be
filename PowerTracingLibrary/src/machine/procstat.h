/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The lines of /proc/stat that are about CPUs.
 *
 * libPT's sim has a small reader of /proc/stat of its own. That of libRUT is
 * finer and a part of libRUT; producers do not know each other.
 */
#ifndef PT_PROCSTAT_H
#define PT_PROCSTAT_H

#include <stddef.h>
#include <stdint.h>

#include "common/owned.h"

struct ptProcStat {
	int fd;
	struct hdOwned owned; /**< Of fd. */
	char *text;           /**< What was read, as far as the CPUs go. */
	size_t size;
};

/** Open it; 0, -ENOMEM, -ENOENT and others. */
int ptProcStatOpen(struct ptProcStat *stat, const char *root);

/** Read it again; 0 or a negative errno value. */
int ptProcStatRead(struct ptProcStat *stat);

/**
 * Get the idle time of a CPU from what was read, in nanoseconds. It counts
 * while the CPU sleeps, in steps of a tick.
 *
 * @retval -1 There is no such CPU.
 */
int64_t ptProcStatIdle(const struct ptProcStat *stat, unsigned int cpu);

/** Close it. */
void ptProcStatClose(struct ptProcStat *stat);

#endif
