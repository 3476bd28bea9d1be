/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * How often and by how much the wall clock was set while files were recorded:
 * the attribute clockStepped (doc/format/format.md). Times do not follow it.
 */
#ifndef HD_CLOCKSTEPS_H
#define HD_CLOCKSTEPS_H

#include <stdbool.h>

#include <glib.h>

#include <hdReading.h>

/** Steps that a file was recorded through. */
struct clockSteps {
	const hdINode *node;
	const char *file;
	int64_t count;
	int64_t sum; /**< In ns. */
};

/** Read the attribute among those of a root element; false: there were none, or
 *  the file was not closed. */
bool clockStepsParse(const hdIAttribute *attributes, size_t count,
		     struct clockSteps *steps);

/** Read those of a trace, of its first element; false: there are none, and the
 *  count is 0. */
bool clockStepsOfTrace(hdITraceReader *reader, const hdITraceFile *trace,
		       struct clockSteps *steps);

/**
 * Find the files of a project that have steps.
 *
 * @param traces The traces that have steps, to struct clockSteps, when all were
 *        read; NULL: each one is opened, which takes long if there are many.
 *
 * @return Array of struct clockSteps, by the order of the nodes; to be freed
 * with g_array_unref().
 */
GArray *clockStepsFind(const hdIProject *project, GHashTable *traces);

/** The same, but of each node with files that agree only the first. */
GArray *clockStepsOfNodes(const hdIProject *project, GHashTable *traces);

#endif
