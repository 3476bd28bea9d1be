/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Types of topology levels that have a meaning (doc/format/format.md,
 * "Topology").
 */
#ifndef HD_LEVEL_H
#define HD_LEVEL_H

#include <stddef.h>
#include <string.h>
#include <strings.h>

#define HD_LEVEL_HOST "Host"
#define HD_LEVEL_RANK "Rank"
#define HD_LEVEL_THREAD "Thread"
/* Of projects of several programs. */
#define HD_LEVEL_PROCESS "Process"
#define HD_LEVEL_PART "Part"

/**
 * Find the level that has a type; upper and lower case count as the same, and
 * something may follow ("Rank1").
 *
 * @param levels Types of the levels.
 *
 * @return The level, from 1, or 0 if none has it.
 */
static inline size_t hdLevelFind(char *const *levels, size_t count,
				 const char *type)
{
	for (size_t i = 0; i < count; i++) {
		if (strncasecmp(levels[i], type, strlen(type)) == 0)
			return i + 1;
	}
	return 0;
}

#endif
