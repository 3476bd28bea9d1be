/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Programs that run beside a test: simulators, and servers of the system.
 *
 * They end with the test, however that ends. Nothing here depends on how fast
 * anything is; what does not come within PROCESS_PATIENCE_S will not come, and
 * the test fails.
 */
#ifndef PROCESS_H
#define PROCESS_H

#include <glib.h>

/** Seconds after which something will not come. */
#define PROCESS_PATIENCE_S 60

/** A program that runs. */
struct process {
	GPid pid;
	int out; /**< Its standard output. */
};

/**
 * Start a program.
 *
 * @param arguments Its path and its arguments, then NULL.
 * @param environment Names and values, NULL terminated, that it gets beside
 *        ours; NULL for none.
 */
void processStart(struct process *process, const char *const *arguments,
		  const char *const *environment);

/** The next line of its standard output, without the LF; to be freed. */
char *processLine(struct process *process);

/** End it with SIGTERM and return its status as of waitpid(). */
int processEnd(struct process *process);

/** Tell whether it has ended by itself; then it is gone. */
gboolean processHasEnded(struct process *process);

#endif
