/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Opening files of a project: plain ones only. A pipe, a device or a socket
 * with the name of one must not keep us waiting.
 */
#ifndef HD_PLAINFILE_H
#define HD_PLAINFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <glib.h>

/**
 * Open a plain file, or a link to one, for reading.
 *
 * @param[out] size Of the file; may be NULL.
 *
 * @retval >=0 Its descriptor.
 * @return A negative errno; -EINVAL: it is no plain file.
 */
int plainFileOpen(const char *path, off_t *size);

/** The size of a file that may be a plain one, for who shows how much is done;
 * 0 where it cannot be found out. */
off_t plainFileSize(const char *path);

/** Read all of a plain file; 0, or as of plainFileOpen(). To be freed with
 *  g_free(). */
int plainFileRead(const char *path, char **text, size_t *size);

/** Map a plain file; 0, or as of plainFileOpen(). */
int plainFileMap(const char *path, GMappedFile **mapped);

/** Whether both are plain files with the same content. */
bool plainFileIsSame(const char *a, const char *b);

/** What an error of these functions means. */
const char *plainFileError(int error);

#endif
