/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A file that appears under its name only when it is complete. Nothing is left
 * of it where a signal ends the process before (temporary.h).
 */
#ifndef HD_NEWFILE_H
#define HD_NEWFILE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct temporary;

/** A file that is being written. */
struct newFile {
	char *path;
	char *temporary; /**< Beside it; NULL for a device. */
	/** Write here, in one thread at a time; errors are found at the end. */
	FILE *file;
	struct temporary *removal; /**< Of the temporary one, by a signal. */
	char *buffer;
};

/**
 * Start a file.
 *
 * @param path Its final path; copied.
 *
 * @retval 0 Success; to be ended with newFileCommit() or newFileAbort().
 * @return A negative errno.
 */
int newFileStart(struct newFile *self, const char *path);

/** Is told how many bytes were copied so far. */
typedef void newFileCopied(void *data, off_t size);

/** Copy bytes from a file to the new one, and tell how far that is if @p copied
 *  is not NULL; 0 or a negative errno. */
int newFileCopy(struct newFile *self, int fd, off_t offset, off_t length,
		newFileCopied *copied, void *data);

/**
 * Make sure that everything is on disk, and close the file: who has many of
 * them does so before the first is committed.
 *
 * @retval 0 Success; still to be ended.
 * @return A negative errno; it was ended, and nothing was changed.
 */
int newFileClose(struct newFile *self);

/**
 * Make sure that everything is on disk, and give the file its name.
 *
 * @param mayReplace Whether an existing file is replaced.
 *
 * @retval 0 Success.
 * @retval -EEXIST The file exists and must not be replaced.
 * @return A negative errno; in any case of error nothing was changed.
 */
int newFileCommit(struct newFile *self, bool mayReplace);

/** Remove what was written. */
void newFileAbort(struct newFile *self);

#endif
