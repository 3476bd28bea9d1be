/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Writing zip files of stored entries. Numbers are little endian.
 */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <zlib.h>

#include "HDTraceTools/pack/zipwriter.h"
#include "common/format/zip.h"

/** An entry that may have so much has room for sizes of zip64. */
#define ZIP_WRITER_LARGE (INT64_C(3) << 30)
/** Bytes of the field of zip64 in a local header: two sizes. */
#define ZIP_WRITER_FIELD 20

static void zipWriterPut(GByteArray *to, uint64_t number, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		guint8 byte = (guint8)(number >> (8 * i));

		g_byte_array_append(to, &byte, 1);
	}
}

/** What local headers and the directory have in common, up to the length of the
 *  name. */
static void zipWriterPutHead(GByteArray *to, const struct zipWriter *self,
			     bool isLarge, uint64_t size)
{
	uint64_t shown = isLarge ? HD_ZIP_LARGE32 : size;

	zipWriterPut(to, isLarge ? HD_ZIP_VERSION_LARGE : HD_ZIP_VERSION, 2);
	zipWriterPut(to, HD_ZIP_UTF8, 2);
	zipWriterPut(to, 0, 2); /* Stored. */
	zipWriterPut(to, 0, 2);
	zipWriterPut(to, HD_ZIP_DATE, 2);
	zipWriterPut(to, self->crc, 4);
	zipWriterPut(to, shown, 4);
	zipWriterPut(to, shown, 4);
	zipWriterPut(to, strlen(self->name), 2);
}

static bool zipWriterPutBytes(struct zipWriter *self, const void *bytes,
			      size_t size)
{
	self->offset += (int64_t)size;
	return fwrite(bytes, 1, size, self->file) == size;
}

void zipWriterStart(struct zipWriter *self, FILE *file)
{
	*self = (struct zipWriter){ .file = file,
				    .directory = g_byte_array_new() };
}

/** Write the local header of the entry at hand. */
static bool zipWriterPutLocal(struct zipWriter *self)
{
	GByteArray *head = g_byte_array_new();
	bool isWritten;

	zipWriterPut(head, HD_ZIP_LOCAL_MAGIC, 4);
	zipWriterPutHead(head, self, self->isLarge, (uint64_t)self->size);
	zipWriterPut(head, self->isLarge ? ZIP_WRITER_FIELD : 0, 2);
	g_byte_array_append(head, (const guint8 *)self->name,
			    (guint)strlen(self->name));
	if (self->isLarge) {
		zipWriterPut(head, HD_ZIP_LARGE_FIELD, 2);
		zipWriterPut(head, ZIP_WRITER_FIELD - 4, 2);
		zipWriterPut(head, (uint64_t)self->size, 8);
		zipWriterPut(head, (uint64_t)self->size, 8);
	}
	isWritten = zipWriterPutBytes(self, head->data, head->len);
	g_byte_array_unref(head);
	return isWritten;
}

void zipWriterBegin(struct zipWriter *self, const char *name, int64_t most)
{
	g_free(self->name);
	self->name = g_strdup(name);
	self->start = self->offset;
	self->size = 0;
	self->crc = 0;
	self->isLarge = most >= ZIP_WRITER_LARGE;
	zipWriterPutLocal(self);
}

bool zipWriterAdd(void *data, const char *bytes, size_t size)
{
	struct zipWriter *self = data;

	self->size += (int64_t)size;
	self->crc =
		(uint32_t)crc32(self->crc, (const Bytef *)bytes, (uInt)size);
	return zipWriterPutBytes(self, bytes, size);
}

/** Add the entry at hand to the directory. */
static void zipWriterRemember(struct zipWriter *self)
{
	GByteArray *to = self->directory;
	bool isFar = self->start >= (int64_t)HD_ZIP_LARGE32;
	bool isLarge = self->size >= (int64_t)HD_ZIP_LARGE32;
	unsigned int field = (isLarge ? 16 : 0) + (isFar ? 8 : 0);

	zipWriterPut(to, HD_ZIP_ENTRY_MAGIC, 4);
	zipWriterPut(to,
		     isLarge || isFar ? HD_ZIP_VERSION_LARGE : HD_ZIP_VERSION,
		     2);
	zipWriterPutHead(to, self, isLarge, (uint64_t)self->size);
	zipWriterPut(to, field ? field + 4 : 0, 2);
	zipWriterPut(to, 0, 2); /* No comment. */
	zipWriterPut(to, 0, 2); /* The first file. */
	zipWriterPut(to, 0, 2);
	zipWriterPut(to, 0, 4);
	zipWriterPut(to, isFar ? HD_ZIP_LARGE32 : (uint64_t)self->start, 4);
	g_byte_array_append(to, (const guint8 *)self->name,
			    (guint)strlen(self->name));
	if (field) {
		zipWriterPut(to, HD_ZIP_LARGE_FIELD, 2);
		zipWriterPut(to, field, 2);
	}
	if (isLarge) {
		zipWriterPut(to, (uint64_t)self->size, 8);
		zipWriterPut(to, (uint64_t)self->size, 8);
	}
	if (isFar)
		zipWriterPut(to, (uint64_t)self->start, 8);
	self->count++;
}

int zipWriterEnd(struct zipWriter *self)
{
	int64_t end = self->offset;

	if (fseeko(self->file, (off_t)self->start, SEEK_SET) < 0 ||
	    !zipWriterPutLocal(self) ||
	    fseeko(self->file, (off_t)end, SEEK_SET) < 0)
		return errno ? -errno : -EIO;
	self->offset = end;
	zipWriterRemember(self);
	return 0;
}

/** The end of a zip64 file, and its locator. */
static void zipWriterPutLargeEnd(GByteArray *to, const struct zipWriter *self,
				 uint64_t size)
{
	zipWriterPut(to, HD_ZIP_LARGE_END_MAGIC, 4);
	zipWriterPut(to, HD_ZIP_LARGE_END - 12, 8);
	zipWriterPut(to, HD_ZIP_VERSION_LARGE, 2);
	zipWriterPut(to, HD_ZIP_VERSION_LARGE, 2);
	zipWriterPut(to, 0, 4);
	zipWriterPut(to, 0, 4);
	zipWriterPut(to, self->count, 8);
	zipWriterPut(to, self->count, 8);
	zipWriterPut(to, size, 8);
	zipWriterPut(to, (uint64_t)self->offset, 8);
	zipWriterPut(to, HD_ZIP_LOCATOR_MAGIC, 4);
	zipWriterPut(to, 0, 4);
	zipWriterPut(to, (uint64_t)self->offset + size, 8);
	zipWriterPut(to, 1, 4);
}

int zipWriterFinish(struct zipWriter *self)
{
	GByteArray *to = self->directory;
	uint64_t size = to->len;
	bool isLarge = self->count >= HD_ZIP_LARGE16 ||
		       size >= HD_ZIP_LARGE32 ||
		       (uint64_t)self->offset >= HD_ZIP_LARGE32;
	uint64_t count = isLarge ? HD_ZIP_LARGE16 : self->count;

	if (isLarge)
		zipWriterPutLargeEnd(to, self, size);
	zipWriterPut(to, HD_ZIP_END_MAGIC, 4);
	zipWriterPut(to, 0, 2);
	zipWriterPut(to, 0, 2);
	zipWriterPut(to, count, 2);
	zipWriterPut(to, count, 2);
	zipWriterPut(to, isLarge ? HD_ZIP_LARGE32 : size, 4);
	zipWriterPut(to, isLarge ? HD_ZIP_LARGE32 : (uint64_t)self->offset, 4);
	zipWriterPut(to, 0, 2);
	return zipWriterPutBytes(self, to->data, to->len) ? 0 : -EIO;
}

void zipWriterClear(struct zipWriter *self)
{
	g_byte_array_unref(self->directory);
	g_free(self->name);
}
