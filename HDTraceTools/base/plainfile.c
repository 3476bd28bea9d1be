/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Opening files of a project: plain ones only.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "HDTraceTools/base/plainfile.h"

/** Whether a descriptor is that of a plain file, whose reads may wait then. */
static int makePlain(int fd, off_t *size)
{
	struct stat status;

	if (fstat(fd, &status) < 0)
		return -errno;
	if (!S_ISREG(status.st_mode))
		return -EINVAL;
	if (fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK) < 0)
		return -errno;
	if (size)
		*size = status.st_size;
	return 0;
}

int plainFileOpen(const char *path, off_t *size)
{
	int ret, fd;

	do {
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	} while (fd < 0 && errno == EINTR);
	/* ENXIO: a socket, or a device that is not there. */
	if (fd < 0)
		return errno == ENXIO ? -EINVAL : -errno;
	ret = makePlain(fd, size);
	if (ret == 0)
		return fd;
	close(fd);
	return ret;
}

int plainFileMap(const char *path, GMappedFile **mapped)
{
	int fd = plainFileOpen(path, NULL);

	if (fd < 0)
		return fd;
	*mapped = g_mapped_file_new_from_fd(fd, FALSE, NULL);
	close(fd);
	return *mapped ? 0 : -EIO;
}

bool plainFileIsSame(const char *a, const char *b)
{
	GMappedFile *left = NULL, *right = NULL;
	bool isSame = plainFileMap(a, &left) == 0 &&
		      plainFileMap(b, &right) == 0 &&
		      g_mapped_file_get_length(left) ==
			      g_mapped_file_get_length(right) &&
		      (g_mapped_file_get_length(left) == 0 ||
		       memcmp(g_mapped_file_get_contents(left),
			      g_mapped_file_get_contents(right),
			      g_mapped_file_get_length(left)) == 0);

	if (left)
		g_mapped_file_unref(left);
	if (right)
		g_mapped_file_unref(right);
	return isSame;
}

off_t plainFileSize(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode)
		       ? status.st_size
		       : 0;
}

int plainFileRead(const char *path, char **text, size_t *size)
{
	off_t room;
	size_t done = 0;
	ssize_t got = 1;
	int fd = plainFileOpen(path, &room);

	if (fd < 0)
		return fd;
	*text = g_try_malloc((gsize)room + 1);
	if (!*text) {
		close(fd);
		return -ENOMEM;
	}
	while (got > 0 && done < (size_t)room) {
		do {
			got = read(fd, *text + done, (size_t)room - done);
		} while (got < 0 && errno == EINTR);
		if (got > 0)
			done += (size_t)got;
	}
	if (got < 0) {
		int error = errno;

		close(fd);
		g_free(*text);
		return -error;
	}
	close(fd);
	(*text)[done] = '\0';
	*size = done;
	return 0;
}

const char *plainFileError(int error)
{
	return error == -EINVAL ? "not a plain file" : strerror(-error);
}
