/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files of this process where others may write; see ownfile.h. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/ownfile.h"

static int ownCheck(int fd)
{
	struct stat is;

	if (fstat(fd, &is) != 0)
		return -errno;
	return S_ISREG(is.st_mode) && is.st_nlink == 1 && is.st_uid == geteuid()
		       ? 0
		       : -EPERM;
}

int hdOwnFileSetMode(const char *path, mode_t mode)
{
	/* A descriptor that locks of this process do not notice. */
	int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	bool isSet;
	char self[64];
	struct stat is;
	int ret;

	if (fd < 0)
		return -errno;
	ret = ownCheck(fd);
	isSet = fstat(fd, &is) == 0 && (is.st_mode & 07777) == mode;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	if (ret == 0 && !isSet && chmod(self, mode) != 0)
		ret = -errno;
	close(fd);
	return ret;
}

int hdOwnSocketSet(const char *path, dev_t device, ino_t inode, mode_t mode,
		   gid_t group)
{
	int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC), ret = 0;
	char self[64];
	struct stat is;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &is) != 0 || !S_ISSOCK(is.st_mode) ||
	    is.st_dev != device || is.st_ino != inode)
		ret = -EPERM;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	if (ret == 0 && chmod(self, mode) != 0)
		ret = -errno;
	if (ret == 0 && group != (gid_t)-1 &&
	    fchownat(fd, "", (uid_t)-1, group, AT_EMPTY_PATH) != 0)
		ret = -errno;
	close(fd);
	return ret;
}

int hdOwnFileOpen(const char *path, mode_t mode)
{
	int fd = open(path,
		      O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
		      mode);
	int ret;

	if (fd < 0)
		return errno == ELOOP ? -EPERM : -errno;
	ret = ownCheck(fd);
	if (ret == 0)
		return fd;
	close(fd);
	return ret;
}

static bool ownIsTrusted(const struct stat *is)
{
	bool isShared = (is->st_mode & S_IWOTH) ||
			((is->st_mode & S_IWGRP) && is->st_gid != 0);

	if (is->st_uid != 0 && is->st_uid != geteuid())
		return false;
	return S_ISLNK(is->st_mode) || !isShared || (is->st_mode & S_ISVTX);
}

/* All that is on the way; what is not there nobody else can have made. */
static bool ownWay(const char *path)
{
	char part[PATH_MAX];
	struct stat is;

	if (*path != '/' || strlen(path) >= sizeof(part) ||
	    lstat("/", &is) != 0 || !ownIsTrusted(&is))
		return false;
	for (const char *at = path; *at;) {
		at += strspn(at, "/");
		at += strcspn(at, "/");
		memcpy(part, path, (size_t)(at - path));
		part[at - path] = '\0';
		if (lstat(part, &is) != 0)
			return errno == ENOENT;
		if (!ownIsTrusted(&is))
			return false;
	}
	return true;
}

/* Where links lead, of as much of it as is there. */
static bool ownEnd(const char *path)
{
	char part[PATH_MAX], end[PATH_MAX], *slash;

	snprintf(part, sizeof(part), "%s", path);
	while (!realpath(part, end)) {
		slash = strrchr(part, '/');
		if (errno != ENOENT || !slash)
			return false;
		*slash = '\0';
		if (!*part)
			return true;
	}
	return ownWay(end);
}

bool hdDirectoryIsOurs(const char *path)
{
	return ownWay(path) && ownEnd(path);
}
