/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * All of some bytes at a place of a file, whatever interrupts.
 */
#ifndef HD_READAT_H
#define HD_READAT_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

/** Read bytes at a place: 0, or a negative errno; -ENODATA: the file ends
 * before them. */
static inline int hdReadAt(int fd, void *bytes, size_t size, uint64_t offset)
{
	for (size_t done = 0; done < size;) {
		ssize_t got = pread(fd, (char *)bytes + done, size - done,
				    (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -errno : -ENODATA;
		done += (size_t)got;
	}
	return 0;
}

/** Write bytes at a place: 0, or a negative errno. */
static inline int hdWriteAt(int fd, const void *bytes, size_t size,
			    uint64_t offset)
{
	for (size_t done = 0; done < size;) {
		ssize_t put = pwrite(fd, (const char *)bytes + done,
				     size - done, (off_t)(offset + done));

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return put < 0 ? -errno : -EIO;
		done += (size_t)put;
	}
	return 0;
}

#endif
