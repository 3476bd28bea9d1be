/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace merge --into: projects of several programs as one.
 */
#ifndef HD_MERGE_JOIN_H
#define HD_MERGE_JOIN_H

#include "HDTraceTools/merge/merge.h"

/** By how much the times of a project are shifted, and why. */
struct joinOffset {
	int64_t offset; /**< In ns. */
	bool isGiven;   /**< By hand, or that of the first project. */
	bool isByHand;
	/** What relations to other projects allow. */
	bool hasLowest;
	bool hasHighest;
	int64_t lowest;
	int64_t highest;
	uint64_t pairs; /**< How many these are. */
};

/** A project that is joined with others. */
struct joinProject {
	const char *argument;
	char *label;        /**< Its name, as labels are. */
	struct merge merge; /**< Its files. */
	hdIProject *project;
	bool isBroken;          /**< Its .proj is. */
	unsigned int hostLevel; /**< From 1. */
	bool hasProcesses;      /**< The level below are processes. */
	bool isRenamed; /**< Its processes have the name before theirs. */
};

/**
 * Find by how much times are to be shifted.
 *
 * @param projects So many.
 * @param[in,out] offsets Of each; at least one is given.
 *
 * @retval -1 Go on.
 * @return The exit status; the reason was said.
 */
int joinFindOffsets(struct tool *tool, const struct joinProject *projects,
		    size_t count, struct joinOffset *offsets);

/** What --into was told. */
struct joinOptions {
	const char *into;
	char **offsets; /**< "PROJECT=DURATION", NULL terminated; may be NULL.
			 */
	const struct mergeTexts *texts;
	bool isForced;
};

/**
 * Join projects: copy their files and write a .proj for them.
 *
 * @param arguments NULL terminated.
 *
 * @retval -1 Success; it was printed.
 * @return The exit status; the reason was said, and nothing is there that was
 *         not before.
 */
int joinRun(struct tool *tool, const struct joinOptions *options,
	    char *const *arguments);

#endif
