/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A program whose lines of output are read while it runs.
 *
 * It is run by the shell, in a process group of its own and in the locale C, so
 * that numbers have a decimal point. Its input is empty; its messages go where
 * those of this process go. Used by one thread at a time.
 */
#ifndef PT_CHILD_H
#define PT_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/owned.h"

/** Longest line; the rest of a longer one is not seen. */
#define PT_CHILD_LINE_MAX 4096

/** A program that may be running; pid 0: it is not. */
struct ptChild {
	pid_t pid;
	int fd;
	struct hdOwned owned;
	int64_t arrivedNs; /**< Of the bytes that were read last. */
	bool isCut;        /**< Within the rest of a long line. */
	size_t begin, end; /**< Bytes that are not used yet. */
	char bytes[PT_CHILD_LINE_MAX];
};

/**
 * Start a program that does not run.
 *
 * @param command For the shell.
 *
 * @return 0, or a negative errno value.
 */
int ptChildStart(struct ptChild *child, const char *command);

/**
 * Wait for a line of a program that runs.
 *
 * @param wakeFd Or -1.
 * @param deadlineNs By ptNow().
 * @param[out] line Without its end; until the next call. What a program that
 *        ends leaves without an end is a line.
 * @param[out] isLate Whether it came together with the line before.
 *
 * The line arrived at child->arrivedNs by ptNow().
 *
 * @retval -ETIMEDOUT No line came.
 * @retval -EINTR @p wakeFd is readable.
 * @retval -ENODATA The program has closed its output; to be given to
 *         ptChildEnd().
 * @retval -ENODEV The descriptor was closed by the program that this library
 *         is part of.
 */
int ptChildLine(struct ptChild *child, int wakeFd, int64_t deadlineNs,
		char **line, bool *isLate);

/**
 * End a program, and all that it has started, and wait for it. Does nothing if
 * it does not run.
 *
 * @param isOver Whether it is expected to end by itself.
 *
 * @return As waitpid()'s status; 0 if that is not known.
 */
int ptChildEnd(struct ptChild *child, bool isOver);

#endif
