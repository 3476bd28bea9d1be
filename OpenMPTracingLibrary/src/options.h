/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the environment variables HDTRACE_OMP_* say; libhdOmp(3) has them.
 */
#ifndef HD_OMP_OPTIONS_H
#define HD_OMP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

/** Classes of constructs that are recorded. */
struct ompOptions {
	bool isOn;
	bool hasWork;
	bool hasWaits;
	bool hasTasks;
	bool hasLocks;
	bool hasCpu; /**< CPU time of regions. */
};

extern struct ompOptions ompOptions;

/** Read the variables. */
void ompOptionsRead(void);

/** Find the project's name; false after a message where there is none. */
bool ompOptionsProject(char *project, size_t size);

/** The label of this host. */
void ompOptionsHost(char *host, size_t size);

#endif
