/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The project file of commands that trace: topology and statistics groups.
 */
#ifndef HD_PROJECTFILE_H
#define HD_PROJECTFILE_H

#include <stdbool.h>
#include <stddef.h>

/** A node: labels from level 1 down to it. */
struct hdProjectNode {
	char *const *labels;
	size_t depth;
};

/** What a project file says. */
struct hdProjectFile {
	const char *project; /**< As of hdT_createTopology(). */
	char *const *levels;
	size_t levelCount;
	const struct hdProjectNode *nodes;
	size_t nodeCount;
	/** The statistics groups, NULL at the end. A node need not have all. */
	const char *const *groups;
};

/**
 * Get the name of a project's file, or of one of its groups' files.
 *
 * @param project As of hdT_createTopology(); HDTRACE_PREFIX goes before it.
 * @param end What follows: ".proj", "_node_Group.stat".
 *
 * @return The name, to be freed; NULL without memory.
 */
char *hdProjectFileName(const char *project, const char *end);

/**
 * Write a project file.
 *
 * @param replace Whether one that exists is replaced.
 *
 * @retval -EEXIST It exists.
 * @retval -ENOMEM Out of memory. (Or another error of open() and write().)
 */
int hdProjectFileWrite(const struct hdProjectFile *file, bool replace);

#endif
