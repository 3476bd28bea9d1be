/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether something is left behind; see leftover.h. */
#include "config.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib.h>

#include "tests/lib/leftover.h"

int testCountFiles(const char *path)
{
	DIR *directory = opendir(path);
	int count = 0;

	g_assert_nonnull(directory);
	while (readdir(directory))
		count++;
	closedir(directory);
	return count;
}

void testWaitThreads(int most)
{
	gint64 until = g_get_monotonic_time() + 60 * G_USEC_PER_SEC;

	while (testCountFiles("/proc/self/task") > most) {
		g_assert_cmpint(g_get_monotonic_time(), <, until);
		g_usleep(200);
	}
}

void testNoteDescriptors(bool isOpen[TEST_DESCRIPTORS])
{
	for (int fd = 0; fd < TEST_DESCRIPTORS; fd++)
		isOpen[fd] = fcntl(fd, F_GETFD) >= 0;
}

int testTakeDescriptors(bool isOpen[TEST_DESCRIPTORS], int own)
{
	int count = 0;

	for (int fd = 0; fd < TEST_DESCRIPTORS; fd++) {
		bool isNew =
			!isOpen[fd] && fd != own && fcntl(fd, F_GETFD) >= 0;

		if (isNew)
			g_assert_cmpint(dup2(own, fd), ==, fd);
		isOpen[fd] = isNew;
		count += isNew;
	}
	return count;
}

void testCheckTaken(const bool taken[TEST_DESCRIPTORS], const char *path,
		    const char *text)
{
	struct stat own, is;
	char *bytes;
	gsize length;

	g_assert_cmpint(stat(path, &own), ==, 0);
	for (int fd = 0; fd < TEST_DESCRIPTORS; fd++) {
		if (!taken[fd])
			continue;
		g_assert_cmpint(fstat(fd, &is), ==, 0);
		g_assert_true(is.st_dev == own.st_dev &&
			      is.st_ino == own.st_ino);
		close(fd);
	}
	g_assert_true(g_file_get_contents(path, &bytes, &length, NULL));
	g_assert_cmpstr(bytes, ==, text);
	g_assert_cmpuint(length, ==, strlen(text));
	g_free(bytes);
}
