/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The rut command: what its files share.
 */
#ifndef RUT_COMMAND_H
#define RUT_COMMAND_H

#include <stdio.h>

#include <glib.h>

#include "ResourcesUtilizationTracingLibrary/src/trace.h"
#include "cli/command.h"

/** Where the trace is in the project. */
struct rutTarget {
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

/** Get all words of such a list, NULL terminated. */
const char *const *sourcesWords(void);

/** Print all sources and whether they work on the machine below a directory. */
void sourcesPrint(FILE *file, const char *root, const char *mountPoint);

/** Print what the sums of the sources are made of there. */
void sourcesExplain(FILE *file, const char *root, const char *mountPoint);

/** Parse "Host=node01,Rank=0"; NULL is the host. */
gboolean targetParse(struct rutTarget *target, const char *project,
		     const char *topology, char **message);

/** Free what it holds. */
void targetClear(struct rutTarget *target);

/** Print what was measured. */
void summaryPrint(FILE *file, UtilTrace *trace, const char *project);

#endif
