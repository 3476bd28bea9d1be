/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Free names for new projects: the option --number.
 */
#ifndef HD_CLI_FREENAME_H
#define HD_CLI_FREENAME_H

/** The entry of --number in a table of options. */
#define CLI_OPTION_NUMBER(isWanted)                                           \
	{                                                                     \
		"number", 'N', 0, G_OPTION_ARG_NONE, isWanted,                \
			"Use NAME-2, NAME-3, ... if the project exists", NULL \
	}

/**
 * Find a name that no project uses.
 *
 * @param project Preferred name, without HDTRACE_PREFIX.
 *
 * @return The name itself, or NAME-2, NAME-3 and so on, to be freed by
 *         g_free(); NULL if no name is free.
 */
char *cliFreeName(const char *project);

#endif
