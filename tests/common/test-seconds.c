/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Times as decimal numbers.
 */
#include "config.h"

#include <errno.h>
#include <glib.h>

#include "common/format/seconds.h"

#define SECOND G_GINT64_CONSTANT(1000000000)

static void testSeconds(void)
{
	static const struct {
		const char *text;
		int ret;
		int64_t ns;
	} rows[] = {
		{ "0", 0, 0 },
		{ "12", 0, 12 * SECOND },
		{ "-0.5", 0, -SECOND / 2 },
		{ "+.25", 0, SECOND / 4 },
		{ "1.", 0, SECOND },
		{ "1247419294.305196001", 0, 1247419294305196001 },
		{ "", -EINVAL, 0 },
		{ "-", -EINVAL, 0 },
		{ ".", -EINVAL, 0 },
		{ "1e3", -EINVAL, 0 },
		{ " 1", -EINVAL, 0 },
		{ "1s", -EINVAL, 0 },
		{ "0.0000000001", -EINVAL, 0 },
		{ "9223372036", 0, 9223372036 * SECOND },
		{ "92233720368", -ERANGE, 0 },
		{ "9223372036.9", -ERANGE, 0 },
		{ "99999999999999999999", -ERANGE, 0 },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		int64_t ns = 0;

		g_test_message("\"%s\"", rows[i].text);
		g_assert_cmpint(hdSecondsParse(rows[i].text, &ns), ==,
				rows[i].ret);
		g_assert_cmpint(ns, ==, rows[i].ns);
	}
}

static void testAdjustments(void)
{
	static const struct {
		const char *text;
		int ret;
		int64_t ns;
	} rows[] = {
		{ "", 0, 0 },
		{ "-0000000000.000000000", 0, 0 },
		{ "-1241465909.61045s", 0, -1241465909610450000 },
		{ "250ms", 0, SECOND / 4 },
		{ " 1.1234567891 ", 0, 1123456789 },
		{ "m", -EINVAL, 0 },
		{ "1 s s", -EINVAL, 0 },
		{ "nan", -EINVAL, 0 },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		int64_t ns = 0;

		g_test_message("\"%s\"", rows[i].text);
		g_assert_cmpint(hdAdjustmentParse(rows[i].text, &ns), ==,
				rows[i].ret);
		g_assert_cmpint(ns, ==, rows[i].ns);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/seconds/numbers", testSeconds);
	g_test_add_func("/seconds/adjustments", testAdjustments);
	return g_test_run();
}
