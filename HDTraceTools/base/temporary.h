/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Files that nobody wants any more where a signal ends the process: SIGINT,
 * SIGTERM and SIGHUP, unless these are ignored or somebody else takes them.
 */
#ifndef HD_TEMPORARY_H
#define HD_TEMPORARY_H

struct temporary;

/** Remove a file if a signal ends the process. Any thread; the path is copied.
 */
struct temporary *temporaryNew(const char *path);

/** It is no such file any more. Takes NULL. */
void temporaryDone(struct temporary *self);

#endif
