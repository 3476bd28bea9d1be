/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Operations of disks on a file without a name, of which nothing remains; see
 * core/kind.h. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "LoadLevels/core/kind.h"

#define DISK_STEP ((size_t)128 << 10)
#define DISK_SYNC_STEP ((size_t)4 << 10)
/* Alignment for files without the page cache. */
#define DISK_ALIGNMENT 4096

struct diskFile {
	int fd;
	off_t size;
	off_t at;
	char *bytes;
};

/* A file that has no name, from the start or at once. */
static int diskOpenNameless(const char *directory)
{
	char path[4096];
	int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR &&
			errno != ENOENT && errno != EINVAL))
		return fd < 0 ? -errno : fd;
	if (strlen(directory) + 20 > sizeof(path))
		return -ENAMETOOLONG;
	strcpy(path, directory);
	strcat(path, "/hdload-XXXXXX");
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	unlink(path);
	return fd;
}

/* Without the page cache where the file system can do so. */
static void diskSetDirect(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags >= 0)
		(void)fcntl(fd, F_SETFL, flags | O_DIRECT);
}

static int diskFill(const struct diskFile *self)
{
	for (off_t at = 0; at < self->size; at += (off_t)DISK_STEP) {
		if (pwrite(self->fd, self->bytes, DISK_STEP, at) < 0)
			return -errno;
	}
	return fsync(self->fd) < 0 ? -errno : 0;
}

static void diskClose(void *state)
{
	struct diskFile *self = state;

	if (self->fd >= 0)
		close(self->fd);
	free(self->bytes);
	free(self);
}

static int diskOpenFile(struct diskFile *self, const struct hdLoadSetup *setup)
{
	void *bytes = NULL;

	self->fd = -1;
	if (posix_memalign(&bytes, DISK_ALIGNMENT, DISK_STEP) != 0)
		return -ENOMEM;
	self->bytes = bytes;
	memset(self->bytes, 0x5a, DISK_STEP);
	self->size = (off_t)((size_t)setup->fileBytes / DISK_STEP * DISK_STEP);
	if (self->size < (off_t)DISK_STEP)
		self->size = (off_t)DISK_STEP;
	self->fd = diskOpenNameless(setup->directory);
	if (self->fd < 0)
		return self->fd;
	diskSetDirect(self->fd);
	return diskFill(self);
}

static int diskOpen(const struct hdLoadSetup *setup, void **state)
{
	struct diskFile *self = calloc(1, sizeof(*self));
	int ret = self ? diskOpenFile(self, setup) : -ENOMEM;

	if (ret < 0 && self)
		diskClose(self);
	else if (ret == 0)
		*state = self;
	return ret;
}

static off_t diskAdvance(struct diskFile *self, size_t step)
{
	off_t at = self->at;

	self->at = at + (off_t)step + (off_t)step > self->size
			   ? 0
			   : at + (off_t)step;
	return at;
}

static int64_t diskRead(void *state)
{
	struct diskFile *self = state;
	ssize_t size = pread(self->fd, self->bytes, DISK_STEP,
			     diskAdvance(self, DISK_STEP));

	return size < 0 ? -errno : size;
}

static int64_t diskWrite(void *state)
{
	struct diskFile *self = state;
	ssize_t size = pwrite(self->fd, self->bytes, DISK_STEP,
			      diskAdvance(self, DISK_STEP));

	return size < 0 ? -errno : size;
}

static int64_t diskSync(void *state)
{
	struct diskFile *self = state;
	ssize_t size = pwrite(self->fd, self->bytes, DISK_SYNC_STEP,
			      diskAdvance(self, DISK_SYNC_STEP));

	if (size < 0 || fdatasync(self->fd) < 0)
		return -errno;
	return size;
}

const struct hdLoadKind hdLoadDiskRead = {
	.name = "disk-read",
	.unit = "bytes",
	.scale = HD_LOAD_RATE,
	.tolerance = 3,
	.counter = "HDD_READ",
	.open = diskOpen,
	.operate = diskRead,
	.close = diskClose,
};

const struct hdLoadKind hdLoadDiskWrite = {
	.name = "disk-write",
	.unit = "bytes",
	.scale = HD_LOAD_RATE,
	.tolerance = 3,
	.counter = "HDD_WRITE",
	.open = diskOpen,
	.operate = diskWrite,
	.close = diskClose,
};

const struct hdLoadKind hdLoadDiskSync = {
	.name = "disk-sync",
	.unit = "bytes",
	.scale = HD_LOAD_RATE,
	.tolerance = 3,
	.open = diskOpen,
	.operate = diskSync,
	.close = diskClose,
};
