/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Descriptors in processes that are not ours.
 *
 * A program may close descriptors that it has not opened, as daemons close all
 * there are, and get their numbers for its own files. So who keeps a descriptor
 * in a library remembers the file by device and inode, and looks whether it is
 * still the same before it writes, sends, sets, or closes. What the program
 * does between the look and the write stays unnoticed.
 *
 * All eventfd() and perf_event_open() have one inode, so these are not told
 * from others of their sort.
 */
#ifndef HD_OWNED_H
#define HD_OWNED_H

#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

/** What a message says of a descriptor that is another file's. */
#define HD_OWNED_GONE "the program has closed our file descriptor"

/** A file that a descriptor was opened for. */
struct hdOwned {
	dev_t device;
	ino_t inode;
};

/** Remember the file of a descriptor that was just opened. */
static inline void hdOwnedSet(struct hdOwned *owned, int fd)
{
	struct stat is = { 0 };

	/* What fails here is not ours, then. */
	(void)fstat(fd, &is);
	owned->device = is.st_dev;
	owned->inode = is.st_ino;
}

/** Tell whether a descriptor is still the file's. Changes errno. */
static inline bool hdOwnedIs(const struct hdOwned *owned, int fd)
{
	struct stat is;

	return fstat(fd, &is) == 0 && is.st_dev == owned->device &&
	       is.st_ino == owned->inode;
}

/** Close a descriptor unless it is another file's by now; result of close(). */
static inline int hdOwnedClose(const struct hdOwned *owned, int fd)
{
	return hdOwnedIs(owned, fd) ? close(fd) : 0;
}

#endif
