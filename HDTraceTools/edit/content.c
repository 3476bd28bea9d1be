/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The bytes of files of a project, which may be compressed.
 */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <hdReading.h>

#include "HDTraceTools/base/plainfile.h"
#include "HDTraceTools/edit/content.h"
#include "common/format/frame.h"
#include "common/format/zip.h"

/** Bytes that are copied at once. */
#define CONTENT_PIECE 65536

/** Read bytes that are there: 0 or a negative errno. */
static int contentRead(hdIFile *file, int64_t offset, char *to, size_t size)
{
	while (size > 0) {
		ssize_t n = hdI_readFile(file, offset, to, size);

		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		offset += n;
		to += n;
		size -= (size_t)n;
	}
	return 0;
}

static int contentLoad(const char *path, int64_t limit, GBytes **bytes)
{
	hdIFile *file = hdI_openFile(path, NULL, NULL);
	int64_t size = file ? hdI_getFileSize(file) : 0;
	char *text;
	int ret;

	if (!file)
		return -errno;
	if (limit >= 0)
		size = MIN(size, limit);
	text = g_try_malloc((gsize)size + 1);
	ret = text ? contentRead(file, 0, text, (size_t)size) : -ENOMEM;
	hdI_closeFile(file);
	if (ret == 0)
		*bytes = g_bytes_new_take(text, (gsize)size);
	else
		g_free(text);
	return ret;
}

int contentText(const char *path, char **text, size_t *size)
{
	GBytes *bytes;
	int ret = contentLoad(path, -1, &bytes);

	if (ret < 0)
		return ret;
	*text = g_bytes_unref_to_data(bytes, size);
	(*text)[*size] = '\0';
	return 0;
}

bool contentIsArchived(const char *path)
{
	char *directory = g_path_get_dirname(path);
	bool isArchived = g_str_has_suffix(directory, HD_ZIP_SUFFIX) &&
			  g_file_test(directory, G_FILE_TEST_IS_REGULAR);

	g_free(directory);
	return isArchived;
}

int contentGet(const char *path, int64_t limit, GBytes **bytes)
{
	GMappedFile *mapped;
	int ret;

	if (hdFrameIsCompressed(path) || contentIsArchived(path))
		return contentLoad(path, limit, bytes);
	ret = plainFileMap(path, &mapped);
	if (ret < 0)
		return ret;
	*bytes = g_mapped_file_get_bytes(mapped);
	g_mapped_file_unref(mapped);
	return 0;
}

/** Copy bytes of an open file. */
static int contentCopyFrom(hdIFile *file, int64_t offset, int64_t length,
			   FILE *out)
{
	char *piece = g_malloc(CONTENT_PIECE);
	int ret = 0;

	while (ret == 0 && length > 0) {
		size_t size = (size_t)MIN(length, CONTENT_PIECE);
		ssize_t n = hdI_readFile(file, offset, piece, size);

		if (n == 0 || (n < 0 && errno == EBADMSG))
			break;
		if (n < 0 || fwrite(piece, 1, (size_t)n, out) != (size_t)n)
			ret = -errno;
		offset += n;
		length -= n;
	}
	g_free(piece);
	return ret;
}

int contentCopy(const char *path, int64_t offset, int64_t length, FILE *out)
{
	hdIFile *file = hdI_openFile(path, NULL, NULL);
	int ret;

	if (!file)
		return -errno;
	ret = contentCopyFrom(file, offset, length, out);
	hdI_closeFile(file);
	return ret;
}

/* ---- Another beginning ------------------------------------------------- */

/** A compressed file, as it is stored. */
struct contentStored {
	int fd;
	off_t size;
	off_t tableAt;       /**< Where the seek table begins, or the end. */
	off_t copyEnd;       /**< Where what is copied ends. */
	size_t tableCount;   /**< Entries; 0: there is no table. */
	size_t tableStep;    /**< Bytes of an entry. */
	size_t framesBefore; /**< Frames of the old beginning. */
	off_t at;            /**< Where the first other frame begins. */
	int64_t plainAt;     /**< The same in the plain file. */
};

static bool contentReadAt(const struct contentStored *self, off_t at, void *to,
			  size_t size)
{
	ssize_t n;

	do {
		n = pread(self->fd, to, size, at);
	} while (n < 0 && errno == EINTR);
	return n == (ssize_t)size;
}

/** Find the seek table. */
static void contentFindTable(struct contentStored *self)
{
	unsigned char foot[HD_FRAME_TABLE_FOOT];
	unsigned char head[HD_FRAME_TABLE_HEAD];
	off_t at = self->size - (off_t)sizeof(foot);
	uint64_t size = 0;

	self->tableAt = self->size;
	if (at >= (off_t)sizeof(head) &&
	    contentReadAt(self, at, foot, sizeof(foot)))
		size = hdFrameReadFoot(foot, &self->tableCount,
				       &self->tableStep);
	if (size > 0 && size <= (uint64_t)self->size &&
	    contentReadAt(self, self->size - (off_t)size, head, sizeof(head)) &&
	    hdFrameIsTable(head, size))
		self->tableAt = self->size - (off_t)size;
	else
		self->tableCount = 0;
}

/** Go behind a frame: 0, or -EBADMSG. */
static int contentPassFrame(struct contentStored *self)
{
	unsigned char bytes[HD_FRAME_HEAD_MAX];
	struct hdFrameBlock block = { 0 };
	struct hdFrameHead head;
	const char *why;
	size_t size = (size_t)MIN((off_t)sizeof(bytes), self->size - self->at);

	if (!contentReadAt(self, self->at, bytes, size) ||
	    hdFrameReadHead(bytes, size, &head, &why) < 0)
		return -EBADMSG;
	self->at += (off_t)head.size;
	if (head.isSkippable)
		self->at += (off_t)head.plain;
	while (!head.isSkippable && !block.isLast) {
		if (!contentReadAt(self, self->at, bytes,
				   HD_FRAME_BLOCK_HEAD) ||
		    hdFrameReadBlock(bytes, &block) < 0)
			return -EBADMSG;
		self->at += HD_FRAME_BLOCK_HEAD + (off_t)block.stored;
	}
	if (!head.isSkippable)
		self->plainAt += (int64_t)head.plain;
	self->at += head.hasChecksum ? HD_FRAME_CHECKSUM : 0;
	self->framesBefore++;
	return self->at <= self->tableAt ? 0 : -EBADMSG;
}

/** Write the first frame: the new beginning, and what shared frames with the
 *  old one. */
static int contentPutFirst(const struct contentStored *self, const char *path,
			   const GString *head, int64_t rest, FILE *out,
			   struct hdFrameEntry *entry)
{
	hdIFile *file = hdI_openFile(path, NULL, NULL);
	size_t shared = (size_t)(self->plainAt - rest);
	size_t size = head->len + shared;
	size_t room = hdFrameRawSize(size);
	char *plain = g_malloc(size), *frame = g_malloc(room);
	int ret = file ? 0 : -errno;

	memcpy(plain, head->str, head->len);
	if (ret == 0 && size > HD_FRAME_WINDOW_MAX)
		ret = -EFBIG;
	if (ret == 0)
		ret = contentRead(file, rest, plain + head->len, shared);
	if (ret == 0) {
		hdFrameWriteRaw(frame, plain, size);
		if (fwrite(frame, 1, room, out) != room)
			ret = -errno;
	}
	*entry = (struct hdFrameEntry){ (uint32_t)room, (uint32_t)size };
	hdI_closeFile(file);
	g_free(plain);
	g_free(frame);
	return ret;
}

/** If the beginning was in several frames, forget the index, which is behind
 *  the frames: it describes each of them. */
static int contentDropIndex(struct contentStored *self)
{
	off_t foot = self->size - HD_FRAME_TABLE_FOOT;
	unsigned char bytes[HD_FRAME_TABLE_ENTRY];
	unsigned char head[HD_FRAME_INDEX_HEAD];
	struct hdFrameEntry last;

	if (self->framesBefore == 1 || self->tableCount == 0)
		return 0;
	if (!contentReadAt(self, foot - (off_t)self->tableStep, bytes,
			   sizeof(bytes)))
		return -EIO;
	last = hdFrameReadEntry(bytes);
	if (last.plain > 0 || last.stored < sizeof(head) ||
	    (off_t)last.stored > self->tableAt - self->at)
		return 0;
	if (!contentReadAt(self, self->tableAt - (off_t)last.stored, head,
			   sizeof(head)))
		return -EIO;
	if (hdFrameIsIndex(head)) {
		self->copyEnd -= (off_t)last.stored;
		self->tableCount--;
	}
	return 0;
}

/** Write the seek table, if there was one, with a new first entry. */
static int contentPutTable(const struct contentStored *self,
			   const struct hdFrameEntry *first, FILE *out)
{
	size_t before = self->framesBefore, count, size;
	off_t at = self->tableAt + HD_FRAME_TABLE_HEAD;
	struct hdFrameEntry *entries;
	char *table;
	int ret = 0;

	if (self->tableCount == 0)
		return 0;
	if (before > self->tableCount)
		return -EBADMSG;
	count = self->tableCount - before + 1;
	entries = g_new(struct hdFrameEntry, count);
	entries[0] = *first;
	for (size_t i = 1; i < count && ret == 0; i++) {
		unsigned char bytes[HD_FRAME_TABLE_ENTRY];
		off_t place = at + (off_t)((before + i - 1) * self->tableStep);

		if (contentReadAt(self, place, bytes, sizeof(bytes)))
			entries[i] = hdFrameReadEntry(bytes);
		else
			ret = -EIO;
	}
	size = hdFrameTableSize(count);
	table = g_malloc(size);
	hdFrameWriteTable(table, entries, count);
	if (ret == 0 && fwrite(table, 1, size, out) != size)
		ret = -errno;
	g_free(table);
	g_free(entries);
	return ret;
}

int contentReplaceHead(const char *path, const GString *head, int64_t rest,
		       struct newFile *new)
{
	struct contentStored self = { 0 };
	struct hdFrameEntry first;
	int ret = 0;

	self.fd = plainFileOpen(path, &self.size);
	if (self.fd < 0)
		return self.fd;
	contentFindTable(&self);
	while (ret == 0 && self.plainAt < rest)
		ret = contentPassFrame(&self);
	self.copyEnd = self.tableAt;
	if (ret == 0)
		ret = contentDropIndex(&self);
	if (ret == 0)
		ret = contentPutFirst(&self, path, head, rest, new->file,
				      &first);
	if (ret == 0)
		ret = newFileCopy(new, self.fd, self.at, self.copyEnd - self.at,
				  NULL, NULL);
	if (ret == 0)
		ret = contentPutTable(&self, &first, new->file);
	close(self.fd);
	return ret;
}
