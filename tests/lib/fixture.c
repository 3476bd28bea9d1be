/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A directory that stands for /; see fixture.h. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/lib/fixture.h"

char *fixtureCreate(void)
{
	GError *error = NULL;
	char *root = g_dir_make_tmp("hdtrace-test-XXXXXX", &error);

	g_assert_no_error(error);
	return root;
}

static int fixtureRemoveOne(const char *path, const struct stat *status,
			    int type, struct FTW *walk)
{
	(void)status;
	(void)type;
	(void)walk;
	return remove(path);
}

void fixtureRemove(char *root)
{
	g_assert_cmpint(nftw(root, fixtureRemoveOne, 16, FTW_DEPTH | FTW_PHYS),
			==, 0);
	g_free(root);
}

static char *fixtureMakePath(const char *root, const char *path)
{
	char *file = g_strconcat(root, path, NULL);
	char *directory = g_path_get_dirname(file);

	g_assert_cmpint(g_mkdir_with_parents(directory, 0777), ==, 0);
	g_free(directory);
	return file;
}

void fixtureWrite(const char *root, const char *path, const char *format, ...)
{
	char *file = fixtureMakePath(root, path);
	va_list arguments;
	char *text;
	int fd;

	va_start(arguments, format);
	text = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	/* Not a new file: the one that is open must change. */
	fd = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	g_assert_cmpint(fd, >=, 0);
	g_assert_cmpint(write(fd, text, strlen(text)), ==,
			(ssize_t)strlen(text));
	close(fd);
	g_free(text);
	g_free(file);
}

void fixtureLink(const char *root, const char *path, const char *target)
{
	char *file = fixtureMakePath(root, path);

	g_assert_cmpint(symlink(target, file), ==, 0);
	g_free(file);
}

void fixtureDelete(const char *root, const char *path)
{
	char *file = g_strconcat(root, path, NULL);

	g_assert_cmpint(remove(file), ==, 0);
	g_free(file);
}
