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

int scratchFileWrite(int fd, const void *bytes, size_t size, uint64_t offset)
{
	const char *at = bytes;

	while (size > 0) {
		ssize_t done = pwrite(fd, at, size, (off_t)offset);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done < 0 ? -errno : -EIO;
		at += done;
		size -= (size_t)done;
		offset += (uint64_t)done;
	}
	return 0;
}

int scratchFileRead(int fd, void *bytes, size_t size, uint64_t offset)
{
	char *at = bytes;

	while (size > 0) {
		ssize_t done = pread(fd, at, size, (off_t)offset);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done < 0 ? -errno : -EIO;
		at += done;
		size -= (size_t)done;
		offset += (uint64_t)done;
	}
	return 0;
}
