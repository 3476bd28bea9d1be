/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Project files: what all of them have, and the whole file of commands that
 * trace: topology and statistics groups.
 */
#ifndef HD_PROJECTFILE_H
#define HD_PROJECTFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

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

/** Write what a project file begins with, up to the end of the description. */
void hdProjectBegin(FILE *file, const char *name, const char *description);

/**
 * Write a start tag on a line of its own.
 *
 * @param tag The element and its attribute: "Node name", "Level type".
 * @param value Of the attribute; it is escaped.
 * @param isEmpty Whether nothing is in the element, so that no end tag follows.
 */
void hdProjectTag(FILE *file, size_t indent, const char *tag, const char *value,
		  bool isEmpty);

/** Write an end tag on a line of its own. */
void hdProjectEnd(FILE *file, size_t indent, const char *element);

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
