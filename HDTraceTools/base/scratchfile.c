/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Temporary files; see scratchfile.h.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include <glib.h>

#include "HDTraceTools/base/scratchfile.h"

int scratchFileOpen(void)
{
	char *path = g_strdup_printf("%s/hdtrace.XXXXXX", g_get_tmp_dir());
	int fd = g_mkstemp_full(path, O_RDWR | O_CLOEXEC, 0600);

	if (fd < 0)
		fd = -errno;
	else
		unlink(path);
	g_free(path);
	return fd;
}
