/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Configuration files: what they say, and what is wrong with them. */
#include "config.h"

#include <errno.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "common/ini.h"

static void report(void *context, long line, const char *text)
{
	g_string_append_printf(context, "%ld: %s\n", line, text);
}

/* Print what was parsed: "[Section@line key@line=value ...]". */
static char *print(const struct hdIni *ini)
{
	GString *text = g_string_new(NULL);

	for (size_t i = 0; i < ini->count; i++) {
		const struct hdIniSection *section = &ini->sections[i];

		g_string_append_printf(text, "[%s@%ld", section->name,
				       section->line);
		for (size_t j = 0; j < section->count; j++)
			g_string_append_printf(
				text, " %s@%ld=%s", section->keys[j].name,
				section->keys[j].line, section->keys[j].value);
		g_string_append_c(text, ']');
	}
	return g_string_free(text, FALSE);
}

static void check(const char *text, size_t length, const char *expected,
		  const char *errors)
{
	GString *reported = g_string_new(NULL);
	struct hdIni ini;
	char *found;

	g_assert_cmpint(hdIniParse(text, length, report, reported, &ini), ==,
			0);
	found = print(&ini);
	g_assert_cmpstr(found, ==, expected);
	g_assert_cmpstr(reported->str, ==, errors);
	g_free(found);
	g_string_free(reported, TRUE);
	hdIniClear(&ini);
}

static void testTable(void)
{
	static const struct {
		const char *text;
		const char *expected;
		const char *errors;
	} cases[] = {
		{ "", "", "" },
		{ "\n\n  \t\n", "", "" },
		{ "# x\n; y\n  # [z]\n", "", "" },
		{ "[A]\n", "[A@1]", "" },
		{ "[A]", "[A@1]", "" },
		{ "[A]\nk=v", "[A@1 k@2=v]", "" },
		{ "[A]\nk=v\n", "[A@1 k@2=v]", "" },
		{ "  [ A ]  \n\t k \t = \t v w \t\n", "[A@1 k@2=v w]", "" },
		{ "[A]\r\nk=v\r\n\r\n", "[A@1 k@2=v]", "" },
		{ "\xef\xbb\xbf[A]\nk=v\n", "[A@1 k@2=v]", "" },
		{ "[A]\nk=v#w;x # y\n", "[A@1 k@2=v#w;x # y]", "" },
		{ "[A]\nk=a=b\n", "[A@1 k@2=a=b]", "" },
		{ "[A]\nk=\n", "[A@1 k@2=]", "" },
		/* Sections repeat and keep their order. */
		{ "[T]\nn=a\n[G]\n[T]\nn=b\n", "[T@1 n@2=a][G@3][T@4 n@5=b]",
		  "" },
		{ "[A]\nb=1\na=2\nc=3\n", "[A@1 b@2=1 a@3=2 c@4=3]", "" },
		/* Case counts. */
		{ "[A]\nk=1\nK=2\n", "[A@1 k@2=1 K@3=2]", "" },
		{ "[A]\nk=1\nk=2\nk=3\n", "[A@1 k@2=1]",
		  "3: k is set twice; first in line 2\n"
		  "4: k is set twice; first in line 2\n" },
		{ "k=1\n[A]\n", "[A@2]",
		  "1: key before the first [Section]\n" },
		{ "[A]\nnonsense\nk=1\n", "[A@1 k@3=1]",
		  "2: neither [Section] nor key=value\n" },
		{ "[A]\n=v\n", "[A@1]", "2: value without a key\n" },
		{ "[]\nk=1\n[A]\n", "[A@3]", "1: section without a name\n" },
		{ "[ \t]\n", "", "1: section without a name\n" },
		/* What follows is not put into the section before. */
		{ "[A]\nk=1\n[B\nk=2\n[C] x\nk=3\n", "[A@1 k@2=1]",
		  "3: invalid section; expected [Name]\n"
		  "5: invalid section; expected [Name]\n" },
		{ "[", "", "1: invalid section; expected [Name]\n" },
		{ "[A]\n\xff\xfe=\x80\n", "[A@1 \xff\xfe@2=\x80]", "" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_test_message("case %zu", i);
		check(cases[i].text, strlen(cases[i].text), cases[i].expected,
		      cases[i].errors);
	}
}

static void testNul(void)
{
	static const char text[] = "[A]\nk=1\0x\n\0\nm=2\n";

	check(text, sizeof(text) - 1, "[A@1 m@4=2]",
	      "2: a NUL byte: not a text file\n"
	      "3: a NUL byte: not a text file\n");
}

static void testLongLine(void)
{
	GString *text = g_string_new("[A]\nk="), *expected;

	expected = g_string_new("[A@1 k@2=");
	for (int i = 0; i < 50000; i++) {
		g_string_append_c(text, 'x');
		g_string_append_c(expected, 'x');
	}
	g_string_append(text, "\nl=1\n");
	g_string_append(expected, " l@3=1]");
	check(text->str, text->len, expected->str, "");
	g_string_free(text, TRUE);
	g_string_free(expected, TRUE);
}

static void testManySections(void)
{
	GString *text = g_string_new(NULL), *expected = g_string_new(NULL);

	for (int i = 0; i < 1000; i++) {
		g_string_append_printf(text, "[S%d]\na=%d\nb=\n", i, i);
		g_string_append_printf(expected, "[S%d@%d a@%d=%d b@%d=]", i,
				       3 * i + 1, 3 * i + 2, i, 3 * i + 3);
	}
	check(text->str, text->len, expected->str, "");
	g_string_free(text, TRUE);
	g_string_free(expected, TRUE);
}

static void testFiles(void)
{
	char *directory = g_dir_make_tmp("hdtrace-ini-XXXXXX", NULL);
	char *path = g_build_filename(directory, "test.cfg", NULL);
	char *large = g_malloc(HD_INI_MAX + 1);
	GString *reported = g_string_new(NULL);
	struct hdIni ini;
	char *found;

	g_assert_cmpint(hdIniRead(path, report, reported, &ini), ==, -ENOENT);
	g_assert_cmpint(hdIniRead(directory, report, reported, &ini), ==,
			-EISDIR);
	memset(large, '\n', HD_INI_MAX + 1);
	memcpy(large, "[A]", 3);
	g_assert_true(g_file_set_contents(path, large, HD_INI_MAX + 1, NULL));
	g_assert_cmpint(hdIniRead(path, report, reported, &ini), ==, -EFBIG);
	g_assert_true(g_file_set_contents(path, large, HD_INI_MAX, NULL));
	g_assert_cmpint(hdIniRead(path, report, reported, &ini), ==, 0);
	found = print(&ini);
	g_assert_cmpstr(found, ==, "[A@1]");
	g_assert_null(hdIniFind(&ini.sections[0], "k"));
	hdIniClear(&ini);
	g_assert_cmpstr(reported->str, ==, "");
	g_free(found);
	g_string_free(reported, TRUE);
	g_unlink(path);
	g_rmdir(directory);
	g_free(large);
	g_free(path);
	g_free(directory);
}

/* ---- Tables -------------------------------------------------------------- */

struct wanted {
	const char *text;
	double number;
	int64_t ns;
};

struct walk {
	GString *reported;
	struct wanted wanted;
};

static void reportWalk(void *context, long line, const char *text)
{
	report(((struct walk *)context)->reported, line, text);
}

static void takeOne(const struct hdIniSection *section, void *context)
{
	static const struct hdIniField fields[] = {
		{ "text", HD_INI_TEXT, offsetof(struct wanted, text), 0, 0, 0,
		  true },
		{ "number", HD_INI_NUMBER, offsetof(struct wanted, number), 0,
		  INFINITY, 0, false },
		{ "any", HD_INI_NUMBER, offsetof(struct wanted, number), 0, 0,
		  0, false },
		{ "seconds", HD_INI_WHOLE, offsetof(struct wanted, ns), 1, 60,
		  1000000000, false },
		{ .name = "other" },
		{ .name = NULL }
	};
	struct walk *walk = context;

	hdIniTake(section, fields, &walk->wanted, reportWalk, walk);
}

static void takeNamed(const struct hdIniSection *section, void *context)
{
	g_string_append_printf(((struct walk *)context)->reported, "<%s>\n",
			       section->name);
}

static void testTables(void)
{
	static const struct hdIniPart parts[] = {
		{ "One", true, true, takeOne },
		{ "each ", false, false, takeNamed },
		{ "Silent", false, false, NULL },
		{ .name = NULL }
	};
	static const struct {
		const char *text, *errors;
	} cases[] = {
		{ "[One]\ntext=a\nnumber=1.5\nseconds=2\nother=\n[each b]\n"
		  "[Silent]\n[each c]\n",
		  "<each b>\n<each c>\n" },
		{ "", "0: missing section [One]\n" },
		{ "[one]\n[One]\ntext=\n[One]\n[each]\n",
		  "1: unknown section [one]; expected A\n"
		  "4: duplicate section [One]; the first one is in line 2\n"
		  "5: unknown section [each]; expected A\n3: text= is "
		  "empty\n" },
		{ "[One]\nTEXT=a\n",
		  "1: [One]: missing key text=\n2: unknown key \"TEXT\" in "
		  "[One]; expected one of text, number, any, seconds, "
		  "other\n" },
		{ "[One]\ntext=a\nnumber=-1\nany=0x1\nseconds=61\n",
		  "3: number=-1: invalid number; expected at least 0\n"
		  "4: any=0x1: invalid number\n"
		  "5: seconds=61: invalid number; expected 1 to 60\n" },
		{ "[One]\ntext=a\nseconds=1e1\n",
		  "3: seconds=1e1: invalid number; expected 1 to 60\n" },
		{ "[One]\ntext=a\nseconds=1.0\n",
		  "3: seconds=1.0: invalid number; expected 1 to 60\n" },
		{ "[One]\ntext=a\nseconds=+2\n",
		  "3: seconds=+2: invalid number; expected 1 to 60\n" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct walk walk = { g_string_new(NULL), { NULL, 7, 7 } };
		struct hdIni ini;

		g_assert_cmpint(hdIniParse(cases[i].text, strlen(cases[i].text),
					   reportWalk, &walk, &ini),
				==, 0);
		hdIniSections(&ini, parts, "A", reportWalk, &walk);
		g_assert_cmpstr(walk.reported->str, ==, cases[i].errors);
		g_assert_cmpfloat(walk.wanted.number, ==, i == 0 ? 1.5 : 7);
		g_assert_cmpint(walk.wanted.ns, ==, i == 0 ? 2000000000 : 7);
		hdIniClear(&ini);
		g_string_free(walk.reported, TRUE);
	}
}

static void testNumbers(void)
{
	double values[2];
	size_t count;

	g_assert_cmpint(hdIniNumbers(" 1\t-2.5e1 ", values, 2, &count), ==, 0);
	g_assert_cmpuint(count, ==, 2);
	g_assert_cmpfloat(values[0], ==, 1);
	g_assert_cmpfloat(values[1], ==, -25);
	g_assert_cmpint(hdIniNumbers(" ", values, 2, &count), ==, 0);
	g_assert_cmpuint(count, ==, 0);
	g_assert_cmpint(hdIniNumbers("1 2 3", values, 2, &count), ==, -EINVAL);
	g_assert_cmpint(hdIniNumbers("1,5", values, 2, &count), ==, -EINVAL);
	g_assert_cmpint(hdIniNumbers("nan", values, 2, &count), ==, -EINVAL);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/ini/table", testTable);
	g_test_add_func("/ini/nul", testNul);
	g_test_add_func("/ini/long-line", testLongLine);
	g_test_add_func("/ini/many-sections", testManySections);
	g_test_add_func("/ini/files", testFiles);
	g_test_add_func("/ini/tables", testTables);
	g_test_add_func("/ini/numbers", testNumbers);
	return g_test_run();
}
