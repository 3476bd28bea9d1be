/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The variables HDTRACE_MPI_*: values that make sense, and many that do not.
 * Those count as not set, and one message names variable and value. */
#include "config.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "MPITracingLibrary/src/host/testclock.h"
#include "MPITracingLibrary/src/core/options.h"
#include "common/clock.h"
#include "MPITracingLibrary/src/core/mpilog.h"

#define S HD_NS_PER_S
#define ALL_CLASSES 0xffffffff
#define ENV (1 << HDMPI_CLASS_env)
#define P2P (1 << HDMPI_CLASS_p2p)
#define COLL (1 << HDMPI_CLASS_coll)

static GString *said;

static void hear(enum hdLogLevel level, const char *text)
{
	g_assert_cmpint(level, ==, HD_LOG_ERROR);
	g_string_append_printf(said, "%s\n", text);
}

/* Set a variable; after it, see whether there was a message just where the
 * value is wrong. */
static void begin(const char *variable, const char *value)
{
	g_string_truncate(said, 0);
	g_setenv(variable, value, TRUE);
}

static void end(const char *variable, const char *value, bool isWrong)
{
	char *named = g_strdup_printf("%s=\"%s\": ", variable, value);
	size_t lines = 0;

	for (const char *c = said->str; *c; c++)
		lines += *c == '\n';
	g_test_message("%s=%s: %s", variable, value, said->str);
	g_assert_cmpuint(lines, ==, isWrong);
	if (isWrong && strlen(value) < 100)
		g_assert_nonnull(strstr(said->str, named));
	g_unsetenv(variable);
	g_free(named);
}

/* ---- Numbers and words ------------------------------------------------------
 */

#define FIELD(name)                                             \
	static int64_t name(const struct hdmpiOptions *options) \
	{                                                       \
		return options->name;                           \
	}
FIELD(isOn)
FIELD(isEnabled)
FIELD(writesProject)
FIELD(classes)
FIELD(sources)
FIELD(nested)
FIELD(keepsPolls)
FIELD(siteDepth)
FIELD(utilizationMs)
FIELD(clockNs)
FIELD(counters)
FIELD(throttleOnNs)
FIELD(throttleNs)

static const struct {
	const char *variable;
	const char *value;
	int64_t (*field)(const struct hdmpiOptions *options);
	int64_t expected;
	bool isWrong;
} cases[] = {
	{ "HDTRACE_MPI", "0", isOn, 0, false },
	{ "HDTRACE_MPI", "1", isOn, 1, false },
	{ "HDTRACE_MPI", "", isOn, 1, false },
	{ "HDTRACE_MPI", "2", isOn, 1, true },
	{ "HDTRACE_MPI", "-1", isOn, 1, true },
	{ "HDTRACE_MPI", "no", isOn, 1, true },
	{ "HDTRACE_MPI", "0x0", isOn, 1, true },
	{ "HDTRACE_MPI", "0 ", isOn, 1, true },
	{ "HDTRACE_MPI", "4294967296", isOn, 1, true },
	{ "HDTRACE_MPI", "18446744073709551616", isOn, 1, true },

	{ "HDTRACE_MPI_START", "0", isEnabled, 0, false },
	{ "HDTRACE_MPI_START", "", isEnabled, 1, false },
	{ "HDTRACE_MPI_START", "off", isEnabled, 1, true },
	{ "HDTRACE_MPI_START", "00x", isEnabled, 1, true },

	{ "HDTRACE_MPI_PROJ", "0", writesProject, 0, false },
	{ "HDTRACE_MPI_PROJ", "", writesProject, 1, false },
	{ "HDTRACE_MPI_PROJ", "my.proj", writesProject, 1, true },

	{ "HDTRACE_MPI_NESTED", "0", nested, 0, false },
	{ "HDTRACE_MPI_NESTED", "2147483647", nested, G_MAXINT, false },
	{ "HDTRACE_MPI_NESTED", "", nested, G_MAXINT, false },
	{ "HDTRACE_MPI_NESTED", "2147483648", nested, G_MAXINT, true },
	{ "HDTRACE_MPI_NESTED", "-1", nested, G_MAXINT, true },
	{ "HDTRACE_MPI_NESTED", "1.5", nested, G_MAXINT, true },
	{ "HDTRACE_MPI_NESTED", "deep", nested, G_MAXINT, true },

	{ "HDTRACE_MPI_POLLS", "0", keepsPolls, 0, false },
	{ "HDTRACE_MPI_POLLS", "1", keepsPolls, 1, false },
	{ "HDTRACE_MPI_POLLS", "", keepsPolls, 0, false },
	{ "HDTRACE_MPI_POLLS", "all", keepsPolls, 0, true },

	{ "HDTRACE_MPI_CALL_SITES", "0", siteDepth, 0, false },
	{ "HDTRACE_MPI_CALL_SITES", "1", siteDepth, 1, false },
	{ "HDTRACE_MPI_CALL_SITES", "32", siteDepth, 32, false },
	{ "HDTRACE_MPI_CALL_SITES", "", siteDepth, 0, false },
	{ "HDTRACE_MPI_CALL_SITES", "33", siteDepth, 0, true },
	{ "HDTRACE_MPI_CALL_SITES", "-1", siteDepth, 0, true },
	{ "HDTRACE_MPI_CALL_SITES", "all", siteDepth, 0, true },

	{ "HDTRACE_MPI_RUT", "0", utilizationMs, 0, false },
	{ "HDTRACE_MPI_RUT", "20", utilizationMs, 20, false },
	{ "HDTRACE_MPI_RUT", "", utilizationMs, 100, false },
	{ "HDTRACE_MPI_RUT", "-20", utilizationMs, 100, true },
	{ "HDTRACE_MPI_RUT", "20ms", utilizationMs, 100, true },
	{ "HDTRACE_MPI_RUT", "1e3", utilizationMs, 100, true },
	{ "HDTRACE_MPI_RUT", "99999999999", utilizationMs, 100, true },

	{ "HDTRACE_MPI_RUT_SOURCES", "cpu", sources, HDMPI_SOURCES_CPU, false },
	{ "HDTRACE_MPI_RUT_SOURCES", "cpu,hdd", sources,
	  HDMPI_SOURCES_CPU | HDMPI_SOURCES_HDD, false },
	{ "HDTRACE_MPI_RUT_SOURCES", "all,-cpu", sources,
	  HDMPI_SOURCES_ALL & ~HDMPI_SOURCES_CPU, false },
	{ "HDTRACE_MPI_RUT_SOURCES", "-net", sources,
	  HDMPI_SOURCES_ALL & ~HDMPI_SOURCES_NET, false },
	{ "HDTRACE_MPI_RUT_SOURCES", "", sources, HDMPI_SOURCES_ALL, false },
	{ "HDTRACE_MPI_RUT_SOURCES", "CPU", sources, HDMPI_SOURCES_ALL, true },
	{ "HDTRACE_MPI_RUT_SOURCES", "cpu, mem", sources, HDMPI_SOURCES_ALL,
	  true },
	{ "HDTRACE_MPI_RUT_SOURCES", "cpu;mem", sources, HDMPI_SOURCES_ALL,
	  true },
	{ "HDTRACE_MPI_RUT_SOURCES", "cp", sources, HDMPI_SOURCES_ALL, true },

	{ "HDTRACE_MPI_FUNCTIONS", "p2p", classes, P2P, false },
	{ "HDTRACE_MPI_FUNCTIONS", "p2p,p2p,coll", classes, P2P | COLL, false },
	{ "HDTRACE_MPI_FUNCTIONS", "all", classes, ALL_CLASSES, false },
	{ "HDTRACE_MPI_FUNCTIONS", "all,-p2p", classes, ALL_CLASSES & ~P2P,
	  false },
	{ "HDTRACE_MPI_FUNCTIONS", "-p2p,-env", classes,
	  ALL_CLASSES & ~(P2P | ENV), false },
	{ "HDTRACE_MPI_FUNCTIONS", "p2p,-p2p", classes, 0, false },
	{ "HDTRACE_MPI_FUNCTIONS", "p2p,-all,coll", classes, COLL, false },
	{ "HDTRACE_MPI_FUNCTIONS", "", classes, ALL_CLASSES, false },
	{ "HDTRACE_MPI_FUNCTIONS", ",", classes, ALL_CLASSES, true },
	{ "HDTRACE_MPI_FUNCTIONS", "p2p,", classes, ALL_CLASSES, true },
	{ "HDTRACE_MPI_FUNCTIONS", ",p2p", classes, ALL_CLASSES, true },
	{ "HDTRACE_MPI_FUNCTIONS", "-", classes, ALL_CLASSES, true },
	{ "HDTRACE_MPI_FUNCTIONS", "--p2p", classes, ALL_CLASSES, true },
	{ "HDTRACE_MPI_FUNCTIONS", "p2p coll", classes, ALL_CLASSES, true },
	{ "HDTRACE_MPI_FUNCTIONS", "p2p,cool", classes, ALL_CLASSES, true },
	{ "HDTRACE_MPI_FUNCTIONS", "p2pp", classes, ALL_CLASSES, true },

	{ "HDTRACE_MPI_CLOCK_INTERVAL", "10", clockNs, 10 * S, false },
	{ "HDTRACE_MPI_CLOCK_INTERVAL", "0.25", clockNs, S / 4, false },
	{ "HDTRACE_MPI_CLOCK_INTERVAL", "0.12345678987", clockNs, 123456789,
	  false },
	{ "HDTRACE_MPI_CLOCK_INTERVAL", "999999999", clockNs, 999999999 * S,
	  false },
	{ "HDTRACE_MPI_CLOCK_INTERVAL", "0", clockNs, 0, false },
	{ "HDTRACE_MPI_CLOCK_INTERVAL", "", clockNs, 0, false },
	{ "HDTRACE_MPI_CLOCK_INTERVAL", "1000000000", clockNs, 0, true },
	{ "HDTRACE_MPI_CLOCK_INTERVAL", ".5", clockNs, 0, true },
	{ "HDTRACE_MPI_CLOCK_INTERVAL", "0,5", clockNs, 0, true },
	{ "HDTRACE_MPI_CLOCK_INTERVAL", "-1", clockNs, 0, true },
	{ "HDTRACE_MPI_CLOCK_INTERVAL", "1s", clockNs, 0, true },
	{ "HDTRACE_MPI_CLOCK_INTERVAL", " 1", clockNs, 0, true },
	{ "HDTRACE_MPI_CLOCK_INTERVAL", "nan", clockNs, 0, true },

	{ "HDTRACE_MPI_COUNTERS", "", counters, 0, false },
	{ "HDTRACE_MPI_COUNTERS", "cycles,instructions", counters, 3, false },
	{ "HDTRACE_MPI_COUNTERS", "usual", counters, 11, false },
	{ "HDTRACE_MPI_COUNTERS", "joules", counters, 0, true },
	{ "HDTRACE_MPI_THROTTLE", "1/10", throttleOnNs, S, false },
	{ "HDTRACE_MPI_THROTTLE", "1/10", throttleNs, 10 * S, false },
	{ "HDTRACE_MPI_THROTTLE", "0.5/2.5", throttleOnNs, S / 2, false },
	{ "HDTRACE_MPI_THROTTLE", "0.5/2.5", throttleNs, 5 * S / 2, false },
	{ "HDTRACE_MPI_THROTTLE", "", throttleNs, 0, false },
	{ "HDTRACE_MPI_THROTTLE", "1", throttleNs, 0, true },
	{ "HDTRACE_MPI_THROTTLE", "1/", throttleNs, 0, true },
	{ "HDTRACE_MPI_THROTTLE", "/2", throttleNs, 0, true },
	{ "HDTRACE_MPI_THROTTLE", "0/2", throttleNs, 0, true },
	{ "HDTRACE_MPI_THROTTLE", "2/2", throttleNs, 0, true },
	{ "HDTRACE_MPI_THROTTLE", "2/1", throttleNs, 0, true },
	{ "HDTRACE_MPI_THROTTLE", "1/2/3", throttleNs, 0, true },
	{ "HDTRACE_MPI_THROTTLE", "1 / 2", throttleNs, 0, true },
	{ "HDTRACE_MPI_THROTTLE", "1/9999999999", throttleNs, 0, true },
	{ "HDTRACE_MPI_THROTTLE", "a/b", throttleNs, 0, true },
};

static void testNumbers(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct hdmpiOptions options;

		begin(cases[i].variable, cases[i].value);
		hdmpiOptionsRead(&options, false);
		end(cases[i].variable, cases[i].value, cases[i].isWrong);
		g_assert_cmpint(cases[i].field(&options), ==,
				cases[i].expected);
	}
}

/* ---- Names ------------------------------------------------------------------
 */

static void checkProject(const char *name, const char *directory,
			 const char *prefix, const char *expected)
{
	struct hdmpiOptions options;
	char path[HDMPI_PATH_MAX];

	g_setenv("HDTRACE_MPI_PROJECT", name, TRUE);
	g_setenv("HDTRACE_MPI_DIR", directory, TRUE);
	g_setenv("HDTRACE_PREFIX", prefix, TRUE);
	g_string_truncate(said, 0);
	hdmpiOptionsRead(&options, false);
	hdmpiOptionsPath(options.project, path, sizeof(path));
	g_assert_cmpint(options.isOn, ==, expected != NULL);
	if (expected)
		g_assert_cmpstr(path, ==, expected);
	g_assert_cmpint(said->len > 0, ==, !expected);
	g_unsetenv("HDTRACE_MPI_PROJECT");
	g_unsetenv("HDTRACE_MPI_DIR");
	g_unsetenv("HDTRACE_PREFIX");
}

static void testProject(void)
{
	char *longest = g_strnfill(HDMPI_PATH_MAX - 1, 'x');
	char *longer = g_strnfill(HDMPI_PATH_MAX, 'x');

	checkProject("a", "", "", "a");
	checkProject("a b", "", "", "a b");
	checkProject("new/a", "", "", "new/a");
	checkProject("a", "new", "", "new/a");
	checkProject("a", "new/", "", "new//a");
	checkProject("a", "/dev/null/no", "", "/dev/null/no/a");
	checkProject("a", "", "p", "pa");
	checkProject("/a", "", "p", "/a");
	checkProject("", "", "", "test-options");
	checkProject("", "new", "", "new/test-options");
	checkProject(longest, "", "", longest);
	checkProject(longer, "", "", NULL);
	checkProject(longest, "d", "", NULL);
	checkProject("a", longer, "", NULL);
	/* Directories are made where they are asked for with _DIR. */
	g_assert_cmpint(g_rmdir("new"), ==, 0);
	g_free(longest);
	g_free(longer);
}

/* A name that was not given gets a number where there are files of a project of
 * that name; what else is called like the program is none. */
static void testNumbered(void)
{
	static const char *const others[] = {
		"test-options.c",      "test-options.proj.bak",
		"test-options_notes",  "test-options_notes.txt",
		"test-optionsx.proj",  "test-options.trc",
		"test-options-x.stat",
	};
	static const char *const ours[] = {
		"test-options_a.trc",
		"test-options_a_0.info",
		"test-options_a_Energy.stat",
	};

	for (size_t i = 0; i < G_N_ELEMENTS(others); i++)
		g_assert_true(g_file_set_contents(others[i], "", 0, NULL));
	checkProject("", "", "", "test-options");
	for (size_t i = 0; i < G_N_ELEMENTS(others); i++)
		g_unlink(others[i]);
	for (size_t i = 0; i < G_N_ELEMENTS(ours); i++) {
		g_assert_true(g_file_set_contents(ours[i], "", 0, NULL));
		checkProject("", "", "", "test-options-2");
		g_unlink(ours[i]);
	}
	g_assert_true(g_file_set_contents("test-options.proj", "", 0, NULL));
	checkProject("", "", "", "test-options-2");
	g_assert_true(g_file_set_contents("test-options-2_a.trc", "", 0, NULL));
	checkProject("", "", "", "test-options-3");
	checkProject("test-options", "", "", "test-options");
	g_setenv("HDTRACE_OVERWRITE_EXISTING_FILES", "1", TRUE);
	checkProject("", "", "", "test-options");
	g_unsetenv("HDTRACE_OVERWRITE_EXISTING_FILES");
	g_unlink("test-options.proj");
	g_unlink("test-options-2_a.trc");
}

static void testHost(void)
{
	static const struct {
		const char *value;
		const char *expected;
	} hosts[] = {
		{ "node7", "node7" },
		{ "n-7.example", "n-7.example" },
		{ "a b", "a-b" },
		{ "a_b", "a-b" },
		{ "../../etc", "..-..-etc" },
		{ "\xc3\xa4", "x-" },
		{ "a\nb", "a-b" },
		{ "0123456789", "0123456" },
	};
	char host[8], own[256];

	for (size_t i = 0; i < G_N_ELEMENTS(hosts); i++) {
		char text[16];

		g_setenv("HDTRACE_MPI_HOST", hosts[i].value, TRUE);
		hdmpiOptionsHost(text, sizeof(text));
		if (strlen(hosts[i].expected) < sizeof(host) - 1)
			g_assert_cmpstr(text, ==, hosts[i].expected);
		hdmpiOptionsHost(host, sizeof(host));
		g_assert_cmpint(strncmp(host, hosts[i].expected, 7), ==, 0);
		g_assert_cmpuint(strlen(host), <=, 7);
	}
	g_setenv("HDTRACE_MPI_HOST", "", TRUE);
	hdmpiOptionsHost(own, sizeof(own));
	g_assert_cmpstr(own, !=, "");
	g_unsetenv("HDTRACE_MPI_HOST");
}

/* ---- Messages, and the clock ------------------------------------------------
 */

static void testVerbosity(void)
{
	static const struct {
		const char *value;
		int level;
		bool isWrong;
	} levels[] = {
		{ "", HD_LOG_NONE, false },   { "0", HD_LOG_NONE, false },
		{ "1", HD_LOG_ERROR, false }, { "2", HD_LOG_WARNING, false },
		{ "3", HD_LOG_INFO, false },  { "4", HD_LOG_NONE, true },
		{ "-1", HD_LOG_NONE, false }, { "-2", HD_LOG_NONE, true },
		{ "yes", HD_LOG_NONE, true }, { "1x", HD_LOG_NONE, true },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(levels); i++) {
		hdmpiLogger.level = HD_LOG_ERROR;
		begin("HDTRACE_MPI_VERBOSITY", levels[i].value);
		hdmpiMessageInit();
		end("HDTRACE_MPI_VERBOSITY", levels[i].value,
		    levels[i].isWrong);
		g_assert_cmpint(hdmpiLogger.level, ==, levels[i].level);
		g_assert_cmpint(hdLogDefault, ==, levels[i].level);
	}
	hdmpiLogger.level = HD_LOG_ERROR;
}

static void testTestClock(void)
{
	static const char *const wrong[] = {
		"late",
		"1",
		"1 ",
		"1 x",
		"1 2 3",
		"1 2x",
		"1.5 0",
		"0 1000001",
		"0 -1000001",
		"1000000000000000001 0",
		"-1000000000000000001 0",
		"99999999999999999999 0",
		"0 -99999999999999999999",
	};
	const int64_t ahead = 3600 * S;
	int64_t now;

	for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
		begin("HDTRACE_MPI_TEST_CLOCK", wrong[i]);
		hdmpiTestClock();
		end("HDTRACE_MPI_TEST_CLOCK", wrong[i], true);
		g_assert_true(hdClockRead == hdClockSteady);
	}
	begin("HDTRACE_MPI_TEST_CLOCK", "");
	hdmpiTestClock();
	end("HDTRACE_MPI_TEST_CLOCK", "", false);
	g_assert_true(hdClockRead == hdClockSteady);
	now = hdClockNow();
	begin("HDTRACE_MPI_TEST_CLOCK", "3600000000000 -50000");
	hdmpiTestClock();
	end("HDTRACE_MPI_TEST_CLOCK", "3600000000000 -50000", false);
	g_assert_cmpint(hdClockNow(), >=, now + ahead);
	hdClockUse(hdClockSteady);
}

int main(int argc, char **argv)
{
	char *directory = g_dir_make_tmp("hdtrace-test.XXXXXX", NULL);
	int failed;

	g_test_init(&argc, &argv, NULL);
	g_assert_nonnull(directory);
	g_assert_cmpint(g_chdir(directory), ==, 0);
	said = g_string_new(NULL);
	hdmpiLogger.print = hear;
	g_test_add_func("/mpi/options/numbers", testNumbers);
	g_test_add_func("/mpi/options/project", testProject);
	g_test_add_func("/mpi/options/numbered", testNumbered);
	g_test_add_func("/mpi/options/host", testHost);
	g_test_add_func("/mpi/options/verbosity", testVerbosity);
	g_test_add_func("/mpi/options/test-clock", testTestClock);
	failed = g_test_run();
	g_string_free(said, TRUE);
	g_assert_cmpint(g_chdir("/"), ==, 0);
	g_assert_cmpint(g_rmdir(directory), ==, 0);
	g_free(directory);
	return failed;
}
