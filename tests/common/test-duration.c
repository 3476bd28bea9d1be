/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Durations with a unit.
 */
#include "config.h"

#include <errno.h>
#include <glib.h>

#include "common/duration.h"

#define US G_GINT64_CONSTANT(1000)
#define MS (1000 * US)
#define SECOND (1000 * MS)

static void testDurations(void)
{
	static const struct {
		const char *text;
		int64_t unit;
		int ret;
		int64_t ns;
		bool hasUnit;
	} rows[] = {
		{ "500us", SECOND, 0, 500 * US, true },
		{ "10ms", SECOND, 0, 10 * MS, true },
		{ "5s", MS, 0, 5 * SECOND, true },
		{ "2min", MS, 0, 120 * SECOND, true },
		{ "1h", MS, 0, 3600 * SECOND, true },
		{ "7ns", MS, 0, 7, true },
		{ "10 ms", SECOND, 0, 10 * MS, true },
		{ "0.5s", MS, 0, 500 * MS, true },
		{ ".25h", MS, 0, 900 * SECOND, true },
		{ "1.s", MS, 0, SECOND, true },
		{ "-1.5ms", MS, 0, -1500 * US, true },
		{ "+2s", MS, 0, 2 * SECOND, true },
		{ "0.123456789123456789s", MS, 0, 123456789, true },
		{ "0.3333333333333333h", MS, 0, 1200 * SECOND - 1, true },
		{ "0", SECOND, 0, 0, false },
		{ "10", SECOND, 0, 10 * SECOND, false },
		{ "10", MS, 0, 10 * MS, false },
		{ "0.5", MS, 0, 500 * US, false },
		{ "2562047h", MS, 0, G_GINT64_CONSTANT(2562047) * 3600 * SECOND,
		  true },
		{ "2562048h", MS, -ERANGE, 0, false },
		{ "99999999999999999999ns", MS, -ERANGE, 0, false },
		{ "9223372036.9s", MS, -ERANGE, 0, false },
		{ "", MS, -EINVAL, 0, false },
		{ "s", MS, -EINVAL, 0, false },
		{ ".s", MS, -EINVAL, 0, false },
		{ "-", MS, -EINVAL, 0, false },
		{ " 1s", MS, -EINVAL, 0, false },
		{ "1s ", MS, -EINVAL, 0, false },
		{ "1  s", MS, -EINVAL, 0, false },
		{ "1m", MS, -EINVAL, 0, false },
		{ "1S", MS, -EINVAL, 0, false },
		{ "1e3s", MS, -EINVAL, 0, false },
		{ "1,5s", MS, -EINVAL, 0, false },
		{ "nan", MS, -EINVAL, 0, false },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		int64_t ns = 0;
		bool hasUnit = false;

		g_test_message("\"%s\"", rows[i].text);
		g_assert_cmpint(hdDurationParse(rows[i].text, rows[i].unit, &ns,
						&hasUnit),
				==, rows[i].ret);
		g_assert_cmpint(ns, ==, rows[i].ns);
		g_assert_cmpint(hasUnit, ==, rows[i].hasUnit);
	}
}

static void testUnits(void)
{
	g_assert_cmpint(hdDurationUnit("ms"), ==, MS);
	g_assert_cmpint(hdDurationUnit("min"), ==, 60 * SECOND);
	g_assert_cmpint(hdDurationUnit(""), ==, 0);
	g_assert_cmpint(hdDurationUnit("day"), ==, 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/duration/parse", testDurations);
	g_test_add_func("/duration/units", testUnits);
	return g_test_run();
}
