/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files of this process in directories where others may write. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <glib.h>

#include "common/ownfile.h"

static char *pathOf(const char *name)
{
	char *here = g_get_current_dir();
	char *path = g_build_filename(here, name, NULL);

	g_free(here);
	return path;
}

static mode_t modeOf(const char *path)
{
	struct stat is;

	g_assert_cmpint(stat(path, &is), ==, 0);
	return is.st_mode & 07777;
}

static void testMode(void)
{
	g_assert_true(g_file_set_contents("own", "x", 1, NULL));
	g_assert_cmpint(chmod("own", 0600), ==, 0);
	g_assert_cmpint(hdOwnFileSetMode("own", 0644), ==, 0);
	g_assert_cmpint(modeOf("own"), ==, 0644);
	g_assert_cmpint(hdOwnFileSetMode("none", 0644), ==, -ENOENT);
	/* Links of both kinds, and what is no file. */
	g_assert_cmpint(symlink("own", "link"), ==, 0);
	g_assert_cmpint(hdOwnFileSetMode("link", 0777), ==, -EPERM);
	g_assert_cmpint(mkdir("folder", 0700), ==, 0);
	g_assert_cmpint(hdOwnFileSetMode("folder", 0777), ==, -EPERM);
	g_assert_cmpint(link("own", "second"), ==, 0);
	g_assert_cmpint(hdOwnFileSetMode("own", 0777), ==, -EPERM);
	g_assert_cmpint(modeOf("own"), ==, 0644);
	if (geteuid() == 0) {
		g_assert_true(g_file_set_contents("other", "x", 1, NULL));
		g_assert_cmpint(chown("other", 65534, 65534), ==, 0);
		g_assert_cmpint(hdOwnFileSetMode("other", 0777), ==, -EPERM);
	}
}

/* A file that is kept: it is made, and found again, but not behind a link. */
static void testOpen(void)
{
	int fd = hdOwnFileOpen("kept", 0644);

	g_assert_cmpint(fd, >=, 0);
	g_assert_cmpint(write(fd, "1\n", 2), ==, 2);
	close(fd);
	fd = hdOwnFileOpen("kept", 0644);
	g_assert_cmpint(fd, >=, 0);
	close(fd);
	g_assert_cmpint(symlink("kept", "to-kept"), ==, 0);
	g_assert_cmpint(hdOwnFileOpen("to-kept", 0644), ==, -EPERM);
	g_assert_cmpint(symlink("new", "to-new"), ==, 0);
	g_assert_cmpint(hdOwnFileOpen("to-new", 0644), ==, -EPERM);
	g_assert_false(g_file_test("new", G_FILE_TEST_EXISTS));
	g_assert_cmpint(link("kept", "kept-2"), ==, 0);
	g_assert_cmpint(hdOwnFileOpen("kept", 0644), ==, -EPERM);
}

/* A socket: not what was put into its place since it was made. */
static void testSocket(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX,
				       .sun_path = "socket" };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	struct stat is;

	g_assert_cmpint(bind(fd, (void *)&address, sizeof(address)), ==, 0);
	g_assert_cmpint(lstat("socket", &is), ==, 0);
	g_assert_cmpint(
		hdOwnSocketSet("socket", is.st_dev, is.st_ino, 0660, getegid()),
		==, 0);
	g_assert_cmpint(modeOf("socket"), ==, 0660);
	g_assert_cmpint(rename("socket", "moved"), ==, 0);
	g_assert_true(g_file_set_contents("victim", "x", 1, NULL));
	g_assert_cmpint(chmod("victim", 0600), ==, 0);
	g_assert_cmpint(symlink("victim", "socket"), ==, 0);
	g_assert_cmpint(
		hdOwnSocketSet("socket", is.st_dev, is.st_ino, 0666, (gid_t)-1),
		==, -EPERM);
	g_assert_cmpint(modeOf("victim"), ==, 0600);
	close(fd);
}

static void checkDirectory(const char *name, mode_t mode, bool isOurs)
{
	char *path = pathOf(name);

	mkdir(name, 0700);
	g_assert_cmpint(chmod(name, mode), ==, 0);
	g_test_message("%s %o", path, (unsigned int)mode);
	g_assert_cmpint(hdDirectoryIsOurs(path), ==, isOurs);
	g_free(path);
}

static void testDirectories(void)
{
	char *path;

	checkDirectory("private", 0700, true);
	checkDirectory("open", 0755, true);
	checkDirectory("shared", 0777, false);
	checkDirectory("sticky", 01777, true);
	/* Below one of others, be it there or not, and by a link to there. */
	checkDirectory("shared/below", 0700, false);
	checkDirectory("sticky/below", 0700, true);
	path = pathOf("shared/none/yet");
	g_assert_false(hdDirectoryIsOurs(path));
	g_free(path);
	path = pathOf("private/none/yet");
	g_assert_true(hdDirectoryIsOurs(path));
	g_free(path);
	g_assert_cmpint(symlink("shared/below", "away"), ==, 0);
	path = pathOf("away");
	g_assert_false(hdDirectoryIsOurs(path));
	g_free(path);
	g_assert_false(hdDirectoryIsOurs("relative"));
	if (geteuid() == 0) {
		g_assert_cmpint(chown("private", 65534, 65534), ==, 0);
		checkDirectory("private", 0700, false);
	}
}

int main(int argc, char **argv)
{
	char *directory = g_dir_make_tmp("hdtrace-test.XXXXXX", NULL);
	char *clean = g_strdup_printf("rm -rf '%s'", directory);
	int result;

	g_test_init(&argc, &argv, NULL);
	g_assert_cmpint(chdir(directory), ==, 0);
	g_test_add_func("/ownfile/rights of own files only", testMode);
	g_test_add_func("/ownfile/directories of others", testDirectories);
	g_test_add_func("/ownfile/file that is kept", testOpen);
	g_test_add_func("/ownfile/rights of own sockets only", testSocket);
	result = g_test_run();
	if (system(clean) != 0)
		result = 1;
	g_free(clean);
	g_free(directory);
	return result;
}
