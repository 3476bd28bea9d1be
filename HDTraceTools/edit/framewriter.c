/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Writing a plain file in compressed form.
 */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "HDTraceTools/edit/framewriter.h"
#include "common/format/compress.h"
#include "common/format/frame.h"

/** A record that is longer is split. */
#define FRAME_WRITER_MAX ((size_t)4 << 20)
/** So much is looked at for the end of a header. */
#define FRAME_WRITER_HEAD ((size_t)64 << 10)

/** A file that is being compressed. */
struct frameWriter {
	const hdIGroup *group;
	ZSTD_CCtx *context;
	frameSink *sink;
	void *data;
	GByteArray *plain; /**< What was read and is in no frame. */
	size_t scanned;    /**< So much of it is whole records. */
	bool hasHead;      /**< The header is in a frame. */
	GArray *entries;   /**< struct hdFrameEntry */
	GArray *frames;    /**< hdITraceFrame, of the same frames. */
};

/** Remember what an index needs to know of a frame of the first bytes. */
static void frameWriterNote(struct frameWriter *self, size_t size)
{
	const guint8 *at = self->plain->data, *end = at + size;
	guint count = self->frames->len;
	hdITraceFrame frame = {
		.end = (int64_t)size,
		.plain = (uint32_t)size,
		.isLine = size > 0 && end[-1] == '\n',
	};

	if (count > 0)
		frame.end +=
			g_array_index(self->frames, hdITraceFrame, count - 1)
				.end;
	while (at < end && (at = memchr(at, '\n', (size_t)(end - at)))) {
		frame.lines++;
		at++;
	}
	g_array_append_val(self->frames, frame);
}

/** Write the first bytes of what was read as a frame. */
static int frameWriterPut(struct frameWriter *self, size_t size, bool isRaw)
{
	char *frame = g_malloc(hdCompressRoom(size));
	struct hdFrameEntry entry = { .plain = (uint32_t)size };
	bool isWritten;

	entry.stored = (uint32_t)hdCompressFrame(
		isRaw ? NULL : self->context, (const char *)self->plain->data,
		size, frame);
	g_array_append_val(self->entries, entry);
	frameWriterNote(self, size);
	isWritten = self->sink(self->data, frame, entry.stored);
	g_free(frame);
	g_byte_array_remove_range(self->plain, 0, (guint)size);
	self->scanned -= MIN(self->scanned, size);
	return isWritten ? 0 : -EIO;
}

/** Bytes of a value of statistics; 0: more are needed to know. */
static size_t frameWriterValueSize(hdIType type, const unsigned char *at,
				   size_t rest)
{
	if (type == HDI_INT32 || type == HDI_FLOAT)
		return 4;
	if (type != HDI_STRING)
		return 8;
	return rest < 2 ? 0 : 2 + ((size_t)at[0] << 8 | at[1]);
}

/** Bytes of the record of statistics at a place; 0: it is not complete. */
static size_t frameWriterRecordSize(const hdIGroup *group,
				    const unsigned char *at, size_t rest)
{
	static const unsigned char gap[8] = { 255, 255, 255, 255,
					      255, 255, 255, 255 };
	size_t size = 8;

	if (rest < size)
		return 0;
	if (memcmp(at, gap, sizeof(gap)) == 0)
		return rest < 16 ? 0 : 16;
	if (group->entrySize)
		return rest < group->entrySize ? 0 : group->entrySize;
	for (size_t i = 0; i < group->valueCount; i++) {
		size_t value =
			size < rest
				? frameWriterValueSize(group->values[i].type,
						       at + size, rest - size)
				: 0;

		if (value == 0)
			return 0;
		size += value;
	}
	return rest < size ? 0 : size;
}

/** Where the first record ends that reaches the size of a frame; 0: it is not
 *  there. */
static size_t frameWriterFindEnd(struct frameWriter *self)
{
	const unsigned char *bytes = self->plain->data;
	size_t size = self->plain->len;
	const unsigned char *newline;

	if (size > FRAME_WRITER_MAX)
		return size;
	if (!self->group) {
		if (size < HD_FRAME_PLAIN)
			return 0;
		newline = memchr(bytes + HD_FRAME_PLAIN - 1, '\n',
				 size - HD_FRAME_PLAIN + 1);
		return newline ? (size_t)(newline + 1 - bytes) : 0;
	}
	while (self->scanned < HD_FRAME_PLAIN) {
		size_t record = frameWriterRecordSize(self->group,
						      bytes + self->scanned,
						      size - self->scanned);

		if (record == 0)
			return 0;
		self->scanned += record;
	}
	return self->scanned;
}

/** Write the header as a frame that is stored as it is, if it is there. */
static int frameWriterPutHead(struct frameWriter *self)
{
	size_t size = self->plain->len;
	const unsigned char *newline;

	self->hasHead = true;
	if (self->group) {
		/* With the first time stamp. */
		size_t head = (size_t)self->group->dataOffset + 8;

		return head <= size && head <= HD_FRAME_BLOCK_MAX
			       ? frameWriterPut(self, head, true)
			       : 0;
	}
	newline = memchr(self->plain->data, '\n', MIN(size, FRAME_WRITER_HEAD));
	return newline ? frameWriterPut(
				 self,
				 (size_t)(newline + 1 - self->plain->data),
				 true)
		       : 0;
}

/** Read all, and write what is complete. */
static int frameWriterRead(struct frameWriter *self, hdIFile *from)
{
	char *piece = g_malloc(HD_FRAME_PLAIN);
	int64_t offset = 0;
	ssize_t got = 1;
	int ret = 0;

	while (ret == 0 && got > 0) {
		size_t end = 0;

		got = hdI_readFile(from, offset, piece, HD_FRAME_PLAIN);
		if (got <= 0)
			break;
		offset += got;
		g_byte_array_append(self->plain, (guint8 *)piece, (guint)got);
		if (!self->hasHead)
			ret = frameWriterPutHead(self);
		while (ret == 0 && (end = frameWriterFindEnd(self)) > 0)
			ret = frameWriterPut(self, end, false);
	}
	g_free(piece);
	return got < 0 ? -errno : ret;
}

/** Write an index of so many bytes. */
static int frameWriterPutIndex(struct frameWriter *self, const char *index,
			       size_t size)
{
	char *frame = g_malloc(HD_FRAME_INDEX_HEAD + hdCompressRoom(size));
	struct hdFrameEntry entry = { .plain = 0 };
	size_t made = hdCompressChecked(self->context, index, size,
					frame + HD_FRAME_INDEX_HEAD);
	bool isWritten = true;

	/* Readers refuse what would be a bomb; they can do without. */
	if (made > 0 && size <= HD_FRAME_MAX && hdFrameIsWithin(size, made)) {
		hdFrameWriteIndexHead(frame, made);
		entry.stored = (uint32_t)(HD_FRAME_INDEX_HEAD + made);
		g_array_append_val(self->entries, entry);
		isWritten = self->sink(self->data, frame, entry.stored);
	}
	g_free(frame);
	return isWritten ? 0 : -EIO;
}

/** Whether a file is still the one that it was. */
static bool frameWriterIsSame(const char *path, const struct stat *before)
{
	struct stat now;

	return stat(path, &now) == 0 && now.st_dev == before->st_dev &&
	       now.st_ino == before->st_ino && now.st_size == before->st_size &&
	       now.st_mtim.tv_sec == before->st_mtim.tv_sec &&
	       now.st_mtim.tv_nsec == before->st_mtim.tv_nsec;
}

/** Write the index of a trace, if it can have one: not if the file was
 *  replaced since it was compressed. */
static int frameWriterIndex(struct frameWriter *self, const char *trace,
			    const struct stat *before)
{
	void *index;
	size_t size;
	int ret = hdI_indexTrace(
		trace, (const hdITraceFrame *)(void *)self->frames->data,
		self->frames->len, &index, &size);

	if (ret < 0)
		return -errno;
	if (ret == 0)
		return 0;
	ret = 0;
	if (frameWriterIsSame(trace, before))
		ret = frameWriterPutIndex(self, index, size);
	free(index);
	return ret;
}

static int frameWriterPutTable(struct frameWriter *self)
{
	size_t size = hdFrameTableSize(self->entries->len);
	char *table = g_malloc(size);
	bool isWritten;

	hdFrameWriteTable(table,
			  (const struct hdFrameEntry *)self->entries->data,
			  self->entries->len);
	isWritten = self->sink(self->data, table, size);
	g_free(table);
	return isWritten ? 0 : -EIO;
}

int frameWriterRun(hdIFile *from, const hdIGroup *group, const char *trace,
		   int level, frameSink *sink, void *data)
{
	struct frameWriter self = {
		.group = group && group->isReadable ? group : NULL,
		.context = hdCompressCreate(level),
		.sink = sink,
		.data = data,
		.plain = g_byte_array_new(),
		.entries =
			g_array_new(FALSE, FALSE, sizeof(struct hdFrameEntry)),
		.frames = g_array_new(FALSE, FALSE, sizeof(hdITraceFrame)),
	};
	struct stat before;
	bool hasFile = trace && stat(trace, &before) == 0;
	int ret = self.context ? frameWriterRead(&self, from) : -ENOMEM;

	if (ret == 0 && self.plain->len > 0)
		ret = frameWriterPut(&self, self.plain->len, false);
	if (ret == 0 && hasFile)
		ret = frameWriterIndex(&self, trace, &before);
	if (ret == 0)
		ret = frameWriterPutTable(&self);
	if (self.context)
		hdZstd.ZSTD_freeCCtx(self.context);
	g_byte_array_unref(self.plain);
	g_array_unref(self.entries);
	g_array_unref(self.frames);
	return ret;
}
