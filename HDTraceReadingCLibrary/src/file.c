/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opening and reading plain files; see file.h. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "HDTraceReadingCLibrary/src/file.h"

static int openReadOnly(const char *path)
{
	/* O_NONBLOCK: a pipe in the directory must not hold us up. */
	return open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
}

int (*hdIFileOpener)(const char *path) = openReadOnly;
ssize_t (*hdIFileReader)(int fd, void *buffer, size_t size) = read;

int hdIFileOpen(const char *path, int64_t *size)
{
	struct stat status;
	int fd;

	do {
		fd = hdIFileOpener(path);
	} while (fd < 0 && errno == EINTR);
	/* ENXIO: a socket, or a device that is not there. */
	if (fd < 0)
		return errno == ENXIO ? -EINVAL : -errno;
	if (fstat(fd, &status) < 0) {
		int error = errno;

		close(fd);
		return -error;
	}
	if (!S_ISREG(status.st_mode)) {
		close(fd);
		return -EINVAL;
	}
	*size = status.st_size;
	return fd;
}

ssize_t hdIFileRead(int fd, void *buffer, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n =
			hdIFileReader(fd, (char *)buffer + done, size - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && done == 0)
			return -errno;
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

const char *hdIFileError(int error)
{
	return error == -EINVAL ? "not a plain file" : strerror(-error);
}
