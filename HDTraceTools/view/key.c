/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace view: addresses that are the same when it is started again.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "HDTraceTools/view/key.h"

#define KEY_BYTES 32

/** A file with the secret is a plain one of ours that nobody else can read. */
static int readKey(const char *path, unsigned char *key)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct stat info;
	int ret = 0;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &info) < 0)
		ret = -errno;
	else if (!S_ISREG(info.st_mode) || info.st_uid != geteuid() ||
		 (info.st_mode & 077))
		ret = -EPERM;
	else if (read(fd, key, KEY_BYTES) != KEY_BYTES)
		ret = -EIO;
	close(fd);
	return ret;
}

/** Make the file, unless there is one: others may do the same just now. */
static int viewKeyMakeFile(const char *path)
{
	char *temporary = g_strconcat(path, "-XXXXXX", NULL);
	unsigned char key[KEY_BYTES];
	int fd = g_mkstemp_full(temporary, O_WRONLY | O_CLOEXEC, 0600);
	int ret = fd < 0 ? -errno : 0;

	if (ret == 0 && (getrandom(key, sizeof(key), 0) != sizeof(key) ||
			 write(fd, key, sizeof(key)) != sizeof(key)))
		ret = -EIO;
	if (fd >= 0 && close(fd) < 0)
		ret = -errno;
	if (ret == 0 && link(temporary, path) < 0 && errno != EEXIST)
		ret = -errno;
	if (fd >= 0)
		unlink(temporary);
	g_free(temporary);
	return ret;
}

static int findKey(unsigned char *key)
{
	char *folder = g_build_filename(g_get_user_data_dir(), "hdtrace", NULL);
	char *path = g_build_filename(folder, "view.key", NULL);
	int ret = readKey(path, key);

	if (ret == -ENOENT) {
		ret = g_mkdir_with_parents(folder, 0700) < 0
			      ? -errno
			      : viewKeyMakeFile(path);
		if (ret == 0)
			ret = readKey(path, key);
	}
	g_free(path);
	g_free(folder);
	return ret;
}

int viewKeyToken(const char *projects, uint16_t port, char *token,
		 size_t length)
{
	unsigned char key[KEY_BYTES];
	char *text = g_strdup_printf("%u %s", port, projects);
	int ret = findKey(key);
	char *digits;

	if (ret == 0) {
		digits = g_compute_hmac_for_string(G_CHECKSUM_SHA256, key,
						   sizeof(key), text, -1);
		g_strlcpy(token, digits, length + 1);
		g_free(digits);
	}
	g_free(text);
	return ret;
}
