/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The option --align: how the clocks of several projects are put together.
 */
#ifndef HD_COMMAND_ALIGNOPTION_H
#define HD_COMMAND_ALIGNOPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <inttypes.h>

#include "HDTraceTools/command/core/tool.h"

/** Most projects that a reader can tell apart. */
#define ALIGN_PROJECTS_MAX 16

/** An entry for toolParse(); @p text is "wall", "start", a mark, or NULL, which
 *  is "start". */
#define ALIGN_ENTRY(text)                                                 \
	{                                                                 \
		"align", 0, 0, G_OPTION_ARG_STRING, text,                 \
			"Common time of projects: wall, start or a mark " \
			"(default: start)",                               \
			"wall|start|MARK"                                 \
	}

/**
 * Find when the clock begins that a project has with others.
 *
 * @param align As of ALIGN_ENTRY(), not NULL.
 * @param path What the project is called in messages.
 * @param[out] zero A time of the project, in ns; 0 for "wall".
 *
 * @return Whether it has such a time; if not it was said.
 */
bool alignFind(const char *align, struct tool *tool, const hdIProject *project,
	       const char *path, int64_t *zero);

/**
 * Name projects, each another one: the second of a name has " (2)" behind it.
 *
 * @return Names in the order of the projects; to be freed with g_strfreev().
 */
char **alignNames(const hdIProject *const *projects, size_t count);

#endif
