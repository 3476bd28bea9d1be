/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Text that is appended and changed later, in bounded memory.
 */
#include "config.h"

#include <string.h>
#include <unistd.h>

#include "HDTraceTools/base/scratchfile.h"
#include "HDTraceTools/model/ti/titext.h"
#include "common/readat.h"

#define TEXT_PIECE ((size_t)1 << 16)

void tiFileInit(struct tiFile *self)
{
	*self = (struct tiFile){ .fd = -1 };
	pthread_mutex_init(&self->mutex, NULL);
}

void tiFileClear(struct tiFile *self)
{
	if (self->fd >= 0)
		close(self->fd);
	pthread_mutex_destroy(&self->mutex);
}

void tiTextInit(struct tiText *self, struct tiFile *file)
{
	*self = (struct tiText){
		.file = file,
		.pieces = g_array_new(FALSE, FALSE, sizeof(uint64_t)),
	};
}

void tiTextClear(struct tiText *self)
{
	if (self->pieces)
		g_array_unref(self->pieces);
	g_free(self->bytes);
	*self = (struct tiText){ .file = NULL };
}

uint64_t tiTextLength(const struct tiText *self)
{
	return self->pieces->len * (uint64_t)TEXT_PIECE + self->used;
}

/** Take room in the file for a piece; 0 or a negative errno. */
static int tiTextTakeRoom(struct tiFile *file, uint64_t *offset)
{
	int ret = 0;

	pthread_mutex_lock(&file->mutex);
	if (file->fd < 0) {
		file->fd = scratchFileOpen();
		ret = MIN(file->fd, 0);
	}
	*offset = file->next * TEXT_PIECE;
	file->next += ret == 0;
	pthread_mutex_unlock(&file->mutex);
	return ret;
}

/** Put the piece in memory into the file. */
static int tiTextFlush(struct tiText *self, uint64_t *offset)
{
	int ret = tiTextTakeRoom(self->file, offset);

	return ret < 0 ? ret
		       : hdWriteAt(self->file->fd, self->bytes, self->used,
				   *offset);
}

void tiTextAppend(struct tiText *self, const char *bytes, size_t size)
{
	uint64_t offset;

	while (size > 0) {
		size_t fits = MIN(size, TEXT_PIECE - self->used);

		if (!self->bytes)
			self->bytes = g_malloc(TEXT_PIECE);
		memcpy(self->bytes + self->used, bytes, fits);
		self->used += fits;
		bytes += fits;
		size -= fits;
		if (self->used < TEXT_PIECE)
			continue;
		if (self->error == 0)
			self->error = tiTextFlush(self, &offset);
		if (self->error == 0)
			g_array_append_val(self->pieces, offset);
		self->used = 0;
	}
}

void tiTextPatch(struct tiText *self, uint64_t offset, const char *bytes,
		 size_t size)
{
	while (size > 0 && self->error == 0) {
		uint64_t piece = offset / TEXT_PIECE;
		size_t at = (size_t)(offset % TEXT_PIECE);
		size_t fits = MIN(size, TEXT_PIECE - at);

		if (piece == self->pieces->len)
			memcpy(self->bytes + at, bytes, fits);
		else
			self->error = hdWriteAt(
				self->file->fd, bytes, fits,
				g_array_index(self->pieces, uint64_t, piece) +
					at);
		bytes += fits;
		offset += fits;
		size -= fits;
	}
}

void tiTextSeal(struct tiText *self)
{
	/* What is little stays in the memory that it needs. */
	if (self->bytes)
		self->bytes = g_realloc(self->bytes, self->used + 1);
}

/** Copy a part of a piece. */
static int tiTextCopyPart(const struct tiText *self, uint64_t piece, size_t at,
			  size_t size, FILE *out)
{
	char *bytes;
	int ret;

	if (piece == self->pieces->len) {
		fwrite(self->bytes + at, 1, size, out);
		return 0;
	}
	bytes = g_malloc(size);
	ret = hdReadAt(self->file->fd, bytes, size,
		       g_array_index(self->pieces, uint64_t, piece) + at);
	if (ret == 0)
		fwrite(bytes, 1, size, out);
	g_free(bytes);
	return ret;
}

int tiTextCopy(const struct tiText *self, uint64_t from, uint64_t until,
	       FILE *out)
{
	int ret = self->error;

	while (from < until && ret == 0) {
		uint64_t piece = from / TEXT_PIECE;
		size_t at = (size_t)(from % TEXT_PIECE);
		size_t size = (size_t)MIN(until - from, TEXT_PIECE - at);

		ret = tiTextCopyPart(self, piece, at, size, out);
		from += size;
	}
	return ret;
}
