/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Archives: a project in one zip file, NAME.hdz, whose entries are stored as
 * they are. A path such as DIRECTORY/NAME.hdz/ENTRY means an entry.
 */
#ifndef HDI_ARCHIVE_H
#define HDI_ARCHIVE_H

#include <stddef.h>
#include <stdint.h>

/** Room for the reason of a problem. */
#define HDI_ARCHIVE_WHY 160

/** An entry. */
struct hdIArchiveEntry {
	const char *name; /**< Terminated; without any '/'. */
	int64_t offset;   /**< Of its bytes in the file. */
	int64_t size;
	uint32_t crc;
};

/** The entries of an archive, by name. */
struct hdIArchive {
	struct hdIArchiveEntry *entries;
	size_t count;
	char *directory; /**< The central directory, which has the names. */
};

/**
 * Read the directory of an archive.
 *
 * @param fd Descriptor of the archive, which stays open.
 * @param size Bytes of the file.
 * @param[out] archive To be freed with hdIArchiveFree().
 * @param[out] why Why that failed; HDI_ARCHIVE_WHY bytes.
 *
 * @retval 0 It was read.
 * @retval -EBADMSG It is not an archive, or one of a kind that is refused.
 * @retval -errno Error of the system, or -ENOMEM.
 */
int hdIArchiveRead(int fd, int64_t size, struct hdIArchive **archive,
		   char *why);

void hdIArchiveFree(struct hdIArchive *archive);

/** Add bytes to a checksum as zip files have it; the first one is 0. */
uint32_t hdIArchiveChecksum(uint32_t checksum, const void *bytes, size_t size);

/** Find an entry; NULL: there is none. */
const struct hdIArchiveEntry *hdIArchiveFind(const struct hdIArchive *archive,
					     const char *name);

/**
 * Find the bytes of an entry. The directory of the last archive is kept, so
 * that many entries of one cost one reading of it. Any thread may call it.
 *
 * @param fd Descriptor of the archive.
 * @param name Name of the entry.
 * @param[out] entry Its name is not valid afterwards.
 *
 * @retval 0 It was found.
 * @retval -ENOENT There is none.
 * @retval -errno As of hdIArchiveRead().
 */
int hdIArchiveLookUp(int fd, const char *name, struct hdIArchiveEntry *entry,
		     char *why);

/** Length of the path of the archive in a path of an entry, or in its own path;
 *  0: it means neither. */
size_t hdIArchivePath(const char *path);

#endif
