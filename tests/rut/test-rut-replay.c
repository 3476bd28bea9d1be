/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Machines of tests/fixtures/rut, seen by all sources; see README there. */
#include "config.h"

#include <string.h>

#include "ResourcesUtilizationTracingLibrary/src/core/rutlog.h"
#include "ResourcesUtilizationTracingLibrary/src/core/source.h"
#include "ResourcesUtilizationTracingLibrary/src/sources/storage.h"
#include "tests/lib/fixture.h"

/* A tree, as it is read. */
struct replay {
	char *root;
	char **lines;
	size_t at;
};

/* Make what the tree says, up to "later" or "expect". */
static void replayMake(struct replay *replay)
{
	GString *text = g_string_new(NULL);
	const char *path = NULL;

	for (;; replay->at++) {
		const char *line = replay->lines[replay->at];

		g_assert_nonnull(line);
		if (line[0] == '|') {
			g_assert_nonnull(path);
			g_string_append_printf(text, "%s\n", line + 1);
			continue;
		}
		if (path)
			fixtureWrite(replay->root, path, "%s", text->str);
		path = NULL;
		g_string_truncate(text, 0);
		if (g_str_has_prefix(line, "file ")) {
			path = line + strlen("file ");
		} else if (g_str_has_prefix(line, "link ")) {
			char **words = g_strsplit(line, " ", 3);

			fixtureLink(replay->root, words[1], words[2]);
			g_strfreev(words);
		} else if (g_str_has_prefix(line, "mount ")) {
			; /* See testTree(). */
		} else if (strcmp(line, "later") == 0 ||
			   strcmp(line, "expect") == 0) {
			break;
		} else {
			g_assert_true(line[0] == '#' || line[0] == '\0');
		}
	}
	replay->at++;
	g_string_free(text, TRUE);
}

/* File systems of all trees: 1000 blocks of 4 KiB; 300 free, of which root
 * keeps 50. */
static int fakeStatvfs(const char *path, struct statvfs *is)
{
	(void)path;
	memset(is, 0, sizeof(*is));
	is->f_frsize = 4096;
	is->f_bsize = 1 << 20;
	is->f_blocks = 1000;
	is->f_bfree = 300;
	is->f_bavail = 250;
	return 0;
}

/* What a source says; its cells belong to its columns. */
static void printValues(GString *text, const struct rutColumns *columns,
			const union hdCell *cells)
{
	for (size_t i = 0; i < columns->count; i++) {
		const struct rutColumn *column = &columns->list[i];

		if (column->type == FLOAT) {
			/* Or there is no value. */
			g_assert_false(cells[i].f < 0 || cells[i].f > 100);
			if (g_str_has_prefix(column->name, "CPU_STATE_") ||
			    g_str_has_prefix(column->name, "LOAD_")) {
				g_string_append_printf(text, "|%s %.2f\n",
						       column->name,
						       (double)cells[i].f);
				continue;
			}
			g_string_append_printf(text, "|%s %s\n", column->name,
					       column->source ? column->source
							      : "-");
		} else {
			g_string_append_printf(
				text, "|%s %.0f\n", column->name,
				hdCellNumber(column->type, cells[i]));
		}
	}
}

/* A source in use. */
struct used {
	void *state;
	struct rutColumns columns;
	union hdCell *cells;
};

static void noCost(void *context, int64_t *cpuNs, uint64_t *late)
{
	(void)context;
	*cpuNs = 0;
	*late = 0;
}

static void testTree(gconstpointer file)
{
	struct replay replay = { .root = fixtureCreate() };
	struct rutSetup setup = { .root = replay.root,
				  .intervalNs = 10000000,
				  .getCost = noCost };
	struct used all[32] = { 0 };
	GString *found = g_string_new(NULL);
	GError *error = NULL;
	char *content, *expected;

	g_file_get_contents(file, &content, NULL, &error);
	g_assert_no_error(error);
	replay.lines = g_strsplit(content, "\n", -1);
	g_free(content);
	replayMake(&replay);
	for (size_t i = replay.at; replay.lines[i]; i++) {
		if (g_str_has_prefix(replay.lines[i], "mount "))
			setup.mountPoint = replay.lines[i] + strlen("mount ");
	}
	RUTSRC_SET_ALL(setup.sources);
	RUTSRC_SET_MORE(setup.sources);
	for (size_t i = 0; rutLinuxSources[i]; i++) {
		g_assert_cmpuint(i, <, G_N_ELEMENTS(all));
		if (rutLinuxSources[i]->open(&setup, &all[i].columns,
					     &all[i].state) < 0) {
			rutColumnsTruncate(&all[i].columns, 0);
			continue;
		}
		all[i].cells = g_new0(union hdCell, all[i].columns.count);
		rutLinuxSources[i]->read(all[i].state, RUT_WHY_BEGIN,
					 all[i].cells);
	}
	replayMake(&replay);
	for (size_t i = 0; rutLinuxSources[i]; i++) {
		if (!all[i].cells)
			continue;
		rutLinuxSources[i]->read(all[i].state, RUT_WHY_SAMPLE,
					 all[i].cells);
		printValues(found, &all[i].columns, all[i].cells);
		rutLinuxSources[i]->close(all[i].state);
		rutColumnsTruncate(&all[i].columns, 0);
		g_free(all[i].cells);
	}
	expected = g_strjoinv("\n", replay.lines + replay.at);
	g_test_message("%s", found->str);
	g_assert_cmpstr(found->str, ==, expected);
	g_free(expected);
	g_string_free(found, TRUE);
	g_strfreev(replay.lines);
	fixtureRemove(replay.root);
}

int main(int argc, char **argv)
{
	const char *source = g_getenv("abs_top_srcdir");
	char *directory = g_build_filename(source ? source : ".", "tests",
					   "fixtures", "rut", NULL);
	GDir *dir = g_dir_open(directory, 0, NULL);
	const char *entry;

	g_test_init(&argc, &argv, NULL);
	rutStatvfs = fakeStatvfs;
	hdLogSetLevel(&rutLogger, HD_LOG_NONE);
	g_assert_nonnull(dir);
	while ((entry = g_dir_read_name(dir))) {
		char *path;

		if (!g_str_has_suffix(entry, ".tree"))
			continue;
		path = g_strconcat("/rut/replay/", entry, NULL);
		g_test_add_data_func_full(
			path, g_build_filename(directory, entry, NULL),
			testTree, g_free);
		g_free(path);
	}
	g_dir_close(dir);
	g_free(directory);
	return g_test_run();
}
