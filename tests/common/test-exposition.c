/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Texts in the exposition formats of metrics.
 */
#include "config.h"

#include <glib.h>

#include "common/format/exposition.h"

#define FFFD "\xef\xbf\xbd"

static char *expose(enum hdExposition where, const char *text)
{
	GString *out = g_string_new(NULL);
	char piece[HD_EXPOSITION_PIECE];

	while (*text) {
		size_t length = hdExpositionPiece(where, &text, piece);

		g_assert_cmpuint(length, <=, sizeof(piece));
		g_string_append_len(out, piece, (gssize)length);
	}
	return g_string_free(out, FALSE);
}

static void testTexts(void)
{
	static const struct {
		const char *text, *label, *help;
	} rows[] = {
		{ "", "", "" },
		{ "a\\b", "a\\\\b", "a\\\\b" },
		{ "a\nb", "a\\nb", "a\\nb" },
		/* A quote ends a label, and is an unknown escape in HELP. */
		{ "a\"b", "a\\\"b", "a\"b" },
		{ "\\", "\\\\", "\\\\" },
		{ "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80",
		  "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80",
		  "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80" },
		{ "a\xff"
		  "b\xc3",
		  "a" FFFD "b" FFFD, "a" FFFD "b" FFFD },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		char *label = expose(HD_EXPOSITION_LABEL, rows[i].text);
		char *help = expose(HD_EXPOSITION_HELP, rows[i].text);
		char *open = expose(HD_EXPOSITION_OPEN_HELP, rows[i].text);

		g_assert_cmpstr(label, ==, rows[i].label);
		g_assert_cmpstr(help, ==, rows[i].help);
		g_assert_cmpstr(open, ==, rows[i].label);
		g_free(label);
		g_free(help);
		g_free(open);
	}
}

static void testNames(void)
{
	static const struct {
		const char *text, *name;
	} rows[] = {
		{ "NET_IN_eth0.5", "net_in_eth0_5" },
		{ "STORAGE_FREE_/scratch", "storage_free__scratch" },
		{ "a\\b", "ax5cb" },
		{ "a\"b", "ax22b" },
		{ "\xff", "xff" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		GString *name = g_string_new(NULL);

		for (const char *at = rows[i].text; *at; at++) {
			char piece[HD_EXPOSITION_PIECE];
			size_t length = hdExpositionNamePiece(
				(unsigned char)*at, piece);

			g_string_append_len(name, piece, (gssize)length);
		}
		g_assert_cmpstr(name->str, ==, rows[i].name);
		g_string_free(name, TRUE);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/exposition/texts", testTexts);
	g_test_add_func("/exposition/names of metrics", testNames);
	return g_test_run();
}
