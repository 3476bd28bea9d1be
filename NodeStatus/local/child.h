/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A program that is asked something, and may hang.
 */
#ifndef HD_NODE_CHILD_H
#define HD_NODE_CHILD_H

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/** What came of a program. */
struct nodeChildResult {
	int status;   /**< Its exit status, or -1 if a signal has ended it. */
	char *output; /**< What it has printed, with a zero; to be freed. */
	size_t length;
};

/**
 * Run a program, and read what it prints on standard output. Standard input and
 * error are /dev/null.
 *
 * @param path Its path.
 * @param arguments Ends with NULL; the first one is its name.
 * @param wakeFd Readable when it is to be given up; or -1.
 * @param limitNs How long it may take; then it is killed, with all that it has
 *        started and that has not left its process group.
 * @param max More output than this is an error.
 * @param[out] left One that was killed and does not end, since it hangs in the
 *        kernel, for nodeChildHasEnded(); else 0. Or NULL: nobody waits for it.
 *
 * @retval -ETIMEDOUT It took too long.
 * @retval -EINTR The wakeFd became readable.
 * @retval -EFBIG It prints too much. (Or an error of starting it.)
 */
int nodeChildRun(const char *path, const char *const *arguments, int wakeFd,
		 int64_t limitNs, size_t max, pid_t *left,
		 struct nodeChildResult *result);

/** Tell whether one that was left has ended by now; then it is gone. */
bool nodeChildHasEnded(pid_t pid);

/** Find a program in PATH and where those of root are; NULL: it is not there.
 *  To be freed. */
char *nodeChildFind(const char *name);

#endif
