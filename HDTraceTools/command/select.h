/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * From options to the selection that a subcommand is asked for.
 */
#ifndef HD_SELECT_H
#define HD_SELECT_H

#include <stdbool.h>

#include "HDTraceTools/choice/selection.h"
#include "HDTraceTools/command/core/tool.h"

/** Entry for toolParse(): the nodes. */
#define SELECT_NODE_ENTRY(selection)                                    \
	{                                                               \
		"node", 'n', 0, G_OPTION_ARG_FILENAME_ARRAY,            \
			&(selection)->nodes,                            \
			"Only matching nodes and the nodes below them", \
			"PATTERN"                                       \
	}

/** Two entries: the time. The option for its end is named @p until. */
#define SELECT_TIME_ENTRIES(selection, until)                         \
	{ "from",                                                     \
	  0,                                                          \
	  0,                                                          \
	  G_OPTION_ARG_FILENAME,                                      \
	  &(selection)->from,                                         \
	  "Only data after this time",                                \
	  "TIME" },                                                   \
	{                                                             \
		until, 0, 0, G_OPTION_ARG_FILENAME, &(selection)->to, \
			"Only data before this time", "TIME"          \
	}

/** Entries for toolParse() that fill a selection; five and no terminator. The
 *  option for the end of the time is named @p until. */
#define SELECT_ENTRIES_UNTIL(selection, until) \
	SELECT_NODE_ENTRY(selection),          \
		{ "group",                     \
		  'g',                         \
		  0,                           \
		  G_OPTION_ARG_FILENAME_ARRAY, \
		  &(selection)->groups,        \
		  "Only matching groups",      \
		  "PATTERN" },                 \
		{ "value",                     \
		  0,                           \
		  0,                           \
		  G_OPTION_ARG_FILENAME_ARRAY, \
		  &(selection)->values,        \
		  "Only matching values",      \
		  "PATTERN" },                 \
		SELECT_TIME_ENTRIES(selection, until)
#define SELECT_ENTRIES(selection) SELECT_ENTRIES_UNTIL(selection, "to")

/**
 * Turn the options into times, and see that every pattern matches something.
 *
 * @param needsStart Set projectStart even if no option needs it.
 *
 * @retval -1 Go on.
 * @return The exit status; the reason was said.
 */
int selectResolve(struct selection *selection, struct tool *tool,
		  const hdIProject *project, bool needsStart);

/** Does what a command is for with a project. */
typedef void selectWork(const hdIProject *project, void *data);

/**
 * Open a project, correct the delays of its meters unless @p isAsRecorded,
 * resolve the selection, work, and close it.
 *
 * @return The exit status.
 */
int selectRun(struct selection *selection, struct tool *tool, const char *path,
	      bool needsStart, bool isAsRecorded, selectWork *work, void *data);

#endif
