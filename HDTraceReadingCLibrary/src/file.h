/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Opening and reading plain files.
 */
#ifndef HDI_FILE_H
#define HDI_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** Opens a file for reading; tests and fuzzers replace it. */
extern int (*hdIFileOpener)(const char *path);

/** Reads like read(); tests replace it. */
extern ssize_t (*hdIFileReader)(int fd, void *buffer, size_t size);

/**
 * Open a plain file.
 *
 * @retval >=0 File descriptor; @p size is set.
 * @retval -errno Error; -EINVAL means that it is no plain file.
 */
int hdIFileOpen(const char *path, int64_t *size);

/**
 * Read until the buffer is full, the file ends, or an error occurs.
 *
 * @retval >0 Number of bytes; if there are fewer than asked for, the next call
 *         tells why.
 * @retval 0 End of the file.
 * @retval -errno Error.
 */
ssize_t hdIFileRead(int fd, void *buffer, size_t size);

/** Tell what a negative result of hdIFileOpen() means. */
const char *hdIFileError(int error);

#endif
