/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Names of projects: what is there already, and what is free.
 *
 * A project is known by its files, NAME.proj and NAME_LABELS.trc, .info, .stat
 * and so on: a program of that name, its source or input, are none of them.
 */
#ifndef HD_FORMAT_PROJECTNAME_H
#define HD_FORMAT_PROJECTNAME_H

#include <stdbool.h>
#include <stddef.h>

/** Bytes of a project's path, its directories and the final NUL included. */
#define HD_PROJECT_PATH_MAX 4096

/** Whether there are files of a project; @p path is its directory and name. */
bool hdProjectExists(const char *path);

/**
 * Make the path of a project's files.
 *
 * @param prefix Stands before names that are no absolute paths
 *        (HDTRACE_PREFIX); NULL is none.
 * @param size Of @p path, in bytes.
 *
 * @return Whether it has room.
 */
bool hdProjectPath(const char *prefix, const char *project, char *path,
		   size_t size);

/** Make the directories of a path that are missing. What fails shows when files
 *  are created. */
void hdProjectMakeDirectories(const char *path);

/** Replace what is not good for names of files, and for labels, by '-'. */
void hdProjectMakePlain(char *name);

/** The label of this host: its name, or what @p given says if not NULL. */
void hdProjectHost(const char *given, char *host, size_t size);

/**
 * Replace each "%h" by the name of a host.
 *
 * @param given The name, or NULL for that of this host without its domain.
 *
 * @return To be freed; NULL: no memory.
 */
char *hdProjectExpandHost(const char *text, const char *given);

/**
 * Find a name that no project has: the name itself, or with a number: "-2",
 * "-3" and so on.
 *
 * @param prefix As of hdProjectPath().
 * @param name With room for the number.
 * @param size Of @p name, in bytes.
 *
 * @return Whether there is one, and it has room.
 */
bool hdProjectFindFree(const char *prefix, char *name, size_t size);

#endif
