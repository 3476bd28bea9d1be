/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A directory that stands for / with its /proc and /sys.
 */
#ifndef FIXTURE_H
#define FIXTURE_H

#include <glib.h>

/** Make an empty one; free it with fixtureRemove(). */
char *fixtureCreate(void);

/** Remove it with all that is in it, and free the name. */
void fixtureRemove(char *root);

/** Write a file of it, and the directories that the file needs. */
void fixtureWrite(const char *root, const char *path, const char *format, ...)
	G_GNUC_PRINTF(3, 4);

/** Make a symbolic link. */
void fixtureLink(const char *root, const char *path, const char *target);

/** Remove a file or empty directory. */
void fixtureDelete(const char *root, const char *path);

#endif
