/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs a fuzz target on its seeds, without libFuzzer: on the files that are
 * named, else on tests/fuzz/seeds/NAME, where NAME is the end of the
 * program's name after "replay-".
 */
#include "config.h"

#include <string.h>

#include <glib.h>

#include "tests/fuzz/fuzz.h"

static void testFile(gconstpointer data)
{
	GError *error = NULL;
	char *content;
	gsize size;

	g_file_get_contents(data, &content, &size, &error);
	g_assert_no_error(error);
	g_assert_cmpint(LLVMFuzzerTestOneInput((const guint8 *)content, size),
			==, 0);
	g_free(content);
}

static void addFile(const char *file)
{
	char *base = g_path_get_basename(file);
	char *path = g_strconcat("/fuzz/", base, NULL);

	g_test_add_data_func_full(path, g_strdup(file), testFile, g_free);
	g_free(path);
	g_free(base);
}

static int addSeeds(const char *name)
{
	const char *source = g_getenv("abs_top_srcdir");
	char *directory = g_build_filename(source ? source : ".", "tests",
					   "fuzz", "seeds", name, NULL);
	GDir *dir = g_dir_open(directory, 0, NULL);
	const char *entry;
	int count = 0;

	while (dir && (entry = g_dir_read_name(dir)) != NULL) {
		char *file = g_build_filename(directory, entry, NULL);

		addFile(file);
		count++;
		g_free(file);
	}
	if (dir)
		g_dir_close(dir);
	g_free(directory);
	return count;
}

int main(int argc, char **argv)
{
	const char *dash;

	g_test_init(&argc, &argv, NULL);
	if (argc > 1) {
		for (int i = 1; i < argc; i++)
			addFile(argv[i]);
		return g_test_run();
	}
	dash = g_strrstr(argv[0], "replay-");
	if (!dash || addSeeds(dash + strlen("replay-")) == 0) {
		g_print("Bail out! no seeds; is abs_top_srcdir set?\n");
		return 1;
	}
	return g_test_run();
}
