/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Reading a file that the user names.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>

#include "cli/errors.h"
#include "cli/readfile.h"

bool cliReadFile(const char *tool, const char *path, char **text, gsize *length)
{
	FILE *file = fopen(path, "re");
	GString *content = g_string_new(NULL);
	int error = file ? 0 : errno;
	char part[4096];
	size_t size;

	while (file && (size = fread(part, 1, sizeof(part), file)) > 0)
		g_string_append_len(content, part, (gssize)size);
	if (file && ferror(file))
		error = errno;
	if (file)
		fclose(file);
	if (error && tool)
		cliErrorRead(tool, path, error);
	if (length)
		*length = content->len;
	*text = g_string_free(content, error != 0);
	return !error;
}
