/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Temporary files without a name, and bytes at places of a file.
 */
#ifndef HD_SCRATCHFILE_H
#define HD_SCRATCHFILE_H

#include <stddef.h>
#include <stdint.h>

/** Create a temporary file that has no name; its descriptor, or a negative
 *  errno. */
int scratchFileOpen(void);

/** Write all bytes at a place; 0 or a negative errno. */
int scratchFileWrite(int fd, const void *bytes, size_t size, uint64_t offset);

/** Read all bytes at a place; 0 or a negative errno, -EIO if the file ends
 *  before. */
int scratchFileRead(int fd, void *bytes, size_t size, uint64_t offset);

#endif
