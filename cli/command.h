/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Running a command while something is measured: "rut -- COMMAND".
 */
#ifndef HD_CLI_COMMAND_H
#define HD_CLI_COMMAND_H

#include <glib.h>

/** Exit status when the tool itself fails, as of timeout(1) and env(1). */
#define CLI_EXIT_FAILED 125
/** The command was found but cannot be run. */
#define CLI_EXIT_CANNOT 126
/** The command was not found. */
#define CLI_EXIT_NOT_FOUND 127

/** The event that ends the measurement. */
struct cliWait {
	const char *tool; /**< Before messages: "rut". */
	char **command;   /**< Run this, or NULL. */
	double duration;  /**< Seconds, or 0. */
	int pid;          /**< Process that is not a child, or 0. */
	/** Called when the command runs; not if it cannot be run. May be NULL.
	 */
	void (*started)(void *context);
	void *context; /**< For started(). */
};

/** Check that a command exists and can be run.
 *
 * @return 0, or after a message CLI_EXIT_NOT_FOUND or CLI_EXIT_CANNOT.
 */
int cliCheckCommand(const char *tool, const char *command);

/** Find another program of HDTrace: its path in the directory of this program,
 *  or its name, for a search in PATH. To be freed. */
char *cliBeside(const char *program);

/** Block the signals that cliWaitFor() handles, before threads are created. */
void cliPrepare(void);

/**
 * Wait until the command or process ends, the duration is over, or a signal
 * arrives that is not for the command. Signals are passed to the command.
 *
 * @return Exit status.
 */
int cliWaitFor(const struct cliWait *wait);

#endif
