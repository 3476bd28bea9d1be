/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Archives of projects; see archive.h. */
#include "config.h"

#include <endian.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "HDTraceReadingCLibrary/src/archive.h"
#include "common/format/zip.h"
#include "common/readat.h"

/* Where the central directory is, and how much it has. */
struct archivePlace {
	uint64_t offset;
	uint64_t size;
	uint64_t count;
};

static uint32_t archiveGet16(const unsigned char *p)
{
	return p[0] | (uint32_t)p[1] << 8;
}

static uint32_t archiveGet32(const unsigned char *p)
{
	return archiveGet16(p) | archiveGet16(p + 2) << 16;
}

static uint64_t archiveGet64(const unsigned char *p)
{
	return archiveGet32(p) | (uint64_t)archiveGet32(p + 4) << 32;
}

/* Read exactly so many bytes. */
static int archiveReadAt(int fd, uint64_t offset, void *to, size_t size,
			 char *why)
{
	int ret = hdReadAt(fd, to, size, offset);

	if (ret != -ENODATA)
		return ret;
	snprintf(why, HDI_ARCHIVE_WHY, "the archive is cut");
	return -EBADMSG;
}

static int archiveRefuse(char *why, const char *text)
{
	snprintf(why, HDI_ARCHIVE_WHY, "%s", text);
	return -EBADMSG;
}

/* ---- Finding the directory --------------------------------------------- */

/* Read the end of a zip64 archive, whose locator is before the other end. */
static int archiveFindLarge(int fd, uint64_t end, struct archivePlace *place,
			    char *why)
{
	unsigned char locator[HD_ZIP_LOCATOR], foot[HD_ZIP_LARGE_END];
	uint64_t at;
	int ret;

	if (end < HD_ZIP_LOCATOR)
		return archiveRefuse(why, "the end of a zip64 file is missing");
	ret = archiveReadAt(fd, end - HD_ZIP_LOCATOR, locator, sizeof(locator),
			    why);
	if (ret < 0)
		return ret;
	at = archiveGet64(locator + 8);
	if (archiveGet32(locator) != HD_ZIP_LOCATOR_MAGIC ||
	    archiveGet32(locator + 4) != 0 || at > end ||
	    end - at < HD_ZIP_LARGE_END)
		return archiveRefuse(why, "the end of a zip64 file is missing");
	ret = archiveReadAt(fd, at, foot, sizeof(foot), why);
	if (ret < 0)
		return ret;
	if (archiveGet32(foot) != HD_ZIP_LARGE_END_MAGIC ||
	    archiveGet32(foot + 16) != 0 || archiveGet32(foot + 20) != 0)
		return archiveRefuse(why, "the end of a zip64 file is damaged");
	*place = (struct archivePlace){
		.count = archiveGet64(foot + 32),
		.size = archiveGet64(foot + 40),
		.offset = archiveGet64(foot + 48),
	};
	return 0;
}

/* Find the central directory by the end of the file, which has no comment. */
static int archiveFindPlace(int fd, uint64_t size, struct archivePlace *place,
			    char *why)
{
	unsigned char foot[HD_ZIP_END];
	uint64_t end = size - HD_ZIP_END;
	int ret;

	if (size < HD_ZIP_END)
		return archiveRefuse(why, "not an archive");
	ret = archiveReadAt(fd, end, foot, sizeof(foot), why);
	if (ret < 0)
		return ret;
	if (archiveGet32(foot) != HD_ZIP_END_MAGIC ||
	    archiveGet32(foot + 4) != 0 || archiveGet16(foot + 20) != 0)
		return archiveRefuse(why, "not an archive, or a cut one");
	*place = (struct archivePlace){
		.count = archiveGet16(foot + 10),
		.size = archiveGet32(foot + 12),
		.offset = archiveGet32(foot + 16),
	};
	if (place->count == HD_ZIP_LARGE16 || place->size == HD_ZIP_LARGE32 ||
	    place->offset == HD_ZIP_LARGE32)
		ret = archiveFindLarge(fd, end, place, why);
	if (ret < 0)
		return ret;
	if (place->offset > end || place->size > end - place->offset ||
	    place->size / HD_ZIP_ENTRY < place->count ||
	    place->size > HD_ZIP_DIRECTORY_MAX)
		return archiveRefuse(why, "its directory is not in the file");
	return 0;
}

/* ---- Entries ----------------------------------------------------------- */

/* A file of a project in the current directory. */
static int archiveNameIsGood(const char *name, size_t length)
{
	if (length == 0 || length > HD_ZIP_NAME_MAX || *name == '.')
		return 0;
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)name[i] < ' ' || name[i] == 127 ||
		    name[i] == '/' || name[i] == '\\')
			return 0;
	return 1;
}

/* Take the numbers that are too large for an entry from its zip64 field. */
static int archiveTakeLarge(const unsigned char *extra, size_t size,
			    uint64_t *plain, uint64_t *stored, uint64_t *offset)
{
	uint64_t *numbers[] = { plain, stored, offset };
	size_t length;

	while (size >= 4 && archiveGet16(extra) != HD_ZIP_LARGE_FIELD) {
		length = 4 + archiveGet16(extra + 2);
		if (length > size)
			return -EBADMSG;
		extra += length;
		size -= length;
	}
	length = size >= 4 ? archiveGet16(extra + 2) : 0;
	if (size >= 4 && length > size - 4)
		return -EBADMSG;
	for (size_t i = 0; i < 3; i++) {
		if (*numbers[i] != HD_ZIP_LARGE32)
			continue;
		if (length < 8)
			return -EBADMSG;
		*numbers[i] = archiveGet64(extra + 4);
		extra += 8;
		length -= 8;
	}
	return 0;
}

/* Read an entry of the directory; its offset is still the one of its local
 * header. Returns its length, or -EBADMSG. */
static int64_t archiveReadEntry(unsigned char *p, size_t size, uint64_t end,
				struct hdIArchiveEntry *entry, char *why)
{
	uint64_t plain, stored, offset;
	size_t name, extra, length;

	if (size < HD_ZIP_ENTRY || archiveGet32(p) != HD_ZIP_ENTRY_MAGIC)
		return archiveRefuse(why, "its directory is damaged");
	name = archiveGet16(p + 28);
	extra = archiveGet16(p + 30);
	length = HD_ZIP_ENTRY + name + extra + archiveGet16(p + 32);
	if (length > size)
		return archiveRefuse(why, "its directory is damaged");
	if ((archiveGet16(p + 8) & ~HD_ZIP_UTF8) != 0 ||
	    archiveGet16(p + 10) != 0 || archiveGet16(p + 34) != 0)
		return archiveRefuse(why, "an entry is encrypted, compressed "
					  "by zip, or in another file");
	if (!archiveNameIsGood((char *)p + HD_ZIP_ENTRY, name))
		return archiveRefuse(why, "the name of an entry is not one "
					  "of a file of a project");
	stored = archiveGet32(p + 20);
	plain = archiveGet32(p + 24);
	offset = archiveGet32(p + 42);
	if (archiveTakeLarge(p + HD_ZIP_ENTRY + name, extra, &plain, &stored,
			     &offset) < 0 ||
	    plain != stored || offset > end || stored > end - offset)
		return archiveRefuse(why, "an entry is not in the file");
	entry->crc = archiveGet32(p + 16);
	entry->size = (int64_t)stored;
	entry->offset = (int64_t)offset;
	/* The name is moved over what was read, so that it can end with 0. */
	memmove(p, p + HD_ZIP_ENTRY, name);
	p[name] = '\0';
	entry->name = (char *)p;
	return (int64_t)length;
}

static int archiveCompareOffsets(const void *a, const void *b)
{
	const struct hdIArchiveEntry *x = a, *y = b;

	return (x->offset > y->offset) - (x->offset < y->offset);
}

static int archiveCompareNames(const void *a, const void *b)
{
	const struct hdIArchiveEntry *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* Find the bytes of the entries behind their local headers; none lie in each
 * other, so that they cannot be more than the file. */
static int archivePlaceEntries(struct hdIArchive *archive, int fd, uint64_t end,
			       char *why)
{
	qsort(archive->entries, archive->count, sizeof(*archive->entries),
	      archiveCompareOffsets);
	for (size_t i = 0; i < archive->count; i++) {
		struct hdIArchiveEntry *entry = &archive->entries[i];
		uint64_t limit = i + 1 < archive->count
					 ? (uint64_t)entry[1].offset
					 : end;
		unsigned char head[HD_ZIP_LOCAL];
		uint64_t data;
		int ret = archiveReadAt(fd, (uint64_t)entry->offset, head,
					sizeof(head), why);

		if (ret < 0)
			return ret;
		data = (uint64_t)entry->offset + sizeof(head) +
		       archiveGet16(head + 26) + archiveGet16(head + 28);
		if (archiveGet32(head) != HD_ZIP_LOCAL_MAGIC || data > limit ||
		    (uint64_t)entry->size > limit - data)
			return archiveRefuse(
				why, "an entry is damaged, or in another one");
		entry->offset = (int64_t)data;
	}
	return 0;
}

static int archiveReadEntries(struct hdIArchive *archive, int fd,
			      const struct archivePlace *place, char *why)
{
	unsigned char *at = (unsigned char *)archive->directory;
	size_t size = (size_t)place->size;
	int ret;

	for (; archive->count < place->count; archive->count++) {
		int64_t length = archiveReadEntry(
			at, size, place->offset,
			&archive->entries[archive->count], why);

		if (length < 0)
			return (int)length;
		at += length;
		size -= (size_t)length;
	}
	ret = archivePlaceEntries(archive, fd, place->offset, why);
	if (ret < 0)
		return ret;
	qsort(archive->entries, archive->count, sizeof(*archive->entries),
	      archiveCompareNames);
	for (size_t i = 1; i < archive->count; i++)
		if (archiveCompareNames(&archive->entries[i - 1],
					&archive->entries[i]) == 0)
			return archiveRefuse(why, "an entry is there twice");
	return 0;
}

int hdIArchiveRead(int fd, int64_t size, struct hdIArchive **result, char *why)
{
	struct archivePlace place = { 0 };
	struct hdIArchive *archive;
	int ret = archiveFindPlace(fd, (uint64_t)size, &place, why);

	if (ret < 0)
		return ret;
	archive = calloc(1, sizeof(*archive));
	if (!archive)
		return -ENOMEM;
	archive->directory = malloc((size_t)place.size + 1);
	archive->entries =
		calloc((size_t)place.count + 1, sizeof(*archive->entries));
	ret = archive->directory && archive->entries
		      ? archiveReadAt(fd, place.offset, archive->directory,
				      (size_t)place.size, why)
		      : -ENOMEM;
	if (ret == 0)
		ret = archiveReadEntries(archive, fd, &place, why);
	if (ret < 0) {
		hdIArchiveFree(archive);
		return ret;
	}
	*result = archive;
	return 0;
}

void hdIArchiveFree(struct hdIArchive *archive)
{
	if (!archive)
		return;
	free(archive->entries);
	free(archive->directory);
	free(archive);
}

uint32_t hdIArchiveChecksum(uint32_t checksum, const void *bytes, size_t size)
{
	/* CRC-32 of APPNOTE 4.4.7, four bits at a time: few bytes are read. */
	static const uint32_t steps[] = {
		0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
		0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
		0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
		0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
	};
	const unsigned char *at = bytes;

	checksum = ~checksum;
	for (size_t i = 0; i < size; i++) {
		checksum ^= at[i];
		checksum = checksum >> 4 ^ steps[checksum & 15];
		checksum = checksum >> 4 ^ steps[checksum & 15];
	}
	return ~checksum;
}

const struct hdIArchiveEntry *hdIArchiveFind(const struct hdIArchive *archive,
					     const char *name)
{
	const struct hdIArchiveEntry key = { .name = name };

	return bsearch(&key, archive->entries, archive->count, sizeof(key),
		       archiveCompareNames);
}

/* ---- The last one ------------------------------------------------------ */

static struct {
	pthread_mutex_t lock;
	struct hdIArchive *archive;
	struct stat is; /* The file that it was read of. */
} archiveLast = { .lock = PTHREAD_MUTEX_INITIALIZER };

static int archiveIsLast(const struct stat *is)
{
	return archiveLast.archive && archiveLast.is.st_dev == is->st_dev &&
	       archiveLast.is.st_ino == is->st_ino &&
	       archiveLast.is.st_size == is->st_size &&
	       archiveLast.is.st_mtim.tv_sec == is->st_mtim.tv_sec &&
	       archiveLast.is.st_mtim.tv_nsec == is->st_mtim.tv_nsec;
}

/* Called with the lock held. */
static int archiveTake(int fd, char *why)
{
	struct hdIArchive *archive;
	struct stat is;
	int ret;

	if (fstat(fd, &is) < 0)
		return -errno;
	if (!S_ISREG(is.st_mode))
		return archiveRefuse(why, "not a plain file");
	if (archiveIsLast(&is))
		return 0;
	ret = hdIArchiveRead(fd, is.st_size, &archive, why);
	if (ret < 0)
		return ret;
	hdIArchiveFree(archiveLast.archive);
	archiveLast.archive = archive;
	archiveLast.is = is;
	return 0;
}

int hdIArchiveLookUp(int fd, const char *name, struct hdIArchiveEntry *entry,
		     char *why)
{
	const struct hdIArchiveEntry *found = NULL;
	int ret;

	pthread_mutex_lock(&archiveLast.lock);
	ret = archiveTake(fd, why);
	if (ret == 0)
		found = hdIArchiveFind(archiveLast.archive, name);
	if (found)
		*entry = *found;
	pthread_mutex_unlock(&archiveLast.lock);
	return ret < 0 ? ret : found ? 0 : -ENOENT;
}

/* Nothing of it is left when the library is unloaded. */
__attribute__((__destructor__)) static void archiveForget(void)
{
	hdIArchiveFree(archiveLast.archive);
	archiveLast.archive = NULL;
}

/* ---- Paths ------------------------------------------------------------- */

size_t hdIArchivePath(const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t length = strlen(path), end = sizeof(HD_ZIP_SUFFIX) - 1;

	if (length > end && strcmp(path + length - end, HD_ZIP_SUFFIX) == 0 &&
	    path[length - end - 1] != '/')
		return length;
	length = slash ? (size_t)(slash - path) : 0;
	if (length <= end || path[length - end - 1] == '/' ||
	    memcmp(path + length - end, HD_ZIP_SUFFIX, end) != 0)
		return 0;
	return length;
}
