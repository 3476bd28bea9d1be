/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What lmg450-sim measures, and how its scripts are read.
 */
#include "config.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "tests/sim/law.h"
#include "tests/sim/message.h"
#include "tests/sim/script.h"

/** Laws, an interval, and the mean power in it. */
static const struct {
	const char *law;
	double from, to;
	double watts;
} laws[] = {
	{ "constant:watts=42.5", 0, 1, 42.5 },
	{ "constant:watts=-3", 7, 9, -3 },
	{ "ramp:low=0,high=100,period=10", 0, 10, 50 },
	{ "ramp:low=0,high=100,period=10", 2, 4, 30 },
	{ "ramp:low=0,high=100,period=10", 9, 11, 50 },
	{ "ramp:low=100,high=0,period=4", 0, 1, 87.5 },
	{ "sine:low=0,high=100,period=4", 0, 4, 50 },
	{ "sine:low=0,high=100,period=4", 0, 2, 50 + 100 / G_PI },
	{ "sine:low=0,high=100,period=4", 6, 8, 50 - 100 / G_PI },
	{ "square:low=50,high=150,period=2", 0, 1, 50 },
	{ "square:low=50,high=150,period=2", 1, 2, 150 },
	{ "square:low=50,high=150,period=2", 0.5, 1.5, 100 },
	{ "square:low=50,high=150,period=2", 0.75, 1.25, 100 },
	{ "square:low=50,high=150,period=2", 0.9, 1.1, 100 },
	{ "square:low=50,high=150,period=2", 100.9, 101.3, 125 },
	{ "square:low=50,high=150,period=2", 0, 20, 100 },
	{ "square:low=0,high=100,period=10,duty=0.2", 0, 8, 0 },
	{ "square:low=0,high=100,period=10,duty=0.2", 0, 10, 20 },
	{ "square:low=0,high=100,period=10,duty=0.2", 7, 9, 50 },
	{ "square:low=0,high=100,period=10,duty=1", 3, 4, 100 },
	{ "square:low=0,high=100,period=10,duty=0", 3, 4, 0 },
};

static double measure(struct simLaw *law, double from, double to,
		      enum simQuantity quantity)
{
	uint32_t bits[SIM_QUANTITIES];
	double energy = 0;

	simLawMeasure(law, from, to, &energy, bits);
	return simFloat(bits[quantity]);
}

static void testPower(void)
{
	for (guint i = 0; i < G_N_ELEMENTS(laws); i++) {
		GError *error = NULL;
		struct simLaw *law = simLawParse(laws[i].law, &error);

		g_test_message("%s, %g to %g", laws[i].law, laws[i].from,
			       laws[i].to);
		g_assert_no_error(error);
		g_assert_cmpfloat_with_epsilon(
			measure(law, laws[i].from, laws[i].to, SIM_P),
			laws[i].watts, 2e-5);
		simLawDestroy(law);
	}
}

/* The other quantities follow from the power. */
static void testQuantities(void)
{
	struct simLaw *law = simLawParse(
		"constant:watts=160,volts=200,factor=0.8,hertz=60", NULL);
	const double expected[SIM_QUANTITIES] = {
		[SIM_UTRMS] = 200, [SIM_ITRMS] = 1, [SIM_P] = 160,
		[SIM_S] = 200,     [SIM_Q] = 120,   [SIM_PF] = 0.8,
		[SIM_FREQ] = 60,   [SIM_EP] = 40,
	};
	uint32_t bits[SIM_QUANTITIES];
	double energy = 0;

	simLawMeasure(law, 10, 910, &energy, bits);
	for (int i = 0; i < SIM_QUANTITIES; i++)
		g_assert_cmpfloat_with_epsilon(simFloat(bits[i]), expected[i],
					       1e-5);
	simLawMeasure(law, 910, 1810, &energy, bits);
	g_assert_cmpfloat_with_epsilon(simFloat(bits[SIM_EP]), 80, 1e-5);
	simLawDestroy(law);
}

/* Any load of this host is between the levels. */
static void testHost(void)
{
	struct simLaw *law = simLawParse("host:low=80,high=300", NULL);

	for (int i = 0; i < 3; i++) {
		double watts = measure(law, i, i + 1, SIM_P);

		g_assert_cmpfloat(watts, >=, 80);
		g_assert_cmpfloat(watts, <=, 300);
	}
	simLawDestroy(law);
}

static char *makeFile(const void *content, gssize length)
{
	GError *error = NULL;
	char *path;
	int fd = g_file_open_tmp("sim-law-XXXXXX", &path, &error);

	g_assert_no_error(error);
	close(fd);
	g_assert_true(g_file_set_contents(path, content, length, NULL));
	return path;
}

/* Memory traffic adds its part; what is no fraction is cut, and what is no
 * number is none. */
static void testNode(void)
{
	static const struct {
		const char *traffic;
		double watts;
	} cases[] = {
		{ "", 50 },  { "0.25\n", 60 }, { "1", 90 },
		{ "7", 90 }, { "-3", 50 },     { "nothing", 50 },
	};
	char *path = makeFile("", 0);
	char *text = g_strdup_printf("node:%s,low=50,high=50,memory=40", path);
	struct simLaw *law = simLawParse(text, NULL);

	g_assert_nonnull(law);
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_assert_true(
			g_file_set_contents(path, cases[i].traffic, -1, NULL));
		g_assert_cmpfloat(measure(law, i, i + 1, SIM_P), ==,
				  cases[i].watts);
	}
	g_remove(path);
	g_assert_cmpfloat(measure(law, 9, 10, SIM_P), ==, 50);
	simLawDestroy(law);
	g_free(text);
	g_free(path);
}

/* What this process computes is in the energy, whatever the cycles are; not
 * what it did before, and nothing while there is no process. */
static void testProcess(void)
{
	char *number = g_strdup_printf("%ld\n", (long)getpid());
	char *path = makeFile("", 0);
	char *text = g_strdup_printf("process:%s,low=50,high=150", path);
	struct simLaw *law = simLawParse(text, NULL);
	clock_t begin = clock();
	double joules;

	g_assert_nonnull(law);
	g_assert_cmpfloat(measure(law, 0, 1, SIM_P), ==, 50);
	g_assert_true(g_file_set_contents(path, number, -1, NULL));
	while (clock() - begin < CLOCKS_PER_SEC / 20)
		;
	g_assert_cmpfloat(measure(law, 1, 2, SIM_P), ==, 50);
	begin = clock();
	while (clock() - begin < CLOCKS_PER_SEC / 10)
		;
	joules = (measure(law, 2, 2.5, SIM_P) - 50) * 0.5;
	g_assert_cmpfloat(joules, >, 9.9);
	g_assert_cmpfloat(joules, <, 13);
	g_assert_true(g_file_set_contents(path, "0", -1, NULL));
	g_assert_cmpfloat(measure(law, 3, 4, SIM_P), ==, 50);
	unlink(path);
	g_assert_cmpfloat(measure(law, 4, 5, SIM_P), ==, 50);
	simLawDestroy(law);
	g_free(text);
	g_free(path);
	g_free(number);
}

/* Levels of 1 from 2.5 s to 3 s of the meter, 0.25 later; and then a half. What
 * is not written yet is not there. */
static void testEdges(void)
{
	char *path = makeFile("102500000000 0 1.000\n", -1);
	char *text = g_strdup_printf("edges:%s,low=50,high=150,late=250", path);
	struct simLaw *law = simLawParse(text, NULL);

	g_assert_nonnull(law);
	law->origin = INT64_C(100000000000);
	g_assert_cmpfloat(measure(law, 1, 2.75, SIM_P), ==, 50);
	g_assert_cmpfloat(measure(law, 2, 3, SIM_P), ==, 75);
	g_assert_true(g_file_set_contents(path,
					  "102500000000 0 1.000\n"
					  "103000000000 0 0.500\n",
					  -1, NULL));
	g_assert_cmpfloat(measure(law, 2.75, 3.25, SIM_P), ==, 150);
	g_assert_cmpfloat(measure(law, 3, 3.5, SIM_P), ==, 125);
	g_assert_cmpfloat(measure(law, 4, 5, SIM_P), ==, 100);
	simLawDestroy(law);
	unlink(path);
	g_free(text);
	g_free(path);
}

static void testFile(void)
{
	char *path = makeFile("\x01\x02\x03\x04\xff\xff\x80\x7f", 8);
	char *text = g_strdup_printf("file:%s,volts=110", path);
	GError *error = NULL;
	struct simLaw *law = simLawParse(text, &error);

	g_assert_no_error(error);
	g_assert_cmphex(simLawNext(law), ==, 0x04030201);
	g_assert_cmphex(simLawNext(law), ==, 0x7f80ffff);
	g_assert_cmphex(simLawNext(law), ==, 0x04030201);
	simLawDestroy(law);
	g_unlink(path);
	g_free(text);
	g_free(path);
}

/** What is no law, and what the message must have. */
static const struct {
	const char *law;
	const char *message;
} badLaws[] = {
	{ "", "kinds are" },
	{ "constante", "kinds are" },
	{ "constant:", NULL },
	{ "constant:watts", "\"watts\" is no parameter" },
	{ "constant:watts=", "no parameter" },
	{ "constant:watts=1x", "no parameter" },
	{ "constant:watts=nan", "no parameter" },
	{ "constant:low=1", "\"constant\" has watts" },
	{ "ramp:watts=1", "low, high, period" },
	{ "ramp:duty=0.1", "low, high, period" },
	{ "ramp:period=0", "above 0" },
	{ "square:duty=1.1", "duty 0 to 1" },
	{ "constant:volts=0", "above 0" },
	{ "constant:factor=2", "up to 1" },
	{ "file:", "" },
	{ "file:/nonexistent/file", "/nonexistent/file" },
	{ "file:/dev/null", "no array of floats" },
};

static void testBadLaws(void)
{
	for (guint i = 0; i < G_N_ELEMENTS(badLaws); i++) {
		GError *error = NULL;
		struct simLaw *law = simLawParse(badLaws[i].law, &error);

		g_test_message("\"%s\"", badLaws[i].law);
		if (badLaws[i].message) {
			g_assert_null(law);
			g_assert_nonnull(
				strstr(error->message, badLaws[i].message));
		} else {
			g_assert_no_error(error);
		}
		g_clear_error(&error);
		simLawDestroy(law);
	}
}

/** Lines of scripts that are wrong, and what the message must have. */
static const struct {
	const char *line;
	const char *message;
} badLines[] = {
	{ "silent", ":2: a line is TRIGGER: ACTION" },
	{ "cycle: silent", "a line is" },
	{ "cycle 0: silent", "a line is" },
	{ "cycle x: silent", "a line is" },
	{ "cycle 3-2: silent", "a line is" },
	{ "cycle 3 4: silent", "a line is" },
	{ "cycle -3: silent", "a line is" },
	{ "never 1: silent", "a line is" },
	{ "time now: silent", "a line is" },
	{ "command #2: silent", "a line is" },
	{ "command A#0: silent", "a line is" },
	{ "cycle 1:silent", "a line is" },
	{ "cycle 1: ", "a line is" },
	{ "cycle 1: sleep", "actions are silent lose" },
	{ "cycle 1: silent 1", "usage: silent" },
	{ "cycle 1: lose", "usage: lose POSITION [NUMBER]" },
	{ "cycle 1: lose x", "usage: lose" },
	{ "cycle 1: lose 1 0", "usage: lose" },
	{ "cycle 1: lose 1 2 3", "usage: lose" },
	{ "cycle 1: insert 1", "usage: insert" },
	{ "cycle 1: insert 1 f", "usage: insert" },
	{ "cycle 1: insert 1 fg", "usage: insert" },
	{ "cycle 1: replace", "usage: replace" },
	{ "cycle 1: length", "usage: length" },
	{ "cycle 1: error", "usage: error" },
	{ "cycle 1: unplug soon", "usage: unplug" },
};

static void testBadScripts(void)
{
	for (guint i = 0; i < G_N_ELEMENTS(badLines); i++) {
		char *text =
			g_strdup_printf("# A comment\n%s\n", badLines[i].line);
		char *path = makeFile(text, -1);
		GError *error = NULL;

		g_test_message("%s", badLines[i].line);
		g_assert_null(simScriptRead(path, &error));
		g_assert_true(g_str_has_prefix(error->message, path));
		g_assert_nonnull(strstr(error->message, badLines[i].message));
		g_clear_error(&error);
		g_unlink(path);
		g_free(path);
		g_free(text);
	}
}

/* How many rules there are for something. */
static guint matches(GPtrArray *script, enum simTrigger trigger,
		     uint64_t number, const char *command)
{
	GSList *rules = simScriptMatch(script, trigger, number, command);
	guint count = g_slist_length(rules);

	g_slist_free(rules);
	return count;
}

static void testTriggers(void)
{
	char *path = makeFile("cycle 3-5: silent\n"
			      "  cycle 5-: lose 0\n\n"
			      "reply 2: ascii\n"
			      "command :SYSTem:LANGuage SHORT: silent\n"
			      "command CONT: silent\n"
			      "command cont off#2: silent\n"
			      "time 1.5: hang\n",
			      -1);
	GError *error = NULL;
	GPtrArray *script = simScriptRead(path, &error);
	GSList *rules;

	g_assert_no_error(error);
	g_assert_cmpuint(matches(script, SIM_AT_CYCLE, 2, NULL), ==, 0);
	g_assert_cmpuint(matches(script, SIM_AT_CYCLE, 3, NULL), ==, 1);
	g_assert_cmpuint(matches(script, SIM_AT_CYCLE, 5, NULL), ==, 2);
	g_assert_cmpuint(matches(script, SIM_AT_CYCLE, 6, NULL), ==, 1);
	g_assert_cmpuint(matches(script, SIM_AT_REPLY, 1, NULL), ==, 0);
	g_assert_cmpuint(matches(script, SIM_AT_REPLY, 2, NULL), ==, 1);
	g_assert_cmpuint(
		matches(script, SIM_AT_COMMAND, 0, ":SYSTEM:LANGUAGE SHORT"),
		==, 1);
	g_assert_cmpuint(matches(script, SIM_AT_COMMAND, 0, "CONT ON"), ==, 1);
	g_assert_cmpuint(matches(script, SIM_AT_COMMAND, 0, "CONT OFF"), ==, 1);
	g_assert_cmpuint(matches(script, SIM_AT_COMMAND, 0, "CONT OFF"), ==, 2);
	g_assert_cmpuint(matches(script, SIM_AT_COMMAND, 0, "CONTI"), ==, 0);
	g_assert_cmpfloat(simScriptNext(script), ==, 1.5);
	g_assert_null(simScriptTimed(script, 1.4));
	rules = simScriptTimed(script, 1.6);
	g_assert_cmpuint(g_slist_length(rules), ==, 1);
	g_slist_free(rules);
	g_assert_null(simScriptTimed(script, 1.7));
	g_assert_true(isinf(simScriptNext(script)));
	g_ptr_array_unref(script);
	g_unlink(path);
	g_free(path);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/sim/law/power", testPower);
	g_test_add_func("/sim/law/quantities", testQuantities);
	g_test_add_func("/sim/law/host", testHost);
	g_test_add_func("/sim/law/node", testNode);
	g_test_add_func("/sim/law/process", testProcess);
	g_test_add_func("/sim/law/edges", testEdges);
	g_test_add_func("/sim/law/file", testFile);
	g_test_add_func("/sim/law/bad", testBadLaws);
	g_test_add_func("/sim/script/triggers", testTriggers);
	g_test_add_func("/sim/script/bad", testBadScripts);
	return g_test_run();
}
