/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Files that nobody wants any more where a signal ends the process: SIGINT,
 * SIGTERM and SIGHUP, unless these are ignored or somebody else takes them.
 */
#ifndef HD_TEMPORARY_H
#define HD_TEMPORARY_H

struct temporary;

/**
 * Make a file that is removed if a signal ends the process. Any thread.
 *
 * @param[in,out] path As of mkstemp().
 *
 * @retval >=0 Its descriptor; @p self is to be ended with temporaryDone().
 * @return A negative errno.
 */
int temporaryMake(char *path, struct temporary **self);

/**
 * Make a directory, for its owner only, that is removed with the files in it if
 * a signal ends the process. Any thread.
 *
 * @param[in,out] path As of mkdtemp().
 *
 * @retval 0 Success; @p self is to be ended with temporaryDone().
 * @return A negative errno.
 */
int temporaryMakeDirectory(char *path, struct temporary **self);

/** It is no such file any more. Takes NULL. */
void temporaryDone(struct temporary *self);

#endif
