/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The files of Unix sockets, which only what has made them removes.
 *
 * Who binds and who removes holds a lock on the directory meanwhile, so that
 * of two services that find a socket without a service, one removes it and the
 * other finds the new one.
 */
#ifndef HD_SOCKETFILE_H
#define HD_SOCKETFILE_H

#include <stdbool.h>
#include <sys/types.h>

#include "net/address.h"

/** A file that was made. */
struct hdSocketFile {
	const char *path;
	bool isThere;
	dev_t device;
	ino_t inode;
};

/**
 * Bind a socket to a path, and listen. What is there already is removed if it
 * is a socket of this user's that nobody listens at, and else stays.
 *
 * @param file Its path is set.
 * @param group Name of the file's group, or NULL.
 * @param[out] why A text that says why it failed, or NULL: what errno says.
 *
 * @retval -EADDRINUSE Something else is there. (Or another error.)
 */
int hdSocketFileMake(struct hdSocketFile *file, int fd,
		     const struct hdAddress *address, int backlog, mode_t mode,
		     const char *group, const char **why);

/** Remove the file, while the socket is open; not what has taken its place. */
void hdSocketFileRemove(struct hdSocketFile *file);

#endif
