/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Writing a part of a project as a new project: of its time, its ranks, or its
 * states.
 *
 * The part is the interval ]start, end] of a selection. What crosses a border
 * is cut to it and marked with the attribute cut (doc/format). All files of the
 * project are written, those without data in the part, too, so that the
 * topology, groups and communicators stay.
 */
#ifndef HD_CUT_CUT_H
#define HD_CUT_CUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <glib.h>

#include "HDTraceTools/choice/selection.h"
#include "HDTraceTools/command/core/scan.h"
#include "HDTraceTools/command/core/tool.h"
#include "HDTraceTools/command/select.h"
#include "cli/newfile.h"

/** What was asked for, and the files that were written so far. */
struct cut {
	struct tool *tool;
	const hdIProject *project;
	struct selection selection;
	GArray *ranks;      /**< struct cutRange; NULL: all. */
	const char *region; /**< Only states in or around it; NULL: all. */
	char *prefix;       /**< Of the new project, with its directory. */
	/** Whether traces have data before the part, so that messages of the
	 *  part may have been sent before it. */
	bool hasEarlier;
	bool hasRegion;   /**< It was found in a trace. */
	GPtrArray *files; /**< struct newFile *, complete but without name. */
};

/** What was asked for. */
struct cutOptions {
	char *output; /**< Prefix of the new project. */
	char *from;
	char *to;
	char *ranks;
	char *region;
	gboolean isForced;
	gboolean isAsRecorded;
};

/** The options that choose a part; four and no terminator. */
#define CUT_ENTRIES(options)                                             \
	SELECT_TIME_ENTRIES(options, "to"),                              \
		{ "ranks",                                               \
		  0,                                                     \
		  0,                                                     \
		  G_OPTION_ARG_FILENAME,                                 \
		  &(options)->ranks,                                     \
		  "Only files of these ranks, such as 0-3,8, and "       \
		  "files that belong to no rank",                        \
		  "LIST" },                                              \
	{                                                                \
		"thin", 0, 0, G_OPTION_ARG_FILENAME, &(options)->region, \
			"Only states inside or around states of "        \
			"this name",                                     \
			"REGION"                                         \
	}

/** Whether a part was asked for. */
bool cutIsPart(const struct cutOptions *options);

/** Free what was given. */
void cutOptionsFree(struct cutOptions *options);

/**
 * Write a part of a project; its delays were applied.
 *
 * @param[out] fileCount Files that were written.
 *
 * @retval -1 Go on.
 * @return The exit status; the reason was said, and there is no new project.
 */
int cutMake(struct tool *tool, const hdIProject *project,
	    const struct cutOptions *options, guint *fileCount);

/** Reads all files of the project. */
static inline struct scan cutScan(const struct cut *cut)
{
	return (struct scan){ .tool = cut->tool, .project = cut->project };
}

/**
 * Start the file that stands for a file of the project.
 *
 * @return The new file, for cutEndFile(); NULL: the reason was said.
 */
struct newFile *cutStartFile(struct cut *cut, const char *source);

/**
 * A file is complete.
 *
 * @param error 0, or a negative errno of reading the source; -EBADMSG: it is
 *        damaged.
 *
 * @return Whether that went well; else the reason was said.
 */
bool cutEndFile(struct cut *cut, const char *source, struct newFile *new,
		int error);

/** What happens to the marks of a state or relation: NULL if no border is
 *  crossed. @p old is a mark that it has already, or NULL. */
const char *cutMark(const char *old, bool isStart, bool isEnd);

/** Write a group, a trace, and relations: whether that went well. */
bool cutGroup(struct cut *cut, const hdIGroup *group);
bool cutTrace(struct cut *cut, const hdITraceFile *trace);
bool cutRelations(struct cut *cut, const hdIRelationFile *file);

/** Write the .proj file, with the name of the new project. */
bool cutProject(struct cut *cut);

/** Copy the .info files and notes. */
bool cutTexts(struct cut *cut);

#endif
