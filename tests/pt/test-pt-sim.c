/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The simulation: laws, and power by a utilization that is known. */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "PowerTracingLibrary/src/machine/cpubusy.h"
#include "PowerTracingLibrary/src/core/sysfile.h"
#include "tests/lib/fixture.h"
#include "tests/pt/softdriver.h"

extern const struct ptDriver ptSimDriver;

static const char *const plainLaw[] = { "law", "idle:80,busy:220", NULL };

/* /proc/stat of some CPUs that were idle for some ticks together. */
static void setStat(const char *root, int cpus, long idle, long waiting)
{
	GString *text = g_string_new(NULL);

	g_string_append_printf(text, "cpu  99 0 99 %ld %ld 0 0 0 0 0\n", idle,
			       waiting);
	for (int i = 0; i < cpus; i++)
		g_string_append_printf(text, "cpu%d 9 0 9 9 0 0 0 0 0 0\n", i);
	g_string_append(text, "intr 5 0 0\nctxt 7\n");
	fixtureWrite(root, "/proc/stat", "%s", text->str);
	g_string_free(text, TRUE);
}

static void setAcct(const char *root, int64_t ns)
{
	fixtureWrite(root, "/sys/fs/cgroup/cpu,cpuacct/cpuacct.usage",
		     "%" G_GINT64_FORMAT "\n", ns);
}

static void testLaws(void)
{
	static const struct {
		const char *law;
		int ret;
	} cases[] = {
		{ "idle:80,busy:220", 0 },
		{ "busy:220.5,idle:0", 0 },
		{ "idle:80,busy:80", 0 },
		{ "idle:1e1,busy:220,exponent:0.75,voltage:115,factor:0.9", 0 },
		{ "", -EINVAL },
		{ ",", -EINVAL },
		{ "idle:80", -EINVAL },
		{ "busy:80", -EINVAL },
		{ "idle:80,busy:220,", -EINVAL },
		{ "idle:80,,busy:220", -EINVAL },
		{ "idle:80;busy:220", -EINVAL },
		{ "idle=80,busy=220", -EINVAL },
		{ "idle:,busy:220", -EINVAL },
		{ "idle:x,busy:220", -EINVAL },
		{ "idle:80 ,busy:220", -EINVAL },
		{ "idle:nan,busy:220", -EINVAL },
		{ "idle:80,busy:inf", -EINVAL },
		{ "idle:80,busy:0x50", -EINVAL },
		{ "idle:-1,busy:220", -EINVAL },
		{ "idle:80,busy:79", -EINVAL },
		{ "idle:80,busy:220,exponent:0", -EINVAL },
		{ "idle:80,busy:220,voltage:0", -EINVAL },
		{ "idle:80,busy:220,factor:0", -EINVAL },
		{ "idle:80,busy:220,factor:1.01", -EINVAL },
		{ "idle:80,busy:220,colour:1", -EINVAL },
		{ "idle:80,busy:220,id:1", -EINVAL },
		{ "idle:000000000000000000000000000000000000080,busy:220",
		  -EINVAL },
	};
	char *root = fixtureCreate();

	setStat(root, 2, 0, 0);
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		const char *options[] = { "law", cases[i].law, NULL };
		struct softDevice soft;
		char why[256] = "";

		g_test_message("%s", cases[i].law);
		g_assert_cmpint(ptSimDriver.checkOption("law", cases[i].law,
							why, sizeof(why)),
				==, cases[i].ret);
		g_assert_true((why[0] != '\0') == (cases[i].ret < 0));
		g_assert_cmpint(softOpen(&soft, &ptSimDriver, root, SECOND,
					 options, "x P"),
				==, cases[i].ret);
		if (cases[i].ret == 0)
			softClose(&soft);
		else
			g_assert_true(softSaid("1 sim: invalid law \""));
	}
	fixtureRemove(root);
}

static void testChannels(void)
{
	static const struct {
		const char *channel;
		size_t index;
		int ret;
		const char *label;
	} cases[] = {
		{ NULL, 0, 0, "host" },           { "*", 0, 0, "host" },
		{ "*", 1, -ENOENT, NULL },        { "1", 0, 0, "1" },
		{ "node-1.x", 0, 0, "node-1.x" }, { "", 0, -EINVAL, NULL },
		{ "a b", 0, -EINVAL, NULL },      { "a_b", 0, -EINVAL, NULL },
	};
	char *text, *name = g_strnfill(PT_CHANNEL_MAX, 'x');

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_assert_cmpint(softResolve(&ptSimDriver, "", NULL,
					    cases[i].channel, cases[i].index,
					    &text),
				==, cases[i].ret);
		if (cases[i].label)
			g_assert_cmpstr(text, ==, cases[i].label);
		g_free(text);
	}
	g_assert_cmpint(softResolve(&ptSimDriver, "", NULL, name, 0, NULL), ==,
			-EINVAL);
	name[PT_CHANNEL_MAX - 1] = '\0';
	g_assert_cmpint(softResolve(&ptSimDriver, "", NULL, name, 0, NULL), ==,
			0);
	g_free(name);
}

/* All values of two channels, and what they say of themselves. */
static void testValues(void)
{
	static const char *const options[] = {
		"law", "idle:100,busy:200,exponent:2,voltage:250,factor:0.8",
		NULL
	};
	struct softDevice soft;
	char *root = fixtureCreate();

	setStat(root, 2, 1000, 50);
	g_assert_cmpint(softOpen(&soft, &ptSimDriver, root, SECOND, options,
				 "1 Utrms, 1 Itrms, 1 P, 1 E, 2 P"),
			==, 0);
	for (size_t i = 0; i < soft.count; i++) {
		g_assert_true(soft.columns[i].isSimulated);
		g_assert_cmpstr(soft.columns[i].source, ==,
				"simulated: idle:100,busy:200,exponent:2,"
				"voltage:250,factor:0.8 by CPU utilization of "
				"/proc/stat");
		g_assert_cmpstr(soft.columns[i].resolution, ==,
				"10 ms over 200 ms");
	}
	softStart(&soft);
	/* Of two CPUs one was idle, half of the time waiting: 50 %. */
	setStat(root, 2, 1050, 100);
	softExpect(&soft, SECOND, "250 0.625 125 125 125");
	softExpect(&soft, 2 * SECOND, "250 1 200 400 200");
	setStat(root, 2, 1250, 100);
	softExpect(&soft, SECOND, "250 0.5 100 100 100");
	softClose(&soft);
	fixtureRemove(root);
}

/* More idle time than there was time, and less than none. */
static void testBounds(void)
{
	struct softDevice soft;
	char *root = fixtureCreate();

	setStat(root, 1, 1000, 0);
	g_assert_cmpint(
		softOpen(&soft, &ptSimDriver, root, SECOND, plainLaw, "1 P"),
		==, 0);
	softStart(&soft);
	setStat(root, 1, 1500, 0);
	softExpect(&soft, SECOND, "80");
	setStat(root, 1, 700, 0);
	softExpect(&soft, SECOND, "220");
	softClose(&soft);
	fixtureRemove(root);
}

/* Ticks say little of a short interval; so more than it is looked at. */
static void testWindow(void)
{
	struct softDevice soft;
	char *root = fixtureCreate();
	int idle = 1000;

	setStat(root, 1, idle, 0);
	g_assert_cmpint(
		softOpen(&soft, &ptSimDriver, root, 10 * MS, plainLaw, "1 P"),
		==, 0);
	softStart(&soft);
	/* Idle for half a second, then busy. */
	for (int i = 1; i <= 100; i++) {
		if (i <= 50)
			setStat(root, 1, ++idle, 0);
		g_assert_cmpint(softRead(&soft, 10 * MS), ==, 0);
		if (i <= 50)
			g_assert_cmpfloat(soft.cells[0].f, ==, 80);
		else if (i < 90)
			g_assert_cmpfloat(soft.cells[0].f, >, 80);
		else
			g_assert_cmpfloat(soft.cells[0].f, ==, 220);
	}
	/* A new start forgets. */
	softStart(&soft);
	setStat(root, 1, ++idle, 0);
	softExpect(&soft, 10 * MS, "80");
	softClose(&soft);
	fixtureRemove(root);
}

/* Accounting in nanoseconds is preferred, unless it is that of a container. */
static void testAcct(void)
{
	struct softDevice soft;
	char *root = fixtureCreate();

	setStat(root, 4, 0, 0);
	setAcct(root, 1000);
	g_assert_cmpint(
		softOpen(&soft, &ptSimDriver, root, 100 * MS, plainLaw, "1 P"),
		==, 0);
	g_assert_nonnull(strstr(soft.columns[0].source, "/proc/stat"));
	softClose(&soft);
	fixtureWrite(root, "/sys/fs/cgroup/cpu,cpuacct/release_agent", "\n");
	g_assert_cmpint(softOpen(&soft, &ptSimDriver, root, 100 * MS, plainLaw,
				 "1 P, 1 E"),
			==, 0);
	g_assert_nonnull(strstr(soft.columns[0].source, "cpuacct"));
	g_assert_cmpstr(soft.columns[0].resolution, ==, "1 ns over 20 ms");
	softStart(&soft);
	/* A quarter of 400 ms. */
	setAcct(root, 1000 + 100 * MS);
	softExpect(&soft, 100 * MS, "115 11.5");
	/* CPUs are counted from time to time. */
	setStat(root, 2, 0, 0);
	setAcct(root, 1000 + 100 * MS + 1000 * MS);
	softExpect(&soft, SECOND, "150 150");
	softClose(&soft);
	fixtureRemove(root);
}

/* A machine with many CPUs, whose interrupts fill pages; read in pieces. */

static size_t piece;

static ssize_t pieces(int fd, void *bytes, size_t count, off_t offset)
{
	return pread(fd, bytes, MIN(count, piece), offset);
}

static void testMany(void)
{
	struct softDevice soft;
	char *root = fixtureCreate();

	setStat(root, 4096, 1000, 0);
	ptSysPread = pieces;
	for (piece = 1000; piece <= 1000000; piece *= 10) {
		setStat(root, 4096, 1000, 0);
		g_assert_cmpint(softOpen(&soft, &ptSimDriver, root, SECOND,
					 plainLaw, "1 P"),
				==, 0);
		softStart(&soft);
		setStat(root, 4096, 1000 + 4096 * 50, 0);
		softExpect(&soft, SECOND, "150");
		softClose(&soft);
	}
	ptSysPread = pread;
	fixtureRemove(root);
}

static void testGarbage(void)
{
	static const char *const texts[] = {
		"",
		"\n",
		"cpu\n",
		"cpu 1 2 3 4\ncpu0 1 2 3 4 5\n",
		"cpu 1 2 3 4 5\n",
		"cpu0 1 2 3 4 5\n",
		"intr 1\n",
		"cpu a b c d e\ncpu0 1 2 3 4 5\n"
	};
	struct softDevice soft;
	char *root = fixtureCreate(), *list;

	g_assert_cmpint(
		softOpen(&soft, &ptSimDriver, root, SECOND, plainLaw, "1 P"),
		==, -ENOENT);
	g_assert_true(softSaid("/proc/stat: No such file or directory\n"));
	list = softList(&ptSimDriver, root, NULL);
	g_assert_cmpstr(list, ==,
			"-host: /proc/stat: No such file or directory\n");
	g_free(list);
	for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
		setStat(root, 1, 0, 0);
		g_assert_cmpint(softOpen(&soft, &ptSimDriver, root, SECOND,
					 plainLaw, "1 P"),
				==, 0);
		softStart(&soft);
		fixtureWrite(root, "/proc/stat", "%s", texts[i]);
		g_assert_cmpint(softRead(&soft, SECOND), ==, -EPROTO);
		g_assert_true(softSaid("2 sim: "));
		softClose(&soft);
		g_assert_cmpint(softOpen(&soft, &ptSimDriver, root, SECOND,
					 plainLaw, "1 P"),
				==, -EPROTO);
		g_assert_true(softSaid("1 sim: "));
	}
	setStat(root, 1, 0, 0);
	list = softList(&ptSimDriver, root, NULL);
	g_assert_cmpstr(list, ==,
			"+host: simulated, by CPU utilization of /proc/stat "
			"(10 ms over 200 ms)\n");
	g_free(list);
	fixtureRemove(root);
}

/* The machine that we run on. */
static void testReal(void)
{
	struct softDevice soft;

	g_assert_cmpint(
		softOpen(&soft, &ptSimDriver, "", SECOND, NULL, "host P"), ==,
		0);
	softStart(&soft);
	g_assert_cmpint(softRead(&soft, SECOND), ==, 0);
	g_assert_cmpfloat(soft.cells[0].f, >=, 60);
	g_assert_cmpfloat(soft.cells[0].f, <=, 160);
	softClose(&soft);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	softInit();
	g_test_add_func("/sim/laws", testLaws);
	g_test_add_func("/sim/channels", testChannels);
	g_test_add_func("/sim/values", testValues);
	g_test_add_func("/sim/bounds", testBounds);
	g_test_add_func("/sim/window", testWindow);
	g_test_add_func("/sim/acct", testAcct);
	g_test_add_func("/sim/many", testMany);
	g_test_add_func("/sim/garbage", testGarbage);
	g_test_add_func("/sim/real", testReal);
	return g_test_run();
}
