/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Files of /proc and /sys that are opened once and read again and again.
 *
 * All paths are below a root directory, "" but for tests.
 *
 * Memory and network are read from /proc/meminfo and /proc/net/dev.
 * sysinfo() and a node's meminfo together, or netlink, or a file for each
 * counter in /sys, give the same numbers for more time: on a schedule of 10
 * ms 31 instead of 22 us, and 38 or (four interfaces) 29 instead of 25 us.
 */
#ifndef RUT_KERNELFILE_H
#define RUT_KERNELFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "common/scan.h"
#include "common/owned.h"

/** Longest path used. */
#define RUT_PATH_SIZE 4096

struct rutFile {
	int fd; /**< -1: not open. */
	struct hdOwned owned;
	int mark;            /**< What the open file says; 0: it cannot. */
	unsigned int looked; /**< How often it was looked for that. */
	char *bytes;
	size_t size;
	size_t used;
};

/** A file that is not open. */
#define RUT_FILE_NONE    \
	{                \
		.fd = -1 \
	}

/** What reads; tests replace it to inject short reads and errors. */
extern ssize_t (*rutFilePread)(int fd, void *bytes, size_t count, off_t offset);

/**
 * Open a file and read it for the first time.
 *
 * @param root Directory in front of the path.
 * @param format printf format of the path.
 *
 * @return 0 or a negative errno value; then the file is not open.
 */
int rutFileOpen(struct rutFile *file, const char *root, const char *format, ...)
	__attribute__((__format__(__printf__, 3, 4)));

/**
 * Read the whole file from its beginning.
 *
 * Allocates only if the file has grown beyond all it was.
 *
 * @param[out] scan The text, valid until the file is read again or closed.
 *
 * @return 0 or a negative errno value; then @p scan is empty.
 */
int rutFileRead(struct rutFile *file, struct hdScan *scan);

/** How many files a source may have open: a quarter of what the process may,
 * for the descriptors are the program's. */
size_t rutFilesMax(void);

/** Close the file; takes one that is not open, too. */
void rutFileClose(struct rutFile *file);

/** Open and read a file; it stays open until rutFileClose(). */
int rutFileGet(struct rutFile *file, struct hdScan *scan, const char *root,
	       const char *format, ...)
	__attribute__((__format__(__printf__, 4, 5)));

/** Tell whether there is a file or directory. */
bool rutFileExists(const char *root, const char *format, ...)
	__attribute__((__format__(__printf__, 2, 3)));

#endif
