/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A file that appears under its name only when it is complete.
 */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <glib.h>

#include "cli/newfile.h"
#include "cli/temporary.h"

#define BUFFER_SIZE (1 << 16)

static void freeNames(struct newFile *self)
{
	temporaryDone(self->removal);
	g_free(self->path);
	g_free(self->temporary);
	g_free(self->buffer);
	*self = (struct newFile){ .path = NULL };
}

/** Permissions as of the file that is replaced, else as of any new file. The
 * mask of the process is there to be exchanged only: by one thread at a time.
 */
static mode_t modeFor(const char *path)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct stat status;
	mode_t mask;

	if (stat(path, &status) == 0)
		return status.st_mode & 0777;
	pthread_mutex_lock(&lock);
	mask = umask(0);
	umask(mask);
	pthread_mutex_unlock(&lock);
	return 0666 & ~mask;
}

/** A device, a pipe: such a thing is written to, never replaced. */
static bool isSpecial(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && !S_ISREG(status.st_mode) &&
	       !S_ISDIR(status.st_mode);
}

/** Many write many short pieces, so that a large buffer and no locks pay. */
static void setBuffer(struct newFile *self)
{
	self->buffer = g_malloc(BUFFER_SIZE);
	setvbuf(self->file, self->buffer, _IOFBF, BUFFER_SIZE);
	__fsetlocking(self->file, FSETLOCKING_BYCALLER);
}

int newFileStart(struct newFile *self, const char *path)
{
	char *real = realpath(path, NULL);
	int fd;
	int ret;

	*self = (struct newFile){ .path = g_strdup(real ? real : path) };
	free(real);
	path = self->path;
	if (isSpecial(path)) {
		self->file = fopen(path, "we");
		ret = self->file ? 0 : -errno;
		if (ret < 0)
			freeNames(self);
		else
			setBuffer(self);
		return ret;
	}
	self->temporary = g_strdup_printf("%s.XXXXXX", path);
	fd = temporaryMake(self->temporary, &self->removal);
	if (fd < 0) {
		freeNames(self);
		return fd;
	}
	if (fchmod(fd, modeFor(path)) == 0)
		self->file = fdopen(fd, "w");
	if (!self->file) {
		ret = -errno;
		close(fd);
		unlink(self->temporary);
		freeNames(self);
		return ret;
	}
	setBuffer(self);
	return 0;
}

int newFileCopy(struct newFile *self, int fd, off_t offset, off_t length,
		newFileCopied *copied, void *data)
{
	off_t size = 0;
	enum { CHUNK = 65536 };
	char *buffer = g_malloc(CHUNK);
	int ret = 0;

	while (length > 0 && ret == 0) {
		size_t wanted = (size_t)MIN(length, (off_t)CHUNK);
		ssize_t got = pread(fd, buffer, wanted, offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			ret = -errno;
		else if (got == 0)
			ret = -EIO; /* It became shorter meanwhile. */
		else if (fwrite(buffer, 1, (size_t)got, self->file) !=
			 (size_t)got)
			ret = -errno;
		offset += got;
		length -= got;
		size += got;
		if (copied)
			copied(data, size);
	}
	g_free(buffer);
	return ret;
}

/** Give the file its name; where no links can be made, not quite atomically. */
static int giveName(const struct newFile *self, bool mayReplace)
{
	if (mayReplace)
		return rename(self->temporary, self->path) == 0 ? 0 : -errno;
	if (link(self->temporary, self->path) == 0) {
		unlink(self->temporary);
		return 0;
	}
	if (errno != EPERM && errno != ENOSYS && errno != EOPNOTSUPP)
		return -errno;
	if (access(self->path, F_OK) == 0)
		return -EEXIST;
	return rename(self->temporary, self->path) == 0 ? 0 : -errno;
}

/** Why something could not be written, which the file does not keep: a byte
 * more cannot be, either. The temporary file is removed in any case. */
static int reasonOf(struct newFile *self)
{
	errno = 0;
	if (fflush(self->file) == 0 && self->temporary &&
	    write(fileno(self->file), "", 1) == 1)
		errno = 0;
	return errno ? -errno : -EIO;
}

/** Close the file; 0, or the negative errno of what was written. */
static int closeFile(struct newFile *self)
{
	int ret = 0;

	if (ferror(self->file))
		ret = reasonOf(self);
	else if (fflush(self->file) != 0 ||
		 (self->temporary && fsync(fileno(self->file)) != 0))
		ret = -errno;
	if (fclose(self->file) != 0 && ret == 0)
		ret = -errno;
	self->file = NULL;
	return ret;
}

int newFileClose(struct newFile *self)
{
	int ret = closeFile(self);

	if (ret < 0)
		newFileAbort(self);
	return ret;
}

int newFileCommit(struct newFile *self, bool mayReplace)
{
	int ret = self->file ? closeFile(self) : 0;

	if (ret == 0 && self->temporary)
		ret = giveName(self, mayReplace);
	if (ret < 0 && self->temporary)
		unlink(self->temporary);
	freeNames(self);
	return ret;
}

void newFileAbort(struct newFile *self)
{
	if (self->file)
		fclose(self->file);
	if (self->temporary)
		unlink(self->temporary);
	freeNames(self);
}
