/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Which CPUs there are.
 */
#ifndef RUT_CPULIST_H
#define RUT_CPULIST_H

#include <stdbool.h>
#include <stddef.h>

#include "common/scan.h"

/** Numbers of CPUs, ascending. */
struct rutCpuList {
	unsigned int *numbers;
	size_t count;
};

/** Parse "0-3,8"; returns -EINVAL for anything else, -ENOMEM. */
int rutCpuListParse(struct hdScan *scan, struct rutCpuList *list);

/**
 * Get the CPUs of the node, those that are offline included.
 *
 * @param kind "present", "possible" or "online". Without /sys: the CPUs of
 *        /proc/stat.
 *
 * @retval -ENOENT Neither /sys nor /proc/stat say.
 */
int rutCpuListGet(struct rutCpuList *list, const char *root, const char *kind);

/** Free the numbers. */
void rutCpuListClear(struct rutCpuList *list);

/**
 * Find a CPU in the list.
 *
 * @param hint Where to look first; set behind the CPU that was found.
 *
 * @return Its place, or the number of CPUs if it is not there.
 */
size_t rutCpuListFind(const struct rutCpuList *list, uint64_t number,
		      size_t *hint);

#endif
