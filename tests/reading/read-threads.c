/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: threads */
/* Readers in several threads, each with its own or all with one project. */
#include "config.h"

#include <string.h>

#include <glib/gstdio.h>

#include "tests/reading/reading.h"

#define THREADS 4
#define ROUNDS 20

static char *directory;
static hdIProject *shared;

static void ignoreMessage(const hdIMessage *message, void *data)
{
	(void)data;
	g_assert_cmpstr(message->text, !=, "");
}

static void makeFile(const char *name, const char *content, gssize size)
{
	char *path = g_build_filename(directory, name, NULL);

	g_assert_true(g_file_set_contents(path, content, size, NULL));
	g_free(path);
}

static void makeProject(void)
{
	GString *trace = g_string_new("<Program>");
	GString *words = g_string_new("T1");
	GString *stat;

	directory = g_dir_make_tmp("hdtrace-XXXXXX", NULL);
	for (int i = 0; i < 1000; i++) {
		g_string_append_printf(trace,
				       "<a%d time='1' end='2' k='&lt;'/>", i);
		g_string_append_printf(words, " T%d I1 Sab", i + 1);
	}
	/* Messages of every thread: an error in each file. */
	g_string_append(trace, "<b></c>");
	g_string_append(words, " T0 I1 Sab");
	stat = readingStat(NULL, NULL, "INT32 STRING", NULL, words->str);
	makeFile("p.proj",
		 "<Application><Topology><Node name='a'/></Topology>"
		 "<ExternalStatistics><G/></ExternalStatistics>"
		 "</Application>",
		 -1);
	makeFile("p_a.trc", trace->str, (gssize)trace->len);
	makeFile("p_a_G.stat", stat->str, (gssize)stat->len);
	makeFile("p_b_G.stat", "00005\n<a></", -1);
	g_string_free(trace, TRUE);
	g_string_free(words, TRUE);
	g_string_free(stat, TRUE);
}

static void readAll(const hdIProject *project)
{
	const hdINode *node = hdI_findNode(project, "a");
	hdITraceReader *traces = hdI_openTrace(project, node->trace);
	hdIStatReader *stats = hdI_openStat(project, node->groups[0]);
	const hdIRecord *record;
	const hdIBlock *block;
	size_t records = 0;
	size_t entries = 0;

	g_assert_nonnull(traces);
	g_assert_nonnull(stats);
	while (hdI_readTrace(traces, &record) == 1)
		records++;
	while (hdI_readStat(stats, &block) == 1)
		entries += block->count;
	g_assert_cmpuint(records, ==, 1000);
	g_assert_cmpuint(entries, ==, 1000);
	hdI_closeTrace(traces);
	hdI_closeStat(stats);
}

static gpointer run(gpointer data)
{
	(void)data;
	for (int i = 0; i < ROUNDS; i++) {
		hdIProject *project =
			hdI_openProject(directory, ignoreMessage, NULL);

		g_assert_nonnull(project);
		g_assert_cmpuint(project->groupCount, ==, 2);
		readAll(project);
		hdI_closeProject(project);
		readAll(shared);
	}
	return NULL;
}

static void testThreads(void)
{
	static const char *const names[] = { "p.proj", "p_a.trc", "p_a_G.stat",
					     "p_b_G.stat" };
	GThread *threads[THREADS];

	makeProject();
	shared = hdI_openProject(directory, NULL, NULL);
	g_assert_nonnull(shared);
	for (int i = 0; i < THREADS; i++)
		threads[i] = g_thread_new("reader", run, NULL);
	for (int i = 0; i < THREADS; i++)
		g_thread_join(threads[i]);
	hdI_closeProject(shared);
	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		char *path = g_build_filename(directory, names[i], NULL);

		g_assert_cmpint(g_remove(path), ==, 0);
		g_free(path);
	}
	g_assert_cmpint(g_rmdir(directory), ==, 0);
	g_free(directory);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/read-threads/readers", testThreads);
	return g_test_run();
}
