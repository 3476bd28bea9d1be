/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The text of the kernel: one table of what files with a single value may hold,
 * for sysfs and procfs.
 */
#include "config.h"

#include <string.h>

#include <glib.h>

#include "common/scan.h"

/** No number. */
#define NONE INT64_MIN

static const struct {
	const char *text;
	int64_t number; /**< Of a file with one number, perhaps negative. */
	int64_t first;  /**< Of a line with others behind it. */
} cases[] = {
	{ "0\n", 0, 0 },
	{ "12\n", 12, 12 },
	{ "12", 12, 12 },
	{ "00000000000000000012\n", 12, 12 },
	{ " 12 \n", 12, 12 },
	{ "\t12\t\n", 12, 12 },
	{ "9223372036854775807\n", INT64_MAX, INT64_MAX },
	/* Negative: a battery while it charges. */
	{ "-1500000\n", -1500000, NONE },
	{ "-0\n", 0, NONE },
	{ "- 1\n", NONE, NONE },
	{ "--1\n", NONE, NONE },
	{ "+1\n", NONE, NONE },
	/* Too large. */
	{ "9223372036854775808\n", NONE, NONE },
	{ "18446744073709551616\n", NONE, NONE },
	{ "99999999999999999999999999\n", NONE, NONE },
	/* Nothing, and what kernels and drivers say instead. */
	{ "", NONE, NONE },
	{ "\n", NONE, NONE },
	{ " \n", NONE, NONE },
	{ "<unknown>\n", NONE, NONE },
	{ "<not supported>\n", NONE, NONE },
	{ "N/A\n", NONE, NONE },
	{ "nan\n", NONE, NONE },
	{ "inf\n", NONE, NONE },
	/* Other units and bases, and more than one number. */
	{ "12 kB\n", NONE, 12 },
	{ "12kB\n", NONE, 12 },
	{ "1.5\n", NONE, 1 },
	{ "1e6\n", NONE, 1 },
	{ "0x10\n", NONE, 0 },
	{ "1,000\n", NONE, 1 },
	{ "12 13\n", NONE, 12 },
	{ "12\n13\n", NONE, 12 },
	{ "12\n\n", NONE, 12 },
	/* Bytes that are no text. */
	{ "\xff\xfe\n", NONE, NONE },
	{ "12\xff\n", NONE, 12 },
	{ "\xef\xbc\x91\n", NONE, NONE },
};

static struct hdScan scanOf(const char *text)
{
	return (struct hdScan){ text, text + strlen(text) };
}

static void testSigned(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct hdScan scan = scanOf(cases[i].text);
		int64_t number = NONE;
		bool isNumber =
			hdScanSigned(&scan, &number) && hdScanIsEnd(&scan);

		g_test_message("\"%s\"", cases[i].text);
		g_assert_cmpint(isNumber, ==, cases[i].number != NONE);
		if (isNumber)
			g_assert_cmpint(number, ==, cases[i].number);
	}
}

static void testOnly(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		bool isNumber =
			cases[i].number != NONE && !strchr(cases[i].text, '-');
		struct hdScan scan = scanOf(cases[i].text);
		uint64_t number = 4711;

		g_test_message("\"%s\"", cases[i].text);
		/* Counters have 64 bits. */
		if (g_str_has_prefix(cases[i].text, "9223372036854775808"))
			continue;
		g_assert_cmpint(hdScanOnly(&scan, &number), ==, isNumber);
		g_assert_cmpuint(number, ==,
				 isNumber ? (guint64)cases[i].number : 4711);
	}
}

static void testFirst(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct hdScan scan = scanOf(cases[i].text);
		uint64_t number;
		bool isNumber =
			hdScanNumber(&scan, &number) && number <= INT64_MAX;

		g_test_message("\"%s\"", cases[i].text);
		g_assert_cmpint(isNumber, ==, cases[i].first != NONE);
		if (isNumber)
			g_assert_cmpuint(number, ==, (guint64)cases[i].first);
	}
}

/* A line of a megabyte: of zeros before a number, of digits, and of blanks. */
static void testLong(void)
{
	const size_t size = 1 << 20;
	char *text = g_malloc(size + 1);
	struct hdScan scan;
	uint64_t number;

	text[size] = '\0';
	memset(text, '9', size);
	scan = scanOf(text);
	g_assert_false(hdScanOnly(&scan, &number));
	memset(text, ' ', size);
	scan = scanOf(text);
	g_assert_false(hdScanOnly(&scan, &number));
	text[size - 1] = '7';
	scan = scanOf(text);
	g_assert_true(hdScanOnly(&scan, &number));
	g_assert_cmpuint(number, ==, 7);
	memset(text, '0', size - 1);
	scan = scanOf(text);
	g_assert_true(hdScanOnly(&scan, &number));
	g_assert_cmpuint(number, ==, 7);
	g_free(text);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/scan/signed", testSigned);
	g_test_add_func("/scan/only", testOnly);
	g_test_add_func("/scan/first", testFirst);
	g_test_add_func("/scan/long", testLong);
	return g_test_run();
}
