/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The option --compress of commands that record.
 */
#ifndef HD_CLI_COMPRESS_H
#define HD_CLI_COMPRESS_H

#include <glib.h>

/** --compress[=N] in a table of options. */
#define CLI_OPTION_COMPRESS                                                   \
	{                                                                     \
		"compress", 0, G_OPTION_FLAG_OPTIONAL_ARG,                    \
			G_OPTION_ARG_CALLBACK, (gpointer)(void *)cliCompress, \
			"Compress the files with zstd, from -7 (fastest) to " \
			"19 (default: 1)",                                    \
			"N"                                                   \
	}

/** Takes the option: sets HDTRACE_COMPRESS, which the libraries read. */
gboolean cliCompress(const char *name, const char *value, gpointer data,
		     GError **error);

#endif
