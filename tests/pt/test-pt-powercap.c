/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The powercap driver, and with it what all drivers of sensors share. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "PowerTracingLibrary/src/core/sysfile.h"
#include "tests/lib/fixture.h"
#include "tests/pt/softdriver.h"

#define RANGE "262143328850" /* 61 uJ of 32 bits. */

extern const struct ptDriver ptPowercapDriver;

static void setEnergy(const char *root, const char *zone, const char *uj)
{
	char *path = g_strdup_printf("/sys/class/powercap/%s/energy_uj", zone);

	fixtureWrite(root, path, "%s\n", uj);
	g_free(path);
}

static void addZone(const char *root, const char *zone, const char *name,
		    const char *uj, const char *range)
{
	char *path = g_strdup_printf("/sys/class/powercap/%s/name", zone);

	fixtureWrite(root, path, "%s\n", name);
	g_free(path);
	path = g_strdup_printf("/sys/class/powercap/%s/max_energy_range_uj",
			       zone);
	if (range)
		fixtureWrite(root, path, "%s\n", range);
	g_free(path);
	setEnergy(root, zone, uj);
}

static void removeZone(const char *root, const char *zone)
{
	static const char *const files[] = { "/energy_uj",
					     "/max_energy_range_uj", "/name",
					     "" };

	for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
		char *path = g_strconcat("/sys/class/powercap/", zone, files[i],
					 NULL);

		fixtureDelete(root, path);
		g_free(path);
	}
}

static char *machine(void)
{
	char *root = fixtureCreate();

	/* The control types themselves have no name. */
	fixtureWrite(root, "/sys/class/powercap/intel-rapl/enabled", "1\n");
	addZone(root, "intel-rapl:0", "package-0", "1000000", RANGE);
	addZone(root, "intel-rapl:0:0", "core", "0", RANGE);
	addZone(root, "intel-rapl:0:1", "dram", "0", "65532610987");
	addZone(root, "intel-rapl:1", "package-1", "0", RANGE);
	addZone(root, "intel-rapl:10", "package-10", "0", RANGE);
	addZone(root, "intel-rapl:2", "psys", "0", NULL);
	addZone(root, "intel-rapl-mmio:0", "package-0", "0", RANGE);
	fixtureWrite(root, "/sys/class/powercap/dtpm/enabled", "1\n");
	fixtureWrite(root, "/sys/class/powercap/dtpm:0/name", "soc\n");
	fixtureWrite(root, "/sys/class/powercap/dtpm:0/power_uw", "5000000\n");
	return root;
}

static void testList(void)
{
	char *root = machine(), *list;

	list = softList(&ptPowercapDriver, root, NULL);
	g_assert_cmpstr(
		list, ==,
		"+dtpm-soc: powercap dtpm:0/power_uw\n"
		"+mmio-package-0: powercap intel-rapl-mmio:0/energy_uj (61 uJ, "
		"every 1 ms)\n"
		"+package-0: powercap intel-rapl:0/energy_uj (61 uJ, every 1 "
		"ms)\n"
		"+package-0-core: powercap intel-rapl:0:0/energy_uj (61 uJ, "
		"every 1 ms)\n"
		"+package-0-dram: powercap intel-rapl:0:1/energy_uj (15.3 uJ, "
		"every 1 ms)\n"
		"+package-1: powercap intel-rapl:1/energy_uj (61 uJ, every 1 "
		"ms)\n"
		"+psys: powercap intel-rapl:2/energy_uj\n"
		"+package-10: powercap intel-rapl:10/energy_uj (61 uJ, every 1 "
		"ms)\n");
	g_free(list);
	fixtureRemove(root);
}

/* Machines without zones, and with zones that are no zones. */
static void testListNothing(void)
{
	char *root = fixtureCreate(), *list;

	list = softList(&ptPowercapDriver, root, NULL);
	g_assert_nonnull(strstr(list, "--: no zones in /sys/class/powercap; "));
	g_free(list);
	fixtureWrite(root, "/sys/class/powercap/intel-rapl/energy_uj", "1\n");
	fixtureWrite(root, "/sys/class/powercap/intel-rapl:0/name", "x\n");
	list = softList(&ptPowercapDriver, root, NULL);
	g_assert_nonnull(strstr(list, "--: no zones"));
	g_free(list);
	/* Without a name; and without a number. */
	fixtureWrite(root, "/sys/class/powercap/intel-rapl:3/energy_uj", "\n");
	list = softList(&ptPowercapDriver, root, NULL);
	g_assert_cmpstr(
		list, ==,
		"-3: powercap intel-rapl:3/energy_uj: invalid number\n");
	g_free(list);
	fixtureRemove(root);
}

/* Channels as they are written in the configuration. */
static void testResolve(void)
{
	static const struct {
		const char *channel;
		size_t index;
		int ret;
		const char *text;
	} cases[] = {
		{ "package-0", 0, 0, "package-0" },
		{ "package-0-dram", 0, 0, "package-0-dram" },
		{ "intel-rapl:0:1", 0, 0, "intel-rapl:0:1" },
		{ "mmio-package-0", 0, 0, "mmio-package-0" },
		{ "*", 0, 0, "dtpm-soc" },
		{ "*", 2, 0, "package-0" },
		{ "*", 7, 0, "package-10" },
		{ "*", 8, -ENOENT, NULL },
		{ "dram", 0, -ENOENT,
		  "inputs are dtpm-soc, mmio-package-0, package-0, "
		  "package-0-core, package-0-dram, package-1, psys, "
		  "package-10" },
		{ "", 0, -ENOENT, NULL },
		{ NULL, 0, -EINVAL,
		  "inputs are dtpm-soc, mmio-package-0, package-0, "
		  "package-0-core, package-0-dram, package-1, psys, "
		  "package-10" },
	};
	char *root = machine(), *text;

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_assert_cmpint(softResolve(&ptPowercapDriver, root, NULL,
					    cases[i].channel, cases[i].index,
					    &text),
				==, cases[i].ret);
		if (cases[i].text)
			g_assert_cmpstr(text, ==, cases[i].text);
		g_free(text);
	}
	fixtureRemove(root);
	/* The only one need not be named. */
	root = fixtureCreate();
	g_assert_cmpint(
		softResolve(&ptPowercapDriver, root, NULL, NULL, 0, NULL), ==,
		-ENOENT);
	addZone(root, "intel-rapl:0", "package-0", "0", RANGE);
	g_assert_cmpint(
		softResolve(&ptPowercapDriver, root, NULL, NULL, 0, &text), ==,
		0);
	g_assert_cmpstr(text, ==, "package-0");
	g_free(text);
	fixtureRemove(root);
}

/* Names that are the same, strange or long. */
static void testLabels(void)
{
	char *root = fixtureCreate(), *list, *name = g_strnfill(200, 'x');

	addZone(root, "a:0", "p", "0", RANGE);
	addZone(root, "a:1", "p", "0", RANGE);
	addZone(root, "a:2", "p", "0", RANGE);
	addZone(root, "a:3", "q _/<ä", "0", RANGE);
	addZone(root, "b:0", name, "0", RANGE);
	addZone(root, "b:1", name, "0", RANGE);
	for (size_t i = 0; i < 6; i++) {
		char *label;

		g_assert_cmpint(softResolve(&ptPowercapDriver, root, NULL, "*",
					    i, &label),
				==, 0);
		g_assert_cmpint(strlen(label), <, PT_CHANNEL_MAX);
		if (i < 4)
			g_assert_cmpstr(
				label, ==,
				((const char *[]){ "a-p", "a-p-2", "a-p-3",
						   "a-q------" })[i]);
		g_free(label);
	}
	list = softList(&ptPowercapDriver, root, NULL);
	g_assert_nonnull(strstr(list, "xx-2: powercap b:1"));
	g_free(list);
	g_free(name);
	fixtureRemove(root);
}

/* Energy and power of an interval, with its real length. */
static void testValues(void)
{
	struct softDevice soft;
	char *root = machine();

	g_assert_cmpint(softOpen(&soft, &ptPowercapDriver, root, 100 * MS, NULL,
				 "package-0 E, package-0-core P, package-0 P, "
				 "intel-rapl:0:1 E, dtpm-soc P, dtpm-soc E"),
			==, 0);
	g_assert_cmpstr(soft.columns[0].source, ==,
			"powercap intel-rapl:0/energy_uj");
	g_assert_cmpstr(soft.columns[0].resolution, ==, "61 uJ, every 1 ms");
	g_assert_cmpstr(soft.columns[4].source, ==, "powercap dtpm:0/power_uw");
	g_assert_cmpstr(soft.columns[4].resolution, ==, "no update in 99.8 ms");
	g_assert_cmpstr(soft.columns[5].source, ==,
			"powercap dtpm:0/power_uw, integrated");
	for (size_t i = 0; i < soft.count; i++)
		g_assert_false(soft.columns[i].isSimulated);
	/* What was counted before the start does not count. */
	setEnergy(root, "intel-rapl:0", "2000000");
	softPass(SECOND);
	softStart(&soft);
	setEnergy(root, "intel-rapl:0", "12000061");
	setEnergy(root, "intel-rapl:0:0", "5000000");
	fixtureWrite(root, "/sys/class/powercap/dtpm:0/power_uw", "7000000\n");
	softExpect(&soft, 100 * MS, "10.000061 50 100.0006 0 7 0.6");
	/* A late one. */
	setEnergy(root, "intel-rapl:0", "22000061");
	setEnergy(root, "intel-rapl:0:1", "1");
	fixtureWrite(root, "/sys/class/powercap/dtpm:0/power_uw", "0\n");
	softExpect(&soft, 250 * MS, "10 0 40 1e-06 0 0.875");
	softClose(&soft);
	fixtureRemove(root);
}

/* The sum of the entries is what the counter says, to the last microjoule. */
static void testPrecision(void)
{
	struct softDevice soft;
	char *root = fixtureCreate();
	uint64_t count = 123456789;
	double sum = 0;

	addZone(root, "intel-rapl:0", "p", "123456789", RANGE);
	g_assert_cmpint(
		softOpen(&soft, &ptPowercapDriver, root, SECOND, NULL, "p E"),
		==, 0);
	softStart(&soft);
	for (int i = 0; i < 1000; i++) {
		char text[32];

		count += 217 + (uint64_t)i * 1000;
		g_snprintf(text, sizeof(text), "%" G_GUINT64_FORMAT, count);
		setEnergy(root, "intel-rapl:0", text);
		g_assert_cmpint(softRead(&soft, SECOND), ==, 0);
		sum += soft.cells[0].d;
	}
	g_assert_cmpfloat_with_epsilon(sum * 1e6, (double)(count - 123456789),
				       0.001);
	softClose(&soft);
	fixtureRemove(root);
}

/* Counters that go back: they have wrapped, or have been reset. */
static void testBackwards(void)
{
	static const struct {
		const char *range;
		const char *before;
		const char *after;
		const char *values; /* E and P of 100 ms. */
	} cases[] = {
		/* Wrapped. */
		{ RANGE, "262143328850", "0", "0 0" },
		{ RANGE, "262143328849", "1000000", "1.000001 10.00001" },
		{ RANGE, "262142328850", "0", "1 10" },
		{ RANGE, "261143328850", "0", "1000 10000" },
		/* 2.5 MW are no wrap. */
		{ RANGE, "12000000000", "5", "NaN NaN" },
		{ RANGE, "1000000", "0", "NaN NaN" },
		/* No range, or one that is wrong. */
		{ NULL, "1000", "500", "NaN NaN" },
		{ "0", "1000", "500", "NaN NaN" },
		{ "garbage", "1000", "500", "NaN NaN" },
		{ "999", "1000", "500", "NaN NaN" },
		{ "1000", "1000", "500", "0.0005 0.005" },
		/* 64 bits. */
		{ "18446744073709551615", "18446744073709551615", "1000000",
		  "1 10" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		char *root = fixtureCreate();
		struct softDevice soft;

		g_test_message("%s of %s", cases[i].before, cases[i].range);
		addZone(root, "intel-rapl:0", "p", cases[i].before,
			cases[i].range);
		g_assert_cmpint(softOpen(&soft, &ptPowercapDriver, root,
					 100 * MS, NULL, "p E, p P"),
				==, 0);
		softStart(&soft);
		setEnergy(root, "intel-rapl:0", cases[i].after);
		softExpect(&soft, 100 * MS, cases[i].values);
		/* And on it goes. */
		setEnergy(root, "intel-rapl:0", "3000000");
		g_assert_cmpint(softRead(&soft, 100 * MS), ==, 0);
		g_assert_cmpfloat(soft.cells[0].d, >, 1.9);
		g_assert_cmpfloat(soft.cells[0].d, <, 3.1);
		softClose(&soft);
		fixtureRemove(root);
	}
}

/* Show microjoules in an open file: to make it anew takes long. */
static void lawShow(int fd, double microjoules)
{
	char text[24];
	int length =
		snprintf(text, sizeof(text), "%020.0f\n", floor(microjoules));

	g_assert_cmpint(pwrite(fd, text, (size_t)length, 0), ==, length);
}

static bool isLawUnreadable;

static ssize_t lawPread(int fd, void *bytes, size_t count, off_t offset)
{
	errno = EIO;
	return isLawUnreadable ? -1 : pread(fd, bytes, count, offset);
}

/* Joules of an entry are those of the law, or there are none. */
static void lawExpect(const struct softDevice *soft, double watts, int64_t ns,
		      int *known)
{
	double joules = watts * ((double)ns / 1e9);

	if (isnan(soft->cells[0].d))
		return;
	g_assert_cmpfloat(fabs(soft->cells[0].d - joules), <=,
			  1e-3 * joules + 1e-6);
	g_assert_cmpfloat(fabs((double)soft->cells[1].f - watts), <=,
			  1e-3 * watts);
	++*known;
}

static void lawRun(const char *root, int fd, guint32 seed)
{
	const double range = 262143328850;
	GRand *chance = g_rand_new_with_seed(seed);
	double watts = g_rand_double_range(chance, 1, 400), shown;
	struct softDevice soft;
	int known = 0, quiet = 0;

	shown = g_rand_double_range(chance, 0, range);
	lawShow(fd, shown);
	g_assert_cmpint(softOpen(&soft, &ptPowercapDriver, root, 100 * MS, NULL,
				 "p E, p P"),
			==, 0);
	softStart(&soft);
	for (int i = 0; i < 20; i++) {
		int event = g_rand_int_range(chance, 0, 12);
		int64_t ns = event == 0 ? 20 * SECOND : 100 * MS;

		shown = fmod(shown + watts * ((double)ns / 1e3), range);
		isLawUnreadable = event == 1;
		/* A reset is not told from a wrap just before the end, nor
		 * after another one. */
		if (event == 2 && quiet > 3 && shown < 0.9 * range &&
		    shown > 1e9)
			shown = quiet = 0;
		quiet = isLawUnreadable ? 0 : quiet + 1;
		lawShow(fd, shown);
		g_assert_cmpint(softRead(&soft, ns), ==, 0);
		lawExpect(&soft, watts, ns, &known);
	}
	isLawUnreadable = false;
	g_assert_cmpint(known, >, 5);
	softClose(&soft);
	g_rand_free(chance);
}

/* A counter of a constant power, with errors, resets, wraps and stops. */
static void testLaw(void)
{
	char *root = fixtureCreate(), *path;
	int fd;

	addZone(root, "intel-rapl:0", "p", "0", RANGE);
	path = g_strconcat(root, "/sys/class/powercap/intel-rapl:0/energy_uj",
			   NULL);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	g_assert_cmpint(fd, >=, 0);
	g_free(path);
	ptSysPread = lawPread;
	for (guint32 seed = 0; seed < 1000; seed++)
		lawRun(root, fd, seed);
	ptSysPread = pread;
	close(fd);
	fixtureRemove(root);
}

/* While the process was stopped a counter may have wrapped unseen. */
static void testStopped(void)
{
	struct softDevice soft;
	char *root = fixtureCreate();

	/* 262 kJ: at 20 kW that is 13 s. */
	addZone(root, "intel-rapl:0", "p", "0", RANGE);
	g_assert_cmpint(softOpen(&soft, &ptPowercapDriver, root, 100 * MS, NULL,
				 "p E, p P"),
			==, 0);
	softStart(&soft);
	setEnergy(root, "intel-rapl:0", "1000000000");
	softExpect(&soft, 10 * SECOND, "1000 100");
	setEnergy(root, "intel-rapl:0", "2000000000");
	softExpect(&soft, 14 * SECOND, "NaN NaN");
	setEnergy(root, "intel-rapl:0", "2010000000");
	softExpect(&soft, 100 * MS, "10 100");
	softClose(&soft);
	fixtureRemove(root);
}

/* The piece of an interval that a stop leaves would be a step or none. */
static void testShort(void)
{
	struct softDevice soft;
	char *root = fixtureCreate();

	addZone(root, "intel-rapl:0", "p", "0", RANGE);
	g_assert_cmpint(softOpen(&soft, &ptPowercapDriver, root, 100 * MS, NULL,
				 "p E, p P"),
			==, 0);
	softStart(&soft);
	setEnergy(root, "intel-rapl:0", "1000000");
	softExpect(&soft, 99 * MS, "1 10.10101");
	setEnergy(root, "intel-rapl:0", "1100000");
	softExpect(&soft, 1 * MS, "0.1 11");
	/* Started again: what was before does not count. */
	softPass(SECOND);
	softStart(&soft);
	setEnergy(root, "intel-rapl:0", "1200000");
	softExpect(&soft, 10 * MS, "0.1 10");
	softExpect(&soft, 0, "0 10");
	softClose(&soft);
	fixtureRemove(root);
}

/* At once after the start, there is no interval. */
static void testNoTime(void)
{
	struct softDevice soft;
	char *root = fixtureCreate();

	addZone(root, "intel-rapl:0", "p", "0", RANGE);
	g_assert_cmpint(softOpen(&soft, &ptPowercapDriver, root, 100 * MS, NULL,
				 "p E, p P"),
			==, 0);
	softStart(&soft);
	softExpect(&soft, 0, "0 NaN");
	softClose(&soft);
	fixtureRemove(root);
}

/* What the files may hold, and what is read then. */
static void testGarbage(void)
{
	static const char *const texts[] = {
		"",   "\n",  "x\n",      "-5\n",   "1 2\n",
		"7x", "0x1", "1e6\n",    "1\n\n",  "99999999999999999999\n",
		"1.", "+1",  "12\xff\n", "1\n2\n",
	};
	struct softDevice soft;
	char *root = fixtureCreate();

	for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
		addZone(root, "intel-rapl:0", "p", "0", RANGE);
		addZone(root, "intel-rapl:1", "q", "0", RANGE);
		g_assert_cmpint(softOpen(&soft, &ptPowercapDriver, root,
					 100 * MS, NULL, "p E, p P, q P"),
				==, 0);
		softStart(&soft);
		softExpect(&soft, 100 * MS, "0 0 0");
		fixtureWrite(root, "/sys/class/powercap/intel-rapl:0/energy_uj",
			     "%s", texts[i]);
		softExpect(&soft, 100 * MS, "NaN NaN 0");
		g_assert_true(softSaid("2 powercap: p: invalid number; no "
				       "values meanwhile\n"));
		softExpect(&soft, 100 * MS, "NaN NaN 0");
		/* Said once. */
		g_assert_true(softIsSilent());
		/* Energy is that of the entry's own time, power the mean. */
		setEnergy(root, "intel-rapl:0", "3000000");
		softExpect(&soft, 100 * MS, "1 10 0");
		softClose(&soft);
		/* A start with garbage. */
		fixtureWrite(root, "/sys/class/powercap/intel-rapl:0/energy_uj",
			     "%s", texts[i]);
		g_assert_cmpint(softOpen(&soft, &ptPowercapDriver, root,
					 100 * MS, NULL, "p E"),
				==, -EPROTO);
		g_assert_true(softSaid("1 powercap: p: invalid number\n"));
	}
	fixtureRemove(root);
}

/* ---- Reading and opening that fail ------------------------------------- */

static int preadPiece = 1, preadErrno, preadCalls;

static ssize_t pieces(int fd, void *bytes, size_t count, off_t offset)
{
	preadCalls++;
	if (preadErrno && preadCalls % 2 == 1) {
		errno = preadErrno;
		return -1;
	}
	return pread(fd, bytes, MIN(count, (size_t)preadPiece), offset);
}

/* Numbers that come in pieces, and signals in between. */
static void testPieces(void)
{
	struct softDevice soft;
	char *root = fixtureCreate();

	addZone(root, "intel-rapl:0", "p", "123456", RANGE);
	ptSysPread = pieces;
	for (preadErrno = 0; preadErrno <= EINTR; preadErrno += EINTR) {
		for (preadPiece = 1; preadPiece < 9; preadPiece++) {
			setEnergy(root, "intel-rapl:0", "123456");
			g_assert_cmpint(softOpen(&soft, &ptPowercapDriver, root,
						 SECOND, NULL, "p E"),
					==, 0);
			softStart(&soft);
			setEnergy(root, "intel-rapl:0", "1123457");
			softExpect(&soft, SECOND, "1.000001");
			softClose(&soft);
		}
	}
	preadErrno = 0;
	ptSysPread = pread;
	fixtureRemove(root);
}

static int refusedErrno;

static int refuse(const char *path)
{
	if (g_str_has_suffix(path, "/energy_uj"))
		return -refusedErrno;
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* Without permission: in the list, and in a message that says what to do. */
static void testPermission(void)
{
	int (*before)(const char *path) = ptSysOpenPath;
	char *root = fixtureCreate(), *list, *expected;
	struct softDevice soft;

	addZone(root, "intel-rapl:0", "package-0", "1", RANGE);
	ptSysOpenPath = refuse;
	refusedErrno = EACCES;
	expected = g_strdup_printf(
		"-package-0: powercap intel-rapl:0/energy_uj (61 uJ, every 1 "
		"ms): %s/sys/class/powercap/intel-rapl:0/energy_uj: only root "
		"can read this file since 2020; run as root, or use chgrp "
		"GROUP and chmod g+r as root\n",
		root);
	list = softList(&ptPowercapDriver, root, NULL);
	g_assert_cmpstr(list, ==, expected);
	g_assert_cmpint(softOpen(&soft, &ptPowercapDriver, root, SECOND, NULL,
				 "package-0 E"),
			==, -EACCES);
	g_assert_true(softSaid("energy_uj: only root can read this file "));
	refusedErrno = EMFILE;
	g_assert_cmpint(softOpen(&soft, &ptPowercapDriver, root, SECOND, NULL,
				 "package-0 E"),
			==, -EMFILE);
	g_assert_true(softSaid("1 powercap: package-0: Too many open files\n"));
	ptSysOpenPath = before;
	g_free(expected);
	g_free(list);
	fixtureRemove(root);
}

/* The same for real, where tests do not run as root. */
static void testRealPermission(void)
{
	char *root = fixtureCreate(), *path;
	struct softDevice soft;

	if (geteuid() == 0) {
		g_test_skip("root may read everything");
		fixtureRemove(root);
		return;
	}
	addZone(root, "intel-rapl:0", "package-0", "1", RANGE);
	path = g_strconcat(root, "/sys/class/powercap/intel-rapl:0/energy_uj",
			   NULL);
	g_assert_cmpint(chmod(path, 0), ==, 0);
	g_assert_cmpint(softOpen(&soft, &ptPowercapDriver, root, SECOND, NULL,
				 "package-0 E"),
			==, -EACCES);
	g_assert_true(softSaid("only root can read"));
	g_free(path);
	fixtureRemove(root);
}

/* ---- Zones that vanish ------------------------------------------------- */

static int goneFd = -1;

static ssize_t gone(int fd, void *bytes, size_t count, off_t offset)
{
	if (fd == goneFd) {
		errno = ENODEV;
		return -1;
	}
	return pread(fd, bytes, count, offset);
}

/* Get the descriptor of a file. */
static int findFd(const char *root, const char *file)
{
	char *path = g_strconcat(root, file, NULL);
	int found = -1;

	for (int fd = 0; fd < 256; fd++) {
		char link[32], target[4096];
		ssize_t length;

		g_snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		length = readlink(link, target, sizeof(target) - 1);
		if (length <= 0)
			continue;
		target[length] = '\0';
		if (strcmp(target, path) == 0)
			found = fd;
	}
	g_assert_cmpint(found, >=, 0);
	g_free(path);
	return found;
}

/* One of two goes and comes back; the other goes on. */
static void testVanish(void)
{
	struct softDevice soft;
	char *root = fixtureCreate();

	addZone(root, "intel-rapl:0", "p", "0", RANGE);
	addZone(root, "intel-rapl:1", "q", "0", RANGE);
	g_assert_cmpint(softOpen(&soft, &ptPowercapDriver, root, 100 * MS, NULL,
				 "p E, q E"),
			==, 0);
	softStart(&soft);
	goneFd = findFd(root, "/sys/class/powercap/intel-rapl:0/energy_uj");
	ptSysPread = gone;
	setEnergy(root, "intel-rapl:1", "1000000");
	softExpect(&soft, 100 * MS, "NaN 1");
	g_assert_true(softSaid("2 powercap: p: No such device; no values "
			       "meanwhile\n"));
	removeZone(root, "intel-rapl:0");
	/* It was closed. */
	goneFd = -1;
	softExpect(&soft, 100 * MS, "NaN 0");
	softExpect(&soft, 900 * MS, "NaN 0");
	/* Back under another number; found when it is time to look. */
	addZone(root, "intel-rapl:7", "p", "50000000", RANGE);
	softExpect(&soft, 900 * MS, "NaN 0");
	g_assert_true(softIsSilent());
	softExpect(&soft, 100 * MS, "NaN 0");
	g_assert_true(softSaid("2 powercap: p: back\n"));
	setEnergy(root, "intel-rapl:7", "51000000");
	softExpect(&soft, 100 * MS, "1 0");
	softClose(&soft);
	ptSysPread = pread;
	fixtureRemove(root);
}

/* All go: the device is gone, until it can be opened again. */
static void testVanishAll(void)
{
	struct softDevice soft;
	char *root = fixtureCreate();

	addZone(root, "intel-rapl:0", "p", "0", RANGE);
	g_assert_cmpint(softOpen(&soft, &ptPowercapDriver, root, 100 * MS, NULL,
				 "p E, p P"),
			==, 0);
	softStart(&soft);
	goneFd = findFd(root, "/sys/class/powercap/intel-rapl:0/energy_uj");
	ptSysPread = gone;
	g_assert_cmpint(softRead(&soft, 100 * MS), ==, -ENODEV);
	softClose(&soft);
	ptSysPread = pread;
	goneFd = -1;
	g_assert_true(softSaid("2 powercap: p: No such device; "));
	addZone(root, "intel-rapl:0", "p", "0", RANGE);
	g_assert_cmpint(softOpen(&soft, &ptPowercapDriver, root, 100 * MS, NULL,
				 "p E, p P"),
			==, 0);
	goneFd = findFd(root, "/sys/class/powercap/intel-rapl:0/energy_uj");
	ptSysPread = gone;
	g_assert_cmpint(soft.dev.driver->start(&soft.dev), ==, -ENODEV);
	softClose(&soft);
	ptSysPread = pread;
	fixtureRemove(root);
}

/* A channel that was there when the configuration was read. */
static void testGoneAtOpen(void)
{
	struct softDevice soft = { 0 };
	char *root = fixtureCreate();
	struct ptColumn column = { .quantity = ptPowercapDriver.quantities,
				   .label = "p" };

	soft.dev.setup.root = root;
	soft.dev.driver = &ptPowercapDriver;
	g_assert_cmpint(ptPowercapDriver.open(&soft.dev, &column, 1), ==,
			-ENODEV);
	g_assert_true(softSaid("1 powercap: p: no zones in "));
	addZone(root, "intel-rapl:0", "q", "0", RANGE);
	g_assert_cmpint(ptPowercapDriver.open(&soft.dev, &column, 1), ==,
			-ENODEV);
	g_assert_true(softSaid("1 powercap: p: not found\n"));
	fixtureRemove(root);
}

/* Many zones, all in one device; and the descriptors are given back. */
static void testMany(void)
{
	enum { ZONES = 200 };
	GString *wanted = g_string_new(NULL), *values = g_string_new(NULL);
	struct softDevice soft;
	char *root = fixtureCreate();
	int before, after;

	for (int i = 0; i < ZONES; i++) {
		char zone[32], name[32];

		g_snprintf(zone, sizeof(zone), "intel-rapl:%d", i);
		g_snprintf(name, sizeof(name), "package-%d", i);
		addZone(root, zone, name, "0", RANGE);
		g_string_append_printf(wanted, "%s E, ", name);
		g_string_append_printf(values, "%s%d", i ? " " : "", i);
	}
	before = dup(0);
	g_assert_cmpint(softOpen(&soft, &ptPowercapDriver, root, SECOND, NULL,
				 wanted->str),
			==, 0);
	softStart(&soft);
	for (int i = 0; i < ZONES; i++) {
		char zone[32], uj[32];

		g_snprintf(zone, sizeof(zone), "intel-rapl:%d", i);
		g_snprintf(uj, sizeof(uj), "%d000000", i);
		setEnergy(root, zone, uj);
	}
	softExpect(&soft, SECOND, values->str);
	softClose(&soft);
	after = dup(0);
	g_assert_cmpint(after, ==, before + 1);
	close(before);
	close(after);
	g_string_free(wanted, TRUE);
	g_string_free(values, TRUE);
	fixtureRemove(root);
}

/* Descriptors that run out leave none open. */
static void testNoDescriptors(void)
{
	struct rlimit limit, few;
	struct softDevice soft;
	char *root = fixtureCreate();
	int next, ret;

	addZone(root, "intel-rapl:0", "p", "0", RANGE);
	addZone(root, "intel-rapl:1", "q", "0", RANGE);
	next = dup(0);
	close(next);
	getrlimit(RLIMIT_NOFILE, &limit);
	few = limit;
	/* For one zone, but not for the directory beside it. */
	few.rlim_cur = (rlim_t)next + 1;
	setrlimit(RLIMIT_NOFILE, &few);
	ret = softOpen(&soft, &ptPowercapDriver, root, SECOND, NULL,
		       "p E, q E");
	setrlimit(RLIMIT_NOFILE, &limit);
	g_assert_cmpint(ret, ==, -EMFILE);
	g_assert_true(softSaid("1 powercap: q: Too many open files\n"));
	ret = dup(0);
	g_assert_cmpint(ret, ==, next);
	close(ret);
	fixtureRemove(root);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	softInit();
	g_test_add_func("/powercap/list", testList);
	g_test_add_func("/powercap/list-nothing", testListNothing);
	g_test_add_func("/powercap/resolve", testResolve);
	g_test_add_func("/powercap/labels", testLabels);
	g_test_add_func("/powercap/values", testValues);
	g_test_add_func("/powercap/precision", testPrecision);
	g_test_add_func("/powercap/backwards", testBackwards);
	g_test_add_func("/powercap/stopped", testStopped);
	g_test_add_func("/powercap/law", testLaw);
	g_test_add_func("/powercap/short", testShort);
	g_test_add_func("/powercap/no-time", testNoTime);
	g_test_add_func("/powercap/garbage", testGarbage);
	g_test_add_func("/powercap/pieces", testPieces);
	g_test_add_func("/powercap/permission", testPermission);
	g_test_add_func("/powercap/real-permission", testRealPermission);
	g_test_add_func("/powercap/vanish", testVanish);
	g_test_add_func("/powercap/vanish-all", testVanishAll);
	g_test_add_func("/powercap/gone-at-open", testGoneAtOpen);
	g_test_add_func("/powercap/many", testMany);
	g_test_add_func("/powercap/no-descriptors", testNoDescriptors);
	return g_test_run();
}
