/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The option --compress of commands that record.
 */
#include "config.h"

#include "cli/compress.h"
#include "common/format/compress.h"

gboolean cliCompress(const char *name, const char *value, gpointer data,
		     GError **error)
{
	char *text = g_strdup_printf("zstd%s%s", value ? ":" : "",
				     value ? value : "");
	int level;
	gboolean isValid = hdCompressParse(text, &level) == 0;

	(void)data;
	if (isValid)
		g_setenv("HDTRACE_COMPRESS", text, TRUE);
	else
		g_set_error(
			error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
			"%s: invalid value \"%s\"; expected %d to -1 or 1 to "
			"%d",
			name, value, HD_COMPRESS_MIN, HD_COMPRESS_MAX);
	g_free(text);
	return isValid;
}
