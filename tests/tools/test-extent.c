/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The time of a large trace, of which only the beginning and the end are read:
 * the first record that is not nested, wherever it stands in the pieces that
 * are read. */
#include "config.h"

#include <stdbool.h>
#include <string.h>

#include <glib.h>
#include <glib/gstdio.h>

#include "HDTraceTools/model/extent.h"

#define SECOND INT64_C(1000000000)
/* Bytes of a piece. */
#define PIECE 65536

/* Write a trace whose first outermost record begins at an offset. It starts at
 * 5 s and ends last. What is nested in it cannot be parsed, so that reading all
 * of the trace does not help. */
static void writeTrace(const char *file, size_t offset, bool isDeep)
{
	GString *text = g_string_new(
		"<Program timeAdjustment='1000' levels='Host'>\n<Nested>\n");
	const char *end =
		isDeep ? "'/>\n</Nested>\n</Nested>\n" : "'/>\n</Nested>\n";

	if (isDeep)
		g_string_append(text, "<Nested>\n");
	g_string_append(text, "<b time='6.000000000' end='7.000000000' "
			      "damaged='<&");
	while (text->len + strlen(end) < offset)
		g_string_append_c(text, 'x');
	g_string_append(text, end);
	g_assert_cmpuint(text->len, ==, offset);
	g_string_append(text, "<a time='5.000000000' end='9.000000000'/>\n");
	for (int i = 10; i < 4000; i++)
		g_string_append_printf(text,
				       "<e time='%d.000000000' "
				       "end='%d.500000000'/>\n",
				       i, i);
	g_string_append(text, "</Program>\n");
	g_assert_true(
		g_file_set_contents(file, text->str, (gssize)text->len, NULL));
	g_string_free(text, TRUE);
}

static void expectExtent(const char *file)
{
	struct extent extent = EXTENT_NONE;
	hdIProject *project = hdI_openProject(file, NULL, NULL);

	g_assert_nonnull(project);
	g_assert_cmpuint(project->traceCount, ==, 1);
	extentAddTrace(&extent, project, project->traces[0]);
	g_assert_cmpint(extent.start, ==, 1005 * SECOND);
	g_assert_cmpint(extent.end, ==, 4999 * SECOND + SECOND / 2);
	hdI_closeProject(project);
}

static void testPieces(void)
{
	char *directory = g_dir_make_tmp("hdtrace-extent-XXXXXX", NULL);
	char *file = g_build_filename(directory, "run_h.trc", NULL);

	for (size_t pieces = 1; pieces <= 3; pieces++) {
		for (size_t i = 0; i < 300; i += pieces == 1 ? 1 : 7) {
			size_t offset = pieces * PIECE - 280 + i;

			writeTrace(file, offset, i % 2);
			expectExtent(file);
		}
	}
	writeTrace(file, 200, false);
	expectExtent(file);
	g_unlink(file);
	g_rmdir(directory);
	g_free(file);
	g_free(directory);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/extent/pieces", testPieces);
	return g_test_run();
}
