/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files that end at any byte, and reads that are short or fail. */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "HDTraceReadingCLibrary/src/file.h"
#include "tests/reading/reading.h"

static const char trace[] =
	"<?xml version='1.0'?>\n"
	"<Program timeAdjustment='100' x='&lt;'>\n"
	"<Nested>\n<Nested>\n<a time='1' end='2' k='v'/>\n</Nested>\n"
	"<b time='3' end='4'><c d='e'>text &amp; more</c><c/></b>\n"
	"<!-- comment --><Event name='x' time='5'/>\n</Nested>\n"
	"<d time='6' end='7'>t<Nested><e time='8' end='9'/></Nested></d>\n"
	"<f time='10' end='11' />\n"
	"</Program>\n";

/* The lines of a text up to a number of them. */
static char *firstLines(const char *text, guint count)
{
	const char *p = text;

	for (; count > 0 && *p; count--)
		p = strchr(p, '\n') + 1;
	return g_strndup(text, (gsize)(p - text));
}

/* Number of records that end in the first size bytes. */
static guint countEnds(const struct reading *reading, gsize size)
{
	guint count = 0;

	for (guint i = 0; i < reading->ends->len; i++)
		count += g_array_index(reading->ends, int64_t, i) <=
			 (int64_t)size;
	return count;
}

static void expectLines(const struct reading *full, const struct reading *cut,
			guint count)
{
	char *expected = firstLines(full->values->str, count);

	g_assert_cmpstr(cut->values->str, ==, expected);
	g_free(expected);
}

/* ---- Every length of a .stat file -------------------------------------- */

/* What a file of this length must bring, when the data begins at start and
 * records, gaps included, end at the given places. */
static char *expectStatMessage(gsize size, gsize digits, gsize start,
			       const gsize *ends)
{
	gsize last = start + 8;

	if (size < digits)
		return g_strdup_printf("stat.length@%zu\n", size);
	if (size < start)
		return g_strdup_printf("stat.header@%zu\n", size);
	if (size < start + 8)
		return g_strdup_printf("stat.no-start@%zu\n", start);
	for (; *ends && *ends <= size; ends++)
		last = *ends;
	if (last == size)
		return g_strdup("");
	return g_strdup_printf("stat.cut-tail@%zu\n", last);
}

static void cutStat(const char *types, const char *data, const gsize *sizes)
{
	GString *bytes = readingStat(NULL, NULL, types, NULL, data);
	GString *head = readingStat(NULL, NULL, types, NULL, "");
	struct reading full;
	gsize ends[16] = { 0 };
	guint entries = 0;

	for (int i = 0; sizes[i]; i++)
		ends[i] = (i ? ends[i - 1] : head->len + 8) + sizes[i];
	readingInit(&full);
	readingRun(&full, "test.stat", bytes->str, bytes->len);
	g_assert_cmpint(full.result, ==, 0);
	g_assert_cmpstr(full.messages->str, ==, "");

	for (gsize size = 0; size <= bytes->len; size++) {
		struct reading cut;
		char *message;

		readingInit(&cut);
		readingRun(&cut, "test.stat", bytes->str, size);
		message = expectStatMessage(size, 6, head->len, ends);
		g_assert_cmpstr(cut.messages->str, ==, message);
		g_assert_cmpint(cut.result, ==, size < head->len ? -1 : 0);
		/* Gaps are 16 bytes long, entries are not. */
		entries = 0;
		for (int i = 0; ends[i] && ends[i] <= size; i++)
			entries += sizes[i] != 16;
		expectLines(&full, &cut, entries);
		g_free(message);
		readingClear(&cut);
	}
	g_assert_cmpuint(entries, >, 1);
	readingClear(&full);
	g_string_free(head, TRUE);
	g_string_free(bytes, TRUE);
}

static void testStat(void)
{
	static const gsize sizes[] = { 20, 20, 16, 20, 16, 0 };

	cutStat("INT32 DOUBLE",
		"T1 T2 I1 D1.5 T3 I2 D2.5 GAP T10 T11 I3 D3.5 GAP T12", sizes);
}

static void testStatStrings(void)
{
	static const gsize sizes[] = { 15, 18, 16, 14, 0 };

	cutStat("STRING INT32", "T1 T2 Sa I1 T3 Sabcd I2 GAP T10 T11 S I3",
		sizes);
}

/* ---- Every length of a .trc file --------------------------------------- */

static void testTrace(void)
{
	gsize length = sizeof(trace) - 1;
	const char *end = strstr(trace, "</Program>");
	gsize complete = (gsize)(end - trace) + strlen("</Program>");
	struct reading full;

	readingInit(&full);
	readingRun(&full, "test.trc", trace, length);
	g_assert_cmpint(full.result, ==, 0);
	g_assert_cmpstr(full.messages->str, ==, "");
	g_assert_cmpuint(full.ends->len, ==, 6);

	for (gsize size = 0; size <= length; size++) {
		guint count = countEnds(&full, size);
		struct reading cut;

		readingInit(&cut);
		readingRun(&cut, "test.trc", trace, size);
		g_test_message("%zu bytes", size);
		g_assert_cmpint(cut.result, ==, 0);
		expectLines(&full, &cut, count);
		if (size >= complete) {
			g_assert_cmpstr(cut.messages->str, ==, "");
			readingClear(&cut);
			continue;
		}
		g_assert_true(strchr(cut.messages->str, '\n') ==
			      cut.messages->str + cut.messages->len - 1);
		if (!g_str_has_prefix(cut.messages->str, "trc.cut@"))
			g_assert_true(g_str_has_prefix(cut.messages->str,
						       "trc.no-end@"));
		readingClear(&cut);
	}
	readingClear(&full);
}

/* Between elements the end is missing, within one it is cut. */
static void testTraceWhich(void)
{
	static const struct {
		const char *upTo;
		const char *message;
	} rows[] = {
		{ "<?xml", "trc.cut@0\n" },
		{ "<?xml version='1.0'?>\n", "trc.no-end@22\n" },
		{ "<Nested>\n<Nest", "trc.cut@*\n" },
		{ "<Nested>\n<Nested>\n", "trc.no-end@*\n" },
		{ "k='v", "trc.cut@*\n" },
		{ "k='v'/", "trc.cut@*\n" },
		{ "k='v'/>", "trc.no-end@*\n" },
		{ "<b time='3' end='4'>", "trc.cut@*\n" },
		{ "</b", "trc.cut@*\n" },
		{ "</b>", "trc.no-end@*\n" },
		{ "<!-- comm", "trc.cut@*\n" },
		{ "<!-- comment -->", "trc.no-end@*\n" },
		{ "<e time='8' end='9'/>", "trc.cut@*\n" },
		{ "</Prog", "trc.cut@*\n" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		const char *place = strstr(trace, rows[i].upTo);
		struct reading cut;

		readingInit(&cut);
		readingRun(&cut, "test.trc", trace,
			   (gsize)(place - trace) + strlen(rows[i].upTo));
		if (!g_pattern_match_simple(rows[i].message, cut.messages->str))
			g_assert_cmpstr(cut.messages->str, ==, rows[i].message);
		readingClear(&cut);
	}
}

/* ---- Reads ------------------------------------------------------------- */

static int readCount;
static int readFailure; /* Call that fails. */
static int readError;

static ssize_t readLittle(int fd, void *buffer, size_t size)
{
	readCount++;
	if (readCount % 3 == 0) {
		errno = EINTR;
		return -1;
	}
	return read(fd, buffer, size < 7 ? size : 7);
}

static ssize_t readFailing(int fd, void *buffer, size_t size)
{
	if (++readCount >= readFailure) {
		errno = readError;
		return -1;
	}
	return read(fd, buffer, size < 7 ? size : 7);
}

/* Read with another read(); returns how often it was called. */
static int readWith(ssize_t (*reader)(int fd, void *buffer, size_t size),
		    struct reading *reading, const char *name,
		    const char *bytes, gsize size)
{
	readCount = 0;
	hdIFileReader = reader;
	readingInit(reading);
	readingRun(reading, name, bytes, size);
	hdIFileReader = read;
	return readCount;
}

static void testReads(const char *name, const char *bytes, gsize size)
{
	struct reading full, other;
	int calls;

	calls = readWith(read, &full, name, bytes, size);
	g_assert_cmpint(full.result, ==, 0);
	calls = readWith(readLittle, &other, name, bytes, size);
	g_assert_cmpint(other.result, ==, 0);
	g_assert_cmpstr(other.messages->str, ==, "");
	g_assert_cmpstr(other.values->str, ==, full.values->str);
	readingClear(&other);

	/* A failure at every read: all before is there, and one message. */
	readError = EIO;
	for (readFailure = 1; readFailure < calls; readFailure++) {
		readWith(readFailing, &other, name, bytes, size);
		if (readCount < readFailure) {
			readingClear(&other);
			break;
		}
		g_assert_cmpint(other.result, ==, -1);
		g_assert_true(other.error == EIO || other.error == EBADMSG);
		g_assert_true(g_pattern_match_simple("file.read@*\n",
						     other.messages->str));
		g_assert_true(
			g_str_has_prefix(full.values->str, other.values->str));
		readingClear(&other);
	}
	g_assert_cmpint(readFailure, >, 10);
	readingClear(&full);
}

static void testReadsOfStat(void)
{
	GString *bytes = readingStat(NULL, NULL, "INT32 STRING", NULL,
				     "T1 T2 I1 Sa GAP T3 T4 I2 Sb");

	testReads("test.stat", bytes->str, bytes->len);
	g_string_free(bytes, TRUE);
	bytes = readingStat(NULL, NULL, "INT32", NULL, "T1 T2 I1 T4 I2");
	testReads("test.stat", bytes->str, bytes->len);
	g_string_free(bytes, TRUE);
}

static void testReadsOfTrace(void)
{
	testReads("test.trc", trace, sizeof(trace) - 1);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/read-cut/stat", testStat);
	g_test_add_func("/read-cut/stat with strings", testStatStrings);
	g_test_add_func("/read-cut/trace", testTrace);
	g_test_add_func("/read-cut/trace, which message", testTraceWhich);
	g_test_add_func("/read-cut/reads of stat", testReadsOfStat);
	g_test_add_func("/read-cut/reads of trace", testReadsOfTrace);
	return g_test_run();
}
