/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What tests of libpm do with a server.
 */
#ifndef PM_SESSION_H
#define PM_SESSION_H

#include "tests/pm/model.h"

/**
 * Begin the program of a test: in a directory of its own, and without what the
 * environment says to libpm.
 *
 * @param timeout PM_TIMEOUT in seconds, or NULL for libpm's own.
 * @return The directory, for sessionRun().
 */
char *sessionInit(int *argc, char ***argv, const char *timeout);

/**
 * Run the tests, and remove the directory with all that is in it.
 *
 * @param directory It is freed.
 * @return The exit status of the program.
 */
int sessionRun(char *directory);

/** Lines of a text. */
line_t sessionLines(const char *text);

/** A call succeeds with this result, and leaves errno alone. */
#define sessionGives(result, call)                 \
	do {                                       \
		errno = 4711;                      \
		g_assert_cmpint(call, ==, result); \
		g_assert_cmpint(errno, ==, 4711);  \
	} while (0)

/** A call fails with this error and this errno. */
#define sessionFails(result, number, call)          \
	do {                                        \
		errno = 4711;                       \
		g_assert_cmpint(call, ==, result);  \
		g_assert_cmpint(errno, ==, number); \
	} while (0)

/**
 * Create a counter, record sets, and get the samples, all with success.
 *
 * @param device MODEL_DEVICE or MODEL_STATES.
 */
void sessionRecord(const struct model *model, const char *device,
		   const char *lines, int aggregate, int sets,
		   counter_t *counter);

/** End a counter with success. */
void sessionEnd(counter_t *counter);

/**
 * Do all that can be done with a server, whatever comes of it, once; what it
 * gives is freed.
 *
 * @return The first error, or 0.
 */
int sessionTry(const struct model *model);

#endif
