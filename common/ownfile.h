/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Files of this process in directories where others may write.
 *
 * Who changes a file by its path changes what is there by then: another user
 * may have put a link in its place. A process of root is to change nothing but
 * its own.
 */
#ifndef HD_OWNFILE_H
#define HD_OWNFILE_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * Set the rights and the group of a socket of this process, whose device and
 * inode are these.
 *
 * @param group (gid_t)-1: as it is.
 *
 * @retval -EPERM Something else is there; nothing was changed.
 * @return 0 or another negative errno value.
 */
int hdOwnSocketSet(const char *path, dev_t device, ino_t inode, mode_t mode,
		   gid_t group);

/**
 * Open a file that this process keeps, such as that of its number, and make it
 * if it is not there. Nothing is changed in one that is.
 *
 * @return A descriptor for both directions; -EPERM as hdOwnFileSetMode(), or
 *         another negative errno value.
 */
int hdOwnFileOpen(const char *path, mode_t mode);

/**
 * Set the rights of a file of this process.
 *
 * @retval 0 They are set.
 * @retval -EPERM It is a link, has further names, is no plain file, or is not
 * of this user; nothing was changed.
 * @return Another negative errno value.
 */
int hdOwnFileSetMode(const char *path, mode_t mode);

/**
 * Tell whether only root and the user of this process decide what is behind a
 * path of a directory: all folders on the way that are there, and where links
 * lead, belong to one of them, and others cannot write there, or only remove
 * what is theirs (/tmp).
 *
 * @param path Absolute.
 */
bool hdDirectoryIsOurs(const char *path);

#endif
