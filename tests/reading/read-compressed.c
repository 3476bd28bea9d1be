/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: both */
/* Compressed files: read like plain ones, cut, damaged, and hostile. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "HDTraceReadingCLibrary/src/file.h"
#include "common/format/frame.h"
#include "common/format/zstd.h"
#include "tests/reading/made.h"
#include "tests/reading/reading.h"

static const char trace[] =
	"<Program timeAdjustment='100'>\n"
	"<Nested>\n<Nested>\n<a time='1' end='2' k='v'/>\n</Nested>\n"
	"<b time='3' end='4'><c d='e'>text &amp; more</c><c/></b>\n"
	"<Event name='x' time='5'/>\n</Nested>\n"
	"<d time='6' end='7'/>\n"
	"<f time='10' end='11' />\n"
	"</Program>\n";

/* ---- The same as plain ------------------------------------------------- */

static void expectSame(const char *name, const char *plain, gsize size,
		       const struct made *made)
{
	char *compressed = g_strconcat(name, ".zst", NULL);
	struct reading one, other;

	readingInit(&one);
	readingInit(&other);
	readingRun(&one, name, plain, size);
	readingRun(&other, compressed, made->bytes->str, made->bytes->len);
	g_assert_cmpstr(other.messages->str, ==, one.messages->str);
	g_assert_cmpstr(other.values->str, ==, one.values->str);
	g_assert_cmpint(other.result, ==, one.result);
	readingClear(&one);
	readingClear(&other);
	g_free(compressed);
}

/* With frames of each size, with and without a table, and with an empty and a
 * skippable frame. */
static void compareAll(const char *name, const char *plain, gsize size)
{
	for (gsize step = 1; step <= size; step = step * 3 / 2 + 1) {
		struct made made = madeFrames(plain, size, step);

		expectSame(name, plain, size, &made);
		madeAddTable(&made);
		expectSame(name, plain, size, &made);
		madeAddFrame(&made, "", 0, TRUE);
		g_string_prepend_len(made.bytes, "\x50\x2a\x4d\x18\x01\0\0\0x",
				     9);
		expectSame(name, plain, size, &made);
		madeFree(&made);
	}
}

static void testSame(void)
{
	GString *bytes = readingStat(NULL, NULL, "INT32 STRING", NULL,
				     "T1 T2 I1 Sa GAP T3 T4 I2 Sb");

	compareAll("test.trc", trace, sizeof(trace) - 1);
	compareAll("test.stat", bytes->str, bytes->len);
	g_string_free(bytes, TRUE);
}

/* ---- Cut --------------------------------------------------------------- */

static void testCut(void)
{
	const gsize size = sizeof(trace) - 1;
	struct made made = madeFrames(trace, size, 40);
	gsize whole = made.bytes->len;

	madeAddTable(&made);
	for (gsize cut = 0; cut < made.bytes->len; cut++) {
		gsize plain = 0, stored = 0;
		struct reading full, reading;

		for (guint i = 0; i < made.entries->len; i++) {
			const struct hdFrameEntry *entry = &g_array_index(
				made.entries, struct hdFrameEntry, i);

			if (stored + entry->stored > cut)
				break;
			stored += entry->stored;
			plain += entry->plain;
		}
		readingInit(&full);
		readingInit(&reading);
		readingRun(&full, "test.trc", trace, plain);
		readingRun(&reading, "test.trc.zst", made.bytes->str, cut);
		g_assert_cmpstr(reading.values->str, ==, full.values->str);
		if (cut != stored && cut != whole) {
			char *message = g_strdup_printf("zst.cut@%zu\n", plain);

			g_assert_true(g_str_has_prefix(reading.messages->str,
						       message));
			g_free(message);
		} else {
			g_assert_cmpstr(reading.messages->str, ==,
					full.messages->str);
		}
		readingClear(&full);
		readingClear(&reading);
	}
	madeFree(&made);
}

/* ---- Damaged ----------------------------------------------------------- */

static void testResume(void)
{
	GString *bytes = readingStat(NULL, NULL, "INT32", NULL,
				     "T1 T2 I1 T3 I2 T4 I3 T5 I4 T6 I5 T7 I6");
	gsize head = bytes->len - 8 - 6 * 12;
	struct made made = madeNew();
	struct reading reading;
	gsize bad;

	madeAddFrame(&made, bytes->str, head + 8, TRUE);
	madeAddFrame(&made, bytes->str + head + 8, 24, TRUE);
	bad = made.bytes->len;
	madeAddFrame(&made, bytes->str + head + 32, 12, FALSE);
	madeAddFrame(&made, bytes->str + head + 44, 36, TRUE);
	madeAddTable(&made);
	made.bytes->str[bad + 8] ^= 0x40;
	readingInit(&reading);
	readingRun(&reading, "test.stat.zst", made.bytes->str, made.bytes->len);
	g_assert_true(g_str_has_prefix(reading.messages->str, "zst.frame@"));
	g_assert_cmpint(reading.result, ==, 0);
	/* Entries 1, 2, 5 and 6: the start of the fourth is not known. */
	g_assert_nonnull(strstr(reading.values->str, "2"));
	g_assert_cmpuint(reading.ends->len, ==, 4);
	readingClear(&reading);
	madeFree(&made);
	g_string_free(bytes, TRUE);
}

/* Lines of a trace, each of which can be lost, and how many lines of values
 * each has. */
static const struct {
	const char *line;
	const char *value;
} lines[] = {
	{ "<Program timeAdjustment='1'>\n", NULL },
	{ "<a time='1' end='2'/>\n", " state a " },
	{ "<Nested>\n", NULL },
	{ "<b time='3' end='4' x='&lt;Nested>'><c y='/'/></b>\n", " state b " },
	{ "<Nested>\n", NULL },
	{ "<d time='4' end='5'/>\n", " state d " },
	{ "</Nested>\n", NULL },
	{ "<!-- </Nested -->\n", NULL },
	{ "<f time='4' end='5'/>\n", " state f " },
	{ "</Nested>\n", NULL },
	{ "<g time='3' end='6'/>\n", " state g " },
	{ "</Program>\n", NULL },
};

/* Remove the lines of a record from what was read. */
static char *withoutRecord(const char *values, const char *name)
{
	char **all = g_strsplit(values, "\n", -1);
	GString *rest = g_string_new(NULL);

	for (gsize i = 0; all[i] && (*all[i] || all[i + 1]); i++) {
		if (!name || !strstr(all[i], name))
			g_string_append_printf(rest, "%s\n", all[i]);
	}
	g_strfreev(all);
	return g_string_free(rest, FALSE);
}

/* Whatever frame is damaged, all other records are read, at their depths. */
static void testResumeTrace(void)
{
	GString *plain = g_string_new(NULL);
	struct reading full;

	for (gsize i = 0; i < G_N_ELEMENTS(lines); i++)
		g_string_append(plain, lines[i].line);
	readingInit(&full);
	readingRun(&full, "test.trc", plain->str, plain->len);
	for (gsize lost = 1; lost < G_N_ELEMENTS(lines); lost++) {
		struct made made = madeNew();
		struct reading reading;
		gsize bad = 0;
		char *expected =
			withoutRecord(full.values->str, lines[lost].value);

		for (gsize i = 0; i < G_N_ELEMENTS(lines); i++) {
			if (i == lost)
				bad = made.bytes->len;
			madeAddFrame(&made, lines[i].line,
				     strlen(lines[i].line), i != lost);
		}
		madeAddTable(&made);
		made.bytes->str[bad + 6] ^= 0x40;
		made.bytes->str[bad + 9] ^= 0x11;
		readingInit(&reading);
		readingRun(&reading, "test.trc.zst", made.bytes->str,
			   made.bytes->len);
		g_test_message("line %zu is lost: %s%s", lost,
			       reading.messages->str, reading.values->str);
		g_assert_true(
			g_str_has_prefix(reading.messages->str, "zst.frame@"));
		g_assert_cmpstr(reading.values->str, ==, expected);
		readingClear(&reading);
		g_free(expected);
		madeFree(&made);
	}
	readingClear(&full);
	g_string_free(plain, TRUE);
}

/* Whatever two frames are damaged: each is named with its place in both files,
 * and records in all other frames are read. */
static void testTwoTrace(void)
{
	GString *plain = g_string_new(NULL);
	gsize starts[G_N_ELEMENTS(lines)];

	for (gsize i = 0; i < G_N_ELEMENTS(lines); i++) {
		starts[i] = plain->len;
		g_string_append(plain, lines[i].line);
	}
	for (gsize pair = 0; pair < G_N_ELEMENTS(lines) * G_N_ELEMENTS(lines);
	     pair++) {
		gsize lost[] = { pair / G_N_ELEMENTS(lines),
				 pair % G_N_ELEMENTS(lines) };
		struct made made;
		struct reading reading;

		if (lost[0] == 0 || lost[0] >= lost[1])
			continue;
		made = madeNew();
		for (gsize i = 0; i < G_N_ELEMENTS(lines); i++) {
			gsize bad = made.bytes->len;

			madeAddFrame(&made, lines[i].line,
				     strlen(lines[i].line), TRUE);
			/* Its header. */
			if (i == lost[0] || i == lost[1])
				made.bytes->str[bad] ^= 0x40;
		}
		madeAddTable(&made);
		readingInit(&reading);
		readingRun(&reading, "test.trc.zst", made.bytes->str,
			   made.bytes->len);
		g_test_message("lines %zu and %zu are lost: %s%s", lost[0],
			       lost[1], reading.messages->str,
			       reading.values->str);
		for (gsize k = 0; k < 2; k++) {
			char *message = g_strdup_printf("zst.frame@%zu\n",
							starts[lost[k]]);

			g_assert_nonnull(
				strstr(reading.messages->str, message));
			g_free(message);
		}
		for (gsize i = 0; i < G_N_ELEMENTS(lines); i++) {
			if (!lines[i].value || i == lost[0] || i == lost[1])
				continue;
			g_assert_nonnull(
				strstr(reading.values->str, lines[i].value));
		}
		readingClear(&reading);
		madeFree(&made);
	}
	g_string_free(plain, TRUE);
}

/* The same for statistics: entries behind a damaged frame are read from the
 * second one on. */
static void testTwoStat(void)
{
	GString *words = g_string_new("T1");
	GString *bytes;
	struct made made = madeNew();
	struct reading reading;
	gsize head, at[2];
	char *messages;

	for (int i = 0; i < 20; i++)
		g_string_append_printf(words, " T%d I%d", i + 2, i);
	bytes = readingStat(NULL, NULL, "INT32", NULL, words->str);
	head = bytes->len - 20 * 12;
	madeAddFrame(&made, bytes->str, head, TRUE);
	for (gsize i = 0; i < 5; i++) {
		gsize place = made.bytes->len;

		madeAddFrame(&made, bytes->str + head + i * 48, 48, FALSE);
		if (i == 1 || i == 3) {
			made.bytes->str[place + 8] ^= 0x40;
			at[i / 2] = head + i * 48;
		}
	}
	madeAddTable(&made);
	readingInit(&reading);
	readingRun(&reading, "test.stat.zst", made.bytes->str, made.bytes->len);
	messages =
		g_strdup_printf("zst.frame@%zu\nzst.frame@%zu\n", at[0], at[1]);
	g_assert_cmpstr(reading.messages->str, ==, messages);
	/* Two frames of four, and of each that follows a damaged one, three. */
	g_assert_cmpuint(reading.ends->len, ==, 4 + 3 + 3);
	readingClear(&reading);
	madeFree(&made);
	g_free(messages);
	g_string_free(bytes, TRUE);
	g_string_free(words, TRUE);
}

/* No flipped bit crashes, and none goes unnoticed in a frame with a checksum.
 */
static void testFlips(void)
{
	const gsize size = sizeof(trace) - 1;
	struct made made = madeNew();
	struct reading full;
	gsize body;

	madeAddFrame(&made, trace, size, FALSE);
	body = made.bytes->len;
	madeAddTable(&made);
	readingInit(&full);
	readingRun(&full, "test.trc", trace, size);
	for (gsize bit = 0; bit < made.bytes->len * 8; bit++) {
		struct reading reading;

		made.bytes->str[bit / 8] ^= (char)(1 << bit % 8);
		readingInit(&reading);
		readingRun(&reading, "test.trc.zst", made.bytes->str,
			   made.bytes->len);
		g_assert_true(g_str_has_prefix(full.values->str,
					       reading.values->str));
		if (bit / 8 < body &&
		    strcmp(reading.values->str, full.values->str) != 0)
			g_assert_cmpuint(reading.messages->len, >, 0);
		readingClear(&reading);
		made.bytes->str[bit / 8] ^= (char)(1 << bit % 8);
	}
	readingClear(&full);
	madeFree(&made);
}

/* ---- Hostile ----------------------------------------------------------- */

/* Files that must not cost more than they say; bytes in hexadecimal. */
static const struct {
	const char *name;
	const char *bytes;
	const char *message; /* Its beginning. */
} hostile[] = {
	{ "empty file", "", "trc.no-end@0" },
	{ "not a frame", "3c3c3c3c3c3c", "zst.frame@0" },
	{ "cut magic number", "28b52f", "zst.cut@0" },
	{ "reserved bit", "28b52ffd28010100003c", "zst.frame@0" },
	{ "dictionary", "28b52ffd2107010900003c", "zst.frame@0" },
	{ "no size", "28b52ffd0058090000783c", "zst.frame@0" },
	{ "16 EiB", "28b52ffde0ffffffffffffffff0900003c", "zst.frame@0" },
	{ "64 MiB and a byte", "28b52ffda0010000040900003c", "zst.frame@0" },
	{ "single segment of 9 MiB", "28b52ffda0000090000900003c",
	  "zst.frame@0" },
	{ "window of 16 MiB", "28b52ffd80700a0000000900003c", "zst.frame@0" },
	{ "reserved block type", "28b52ffd20010f00003c", "zst.frame@0" },
	{ "block of 2 MiB", "28b52ffd2001ffff7f3c", "zst.frame@0" },
	{ "block behind the end", "28b52ffd2001f900003c", "zst.cut@0" },
	/* 128 KiB of one byte in 4 bytes. */
	{ "bomb", "28b52ffda0000002000300103c", "zst.frame@0" },
	{ "size that is not true", "28b52ffd20020900003c", "zst.frame@0" },
	/* An entry of 4 GiB, one of more than the file, and one of a bomb. */
	{ "table of a large frame",
	  "28b52ffd20010900003c"
	  "5e2a4d1811000000"
	  "0a000000ffffffff"
	  "0100000000b1ea928f",
	  "trc.cut@0" },
	{ "table of more than the file",
	  "28b52ffd20010900003c"
	  "5e2a4d1811000000"
	  "ffffff0f01000000"
	  "0100000000b1ea928f",
	  "trc.cut@0" },
	{ "table of 100 million entries",
	  "28b52ffd20010900003c"
	  "5e2a4d1811000000"
	  "0a00000001000000"
	  "00e1f50500b1ea928f",
	  "trc.cut@0" },
	{ "table with reserved bits",
	  "28b52ffd20010900003c"
	  "5e2a4d1811000000"
	  "0a00000001000000"
	  "010000007cb1ea928f",
	  "trc.cut@0" },
	{ "table with another size",
	  "28b52ffd20010900003c"
	  "5e2a4d1811000000"
	  "0a00000002000000"
	  "0100000000b1ea928f",
	  "zst.frame@0" },
};

static GString *fromHex(const char *hex)
{
	GString *bytes = g_string_new(NULL);

	for (; *hex; hex += 2)
		g_string_append_c(bytes,
				  (char)(g_ascii_xdigit_value(hex[0]) << 4 |
					 g_ascii_xdigit_value(hex[1])));
	return bytes;
}

static void testHostile(void)
{
	for (gsize i = 0; i < G_N_ELEMENTS(hostile); i++) {
		GString *bytes = fromHex(hostile[i].bytes);
		struct reading reading;

		g_test_message("%s", hostile[i].name);
		readingInit(&reading);
		readingRun(&reading, "test.trc.zst", bytes->str, bytes->len);
		g_test_message("%s", reading.messages->str);
		g_assert_true(g_str_has_prefix(reading.messages->str,
					       hostile[i].message));
		readingClear(&reading);
		g_string_free(bytes, TRUE);
	}
}

/* Windows are decided by their limit: 8 MiB is read, the next one is not. */
static void testWindow(void)
{
	static const struct {
		const char *bytes;
		int error;
	} heads[] = {
		{ "28b52ffd80680100000000", 0 },
		{ "28b52ffd80690100000000", -EBADMSG },
		{ "28b52ffd806800000004", 0 },
		{ "28b52ffd806801000004", -EBADMSG },
	};

	for (gsize i = 0; i < G_N_ELEMENTS(heads); i++) {
		GString *bytes = fromHex(heads[i].bytes);
		struct hdFrameHead head;
		const char *why;

		g_assert_cmpint(
			hdFrameReadHead((const unsigned char *)bytes->str,
					bytes->len, &head, &why),
			==, heads[i].error);
		g_string_free(bytes, TRUE);
	}
}

static void testNames(void)
{
	g_assert_cmpuint(hdFrameStem("a.trc", ".trc"), ==, 1);
	g_assert_cmpuint(hdFrameStem("a.trc.zst", ".trc"), ==, 1);
	g_assert_cmpuint(hdFrameStem("d/.trc.zst", ".trc"), ==, 0);
	g_assert_cmpuint(hdFrameStem(".zst", ".trc"), ==, 0);
	g_assert_cmpuint(hdFrameStem("a.zst", ".trc"), ==, 0);
	g_assert_cmpuint(hdFrameStem("a.trc.zst.zst", ".trc"), ==, 0);
	g_assert_true(hdFrameIsEnding(".trc", ".trc"));
	g_assert_true(hdFrameIsEnding(".trc.zst", ".trc"));
	g_assert_false(hdFrameIsEnding(".trc.zst2", ".trc"));
}

/* ---- Skipping ---------------------------------------------------------- */

/** Entries as text, one a line, from the first one that ends behind a time; and
 *  how many come before it. */
static char *entriesFrom(hdIStatReader *reader, gint64 from, guint *before)
{
	GString *text = g_string_new(NULL);
	const hdIBlock *block;
	int ret;

	*before = 0;
	while ((ret = hdI_readStat(reader, &block)) == 1) {
		for (size_t i = 0; i < block->count; i++) {
			if (block->end[i] <= from) {
				++*before;
				continue;
			}
			g_string_append_printf(
				text,
				"%" G_GINT64_FORMAT " %" G_GINT64_FORMAT
				" %d %" G_GINT64_FORMAT " %d\n",
				block->start[i], block->end[i],
				block->isAfterGap[i], block->offset[i],
				block->columns[0].int32[i]);
		}
	}
	g_assert_cmpint(ret, ==, 0);
	return g_string_free(text, FALSE);
}

/** Skip up to a time, after some blocks were read; the rest is the same as
 *  without. Returns how many entries less were read. */
static guint skipOne(const hdIProject *project, gint64 from, guint blocks,
		     const char *all)
{
	hdIStatReader *reader = hdI_openStat(project, project->groups[0]);
	guint before, early = 0;
	const hdIBlock *block;
	char *text;
	int ret;

	for (guint i = 0; i < blocks; i++) {
		g_assert_cmpint(hdI_readStat(reader, &block), ==, 1);
		early += (guint)block->count;
	}
	ret = hdI_skipStat(reader, from);
	text = entriesFrom(reader, from, &before);
	if (ret == 1)
		g_assert_cmpuint(before, >, 0);
	else
		g_assert_cmpint(ret, ==, 0);
	if (blocks == 0)
		g_assert_cmpstr(text, ==, all);
	else
		g_assert_true(g_str_has_suffix(all, text));
	hdI_closeStat(reader);
	g_free(text);
	return before + early;
}

/** Skip to times of half seconds, each @p step. Returns how many entries were
 *  not read in all. */
static guint skipAll(const char *name, const char *bytes, gsize size, int step)
{
	char *directory = g_dir_make_tmp("hdtrace-skip-XXXXXX", NULL);
	char *path = g_build_filename(directory, name, NULL);
	hdIProject *project;
	guint skipped = 0;

	g_assert_true(g_file_set_contents(path, bytes, (gssize)size, NULL));
	project = hdI_openProject(path, NULL, NULL);
	g_assert_nonnull(project);
	for (gint64 half = 0; half < 130; half += step) {
		gint64 from = half * 500000000;
		hdIStatReader *reader =
			hdI_openStat(project, project->groups[0]);
		guint before;
		char *all = entriesFrom(reader, from, &before);

		hdI_closeStat(reader);
		skipped += before - skipOne(project, from, 0, all);
		if (before > 20)
			skipOne(project, from, 2, all);
		g_free(all);
	}
	hdI_closeProject(project);
	remove(path);
	remove(directory);
	g_free(path);
	g_free(directory);
	return skipped;
}

/* A file whose values look like time stamps, with a gap after each tenth entry.
 */
static void testSkip(void)
{
	GString *words = g_string_new("T1");
	GString *bytes;
	gsize head, record = 8 + 4 + 8;
	struct made made;

	for (int i = 0; i < 60; i++) {
		if (i % 10 == 9)
			g_string_append_printf(words, " GAP T%d.25", i + 1);
		g_string_append_printf(words, " T%d I%d L%d", i + 2, i, i);
	}
	bytes = readingStat(NULL, NULL, "INT32 INT64", NULL, words->str);
	head = bytes->len - 8 - 60 * record - 6 * 16;
	g_assert_cmpuint(skipAll("test.stat", bytes->str, bytes->len, 5), ==,
			 0);
	/* Frames of whole records, three in each and what a gap takes. */
	made = madeNew();
	madeAddFrame(&made, bytes->str, head, TRUE);
	madeAddFrame(&made, bytes->str + head, 8, TRUE);
	for (gsize at = head + 8, i = 0; at < bytes->len; i += 3) {
		gsize size = 3 * record + (i % 30 / 3 == 3 || i % 30 / 3 == 6 ||
					   i % 30 / 3 == 9) *
						  16;

		madeAddFrame(&made, bytes->str + at, size, FALSE);
		at += size;
	}
	g_assert_cmpuint(
		skipAll("test.stat.zst", made.bytes->str, made.bytes->len, 3),
		>, 700);
	madeAddTable(&made);
	g_assert_cmpuint(
		skipAll("test.stat.zst", made.bytes->str, made.bytes->len, 3),
		>, 700);
	madeFree(&made);
	/* Frames that begin anywhere. */
	for (gsize step = 5; step < 200; step += 23) {
		made = madeFrames(bytes->str, bytes->len, step);
		skipAll("test.stat.zst", made.bytes->str, made.bytes->len, 11);
		madeFree(&made);
	}
	g_string_free(bytes, TRUE);
	g_string_free(words, TRUE);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	if (hdZstdMissing()) {
		g_test_message("%s", hdZstdMissing());
		return 77;
	}
	g_test_add_func("/read-compressed/names", testNames);
	g_test_add_func("/read-compressed/same as plain", testSame);
	g_test_add_func("/read-compressed/cut at each byte", testCut);
	g_test_add_func("/read-compressed/entries behind a damaged frame",
			testResume);
	g_test_add_func("/read-compressed/records behind a damaged frame",
			testResumeTrace);
	g_test_add_func("/read-compressed/two damaged frames of a trace",
			testTwoTrace);
	g_test_add_func("/read-compressed/two damaged frames of statistics",
			testTwoStat);
	g_test_add_func("/read-compressed/each bit flipped", testFlips);
	g_test_add_func("/read-compressed/hostile files", testHostile);
	g_test_add_func("/read-compressed/limits of windows", testWindow);
	g_test_add_func("/read-compressed/skipped entries", testSkip);
	return g_test_run();
}
