/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * From options to phases: from a file of border times, or from the states of a
 * trace.
 *
 * A file has a line for each border, "TIME [NAME]"; a phase lasts to the next
 * border, the last one to the end. The name "-" means that no phase starts
 * there. Blank lines and what follows a '#' are ignored.
 */
#ifndef HD_COMMAND_PHASEOPTIONS_H
#define HD_COMMAND_PHASEOPTIONS_H

#include <stdbool.h>

#include "HDTraceTools/command/core/tool.h"
#include "HDTraceTools/model/phases.h"

/** The options as given; all zero at first. */
struct phaseOptions {
	char *file; /**< --phases; "-" is stdin. */
	char *from; /**< --phases-from: "NODE[:STATE[:NESTING]]". */
	gboolean isByName;
};

/** Entries for toolParse(): two, and one more. */
#define PHASE_ENTRIES(options)                                                \
	{ "phases",                                                           \
	  0,                                                                  \
	  0,                                                                  \
	  G_OPTION_ARG_FILENAME,                                              \
	  &(options)->file,                                                   \
	  "Use FILE with border times of phases",                             \
	  "FILE" },                                                           \
	{                                                                     \
		"phases-from", 0, 0, G_OPTION_ARG_FILENAME, &(options)->from, \
			"Use states of a trace as phases",                    \
			"NODE[:STATE[:NESTING]]"                              \
	}
#define PHASE_ENTRY_BY_NAME(options)                                      \
	{                                                                 \
		"by-name", 0, 0, G_OPTION_ARG_NONE, &(options)->isByName, \
			"Add up phases of the same name", NULL            \
	}

void phaseOptionsFree(struct phaseOptions *options);

/** Whether phases were asked for. */
bool phaseOptionsAre(const struct phaseOptions *options);

/** See that the options make sense: -1, or the exit status. */
int phaseOptionsCheck(const struct phaseOptions *options, struct tool *tool);

/**
 * Find the phases; none if none were asked for.
 *
 * @param projectStart What relative times count from.
 *
 * @retval 0 Success.
 * @retval -1 Error; it was said.
 */
int phaseOptionsFind(const struct phaseOptions *options, struct tool *tool,
		     const hdIProject *project, int64_t projectStart,
		     struct phases *phases);

#endif
