/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The bytes of files of a project, which may be compressed: what is read is the
 * plain file.
 */
#ifndef HD_CONTENT_H
#define HD_CONTENT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <glib.h>

#include "cli/newfile.h"

/**
 * Get the bytes of a file: those of a plain one are mapped.
 *
 * @param limit Bytes that are needed from the beginning; -1: all.
 * @param[out] bytes To be freed with g_bytes_unref().
 *
 * @return 0, or a negative errno; -EINVAL: not a regular file; -EBADMSG: a
 *         frame is damaged.
 */
int contentGet(const char *path, int64_t limit, GBytes **bytes);

/** Read all of a file, and end it with a zero byte; to be freed with g_free().
 *  0 or as of contentGet(). */
int contentText(const char *path, char **text, size_t *size);

/** Whether a file is an entry of an archive. */
bool contentIsArchived(const char *path);

/** Copy bytes of the plain file; fewer where it ends, or where a frame is
 *  damaged. 0 or a negative errno. */
int contentCopy(const char *path, int64_t offset, int64_t length, FILE *out);

/**
 * Write a copy of a compressed file with another beginning. Only the frames
 * that the old beginning was in are written anew.
 *
 * @param path Path of the file.
 * @param head The new beginning.
 * @param rest Where the old one ends, in the plain file.
 * @param new The copy.
 *
 * @return 0 or a negative errno.
 */
int contentReplaceHead(const char *path, const GString *head, int64_t rest,
		       struct newFile *new);

#endif
