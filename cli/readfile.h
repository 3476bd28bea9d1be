/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Reading a file that the user names.
 */
#ifndef HD_CLI_READFILE_H
#define HD_CLI_READFILE_H

#include <stdbool.h>
#include <glib.h>

/**
 * Read a file to its end.
 *
 * g_file_get_contents() loses the reason: it has no errno for a directory.
 *
 * @param tool Name of the program for a message; NULL: no message.
 * @param text Content, with a zero after it; free it with g_free().
 * @param length Number of bytes; may be NULL.
 *
 * @retval false The file cannot be read; after a message.
 */
bool cliReadFile(const char *tool, const char *path, char **text,
		 gsize *length);

#endif
