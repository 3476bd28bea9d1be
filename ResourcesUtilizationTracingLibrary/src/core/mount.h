/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What is mounted, from /proc/self/mountinfo.
 */
#ifndef RUT_MOUNT_H
#define RUT_MOUNT_H

#include <stdint.h>

/** A file system that is mounted somewhere. */
struct rutMount {
	const char *point;
	const char *type;
	uint64_t major; /**< 0: it has no device of its own. */
	uint64_t minor;
};

/**
 * Look at all that is mounted, in the order of mounting.
 *
 * @param take Gets each; what it returns, if not 0, ends the walk.
 *
 * @return What @p take has returned, or a negative errno value.
 */
int rutMountsEach(const char *root,
		  int (*take)(void *context, const struct rutMount *mount),
		  void *context);

#endif
