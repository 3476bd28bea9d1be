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

/** Entries for toolParse() that fill a selection; six and no terminator. The
 *  option for the end of the time is named @p until. */
#define SELECT_ENTRIES_UNTIL(selection, until)                        \
	{ "node",                                                     \
	  'n',                                                        \
	  0,                                                          \
	  G_OPTION_ARG_FILENAME_ARRAY,                                \
	  &(selection)->nodes,                                        \
	  "Only matching nodes and the nodes below them",             \
	  "PATTERN" },                                                \
		{ "group",                                            \
		  'g',                                                \
		  0,                                                  \
		  G_OPTION_ARG_FILENAME_ARRAY,                        \
		  &(selection)->groups,                               \
		  "Only matching groups",                             \
		  "PATTERN" },                                        \
		{ "value",                                            \
		  0,                                                  \
		  0,                                                  \
		  G_OPTION_ARG_FILENAME_ARRAY,                        \
		  &(selection)->values,                               \
		  "Only matching values",                             \
		  "PATTERN" },                                        \
		{ "from",                                             \
		  0,                                                  \
		  0,                                                  \
		  G_OPTION_ARG_FILENAME,                              \
		  &(selection)->from,                                 \
		  "Only data after this time",                        \
		  "TIME" },                                           \
	{                                                             \
		until, 0, 0, G_OPTION_ARG_FILENAME, &(selection)->to, \
			"Only data before this time", "TIME"          \
	}
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

#endif
