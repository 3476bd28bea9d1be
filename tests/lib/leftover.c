/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether something is left behind; see leftover.h. */
#include "config.h"

#include <dirent.h>

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
