/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The files of Unix sockets; see socketfile.h. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/ownfile.h"
#include "net/socketfile.h"

/* How often to try for the lock, and after how many milliseconds again. Others
 * hold it for a moment; who holds it longer wants to be in the way. */
#define LOCK_TRIES 100
#define LOCK_MS 10

/* Lock the directory of a path; the descriptor, or -1: without. */
static int socketLock(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *directory = slash == path ? strdup("/")
			  : slash       ? strndup(path, (size_t)(slash - path))
					: strdup(".");
	int fd = -1;

	if (directory)
		fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(directory);
	for (int i = 0; fd >= 0 && i < LOCK_TRIES; i++) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
			break;
		poll(NULL, 0, LOCK_MS);
	}
	return fd;
}

static void socketUnlock(int lock)
{
	if (lock >= 0)
		close(lock);
}

/* Why what is there must stay; NULL if it is a socket that may go. */
static const char *socketWhyNot(const struct stat *is,
				const struct hdAddress *address)
{
	int fd, error;

	if (S_ISREG(is->st_mode))
		return "the path is a regular file; not replaced";
	if (S_ISDIR(is->st_mode))
		return "the path is a directory; not replaced";
	if (S_ISLNK(is->st_mode))
		return "the path is a symbolic link; not replaced";
	if (S_ISFIFO(is->st_mode))
		return "the path is a FIFO; not replaced";
	if (!S_ISSOCK(is->st_mode))
		return "the path is a device; not replaced";
	if (is->st_uid != geteuid())
		return "the socket belongs to another user; not replaced";
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return "the path is a socket; not replaced";
	error = connect(fd, (const struct sockaddr *)&address->storage,
			address->length) < 0
			? errno
			: 0;
	close(fd);
	if (error == ECONNREFUSED)
		return NULL;
	return "another service listens on it";
}

/* Remove what a service has left behind; the directory is locked. */
static int socketClear(const char *path, const struct hdAddress *address,
		       const char **why)
{
	struct stat is;

	if (lstat(path, &is) < 0)
		return errno == ENOENT ? 0 : -errno;
	*why = socketWhyNot(&is, address);
	if (*why)
		return -EADDRINUSE;
	return unlink(path) < 0 ? -errno : 0;
}

static int socketBind(int fd, const struct hdAddress *address)
{
	/* Nobody gets in before the mode is right. */
	mode_t old = umask(0177);
	int ret = bind(fd, (const struct sockaddr *)&address->storage,
		       address->length);

	if (ret < 0)
		ret = -errno;
	umask(old);
	return ret;
}

static int socketRights(const struct hdSocketFile *file, mode_t mode,
			const char *name, const char **why)
{
	const struct group *group = name ? getgrnam(name) : NULL;

	if (name && !group) {
		*why = "there is no such group";
		return -ENOENT;
	}
	return hdOwnSocketSet(file->path, file->device, file->inode, mode,
			      group ? group->gr_gid : (gid_t)-1);
}

static int socketMake(struct hdSocketFile *file, int fd,
		      const struct hdAddress *address, const char **why)
{
	struct stat is;
	int ret = socketBind(fd, address);

	if (ret == -EADDRINUSE) {
		ret = socketClear(file->path, address, why);
		if (ret == 0)
			ret = socketBind(fd, address);
	}
	if (ret < 0)
		return ret;
	if (lstat(file->path, &is) < 0)
		return -errno;
	file->isThere = true;
	file->device = is.st_dev;
	file->inode = is.st_ino;
	return 0;
}

/* The directory is locked. */
static void socketRemove(struct hdSocketFile *file)
{
	struct stat is;

	/* As long as the socket is open no other file gets its inode. */
	if (file->isThere && lstat(file->path, &is) == 0 &&
	    S_ISSOCK(is.st_mode) && is.st_dev == file->device &&
	    is.st_ino == file->inode)
		unlink(file->path);
	file->isThere = false;
}

int hdSocketFileMake(struct hdSocketFile *file, int fd,
		     const struct hdAddress *address, int backlog, mode_t mode,
		     const char *group, const char **why)
{
	int lock = socketLock(file->path), ret;

	*why = NULL;
	ret = socketMake(file, fd, address, why);
	if (ret == 0)
		ret = socketRights(file, mode, group, why);
	/* While the directory is locked: until then others take it for one
	 * that nobody listens at. */
	if (ret == 0 && listen(fd, backlog) < 0)
		ret = -errno;
	if (ret < 0)
		socketRemove(file);
	socketUnlock(lock);
	return ret;
}

void hdSocketFileRemove(struct hdSocketFile *file)
{
	int lock;

	if (!file->isThere)
		return;
	lock = socketLock(file->path);
	socketRemove(file);
	socketUnlock(lock);
}
