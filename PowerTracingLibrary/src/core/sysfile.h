/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The small files of /proc and /sys that meters of the machine are read from.
 *
 * All paths are below a root directory, "" but for tests. Functions that can
 * fail return a negative errno value; who calls them says what that means.
 */
#ifndef PT_SYSFILE_H
#define PT_SYSFILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** Longest path used. */
#define PT_SYS_PATH_MAX 4096

/** What opens a file for reading, and what reads; tests replace them. */
extern int (*ptSysOpenPath)(const char *path);
extern ssize_t (*ptSysPread)(int fd, void *bytes, size_t count, off_t offset);

/** Open a file that is read again and again; returns the descriptor. */
int ptSysOpen(const char *root, const char *format, ...)
	__attribute__((__format__(__printf__, 2, 3)));

/**
 * Read a file from its beginning.
 *
 * @param size Room, for a terminating zero as well. What does not fit is left
 *        out.
 *
 * @return The number of bytes.
 */
ssize_t ptSysRead(int fd, char *text, size_t size);

/**
 * Read a file that holds one number, not negative.
 *
 * @retval -EPROTO It holds something else.
 */
int ptSysReadNumber(int fd, uint64_t *number);

/** The same of a number that may have a sign. */
int ptSysReadSigned(int fd, int64_t *number);

/** Get the first line of a file, without its end and trailing blanks. */
int ptSysGetLine(char *line, size_t size, const char *root, const char *format,
		 ...) __attribute__((__format__(__printf__, 4, 5)));

/** Get the number that a file holds. */
int ptSysGetNumber(uint64_t *number, const char *root, const char *format, ...)
	__attribute__((__format__(__printf__, 3, 4)));

/**
 * List a directory without what begins with a dot, "2" before "10".
 *
 * @param[out] names The names; free them with ptSysFreeNames().
 *
 * @return How many there are.
 */
ssize_t ptSysListNames(char ***names, const char *root, const char *format, ...)
	__attribute__((__format__(__printf__, 3, 4)));

/** Free a list of names. */
void ptSysFreeNames(char **names, size_t count);

#endif
