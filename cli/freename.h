/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Names for new projects, beside old ones: what --number asks for.
 */
#ifndef HD_CLI_FREENAME_H
#define HD_CLI_FREENAME_H

/** The option, for tables of them. */
#define CLI_OPTION_NUMBER(isWanted)                                          \
	{                                                                    \
		"number", 'N', 0, G_OPTION_ARG_NONE, isWanted,               \
			"If there is such a project: call this one NAME-2, " \
			"NAME-3, ...",                                       \
			NULL                                                 \
	}

/**
 * Find a name that no project has.
 *
 * @param project Its name, without HDTRACE_PREFIX.
 *
 * @return The name itself, or NAME-2, NAME-3 and so on, to be freed by
 * g_free(); NULL if there is none.
 */
char *cliFreeName(const char *project);

#endif
