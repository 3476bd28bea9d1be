/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Sets of CPUs, as the kernel lists them: "0-3,8".
 */
#ifndef PT_CPUSET_H
#define PT_CPUSET_H

#include <stdbool.h>
#include <stdint.h>

/** Twice what Linux can have. */
#define PT_CPUS_MAX 16384U

struct ptCpuSet {
	unsigned int end; /**< No CPU of the set has this number or more. */
	uint64_t words[PT_CPUS_MAX / 64];
};

/**
 * Parse a list.
 *
 * @retval -EPROTO It is none.
 */
int ptCpuSetParse(const char *text, struct ptCpuSet *set);

/**
 * Read which CPUs there are.
 *
 * @param kind "present", "online".
 *
 * @return 0, -EPROTO, or an error of open() and read().
 */
int ptCpuSetRead(const char *root, const char *kind, struct ptCpuSet *set);

/** Tell whether a CPU is in a set. */
static inline bool ptCpuSetHas(const struct ptCpuSet *set, unsigned int cpu)
{
	return cpu < set->end && (set->words[cpu / 64] >> cpu % 64 & 1) != 0;
}

#endif
