/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Bytes that are appended and read anywhere, in bounded memory.
 */
#include "config.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <glib.h>

#include "HDTraceTools/base/scratchfile.h"
#include "HDTraceTools/base/spool.h"
#include "common/readat.h"

/** So many bytes are kept before they go to the file. */
#define SPOOL_TAIL (1 << 18)
/** What is read from the file, and how much of it is kept. */
#define SPOOL_WINDOW (1 << 16)
#define SPOOL_WINDOWS 4

/** A piece of the file in memory. */
struct window {
	uint64_t number; /**< Its offset is that times SPOOL_WINDOW. */
	bool isValid;
	unsigned char *bytes;
};

struct spool {
	int fd;           /**< -1 until there is a file. */
	uint64_t written; /**< Bytes in the file. */
	GByteArray *tail; /**< Bytes behind these. */
	int error; /**< The first one of appending; bytes are lost then. */
	struct window windows[SPOOL_WINDOWS];
};

struct spool *spoolNew(void)
{
	struct spool *self = g_new0(struct spool, 1);

	self->fd = -1;
	self->tail = g_byte_array_new();
	return self;
}

void spoolFree(struct spool *self)
{
	if (!self)
		return;
	if (self->fd >= 0)
		close(self->fd);
	for (size_t i = 0; i < SPOOL_WINDOWS; i++)
		g_free(self->windows[i].bytes);
	g_byte_array_unref(self->tail);
	g_free(self);
}

uint64_t spoolLength(const struct spool *self)
{
	return self->written + self->tail->len;
}

void spoolClear(struct spool *self)
{
	self->written = 0;
	self->error = 0;
	g_byte_array_set_size(self->tail, 0);
	for (size_t i = 0; i < SPOOL_WINDOWS; i++)
		self->windows[i].isValid = false;
}

static int writeTail(struct spool *self)
{
	int ret;

	if (self->fd < 0)
		self->fd = scratchFileOpen();
	if (self->fd < 0)
		return self->fd;
	ret = hdWriteAt(self->fd, self->tail->data, self->tail->len,
			self->written);
	/* Then all is still in memory. */
	if (ret < 0)
		return ret;
	self->written += self->tail->len;
	g_byte_array_set_size(self->tail, 0);
	/* The last window may have been read when it was shorter. */
	for (size_t i = 0; i < SPOOL_WINDOWS; i++)
		self->windows[i].isValid = false;
	return 0;
}

int spoolAppend(struct spool *self, const void *bytes, size_t size)
{
	if (self->error == 0 && self->tail->len + size > SPOOL_TAIL &&
	    self->tail->len)
		self->error = writeTail(self);
	if (self->error < 0)
		return self->error;
	g_byte_array_append(self->tail, bytes, (guint)size);
	return 0;
}

/** Get the window with a number; 0 or a negative errno. */
static int getWindow(struct spool *self, uint64_t number,
		     struct window **result)
{
	struct window *window = &self->windows[number % SPOOL_WINDOWS];
	uint64_t offset = number * SPOOL_WINDOW;
	int ret;

	*result = window;
	if (window->isValid && window->number == number)
		return 0;
	if (!window->bytes)
		window->bytes = g_malloc(SPOOL_WINDOW);
	ret = hdReadAt(self->fd, window->bytes,
		       (size_t)MIN(SPOOL_WINDOW, self->written - offset),
		       offset);
	window->number = number;
	window->isValid = ret == 0;
	return ret;
}

int spoolRead(struct spool *self, uint64_t offset, void *bytes, size_t size)
{
	unsigned char *to = bytes;

	if (self->error < 0)
		return self->error;
	while (size && offset < self->written) {
		uint64_t number = offset / SPOOL_WINDOW;
		size_t at = (size_t)(offset % SPOOL_WINDOW);
		size_t part = (size_t)MIN(MIN(size, SPOOL_WINDOW - at),
					  self->written - offset);
		struct window *window;
		int ret = getWindow(self, number, &window);

		if (ret < 0)
			return ret;
		memcpy(to, window->bytes + at, part);
		to += part;
		offset += part;
		size -= part;
	}
	if (size)
		memcpy(to, self->tail->data + (offset - self->written), size);
	return 0;
}

int spoolPeek(const struct spool *self, uint64_t offset, void *bytes,
	      size_t size)
{
	size_t part = 0;
	int ret = self->error;

	if (ret == 0 && offset < self->written) {
		part = (size_t)MIN(size, self->written - offset);
		ret = hdReadAt(self->fd, bytes, part, offset);
	}
	if (ret == 0 && part < size)
		memcpy((char *)bytes + part,
		       self->tail->data + (offset + part - self->written),
		       size - part);
	return ret;
}

int spoolCopy(struct spool *self, struct spool *from)
{
	uint64_t length = spoolLength(from);
	char *bytes = g_malloc(SPOOL_WINDOW);
	int ret = 0;

	for (uint64_t at = 0; at < length && ret == 0;) {
		size_t size = (size_t)MIN(length - at, SPOOL_WINDOW);

		ret = spoolRead(from, at, bytes, size);
		if (ret == 0)
			ret = spoolAppend(self, bytes, size);
		at += size;
	}
	g_free(bytes);
	return ret;
}

void spoolDiscard(struct spool *self, uint64_t offset, uint64_t size)
{
	uint64_t end = MIN(offset + size, self->written);

	if (self->fd >= 0 && offset < end)
		fallocate(self->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			  (off_t)offset, (off_t)(end - offset));
}
