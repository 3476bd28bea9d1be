/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file merge.h
 * hdtrace merge: the files of a project and what is made from them.
 */
#ifndef HD_MERGE_H
#define HD_MERGE_H

#include <glib.h>

#include "tool.h"

/** Kinds of files of a project. */
enum mergeKind {
	MERGE_TRACE,
	MERGE_INFO,
	MERGE_STAT,
};

/** A node of the topology. */
struct mergeNode {
	char *label;
	char *path; /**< Labels joined with '_'; "" for the root. */
	struct mergeNode *parent;
	GPtrArray *children; /**< Sorted by label. */
	unsigned int level;
};

/** A file of the project. */
struct mergeFile {
	enum mergeKind kind;
	char *path;
	char *stem;  /**< Its name without directory and extension. */
	char *rest;  /**< Of the stem behind the prefix: "node01_0". */
	char *group; /**< Of statistics, from the header; NULL if unreadable. */
	char **labels; /**< In the header of statistics; NULL likewise. */
	char **levels; /**< That a trace names; NULL if it does not. */
	struct mergeNode *node;
};

/** A merge. */
struct merge {
	struct tool *tool;
	char *directory;
	char *name;       /**< Of the project, as in file names. */
	char *prefix;     /**< Directory and name. */
	GPtrArray *files; /**< struct mergeFile, sorted by name. */
	struct mergeNode *root;
	unsigned int depth; /**< Levels below the root. */
	char **levels;      /**< Their types; at least depth. */
	GPtrArray *groups;  /**< Names of groups, sorted. */
	size_t nodes;
	size_t communicators;
	size_t datatypes;
	size_t usedFiles;
};

/** Types of levels that are used if none are known. */
char *mergeDefaultLevel(unsigned int level);

/** Order labels as people do: "node2" before "node10". */
int mergeCompareLabels(const char *a, const char *b);

/**
 * Find the files of a project and place them in a topology.
 *
 * @param argument The prefix, a .proj, or a directory with one project.
 * @param levels Types of the levels if they were given, or NULL.
 *
 * @retval -1 Go on.
 * @return The exit status; the reason was said.
 */
int mergeFind(struct merge *merge, const char *argument, char **levels);

/** Free what mergeFind() took. */
void mergeFree(struct merge *merge);

/** What goes into the .proj beside what the files say. */
struct mergeTexts {
	const char *name;
	const char *description;
};

/** Make the content of the .proj. */
GString *mergeWriteProject(struct merge *merge, const struct mergeTexts *texts);

/**
 * Add to the time adjustment of files.
 *
 * @param adjustments "NODE=SECONDS", NULL terminated; may be NULL.
 *
 * @retval -1 Go on.
 * @return The exit status; the reason was said, and nothing was changed.
 */
int mergeAdjust(struct merge *merge, char **adjustments);

/** Whether the adjustments make sense; as mergeAdjust(), changing nothing. */
int mergeCheckAdjust(struct merge *merge, char **adjustments);

#endif
