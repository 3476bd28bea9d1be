/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Journals: files of lines that are added as things are done, so that who was
 * interrupted goes on from them. The first line says of what they are; what is
 * behind the last end of a line was not written completely, and is cut off.
 */
#ifndef HD_PREDICT_LINES_H
#define HD_PREDICT_LINES_H

#include <stddef.h>
#include <glib.h>

/** A journal that is written; one thread at a time. */
struct lines {
	char *path;
	int fd;
};

/**
 * Open a journal, make it if it is not there, lock it, and read it.
 *
 * @param busy What to say where another one has locked it.
 * @param[out] text What is in it, to be freed; not after an error.
 * @return NULL, or what is wrong, to be freed. It is to be closed in any case.
 */
char *linesOpen(struct lines *self, const char *path, const char *busy,
		char **text);

/**
 * Go on behind what is complete.
 *
 * @param length Of that; 0: all goes, and it begins with @p head.
 * @return 0 or negative errno.
 */
int linesStart(struct lines *self, size_t length, const char *head);

/** Add lines, each with its end. 0 or negative errno. */
int linesAdd(struct lines *self, const char *text, size_t length);

/** All that was added is on the disk. 0 or negative errno. */
int linesSync(struct lines *self);

/** Close it; all zero does nothing. 0 or negative errno. */
int linesClose(struct lines *self);

/** "PATH: WHAT", to be freed. */
/** The reason in an error of GLib, without its words about the file. */
const char *linesReason(const GError *error);

char *linesWrong(const char *path, const char *what);

#endif
