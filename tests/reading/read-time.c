/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Times in text. */
#include "config.h"

#include <errno.h>
#include <glib.h>

#include "HDTraceReadingCLibrary/src/timeparse.h"

#define S INT64_C(1000000000)
#define BAD INT64_MIN

static const struct row {
	const char *text;
	int64_t time;       /* As the time of a record; BAD: refused. */
	int64_t adjustment; /* As a time adjustment. */
} rows[] = {
	{ "0", 0, 0 },
	{ "1", S, S },
	{ "1.", S, S },
	{ ".5", S / 2, S / 2 },
	{ "-.5", -S / 2, -S / 2 },
	{ "1.5", S + S / 2, S + S / 2 },
	{ "+1.5", S + S / 2, S + S / 2 },
	{ "-1.5", -S - S / 2, -S - S / 2 },
	{ "-0000000000.000000000", 0, 0 },
	{ "0.000000001", 1, 1 },
	{ "-0.000000001", -1, -1 },
	{ "0.0000000019", 1, 1 },
	{ "0.1", S / 10, S / 10 },
	{ "0.3", 300000000, 300000000 },
	{ "1240651036.309884", INT64_C(1240651036309884000),
	  INT64_C(1240651036309884000) },
	{ "-1241465909.61045", INT64_C(-1241465909610450000),
	  INT64_C(-1241465909610450000) },
	{ "4294967295.999999999", INT64_C(4294967295999999999),
	  INT64_C(4294967295999999999) },
	{ "0000000000000000000000000000000000001", S, S },
	{ "4300000000", BAD, BAD },
	{ "99999999999999999999999999999999", BAD, BAD },
	{ "18446744073709551617", BAD, BAD },
	{ "", BAD, 0 },
	{ " \t\n", BAD, 0 },
	{ " 1 ", BAD, S },
	{ "1s", BAD, S },
	{ "1.5s ", BAD, S + S / 2 },
	{ "1500ms", BAD, S + S / 2 },
	{ "-5.02ms", BAD, -5020000 },
	{ "0.0000019ms", BAD, 1 },
	{ "4299999999999ms", BAD, INT64_C(4299999999999000000) },
	{ "4300000000000ms", BAD, BAD },
	{ ".", BAD, BAD },
	{ "-", BAD, BAD },
	{ "--1", BAD, BAD },
	{ "+-1", BAD, BAD },
	{ "1-", BAD, BAD },
	{ "1.5.5", BAD, BAD },
	{ "1,5", BAD, BAD },
	{ "1e3", BAD, BAD },
	{ "0x10", BAD, BAD },
	{ "nan", BAD, BAD },
	{ "inf", BAD, BAD },
	{ "s", BAD, BAD },
	{ "ms", BAD, BAD },
	{ "1m", BAD, BAD },
	{ "1 s", BAD, BAD },
	{ "1us", BAD, BAD },
	{ "1ss", BAD, BAD },
	{ "1sm", BAD, BAD },
	{ "1.5-ms", BAD, BAD },
};

static void check(int (*parse)(const char *text, int64_t *time),
		  const char *text, int64_t expected)
{
	int64_t time = 42;
	int ret = parse(text, &time);

	g_test_message("\"%s\"", text);
	if (expected == BAD) {
		g_assert_cmpint(ret, ==, -EINVAL);
		g_assert_cmpint(time, ==, 42);
	} else {
		g_assert_cmpint(ret, ==, 0);
		g_assert_cmpint(time, ==, expected);
	}
}

static void testTimes(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
		check(hdITimeParse, rows[i].text, rows[i].time);
}

static void testAdjustments(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
		check(hdITimeParseAdjustment, rows[i].text, rows[i].adjustment);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/read-time/times", testTimes);
	g_test_add_func("/read-time/adjustments", testAdjustments);
	return g_test_run();
}
