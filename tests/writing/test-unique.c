/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: threads */
/* No two traces or groups have one file, whatever they are called, and whether
 * or not files are replaced. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/statfile.h"
#include "tests/lib/testlib.h"

#define REPLACE "HDTRACE_OVERWRITE_EXISTING_FILES=1"

static hdTrace *create(const char *project, const char *labels)
{
	hdTopoNode *node = testNode(project, labels);
	hdTrace *trace = hdT_createTrace(node);

	hdT_destroyTopoNode(node);
	return trace;
}

static void refuse(const char *project, const char *labels)
{
	testFailsNull(HD_ERR_CREATE_FILE, create(project, labels));
}

/* The trace has what was put into it, and nothing else. */
static void checkEvents(const char *path, int count)
{
	size_t length;
	char *bytes = testRead(path, &length), *at = bytes;

	g_assert_true(g_str_has_prefix(bytes, "<Program "));
	g_assert_true(g_str_has_suffix(bytes, "</Program>\n"));
	for (int i = 0; i < count; i++) {
		at = strstr(at, "<Event ");
		g_assert_nonnull(at);
		at++;
	}
	g_assert_null(strstr(at, "<Event "));
	g_free(bytes);
}

static void removeFiles(void)
{
	static const char *const files[] = { "a_b.trc", "a_b.info", "a_c.trc",
					     "a_b_G.stat", "c.trc" };

	for (size_t i = 0; i < G_N_ELEMENTS(files); i++)
		unlink(files[i]);
}

/* A second trace of a place, and one of a project whose name looks like it. The
 * first goes on as if nothing was. */
static void testTraces(gconstpointer environment)
{
	hdTrace *trace;

	if (!testInProcess(environment))
		return;
	removeFiles();
	trace = create("a", "b");
	g_assert_nonnull(trace);
	testWorks(hdT_logEvent(trace, "before"));
	testWorks(hdT_writeInfo(trace, "info\n"));
	testWorks(hdT_flush(trace));
	refuse("a", "b");
	refuse("a_b", "");
	testWorks(hdT_logEvent(trace, "after"));
	testWorks(hdT_finalize(trace));
	checkEvents("a_b.trc", 2);
	g_assert_true(testExists("a_b.info"));
}

static void testGroups(gconstpointer environment)
{
	hdTopoNode *node, *other, *root;
	struct testStatFile *file;
	hdStatsGroup *group;

	if (!testInProcess(environment))
		return;
	removeFiles();
	node = testNode("a", "b/c");
	other = testNode("a", "b/d");
	root = testNode("a_b", "");
	testMakes(group, hdS_createGroup("G", node, 1));
	testWorks(hdS_addValue(group, "v", INT32, NULL, NULL));
	testWorks(hdS_commitGroup(group));
	testGives(0, hdS_enableGroup(group));
	testWorks(hdS_writeInt32Value(group, 1));
	testWorks(hdS_flush(group));
	/* Siblings have a parent in common, which has a group of a name once.
	 */
	testFailsNull(HD_ERR_CREATE_FILE, hdS_createGroup("G", node, 1));
	testFailsNull(HD_ERR_CREATE_FILE, hdS_createGroup("G", other, 1));
	testFailsNull(HD_ERR_CREATE_FILE, hdS_createGroup("G", root, 0));
	testWorks(hdS_writeInt32Value(group, 2));
	testWorks(hdS_finalize(group));
	file = testStatRead("a_b_G.stat");
	g_assert_cmpuint(file->count, ==, 2);
	g_assert_cmpuint(file->bytesLeft, ==, 0);
	testStatFree(file);
	hdT_destroyTopoNode(node);
	hdT_destroyTopoNode(other);
	hdT_destroyTopoNode(root);
}

/* Names that only the file system takes for one, as some do with capitals: two
 * names of one file. */
static void testNames(void)
{
	hdTrace *trace;

	if (!testInProcess(REPLACE))
		return;
	removeFiles();
	trace = create("a", "b");
	g_assert_nonnull(trace);
	testWorks(hdT_logEvent(trace, "one"));
	testWorks(hdT_flush(trace));
	g_assert_cmpint(link("a_b.trc", "a_c.trc"), ==, 0);
	refuse("a", "c");
	testWorks(hdT_finalize(trace));
	checkEvents("a_b.trc", 1);
}

/* After the end it may be replaced. */
static void testAgain(void)
{
	hdTrace *trace;

	if (!testInProcess(REPLACE))
		return;
	removeFiles();
	for (int i = 0; i < 3; i++) {
		trace = create("a", "b");
		g_assert_nonnull(trace);
		testWorks(hdT_logEvent(trace, "again"));
		testWorks(hdT_finalize(trace));
		checkEvents("a_b.trc", 1);
	}
}

/* What another process writes is not replaced; what it has written is. */
static void testProcesses(void)
{
	int ready[2], go[2], status;
	hdTrace *trace;
	char byte = 0;
	pid_t pid;

	if (!testInProcess(REPLACE))
		return;
	removeFiles();
	g_assert_cmpint(pipe(ready), ==, 0);
	g_assert_cmpint(pipe(go), ==, 0);
	fflush(NULL);
	pid = fork();
	g_assert_cmpint(pid, >=, 0);
	if (pid == 0) {
		trace = create("a", "b");
		g_assert_nonnull(trace);
		hdT_logEvent(trace, "child");
		g_assert_cmpint(write(ready[1], &byte, 1), ==, 1);
		g_assert_cmpint(read(go[0], &byte, 1), ==, 1);
		_exit(hdT_finalize(trace) == 0 ? 0 : 1);
	}
	g_assert_cmpint(read(ready[0], &byte, 1), ==, 1);
	refuse("a", "b");
	g_assert_cmpint(write(go[1], &byte, 1), ==, 1);
	g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
	g_assert_cmpint(status, ==, 0);
	checkEvents("a_b.trc", 1);
	trace = create("a", "b");
	g_assert_nonnull(trace);
	testWorks(hdT_finalize(trace));
	checkEvents("a_b.trc", 0);
}

/* It is said why. */
static void testMessage(void)
{
	if (g_test_subprocess()) {
		hdTrace *trace = create("c", "");

		g_assert_null(create("c", ""));
		hdT_finalize(trace);
		return;
	}
	removeFiles();
	g_setenv("HDTRACE_VERBOSITY", "1", TRUE);
	g_setenv("HDTRACE_OVERWRITE_EXISTING_FILES", "1", TRUE);
	g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
	g_unsetenv("HDTRACE_VERBOSITY");
	g_unsetenv("HDTRACE_OVERWRITE_EXISTING_FILES");
	g_test_trap_assert_passed();
	g_test_trap_assert_stderr(
		"hdtrace: c.trc: not recorded: cannot create "
		"the file: this program already writes to it\n");
}

int main(int argc, char **argv)
{
	testInit(&argc, &argv);
	g_test_add_data_func("/unique/traces/new", "", testTraces);
	g_test_add_data_func("/unique/traces/replaced", REPLACE, testTraces);
	g_test_add_data_func("/unique/groups/new", "", testGroups);
	g_test_add_data_func("/unique/groups/replaced", REPLACE, testGroups);
	g_test_add_func("/unique/names", testNames);
	g_test_add_func("/unique/again", testAgain);
	g_test_add_func("/unique/processes", testProcesses);
	g_test_add_func("/unique/message", testMessage);
	return testRun();
}
