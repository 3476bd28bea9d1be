/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What accesses to files cost; see files.h. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>
#include <glib.h>

#include "PredictionLibrary/command/measure/files.h"
#include "common/clock.h"

/* The file, and what is accessed at once. */
#define FILE_SIZE (64 << 20)
#define SEQUENTIAL_SIZE (1 << 20)
#define RANDOM_SIZE 4096

static const struct {
	const char *order, *access, *name;
} classes[FILES_CLASSES] = {
	{ "sequential", "read", "sequential reads" },
	{ "sequential", "write", "sequential writes" },
	{ "sequential", "sync", "sequential writes with fdatasync" },
	{ "random", "read", "random reads" },
	{ "random", "write", "random writes" },
	{ "random", "sync", "random writes with fdatasync" },
};

const char *filesName(int number)
{
	return classes[number].name;
}

struct files {
	int fd, number;
	bool isRandom, isRead, isSync;
	size_t size;
	char *buffer;
	uint64_t done;
	uint32_t chance;
};

/* The next place: places of random accesses are drawn by xorshift. */
static off_t measureFilesNextOffset(struct files *self)
{
	uint64_t places = FILE_SIZE / self->size;

	if (!self->isRandom)
		return (off_t)(self->done % places * self->size);
	self->chance ^= self->chance << 13;
	self->chance ^= self->chance >> 17;
	self->chance ^= self->chance << 5;
	return (off_t)(self->chance % places * self->size);
}

static int once(struct files *self)
{
	off_t at = measureFilesNextOffset(self);
	ssize_t length =
		self->isRead ? pread(self->fd, self->buffer, self->size, at)
			     : pwrite(self->fd, self->buffer, self->size, at);

	if (length < 0)
		return -errno;
	if ((size_t)length < self->size)
		return -EIO;
	if (self->isSync && fdatasync(self->fd) != 0)
		return -errno;
	self->done++;
	return 0;
}

/* All of it is there before, on the disk. */
static int fillFile(struct files *self)
{
	int ret = 0;

	for (off_t at = 0; at < FILE_SIZE && ret == 0; at += SEQUENTIAL_SIZE) {
		ssize_t length =
			pwrite(self->fd, self->buffer, SEQUENTIAL_SIZE, at);

		if (length < SEQUENTIAL_SIZE)
			ret = length < 0 ? -errno : -ENOSPC;
	}
	return ret == 0 && fsync(self->fd) != 0 ? -errno : ret;
}

int filesNew(const char *directory, int number, struct files **result)
{
	struct files *self = g_new(struct files, 1);
	char *path = g_build_filename(directory, "measured.XXXXXX", NULL);
	int ret;

	*self = (struct files){
		.number = number,
		.isRandom = *classes[number].order == 'r',
		.isRead = *classes[number].access == 'r',
		.isSync = *classes[number].access == 's',
		.buffer = g_malloc0(SEQUENTIAL_SIZE),
		.chance = 2463534242U,
	};
	self->size = self->isRandom ? RANDOM_SIZE : SEQUENTIAL_SIZE;
	self->fd = g_mkstemp_full(path, O_RDWR | O_CLOEXEC, 0600);
	ret = self->fd < 0 ? -errno : 0;
	if (ret == 0) {
		unlink(path);
		ret = fillFile(self);
	}
	g_free(path);
	*result = self;
	if (ret < 0) {
		filesFree(self);
		*result = NULL;
	}
	return ret;
}

int filesRun(struct files *self, int64_t lengthNs, hdTrace *trace,
	     const atomic_int *stop, double *seconds)
{
	int64_t start = hdMonotonicNow();
	int ret = 0;

	self->done = 0;
	hdT_logStateStart(trace, "Io");
	while (ret == 0 && !atomic_load(stop) &&
	       hdMonotonicNow() < start + lengthNs)
		ret = once(self);
	*seconds = self->done ? (double)(hdMonotonicNow() - start) / 1e9 /
					(double)self->done
			      : 0;
	hdT_logAttributeString(trace, "order", classes[self->number].order);
	hdT_logAttributeString(trace, "access", classes[self->number].access);
	hdT_logAttributeInt64(trace, "size", (int64_t)self->size);
	hdT_logAttributeInt64(trace, "repetitions", (int64_t)self->done);
	if (ret < 0 || atomic_load(stop))
		hdT_logAttributeInt64(trace, "interrupted", 1);
	hdT_logStateEnd(trace);
	return ret == 0 && atomic_load(stop) ? -EINTR : ret;
}

void filesFree(struct files *self)
{
	if (!self)
		return;
	if (self->fd >= 0) {
		fsync(self->fd);
		close(self->fd);
	}
	g_free(self->buffer);
	g_free(self);
}
