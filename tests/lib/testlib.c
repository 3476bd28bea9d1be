/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the unit tests share; see testlib.h. */
#include "config.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "common/clock.h"
#include "tests/lib/testlib.h"

/* Says where a subprocess shall work, and that it is one. */
#define TEST_DIRECTORY "HDTRACE_TEST_DIRECTORY"

static char *testDirectory;

/* No setting of the user's shall decide about a test. */
static void testCleanEnvironment(void)
{
	char **names = g_listenv();

	for (char **name = names; *name; name++)
		if (g_str_has_prefix(*name, "HDTRACE_") &&
		    !g_str_has_prefix(*name, "HDTRACE_TEST_"))
			g_unsetenv(*name);
	g_strfreev(names);
}

void testInit(int *argc, char ***argv)
{
	const char *inherited = g_getenv(TEST_DIRECTORY);

	g_test_init(argc, argv, NULL);
	if (inherited) {
		g_assert_cmpint(chdir(inherited), ==, 0);
		return;
	}
	testCleanEnvironment();
	testDirectory = g_dir_make_tmp("hdtrace-test.XXXXXX", NULL);
	g_assert_nonnull(testDirectory);
	g_assert_cmpint(chdir(testDirectory), ==, 0);
	g_setenv(TEST_DIRECTORY, testDirectory, TRUE);
}

static void testRemove(const char *directory)
{
	GDir *dir = g_dir_open(directory, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		char *path = g_build_filename(directory, name, NULL);

		if (g_file_test(path, G_FILE_TEST_IS_DIR) &&
		    !g_file_test(path, G_FILE_TEST_IS_SYMLINK))
			testRemove(path);
		else
			g_unlink(path);
		g_free(path);
	}
	if (dir)
		g_dir_close(dir);
	g_rmdir(directory);
}

int testRun(void)
{
	int ret = g_test_run();

	if (testDirectory) {
		g_assert_cmpint(chdir("/"), ==, 0);
		testRemove(testDirectory);
		g_free(testDirectory);
	}
	return ret;
}

/* ---- Processes --------------------------------------------------------- */

bool testInProcess(const char *environment)
{
	char **variables;

	if (g_test_subprocess())
		return true;
	variables = g_strsplit(environment, " ", -1);
	for (char **v = variables; *v; v++) {
		char *value = strchr(*v, '=');

		if (!value)
			continue;
		*value = '\0';
		g_setenv(*v, value + 1, TRUE);
	}
	g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
	testCleanEnvironment();
	g_strfreev(variables);
	g_test_trap_assert_passed();
	return false;
}

/* ---- Chance ------------------------------------------------------------ */

uint64_t testSeed(void)
{
	const char *given = g_getenv("HDTRACE_TEST_SEED");
	uint64_t seed;

	if (given)
		seed = g_ascii_strtoull(given, NULL, 0);
	else
		seed = (uint64_t)g_random_int() << 32 | g_random_int();
	/* What a subprocess has as messages gets lost. */
	if (g_test_subprocess())
		g_printerr("# HDTRACE_TEST_SEED=%" G_GUINT64_FORMAT "\n", seed);
	else
		g_test_message("HDTRACE_TEST_SEED=%" G_GUINT64_FORMAT, seed);
	return seed;
}

/* splitmix64 */
uint64_t testRandomBits(struct testRandom *random)
{
	uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

uint64_t testRandomBelow(struct testRandom *random, uint64_t limit)
{
	return testRandomBits(random) % limit;
}

/* ---- Time -------------------------------------------------------------- */

static _Atomic(int64_t) testClockNs;
static _Atomic(int64_t) testClockStep;

static int testClockRead(clockid_t clock, struct timespec *now)
{
	(void)clock;
	*now = testTime(atomic_fetch_add(&testClockNs, testClockStep));
	return 0;
}

static int testClockFail(clockid_t clock, struct timespec *now)
{
	(void)clock;
	(void)now;
	return -1;
}

void testClockSet(int64_t ns, int64_t step)
{
	atomic_store(&testClockNs, ns);
	atomic_store(&testClockStep, step);
	hdClockUse(testClockRead);
}

void testClockBreak(void)
{
	hdClockUse(testClockFail);
}

void testClockReset(void)
{
	hdClockUse(hdClockSteady);
}

struct timespec testTime(int64_t ns)
{
	struct timespec time = { .tv_sec = (time_t)(ns / 1000000000),
				 .tv_nsec = (long)(ns % 1000000000) };

	return time;
}

/* ---- Files ------------------------------------------------------------- */

char *testRead(const char *path, size_t *length)
{
	GError *error = NULL;
	char *bytes = NULL;
	gsize size;

	g_file_get_contents(path, &bytes, &size, &error);
	g_assert_no_error(error);
	if (length)
		*length = size;
	return bytes;
}

bool testExists(const char *path)
{
	return g_file_test(path, G_FILE_TEST_EXISTS);
}

hdTopoNode *testNode(const char *project, const char *labels)
{
	char **path = g_strsplit(*labels ? labels : "", "/", -1);
	int length = (int)g_strv_length(path);
	char **levels = g_new0(char *, (gsize)length + 1);
	hdTopology *topology;
	hdTopoNode *node;

	for (int i = 0; i < length; i++)
		levels[i] = g_strdup_printf("Level%d", i + 1);
	topology = hdT_createTopology(project, (const char **)levels, length);
	g_assert_nonnull(topology);
	node = hdT_createTopoNode(topology, (const char **)path, length);
	g_assert_nonnull(node);
	hdT_destroyTopology(topology);
	g_strfreev(levels);
	g_strfreev(path);
	return node;
}

hdTrace *testTrace(const char *project)
{
	hdTopoNode *node = testNode(project, "");
	hdTrace *trace;

	testMakes(trace, hdT_createTrace(node));
	hdT_destroyTopoNode(node);
	return trace;
}
