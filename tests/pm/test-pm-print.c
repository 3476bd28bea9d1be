/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What libpm prints: every form, to the last character. The samples are those
 * of the model; times are set by hand. */
#include "config.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <glib.h>
#include <glib/gstdio.h>

#include "PowerTracingLibrary/pm/src/pm.h"
#include "tests/pm/session.h"

#define S INT64_C(1000000000)
/* 2009-07-12 17:21:34 UTC */
#define EPOCH (INT64_C(1247419294) * S)

static struct model model;

/* Sets of 1 s, the next one 0.5 s later, and so on. */
static void record(const char *device, const char *lines, int aggregate,
		   int sets, counter_t *counter)
{
	struct pmCounter *own;

	sessionRecord(&model, device, lines, aggregate, sets, counter);
	own = pmCounterOf(counter);
	for (int i = 0; i < sets; i++) {
		own->spans[i].start = EPOCH + i * 3 * S / 2;
		own->spans[i].stop = own->spans[i].start + S;
	}
	/* The name of a host, and not a port that changes. */
	strcpy(own->server.server_ip, "meters");
	own->server.port = 6526;
}

static void giveBack(counter_t *counter)
{
	sessionEnd(counter);
}

static void assertFile(const char *name, const char *expected)
{
	char *text = NULL;

	g_assert_true(g_file_get_contents(name, &text, NULL, NULL));
	g_assert_cmpstr(text, ==, expected);
	g_free(text);
	g_unlink(name);
}

/* ---- Text -------------------------------------------------------------- */

#define TEXT                                             \
	"Set_id\tTime\tLine 0\tLine 2\tSum\n"            \
	"0\t0.000000\t10.500000\t31.500000\t42.000000\n" \
	"0\t0.333333\t10.750000\t31.750000\t42.500000\n" \
	"0\t0.666667\t11.000000\t32.000000\t43.000000\n" \
	"0\t1.000000\t11.250000\t32.250000\t43.500000\n"

static void testText(void)
{
	line_t some = sessionLines("0,2,100");
	counter_t counter;
	char *csv;

	record(MODEL_DEVICE, "0-3", 0, 2, &counter);
	sessionGives(1, pm_print_data_text("out", counter, some, 0));
	assertFile("out", TEXT);
	sessionGives(1, pm_print_data_csv("out", counter, some, 0));
	csv = g_strdelimit(g_strdup(TEXT), "\t", ';');
	assertFile("out", csv);
	g_free(csv);
	sessionGives(1,
		     pm_print_data_text("out", counter, sessionLines("1"), -1));
	assertFile("out", "Set_id\tTime\tLine 1\tSum\n"
			  "0\t0.000000\t21.000000\t21.000000\n"
			  "0\t0.333333\t21.250000\t21.250000\n"
			  "0\t0.666667\t21.500000\t21.500000\n"
			  "0\t1.000000\t21.750000\t21.750000\n"
			  "1\t0.000000\t121.000000\t121.000000\n"
			  "1\t0.166667\t121.250000\t121.250000\n"
			  "1\t0.333333\t121.500000\t121.500000\n"
			  "1\t0.500000\t121.750000\t121.750000\n"
			  "1\t0.666667\t122.000000\t122.000000\n"
			  "1\t0.833333\t122.250000\t122.250000\n"
			  "1\t1.000000\t122.500000\t122.500000\n");
	sessionFails(PM_EINVAL, EINVAL,
		     pm_print_data_text(NULL, counter, some, 0));
	sessionFails(PM_EINVAL, EINVAL,
		     pm_print_data_csv("out", counter, sessionLines("9"), 0));
	sessionFails(PM_ENODATA, ENODATA,
		     pm_print_data_text("out", counter, some, 2));
	g_assert_false(g_file_test("out", G_FILE_TEST_EXISTS));
	sessionFails(PM_EFILE, ENOENT,
		     pm_print_data_text("no/out", counter, some, 0));
	if (g_file_test("/dev/full", G_FILE_TEST_EXISTS))
		sessionFails(PM_EFILE, ENOSPC,
			     pm_print_data_text("/dev/full", counter, some, 0));
	giveBack(&counter);
}

static void testTextAggregate(void)
{
	counter_t counter;

	record(MODEL_DEVICE, "0,2", 1, 1, &counter);
	sessionGives(1,
		     pm_print_data_csv("out", counter, sessionLines(""), -1));
	assertFile("out", "Set_id;Time;Value_aggregate\n"
			  "0;0.000000;42.000000\n"
			  "0;0.333333;42.500000\n"
			  "0;0.666667;43.000000\n"
			  "0;1.000000;43.500000\n");
	giveBack(&counter);
}

static void testInfo(void)
{
	counter_t counter;

	record(MODEL_DEVICE, "0-3,7,9-10", 0, 2, &counter);
	sessionGives(1, pm_fprint_counter_info("out", counter));
	counter.interval = 10;
	counter.aggregate = 1;
	counter.lines = sessionLines("");
	sessionGives(1, pm_fprint_counter_info("out", counter));
	counter.aggregate = 0;
	assertFile("out", "Server: meters:6526\n"
			  "Device: DCMeter1\n"
			  "Lines: 0-3,7,9-10\n"
			  "Aggregate: no\n"
			  "Frequency: that of the device\n"
			  "Sets: 2\n"
			  "Server: meters:6526\n"
			  "Device: DCMeter1\n"
			  "Lines: \n"
			  "Aggregate: yes\n"
			  "Frequency: 10 Hz\n"
			  "Sets: 2\n");
	sessionFails(PM_EFILE, ENOENT,
		     pm_fprint_counter_info("no/out", counter));
	giveBack(&counter);
}

/* Numbers are written as anywhere else where decimals have a comma. */
static void testNumbers(void)
{
	static const struct {
		double number;
		const char *text;
	} rows[] = {
		{ 0, "0.000000" },
		{ 1.5, "1.500000" },
		{ -1.5, "-1.500000" },
		{ -0.0, "0.000000" },
		{ -1e-9, "0.000000" },
		{ 1e-6, "0.000001" },
		{ 999999.9999999, "1000000.000000" },
		{ 8999999999999.0, "8999999999999.000000" },
		{ 1e15, "1000000000000000.000000" },
		{ -1e15, "-1000000000000000.000000" },
		{ NAN, "nan" },
		{ HUGE_VAL, "inf" },
		{ -HUGE_VAL, "-inf" },
	};
	static const struct {
		double value;
		int64_t thousandths;
	} integers[] = {
		{ 1.2345, 1235 },        { -0.0004, 0 },
		{ -0.0006, -1 },         { NAN, 0 },
		{ HUGE_VAL, INT64_MAX }, { -1e300, -INT64_MAX },
	};

	if (!setlocale(LC_ALL, "de_DE.UTF-8"))
		g_test_message("no locale with a decimal comma");
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		char *text = NULL;
		size_t size;
		FILE *file = open_memstream(&text, &size);

		pmPutNumber(file, rows[i].number);
		fclose(file);
		g_assert_cmpstr(text, ==, rows[i].text);
		free(text);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(integers); i++)
		g_assert_cmpint(pmThousandths(integers[i].value), ==,
				integers[i].thousandths);
	setlocale(LC_ALL, "C");
}

/* ---- Standard output --------------------------------------------------- */

static void testStdout(void)
{
	line_t some = sessionLines("0,2");
	counter_t counter;

	if (g_test_subprocess()) {
		record(MODEL_DEVICE, "0-3", 0, 2, &counter);
		sessionGives(1, pm_print_data_stdout(counter, some, 0));
		sessionGives(1, pm_calculate_energy(counter, some, -1));
		counter.aggregate = 1;
		sessionGives(1, pm_calculate_energy(counter, some, 0));
		sessionFails(PM_ENODATA, ENODATA,
			     pm_calculate_energy(counter, some, 2));
		counter.aggregate = 0;
		giveBack(&counter);
		return;
	}
	g_test_trap_subprocess(NULL, 0, 0);
	g_test_trap_assert_passed();
	g_test_trap_assert_stdout("*" TEXT "*");
	/* Means of set 0: 10.875 and 31.875, of set 1: 111.25 and 132.25. */
	g_test_trap_assert_stdout("*Energy of device DCMeter1\n"
				  "Line: 0\n"
				  "Time: 2.000000 s\n"
				  "Avg. power: 61.062500 W\n"
				  "Energy: 122.125000 J\n"
				  "Line: 2\n"
				  "Time: 2.000000 s\n"
				  "Avg. power: 82.062500 W\n"
				  "Energy: 164.125000 J\n"
				  "Line: Sum\n"
				  "Time: 2.000000 s\n"
				  "Avg. power: 143.125000 W\n"
				  "Energy: 286.250000 J\n"
				  "1.000000\t10.875000\t10.875000\n*");
}

/* A set without samples has no power, and does not count. */
static void testEmptySet(void)
{
	line_t lines = sessionLines("0");
	struct pmCounter *own;
	double seconds, joules;
	counter_t counter;

	record(MODEL_DEVICE, "0", 0, 2, &counter);
	own = pmCounterOf(&counter);
	/* As if all samples were of the second one. */
	own->measures.energy.watts_sets[1] = 0;
	own->spans[0].stop += 10 * S;
	sessionFails(PM_ENODATA, ENODATA,
		     pm_get_energy(counter, lines, 0, &seconds, &joules));
	sessionGives(0, pm_get_energy(counter, lines, -1, &seconds, &joules));
	g_assert_cmpfloat(seconds, ==, 1);
	g_assert_cmpfloat(joules, ==, (4 * 10.875 + 7 * 111.25) / 11);
	sessionGives(1, pm_print_data_text("out", counter, lines, 0));
	assertFile("out", "Set_id\tTime\tLine 0\tSum\n");
	/* And one with a single sample has it at its begin. */
	own->measures.energy.watts_sets[1] = 1;
	sessionGives(1, pm_print_data_text("out", counter, lines, 0));
	assertFile("out", "Set_id\tTime\tLine 0\tSum\n"
			  "0\t0.000000\t10.500000\t10.500000\n");
	giveBack(&counter);
}

/* ---- Paraver ----------------------------------------------------------- */

static void testParaver(void)
{
	counter_t counter;

	record(MODEL_DEVICE, "0-3", 0, 2, &counter);
	sessionGives(1, pm_print_data_paraver("out.prv", counter,
					      sessionLines("0,2"), 0, "us"));
	assertFile("out.prv",
		   "#Paraver (12/07/2009 at 17:21):1000000_us:1(1):1:1(1:1)\n"
		   "2:0:1:1:1:0:500000010:10500:500000012:31500"
		   ":500000009:42000\n"
		   "2:0:1:1:1:250000:500000010:10750:500000012:31750"
		   ":500000009:42500\n"
		   "2:0:1:1:1:500000:500000010:11000:500000012:32000"
		   ":500000009:43000\n"
		   "2:0:1:1:1:750000:500000010:11250:500000012:32250"
		   ":500000009:43500\n"
		   "2:0:1:1:1:1000000:500000010:0:500000012:0:500000009:0\n");
	assertFile("out.pcf",
		   "DEFAULT_OPTIONS\n\n"
		   "LEVEL               THREAD\n"
		   "UNITS               MICROSEC\n"
		   "\nEVENT_TYPE\n7    500000010    Power of line 0 in mW\n"
		   "\nEVENT_TYPE\n7    500000012    Power of line 2 in mW\n"
		   "\nEVENT_TYPE\n7    500000009    Power of these lines in "
		   "mW\n");
	assertFile("out.row", "LEVEL NODE SIZE 1\nmeters\n\n"
			      "LEVEL THREAD SIZE 1\nDCMeter1\n");
	giveBack(&counter);
}

/* All sets have their place in time. */
static void testParaverSets(void)
{
	line_t lines = sessionLines("0");
	counter_t counter;

	record(MODEL_DEVICE, "0", 1, 2, &counter);
	sessionGives(1, pm_print_data_paraver("out", counter, lines, -1, "ms"));
	assertFile("out",
		   "#Paraver (12/07/2009 at 17:21):2500_ms:1(1):1:1(1:1)\n"
		   "2:0:1:1:1:0:500000009:10500\n"
		   "2:0:1:1:1:250:500000009:10750\n"
		   "2:0:1:1:1:500:500000009:11000\n"
		   "2:0:1:1:1:750:500000009:11250\n"
		   "2:0:1:1:1:1000:500000009:0\n"
		   "2:0:1:1:1:1500:500000009:110500\n"
		   "2:0:1:1:1:1642:500000009:110750\n"
		   "2:0:1:1:1:1785:500000009:111000\n"
		   "2:0:1:1:1:1928:500000009:111250\n"
		   "2:0:1:1:1:2071:500000009:111500\n"
		   "2:0:1:1:1:2214:500000009:111750\n"
		   "2:0:1:1:1:2357:500000009:112000\n"
		   "2:0:1:1:1:2500:500000009:0\n");
	/* A name without .prv has the others behind it. */
	g_assert_cmpint(g_unlink("out.pcf"), ==, 0);
	g_assert_cmpint(g_unlink("out.row"), ==, 0);
	giveBack(&counter);
}

/* In early programs sets count from 1, and 0 is all. */
static void testSetsFrom1(void)
{
	double seconds, joules, all, second;
	counter_t counter;
	line_t lines;

	record(MODEL_DEVICE, "0,2", 0, 2, &counter);
	LINE_SET_ALL(&lines);
	sessionGives(0, pm_get_energy(counter, lines, -1, &seconds, &all));
	sessionGives(0, pm_get_energy(counter, lines, 1, &seconds, &second));
	g_setenv("PM_SETS", "1", TRUE);
	for (int set = -1; set <= 0; set++) {
		sessionGives(0, pm_get_energy(counter, lines, set, &seconds,
					      &joules));
		g_assert_cmpfloat(joules, ==, all);
		g_assert_cmpfloat(seconds, ==, 2);
	}
	sessionGives(0, pm_get_energy(counter, lines, 2, &seconds, &joules));
	g_assert_cmpfloat(joules, ==, second);
	g_assert_cmpfloat(joules, !=, all);
	sessionFails(PM_ENODATA, ENODATA,
		     pm_get_energy(counter, lines, 3, &seconds, &joules));
	g_setenv("PM_SETS", "0", TRUE);
	sessionGives(0, pm_get_energy(counter, lines, 1, &seconds, &joules));
	g_assert_cmpfloat(joules, ==, second);
	g_unsetenv("PM_SETS");
	giveBack(&counter);
}

static void testUnits(void)
{
	static const struct {
		const char *unit, *end; /* In the header; NULL: no unit. */
	} rows[] = {
		{ "", ":1000000:" },
		{ NULL, ":1000000:" },
		{ "s", ":1000000:" },
		{ "ms", ":1000_ms:" },
		{ "us", ":1000000_us:" },
		{ "ns", ":1000000000_ns:" },
		{ "h", NULL },
		{ "US", NULL },
	};
	line_t lines = sessionLines("0");
	counter_t counter;

	record(MODEL_DEVICE, "0", 0, 1, &counter);
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		const char *unit = rows[i].unit;
		char *text;

		if (!rows[i].end) {
			sessionFails(PM_EINVAL, EINVAL,
				     pm_print_data_paraver("out.prv", counter,
							   lines, 0, unit));
			g_assert_false(
				g_file_test("out.prv", G_FILE_TEST_EXISTS));
			continue;
		}
		sessionGives(1, pm_print_data_paraver("out.prv", counter, lines,
						      0, unit));
		g_assert_true(
			g_file_get_contents("out.prv", &text, NULL, NULL));
		g_assert_nonnull(strstr(text, rows[i].end));
		g_free(text);
		g_unlink("out.prv");
		g_unlink("out.pcf");
		g_unlink("out.row");
	}
	/* The files beside it cannot be written. */
	g_assert_cmpint(g_mkdir("out.pcf", 0700), ==, 0);
	sessionFails(PM_EFILE, EISDIR,
		     pm_print_data_paraver("out.prv", counter, lines, 0, "us"));
	g_rmdir("out.pcf");
	g_unlink("out.prv");
	sessionGives(1, pm_get_and_print_data_paraver("out.prv", &counter,
						      lines, 0, "us"));
	g_unlink("out.prv");
	g_unlink("out.pcf");
	g_unlink("out.row");
	giveBack(&counter);
}

/* ---- States ------------------------------------------------------------ */

static void testCstates(void)
{
	line_t lines = sessionLines("0-7");
	counter_t counter;

	record(MODEL_STATES, "0-7", 0, 1, &counter);
	strcpy(pmCounterOf(&counter)->server.server_ip, model.server.server_ip);
	pmCounterOf(&counter)->server.port = model.server.port;
	/* As in figure 4 of the paper: five arguments. */
	sessionGives(1, pm_print_data_paraver_cstates("out.prv", counter, lines,
						      0, "us"));
	/* C0 has 0, 10, 20 and 30 %, C1 what is left of 50, C3 12.5, C6 37.5.
	 */
	assertFile("out.prv",
		   "#Paraver (12/07/2009 at 17:21):1000000_us:1(2):1:1(2:1)\n"
		   "2:0:1:1:1:0:90000000:1\n2:0:1:1:2:0:90000000:1\n"
		   "2:0:1:1:1:125000:90000000:2\n2:0:1:1:2:125000:90000000:2\n"
		   "2:0:1:1:1:156250:90000000:3\n2:0:1:1:2:156250:90000000:3\n"
		   "2:0:1:1:1:250000:90000000:0\n2:0:1:1:2:250000:90000000:0\n"
		   "2:0:1:1:1:275000:90000000:1\n2:0:1:1:2:275000:90000000:1\n"
		   "2:0:1:1:1:375000:90000000:2\n2:0:1:1:2:375000:90000000:2\n"
		   "2:0:1:1:1:406250:90000000:3\n2:0:1:1:2:406250:90000000:3\n"
		   "2:0:1:1:1:500000:90000000:0\n2:0:1:1:2:500000:90000000:0\n"
		   "2:0:1:1:1:550000:90000000:1\n2:0:1:1:2:550000:90000000:1\n"
		   "2:0:1:1:1:625000:90000000:2\n2:0:1:1:2:625000:90000000:2\n"
		   "2:0:1:1:1:656250:90000000:3\n2:0:1:1:2:656250:90000000:3\n"
		   "2:0:1:1:1:750000:90000000:0\n2:0:1:1:2:750000:90000000:0\n"
		   "2:0:1:1:1:825000:90000000:1\n2:0:1:1:2:825000:90000000:1\n"
		   "2:0:1:1:1:875000:90000000:2\n2:0:1:1:2:875000:90000000:2\n"
		   "2:0:1:1:1:906250:90000000:3\n"
		   "2:0:1:1:2:906250:90000000:3\n");
	assertFile("out.pcf", "DEFAULT_OPTIONS\n\n"
			      "LEVEL               THREAD\n"
			      "UNITS               MICROSEC\n"
			      "\nEVENT_TYPE\n0    90000000    C-state\n"
			      "VALUES\n0    C0\n1    C1\n2    C3\n3    C6\n"
			      "4    other\n");
	assertFile("out.row", "LEVEL NODE SIZE 1\n127.0.0.1\n\n"
			      "LEVEL THREAD SIZE 2\nCPU 0\nCPU 1\n");
	giveBack(&counter);
}

/* Some states only: of a CPU those of which nothing is known are others. */
static void testCstatesSome(void)
{
	line_t lines = sessionLines("4,7");
	counter_t counter;

	record(MODEL_STATES, "0-7", 0, 1, &counter);
	strcpy(pmCounterOf(&counter)->server.server_ip, model.server.server_ip);
	pmCounterOf(&counter)->server.port = model.server.port;
	sessionGives(1, pm_print_data_paraver_cstates("out.prv", counter, lines,
						      1, "ms", 0));
	assertFile("out.prv",
		   "#Paraver (12/07/2009 at 17:21):1000_ms:1(2):1:1(2:1)\n"
		   "2:0:1:1:2:0:90000000:3\n"
		   "2:0:1:1:2:93:90000000:4\n"
		   "2:0:1:1:2:250:90000000:0\n"
		   "2:0:1:1:2:275:90000000:3\n"
		   "2:0:1:1:2:368:90000000:4\n"
		   "2:0:1:1:2:500:90000000:0\n"
		   "2:0:1:1:2:550:90000000:3\n"
		   "2:0:1:1:2:643:90000000:4\n"
		   "2:0:1:1:2:750:90000000:0\n"
		   "2:0:1:1:2:825:90000000:3\n"
		   "2:0:1:1:2:918:90000000:4\n");
	g_unlink("out.pcf");
	g_unlink("out.row");
	giveBack(&counter);
}

static void testCstatesSeparate(void)
{
	line_t lines = sessionLines("1,6");
	counter_t counter;

	record(MODEL_STATES, "0-7", 0, 2, &counter);
	/* The server of that name cannot be asked: four lines a CPU. */
	strcpy(pmCounterOf(&counter)->server.server_ip, "/nowhere");
	sessionGives(1, pm_print_data_paraver_cstates("out.prv", counter, lines,
						      1, "us", 1));
	assertFile("out.prv",
		   "#Paraver (12/07/2009 at 17:21):1000000_us:1(2):1:1(2:1)\n"
		   "2:0:1:1:1:0:900000011:50000\n"
		   "2:0:1:1:2:0:900000012:12500\n"
		   "2:0:1:1:1:250000:900000011:40000\n"
		   "2:0:1:1:2:250000:900000012:12500\n"
		   "2:0:1:1:1:500000:900000011:30000\n"
		   "2:0:1:1:2:500000:900000012:12500\n"
		   "2:0:1:1:1:750000:900000011:20000\n"
		   "2:0:1:1:2:750000:900000012:12500\n"
		   "2:0:1:1:1:1000000:900000011:0\n"
		   "2:0:1:1:2:1000000:900000012:0\n");
	assertFile("out.pcf", "DEFAULT_OPTIONS\n\n"
			      "LEVEL               THREAD\n"
			      "UNITS               MICROSEC\n"
			      "\nEVENT_TYPE\n7    900000010    C-state C0 in "
			      "0.001 %\n"
			      "\nEVENT_TYPE\n7    900000011    C-state C1 in "
			      "0.001 %\n"
			      "\nEVENT_TYPE\n7    900000012    C-state C2 in "
			      "0.001 %\n");
	/* The second set is number 2 here, and there is no third one. */
	sessionFails(PM_ENODATA, ENODATA,
		     pm_print_data_paraver_cstates("out.prv", counter, lines, 3,
						   "us", 1));
	sessionGives(1,
		     pm_print_data_paraver_pstates("out.prv", counter,
						   sessionLines("7"), 2, "us"));
	assertFile("out.pcf", "DEFAULT_OPTIONS\n\n"
			      "LEVEL               THREAD\n"
			      "UNITS               MICROSEC\n"
			      "\nEVENT_TYPE\n7    800000010    P-state P0 in "
			      "0.001\n"
			      "\nEVENT_TYPE\n7    800000011    P-state P1 in "
			      "0.001\n"
			      "\nEVENT_TYPE\n7    800000012    P-state P2 in "
			      "0.001\n"
			      "\nEVENT_TYPE\n7    800000013    P-state P3 in "
			      "0.001\n");
	g_unlink("out.prv");
	g_unlink("out.row");
	counter.aggregate = 1;
	sessionFails(PM_EINVAL, EINVAL,
		     pm_print_data_paraver_cstates("out.prv", counter, lines, 0,
						   "us", 1));
	counter.aggregate = 0;
	giveBack(&counter);
}

/* ---- OTF --------------------------------------------------------------- */

static void testOtf(void)
{
	line_t lines = sessionLines("0,10");
	char *program = g_find_program_in_path("otfprint"), *out = NULL;
	int status = -1;
	counter_t counter;

	record(MODEL_DEVICE, "0-11", 0, 1, &counter);
	sessionGives(1, pm_print_data_otf("out.otf", counter, lines, 0));
	if (program) {
		char *argv[] = { program, (char *)"out.otf", NULL };

		g_assert_true(g_spawn_sync(NULL, argv, NULL,
					   G_SPAWN_STDERR_TO_DEV_NULL, NULL,
					   NULL, &out, NULL, &status, NULL));
		g_assert_cmpint(status, ==, 0);
		g_assert_nonnull(strstr(out, "250000 Counter: process 1, "
					     "counter 12, value 115750"));
		g_assert_nonnull(strstr(out, "name \"Line 10\", properties "
					     "ABS/NEXT/SIGNED8, group 63, "
					     "unit \"mW\""));
		g_assert_nonnull(strstr(out, "1000000 EndProcess: process 1"));
	}
	g_free(out);
	g_free(program);
	assertFile("out.otf", "1:1\n");
	assertFile("out.0.def", "DTRf4240\nDCR\"libpm " PACKAGE_VERSION "\"\n"
				"DP1NM\"Power\"\nDCG3fNM\"Power\"\n"
				"DCNT1G3fNM\"Sum\"P2dU\"mW\"\n"
				"DCNT2G3fNM\"Line 0\"P2dU\"mW\"\n"
				"DCNTcG3fNM\"Line 10\"P2dU\"mW\"\n");
	assertFile("out.1.events",
		   "0\n*1\nPB\n"
		   "0\n*1\nCNT2V2904\nCNTcV1c32c\nCNT1V1ec30\n"
		   "3d090\n*1\nCNT2V29fe\nCNTcV1c426\nCNT1V1ee24\n"
		   "7a120\n*1\nCNT2V2af8\nCNTcV1c520\nCNT1V1f018\n"
		   "b71b0\n*1\nCNT2V2bf2\nCNTcV1c61a\nCNT1V1f20c\n"
		   "f4240\n*1\nCNT2V0\nCNTcV0\nCNT1V0\n"
		   "f4240\n*1\nPE\n");
	sessionFails(PM_EFILE, ENOENT,
		     pm_print_data_otf("no/out", counter, lines, 0));
	giveBack(&counter);
}

int main(int argc, char **argv)
{
	char *directory = sessionInit(&argc, &argv, "60");
	int result;

	model.dialect = 'B';
	modelStart(&model);
	g_test_add_func("/pm/print/text", testText);
	g_test_add_func("/pm/print/aggregate", testTextAggregate);
	g_test_add_func("/pm/print/info", testInfo);
	g_test_add_func("/pm/print/numbers", testNumbers);
	g_test_add_func("/pm/print/stdout", testStdout);
	g_test_add_func("/pm/print/empty-set", testEmptySet);
	g_test_add_func("/pm/print/paraver", testParaver);
	g_test_add_func("/pm/print/paraver-sets", testParaverSets);
	g_test_add_func("/pm/print/sets-from-1", testSetsFrom1);
	g_test_add_func("/pm/print/units", testUnits);
	g_test_add_func("/pm/print/cstates", testCstates);
	g_test_add_func("/pm/print/cstates-some", testCstatesSome);
	g_test_add_func("/pm/print/cstates-separate", testCstatesSeparate);
	g_test_add_func("/pm/print/otf", testOtf);
	result = sessionRun(directory);
	modelStop(&model);
	return result;
}
