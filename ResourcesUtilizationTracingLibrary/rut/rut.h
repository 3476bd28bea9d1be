/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file rut.h
 * The rut command: what its files share.
 */
#ifndef RUT_COMMAND_H
#define RUT_COMMAND_H

#include <stdio.h>

#include <glib.h>

#include "trace.h"

/** Exit status when rut itself fails, as of timeout(1) and env(1). */
#define RUT_EXIT_FAILED 125
/** The command was found but cannot be run. */
#define RUT_EXIT_CANNOT 126
/** The command was not found. */
#define RUT_EXIT_NOT_FOUND 127

/** Where the trace is in the project. */
struct rutPlace {
	char *project; /**< With directory, without suffix. */
	GPtrArray *levels;
	GPtrArray *labels; /**< As many as levels. */
};

/**
 * Set the sources of a list like "cpu,net,CTX_SWITCHES".
 *
 * @param[out] wrong What is no source; free it.
 */
gboolean sourcesParse(const char *list, rutSources *sources, char **wrong);

/** Print all sources and whether they work here. */
void sourcesPrint(FILE *file, const char *mountPoint);

/** Parse "Host=node01,Rank=0"; NULL is the host. */
gboolean placeParse(struct rutPlace *place, const char *project,
		    const char *topology, char **message);

/** Free what it holds. */
void placeClear(struct rutPlace *place);

/** What rut waits for. */
struct rutWait {
	char **command;  /**< Run this, or NULL. */
	double duration; /**< Seconds, or 0. */
	int pid;         /**< Process that is not a child, or 0. */
};

/** Block the signals that rut handles, before any thread is created. */
void waitPrepare(void);

/**
 * Wait until the command or process ends, the time is over, or a signal comes
 * that is not for the command. Signals go to the command.
 *
 * @return Exit status.
 */
int waitFor(const struct rutWait *wait);

/** Print what was measured. */
void summaryPrint(FILE *file, UtilTrace *trace, const char *project);

#endif
