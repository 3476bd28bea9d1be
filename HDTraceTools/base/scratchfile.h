/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Temporary files without a name.
 */
#ifndef HD_SCRATCHFILE_H
#define HD_SCRATCHFILE_H

/** Create a temporary file that has no name; its descriptor, or a negative
 *  errno. */
int scratchFileOpen(void);

#endif
